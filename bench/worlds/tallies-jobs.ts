import type { JsonObject } from "../../src/core/json/json.ts";
import { type Dice, PEOPLE } from "./dice.ts";
import { addFile, type EverydayState, ownPath } from "./everyday-state.ts";
import type { Call, Job } from "./job.ts";
import { atLeastOne, found, only } from "./papers.ts";
import type { Repository } from "./repositories.ts";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];
const PARTS = ["cache", "index", "login", "mailer", "parser", "queue", "search", "upload"];
const ROOMS = ["Aspen", "Birch", "Cedar", "Elm", "Hazel", "Larch", "Maple", "Rowan"];
const TOWNS = ["Bergen", "Cadiz", "Dinant", "Gorizia", "Kaunas", "Lugano", "Odense", "Tartu"];

function job<Told extends JsonObject>(made: Job<EverydayState, Told>): Job<EverydayState> {
  return made;
}

async function read(call: Call, path: string): Promise<string> {
  const { content } = await call("read_text_file", { path });
  return String(content);
}

async function filesIn(call: Call, path: string): Promise<readonly string[]> {
  const { content } = await call("list_directory", { path });
  return atLeastOne(found(String(content), /^\[FILE\] (.+)$/gm).map(([name = ""]) => name));
}

const FOLDER_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "sum-timesheets",
    difficulty: "loop",
    given: (state, dice) => {
      const folder = `timesheets-${dice.fresh(10, 99)}`;
      for (const name of dice.some(PEOPLE, dice.between(3, 5))) {
        const hours = DAYS.map((day) => [day, dice.between(2, 9)] as const);
        const total = hours.reduce((sum, [, each]) => sum + each, 0);
        const lines = [`Name: ${name}`, ...hours.map(([day, each]) => `${day}: ${each}`), `Total: ${total}`];
        addFile(state, `${folder}/${name.toLowerCase().replace(" ", "-")}.txt`, `${lines.join("\n")}\n`);
      }
      const report = `${state.root}/hours-${dice.fresh(100, 999)}.md`;
      return { folder: `${state.root}/${folder}`, report };
    },
    task: ({ folder, report }) =>
      `Write a report of the timesheets in ${folder} to ${report}: a heading "Hours", then a bullet for each person with the total, and at the end how much it is together.`,
    agent: async ({ folder, report }, call) => {
      const lines: string[] = [];
      let sum = 0;
      for (const name of await filesIn(call, folder)) {
        const text = await read(call, `${folder}/${name}`);
        const total = only(text, /^Total: (\d+)$/m);
        lines.push(`- ${only(text, /^Name: (.+)$/m)}: ${total}`);
        sum += Number(total);
      }
      await call("write_file", {
        path: report,
        content: `# Hours\n\n${lines.join("\n")}\n\nTogether: ${sum}\n`,
      });
    },
    hinder: (state, { folder }) => {
      const own = ownPath(state, folder);
      const path = Object.keys(state.files).find((each) => each.startsWith(own)) ?? "";
      state.files[path] = (state.files[path] ?? "").replace(/^Total: .*\n/m, "");
    },
  }),
  job({
    name: "archive-closed-tickets",
    difficulty: "choice",
    given: (state, dice) => {
      const folder = `tickets-${dice.fresh(10, 99)}`;
      for (let nth = 0, count = dice.between(4, 6); nth < count; nth++) {
        const status = nth === 0 ? "open" : nth < 3 ? "closed" : dice.one(["open", "closed", "waiting"]);
        const lines = [
          `# ${dice.one(["Slow", "Broken", "Missing"])} ${dice.one(PARTS)}`,
          "",
          `Status: ${status}`,
          `Owner: ${dice.one(PEOPLE)}`,
          `Opened: ${dice.day()}`,
          "",
          "Somebody has to look at it.",
        ];
        addFile(state, `${folder}/T-${dice.fresh(100, 999)}.md`, `${lines.join("\n")}\n`);
      }
      addFile(state, `${folder}/archive/.keep`, "");
      return { folder: `${state.root}/${folder}` };
    },
    task: ({ folder }) => `Move the tickets in ${folder} whose status is closed to ${folder}/archive.`,
    agent: async ({ folder }, call) => {
      for (const name of await filesIn(call, folder)) {
        const text = await read(call, `${folder}/${name}`);
        if (only(text, /^Status: (.+)$/m) !== "closed") continue;
        await call("move_file", {
          source: `${folder}/${name}`,
          destination: `${folder}/archive/${name}`,
        });
      }
    },
    hinder: (state, { folder }) => {
      for (const path of Object.keys(state.files))
        if (path.startsWith(ownPath(state, folder)))
          state.files[path] = (state.files[path] ?? "").replace("Status: closed", "Status: waiting");
    },
  }),
  job({
    name: "copy-setting",
    difficulty: "fails",
    given: (state, dice) => {
      const settings = (port: string): string =>
        [
          `host = db-${dice.fresh(1, 99)}.example.com`,
          `port = ${port}`,
          `pool = ${dice.between(2, 40)}`,
          "",
        ].join("\n");
      const from = addFile(
        state,
        `live-${dice.fresh(100, 999)}.conf`,
        settings(String(dice.fresh(3000, 9999))),
      );
      const to = addFile(state, `staging-${dice.fresh(1000, 1999)}.conf`, settings("5432"));
      return { from, to };
    },
    task: ({ from, to }) => `Give ${to} the port that ${from} has, in place of 5432.`,
    agent: async ({ from, to }, call) => {
      const port = only(await read(call, from), /^port = (\d+)$/m);
      await call("edit_file", {
        path: to,
        edits: [{ oldText: "port = 5432", newText: `port = ${port}` }],
      });
    },
    hinder: (state, { from }) => {
      const own = ownPath(state, from);
      state.files[own] = (state.files[own] ?? "").replace(/^port = .*\n/m, "");
    },
  }),
];

