import { addressOf, type Dice, PEOPLE, signs } from "./dice.ts";
import { Refusal } from "./job.ts";
import { atLeastOne, found, only, type PapersJob, papersJob } from "./papers.ts";

const THEMES = [
  "audit",
  "banner",
  "coupon",
  "digest",
  "export",
  "filter",
  "gallery",
  "header",
  "invite",
  "layout",
];
const ROOMS = ["Kitchen", "Hall", "Study", "Attic", "Cellar"];

const mixed = (dice: Dice, length: number): string =>
  signs(dice, length, "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789");

/** The parts of a text that begin with what has the form. */
function blocks(text: string, form: RegExp): readonly string[] {
  return text.split(form).slice(1);
}

/** Work with answers as servers of well-known services write them: written before anything was done for it, measured once. */
export const LEAFLETS_JOBS: readonly PapersJob[] = [
  papersJob({
    name: "reply-in-thread",
    reads: { conversations_history: "channel_id" },
    writes: { conversations_add_message: "channel_id thread_ts text" },
    given: (dice) => {
      const channel_id = `C0${mixed(dice, 8).toUpperCase()}`;
      const themes = dice.some(THEMES, dice.between(3, 5));
      const rows = themes.map((theme) => {
        const person = dice.one(PEOPLE);
        const text = dice.one([
          `Who looks after the ${theme}?`,
          `"The ${theme} is slow, again"`,
          `Is the ${theme} live yet?`,
        ]);
        return `17${dice.fresh(10000000, 99999999)}.${dice.fresh(100000, 999999)},U0${mixed(dice, 7).toUpperCase()},${person.split(" ")[0]?.toLowerCase()},${person},${channel_id},,${text},${dice.day()}T1${dice.between(0, 9)}:22:${dice.between(10, 59)}Z,,`;
      });
      const told = { channel_id, theme: dice.one(themes), reply: `See ticket ${dice.fresh(1000, 9999)}.` };
      const text = `MsgID,UserID,UserName,RealName,Channel,ThreadTs,Text,Time,Reactions,Cursor\n${rows.join("\n")}\n`;
      return { told, answers: [["conversations_history", { channel_id }, text]] };
    },
    task: ({ channel_id, theme, reply }) =>
      `In ${channel_id}, answer the message about the ${theme} in its thread: "${reply}"`,
    agent: async ({ channel_id, theme, reply }, call) => {
      const text = await call("conversations_history", { channel_id });
      const thread_ts = only(text, new RegExp(`^([\\d.]+),.*[Tt]he ${theme}`, "m"));
      await call("conversations_add_message", { channel_id, thread_ts, text: reply });
    },
    hindered: ({ channel_id }) => [
      "conversations_history",
      { channel_id },
      "MsgID,UserID,UserName,RealName,Channel,ThreadTs,Text,Time,Reactions,Cursor\n",
    ],
  }),
  papersJob({
    name: "fill-form",
    reads: { browser_navigate: "url" },
    writes: { browser_type: "element ref text", browser_click: "element ref" },
    given: (dice) => {
      const url = `https://${dice.one(THEMES)}.example.org/join`;
      const first = dice.fresh(20, 60);
      const [name, email, button] = [first, first + dice.between(2, 4), first + dice.between(6, 9)];
      const text = `### Page state\n- Page URL: ${url}\n- Page Title: Join us\n- Page Snapshot:\n\`\`\`yaml\n- generic [active] [ref=e1]:\n  - banner [ref=e2]:\n    - link "Home" [ref=e3] [cursor=pointer]:\n      - /url: /\n  - main [ref=e${first - 2}]:\n    - heading "Join us" [level=1] [ref=e${first - 1}]\n    - textbox "Full name" [ref=e${name}]\n    - textbox "Email" [ref=e${email}]\n    - checkbox "Send me news" [ref=e${email + 1}]\n    - button "Sign up" [ref=e${button}] [cursor=pointer]\n\`\`\``;
      const person = dice.one(PEOPLE);
      const told = { url, name: person, email: addressOf(person) };
      return { told, answers: [["browser_navigate", { url }, text]] };
    },
    task: ({ url, name, email }) => `Sign ${name} up at ${url}, with the address ${email}.`,
    agent: async ({ url, name, email }, call) => {
      const page = await call("browser_navigate", { url });
      const refOf = (element: string): string => only(page, new RegExp(`${element} \\[ref=(\\w+)\\]`));
      const given = { name: refOf('textbox "Full name"'), email: refOf('textbox "Email"') };
      await call("browser_type", { element: "Full name", ref: given.name, text: name });
      await call("browser_type", { element: "Email", ref: given.email, text: email });
      await call("browser_click", { element: "Sign up", ref: refOf('button "Sign up"') });
    },
    hindered: ({ url }) => [
      "browser_navigate",
      { url },
      `### Page state\n- Page URL: ${url}\n- Page Title: Closed\n- Page Snapshot:\n\`\`\`yaml\n- heading "We are full" [level=1] [ref=e2]\n\`\`\``,
    ],
  }),
  papersJob({
    name: "assign-unassigned",
    reads: { search_issues: "organization query" },
    writes: { update_issue: "organization issue_id assigned_to" },
    given: (dice) => {
      const organization = `${dice.one(THEMES)}-${dice.fresh(10, 99)}`;
      const query = `release:${dice.between(1, 9)}.${dice.fresh(1, 99)}`;
      const prefix = dice.one(["WEB", "API", "APP"]);
      const parts = dice.some(THEMES, dice.between(3, 5)).map((theme, nth) => {
        const id = `${prefix}-${signs(dice, 3, "ABCDEFGHJK123456789")}`;
        const owner = nth < 2 ? "Unassigned" : dice.one([...PEOPLE.slice(0, 4), "Unassigned"]);
        return `## ${nth + 1}. [${id}](https://${organization}.example.io/issues/${id})\n\n**${dice.one(["TypeError", "RangeError"])}: ${theme} is not ready**\n\n- **Status**: unresolved\n- **Users**: ${dice.between(1, 40)}\n- **Events**: ${dice.between(41, 900)}\n- **Assigned to**: ${owner}\n- **First seen**: ${dice.between(2, 20)} days ago\n`;
      });
      const text = `# Search Results for "${query}"\n\nFound **${parts.length}** issues:\n\n${parts.join("\n")}\n## Next Steps\n\n- Get more details about a specific issue by its ID`;
      const told = { organization, query, user: addressOf(dice.one(PEOPLE)) };
      return { told, answers: [["search_issues", { organization, query }, text]] };
    },
    task: ({ organization, query, user }) =>
      `Assign all issues of ${organization} with ${query} that nobody is assigned to to ${user}.`,
    agent: async ({ organization, query, user }, call) => {
      const text = await call("search_issues", { organization, query });
      for (const block of blocks(text, /^## (?=\d)/m))
        if (block.includes("**Assigned to**: Unassigned"))
          await call("update_issue", {
            organization,
            issue_id: only(block, /^\d+\. \[(.+?)\]/),
            assigned_to: user,
          });
    },
    hindered: ({ organization, query }) => [
      "search_issues",
      { organization, query },
      `# Search Results for "${query}"\n\nNo issues found matching your search criteria.`,
    ],
  }),
  papersJob({
    name: "delete-crashing-pods",
    reads: { pods_list_in_namespace: "namespace" },
    writes: { pods_delete: "name namespace" },
    given: (dice) => {
      const namespace = `${dice.one(THEMES)}-${dice.fresh(10, 99)}`;
      const rows = dice.some(THEMES, dice.between(4, 6)).map((theme, nth) => {
        const state =
          nth < 2
            ? "CrashLoopBackOff"
            : nth === 2
              ? "Running"
              : dice.one(["Running", "Pending", "CrashLoopBackOff"]);
        return [
          namespace,
          "v1",
          "Pod",
          `${theme}-${signs(dice, 9)}-${signs(dice, 5)}`,
          state === "Running" ? "1/1" : "0/1",
          state,
          String(dice.between(0, 60)),
          `${dice.between(1, 9)}d${dice.between(1, 23)}h`,
          `10.${dice.between(0, 9)}.${dice.between(0, 99)}.${dice.between(2, 250)}`,
          `node-${dice.between(1, 5)}`,
        ];
      });
      const heads = [
        "NAMESPACE",
        "APIVERSION",
        "KIND",
        "NAME",
        "READY",
        "STATUS",
        "RESTARTS",
        "AGE",
        "IP",
        "NODE",
      ];
      const table = [heads, ...dice.some(rows, rows.length)];
      const widths = heads.map((_, nth) => Math.max(...table.map((row) => (row[nth] ?? "").length)) + 3);
      const text = table.map((row) =>
        row
          .map((cell, nth) => cell.padEnd(widths[nth] ?? 0))
          .join("")
          .trimEnd(),
      );
      return {
        told: { namespace },
        answers: [["pods_list_in_namespace", { namespace }, `${text.join("\n")}\n`]],
      };
    },
    task: ({ namespace }) => `Delete all pods in ${namespace} that are in CrashLoopBackOff.`,
    agent: async ({ namespace }, call) => {
      const text = await call("pods_list_in_namespace", { namespace });
      for (const [name = ""] of found(text, /^\S+ +v1 +Pod +(\S+) +\S+ +CrashLoopBackOff /gm))
        await call("pods_delete", { name, namespace });
    },
    hindered: ({ namespace }) => [
      "pods_list_in_namespace",
      { namespace },
      `No resources found in ${namespace}`,
    ],
  }),
  papersJob({
    name: "lights-off",
    reads: { get_live_context: "" },
    writes: { turn_off: "name domain" },
    given: (dice) => {
      const area = dice.one(ROOMS);
      const kinds = ["Lamp", "Ceiling", "Spots", "Fan", "Heater", "Strip"];
      const entries = dice.some(kinds, dice.between(4, 6)).flatMap((kind, nth) =>
        dice.some(ROOMS, 3).map((room, at) => {
          const domain = kind === "Fan" ? "fan" : kind === "Heater" ? "switch" : "light";
          const own = nth < 2 && at === 0 ? area : room;
          const extra =
            domain === "light" ? `\n  attributes:\n    brightness: '${dice.between(1, 255)}'` : "";
          return `- names: ${dice.one(["Old", "New", "Left", "Right"])} ${kind} ${dice.fresh(10, 99)}\n  domain: ${domain}\n  state: '${at === 0 ? "on" : dice.one(["on", "off"])}'\n  areas: ${own}${extra}`;
        }),
      );
      const text = `Live Context: An overview of the areas and the devices in this smart home:\n${dice.some(entries, entries.length).join("\n")}\n`;
      return { told: { area }, answers: [["get_live_context", {}, text]] };
    },
    task: ({ area }) => `Turn off all lights in the ${area} that are on.`,
    agent: async ({ area }, call) => {
      const text = await call("get_live_context", {});
      const lights = found(
        text,
        new RegExp(`^- names: (.+)\\n  domain: light\\n  state: 'on'\\n  areas: ${area}$`, "gm"),
      );
      for (const [name = ""] of atLeastOne(lights)) await call("turn_off", { name, domain: "light" });
    },
    hindered: () => ["get_live_context", {}, "No devices are exposed to the assistant."],
  }),
  papersJob({
    name: "share-file",
    reads: { search_drive_files: "query" },
    writes: { share_drive_file: "file_id email role" },
    given: (dice) => {
      const query = `${dice.one(THEMES)} ${dice.between(2020, 2026)}`;
      const names = dice
        .some(["Budget", "Plan", "Minutes", "Sketch", "Survey"], dice.between(3, 4))
        .map((name) => `${name} ${dice.fresh(10, 99)}`);
      const lines = names.map((name) => {
        const id = `1${mixed(dice, 20)}`;
        return `- Name: "${name}" (ID: ${id}, Type: application/vnd.google-apps.document, Size: N/A, Modified: ${dice.day()}T09:1${dice.between(0, 9)}:04.000Z) Link: https://docs.example.com/document/d/${id}/edit`;
      });
      const text = `Found ${names.length} files for me@example.org matching '${query}':\n${lines.join("\n")}`;
      const told = { query, name: dice.one(names), email: addressOf(dice.one(PEOPLE)) };
      return { told, answers: [["search_drive_files", { query }, text]] };
    },
    task: ({ query, name, email }) =>
      `Search the drive for "${query}" and let ${email} read the file "${name}".`,
    agent: async ({ query, name, email }, call) => {
      const text = await call("search_drive_files", { query });
      const file_id = only(text, new RegExp(`- Name: "${name}" \\(ID: (\\w+),`));
      await call("share_drive_file", { file_id, email, role: "reader" });
    },
    hindered: ({ query }) => ["search_drive_files", { query }, `No files found for '${query}'.`],
  }),
  papersJob({
    name: "save-first-place",
    reads: { local_search: "query" },
    writes: { save_contact: "name phone address" },
    given: (dice) => {
      const query = `${dice.one(["tailor", "baker", "florist"])} near ${dice.one(["Oslo", "Ghent", "Graz"])}`;
      const places = dice
        .some(PEOPLE, dice.between(2, 4))
        .map(
          (person) =>
            `Name: ${person.split(" ")[1]} & ${dice.one(["Sons", "Daughters"])}\nAddress: ${dice.fresh(1, 300)} ${dice.one(["Park Row", "Quay Street"])}, ${dice.fresh(1000, 9999)}\nPhone: +47 ${dice.fresh(100, 999)} ${dice.fresh(10, 99)} ${dice.fresh(100, 999)}\nRating: ${dice.between(3, 4)}.${dice.between(0, 9)} (${dice.between(5, 400)} reviews)\nPrice Range: ${dice.one(["$", "$$"])}\nHours: Mo-Fr 09:00-1${dice.between(6, 9)}:00\nDescription: A place of its kind.\n`,
        );
      return { told: { query }, answers: [["local_search", { query }, places.join("\n---\n")]] };
    },
    task: ({ query }) =>
      `Save name, phone and address of the first place that a search for "${query}" finds.`,
    agent: async ({ query }, call) => {
      const text = await call("local_search", { query });
      await call("save_contact", {
        name: only(text, /^Name: (.+)$/m),
        phone: only(text, /^Phone: (.+)$/m),
        address: only(text, /^Address: (.+)$/m),
      });
    },
    hindered: ({ query }) => ["local_search", { query }, "No local results found"],
  }),
  papersJob({
    name: "start-urgent",
    reads: { linear_search_issues: "team" },
    writes: { linear_update_issue: "id status" },
    given: (dice) => {
      const team = dice.one(["Platform", "Growth", "Mobile"]);
      const key = team.slice(0, 3).toUpperCase();
      const items = dice.some(THEMES, dice.between(4, 6)).map((theme, nth) => {
        const id = `${key}-${dice.fresh(100, 999)}`;
        const priority = nth < 2 ? "Urgent" : nth === 2 ? "Low" : dice.one(["Urgent", "High", "Low"]);
        return `- ${id}: Broken ${theme}\n  Priority: ${priority}\n  Status: Todo\n  Assignee: ${dice.one(PEOPLE)}\n  https://linear.example.app/issue/${id}`;
      });
      const text = `Found ${items.length} issues:\n${dice.some(items, items.length).join("\n")}`;
      return { told: { team }, answers: [["linear_search_issues", { team }, text]] };
    },
    task: ({ team }) => `Set all urgent issues of the team ${team} to "In Progress".`,
    agent: async ({ team }, call) => {
      const text = await call("linear_search_issues", { team });
      for (const [id = ""] of found(text, /^- (\S+): .+\n {2}Priority: Urgent$/gm))
        await call("linear_update_issue", { id, status: "In Progress" });
    },
    hindered: ({ team }) => ["linear_search_issues", { team }, "Found 0 issues:\n"],
  }),
  papersJob({
    name: "close-by-transition",
    reads: { jira_search: "jql", jira_get_transitions: "issue_key" },
    writes: { jira_transition_issue: "issue_key transition_id" },
    given: (dice) => {
      const project = signs(dice, 3, "ABCDEFGHJKLMNP");
      const jql = `project = ${project}`;
      const summaries = dice.some(THEMES, dice.between(2, 4)).map((theme) => `Tidy up the ${theme}`);
      const issues = summaries.map((summary) => ({
        id: String(dice.fresh(10000, 99999)),
        key: `${project}-${dice.fresh(10, 999)}`,
        summary,
        status: { name: "In Review", category: "In Progress" },
        assignee: { display_name: dice.one(PEOPLE) },
      }));
      const found = { total: issues.length, start_at: 0, max_results: 10, issues };
      const moves = dice
        .some(["Reopen", "Done", "Block"], 3)
        .map((name) => ({ id: String(dice.fresh(11, 99)), name, to_status: name }));
      return {
        told: { project, summary: dice.one(summaries) },
        answers: [
          ["jira_search", { jql }, JSON.stringify(found, undefined, 2)],
          ...issues.map(
            ({ key }) =>
              ["jira_get_transitions", { issue_key: key }, JSON.stringify(moves, undefined, 2)] as const,
          ),
        ],
      };
    },
    task: ({ project, summary }) => `Move the issue "${summary}" of the project ${project} to Done.`,
    agent: async ({ project, summary }, call) => {
      const { issues } = await call("jira_search", { jql: `project = ${project}` });
      const issue = (issues as readonly { key: string; summary: string }[]).find(
        (each) => each.summary === summary,
      );
      if (!issue) throw new Refusal("There is no such issue");
      const moves = (await call("jira_get_transitions", { issue_key: issue.key })) as readonly {
        id: string;
        name: string;
      }[];
      const transition_id = moves.find(({ name }) => name === "Done")?.id ?? "";
      await call("jira_transition_issue", { issue_key: issue.key, transition_id });
    },
    hindered: ({ project }) => [
      "jira_search",
      { jql: `project = ${project}` },
      JSON.stringify({ total: 0, start_at: 0, max_results: 10, issues: [] }),
    ],
  }),
  papersJob({
    name: "refund-payment",
    reads: { list_customers: "email", list_payment_intents: "customer" },
    writes: { create_refund: "payment_intent amount#" },
    given: (dice) => {
      const person = dice.one(PEOPLE);
      const email = addressOf(person);
      const customer = `cus_${mixed(dice, 14)}`;
      const intents = ["canceled", "succeeded", "requires_payment_method"].map((status) => ({
        id: `pi_${mixed(dice, 20)}`,
        object: "payment_intent",
        amount: dice.fresh(1000, 90000),
        currency: "eur",
        customer,
        status,
      }));
      return {
        told: { email },
        answers: [
          [
            "list_customers",
            { email },
            JSON.stringify([{ id: customer, object: "customer", name: person, email }]),
          ],
          ["list_payment_intents", { customer }, JSON.stringify(dice.some(intents, 3))],
        ],
      };
    },
    task: ({ email }) => `Refund the payment of ${email} that has succeeded, in full.`,
    agent: async ({ email }, call) => {
      const [customer] = (await call("list_customers", { email })) as readonly { id: string }[];
      if (!customer) throw new Refusal("There is no such customer");
      const intents = (await call("list_payment_intents", { customer: customer.id })) as readonly {
        id: string;
        amount: number;
        status: string;
      }[];
      const paid = intents.find(({ status }) => status === "succeeded");
      if (paid) await call("create_refund", { payment_intent: paid.id, amount: paid.amount });
    },
    hindered: ({ email }) => ["list_customers", { email }, "[]"],
  }),
  papersJob({
    name: "postpone-due",
    reads: { get_tasks: "project" },
    writes: { update_task: "task_id due_date" },
    given: (dice) => {
      const project = `${dice.one(["Home", "Garden", "Studio"])} ${dice.fresh(10, 99)}`;
      const [day, later, other] = [dice.day(), dice.day(), dice.day()];
      const tasks = dice
        .some(THEMES, dice.between(4, 6))
        .map(
          (theme, nth) =>
            `- Sort the ${theme} (ID: ${dice.fresh(10000000, 99999999)})\n  Description: None\n  Due: ${nth < 2 ? day : dice.one([day, other])}\n  Priority: ${dice.between(1, 4)}`,
        );
      const text = `${tasks.length} tasks in ${project}\n\n${dice.some(tasks, tasks.length).join("\n\n")}`;
      return { told: { project, day, later }, answers: [["get_tasks", { project }, text]] };
    },
    task: ({ project, day, later }) => `Put off all tasks in ${project} that are due on ${day} to ${later}.`,
    agent: async ({ project, day, later }, call) => {
      const text = await call("get_tasks", { project });
      for (const [id, due] of found(text, /\(ID: (\d+)\)\n.*\n {2}Due: (.+)$/gm))
        if (due === day) await call("update_task", { task_id: id ?? "", due_date: later });
    },
    hindered: ({ project }) => ["get_tasks", { project }, `No tasks found in ${project}`],
  }),
  papersJob({
    name: "plan-by-forecast",
    reads: { get_forecast: "place" },
    writes: { plan_trip: "place day degrees# wind" },
    given: (dice) => {
      const place = `${dice.one(["North", "South"])} ${dice.one(["Creek", "Ridge", "Bay"])}`;
      const days = ["Tonight", "Saturday", "Saturday Night", "Sunday", "Monday"];
      const parts = days.map(
        (day) =>
          `${day}:\nTemperature: ${dice.fresh(30, 90)}°F\nWind: ${dice.fresh(2, 40)} mph ${dice.one(["NW", "SE", "S"])}\nForecast: ${dice.one(["Mostly clear.", "Chance of showers.", "Cloudy, then sunny."])}\n`,
      );
      const told = { place, day: dice.one(["Saturday", "Sunday", "Monday"]) };
      return { told, answers: [["get_forecast", { place }, parts.join("\n---\n")]] };
    },
    task: ({ place, day }) =>
      `Plan a trip to ${place} on ${day}, with the temperature and the wind forecast.`,
    agent: async ({ place, day }, call) => {
      const text = await call("get_forecast", { place });
      const form = new RegExp(`^${day}:\\nTemperature: (\\d+)°F\\nWind: (.+)$`, "gm");
      const [[degrees, wind = ""] = []] = atLeastOne(found(text, form));
      await call("plan_trip", { place, day, degrees: Number(degrees), wind });
    },
    hindered: ({ place }) => ["get_forecast", { place }, "Unable to fetch detailed forecast."],
  }),
  papersJob({
    name: "rerun-failed-runs",
    reads: { list_workflow_runs: "owner repo" },
    writes: { rerun_failed_jobs: "owner repo run_id#" },
    given: (dice) => {
      const [owner, repo] = [`${dice.one(THEMES)}-labs`, `${dice.one(THEMES)}-kit`];
      const [branch = "", other = ""] = dice.some(["main", "next", "stable"], 2);
      const runs = Array.from({ length: dice.between(4, 6) }, (_, nth) => ({
        id: dice.fresh(100000000, 999999999),
        name: dice.one(["CI", "Docs"]),
        head_branch: nth < 3 ? branch : dice.one([branch, other]),
        status: "completed",
        conclusion: nth < 2 ? "failure" : nth === 2 ? "success" : dice.one(["failure", "success"]),
        run_number: dice.between(100, 900),
      }));
      const text = JSON.stringify({ total_count: runs.length, workflow_runs: dice.some(runs, runs.length) });
      return { told: { owner, repo, branch }, answers: [["list_workflow_runs", { owner, repo }, text]] };
    },
    task: ({ owner, repo, branch }) => `Run the failed runs of ${owner}/${repo} on ${branch} again.`,
    agent: async ({ owner, repo, branch }, call) => {
      const { workflow_runs: runs } = (await call("list_workflow_runs", { owner, repo })) as {
        workflow_runs: readonly { id: number; head_branch: string; conclusion: string }[];
      };
      for (const { id, head_branch, conclusion } of runs)
        if (head_branch === branch && conclusion === "failure")
          await call("rerun_failed_jobs", { owner, repo, run_id: id });
    },
    hindered: ({ owner, repo }) => [
      "list_workflow_runs",
      { owner, repo },
      JSON.stringify({ total_count: 0, workflow_runs: [] }),
    ],
  }),
  papersJob({
    name: "tag-linked-notes",
    reads: { get_note: "path" },
    writes: { add_tag: "note tag" },
    given: (dice) => {
      const path = `Projects/${dice.one(THEMES)} ${dice.fresh(10, 99)}.md`;
      const links = dice
        .some(PEOPLE, dice.between(2, 4))
        .map((person) => `- spoke with [[${person}]] about ${dice.one(["money", "time", "people"])}`);
      const text = `---\ntags: [project, ${dice.one(["open", "closed"])}]\ncreated: ${dice.day()}\n---\n# ${path.slice(9, -3)}\n\nSee also <https://example.org/${signs(dice, 6)}>.\n\n${links.join("\n")}\n\n## Next\n\n- [ ] write it up\n`;
      return { told: { path, tag: `seen-${dice.fresh(100, 999)}` }, answers: [["get_note", { path }, text]] };
    },
    task: ({ path, tag }) => `Give every note that ${path} links to the tag ${tag}.`,
    agent: async ({ path, tag }, call) => {
      for (const [note = ""] of found(await call("get_note", { path }), /\[\[(.+?)\]\]/g))
        await call("add_tag", { note, tag });
    },
    hindered: ({ path }) => ["get_note", { path }, "---\ntags: []\n---\n"],
  }),
  papersJob({
    name: "gleis-melden",
    reads: { abfahrten: "bahnhof" },
    writes: { melden: "zug gleis abfahrt" },
    given: (dice) => {
      const bahnhof = dice.one(["Fulda", "Ulm Hbf", "Gera Hbf", "Trier Hbf"]);
      const ziele = dice.some(["Kassel-Wilhelmshöhe", "München Hbf", "Saarbrücken", "Görlitz"], 3);
      const zeilen = ziele.map(
        (ziel, nth) =>
          `1${nth + 2}:${dice.fresh(10, 59)} Uhr  ${dice.one(["ICE", "RE", "IC"])} ${dice.fresh(100, 999)} nach ${ziel}, Gleis ${dice.between(1, 9)}${dice.one(["", " (+5 Min.)", " (pünktlich)"])}`,
      );
      const text = `Nächste Abfahrten ab ${bahnhof}:\n\n${zeilen.join("\n")}\n\nAlle Angaben ohne Gewähr.`;
      return { told: { bahnhof, ziel: dice.one(ziele) }, answers: [["abfahrten", { bahnhof }, text]] };
    },
    task: ({ bahnhof, ziel }) =>
      `Melde Zug, Gleis und Abfahrt des nächsten Zuges von ${bahnhof} nach ${ziel}.`,
    agent: async ({ bahnhof, ziel }, call) => {
      const text = await call("abfahrten", { bahnhof });
      const form = new RegExp(`^(\\S+) Uhr {2}(\\S+ \\d+) nach ${ziel}, Gleis (\\d+)`, "gm");
      const [[abfahrt = "", zug = "", gleis = ""] = []] = atLeastOne(found(text, form));
      await call("melden", { zug, gleis, abfahrt });
    },
    hindered: ({ bahnhof }) => ["abfahrten", { bahnhof }, `Keine Abfahrten ab ${bahnhof} gefunden.`],
  }),
  papersJob({
    name: "lista-della-spesa",
    reads: { leggi_ricetta: "ricetta" },
    writes: { aggiungi_alla_spesa: "cosa quantita" },
    given: (dice) => {
      const ricetta = `${dice.one(["Torta", "Zuppa", "Crostata"])} n. ${dice.fresh(10, 99)}`;
      const cose = dice
        .some(["farina", "zucchero", "burro", "mandorle", "fagioli", "cipolle"], dice.between(3, 5))
        .map((cosa) => `- ${dice.fresh(50, 900)} g di ${cosa}`);
      const text = `# ${ricetta}\n\nPer ${dice.between(2, 8)} persone, pronta in ${dice.between(20, 90)} minuti.\n\n## Ingredienti\n\n${cose.join("\n")}\n\n## Preparazione\n\n1. Mescolare tutto.\n2. Cuocere a ${dice.between(150, 220)} gradi.\n`;
      return { told: { ricetta }, answers: [["leggi_ricetta", { ricetta }, text]] };
    },
    task: ({ ricetta }) => `Metti tutti gli ingredienti di "${ricetta}" nella lista della spesa.`,
    agent: async ({ ricetta }, call) => {
      const text = await call("leggi_ricetta", { ricetta });
      for (const [quantita = "", cosa = ""] of found(text, /^- (\d+ g) di (.+)$/gm))
        await call("aggiungi_alla_spesa", { cosa, quantita });
    },
    hindered: ({ ricetta }) => ["leggi_ricetta", { ricetta }, `La ricetta "${ricetta}" non esiste.`],
  }),
  papersJob({
    name: "mark-read",
    reads: { get_chats: "account" },
    writes: { mark_as_read: "chat_id#" },
    given: (dice) => {
      const account = `@${dice.one(THEMES)}_${dice.fresh(10, 99)}`;
      const lines = dice.some(THEMES, dice.between(4, 6)).map((theme, nth) => {
        const unread = nth < 2 ? dice.between(1, 40) : nth === 2 ? 0 : dice.one([0, 0, 7]);
        return `Chat ID: ${dice.fresh(100000000, 999999999)}, Title: ${theme} talk, Type: ${dice.one(["group", "channel"])}, Unread: ${unread}`;
      });
      return {
        told: { account },
        answers: [["get_chats", { account }, dice.some(lines, lines.length).join("\n")]],
      };
    },
    task: ({ account }) => `Mark all chats of ${account} that have unread messages as read.`,
    agent: async ({ account }, call) => {
      const text = await call("get_chats", { account });
      for (const [id, unread] of found(text, /^Chat ID: (\d+), .*, Unread: (\d+)$/gm))
        if (unread !== "0") await call("mark_as_read", { chat_id: Number(id) });
    },
    hindered: ({ account }) => ["get_chats", { account }, "No chats found."],
  }),
  papersJob({
    name: "keep-destroyed",
    reads: { terraform_plan: "folder" },
    writes: { state_remove: "folder address" },
    given: (dice) => {
      const folder = `infra/${dice.one(THEMES)}-${dice.fresh(10, 99)}`;
      const parts = dice.some(THEMES, dice.between(4, 5)).map((theme, nth) => {
        const address = `${dice.one(["aws_instance", "aws_s3_bucket"])}.${theme}`;
        const fate =
          nth < 2 ? "destroyed" : nth === 2 ? "created" : dice.one(["destroyed", "updated in-place"]);
        return `  # ${address} will be ${fate}\n  ${fate === "destroyed" ? "-" : "+"} resource "${address.split(".")[0]}" "${theme}" {\n      id = "${signs(dice, 8)}"\n    }\n`;
      });
      const planned = (fate: string): number => parts.filter((part) => part.includes(`be ${fate}`)).length;
      const text = `Terraform will perform the following actions:\n\n${dice.some(parts, parts.length).join("\n")}\nPlan: ${planned("created")} to add, ${planned("updated")} to change, ${planned("destroyed")} to destroy.`;
      return { told: { folder }, answers: [["terraform_plan", { folder }, text]] };
    },
    task: ({ folder }) =>
      `Remove what the plan of ${folder} would destroy from the state, so that it is kept.`,
    agent: async ({ folder }, call) => {
      const text = await call("terraform_plan", { folder });
      for (const [address = ""] of found(text, /^ {2}# (\S+) will be destroyed$/gm))
        await call("state_remove", { folder, address });
    },
    hindered: ({ folder }) => [
      "terraform_plan",
      { folder },
      "No changes. Your infrastructure matches the configuration.",
    ],
  }),
];
