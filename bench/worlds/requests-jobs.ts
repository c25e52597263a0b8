import type { JsonObject } from "../../src/core/json/json.ts";
import { type Dice, PEOPLE, signs } from "./dice.ts";
import { addFile, type EverydayState, ownPath } from "./everyday-state.ts";
import { type Call, type Job, Refusal, refused } from "./job.ts";
import { atLeastOne, found, only } from "./papers.ts";
import type { Repository } from "./repositories.ts";

const PORTS = ["Ancona", "Bari", "Calais", "Dover", "Gdynia", "Harwich", "Kiel", "Split", "Trieste"];
const FIRMS = ["Alder Press", "Bluewater", "Copperfield", "Dune Labs", "Eastgate", "Fern and Sons"];
const SERVICES = ["Backup", "Cleaning", "Hosting", "Mail", "Repairs", "Telephone"];

function job<Told extends JsonObject>(made: Job<EverydayState, Told>): Job<EverydayState> {
  return made;
}

async function read(call: Call, path: string): Promise<string> {
  const { content } = await call("read_text_file", { path });
  return String(content);
}

const euros = (amount: number): string => (amount / 100).toFixed(2);

function shuffled<Item>(dice: Dice, items: readonly Item[]): Item[] {
  return dice.some(items, items.length);
}

/** The JSON that a text has; the agent gives up where it has none. */
// Looked at, not typed, as what tools answer.
// oxlint-disable-next-line typescript/no-explicit-any
function parsed(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("That is no JSON");
  }
}