function addRepository(state: EverydayState, dice: Dice, messages: readonly string[]): string {
  const name = `${dice.one(["compass", "harbour", "orchard", "pylon"])}-${dice.fresh(10, 99)}`;
  const repository: Repository = {
    name,
    commits: [{ author: PEOPLE[1], message: "Begin\n", files: { "README.md": `${name}\n` } }],
    branches: {},
    changed: {},
  };
  for (const message of messages) {
    const files = { [`src/${dice.one(PARTS)}-${dice.fresh(100, 999)}.js`]: `${dice.fresh(1000, 9999)}\n` };
    repository.commits.push({ author: dice.one(PEOPLE), message: `${message}\n`, files });
  }
  state.repositories.push(repository);
  return `${state.root}/${name}`;
}

const change = (dice: Dice): string =>
  `${dice.one(["Check", "Draw", "Fill", "Mend"])} the ${dice.one(PARTS)} ${dice.one(["again", "early", "once", "twice"])} (#${dice.fresh(100, 999)})`;

const REPOSITORY_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "note-fix",
    difficulty: "choice",
    given: (state, dice) => {
      const messages = Array.from({ length: dice.between(3, 5) }, () => change(dice));
      const repo = addRepository(state, dice, messages);
      const ticket = /#(\d+)/.exec(dice.one(messages))?.[1] ?? "";
      return { repo, ticket, note: `${state.root}/fix-${ticket}.txt` };
    },
    task: ({ repo, ticket, note }) =>
      `Look up which commit in ${repo} was for ticket #${ticket}, and write its hash into ${note}.`,
    agent: async ({ repo, ticket, note }, call) => {
      const log = String(await call("git.git_log", { repo_path: repo, max_count: 20 }));
      const hash = only(log, new RegExp(`^Commit: (\\w+)\\n.*\\n.*\\nMessage: .*\\(#${ticket}\\)$`, "m"));
      await call("write_file", { path: note, content: `${hash}\n` });
    },
    hinder: (state, { ticket }) => {
      for (const { commits } of state.repositories)
        for (const commit of commits)
          Object.assign(commit, { message: commit.message.replace(`#${ticket}`, "#1") });
    },
  }),
  job({
    name: "list-latest-changes",
    difficulty: "loop",
    given: (state, dice) => {
      const repo = addRepository(
        state,
        dice,
        Array.from({ length: 5 }, () => change(dice)),
      );
      return { repo, count: dice.between(2, 4), file: `${state.root}/news-${dice.fresh(100, 999)}.md` };
    },
    task: ({ repo, count, file }) =>
      `Write the messages of the last ${count} commits in ${repo} to ${file}, a bullet for each, the newest first.`,
    agent: async ({ repo, count, file }, call) => {
      const log = String(await call("git.git_log", { repo_path: repo, max_count: count }));
      const messages = atLeastOne(found(log, /^Message: (.+)$/gm));
      await call("write_file", { path: file, content: messages.map(([each]) => `- ${each}\n`).join("") });
    },
    hinder: (state, { repo }) => {
      const own = state.repositories.findIndex(({ name }) => repo.endsWith(name));
      state.repositories.splice(own, 1);
    },
  }),
  job({
    name: "switch-to-ticket-branch",
    difficulty: "text",
    given: (state, dice) => {
      const repo = addRepository(state, dice, [change(dice), change(dice)]);
      const numbers = Array.from({ length: 4 }, () => dice.fresh(1000, 9999));
      for (const number of numbers) {
        const branch = `${dice.one(["feature", "fix"])}/${number}-${dice.one(PARTS)}`;
        for (const repository of state.repositories) repository.branches[branch] = 2;
      }
      return { repo, ticket: dice.one(numbers) };
    },
    task: ({ repo, ticket }) => `Switch ${repo} to the branch that was made for ticket ${ticket}.`,
    agent: async ({ repo, ticket }, call) => {
      const branches = String(await call("git.git_branch", { repo_path: repo, branch_type: "local" }));
      const branch_name = only(branches, new RegExp(`^\\s*((?:feature|fix)/${ticket}-.+)$`, "m"));
      await call("git.git_checkout", { repo_path: repo, branch_name });
    },
    hinder: (state, { ticket }) => {
      for (const { branches } of state.repositories)
        for (const branch of Object.keys(branches))
          if (branch.includes(`/${ticket}-`)) delete branches[branch];
    },
  }),
];

