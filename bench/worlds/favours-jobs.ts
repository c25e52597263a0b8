import type { JsonObject } from "../../src/core/json/json.ts";
import { addressOf, type Dice, PEOPLE } from "./dice.ts";
import { addFile, type EverydayState, ownPath } from "./everyday-state.ts";
import { type Call, type Job, refused } from "./job.ts";
import { atLeastOne, found, only } from "./papers.ts";
import type { Repository } from "./repositories.ts";

const TOPICS = [
  "Budget for the garden",
  "Choir trip",
  "New website",
  "Open house",
  "Parking at the school",
  "Summer party",
  "Training plan",
];
const ROLES = ["accountant", "buyer", "designer", "editor", "engineer", "lawyer", "planner", "translator"];

function job<Told extends JsonObject>(made: Job<EverydayState, Told>): Job<EverydayState> {
  return made;
}

async function read(call: Call, path: string): Promise<string> {
  const { content } = await call("read_text_file", { path });
  return String(content);
}

const slugOf = (title: string): string => title.toLowerCase().replaceAll(" ", "-");

const cents = (amount: number): string => (amount / 100).toFixed(2);

/** Days around one in the middle of the year: so many before it, or after it where that is less than nothing. */
function dayBefore(middle: number, days: number): string {
  return new Date(Date.UTC(2026, 0, middle - days)).toISOString().slice(0, 10);
}

const ARTICLES = ["Coffee beans", "Envelopes", "Folding chairs", "Light bulbs", "Paper A4", "Toner"];

