import type { JsonObject } from "../../src/core/json/json.ts";
import { addressOf, type Dice, PEOPLE } from "./dice.ts";
import { addFile, type Entity, type EverydayState, ownPath } from "./everyday-state.ts";
import type { Job } from "./job.ts";
import { atLeastOne, found, only } from "./papers.ts";
import type { Repository } from "./repositories.ts";

const SERVICES = ["billing", "gateway", "ledger", "mirror", "notifier", "planner", "ranker", "scanner"];
const FIRMS = ["Arbor", "Boreal", "Cobalt", "Dunlin", "Estuary", "Fjall"];
const GUILDS = ["Copper", "Granite", "Juniper", "Lagoon", "Willow"];

function job<Told extends JsonObject>(made: Job<EverydayState, Told>): Job<EverydayState> {
  return made;
}

const release = (dice: Dice): string => `${dice.between(0, 5)}.${dice.fresh(1, 60)}.${dice.between(0, 9)}`;

const FILES_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "set-image-tag",
    difficulty: "single",
    given: (state, dice) => {
      const registry = `registry.example.org/${dice.one(FIRMS).toLowerCase()}-${dice.fresh(10, 99)}`;
      const services = dice.some(SERVICES, dice.between(2, 4));
      const parts = services.map(
        (service) =>
          `  ${service}:\n    image: ${registry}/${service}-${dice.one(["server", "worker"])}:${release(dice)}\n    restart: unless-stopped\n    ports:\n      - "${dice.fresh(3000, 9000)}:8080"\n`,
      );
      const file = addFile(
        state,
        `stack-${dice.fresh(10, 99)}/compose.yaml`,
        `services:\n${parts.join("")}\nvolumes:\n  data: {}\n`,
      );
      return { file, service: dice.one(services), tag: `7.${dice.fresh(1, 60)}.0` };
    },
    task: ({ file, service, tag }) => `Set the tag of the image of ${service} in ${file} to ${tag}.`,
    agent: async ({ file, service, tag }, call) => {
      const { content } = await call("read_text_file", { path: file });
      const image = only(String(content), new RegExp(`^  ${service}:\\n    (image: .+)$`, "m"));
      const changed = `${image.slice(0, image.lastIndexOf(":"))}:${tag}`;
      await call("edit_file", { path: file, edits: [{ oldText: image, newText: changed }] });
    },
    hinder: (state, { file }) => {
      state.files[ownPath(state, file)] = "services: {}\n";
    },
  }),
  job({
    name: "list-open-tickets",
    difficulty: "choice",
    given: (state, dice) => {
      const rows = Array.from({ length: dice.between(5, 7) }, (_, nth) => {
        const title = dice.one(["Login loops", '"Slow, and then gone"', "Wrong total", "No mail came"]);
        const status = nth < 2 ? "open" : nth === 2 ? "closed" : dice.one(["open", "closed", "in progress"]);
        return `${dice.fresh(1000, 9999)},${title},${status},${dice.one(PEOPLE)},${dice.day()}`;
      });
      const table = ["id,title,status,owner,opened", ...dice.some(rows, rows.length)];
      const file = addFile(state, `support/tickets-${dice.fresh(10, 99)}.csv`, `${table.join("\n")}\n`);
      return { file, to: `${state.root}/support/owners-${dice.fresh(100, 999)}.md` };
    },
    task: ({ file, to }) =>
      `Write down in ${to} who owns the open tickets in ${file}: a line for each, with its number and the owner.`,
    agent: async ({ file, to }, call) => {
      const { content } = await call("read_text_file", { path: file });
      const open = found(String(content), /^(\d+),(?:"[^"]*"|[^,]*),open,([^,]+),/gm);
      const lines = atLeastOne(open).map(([id = "", owner = ""]) => `#${id}: ${owner}`);
      await call("write_file", { path: to, content: `${lines.join("\n")}\n` });
    },
    hinder: (state, { file }) => {
      state.files[ownPath(state, file)] = "id,title,status,owner,opened\n";
    },
  }),
  job({
    name: "append-journal",
    difficulty: "single",
    given: (state, dice) => {
      const entries = Array.from(
        { length: dice.between(1, 3) },
        () => `## ${dice.day()}\n\n${dice.one(["Rain", "Sun", "Fog"])}. Walked ${dice.fresh(2, 40)} km.\n`,
      );
      const file = addFile(
        state,
        `journal-${dice.fresh(10, 99)}.md`,
        `# Journal of ${dice.one(PEOPLE)}\n\n${entries.join("\n")}`,
      );
      const text = `Met ${dice.one(PEOPLE)} at the ${dice.one(["harbour", "market", "mill"])}.`;
      return { file, day: dice.day(), text };
    },
    task: ({ file, day, text }) => `Add an entry for ${day} at the end of ${file}: "${text}"`,
    agent: async ({ file, day, text }, call) => {
      const { content } = await call("read_text_file", { path: file });
      await call("write_file", { path: file, content: `${content}\n## ${day}\n\n${text}\n` });
    },
    hinder: (state, { file }) => {
      delete state.files[ownPath(state, file)];
    },
  }),
  job({
    name: "archive-invoices",
    difficulty: "loop",
    given: (state, dice) => {
      const [firm = "", other = ""] = dice.some(FIRMS, 2);
      const folder = `inbox-${dice.fresh(10, 99)}`;
      for (let nth = dice.between(4, 6); nth > 0; nth--) {
        const from = nth <= 2 ? firm : nth === 3 ? other : dice.one([firm, other]);
        const path = `${folder}/${dice.day().slice(0, 7)}_${from}_${dice.fresh(1000, 9999)}.pdf`;
        addFile(state, path, `%PDF-1.4 ${dice.fresh(1000, 9999)}\n`);
      }
      addFile(state, `${folder}/drafts/.keep`, "");
      return {
        firm,
        folder: `${state.root}/${folder}`,
        into: `${state.root}/archive/${dice.fresh(100, 999)}`,
      };
    },
    task: ({ firm, folder, into }) => `Move the invoices of ${firm} in ${folder} to the new folder ${into}.`,
    agent: async ({ firm, folder, into }, call) => {
      const { content } = await call("list_directory", { path: folder });
      const names = found(String(content), /^\[FILE\] (.+)$/gm).map(([name = ""]) => name);
      const own = atLeastOne(names.filter((name) => name.includes(`_${firm}_`)));
      await call("create_directory", { path: into });
      for (const name of own)
        await call("move_file", { source: `${folder}/${name}`, destination: `${into}/${name}` });
    },
    hinder: (state, { firm }) => {
      for (const path of Object.keys(state.files)) if (path.includes(`_${firm}_`)) delete state.files[path];
    },
  }),
];

