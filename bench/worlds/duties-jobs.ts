import type { JsonObject } from "../../src/core/json/json.ts";
import { type Dice, PEOPLE } from "./dice.ts";
import { addFile, type Entity, type EverydayState, ownPath } from "./everyday-state.ts";
import { type Call, type Job, Refusal } from "./job.ts";
import { atLeastOne, found, only } from "./papers.ts";
import type { Repository } from "./repositories.ts";

const FIRMS = ["Amber and Co", "Birchwood", "Clearwater", "Dockside", "Elmhurst", "Foxglove"];
const DISHES = ["Bean stew", "Fish pie", "Lasagne", "Lentil soup", "Pea risotto", "Potato salad"];
const WARES = [
  "Beeswax candle",
  "Blue mug",
  "Cotton bag",
  "Garden gloves",
  "Linen towel",
  "Oak tray",
  "Seed mix",
  "Tea tin",
  "Wool socks",
];

function job<Told extends JsonObject>(made: Job<EverydayState, Told>): Job<EverydayState> {
  return made;
}

async function read(call: Call, path: string): Promise<string> {
  const { content } = await call("read_text_file", { path });
  return String(content);
}

/** The files in a folder whose names have the form. */
async function filesIn(call: Call, folder: string, form: RegExp): Promise<readonly string[]> {
  const { content } = await call("list_directory", { path: folder });
  return found(String(content), /^\[FILE\] (.+)$/gm)
    .map(([name = ""]) => name)
    .filter((name) => form.test(name));
}

function shuffled<Item>(dice: Dice, items: readonly Item[]): Item[] {
  return dice.some(items, items.length);
}

/** As it stands in names of files and branches. */
function dashed(name: string): string {
  return name.toLowerCase().replaceAll(" ", "-");
}

/** A time of day at an hour, as HH:MM. */
function timeAt(dice: Dice, hour: number, minutes: readonly string[]): string {
  return `${String(hour).padStart(2, "0")}:${dice.one(minutes)}`;
}

interface Order {
  readonly customer: { readonly name: string };
  readonly items: readonly { readonly title: string; readonly quantity: number }[];
}