const FOLDER_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "overview-meetings",
    difficulty: "loop",
    given: (state, dice) => {
      const folder = `meetings-${dice.fresh(10, 99)}`;
      for (const topic of dice.some(TOPICS, dice.between(3, 5))) {
        const [day, present] = [dice.day(), dice.some(PEOPLE, dice.between(2, 4))];
        const lines = [
          "---",
          `title: ${topic}`,
          `date: ${day}`,
          `minutes: ${dice.one(PEOPLE)}`,
          "attendees:",
          ...present.map((person) => `  - ${person}`),
          "---",
          "",
          "## Notes",
          "",
          `- ${dice.one(present)} asks for ${dice.fresh(100, 999)} euros.`,
          `- We meet again in ${dice.between(2, 6)} weeks.`,
        ];
        addFile(state, `${folder}/${day}-${slugOf(topic)}.md`, `${lines.join("\n")}\n`);
      }
      return { folder: `${state.root}/${folder}`, file: `${state.root}/overview-${dice.fresh(100, 999)}.md` };
    },
    task: ({ folder, file }) =>
      `Please make me an overview of all meeting notes in ${folder} and save it as ${file}. A heading "Meetings", and below it a bullet for each meeting, in the order of the files, with the date, the title and in brackets who took the minutes, like "- 2025-12-01: Christmas party (John Doe)".`,
    agent: async ({ folder, file }, call) => {
      const { content } = await call("list_directory", { path: folder });
      const bullets: string[] = [];
      for (const [name = ""] of found(String(content), /^\[FILE\] (.+\.md)$/gm)) {
        const note = await read(call, `${folder}/${name}`);
        const [title, day] = [only(note, /^title: (.+)$/m), only(note, /^date: (.+)$/m)];
        bullets.push(`- ${day}: ${title} (${only(note, /^minutes: (.+)$/m)})\n`);
      }
      await call("write_file", { path: file, content: `# Meetings\n\n${bullets.join("")}` });
    },
    hinder: (state, { folder }) => {
      addFile(state, `${ownPath(state, folder)}/2026-12-31-scribbles.md`, "Buy a cake for Friday.\n");
    },
  }),
  job({
    name: "put-away-old-backups",
    difficulty: "choice",
    given: (state, dice) => {
      const folder = `backups-${dice.fresh(10, 99)}`;
      const middle = dice.between(120, 240);
      const ages = [dice.fresh(1, 90), dice.fresh(1, 90), -dice.fresh(1, 90)];
      for (let more = dice.between(1, 3); more > 0; more--)
        ages.push(dice.one([1, -1]) * dice.fresh(91, 110));
      const system = dice.one(["blog", "intranet", "shop", "wiki"]);
      for (const age of ages) {
        const dump = `-- ${dice.fresh(1000, 9999)} rows\n`;
        addFile(state, `${folder}/${system}-${dayBefore(middle, age)}.sql`, dump);
      }
      addFile(state, `${folder}/restore.sh`, `psql ${system} < "$1"\n`);
      return { folder: `${state.root}/${folder}`, day: dayBefore(middle, 0) };
    },
    task: ({ folder, day }) =>
      `${folder} is getting full. Move all backups from before ${day} (the day is in the file's name) into a folder "old" in there.`,
    agent: async ({ folder, day }, call) => {
      const { content } = await call("list_directory", { path: folder });
      const backups = found(String(content), /^\[FILE\] (.+-(\d{4}-\d\d-\d\d)\.sql)$/gm);
      const old = atLeastOne(backups.filter(([, made = ""]) => made < day));
      await call("create_directory", { path: `${folder}/old` });
      for (const [name = ""] of old)
        await call("move_file", { source: `${folder}/${name}`, destination: `${folder}/old/${name}` });
    },
    hinder: (state, { folder }) => {
      for (const path of Object.keys(state.files))
        if (path.startsWith(`${ownPath(state, folder)}/`)) delete state.files[path];
    },
  }),
  job({
    name: "book-invoice",
    difficulty: "text",
    given: (state, dice) => {
      const firms = ["Brink & Sons", "Ferro Foods", "Halm Trading", "Nordwind", "Tolka Mill"];
      const row = (): string =>
        [dice.day(), dice.one(firms), dice.fresh(10_000, 49_999), cents(dice.fresh(1000, 90_000))].join(",");
      const rows = Array.from({ length: dice.between(2, 4) }, row);
      const ledger = `date,supplier,invoice,amount\n${rows.join("\n")}\n`;
      const items = dice
        .some(ARTICLES, dice.between(2, 4))
        .map((article) => [article, dice.fresh(500, 20_000)] as const);
      const total = items.reduce((sum, [, price]) => sum + price, 0);
      const number = dice.fresh(50_000, 99_999);
      const lines = [
        dice.one(firms),
        `Mill Street ${dice.between(1, 90)}`,
        "",
        `INVOICE no. ${number}`,
        "",
        `Date:      ${dice.day()}`,
        `Customer:  ${dice.one(PEOPLE)}`,
        "",
        ...items.map(([article, price]) => `${article.padEnd(20)} ${cents(price).padStart(9)} EUR`),
        `${"Total".padEnd(20)} ${cents(total).padStart(9)} EUR`,
        "",
        `Please pay within ${dice.one([14, 21, 30])} days.`,
      ];
      return {
        invoice: addFile(state, `inbox/invoice-${number}.txt`, `${lines.join("\n")}\n`),
        ledger: addFile(state, `ledger-${dice.fresh(100, 999)}.csv`, ledger),
      };
    },
    task: ({ invoice, ledger }) =>
      `Can you book the invoice ${invoice}? Add a row for it at the end of ${ledger}, with the date, the supplier (in the first line), the number and the total.`,
    agent: async ({ invoice, ledger }, call) => {
      const text = await read(call, invoice);
      const rows = await read(call, ledger);
      const row = [
        only(text, /^Date: +(.+)$/m),
        only(text, /^(.+)\n/),
        only(text, /^INVOICE no\. (\d+)$/m),
        only(text, /^Total +([\d.]+) EUR$/m),
      ];
      await call("write_file", { path: ledger, content: `${rows}${row.join(",")}\n` });
    },
    hinder: (state, { invoice }) => {
      const own = ownPath(state, invoice);
      state.files[own] = (state.files[own] ?? "").replace(/^Total .+$/m, "The total follows by mail.");
    },
  }),
];

const CHAPTERS = ["api", "backup", "editor", "faq", "install", "keyboard", "plugins", "themes"];