const FOLDER_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "fill-in-booking-code",
    difficulty: "single",
    given: (state, dice) => {
      const [from = "", to = ""] = dice.some(PORTS, 2);
      const [traveller = "", ...others] = dice.some(PEOPLE, dice.between(2, 4));
      const day = dice.day();
      const letter = [
        "# Booking confirmation",
        "",
        `Hello ${traveller},`,
        "",
        "thank you for travelling with us. Please have this ready when you check in.",
        "",
        `* **Booking code:** ${signs(dice, 6, "ABCDEFGHJKLMNPQRSTUVWXYZ23456789")}`,
        `* **From:** ${from}`,
        `* **To:** ${to}`,
        `* **Departure:** ${day}, 0${dice.between(6, 9)}:${dice.between(10, 59)}`,
        `* **Price:** ${euros(dice.fresh(9000, 60_000))} EUR`,
        "",
        "See you on board!",
      ];
      const plan = [
        `trip: ${from} to ${to}`,
        "travellers:",
        ...[traveller, ...others].map((name) => `  - ${name}`),
        "ferry:",
        `  date: ${day}`,
        "  booking_code: TBD",
        "hotel:",
        `  name: ${dice.one(["Aurora", "Belvedere", "Continental", "Royal"])}`,
        `  nights: ${dice.between(2, 9)}`,
      ];
      return {
        letter: addFile(state, `inbox/ferry-${dice.fresh(100, 999)}.md`, `${letter.join("\n")}\n`),
        plan: addFile(state, `trips/${to.toLowerCase()}-${dice.fresh(10, 99)}.yaml`, `${plan.join("\n")}\n`),
      };
    },
    task: ({ letter, plan }) =>
      `Could you take the booking code out of "${letter}" and fill it in in "${plan}"? It still says TBD there.`,
    agent: async ({ letter, plan }, call) => {
      const code = only(await read(call, letter), /^\* \*\*Booking code:\*\* (\w+)$/m);
      await read(call, plan);
      await call("edit_file", {
        path: plan,
        edits: [{ oldText: "booking_code: TBD", newText: `booking_code: ${code}` }],
      });
    },
    hinder: (state, { letter }) => {
      const own = ownPath(state, letter);
      state.files[own] = (state.files[own] ?? "").replace(
        /^\* \*\*Booking code:.*$/m,
        "We send your booking code as soon as you have paid.",
      );
    },
  }),
  job({
    name: "sum-trips",
    difficulty: "choice",
    given: (state, dice) => {
      const purposes = ["business", "business", "private", "private"];
      for (let more = dice.between(1, 4); more > 0; more--)
        purposes.push(dice.one(["business", "private", "commute"]));
      const rows = shuffled(dice, purposes).map((purpose) =>
        [dice.day(), ...dice.some(PORTS, 2), dice.fresh(10, 900), purpose].join(";"),
      );
      return {
        log: addFile(
          state,
          `car/logbook-${dice.fresh(1000, 1999)}.csv`,
          `date;from;to;km;purpose\n${rows.join("\n")}\n`,
        ),
        purpose: dice.one(["business", "private"]),
        file: `${state.root}/km-${dice.fresh(2000, 2999)}.txt`,
      };
    },
    task: ({ log, purpose, file }) =>
      `Add up the kilometres of all ${purpose} trips in ${log} and write the sum, just the number, to ${file}.`,
    agent: async ({ log, purpose, file }, call) => {
      const trips = found(await read(call, log), /^[\d-]+;.+;.+;(\d+);(\w+)$/gm);
      const own = atLeastOne(trips.filter(([, what]) => what === purpose));
      const sum = own.reduce((before, [km]) => before + Number(km), 0);
      await call("write_file", { path: file, content: `${sum}\n` });
    },
    hinder: (state, { log, purpose }) => {
      const own = ownPath(state, log);
      state.files[own] = (state.files[own] ?? "").replaceAll(`;${purpose}\n`, ";commute\n");
    },
  }),
  job({
    name: "tabulate-contracts",
    difficulty: "loop",
    given: (state, dice) => {
      const folder = `contracts-${dice.fresh(10, 99)}`;
      for (const customer of dice.some(FIRMS, dice.between(3, 5))) {
        const contract = {
          customer,
          contact: dice.one(PEOPLE),
          ends: dice.day(),
          monthly: dice.fresh(100, 999),
          services: dice.some(SERVICES, dice.between(1, 3)),
        };
        const name = customer.toLowerCase().replaceAll(" ", "-");
        addFile(state, `${folder}/${name}.json`, `${JSON.stringify(contract, undefined, 2)}\n`);
      }
      return {
        folder: `${state.root}/${folder}`,
        table: `${state.root}/contracts-${dice.fresh(100, 999)}.csv`,
      };
    },
    task: ({ folder, table }) =>
      `I need a CSV of our contracts. Go through the JSON files in '${folder}' in the order of their names and make '${table}' with the header customer,ends,monthly and a row for each file.`,
    agent: async ({ folder, table }, call) => {
      const { content } = await call("list_directory", { path: folder });
      const rows: string[] = [];
      for (const [name = ""] of atLeastOne(found(String(content), /^\[FILE\] (.+\.json)$/gm))) {
        const { customer, ends, monthly } = parsed(await read(call, `${folder}/${name}`));
        rows.push(`${customer},${ends},${monthly}\n`);
      }
      await call("write_file", { path: table, content: `customer,ends,monthly\n${rows.join("")}` });
    },
    hinder: (state, { folder }, dice) => {
      const own = Object.keys(state.files).filter((path) => path.startsWith(`${ownPath(state, folder)}/`));
      const path = dice.one(own);
      state.files[path] = (state.files[path] ?? "").slice(0, 20);
    },
  }),
];

const KEYS = ["retention_days", "session_minutes", "upload_limit", "worker_count"];
const SETTINGS = "config/app.yaml";

function addRepository(
  state: EverydayState,
  dice: Dice,
  files: Readonly<Record<string, string>>,
): Repository {
  const name = `${dice.one(["anchor", "beacon", "cobble", "thistle"])}-${dice.fresh(10, 99)}`;
  const commits = [
    { author: PEOPLE[2], message: "First version\n", files: { "README.md": `# ${name}\n`, ...files } },
  ];
  const repository: Repository = { name, commits, branches: {}, changed: {} };
  state.repositories.push(repository);
  return repository;
}