function addRepository(state: EverydayState, dice: Dice, folders: readonly string[]): Repository {
  const name = `${dice.one(["marlin", "osprey", "puffin", "tern"])}-${dice.fresh(10, 99)}`;
  const [keeper = ""] = PEOPLE.slice(-1);
  const files = Object.fromEntries(
    folders.flatMap((folder) =>
      SERVICES.map((service) => [`${folder}/${service}.md`, `# ${service}\n`] as const),
    ),
  );
  const commits = [{ author: keeper, message: "Start\n", files }];
  const repository: Repository = { name, commits, branches: {}, changed: {} };
  state.repositories.push(repository);
  return repository;
}

const GIT_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "note-newest-of-author",
    difficulty: "choice",
    given: (state, dice) => {
      const repository = addRepository(state, dice, ["notes"]);
      const authors = dice.some(PEOPLE.slice(0, -1), 3);
      for (const [nth, service] of dice.some(SERVICES, dice.between(4, 6)).entries()) {
        const text = `${dice.fresh(1000, 9999)}\n`;
        repository.commits.push({
          author: authors[nth] ?? dice.one(authors),
          message: `${dice.one(["Explain", "Correct", "Shorten"])} the notes on the ${service}\n`,
          files: { [`notes/${service}.md`]: text },
        });
      }
      const file = `${state.root}/seen-${dice.fresh(10, 99)}.txt`;
      return { repo: `${state.root}/${repository.name}`, author: dice.one(authors), file };
    },
    task: ({ repo, author, file }) =>
      `Find the newest commit of ${author} in ${repo} and note its hash and its message in ${file}.`,
    agent: async ({ repo, author, file }, call) => {
      const log = String(await call("git.git_log", { repo_path: repo, max_count: 20 }));
      const commits = found(log, /^Commit: (\w+)\nAuthor: (.*)\nDate: .*\nMessage: (.*)$/gm);
      const own = commits.filter(([, by]) => by === author);
      const [[hash = "", , message = ""] = []] = atLeastOne(own);
      await call("write_file", { path: file, content: `${hash} ${message}\n` });
    },
    hinder: (state) => {
      for (const { commits } of state.repositories) commits.length = 1;
    },
  }),
  job({
    name: "commit-docs",
    difficulty: "loop",
    given: (state, dice) => {
      const repository = addRepository(state, dice, ["docs", "src"]);
      for (const [folder, count] of [
        ["docs", dice.between(1, 3)],
        ["src", dice.between(1, 2)],
      ] as const)
        for (const service of dice.some(SERVICES, count))
          repository.changed[`${folder}/${service}.md`] = `# ${service}\n\n${dice.fresh(1000, 9999)}\n`;
      const message = `Describe what came with ${dice.fresh(10, 99)}`;
      return { repo: `${state.root}/${repository.name}`, message };
    },
    task: ({ repo, message }) =>
      `Commit what has changed in the docs folder of ${repo}, and nothing else, as "${message}".`,
    agent: async ({ repo, message }, call) => {
      const status = String(await call("git.git_status", { repo_path: repo }));
      const files = found(status, /^\tmodified: +(docs\/.+)$/gm).map(([file = ""]) => file);
      await call("git.git_add", { repo_path: repo, files: [...atLeastOne(files)] });
      await call("git.git_commit", { repo_path: repo, message });
    },
    hinder: (state) => {
      for (const { changed } of state.repositories)
        for (const path of Object.keys(changed)) if (path.startsWith("docs/")) delete changed[path];
    },
  }),
];

