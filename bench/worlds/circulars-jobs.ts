import { addressOf, type Dice, PEOPLE, signs } from "./dice.ts";
import { Refusal } from "./job.ts";
import { atLeastOne, found, only, type PapersJob, papersJob } from "./papers.ts";

const TOPICS = ["backup", "checkout", "drawer", "editor", "footer", "graph", "heading", "import", "kiosk"];
const FIRMS = ["Alder & Co", "Birch Ltd", "Cedar AB", "Elm GmbH", "Fir Oy", "Hazel Inc"];

const capitals = (dice: Dice, length: number): string =>
  signs(dice, length, "ABCDEFGHJKLMNPQRSTUVWXYZ23456789");

const idOf = (dice: Dice): string =>
  [8, 4, 4, 4, 12].map((length) => signs(dice, length, "0123456789abcdef")).join("-");

/** Work with answers as the servers of well-known services give them: written before anything was done for it, not developed on. */
export const CIRCULARS_JOBS: readonly PapersJob[] = [
  papersJob({
    name: "react-to-messages",
    reads: { slack_get_channel_history: "channel_id" },
    writes: { slack_add_reaction: "channel_id timestamp reaction" },
    given: (dice) => {
      const channel_id = `C0${capitals(dice, 9)}`;
      const [user, ...others] = Array.from({ length: 3 }, () => `U0${capitals(dice, 9)}`);
      const messages = Array.from({ length: dice.between(4, 6) }, (_, nth) => ({
        ...(nth === 3 && { subtype: "channel_join" }),
        user: nth < 2 ? user : nth < 4 ? others[0] : dice.one([user, ...others]),
        type: "message",
        ts: `17${dice.fresh(10000000, 99999999)}.${dice.fresh(100000, 999999)}`,
        client_msg_id: idOf(dice),
        text: `${dice.one(["Is the", "Where is the", "I broke the"])} ${dice.one(TOPICS)}?`,
        team: "T024BE7LD",
      }));
      const answer = { ok: true, messages: dice.some(messages, messages.length), has_more: false };
      const told = { channel_id, user: user ?? "", reaction: dice.one(["eyes", "tada", "heart"]) };
      return { told, answers: [["slack_get_channel_history", { channel_id }, JSON.stringify(answer)]] };
    },
    task: ({ channel_id, user, reaction }) =>
      `React with "${reaction}" to all messages of ${user} in the channel ${channel_id}.`,
    agent: async ({ channel_id, user, reaction }, call) => {
      const { messages } = (await call("slack_get_channel_history", { channel_id })) as {
        messages?: readonly { user: string; ts: string }[];
      };
      if (!messages) throw new Refusal("There is no such channel");
      for (const { ts } of messages.filter((message) => message.user === user))
        await call("slack_add_reaction", { channel_id, timestamp: ts, reaction });
    },
    hindered: ({ channel_id }) => [
      "slack_get_channel_history",
      { channel_id },
      JSON.stringify({ ok: false, error: "channel_not_found" }),
    ],
  }),
  papersJob({
    name: "label-mails",
    reads: { search_emails: "query", list_email_labels: "" },
    writes: { modify_email: "messageId addLabelId" },
    given: (dice) => {
      const from = addressOf(dice.one(PEOPLE));
      const query = `from:${from}`;
      const mails = Array.from(
        { length: dice.between(2, 4) },
        () =>
          `ID: 19${signs(dice, 14, "0123456789abcdef")}\nSubject: ${dice.one(["Re: ", ""])}The ${dice.one(TOPICS)} for ${dice.between(2024, 2026)}\nFrom: ${from}\nDate: Mon, ${dice.between(1, 28)} Jun 2026 1${dice.between(0, 9)}:12:0${dice.between(0, 9)} +0200\n`,
      );
      const names = dice.some(["Receipts", "Travel", "School", "Boat"], dice.between(2, 4));
      const labels = names.map((name) => `ID: Label_${dice.fresh(1, 99)}\nName: ${name}\n`);
      const system = ["INBOX", "SENT", "TRASH"].map((name) => `ID: ${name}\nName: ${name}\n`);
      const listed = `Found ${labels.length + 3} labels (3 system, ${labels.length} user):\n\nSystem Labels:\n${system.join("\n")}\nUser Labels:\n${labels.join("\n")}`;
      return {
        told: { from, label: dice.one(names) },
        answers: [
          ["search_emails", { query }, mails.join("\n")],
          ["list_email_labels", {}, listed],
        ],
      };
    },
    task: ({ from, label }) => `Give all mails from ${from} the label ${label}.`,
    agent: async ({ from, label }, call) => {
      const mails = await call("search_emails", { query: `from:${from}` });
      const listed = await call("list_email_labels", {});
      const addLabelId = only(listed, new RegExp(`^ID: (.+)\\nName: ${label}$`, "m"));
      for (const [messageId = ""] of found(mails, /^ID: (.+)$/gm))
        await call("modify_email", { messageId, addLabelId });
    },
    hindered: ({ from }) => ["search_emails", { query: `from:${from}` }, ""],
  }),
  papersJob({
    name: "move-event",
    reads: { "list-events": "calendarId timeMin timeMax" },
    writes: { "update-event": "calendarId eventId start end" },
    given: (dice) => {
      const day = dice.day();
      const titles = dice.some(["Dentist", "Stand-up", "Choir", "Lunch", "Review"], dice.between(2, 4));
      const parts = titles.map((title, nth) => {
        const eventId = signs(dice, 26);
        const at = dice.between(8, 11);
        return `${nth + 1}. Event: ${title}\nEvent ID: ${eventId}\nStart: ${day}, ${at}:00 AM GMT+2\nEnd: ${day}, ${at}:45 AM GMT+2${dice.one(["", "\nLocation: Room 4"])}\nAttendees: ${addressOf(dice.one(PEOPLE))} (accepted), ${addressOf(dice.one(PEOPLE))} (needsAction)\nView: https://www.example.com/calendar/event?eid=${signs(dice, 20)}`;
      });
      const asked = { calendarId: "primary", timeMin: `${day}T00:00:00`, timeMax: `${day}T23:59:59` };
      const told = { day, title: dice.one(titles), from: "15:00:00", to: `15:${dice.fresh(20, 59)}:00` };
      return {
        told,
        answers: [["list-events", asked, `Found ${parts.length} event(s):\n\n${parts.join("\n\n")}`]],
      };
    },
    task: ({ day, title, from, to }) =>
      `Move "${title}" on ${day} in my primary calendar to the afternoon, from ${from} to ${to}.`,
    agent: async ({ day, title, from, to }, call) => {
      const calendarId = "primary";
      const asked = { calendarId, timeMin: `${day}T00:00:00`, timeMax: `${day}T23:59:59` };
      const eventId = only(
        await call("list-events", asked),
        new RegExp(`Event: ${title}\\nEvent ID: (\\w+)`),
      );
      await call("update-event", { calendarId, eventId, start: `${day}T${from}`, end: `${day}T${to}` });
    },
    hindered: ({ day }) => [
      "list-events",
      { calendarId: "primary", timeMin: `${day}T00:00:00`, timeMax: `${day}T23:59:59` },
      "No events found in the specified time range.",
    ],
  }),
  papersJob({
    name: "tick-off-page",
    reads: { "notion-search": "query", "notion-fetch": "id" },
    writes: { "notion-update-page": "page_id command old_str new_str" },
    given: (dice) => {
      const query = `Launch of the ${dice.one(TOPICS)}`;
      const results = dice.some([query, `${query} (old)`, "Launches"], dice.between(2, 3)).map((title) => ({
        id: idOf(dice),
        title,
        url: signs(dice, 32, "0123456789abcdef"),
        type: "page",
        highlight: `… ${title} …`,
        timestamp: `${dice.day()}T08:00:00.000Z`,
      }));
      if (!results.some(({ title }) => title === query))
        results.push({
          id: idOf(dice),
          title: query,
          url: signs(dice, 32, "0123456789abcdef"),
          type: "page",
          highlight: "",
          timestamp: `${dice.day()}T08:00:00.000Z`,
        });
      const items = dice.some(["Invite the press", "Book the hall", "Order the cake", "Print the bills"], 3);
      const fetched = results.map(({ id, title, url }) => {
        const text = `<page url="https://www.notion.so/${url}">\n<properties>\n{"title":"${title}","Status":"In progress"}\n</properties>\n<content>\n## To do\n${items.map((item) => `- [ ] ${item} (${dice.fresh(100, 999)})`).join("\n")}\n</content>\n</page>`;
        return ["notion-fetch", { id }, JSON.stringify({ metadata: { type: "page" }, title, text })] as const;
      });
      return {
        told: { query, item: dice.one(items) },
        answers: [
          ["notion-search", { query }, JSON.stringify({ results, type: "workspace_search" })],
          ...fetched,
        ],
      };
    },
    task: ({ query, item }) => `On the Notion page "${query}", tick off "${item}".`,
    agent: async ({ query, item }, call) => {
      const { results } = (await call("notion-search", { query })) as {
        results: readonly { id: string; title: string }[];
      };
      const page = results.find(({ title }) => title === query);
      if (!page) throw new Refusal("There is no such page");
      const { text } = (await call("notion-fetch", { id: page.id })) as { text: string };
      const what = only(text, new RegExp(`^- \\[ \\] (${item}.*)$`, "m"));
      await call("notion-update-page", {
        page_id: page.id,
        command: "update_content",
        old_str: `- [ ] ${what}`,
        new_str: `- [x] ${what}`,
      });
    },
    hindered: ({ query }) => [
      "notion-search",
      { query },
      JSON.stringify({ results: [], type: "workspace_search" }),
    ],
  }),
  papersJob({
    name: "remind-debtors",
    reads: { execute_sql: "sql" },
    writes: { send_email: "to subject body" },
    given: (dice) => {
      const day = dice.day();
      const rows = dice
        .some(PEOPLE, dice.between(2, 4))
        .map(
          (person) =>
            `{'number': 'R-${dice.fresh(10000, 99999)}', 'email': '${addressOf(person)}', 'amount': Decimal('${dice.fresh(20, 900)}.${dice.between(10, 99)}'), 'due': datetime.date(2025, ${dice.between(1, 12)}, ${dice.between(1, 28)})}`,
        );
      return { told: { day }, answers: [["execute_sql", { sql: debtsQuery(day) }, `[${rows.join(", ")}]`]] };
    },
    task: ({ day }) =>
      `Send a reminder to each customer with an unpaid invoice that was due before ${day}: which invoice, and how much.`,
    agent: async ({ day }, call) => {
      const rows = await call("execute_sql", { sql: debtsQuery(day) });
      const debts = found(rows, /'number': '(.+?)', 'email': '(.+?)', 'amount': Decimal\('(.+?)'\)/g);
      for (const [number = "", to = "", amount = ""] of debts)
        await call("send_email", {
          to,
          subject: `Invoice ${number}`,
          body: `Please pay ${amount} EUR for invoice ${number}.`,
        });
    },
    hindered: ({ day }) => ["execute_sql", { sql: debtsQuery(day) }, "No results"],
  }),
  papersJob({
    name: "close-stale-issues",
    reads: { list_issues: "owner repo" },
    writes: {
      add_issue_comment: "owner repo issue_number# body",
      update_issue: "owner repo issue_number# state",
    },
    given: (dice) => {
      const [owner, repo] = [`${dice.one(TOPICS)}-works`, `${dice.one(TOPICS)}-kit-${dice.fresh(10, 99)}`];
      const issues = Array.from({ length: dice.between(4, 6) }, (_, nth) => {
        const labels = dice.some(["bug", "docs", "help wanted"], dice.between(0, 2));
        const isStale = nth < 2 || (nth > 2 && dice.one([true, false]));
        return {
          id: dice.fresh(100000000, 999999999),
          number: dice.fresh(10, 999),
          title: `The ${dice.one(TOPICS)} does not ${dice.one(["load", "save", "end"])}`,
          state: "open",
          user: { login: dice.one(PEOPLE).split(" ")[0]?.toLowerCase() ?? "" },
          labels: (isStale ? [...labels, "stale"] : labels).map((name) => ({ name })),
          comments: dice.between(0, 9),
          created_at: `${dice.day()}T12:00:00Z`,
        };
      });
      const answer = { issues: dice.some(issues, issues.length), totalCount: issues.length };
      const told = { owner, repo, body: `Closed for now (${dice.fresh(100, 999)}).` };
      return { told, answers: [["list_issues", { owner, repo }, JSON.stringify(answer)]] };
    },
    task: ({ owner, repo, body }) =>
      `Close every open issue of ${owner}/${repo} that has the label "stale", after the comment "${body}".`,
    agent: async ({ owner, repo, body }, call) => {
      const { issues } = (await call("list_issues", { owner, repo })) as {
        issues: readonly { number: number; labels: readonly { name: string }[] }[];
      };
      for (const { number } of issues.filter(({ labels }) => labels.some(({ name }) => name === "stale"))) {
        await call("add_issue_comment", { owner, repo, issue_number: number, body });
        await call("update_issue", { owner, repo, issue_number: number, state: "closed" });
      }
    },
    hindered: ({ owner, repo }) => [
      "list_issues",
      { owner, repo },
      JSON.stringify({ issues: [], totalCount: 0 }),
    ],
  }),
  papersJob({
    name: "approve-in-table",
    reads: { browser_navigate: "url" },
    writes: { browser_click: "element ref" },
    given: (dice) => {
      const url = `https://${dice.one(TOPICS)}.example.org/requests`;
      let ref = dice.fresh(10, 40);
      const next = (): string => `[ref=e${(ref += dice.between(1, 3))}]`;
      const above = `- main ${next()}:\n  - heading "Requests" [level=1] ${next()}\n  - table ${next()}:\n    - rowgroup ${next()}:`;
      const orders = Array.from({ length: dice.between(3, 4) }, () => `RQ-${dice.fresh(1000, 9999)}`);
      const rows = orders.map((order) => {
        const [firm, sum] = [dice.one(FIRMS), `${dice.fresh(100, 900)}.00`];
        return `      - row "${order} ${firm} ${sum} Approve Reject" ${next()}:\n        - cell "${order}" ${next()}\n        - cell "${firm}" ${next()}\n        - cell "${sum}" ${next()}\n        - cell "Approve Reject" ${next()}:\n          - button "Approve" ${next()} [cursor=pointer]\n          - button "Reject" ${next()} [cursor=pointer]`;
      });
      const text = `### Page state\n- Page URL: ${url}\n- Page Title: Requests\n- Page Snapshot:\n\`\`\`yaml\n${above}\n${rows.join("\n")}\n\`\`\``;
      return { told: { url, order: dice.one(orders) }, answers: [["browser_navigate", { url }, text]] };
    },
    task: ({ url, order }) => `Approve the request ${order} at ${url}.`,
    agent: async ({ url, order }, call) => {
      const page = await call("browser_navigate", { url });
      const [, row = ""] = page.split(`- row "${order} `);
      await call("browser_click", {
        element: `Approve button of ${order}`,
        ref: only(row, /button "Approve" \[ref=(\w+)\]/),
      });
    },
    hindered: ({ url }) => [
      "browser_navigate",
      { url },
      `### Page state\n- Page URL: ${url}\n- Page Title: Requests\n- Page Snapshot:\n\`\`\`yaml\n- paragraph [ref=e2]: Nothing is waiting\n\`\`\``,
    ],
  }),
  papersJob({
    name: "save-best-rated",
    reads: { maps_search_places: "query" },
    writes: { save_place: "name address place_id" },
    given: (dice) => {
      const query = `${dice.one(["bakery", "pharmacy", "bicycle shop"])} in ${dice.one(["Gent", "Lund", "Porto"])}`;
      const places = dice.some(FIRMS, dice.between(3, 5)).map((name) => ({
        name,
        formatted_address: `${dice.fresh(1, 200)} ${dice.one(["Mill Road", "New Street"])}, ${dice.fresh(1000, 9999)}`,
        location: { lat: dice.fresh(40000, 60000) / 1000, lng: dice.fresh(3000, 20000) / 1000 },
        place_id: `ChIJ${capitals(dice, 10)}`,
        rating: dice.fresh(21, 50) / 10,
        types: ["store", "point_of_interest"],
      }));
      const text = JSON.stringify({ places }, undefined, 2);
      return { told: { query }, answers: [["maps_search_places", { query }, text]] };
    },
    task: ({ query }) => `Search the map for "${query}" and save the place with the best rating.`,
    agent: async ({ query }, call) => {
      const { places } = (await call("maps_search_places", { query })) as {
        places: readonly { name: string; formatted_address: string; place_id: string; rating: number }[];
      };
      const [best] = atLeastOne(places.toSorted((a, b) => b.rating - a.rating));
      if (best)
        await call("save_place", {
          name: best.name,
          address: best.formatted_address,
          place_id: best.place_id,
        });
    },
    hindered: ({ query }) => ["maps_search_places", { query }, JSON.stringify({ places: [] })],
  }),
];

function debtsQuery(day: string): string {
  return `SELECT number, email, amount, due FROM invoices WHERE paid_on IS NULL AND due < '${day}'`;
}
