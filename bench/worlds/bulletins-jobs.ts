import { addressOf, type Dice, PEOPLE } from "./dice.ts";
import { Refusal } from "./job.ts";
import { found, only, type PapersJob, papersJob } from "./papers.ts";

const TOPICS = ["tides", "ferns", "bells", "kites", "moths", "canals", "amber", "peat", "looms", "sleds"];

const hex = (dice: Dice, length: number): string =>
  Array.from({ length }, () => dice.one("0123456789abcdef".split(""))).join("");

/** Kinds of work with other answers of servers and command lines: written when all was done, and measured once. */
export const BULLETINS_JOBS: readonly PapersJob[] = [
  papersJob({
    name: "bookmark-result",
    reads: { web_search: "query" },
    writes: { bookmark: "url folder" },
    given: (dice) => {
      const query = `${dice.one(TOPICS)} ${dice.one(["history", "care", "museum"])}`;
      const titles = dice.some(TOPICS, dice.between(3, 5)).map((topic) => `All about ${topic}`);
      const blocks = titles.map(
        (title) =>
          `Title: ${title}\nDescription: What to know of ${dice.one(TOPICS)} in ${dice.between(1800, 2020)}.\nURL: https://site-${dice.fresh(10, 99)}.example.org/${hex(dice, 6)}`,
      );
      const told = { query, title: dice.one(titles), folder: `Folder ${dice.fresh(100, 999)}` };
      return { told, answers: [["web_search", { query }, blocks.join("\n\n")]] };
    },
    task: ({ query, title, folder }) => `Search for "${query}" and bookmark "${title}" in ${folder}.`,
    agent: async ({ query, title, folder }, call) => {
      const text = await call("web_search", { query });
      const url = only(text, new RegExp(`Title: ${title}\\nDescription: .*\\nURL: (\\S+)`));
      await call("bookmark", { url, folder });
    },
    hindered: ({ query }) => ["web_search", { query }, "No results found."],
  }),
  papersJob({
    name: "merge-branch",
    reads: { list_pull_requests: "repo" },
    writes: { merge: "repo number#" },
    given: (dice) => {
      const repo = `craft/${dice.one(TOPICS)}`;
      const branches = dice.some(TOPICS, dice.between(2, 5)).map((topic) => `feat/${topic}`);
      const lines = branches.map(
        (branch) =>
          `${dice.fresh(100, 999)}\tAdd the ${dice.one(TOPICS)}\t${branch}\tOPEN\t${dice.day()}T0${dice.between(1, 9)}:12:41Z`,
      );
      const told = { repo, branch: dice.one(branches) };
      return { told, answers: [["list_pull_requests", { repo }, lines.join("\n")]] };
    },
    task: ({ repo, branch }) => `Merge the pull request of the branch ${branch} in ${repo}.`,
    agent: async ({ repo, branch }, call) => {
      const text = await call("list_pull_requests", { repo });
      const number = Number(only(text, new RegExp(`^(\\d+)\\t.*\\t${branch}\\t`, "m")));
      await call("merge", { repo, number });
    },
    hindered: ({ repo }) => ["list_pull_requests", { repo }, `no open pull requests in ${repo}`],
  }),
  papersJob({
    name: "book-converted",
    reads: { convert_time: "source_timezone time target_timezone" },
    writes: { book_call: "at guest" },
    given: (dice) => {
      const [from, to] = dice.some(["Europe/Oslo", "Asia/Tokyo", "America/Lima"], 2) as [string, string];
      const time = `1${dice.between(0, 9)}:${dice.between(10, 59)}`;
      const day = dice.day();
      const there = `${day}T0${dice.between(1, 9)}:${dice.between(10, 59)}:00+0${dice.between(1, 9)}:00`;
      const answer = {
        source: { timezone: from, datetime: `${day}T${time}:00+00:00`, is_dst: false },
        target: { timezone: to, datetime: there, is_dst: true },
        time_difference: `+${dice.between(1, 9)}.0h`,
      };
      const args = { source_timezone: from, time, target_timezone: to };
      const told = { ...args, guest: dice.one(PEOPLE) };
      return { told, answers: [["convert_time", args, JSON.stringify(answer, undefined, 2)]] };
    },
    task: ({ source_timezone, time, target_timezone, guest }) =>
      `Book a call with ${guest} at ${time} of ${source_timezone}, in the time of ${target_timezone}.`,
    agent: async ({ guest, ...args }, call) => {
      const answer = await call("convert_time", args);
      const target = (answer as { readonly target: { readonly datetime: string } } | undefined)?.target;
      if (!target) throw new Refusal("It is not told");
      await call("book_call", { at: target.datetime, guest });
    },
    hindered: ({ source_timezone, time, target_timezone }) => [
      "convert_time",
      { source_timezone, time, target_timezone },
      "Error: Invalid timezone",
    ],
  }),
  papersJob({
    name: "write-to-members",
    reads: { read_query: "sql" },
    writes: { send_mail: "address subject" },
    given: (dice) => {
      const sql = `SELECT id, name, email FROM members WHERE town = '${dice.one(["Lund", "Bern", "Faro"])}' AND id > ${dice.fresh(10, 99)}`;
      const rows = dice
        .some(PEOPLE, dice.between(2, 4))
        .map((name) => `{'id': ${dice.fresh(100, 999)}, 'name': '${name}', 'email': '${addressOf(name)}'}`);
      const told = { sql, subject: `News of the ${dice.one(TOPICS)}` };
      return { told, answers: [["read_query", { sql }, `[${rows.join(", ")}]`]] };
    },
    task: ({ sql, subject }) => `Mail "${subject}" to everybody whom ${sql} gives.`,
    agent: async ({ sql, subject }, call) => {
      for (const [address = ""] of found(String(await call("read_query", { sql })), /'email': '([^']+)'/g))
        await call("send_mail", { address, subject });
    },
    hindered: ({ sql }) => ["read_query", { sql }, "[]"],
  }),
  papersJob({
    name: "click-button",
    reads: { snapshot: "url" },
    writes: { click: "ref" },
    given: (dice) => {
      const url = `https://app.example.org/${dice.one(TOPICS)}/${dice.fresh(10, 99)}`;
      const names = dice.some(["Save", "Cancel", "Print", "Share", "Delete"], 3);
      const lines = names.map((name) => `    - button "${name}" [ref=e${dice.fresh(10, 99)}]`);
      const text = `- Page URL: ${url}\n- Page Title: ${dice.one(TOPICS)}\n- Page Snapshot\n  - heading "Edit" [level=1]\n  - group:\n${lines.join("\n")}`;
      return { told: { url, button: dice.one(names) }, answers: [["snapshot", { url }, text]] };
    },
    task: ({ url, button }) => `Click "${button}" on ${url}.`,
    agent: async ({ url, button }, call) => {
      const text = await call("snapshot", { url });
      await call("click", { ref: only(text, new RegExp(`button "${button}" \\[ref=(\\w+)\\]`)) });
    },
    hindered: ({ url }) => ["snapshot", { url }, `- Page URL: ${url}\n- Page Title: 404\n- Page Snapshot`],
  }),
  papersJob({
    name: "cordon-node",
    reads: { describe_pod: "pod" },
    writes: { cordon: "node reason" },
    given: (dice) => {
      const pod = `${dice.one(TOPICS)}-${hex(dice, 5)}`;
      const text = `Name:             ${pod}\nNamespace:        prod\nPriority:         0\nNode:             node-${dice.fresh(10, 99)}/10.0.${dice.between(1, 99)}.${dice.between(1, 99)}\nStart Time:       Mon, 0${dice.between(1, 9)} Nov 2026 08:00:${dice.between(10, 59)} +0000\nLabels:           app=${dice.one(TOPICS)}\n                  tier=back\nStatus:           Running\nContainers:\n  main:\n    Image:  ${dice.one(TOPICS)}:1.${dice.between(1, 9)}\n    Port:   80/TCP`;
      return {
        told: { pod, reason: `Ticket ${dice.fresh(1000, 9999)}` },
        answers: [["describe_pod", { pod }, text]],
      };
    },
    task: ({ pod, reason }) => `Cordon the node on which ${pod} runs, for "${reason}".`,
    agent: async ({ pod, reason }, call) => {
      const node = only(await call("describe_pod", { pod }), /^Node: +([\w-]+)\//m);
      await call("cordon", { node, reason });
    },
    hindered: ({ pod }) => ["describe_pod", { pod }, `Error from server (NotFound): pods "${pod}" not found`],
  }),
  papersJob({
    name: "check-disk",
    reads: { disk_free: "host" },
    writes: { check_disk: "host device" },
    given: (dice) => {
      const host = `host-${dice.fresh(10, 99)}`;
      const mounts = dice.some(["/", "/home", "/var", "/srv", "/opt"], dice.between(3, 5));
      const lines = mounts.map(
        (mount) =>
          `/dev/sd${dice.one(["a", "b", "c"])}${dice.fresh(1, 99)}`.padEnd(16) +
          `${dice.between(10, 99)}G`.padStart(5) +
          `${dice.between(1, 9)}G`.padStart(6) +
          `${dice.between(1, 9)}G`.padStart(6) +
          `${dice.between(1, 99)}%`.padStart(5) +
          ` ${mount}`,
      );
      const text = `Filesystem       Size  Used Avail Use% Mounted on\n${lines.join("\n")}`;
      return { told: { host, mount: dice.one(mounts) }, answers: [["disk_free", { host }, text]] };
    },
    task: ({ host, mount }) => `Check the disk of ${host} that is mounted on ${mount}`,
    agent: async ({ host, mount }, call) => {
      const device = only(await call("disk_free", { host }), new RegExp(`^(\\S+) .*% ${mount}$`, "m"));
      await call("check_disk", { host, device });
    },
    hindered: ({ host }) => ["disk_free", { host }, `ssh: connect to host ${host}: Connection refused`],
  }),
  papersJob({
    name: "warn-areas",
    reads: { get_alerts: "state" },
    writes: { warn: "area event" },
    given: (dice) => {
      const state = dice.one(["CA", "TX", "WA", "NY"]);
      const alerts = dice
        .some(["Coast", "North Valley", "Delta", "High Hills", "Bay"], dice.between(2, 4))
        .map(
          (area) =>
            `Event: ${dice.one(["Flood Watch", "Wind Advisory", "Heat Warning"])}\nArea: ${area} ${dice.fresh(10, 99)}\nSeverity: ${dice.one(["Severe", "Moderate"])}\nDescription: Until ${dice.between(2, 9)} PM, near the ${dice.one(TOPICS)}.\nInstructions: Stay inside.`,
        );
      return { told: { state }, answers: [["get_alerts", { state }, alerts.join("\n---\n")]] };
    },
    task: ({ state }) => `Warn every area in ${state} of what it has an alert for.`,
    agent: async ({ state }, call) => {
      const text = await call("get_alerts", { state });
      for (const [event = "", area = ""] of found(text, /^Event: (.+)\nArea: (.+)$/gm))
        await call("warn", { area, event });
    },
    hindered: ({ state }) => ["get_alerts", { state }, "No active alerts for this state."],
  }),
  papersJob({
    name: "do-open-items",
    reads: { read_note: "note" },
    writes: { remind_me: "text day" },
    given: (dice) => {
      const note = `${dice.one(TOPICS)}-${dice.fresh(10, 99)}`;
      const items = dice.some(TOPICS, dice.between(4, 6)).map((topic, nth) => {
        const isOpen = nth < 2 || dice.between(0, 1) === 0;
        return `- [${isOpen ? " " : "x"}] Look after the ${topic}`;
      });
      items.push("- [x] Call Mina");
      const text = `# Plans\n\nWhat is left of *this* week:\n\n${items.join("\n")}\n\nKept by ${dice.one(PEOPLE)}.`;
      return { told: { note, day: dice.day() }, answers: [["read_note", { note }, text]] };
    },
    task: ({ note, day }) => `Remind me on ${day} of everything that is open in the note ${note}.`,
    agent: async ({ note, day }, call) => {
      for (const [text = ""] of found(await call("read_note", { note }), /^- \[ \] (.+)$/gm))
        await call("remind_me", { text, day });
    },
    hindered: ({ note }) => ["read_note", { note }, "# Plans\n\nNothing."],
  }),
  papersJob({
    name: "report-errors",
    reads: { build: "project" },
    writes: { annotate: "file line# message" },
    given: (dice) => {
      const project = `app-${dice.fresh(10, 99)}`;
      const errors = dice
        .some(TOPICS, dice.between(2, 4))
        .map(
          (topic) =>
            `src/${topic}.ts(${dice.fresh(11, 999)},${dice.between(1, 80)}): error TS2${dice.fresh(100, 999)}: Cannot find name '${dice.one(TOPICS)}'.`,
        );
      const text = `\n> ${project}@1.0.0 build\n> tsc -p .\n\n${errors.join("\n")}\n\nFound ${errors.length} errors.`;
      return { told: { project }, answers: [["build", { project }, text]] };
    },
    task: ({ project }) => `Build ${project} and annotate each error in its file and line.`,
    agent: async ({ project }, call) => {
      const text = await call("build", { project });
      for (const [file = "", line, message = ""] of found(text, /^(\S+)\((\d+),\d+\): error \w+: (.+)$/gm))
        await call("annotate", { file, line: Number(line), message });
    },
    hindered: ({ project }) => ["build", { project }, `\n> ${project}@1.0.0 build\n> tsc -p .\n`],
  }),
  papersJob({
    name: "allow-address",
    reads: { dig: "name" },
    writes: { allow: "address note" },
    given: (dice) => {
      const name = `${dice.one(TOPICS)}.example.org`;
      const text = `; <<>> DiG 9.18 <<>> ${name}\n;; ->>HEADER<<- opcode: QUERY, status: NOERROR, id: ${dice.fresh(1000, 9999)}\n\n;; QUESTION SECTION:\n;${name}.\t\tIN\tA\n\n;; ANSWER SECTION:\n${name}.\t${dice.fresh(100, 900)}\tIN\tA\t192.0.${dice.between(10, 99)}.${dice.between(10, 99)}\n\n;; Query time: ${dice.between(2, 90)} msec\n;; SERVER: 9.9.9.9#53(9.9.9.9)`;
      return { told: { name, note: `Rule ${dice.fresh(100, 999)}` }, answers: [["dig", { name }, text]] };
    },
    task: ({ name, note }) => `Allow the address of ${name} as "${note}".`,
    agent: async ({ name, note }, call) => {
      await call("allow", { address: only(await call("dig", { name }), /\tIN\tA\t([\d.]+)$/m), note });
    },
    hindered: ({ name }) => ["dig", { name }, `; <<>> DiG 9.18 <<>> ${name}\n;; status: NXDOMAIN`],
  }),
  papersJob({
    name: "thank-speakers",
    reads: { fetch_programme: "event" },
    writes: { thank: "person talk" },
    given: (dice) => {
      const event = `${dice.one(TOPICS)} days ${dice.fresh(2020, 2090)}`;
      const talks = dice
        .some(PEOPLE, dice.between(3, 5))
        .map(
          (person, nth) =>
            `${9 + nth}:${dice.between(10, 59)} – ${9 + nth + 1}:00  **${dice.one(["On", "Why", "How"])} ${dice.one(TOPICS)}** with ${person} (Hall ${dice.between(1, 4)})`,
        );
      return {
        told: { event },
        answers: [
          ["fetch_programme", { event }, `Programme of ${event}\n\n${talks.join("\n")}\n\nSee you there!`],
        ],
      };
    },
    task: ({ event }) => `Thank everybody who speaks at ${event} for the talk.`,
    agent: async ({ event }, call) => {
      const text = await call("fetch_programme", { event });
      for (const [talk = "", person = ""] of found(text, /\*\*(.+)\*\* with (.+) \(/g))
        await call("thank", { person, talk });
    },
    hindered: ({ event }) => ["fetch_programme", { event }, `Programme of ${event}\n\nTo be announced.`],
  }),
];