const WORK = [
  "Show the date in the list",
  "Stop when the disk is full",
  "Ask before deleting",
  "Round prices only once",
  "Close the menu with escape",
  "Read names with accents",
  "Print in landscape",
  "Retry a lost connection",
];

const REPOSITORY_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "set-back-value",
    difficulty: "text",
    given: (state, dice) => {
      const values = KEYS.map((key) => [key, dice.fresh(100, 999)] as const);
      const settings = new Map<string, number>(values);
      const shown = (): string =>
        `# Read at the start\n${[...settings].map(([key, value]) => `${key}: ${value}\n`).join("")}`;
      const repository = addRepository(state, dice, { [SETTINGS]: shown() });
      const key = dice.one(KEYS);
      const changed = [...Array.from({ length: dice.between(1, 3) }, () => dice.one(KEYS)), key];
      for (const each of changed) {
        settings.set(each, dice.fresh(100, 999));
        const message = `${dice.one(["Adjust", "Change", "Tune"])} settings for ${dice.one(["spring", "autumn", "the new machine"])}\n`;
        repository.commits.push({ author: dice.one(PEOPLE), message, files: { [SETTINGS]: shown() } });
      }
      return { repo: `${state.root}/${repository.name}`, key, path: SETTINGS };
    },
    task: ({ repo, key, path }) =>
      `The last commit in ${repo} has changed ${key} in ${path}, which was a mistake. Put the value from before back into the file; do not commit it yet.`,
    agent: async ({ repo, key, path }, call) => {
      const shown = String(await call("git.git_show", { repo_path: repo, revision: "HEAD" }));
      const before = only(shown, new RegExp(`^-${key}: (.+)$`, "m"));
      const now = only(shown, new RegExp(`^\\+${key}: (.+)$`, "m"));
      await call("edit_file", {
        path: `${repo}/${path}`,
        edits: [{ oldText: `${key}: ${now}`, newText: `${key}: ${before}` }],
      });
    },
    hinder: (state, _told, dice) => {
      for (const { commits, name } of state.repositories) {
        const files = { "README.md": `# ${name}\n\nAsk ${dice.one(PEOPLE)}.\n` };
        commits.push({ author: dice.one(PEOPLE), message: "Say whom to ask\n", files });
      }
    },
  }),
  job({
    name: "list-branches-with-fix",
    difficulty: "choice",
    given: (state, dice) => {
      const repository = addRepository(state, dice, {});
      const issues = dice.some(WORK, dice.between(4, 7)).map((what) => {
        const issue = `APP-${dice.fresh(100, 999)}`;
        const files = { [`src/part-${dice.fresh(1000, 9999)}.py`]: `print(${dice.between(1, 99)})\n` };
        repository.commits.push({ author: dice.one(PEOPLE), message: `${issue}: ${what}\n`, files });
        return issue;
      });
      const nth = dice.between(1, issues.length - 1);
      const all = repository.commits.length;
      const ends = [
        dice.between(1, nth + 1),
        dice.between(nth + 2, all),
        dice.between(1, all),
        dice.between(1, all),
      ];
      const names = dice.some(["demo", "next", "release/1.8", "release/1.9", "release/2.0", "staging"], 4);
      for (const [at, name] of names.entries()) repository.branches[name] = ends[at] ?? 1;
      return {
        issue: issues[nth] ?? "",
        repo: `${state.root}/${repository.name}`,
        file: `${state.root}/branches-${dice.fresh(10, 99)}.txt`,
      };
    },
    task: ({ issue, repo, file }) =>
      `Which local branches of ${repo} have the commit for ${issue} already? List their names in ${file}, one per line.`,
    agent: async ({ issue, repo, file }, call) => {
      const log = String(await call("git.git_log", { repo_path: repo, max_count: 50 }));
      const contains = only(
        log,
        new RegExp(`^Commit: (\\w+)\\nAuthor: .+\\nDate: .+\\nMessage: ${issue}: `, "m"),
      );
      const branches = String(
        await call("git.git_branch", { repo_path: repo, branch_type: "local", contains }),
      );
      const names = atLeastOne(found(branches, /^[* ] (\S+)$/gm));
      await call("write_file", { path: file, content: names.map(([name]) => `${name}\n`).join("") });
    },
    hinder: (state, { issue }) => {
      for (const { commits } of state.repositories)
        for (const [nth, commit] of commits.entries())
          commits[nth] = { ...commit, message: commit.message.replace(`${issue}: `, "") };
    },
  }),
  job({
    name: "stage-new-pictures",
    difficulty: "choice",
    given: (state, dice) => {
      const [extension = "", other = ""] = dice.some(["svg", "png", "webp"], 2);
      const picture = (): string => `picture ${dice.fresh(1000, 9999)}\n`;
      const old = `img/logo.${extension}`;
      const repository = addRepository(state, dice, {
        [old]: picture(),
        "docs/index.md": "# Start\n",
        "src/main.ts": "start();\n",
      });
      const { changed } = repository;
      changed[dice.one([old, "src/main.ts"])] = picture();
      const names = dice.some(
        ["arrow", "bell", "cloud", "door", "flag", "heart", "lock"],
        dice.between(4, 6),
      );
      for (const [nth, name] of names.entries()) {
        const own = nth === 0 ? other : nth < 3 ? extension : dice.one([extension, other]);
        changed[`${dice.one(["img", "docs"])}/${name}.${own}`] = picture();
      }
      changed["ideas.txt"] = `Ask ${dice.one(PEOPLE)} for colours\n`;
      return { repo: `${state.root}/${repository.name}`, extension };
    },
    task: ({ repo, extension }) =>
      `Please stage the untracked .${extension} files in ${repo}. Leave everything else unstaged.`,
    agent: async ({ repo, extension }, call) => {
      const status = String(await call("git.git_status", { repo_path: repo }));
      const [, untracked = ""] = status.split("Untracked files:");
      const files = found(untracked, /^\t(.+)$/gm).map(([path = ""]) => path);
      const pictures = atLeastOne(files.filter((path) => path.endsWith(`.${extension}`)));
      await call("git.git_add", { repo_path: repo, files: [...pictures] });
    },
    hinder: (state, { extension }) => {
      for (const { changed } of state.repositories)
        for (const path of Object.keys(changed))
          if (path.endsWith(`.${extension}`) && !path.includes("logo")) delete changed[path];
    },
  }),
];