function addPerson(state: EverydayState, name: string, ...observations: string[]): void {
  state.entities.push({ name, entityType: "person", observations });
}

const entitiesIn = (answered: unknown): readonly Entity[] =>
  (answered as { readonly entities: readonly Entity[] }).entities;

const GRAPH_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "note-open-todos",
    difficulty: "loop",
    given: (state, dice) => {
      const project = `Project ${dice.one(GUILDS)} ${dice.fresh(10, 99)}`;
      state.entities.push({ name: project, entityType: "project", observations: [`Begun ${dice.day()}`] });
      const items = dice.some(SERVICES, dice.between(4, 6)).map((service, nth) => {
        const isDone = nth < 2 ? false : nth === 2 || dice.one([true, false]);
        return `- [${isDone ? "x" : " "}] ${dice.one(["Test", "Move", "Price"])} the ${service}`;
      });
      const sections = `## This week\n\n${items.slice(0, 3).join("\n")}\n\n## Later\n\n${items.slice(3).join("\n")}\n`;
      const file = addFile(state, `todo-${dice.fresh(10, 99)}.md`, `# ${project}\n\n${sections}`);
      return { file, project };
    },
    task: ({ file, project }) =>
      `Remember what is not done yet in ${file} as observations about ${project}, each as "To do: …".`,
    agent: async ({ file, project }, call) => {
      const { content } = await call("read_text_file", { path: file });
      const open = atLeastOne(found(String(content), /^- \[ \] (.+)$/gm));
      const contents = open.map(([what = ""]) => `To do: ${what}`);
      await call("memory.add_observations", { observations: [{ entityName: project, contents }] });
    },
    hinder: (state, { file }) => {
      delete state.files[ownPath(state, file)];
    },
  }),
  job({
    name: "page-person-on-call",
    difficulty: "choice",
    given: (state, dice) => {
      const [service = "", other = ""] = dice.some(SERVICES, 2);
      const [now = "", before = "", elsewhere = ""] = dice.some(PEOPLE, 3);
      const people = [
        [now, `On call for ${service}`],
        [elsewhere, `On call for ${other}`],
        ...(dice.one([true, false]) ? [[before, `Was on call for ${service} until ${dice.day()}`]] : []),
      ] as const;
      for (const [person = "", duty = ""] of dice.some(people, people.length))
        addPerson(state, person, `Speaks ${dice.one(["Danish", "Dutch", "Greek"])}`, duty);
      return { service, day: dice.day() };
    },
    task: ({ service, day }) =>
      `Add an observation to the person who is on call for ${service}: "Paged on ${day}".`,
    agent: async ({ service, day }, call) => {
      const entities = entitiesIn(await call("memory.search_nodes", { query: `on call for ${service}` }));
      const own = entities.filter(({ observations }) => observations.includes(`On call for ${service}`));
      const [person] = atLeastOne(own);
      await call("memory.add_observations", {
        observations: [{ entityName: person?.name ?? "", contents: [`Paged on ${day}`] }],
      });
    },
    hinder: (state, { service }) => {
      state.entities.splice(1);
      addPerson(state, PEOPLE[0], "Speaks Greek", `Was on call for ${service} until 2025-03-04`);
    },
  }),
  job({
    name: "join-guild",
    difficulty: "loop",
    given: (state, dice) => {
      const [guild = "", other = ""] = dice.some(GUILDS, 2);
      state.entities.push({ name: `${guild} Guild`, entityType: "guild", observations: ["Meets monthly"] });
      for (const [nth, person] of dice.some(PEOPLE, dice.between(4, 6)).entries())
        addPerson(
          state,
          person,
          `Guild: ${nth < 2 ? guild : dice.one([guild, other])}`,
          `Joined on ${dice.day()}`,
        );
      return { guild };
    },
    task: ({ guild }) =>
      `Relate everyone whose guild is ${guild}, as their observations say, to the ${guild} Guild as "member_of".`,
    agent: async ({ guild }, call) => {
      const people = entitiesIn(await call("memory.search_nodes", { query: `Guild: ${guild}` }));
      const relations = atLeastOne(people).map(({ name }) => ({
        from: name,
        to: `${guild} Guild`,
        relationType: "member_of",
      }));
      await call("memory.create_relations", { relations });
    },
    hinder: (state) => void state.entities.splice(2),
  }),
];