const FOLDER_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "count-lunches",
    difficulty: "loop",
    given: (state, dice) => {
      const dishes = dice.some(DISHES, dice.between(2, 4));
      const wished = [...dishes, ...Array.from({ length: dice.between(3, 9) }, () => dice.one(dishes))];
      const people = dice.some(PEOPLE, wished.length);
      const day = dice.day();
      const rows = shuffled(dice, wished).map((dish, nth) => {
        const time = `${String(8 + Math.floor(nth / 5)).padStart(2, "0")}:${12 + 7 * (nth % 5)}`;
        return `${day} ${time},${people[nth] ?? ""},${dish}\n`;
      });
      return {
        answers: addFile(
          state,
          `lunch/answers-${dice.fresh(100, 999)}.csv`,
          `Timestamp,Name,Lunch\n${rows.join("")}`,
        ),
        file: `${state.root}/kitchen-${dice.fresh(1000, 1999)}.txt`,
      };
    },
    task: ({ answers, file }) =>
      `The kitchen wants to know how many of each lunch it has to make. Count the answers in ${answers} and write it down in ${file}, in alphabetical order, a line each like "Pancakes: 12".`,
    agent: async ({ answers, file }, call) => {
      const rows = atLeastOne(found(await read(call, answers), /^\d[^,\n]*,[^,\n]*,(.+)$/gm));
      const counts = new Map<string, number>();
      for (const [dish = ""] of rows) counts.set(dish, (counts.get(dish) ?? 0) + 1);
      const lines = [...counts].map(([dish, count]) => `${dish}: ${count}\n`).toSorted();
      await call("write_file", { path: file, content: lines.join("") });
    },
    hinder: (state, { answers }) => {
      state.files[ownPath(state, answers)] = "Timestamp,Name,Lunch\n";
    },
  }),
  job({
    name: "rename-letters",
    difficulty: "choice",
    given: (state, dice) => {
      const folder = `scans-${dice.fresh(10, 99)}`;
      const dated = [
        true,
        true,
        false,
        ...Array.from({ length: dice.between(0, 3) }, () => dice.one([true, false])),
      ];
      for (const isDated of shuffled(dice, dated)) {
        const subject = dice.one([
          () => `Your order ${dice.fresh(1000, 9999)}`,
          () => `Reminder for invoice ${dice.fresh(1000, 9999)}`,
          () => `Change of room ${dice.fresh(100, 999)}`,
          () => `Contract ${dice.fresh(1000, 9999)} ends`,
        ])();
        const letter = [
          dice.one(FIRMS),
          `${dice.one(["Harbour Road", "Mill Lane", "Station Square"])} ${dice.between(1, 99)}`,
          "",
          ...(isDated ? [`Date: ${dice.day()}`] : []),
          `Subject: ${subject}`,
          "",
          `Dear ${dice.one(PEOPLE)},`,
          "",
          `please let us know by ${dice.day()} whether everything is as you wish.`,
          "",
          "Kind regards",
          dice.one(PEOPLE),
        ];
        addFile(state, `${folder}/scan${dice.fresh(1000, 9999)}.txt`, `${letter.join("\n")}\n`);
      }
      return { folder: `${state.root}/${folder}` };
    },
    task: ({ folder }) =>
      `The letters in ${folder} have names like scan0001.txt, which tell me nothing. Rename each by its date and subject, like "2026-01-31 New parking rules.txt"; those with no date on top can stay as they are.`,
    agent: async ({ folder }, call) => {
      const moves: { source: string; destination: string }[] = [];
      for (const name of await filesIn(call, folder, /^scan\d+\.txt$/)) {
        const letter = await read(call, `${folder}/${name}`);
        const [, date] = /^Date: (.+)$/m.exec(letter) ?? [];
        if (date === undefined) continue;
        const subject = only(letter, /^Subject: (.+)$/m);
        moves.push({ source: `${folder}/${name}`, destination: `${folder}/${date} ${subject}.txt` });
      }
      for (const move of atLeastOne(moves)) await call("move_file", move);
    },
    hinder: (state) => {
      for (const [path, text] of Object.entries(state.files))
        state.files[path] = text.replace(/^Date: .+\n/m, "");
    },
  }),
  job({
    name: "write-packing-list",
    difficulty: "loop",
    given: (state, dice) => {
      const folder = `orders-${dice.fresh(10, 99)}`;
      const orders = Array.from({ length: dice.between(3, 5) }, () => {
        const order = dice.fresh(5000, 9999);
        const day = dice.day();
        const made = {
          order,
          placed: `${day}T${dice.between(10, 22)}:${dice.between(10, 59)}:00Z`,
          customer: {
            name: dice.one(PEOPLE),
            street: `${dice.one(["Birch Street", "Canal Street", "Hill Road"])} ${dice.between(1, 120)}`,
            city: dice.one(["Aarhus", "Bergen", "Ghent", "Leiden", "Lund"]),
          },
          items: dice.some(WARES, dice.between(2, 5)).map((title) => ({
            sku: `W${dice.fresh(100, 999)}`,
            title,
            quantity: dice.between(1, 12),
            price: dice.between(200, 4900) / 100,
          })),
          paid: dice.one([true, false]),
        };
        addFile(state, `${folder}/${day}-${order}.json`, `${JSON.stringify(made, undefined, 2)}\n`);
        return order;
      });
      return {
        order: dice.one(orders),
        folder: `${state.root}/${folder}`,
        file: `${state.root}/packing-${dice.fresh(100, 999)}.txt`,
      };
    },
    task: ({ order, folder, file }) =>
      `I am packing order ${order} now, it must be somewhere in ${folder}. Write me a packing list to ${file}: the customer's name, an empty line, then what goes into the parcel, like "3 x Red scarf".`,
    agent: async ({ order, folder, file }, call) => {
      const [name = ""] = atLeastOne(await filesIn(call, folder, new RegExp(`-${order}\\.json$`)));
      const { customer, items } = JSON.parse(await read(call, `${folder}/${name}`)) as Order;
      const lines = items.map(({ title, quantity }) => `${quantity} x ${title}\n`);
      await call("write_file", { path: file, content: `${customer.name}\n\n${lines.join("")}` });
    },
    hinder: (state, { order }) => {
      for (const path of Object.keys(state.files))
        if (path.endsWith(`-${order}.json`)) delete state.files[path];
    },
  }),
];