const GRAPH_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "note-extension",
    difficulty: "text",
    given: (state, dice) => {
      const people = dice.some(PEOPLE, 4);
      for (const name of people)
        state.entities.push({
          name,
          entityType: "person",
          observations: [
            `Works in ${dice.one(TOWNS)}`,
            `Extension: ${dice.fresh(200, 999)}`,
            `Room: ${dice.one(ROOMS)}`,
          ],
        });
      return { person: dice.one(people), file: `${state.root}/extension-${dice.fresh(10, 99)}.txt` };
    },
    task: ({ person, file }) => `What is the extension of ${person}? Write the number into ${file}.`,
    agent: async ({ person, file }, call) => {
      const { entities } = await call("memory.open_nodes", { names: [person] });
      const told = (entities[0]?.observations ?? []).join("\n");
      await call("write_file", { path: file, content: `${only(told, /^Extension: (\d+)$/m)}\n` });
    },
    hinder: (state, { person }) => {
      const at = state.entities.findIndex(({ name }) => name === person);
      const entity = state.entities[at];
      if (entity)
        state.entities[at] = {
          ...entity,
          observations: entity.observations.filter((each) => !each.startsWith("Extension")),
        };
    },
  }),
  job({
    name: "inform-leader",
    difficulty: "choice",
    given: (state, dice) => {
      const projects = dice.some(PARTS, 3).map((part) => `Project ${part}`);
      const people = dice.some(PEOPLE, 3);
      for (const name of people) state.entities.push({ name, entityType: "person", observations: [] });
      for (const [nth, name] of projects.entries()) {
        state.entities.push({ name, entityType: "project", observations: [`Began ${dice.day()}`] });
        state.relations.push({ from: people[nth] ?? "", to: name, relationType: "leads" });
      }
      return { project: dice.one(projects), day: dice.day() };
    },
    task: ({ project, day }) =>
      `Note down with whoever leads ${project} that he or she was informed on ${day}: "Informed on ${day}".`,
    agent: async ({ project, day }, call) => {
      const { relations } = await call("memory.open_nodes", { names: [project] });
      const entityName = (relations as readonly Record<string, string>[]).find(
        (each) => each["relationType"] === "leads" && each["to"] === project,
      )?.["from"];
      await call("memory.add_observations", {
        observations: [
          {
            entityName: atLeastOne(entityName ? [entityName] : [])[0] ?? "",
            contents: [`Informed on ${day}`],
          },
        ],
      });
    },
    hinder: (state, { project }) => {
      const at = state.relations.findIndex(({ to }) => to === project);
      state.relations.splice(at, 1);
    },
  }),
  job({
    name: "forget-retired-machines",
    difficulty: "loop",
    given: (state, dice) => {
      const place = dice.one(TOWNS);
      for (let nth = 0, count = dice.between(4, 6); nth < count; nth++) {
        const status =
          nth < 2 ? "retired" : nth === 2 ? "running" : dice.one(["retired", "running", "spare"]);
        state.entities.push({
          name: `machine-${dice.fresh(100, 999)}`,
          entityType: "machine",
          observations: [`Stands in ${place}`, `Status: ${status}`],
        });
      }
      return { place };
    },
    task: ({ place }) => `Delete the machines in ${place} that are retired from what you remember.`,
    agent: async ({ place }, call) => {
      const { entities } = (await call("memory.search_nodes", { query: place })) as {
        readonly entities: readonly { readonly name: string; readonly observations: readonly string[] }[];
      };
      const retired = entities.filter(({ observations }) => observations.includes("Status: retired"));
      await call("memory.delete_entities", { entityNames: atLeastOne(retired).map(({ name }) => name) });
    },
    hinder: (state) => {
      for (const [at, entity] of state.entities.entries())
        state.entities[at] = {
          ...entity,
          observations: entity.observations.map((each) => each.replace("retired", "spare")),
        };
    },
  }),
];