const ZONES = [
  ["Europe/Madrid", "Europe/Riga"],
  ["Asia/Seoul", "America/Lima", "Africa/Accra", "Asia/Karachi", "Pacific/Auckland"],
] as const;

const OTHER_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "enter-shipment",
    difficulty: "single",
    given: (state, dice) => {
      state.tables.push(
        "CREATE TABLE shipments (id INTEGER PRIMARY KEY AUTOINCREMENT, order_id INTEGER NOT NULL, carrier TEXT, tracking TEXT, sent_on TEXT)",
        `INSERT INTO shipments (order_id, carrier, tracking, sent_on) VALUES (${dice.fresh(100000, 999999)}, 'Posten', 'ZZ1', '2025-01-02')`,
      );
      const tracking = `${dice.one(["JD", "RR", "CX"])}${dice.fresh(10000000, 99999999)}`;
      const lines = [
        `Order no.:    ${dice.fresh(100000, 999999)}`,
        `Carrier:      ${dice.one(["Bring", "DHL", "GLS"])}`,
        `Tracking no.: ${tracking}`,
        `Parcels:      ${dice.between(1, 4)}`,
        `Sent on:      ${dice.day()}`,
      ];
      const file = addFile(
        state,
        `dispatch/${dice.fresh(1000, 9999)}.txt`,
        `DISPATCH NOTE\n${"-".repeat(13)}\n${lines.join("\n")}\n`,
      );
      return { file };
    },
    task: ({ file }) =>
      `Enter the shipment of the dispatch note ${file} in the table shipments of the database.`,
    agent: async ({ file }, call) => {
      const { content } = await call("read_text_file", { path: file });
      await call("sqlite.describe_table", { table_name: "shipments" });
      const said = (label: string): string => only(String(content), new RegExp(`^${label}: +(.+)$`, "m"));
      const values = `${said("Order no\\.")}, '${said("Carrier")}', '${said("Tracking no\\.")}', '${said("Sent on")}'`;
      await call("sqlite.write_query", {
        query: `INSERT INTO shipments (order_id, carrier, tracking, sent_on) VALUES (${values})`,
      });
    },
    hinder: (state, { file }) => {
      state.files[ownPath(state, file)] = "DISPATCH NOTE\n-------------\nNot sent yet.\n";
    },
  }),
  job({
    name: "save-contact",
    difficulty: "choice",
    given: (state, dice) => {
      const roles = dice.some(["Press", "Sales", "Jobs", "Repairs", "Partners"], dice.between(3, 4));
      const sections = roles.map((role, nth) => {
        const person = PEOPLE[dice.between(0, 3) + 4 * nth] ?? "";
        return `<section><h2>${role}</h2><p>${person}<br><a href="mailto:${addressOf(person)}">${addressOf(person)}</a><br>Phone +45 ${dice.fresh(1000, 9999)} ${dice.fresh(1000, 9999)}</p></section>`;
      });
      const path = `/contact-${dice.fresh(10, 99)}`;
      state.pages[path] = {
        type: "text/html; charset=utf-8",
        body: `<!DOCTYPE html><html lang="en"><head><title>Contact</title></head><body><nav><a href="/">Home</a></nav><main><article><h1>Whom to ask</h1><p>We answer letters within a week, calls on workdays, and questions about the weather never; please have the number of your order at hand when you call.</p>${sections.join("\n")}</article></main><footer>Since 1974</footer></body></html>`,
      };
      const file = `${state.root}/contact-${dice.fresh(100, 999)}.txt`;
      return { url: `${state.site}${path}`, role: dice.one(roles), file };
    },
    task: ({ url, role, file }) =>
      `Look at ${url} for whom to ask about ${role}, and write the name, the mail address and the phone number to ${file}, each in a line.`,
    agent: async ({ url, role, file }, call) => {
      const page = String(await call("fetch.fetch", { url }));
      const [, own = ""] = page.split(new RegExp(`^#* *${role}\\n(?:-+\\n)?`, "m"));
      const name = only(own, /^\s*(\w+ \w+)\s*$/m);
      const mail = only(own, /mailto:([^\s)]+)\)/);
      const phone = only(own, /Phone (\+45 \d+ \d+)/);
      await call("write_file", { path: file, content: `${name}\n${mail}\n${phone}\n` });
    },
    hinder: (state, { url }) => {
      delete state.pages[url.slice(state.site.length)];
    },
  }),
  job({
    name: "write-local-times",
    difficulty: "loop",
    given: (state, dice) => {
      const topic = `Plan ${dice.one(GUILDS)} ${dice.fresh(10, 99)}`;
      for (const [nth, person] of dice.some(PEOPLE, dice.between(3, 5)).entries())
        addPerson(
          state,
          person,
          `Time zone: ${dice.one(ZONES[1])}`,
          `Works on ${nth < 2 ? topic : dice.one([topic, "nothing now"])}`,
        );
      const file = `${state.root}/times-${dice.fresh(10, 99)}.md`;
      const time = `${dice.between(10, 19)}:${dice.fresh(10, 59)}`;
      return { topic, time, zone: dice.one(ZONES[0]), file };
    },
    task: ({ topic, time, zone, file }) =>
      `We talk at ${time} (${zone}). Write to ${file} what time that is for each one who works on ${topic}, as lines "name: time".`,
    agent: async ({ topic, time, zone, file }, call) => {
      const people = entitiesIn(await call("memory.search_nodes", { query: `Works on ${topic}` }));
      const lines: string[] = [];
      for (const { name, observations } of atLeastOne(people)) {
        const converted = await call("time.convert_time", {
          source_timezone: zone,
          time,
          target_timezone: only(observations.join("\n"), /^Time zone: (.+)$/m),
        });
        lines.push(`- ${name}: ${String(converted.target.datetime).slice(11, 16)}`);
      }
      await call("write_file", { path: file, content: `${lines.join("\n")}\n` });
    },
    hinder: (state) => void state.entities.splice(1),
  }),
];

/** Work as somebody at a desk asks for it, with the reference servers: written before anything was done for it, not developed on. */
export const ERRANDS_JOBS: readonly Job<EverydayState>[] = [
  ...FILES_JOBS,
  ...GIT_JOBS,
  ...GRAPH_JOBS,
  ...OTHER_JOBS,
];