function addRepository(
  state: EverydayState,
  dice: Dice,
  files: Readonly<Record<string, string>>,
): Repository {
  const name = `${dice.one(["harvest", "lantern", "meadow", "pebble"])}-${dice.fresh(10, 99)}`;
  const commits = [
    { author: dice.one(PEOPLE), message: "Begin\n", files: { "README.md": `# ${name}\n`, ...files } },
  ];
  const repository: Repository = { name, commits, branches: {}, changed: {} };
  state.repositories.push(repository);
  return repository;
}

function answerOf(dice: Dice): string {
  return dice.one([
    () => `It takes ${dice.fresh(10, 999)} steps, because each number is looked at once.`,
    () => `The result is ${dice.fresh(10, 999)}.\n\nI have tried it with ${dice.between(2, 9)} lists.`,
    () => `I would sort them first. Then ${dice.fresh(10, 999)} comparisons are enough.`,
  ])();
}

/** A part of a program, which may print something already. */
function partOf(dice: Dice, name: string): string[] {
  const printed = dice.one([[], [`  console.log("${name} is ready", ${dice.fresh(1000, 9999)});`]]);
  return [
    `export function ${name}(items) {`,
    `  let sum = ${dice.fresh(1000, 9999)};`,
    ...printed,
    "  for (const item of items) {",
    "    sum += item.amount;",
    "  }",
    "  return sum;",
    "}",
  ];
}

const WORK = [
  "Allow longer names",
  "Check the postcode",
  "Explain the new menu",
  "Keep the order of guests",
  "Mention the summer break",
  "Show prices with tax",
  "Skip empty lines",
  "Speak of members, not users",
];