function addRepository(state: EverydayState, dice: Dice): Repository {
  const name = `${dice.one(["harbor", "lantern", "meadow", "pebble"])}-${dice.fresh(10, 99)}`;
  const files = Object.fromEntries(CHAPTERS.map((chapter) => [`docs/${chapter}.md`, `# ${chapter}\n`]));
  const commits = [{ author: PEOPLE[1], message: "Start the manual\n", files }];
  const repository: Repository = { name, commits, branches: {}, changed: {} };
  state.repositories.push(repository);
  return repository;
}

function addCommit({ commits }: Repository, dice: Dice, author: string, chapters: readonly string[]): void {
  const verb = dice.one(["Correct", "Extend", "Rewrite", "Shorten"]);
  const message = `${verb} ${chapters.join(" and ")} (#${dice.fresh(100, 999)})\n`;
  const files = chapters.map((chapter) => [
    `docs/${chapter}.md`,
    `# ${chapter}\n\nSee page ${dice.fresh(1000, 9999)}.\n`,
  ]);
  commits.push({ author, message, files: Object.fromEntries(files) as Record<string, string> });
}

const REPOSITORY_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "find-last-change",
    difficulty: "choice",
    given: (state, dice) => {
      const repository = addRepository(state, dice);
      const [wanted = "", ...others] = dice.some(CHAPTERS, 5);
      addCommit(repository, dice, dice.one(PEOPLE), dice.some(others, 1));
      addCommit(repository, dice, dice.one(PEOPLE), [wanted]);
      addCommit(repository, dice, dice.one(PEOPLE), [wanted, ...dice.some(others, 1)]);
      for (let more = dice.between(1, 4); more > 0; more--)
        addCommit(repository, dice, dice.one(PEOPLE), dice.some(others, dice.between(1, 2)));
      return {
        repo: `${state.root}/${repository.name}`,
        path: `docs/${wanted}.md`,
        file: `${state.root}/last-change-${dice.fresh(100, 999)}.txt`,
      };
    },
    task: ({ repo, path, file }) =>
      `Which commit in ${repo} was the last to change ${path}? Write its hash, its author and its message into ${file}, each on a line of its own.`,
    agent: async ({ repo, path, file }, call) => {
      const log = String(await call("git.git_log", { repo_path: repo }));
      const form = /^Commit: (\w+)\nAuthor: (.+)\nDate: .+\nMessage: (.+)$/gm;
      const changes: (readonly string[])[] = [];
      for (const commit of found(log, form)) {
        const [revision = ""] = commit;
        const shown = String(await call("git.git_show", { repo_path: repo, revision }));
        if (!shown.includes(`+++ b/${path}\n`)) continue;
        changes.push(commit);
        break;
      }
      const [last = []] = atLeastOne(changes);
      await call("write_file", { path: file, content: last.map((line) => `${line}\n`).join("") });
    },
    hinder: (state) => void state.repositories.splice(0),
  }),
  job({
    name: "write-standup",
    difficulty: "choice",
    given: (state, dice) => {
      const repository = addRepository(state, dice);
      const people = dice.some(PEOPLE, 3);
      const [person = "", other = ""] = people;
      const authors = [person, other, dice.one(people), person, other, person];
      for (let more = dice.between(0, 2); more > 0; more--) authors.push(dice.one(people));
      for (const author of authors) addCommit(repository, dice, author, dice.some(CHAPTERS, 1));
      return {
        repo: `${state.root}/${repository.name}`,
        person,
        day: `2026-05-0${dice.between(6, 8)}`,
        file: `${state.root}/standup-${dice.fresh(100, 999)}.md`,
      };
    },
    task: ({ repo, person, day, file }) =>
      `What has ${person} done in ${repo} since ${day}? Write ${file} for the standup: the name as heading, and a bullet with the message of each of these commits, the newest first.`,
    agent: async ({ repo, person, day, file }, call) => {
      const start_timestamp = `${day}T00:00:00Z`;
      const log = String(await call("git.git_log", { repo_path: repo, max_count: 50, start_timestamp }));
      const commits = found(log, /^Author: (.+)\nDate: .+\nMessage: (.+)$/gm);
      const own = atLeastOne(commits.filter(([author]) => author === person));
      const bullets = own.map(([, message]) => `- ${message}\n`);
      await call("write_file", { path: file, content: `# ${person}\n\n${bullets.join("")}` });
    },
    hinder: (state, { person }) => {
      for (const { commits } of state.repositories)
        for (const [nth, commit] of commits.entries())
          if (commit.author === person) commits[nth] = { ...commit, author: "Zoe Wagner" };
    },
  }),
];

interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

interface Entity {
  readonly name: string;
  readonly observations: readonly string[];
}

const GRAPH_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "list-reports",
    difficulty: "loop",
    given: (state, dice) => {
      const [lead = "", above = "", peer = "", ...others] = dice.some(PEOPLE, dice.between(7, 9));
      for (const name of [lead, above, peer, ...others])
        state.entities.push({
          name,
          entityType: "person",
          observations: [
            `Job: ${dice.one(ROLES)}`,
            `Room ${dice.fresh(100, 499)}`,
            `Started on ${dice.day()}`,
          ],
        });
      state.relations.push({ from: lead, to: above, relationType: "reports_to" });
      state.relations.push({ from: peer, to: above, relationType: "reports_to" });
      for (const [nth, from] of others.entries())
        state.relations.push({ from, to: nth === 2 ? peer : lead, relationType: "reports_to" });
      state.relations.push({ from: peer, to: lead, relationType: "stands_in_for" });
      return { lead, file: `${state.root}/team-${dice.fresh(1000, 9999)}.md` };
    },
    task: ({ lead, file }) =>
      `Who reports to ${lead}? Make a list in ${file}, from what you remember: a bullet for each with the name and the job, as "- John Doe, gardener".`,
    agent: async ({ lead, file }, call) => {
      const { relations } = await call("memory.open_nodes", { names: [lead] });
      const reports = (relations as readonly Relation[]).filter(
        ({ to, relationType }) => to === lead && relationType === "reports_to",
      );
      const names = atLeastOne(reports).map(({ from }) => from);
      const { entities } = await call("memory.open_nodes", { names });
      const bullets = (entities as readonly Entity[]).map(
        ({ name, observations }) => `- ${name}, ${only(observations.join("\n"), /^Job: (.+)$/m)}\n`,
      );
      await call("write_file", { path: file, content: bullets.join("") });
    },
    hinder: (state, { lead }) => {
      const others = state.relations.filter(({ to }) => to !== lead);
      state.relations.splice(0, state.relations.length, ...others);
    },
  }),
  job({
    name: "remember-new-colleague",
    difficulty: "single",
    given: (state, dice) => {
      const [person = "", from = "", known = ""] = dice.some(PEOPLE, 3);
      const teams = ["Finance", "Legal", "Marketing", "Support"];
      for (const name of teams)
        state.entities.push({ name, entityType: "team", observations: [`Floor ${dice.between(1, 9)}`] });
      state.entities.push({ name: known, entityType: "person", observations: [`Job: ${dice.one(ROLES)}`] });
      state.relations.push({ from: known, to: dice.one(teams), relationType: "member_of" });
      const lines = [
        `From: ${from} <${addressOf(from)}>`,
        "To: everyone@example.org",
        `Subject: Welcome, ${person}!`,
        "",
        "Dear all,",
        "",
        `on ${dice.day()} ${person} joins the team ${dice.one(teams)} as ${dice.one(ROLES)}. The extension will be ${dice.fresh(2000, 2999)}.`,
        "",
        "Cake is at ten in the kitchen.",
        "",
        from,
      ];
      return { mail: addFile(state, `mail/welcome-${dice.fresh(100, 999)}.txt`, `${lines.join("\n")}\n`) };
    },
    task: ({ mail }) =>
      `Remember our new colleague, see ${mail}: a person with the job ("Job: …"), the first day ("Started on …") and the extension ("Extension: …"), who is "member_of" the team.`,
    agent: async ({ mail }, call) => {
      const text = await read(call, mail);
      const joins = /^on (\S+) (.+) joins the team (\w+) as (\w+)\. The extension will be (\d+)\.$/gm;
      const [joined = []] = atLeastOne(found(text, joins));
      const [day = "", name = "", team = "", role = "", extension = ""] = joined;
      const observations = [`Job: ${role}`, `Started on ${day}`, `Extension: ${extension}`];
      await call("memory.create_entities", { entities: [{ name, entityType: "person", observations }] });
      await call("memory.create_relations", {
        relations: [{ from: name, to: team, relationType: "member_of" }],
      });
    },
    hinder: (state, { mail }) => {
      delete state.files[ownPath(state, mail)];
    },
  }),
];