interface Relation extends JsonObject {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

const DEVICES = ["Boiler", "Coffee machine", "Dishwasher", "Lawn mower", "Printer", "Washing machine"];
const PROJECTS = ["Attic conversion", "Club house", "Garden fence", "Moving day", "Roof repair"];
const BOOKS = [
  "A Winter Abroad",
  "Bees and Blossoms",
  "Letters to Nobody",
  "Salt and Iron",
  "The Glass Orchard",
  "The Last Ferry",
  "Under Seven Bridges",
  "Walking the Border",
];

function decision(dice: Dice): string {
  return dice.one([
    () => `Buy ${dice.fresh(10, 900)} boards from ${dice.one(FIRMS)}.`,
    () => `${dice.one(PEOPLE)} asks for a second offer by ${dice.day()}.`,
    () => `We spend no more than ${dice.fresh(1000, 9000)} euros.`,
    () => `Work begins on ${dice.day()}.`,
  ])();
}

const GRAPH_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "write-device-sheet",
    difficulty: "loop",
    given: (state, dice) => {
      const devices = dice.some(DEVICES, 3);
      for (const name of devices) {
        const observations = [
          `Model ${dice.one(["AX", "KT", "VM"])}-${dice.fresh(1000, 9999)}`,
          `Bought on ${dice.day()}`,
          `Warranty: ${dice.between(2, 5)} years`,
          `Serviced by ${dice.one(PEOPLE)}`,
          `Cost ${dice.fresh(100, 999)} euros`,
        ];
        state.entities.push({
          name,
          entityType: "device",
          observations: dice.some(observations, dice.between(2, 5)),
        });
        state.relations.push({ from: name, to: "House", relationType: "stands_in" });
      }
      return { device: dice.one(devices), file: `${state.root}/device-${dice.fresh(100, 999)}.md` };
    },
    task: ({ device, file }) =>
      `Write everything that you remember about "${device}" into ${file}: the name as the heading, and a bullet for each fact.`,
    agent: async ({ device, file }, call) => {
      const { entities } = await call("memory.open_nodes", { names: [device] });
      const [entity] = atLeastOne(entities as readonly { readonly observations: readonly string[] }[]);
      const bullets = atLeastOne(entity?.observations ?? []).map((fact) => `- ${fact}\n`);
      await call("write_file", { path: file, content: `# ${device}\n\n${bullets.join("")}` });
    },
    hinder: (state, { device }) => {
      const at = state.entities.findIndex(({ name }) => name === device);
      state.entities.splice(at, 1);
    },
  }),
  job({
    name: "remember-decisions",
    difficulty: "fails",
    given: (state, dice) => {
      const [project = "", other = ""] = dice.some(PROJECTS, 2);
      for (const name of [project, other])
        state.entities.push({ name, entityType: "project", observations: [`Begun on ${dice.day()}`] });
      const lines = [
        `# Minutes, ${dice.day()}`,
        "",
        `Present: ${dice.some(PEOPLE, 3).join(", ")}`,
        "",
        "## Reports",
        "",
        `1. ${dice.one(PEOPLE)} has counted ${dice.fresh(10, 900)} loose tiles.`,
        `2. The shed is ${dice.between(20, 90)} years old.`,
        "",
        "## Decisions",
        "",
        ...Array.from({ length: dice.between(2, 4) }, (_, nth) => `${nth + 1}. ${decision(dice)}`),
        "",
        "## Next time",
        "",
        `1. What ${dice.one(PEOPLE)} has heard from the neighbours`,
      ];
      return {
        project,
        minutes: addFile(state, `minutes/${dice.fresh(1000, 9999)}.md`, `${lines.join("\n")}\n`),
      };
    },
    task: ({ project, minutes }) =>
      `Go through ${minutes} and remember each of the decisions as an observation of "${project}". If you have nothing under that name yet, create it as a project with these observations.`,
    agent: async ({ project, minutes }, call) => {
      const section = only(await read(call, minutes), /^## Decisions\n\n((?:\d+\. .+\n)+)/m);
      const contents = found(section, /^\d+\. (.+)$/gm).map(([what = ""]) => what);
      const added = call("memory.add_observations", { observations: [{ entityName: project, contents }] });
      if (await refused(added))
        await call("memory.create_entities", {
          entities: [{ name: project, entityType: "project", observations: contents }],
        });
    },
    hinder: (state, { project }) => {
      const at = state.entities.findIndex(({ name }) => name === project);
      state.entities.splice(at, 1);
    },
  }),
  job({
    name: "take-back-books",
    difficulty: "choice",
    given: (state, dice) => {
      const [person = "", other = ""] = dice.some(PEOPLE, 2);
      for (const name of [person, other])
        state.entities.push({ name, entityType: "person", observations: [`Member since ${dice.day()}`] });
      const books = dice.some(BOOKS, 7);
      for (const name of books)
        state.entities.push({ name, entityType: "book", observations: [`Shelf ${dice.fresh(10, 99)}`] });
      const count = dice.between(2, 4);
      const relations = books.map((to, nth) => {
        const from = nth < count ? person : nth < 5 ? other : person;
        return { from, to, relationType: nth < 5 ? "has_borrowed" : "has_reserved" };
      });
      state.relations.push(...shuffled(dice, relations));
      return { person };
    },
    task: ({ person }) =>
      `${person} has brought back all borrowed books. Remove the has_borrowed relations of ${person} from the knowledge graph, but keep the reservations and the books.`,
    agent: async ({ person }, call) => {
      const { relations } = await call("memory.open_nodes", { names: [person] });
      const borrowed = (relations as readonly Relation[]).filter(
        ({ from, relationType }) => from === person && relationType === "has_borrowed",
      );
      await call("memory.delete_relations", { relations: [...atLeastOne(borrowed)] });
    },
    hinder: (state, { person }) => {
      const others = state.relations.filter(
        ({ from, relationType }) => from !== person || relationType !== "has_borrowed",
      );
      state.relations.splice(0, state.relations.length, ...others);
    },
  }),
];

const WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const STATIONS = [
  "Botanical Garden",
  "Castle Square",
  "Central Station",
  "Harbour Bridge",
  "Market Hall",
  "North Gate",
  "Stadium",
  "University",
];
const ARTICLES = [
  "A Short History of Buttons",
  "Baking Bread at Altitude",
  "Listening to Old Radios",
  "Maps Without North",
  "The Patience of Lichen",
  "Why Kites Stay Up",
];

/** Shows a page of a site; its address. */
function addPage(state: EverydayState, path: string, title: string, article: readonly string[]): string {
  state.pages[path] = {
    type: "text/html; charset=utf-8",
    body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
<header><a href="/">Start</a> <a href="/contact">Contact</a></header>
<main>
<h1>${title}</h1>
${article.join("\n")}
</main>
<footer><p>Made with care.</p></footer>
</body>
</html>
`,
  };
  return `${state.site}${path}`;
}

const PAGE_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "note-opening-hours",
    difficulty: "text",
    given: (state, dice) => {
      const place = dice.one(["library", "museum", "swimming pool", "town hall"]);
      const free = dice.one(WEEK);
      const items = WEEK.map((day) => {
        const hours =
          day === free
            ? "closed"
            : `${dice.between(7, 11)}:${dice.one(["00", "15", "30"])} to ${dice.between(15, 20)}:${dice.one(["00", "30", "45"])}`;
        return `<li>${day}: ${hours}</li>`;
      });
      const url = addPage(state, `/places/${dice.fresh(100, 999)}`, `Visit the ${place}`, [
        `<p>Our ${place} has been open to everybody since ${dice.between(1890, 1990)}. Groups of more than ${dice.between(10, 30)} people are asked to call us before they come.</p>`,
        "<h2>Opening hours</h2>",
        `<ul>\n${items.join("\n")}\n</ul>`,
        "<h2>Getting here</h2>",
        `<p>Take the bus ${dice.between(10, 99)} to the last stop. You can leave your bicycle in the yard.</p>`,
      ]);
      return {
        place,
        url,
        day: dice.one(WEEK.filter((day) => day !== free)),
        file: `${state.root}/hours-${dice.fresh(1000, 9999)}.txt`,
      };
    },
    task: ({ place, url, day, file }) =>
      `When is the ${place} open on ${day}? It is on ${url}. Note just the hours in ${file}, like "9:00 to 17:00".`,
    agent: async ({ url, day, file }, call) => {
      const page = String(await call("fetch.fetch", { url }));
      const hours = only(page, new RegExp(`^\\s*[*-] ${day}: (.+)$`, "m"));
      await call("write_file", { path: file, content: `${hours}\n` });
    },
    hinder: (state, { url }) => {
      delete state.pages[url.slice(state.site.length)];
    },
  }),
  job({
    name: "list-stations-with-bikes",
    difficulty: "choice",
    given: (state, dice) => {
      const least = dice.between(4, 9);
      const bikes = [least, least + dice.between(1, 9), dice.between(0, least - 1)];
      for (let more = dice.between(1, 4); more > 0; more--) bikes.push(dice.between(0, 15));
      const free = shuffled(dice, bikes);
      const stations = dice.some(STATIONS, free.length).map((name, nth) => ({
        id: dice.fresh(1000, 9999),
        name,
        bikes: free[nth] ?? 0,
        docks: dice.between(16, 30),
      }));
      const path = `/api/stations-${dice.fresh(100, 999)}.json`;
      const body = JSON.stringify({ updated: `${dice.day()}T08:00:00Z`, stations }, undefined, 2);
      state.pages[path] = { type: "application/json", body };
      return { url: `${state.site}${path}`, least, file: `${state.root}/bikes-${dice.fresh(10, 99)}.txt` };
    },
    task: ({ url, least, file }) =>
      `Check ${url} for stations with at least ${least} bikes, and put their names in ${file}, one on each line.`,
    agent: async ({ url, least, file }, call) => {
      const page = String(await call("fetch.fetch", { url }));
      const { stations } = parsed(page.slice(page.indexOf("{"))) as {
        readonly stations: readonly { readonly name: string; readonly bikes: number }[];
      };
      const enough = atLeastOne(stations.filter(({ bikes }) => bikes >= least));
      await call("write_file", { path: file, content: enough.map(({ name }) => `${name}\n`).join("") });
    },
    hinder: (state, { url, least }) => {
      const path = url.slice(state.site.length);
      const page = state.pages[path];
      const empty = (whole: string, bikes: string): string => (Number(bikes) < least ? whole : '"bikes": 0');
      if (page) state.pages[path] = { ...page, body: page.body.replaceAll(/"bikes": (\d+)/g, empty) };
    },
  }),
  job({
    name: "make-reading-list",
    difficulty: "loop",
    given: (state, dice) => {
      const links = dice
        .some(ARTICLES, dice.between(2, 5))
        .map((title) =>
          addPage(state, `/read/${dice.fresh(1000, 9999)}`, "The Slow Review", [
            `<h2>${title}</h2>`,
            `<p>By <em>${dice.one(PEOPLE)}</em></p>`,
            `<p>Reading time: ${dice.fresh(3, 60)} minutes</p>`,
            `<p>It was on a Sunday in ${dice.one(PORTS)} that I first thought about it, and it has not let me go in the ${dice.between(2, 30)} years since. What follows is what I have found out, and what I still do not understand.</p>`,
            "<p>Most of it was known long before me. I have only put it in order.</p>",
          ]),
        );
      return {
        links: addFile(state, `links-${dice.fresh(100, 999)}.txt`, `For the train\n\n${links.join("\n")}\n`),
        file: `${state.root}/reading-${dice.fresh(10, 99)}.md`,
      };
    },
    task: ({ links, file }) =>
      `Build me a reading list out of the links in ${links}, please. ${file} should get a line for each, in the same order: "- How to Fold a Map, John Doe (12 min)".`,
    agent: async ({ links, file }, call) => {
      const addresses = found(await read(call, links), /^(http\S+)$/gm);
      const lines: string[] = [];
      for (const [url = ""] of atLeastOne(addresses)) {
        const page = String(await call("fetch.fetch", { url }));
        const [title, author] = [only(page, /^## (.+)$/m), only(page, /^By \*(.+)\*$/m)];
        lines.push(`- ${title}, ${author} (${only(page, /^Reading time: (\d+) minutes$/m)} min)\n`);
      }
      await call("write_file", { path: file, content: lines.join("") });
    },
    hinder: (state, _told, dice) => {
      delete state.pages[dice.one(Object.keys(state.pages))];
    },
  }),
];

/** What people ask for in a sentence or two: three kinds each for files, repositories, what is remembered, and pages. */
export const REQUESTS_JOBS = [...FOLDER_JOBS, ...REPOSITORY_JOBS, ...GRAPH_JOBS, ...PAGE_JOBS];