const REPOSITORY_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "collect-hand-ins",
    difficulty: "fails",
    given: (state, dice) => {
      const path = `exercises/week-${dice.fresh(10, 40)}.md`;
      const repository = addRepository(state, dice, { "exercises/README.md": "One file for each week.\n" });
      for (const author of dice.some(PEOPLE, dice.between(2, 5))) {
        const files = { [path]: `${answerOf(dice)}\n` };
        repository.commits.push({ author, message: "Hand in\n", files });
        repository.branches[`hand-in/${dashed(author)}`] = repository.commits.length;
      }
      repository.commits.push({
        author: dice.one(PEOPLE),
        message: "Show how it is done\n",
        files: { [path]: `${answerOf(dice)}\n` },
      });
      repository.branches[dice.one(["solutions", "teacher"])] = repository.commits.length;
      return {
        repo: `${state.root}/${repository.name}`,
        path,
        file: `${state.root}/hand-ins-${dice.fresh(100, 999)}.md`,
      };
    },
    task: ({ repo, path, file }) =>
      `In ${repo} my students hand in on branches of their own (hand-in/...). Please collect what each of them has in ${path} into ${file}: the name of the branch as a heading like "## hand-in/john-doe", and the text below it. If someone doesn't have that file, put "Nothing yet" there.`,
    agent: async ({ repo, path, file }, call) => {
      const branches = String(await call("git.git_branch", { repo_path: repo, branch_type: "local" }));
      const sections: string[] = [];
      for (const [branch = ""] of atLeastOne(found(branches, /^[* ] (hand-in\/\S+)$/gm))) {
        let text = "Nothing yet";
        try {
          text = String(await call("git.git_show", { repo_path: repo, revision: `${branch}:${path}` }));
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
        sections.push(`## ${branch}\n\n${text.trimEnd()}\n`);
      }
      await call("write_file", { path: file, content: sections.join("\n") });
    },
    hinder: (state, _told, dice) => {
      for (const { branches } of state.repositories)
        branches[dice.one(Object.keys(branches).filter((name) => name.startsWith("hand-in/")))] = 1;
    },
  }),
  job({
    name: "remove-debug-lines",
    difficulty: "choice",
    given: (state, dice) => {
      const names = dice.some(["basket", "invoice", "ledger", "report", "stock"], 4);
      const parts = names.map((name) => [`src/${name}.js`, partOf(dice, name)] as const);
      const texts = parts.map(([path, lines]) => [path, `${lines.join("\n")}\n`]);
      const repository = addRepository(state, dice, Object.fromEntries(texts));
      for (const [nth, [path, lines]] of parts.slice(0, dice.between(2, 4)).entries()) {
        const changed = lines.map((line) =>
          line.startsWith("  let sum") ? `  let sum = ${dice.fresh(1000, 9999)};` : line,
        );
        for (let more = nth === 0 ? dice.between(1, 2) : dice.between(0, 2); more > 0; more--) {
          const at = dice.between(2, changed.length - 2);
          const what = dice.one(["here", "sum now", "why"]);
          changed.splice(at, 0, `  console.log("${what}", ${dice.fresh(1000, 9999)}, sum);`);
        }
        repository.changed[path] = `${changed.join("\n")}\n`;
      }
      return { repo: `${state.root}/${repository.name}` };
    },
    task: ({ repo }) =>
      `Before I commit in ${repo}: take out the console.log lines that I have put in since the last commit. My other changes must stay, and so must the console.log lines that were there before.`,
    agent: async ({ repo }, call) => {
      const diff = String(await call("git.git_diff_unstaged", { repo_path: repo }));
      const edits = new Map<string, { oldText: string; newText: string }[]>();
      let path = "";
      for (const line of diff.split("\n")) {
        if (line.startsWith("+++ b/")) path = line.slice("+++ b/".length);
        else if (/^\+\s*console\.log\(/.test(line))
          edits.set(path, [...(edits.get(path) ?? []), { oldText: `${line.slice(1)}\n`, newText: "" }]);
      }
      for (const [own, each] of atLeastOne([...edits]))
        await call("edit_file", { path: `${repo}/${own}`, edits: each });
    },
    hinder: (state) => {
      for (const { changed } of state.repositories)
        for (const [path, text] of Object.entries(changed))
          changed[path] = text.replaceAll(/^ {2}console\.log\(.*, sum\);\n/gm, "");
    },
  }),
  job({
    name: "commit-part-stage-rest",
    difficulty: "choice",
    given: (state, dice) => {
      const [folder = "", other = ""] = dice.some(["docs", "forms", "src", "texts"], 2);
      const line = (): string => `${dice.one(WORK)} (${dice.fresh(1000, 9999)})\n`;
      const names = dice.some(["booking", "contact", "letter", "member", "season"], 4);
      const files = Object.fromEntries(
        [folder, other].flatMap((each) => names.slice(0, 3).map((name) => [`${each}/${name}.txt`, line()])),
      );
      const { name, changed } = addRepository(state, dice, files);
      for (const each of [folder, other])
        for (const own of dice.some(names, dice.between(1, 3))) changed[`${each}/${own}.txt`] = line();
      if (dice.one([true, false])) changed["README.md"] = `# ${name}\n\n${line()}`;
      return { repo: `${state.root}/${name}`, folder, message: dice.one(WORK) };
    },
    task: ({ repo, folder, message }) =>
      `I have two things mixed up in ${repo}. Commit all that has changed or is new in ${folder}/ as "${message}". Stage everything else after that, but don't commit it, I want to look at it once more.`,
    agent: async ({ repo, folder, message }, call) => {
      const status = String(await call("git.git_status", { repo_path: repo }));
      const paths = found(status, /^\t(?:modified: +)?(.+)$/gm).map(([path = ""]) => path);
      const isOwn = (path: string): boolean => path.startsWith(`${folder}/`);
      await call("git.git_add", { repo_path: repo, files: [...atLeastOne(paths.filter(isOwn))] });
      await call("git.git_commit", { repo_path: repo, message });
      await call("git.git_add", { repo_path: repo, files: paths.filter((path) => !isOwn(path)) });
    },
    hinder: (state, { folder }) => {
      for (const { changed } of state.repositories)
        for (const path of Object.keys(changed)) if (path.startsWith(`${folder}/`)) delete changed[path];
    },
  }),
];