/** Shows a page as sites have them; its address. */
function addPage(state: EverydayState, path: string, title: string, main: readonly string[]): string {
  state.pages[path] = {
    type: "text/html; charset=utf-8",
    body: `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><header><nav><a href="/">Home</a> <a href="/about">About us</a></nav></header>
<main><article><h1>${title}</h1>
${main.join("\n")}
</article></main>
<footer><p>All rights reserved.</p></footer></body></html>`,
  };
  return `${state.site}${path}`;
}

const TOOLS = ["cmake", "deno", "golang", "nodejs", "python", "ruby", "terraform"];
const COMPLAINTS = [
  "Bell icon stays red",
  "Cannot undo a deletion",
  "Copying a table loses colours",
  "Map does not load on Android",
  "Password mails arrive late",
  "Sidebar jumps when scrolling",
  "Wrong week number in January",
];
const WISHES = ["Bread knife", "Desk lamp", "Field glasses", "Rain coat", "Tea pot", "Wool blanket"];

const PAGE_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "list-outdated-tools",
    difficulty: "choice",
    given: (state, dice) => {
      const version = (major: number): string => `${major}.${dice.fresh(10, 99)}.${dice.between(0, 9)}`;
      const latest = new Map(
        dice.some(TOOLS, TOOLS.length).map((tool) => [tool, version(dice.between(5, 9))]),
      );
      const rows = [...latest].map(
        ([tool, newest]) => `<tr><td>${tool}</td><td>${newest}</td><td>${dice.day()}</td></tr>`,
      );
      const url = addPage(state, `/releases/${dice.fresh(100, 999)}`, "Current releases", [
        "<p>We look for new releases of the tools that we build with every night, and list them here.</p>",
        `<table>\n<thead><tr><th>Tool</th><th>Version</th><th>Released</th></tr></thead>\n<tbody>\n${rows.join("\n")}\n</tbody>\n</table>`,
        "<p>Is one missing? Write to us, and we will add it.</p>",
      ]);
      const isOld = dice.some([true, true, false, dice.one([true, false])], 4);
      const used = dice.some(TOOLS, 4).map((tool, nth) => {
        const now = isOld[nth] === true ? version(dice.between(1, 4)) : (latest.get(tool) ?? "");
        return `${tool} ${now}\n`;
      });
      return {
        url,
        file: addFile(state, `app-${dice.fresh(1000, 1999)}/.tool-versions`, used.join("")),
        list: `${state.root}/outdated-${dice.fresh(2000, 2999)}.md`,
      };
    },
    task: ({ url, file, list }) =>
      `Compare the versions in ${file} with those at ${url}. Write the tools that have another version there to ${list}, as bullets with our version and theirs, like "- perl: 5.36.0 -> 5.40.1".`,
    agent: async ({ url, file, list }, call) => {
      const ours = found(await read(call, file), /^(\S+) (\S+)$/gm);
      const page = String(await call("fetch.fetch", { url }));
      const theirs = new Map(
        found(page, /^\| (\w+) \| ([\d.]+) \|/gm).map(([tool = "", version = ""]) => [tool, version]),
      );
      const bullets: string[] = [];
      for (const [tool = "", version = ""] of ours) {
        const newest = theirs.get(tool) ?? version;
        if (newest !== version) bullets.push(`- ${tool}: ${version} -> ${newest}\n`);
      }
      await call("write_file", { path: list, content: atLeastOne(bullets).join("") });
    },
    hinder: (state, { url }) => {
      delete state.pages[url.slice(state.site.length)];
    },
  }),
  job({
    name: "add-issues-to-tasks",
    difficulty: "choice",
    given: (state, dice) => {
      const states = ["open", "open", "closed"];
      for (let more = dice.between(1, 2); more > 0; more--) states.push(dice.one(["open", "closed"]));
      const shuffled = dice.some(states, states.length);
      const items = dice.some(COMPLAINTS, states.length).map((title, nth) => {
        const number = dice.fresh(100, 999);
        return `<li><a href="/issues/${number}">#${number}</a> ${title} (${shuffled[nth]}, by ${dice.one(PEOPLE)})</li>`;
      });
      const url = addPage(state, `/projects/${dice.fresh(1000, 1999)}/issues`, "Issues", [
        "<p>Everything that you have told us about, whether it is solved or not. Thank you for your help!</p>",
        `<ul>\n${items.join("\n")}\n</ul>`,
      ]);
      const tasks = [`- [x] Order ${dice.fresh(2000, 2999)} stickers`, `- [ ] Call ${dice.one(PEOPLE)}`];
      const text = `# Tasks\n\n${tasks.join("\n")}\n`;
      return { url, file: addFile(state, `tasks-${dice.fresh(3000, 3999)}.md`, text) };
    },
    task: ({ url, file }) =>
      `Add a task at the end of ${file} for each issue at ${url} that is still open, as "- [ ] Title (#12)".`,
    agent: async ({ url, file }, call) => {
      const page = String(await call("fetch.fetch", { url }));
      const open = found(page, /^\s*[*-] \[(#\d+)\]\(.+?\) (.+) \(open, by .+\)$/gm);
      const tasks = atLeastOne(open).map(([number, title]) => `- [ ] ${title} (${number})\n`);
      const text = await read(call, file);
      await call("write_file", { path: file, content: `${text}${tasks.join("")}` });
    },
    hinder: (state, { url }) => {
      const path = url.slice(state.site.length);
      const page = state.pages[path];
      if (page) state.pages[path] = { ...page, body: page.body.replaceAll("(open, ", "(closed, ") };
    },
  }),
  job({
    name: "look-up-wishes",
    difficulty: "fails",
    given: (state, dice) => {
      const isSold = dice.some([true, false, true, dice.one([true, false])], 4);
      const bullets = dice.some(WISHES, 4).map((wish, nth) => {
        const url = addPage(state, `/shop/${dice.fresh(1000, 9999)}`, wish, [
          `<p>A gift that lasts: made by hand in a small workshop, and sold here since ${dice.between(1950, 2020)}.</p>`,
          `<p>Price: <strong>${cents(dice.fresh(900, 19_900))} EUR</strong></p>`,
          `<p>It is sent within ${dice.between(2, 9)} days.</p>`,
        ]);
        if (isSold[nth] !== true) delete state.pages[url.slice(state.site.length)];
        return `- ${wish}: ${url}\n`;
      });
      return {
        wishes: addFile(state, `wishes-${dice.fresh(100, 999)}.md`, `# Wishes\n\n${bullets.join("")}`),
        file: `${state.root}/prices-${dice.fresh(10, 99)}.md`,
      };
    },
    task: ({ wishes, file }) =>
      `Look up what the things on the list ${wishes} cost now, and write that to ${file}: "- ", the thing, a colon and the price for each. If a page cannot be opened, write "not sold any more" in place of the price.`,
    agent: async ({ wishes, file }, call) => {
      const listed = found(await read(call, wishes), /^- (.+): (http\S+)$/gm);
      const bullets: string[] = [];
      for (const [wish, url = ""] of atLeastOne(listed)) {
        const page = call("fetch.fetch", { url });
        const price = (await refused(page))
          ? "not sold any more"
          : only(String(await page), /^Price: \*\*(.+)\*\*$/m);
        bullets.push(`- ${wish}: ${price}\n`);
      }
      await call("write_file", { path: file, content: bullets.join("") });
    },
    hinder: (state) => {
      for (const path of Object.keys(state.pages)) delete state.pages[path];
    },
  }),
];

/** What people ask as a favour: three kinds of work for files and for pages, two for repositories and for what is remembered. */
export const FAVOURS_JOBS = [...FOLDER_JOBS, ...REPOSITORY_JOBS, ...GRAPH_JOBS, ...PAGE_JOBS];