function addPage(state: EverydayState, path: string, body: string): string {
  state.pages[path] = { type: "text/plain", body };
  return `${state.site}${path}`;
}

const PAGE_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "note-price",
    difficulty: "text",
    given: (state, dice) => {
      const item = dice.one(["Lamp", "Ladder", "Kettle", "Rug", "Desk"]);
      const path = `/shop/${item.toLowerCase()}-${dice.fresh(100, 999)}.txt`;
      const price = `${dice.fresh(10, 400)}.${dice.between(1, 9)}5 EUR`;
      const lines = [
        item,
        "",
        `Price: ${price}`,
        `In stock: ${dice.between(1, 60)}`,
        `Sent from ${dice.one(TOWNS)}`,
      ];
      const url = addPage(state, path, `${lines.join("\n")}\n`);
      return { url, file: `${state.root}/price-${dice.fresh(1000, 9999)}.txt` };
    },
    task: ({ url, file }) => `Write the price that ${url} tells into ${file}.`,
    agent: async ({ url, file }, call) => {
      const page = String(await call("fetch.fetch", { url }));
      await call("write_file", { path: file, content: `${only(page, /^Price: (.+)$/m)}\n` });
    },
    hinder: (state) => {
      for (const [path, page] of Object.entries(state.pages))
        state.pages[path] = { ...page, body: page.body.replace(/^Price: .*\n/m, "Price on request\n") };
    },
  }),
  job({
    name: "note-checksum",
    difficulty: "choice",
    given: (state, dice) => {
      const versions = Array.from({ length: 4 }, () => `${dice.between(1, 4)}.${dice.fresh(10, 99)}.0`);
      const lines = versions.map((version) => {
        const path = `/releases/${dice.fresh(1000, 9999)}.txt`;
        const sum = Array.from({ length: 12 }, () => dice.one("0123456789abcdef".split(""))).join("");
        const url = addPage(
          state,
          path,
          `Version: ${version}\nReleased: ${dice.day()}\nSHA256: ${sum}\nSize: ${dice.fresh(100, 999)} kB\n`,
        );
        return `${version}: ${url}`;
      });
      const url = addPage(state, "/releases.txt", `Releases\n\n${lines.join("\n")}\n`);
      return { url, version: dice.one(versions), file: `${state.root}/sum-${dice.fresh(10, 99)}.txt` };
    },
    task: ({ url, version, file }) =>
      `Look up the release ${version} at ${url}, open its page and write its SHA256 into ${file}.`,
    agent: async ({ url, version, file }, call) => {
      const list = String(await call("fetch.fetch", { url }));
      const page = only(list, new RegExp(`^${version.replaceAll(".", "\\.")}: (.+)$`, "m"));
      const sum = only(String(await call("fetch.fetch", { url: page })), /^SHA256: (.+)$/m);
      await call("write_file", { path: file, content: `${sum}\n` });
    },
    hinder: (state, { version }) => {
      const page = state.pages["/releases.txt"];
      if (page)
        state.pages["/releases.txt"] = {
          ...page,
          body: page.body.replace(`${version}: `, `${version} (withdrawn) `),
        };
    },
  }),
  job({
    name: "list-offices",
    difficulty: "loop",
    given: (state, dice) => {
      const pages = dice
        .some(TOWNS, dice.between(2, 4))
        .map((town) =>
          addPage(
            state,
            `/offices/${dice.fresh(10, 99)}.txt`,
            `Office of ${town}\n\nHead: ${dice.one(PEOPLE)}\nDesks: ${dice.fresh(100, 300)}\nSince: ${dice.between(1980, 2020)}\n`,
          ),
        );
      return { pages, file: `${state.root}/offices-${dice.fresh(301, 999)}.csv` };
    },
    task: ({ pages, file }) =>
      `Make a table of the offices at ${pages.join(", ")} in ${file}: the columns are head and desks, with commas between them and a header.`,
    agent: async ({ pages, file }, call) => {
      const rows: string[] = [];
      for (const url of pages) {
        const page = String(await call("fetch.fetch", { url }));
        rows.push(`${only(page, /^Head: (.+)$/m)},${only(page, /^Desks: (\d+)$/m)}`);
      }
      await call("write_file", { path: file, content: `head,desks\n${rows.join("\n")}\n` });
    },
    hinder: (state, { pages }) => {
      delete state.pages[pages[0]?.slice(state.site.length) ?? ""];
    },
  }),
];

/** Ordinary work with the reference servers: three kinds each for files, repositories, what is remembered, and pages. */
export const TALLIES_JOBS = [...FOLDER_JOBS, ...REPOSITORY_JOBS, ...GRAPH_JOBS, ...PAGE_JOBS];