interface Relation extends JsonObject {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

interface Opened {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
}

const LANGUAGES = ["Arabic", "Croatian", "Danish", "Hindi", "Italian", "Polish", "Turkish"];
const FOODS = ["celery", "eggs", "fish", "gluten", "meat", "mushrooms", "nuts", "pork"];

function factAbout(dice: Dice): string {
  return dice.one([
    () => `Phone 0${dice.fresh(10, 99)} ${dice.fresh(10_000, 99_999)}`,
    () => `Met at the fair on ${dice.day()}`,
    () => `Lives at Park Street ${dice.fresh(100, 300)}`,
    () => `Birthday on ${dice.day().slice(5)}`,
  ])();
}

const DIET = /^Does not eat (.+)$/;

const GRAPH_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "merge-double-entry",
    difficulty: "loop",
    given: (state, dice) => {
      const [person = "", ...friends] = dice.some(PEOPLE, 4);
      const double = person.replace(/^(\w)\w+/, "$1.");
      for (const name of [person, double, ...friends]) {
        const observations = Array.from({ length: dice.between(1, 3) }, () => factAbout(dice));
        state.entities.push({ name, entityType: "person", observations });
      }
      const firms = dice.some(FIRMS, 2);
      for (const name of firms)
        state.entities.push({
          name,
          entityType: "company",
          observations: [`Founded in ${dice.fresh(1900, 2020)}`],
        });
      const [friend = "", second = "", third = ""] = friends;
      const relations = [
        { from: person, to: dice.one(firms), relationType: "works_at" },
        { from: friend, to: dice.one(firms), relationType: "works_at" },
        { from: double, to: dice.one(firms), relationType: dice.one(["works_at", "buys_from"]) },
        { from: second, to: third, relationType: "is_neighbour_of" },
        ...dice.some(
          [
            { from: double, to: friend, relationType: "knows" },
            { from: second, to: double, relationType: "knows" },
            { from: third, to: double, relationType: "is_cousin_of" },
          ],
          dice.between(1, 3),
        ),
      ];
      state.relations.push(...shuffled(dice, relations));
      return { person, double };
    },
    task: ({ person, double }) =>
      `You have ${person} in your memory twice, the other time as "${double}". Merge the two: everything goes to "${person}", with the connections too, and then "${double}" can go.`,
    agent: async ({ person, double }, call) => {
      const { entities, relations } = (await call("memory.open_nodes", {
        names: [person, double],
      })) as Opened;
      const [twin] = atLeastOne(entities.filter(({ name }) => name === double));
      await call("memory.add_observations", {
        observations: [{ entityName: person, contents: [...(twin?.observations ?? [])] }],
      });
      const moved = relations
        .filter(({ from, to }) => from === double || to === double)
        .map(({ from, to, relationType }) => ({
          from: from === double ? person : from,
          to: to === double ? person : to,
          relationType,
        }));
      await call("memory.create_relations", { relations: moved });
      await call("memory.delete_entities", { entityNames: [double] });
    },
    hinder: (state, { double }) => {
      const entities = state.entities.filter(({ name }) => name !== double);
      state.entities.splice(0, state.entities.length, ...entities);
      const relations = state.relations.filter(({ from, to }) => from !== double && to !== double);
      state.relations.splice(0, state.relations.length, ...relations);
    },
  }),
  job({
    name: "remember-new-pupils",
    difficulty: "loop",
    given: (state, dice) => {
      const classes = dice.some(["1a", "1b", "2a", "2c", "3b", "4a"], 3);
      for (const each of classes)
        state.entities.push({
          name: `Class ${each}`,
          entityType: "class",
          observations: [`Room ${dice.fresh(100, 399)}`],
        });
      const [own = ""] = classes;
      const [teacher = "", ...children] = dice.some(PEOPLE, dice.between(3, 6));
      const lines = [
        `# as of ${dice.day()}`,
        `class: ${own}`,
        `teacher: ${teacher}`,
        "pupils:",
        ...children.flatMap((name) => [
          `  - name: ${name}`,
          `    born: ${dice.day().replace("2026", String(dice.between(2016, 2019)))}`,
          `    language: ${dice.one(LANGUAGES)}`,
        ]),
      ];
      return { list: addFile(state, `school/class-${dice.fresh(100, 999)}.yaml`, `${lines.join("\n")}\n`) };
    },
    task: ({ list }) =>
      `My new class list has come: ${list}. Remember every child as a "pupil", noting "Born on 2016-12-31" and "Speaks French at home" as it is for each, and that they attend ("attends") the class named there. You know our classes already, as "Class 5d" and so on.`,
    agent: async ({ list }, call) => {
      const text = await read(call, list);
      const to = `Class ${only(text, /^class: (.+)$/m)}`;
      const children = atLeastOne(found(text, /^ {2}- name: (.+)\n {4}born: (.+)\n {4}language: (.+)$/gm));
      await call("memory.create_entities", {
        entities: children.map(([name = "", born = "", language = ""]) => ({
          name,
          entityType: "pupil",
          observations: [`Born on ${born}`, `Speaks ${language} at home`],
        })),
      });
      await call("memory.create_relations", {
        relations: children.map(([from = ""]) => ({ from, to, relationType: "attends" })),
      });
    },
    hinder: (state, { list }) => {
      const own = ownPath(state, list);
      state.files[own] = (state.files[own] ?? "").replace(/^pupils:\n[^]*$/m, "pupils: []\n");
    },
  }),
  job({
    name: "note-diets",
    difficulty: "choice",
    given: (state, dice) => {
      const people = dice.some(PEOPLE, dice.between(6, 9));
      const coming = people.slice(0, dice.between(3, 5));
      const picky = new Set([people[0], people[1], people.at(-1), dice.one(people)]);
      for (const name of shuffled(dice, people)) {
        const facts = Array.from({ length: dice.between(1, 2) }, () => factAbout(dice));
        if (picky.has(name)) facts.push(`Does not eat ${dice.one(FOODS)}`);
        state.entities.push({ name, entityType: "person", observations: shuffled(dice, facts) });
      }
      const guest = (name: string): string =>
        dice.one([`- ${name}`, `- ${name} (brings ${dice.one(["bread", "cake", "juice"])})`]);
      const lines = [
        `# ${dice.one(["Garden party", "New year's dinner", "Summer lunch"])}, ${dice.day()}`,
        "",
        "## Coming",
        "",
        ...shuffled(dice, coming).map(guest),
        "",
        "## Cannot come",
        "",
        ...people.slice(coming.length).map((name) => `- ${name}`),
      ];
      return {
        guests: addFile(state, `party/guests-${dice.fresh(100, 999)}.md`, `${lines.join("\n")}\n`),
        file: `${state.root}/cook-${dice.fresh(1000, 1999)}.txt`,
      };
    },
    task: ({ guests, file }) =>
      `The cook wants to know who of our guests doesn't eat what. ${guests} says who is coming, and you remember what people do not eat. Put it into ${file} in the order of the list, only those with something, like "John Doe: olives".`,
    agent: async ({ guests, file }, call) => {
      const coming = only(await read(call, guests), /^## Coming\n\n((?:- .+\n)+)/m);
      const names = found(coming, /^- ([^(\n]+?)(?: \(.*\))?$/gm).map(([name = ""]) => name);
      const { entities } = (await call("memory.open_nodes", { names })) as Opened;
      const lines = names.flatMap((name) => {
        const facts = entities.find((each) => each.name === name)?.observations ?? [];
        return facts.flatMap((fact) => {
          const [, food] = DIET.exec(fact) ?? [];
          return food === undefined ? [] : [`${name}: ${food}\n`];
        });
      });
      await call("write_file", { path: file, content: atLeastOne(lines).join("") });
    },
    hinder: (state) => {
      for (const [nth, entity] of state.entities.entries()) {
        const observations = entity.observations.filter((fact) => !DIET.test(fact));
        state.entities[nth] = { ...entity, observations };
      }
    },
  }),
];

const COURSES = [
  "Beekeeping",
  "Bookbinding",
  "First aid",
  "Life drawing",
  "Pottery",
  "Pruning fruit trees",
  "Yoga in the morning",
];
const DISTRICTS = ["Castle Hill", "Harbour", "Old Town", "Riverside", "Station", "University"];

/** Shows a page of a site; its address. */
function addPage(state: EverydayState, path: string, title: string, article: readonly string[]): string {
  state.pages[path] = {
    type: "text/html; charset=utf-8",
    body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
<nav><a href="/">Home</a> <a href="/about">About us</a></nav>
<main>
<h1>${title}</h1>
${article.join("\n")}
</main>
<footer><p>All without guarantee.</p></footer>
</body>
</html>
`,
  };
  return `${state.site}${path}`;
}

const PAGE_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "pick-last-bus",
    difficulty: "choice",
    given: (state, dice) => {
      const [from = "", stop = ""] = dice.some(DISTRICTS, 2);
      const first = dice.between(6, 10);
      const rows = Array.from({ length: dice.between(4, 7) }, (_, nth) => {
        const leaves = timeAt(dice, first + nth, ["04", "11", "17", "22"]);
        const arrives = timeAt(dice, first + nth, ["35", "41", "48", "56"]);
        return `<tr><td>${dice.between(10, 99)}</td><td>${leaves}</td><td>${arrives}</td></tr>`;
      });
      const wanted = first + dice.between(1, rows.length - 1);
      const url = addPage(state, `/buses/${dice.fresh(100, 999)}`, `${from} to ${stop}`, [
        `<p>These buses go from ${from} to ${stop} on all working days. On Sundays and on public holidays there is only one bus an hour, and on 1 January there is none.</p>`,
        `<table>\n<thead><tr><th>Line</th><th>Leaves ${from}</th><th>Arrives ${stop}</th></tr></thead>`,
        `<tbody>\n${rows.join("\n")}\n</tbody>\n</table>`,
        `<p>A ticket costs ${dice.between(2, 5)} euros. Please have the money ready.</p>`,
      ]);
      return {
        stop,
        time: timeAt(dice, wanted, ["00", "30", "45"]),
        url,
        file: `${state.root}/bus-${dice.fresh(1000, 9999)}.txt`,
      };
    },
    task: ({ stop, time, url, file }) =>
      `I have to be at ${stop} by ${time} at the latest. Look up the last bus on ${url} that gets me there in time, and note when it leaves in ${file}, only the time.`,
    agent: async ({ time, url, file }, call) => {
      const page = String(await call("fetch.fetch", { url }));
      const buses = found(page, /^\| \d+ \| (\d\d:\d\d) \| (\d\d:\d\d) \|$/gm);
      const inTime = atLeastOne(buses.filter(([, arrives = ""]) => arrives <= time));
      const [leaves = ""] = inTime.at(-1) ?? [];
      await call("write_file", { path: file, content: `${leaves}\n` });
    },
    hinder: (state, { url }) => {
      const path = url.slice(state.site.length);
      const page = state.pages[path];
      if (page)
        state.pages[path] = { ...page, body: page.body.replace(/<tbody>[^]*<\/tbody>/, "<tbody></tbody>") };
    },
  }),
  job({
    name: "enter-course-dates",
    difficulty: "text",
    given: (state, dice) => {
      const courses = dice.some(COURSES, dice.between(3, 5));
      const sections = courses.flatMap((course) => {
        const begin = dice.between(9, 18);
        const [start, stop] = [
          timeAt(dice, begin, ["00", "15", "30"]),
          timeAt(dice, begin + 2, ["00", "30"]),
        ];
        const days = Array.from({ length: dice.between(2, 5) }, () => dice.day()).toSorted();
        return [
          `<h2>${course}</h2>`,
          `<p>With <em>${dice.one(PEOPLE)}</em> in room ${dice.between(1, 30)}. The fee is ${dice.fresh(20, 300)} euros, materials included.</p>`,
          `<ul>\n${days.map((day) => `<li>${day}, ${start} to ${stop}</li>`).join("\n")}\n</ul>`,
        ];
      });
      const url = addPage(state, `/courses/${dice.fresh(100, 999)}`, "Evening school: our courses", [
        "<p>Everybody is welcome, with or without experience. Please tell us early if you cannot come, so that somebody else can have your place.</p>",
        ...sections,
      ]);
      const entries = Array.from(
        { length: dice.between(1, 4) },
        () =>
          `- ${dice.day()}, ${timeAt(dice, dice.between(8, 19), ["00", "20", "40"])}: ${dice.one(["Dentist", "Haircut", `Lunch with ${dice.one(PEOPLE)}`, "Parents' evening"])}\n`,
      );
      return {
        course: dice.one(courses),
        url,
        diary: addFile(state, `diary-${dice.fresh(100, 999)}.md`, `# Diary\n\n${entries.join("")}`),
      };
    },
    task: ({ course, url, diary }) =>
      `I've signed up for the course "${course}", see ${url}. Add all its dates at the end of ${diary}, written like my other entries, with when it begins and the name of the course: "- 2026-01-31, 18:00: Knitting".`,
    agent: async ({ course, url, diary }, call) => {
      const page = String(await call("fetch.fetch", { url }));
      const section = only(page, new RegExp(`^## ${course}\\n([^#]+)`, "m"));
      const dates = atLeastOne(found(section, /^\s*[*-] (\d{4}-\d\d-\d\d), (\d\d:\d\d) to /gm));
      const entries = dates.map(([day, start]) => `- ${day}, ${start}: ${course}\n`);
      const before = await read(call, diary);
      await call("write_file", { path: diary, content: `${before}${entries.join("")}` });
    },
    hinder: (state, { course, url }) => {
      const path = url.slice(state.site.length);
      const page = state.pages[path];
      if (page)
        state.pages[path] = { ...page, body: page.body.replace(`<h2>${course}</h2>`, "<h2>Tai chi</h2>") };
    },
  }),
  job({
    name: "list-affordable-flats",
    difficulty: "choice",
    given: (state, dice) => {
      const most = dice.between(12, 19) * 50;
      const rents = [most - dice.between(0, 200), most - dice.between(1, 200), most + dice.between(1, 300)];
      for (let more = dice.between(0, 2); more > 0; more--) rents.push(dice.between(500, 1200));
      const districts = dice.some(DISTRICTS, rents.length);
      const links = shuffled(dice, rents).map((rent, nth) => {
        const rooms = dice.one(["One room", "Two rooms", "Three rooms"]);
        const title = `${rooms} in ${districts[nth] ?? ""}`;
        const path = `/flats/${dice.fresh(1000, 9999)}`;
        addPage(state, path, "Flats and rooms", [
          `<h2>${title}</h2>`,
          `<p>Rent: ${rent} euros a month</p>`,
          `<p>Size: ${dice.between(20, 95)} square metres, floor ${dice.between(1, 6)}</p>`,
          `<p>The house was built in ${dice.between(1900, 2015)} and has been painted lately. There is a yard for bicycles, and the shops are ${dice.between(2, 15)} minutes away. Please call ${dice.one(PEOPLE)} if you want to see it.</p>`,
        ]);
        return `<li><a href="${path}">${title}</a></li>`;
      });
      const url = addPage(state, `/flats?page=${dice.fresh(10, 99)}`, "Flats and rooms", [
        "<p>All flats that are free at the moment, the newest ad first. We take an ad away as soon as somebody has signed, so it is worth while to look in again.</p>",
        `<ul>\n${links.join("\n")}\n</ul>`,
      ]);
      return { url, most, file: `${state.root}/flats-${dice.fresh(100, 999)}.md` };
    },
    task: ({ url, most, file }) =>
      `I am looking for a flat. Open every ad on ${url} and list those that cost ${most} euros a month or less in ${file}, in the order of the page, like "- Four rooms in Parkside: 730".`,
    agent: async ({ url, most, file }, call) => {
      const page = String(await call("fetch.fetch", { url }));
      const lines: string[] = [];
      for (const [path = ""] of atLeastOne(found(page, /^\s*[*-] \[.+\]\((.+)\)$/gm))) {
        const ad = String(await call("fetch.fetch", { url: new URL(path, url).href }));
        const rent = Number(only(ad, /^Rent: (\d+) euros/m));
        if (rent <= most) lines.push(`- ${only(ad, /^## (.+)$/m)}: ${rent}\n`);
      }
      await call("write_file", { path: file, content: atLeastOne(lines).join("") });
    },
    hinder: (state) => {
      for (const [path, page] of Object.entries(state.pages))
        state.pages[path] = { ...page, body: page.body.replace(/Rent: (\d+)/, "Rent: 2$1") };
    },
  }),
];

/** What people are glad to be rid of: three kinds each for files, repositories, what is remembered, and pages. */
export const DUTIES_JOBS = [...FOLDER_JOBS, ...REPOSITORY_JOBS, ...GRAPH_JOBS, ...PAGE_JOBS];
