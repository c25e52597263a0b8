import type { JsonObject } from "../../src/core/json/json.ts";
import { addressOf, type Dice, PEOPLE } from "./dice.ts";
import { addFile, type EverydayState, ownPath } from "./everyday-state.ts";
import { type Call, type Job, refused } from "./job.ts";
import { atLeastOne, found, only } from "./papers.ts";
import type { Repository } from "./repositories.ts";

const MODULES = ["basket", "billing", "calendar", "checkout", "gallery", "profile", "reports", "signup"];
const TOWNS = ["Aarhus", "Bilbao", "Ghent", "Linz", "Malmo", "Porto", "Turin", "Utrecht"];
const DISHES = ["Apple cake", "Bean stew", "Lentil soup", "Onion tart", "Pea risotto", "Plum crumble"];

function job<Told extends JsonObject>(made: Job<EverydayState, Told>): Job<EverydayState> {
  return made;
}

async function read(call: Call, path: string): Promise<string> {
  const { content } = await call("read_text_file", { path });
  return String(content);
}

const handleOf = (person: string): string => person.toLowerCase().replace(" ", "-");

/** Days around one in the middle of the year: so many before it, or after it where that is less than nothing. */
function dayBefore(middle: number, days: number): string {
  return new Date(Date.UTC(2026, 0, middle - days)).toISOString().slice(0, 10);
}

const guest = (name: string, person: string, dice: Dice): string =>
  [name, addressOf(person), dice.one(["vegan", "vegetarian", "no nuts", "anything"])].join(",");

const errand = (dice: Dice): string =>
  dice.one([
    `Send the offer to ${dice.one(PEOPLE)}, no. ${dice.fresh(100, 999)}`,
    `Order ${dice.fresh(1000, 1999)} envelopes`,
    `Call ${dice.one(PEOPLE)} back on extension ${dice.fresh(2000, 2999)}`,
    `Have printer ${dice.fresh(10, 99)} repaired`,
  ]);

const FOLDER_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "move-overdue-drafts",
    difficulty: "choice",
    given: (state, dice) => {
      const folder = `posts-${dice.fresh(10, 99)}`;
      const middle = dice.between(90, 240);
      const isDraft = [true, true, false];
      const late = [dice.fresh(1, 80), -dice.fresh(81, 160), dice.fresh(1, 80)];
      for (let more = dice.between(1, 3); more > 0; more--) {
        isDraft.push(dice.one([true, false]));
        late.push(dice.one([1, -1]) * dice.fresh(1, 120));
      }
      for (const [nth, days] of late.entries()) {
        const [topic, town] = [dice.one(["A walk", "A week", "Dinner", "Winter"]), dice.one(TOWNS)];
        const lines = [
          "---",
          `title: ${topic} in ${town}`,
          `author: ${dice.one(PEOPLE)}`,
          `status: ${isDraft[nth] === true ? "draft" : "published"}`,
          `due: ${dayBefore(middle, days)}`,
          "---",
          "",
          `${topic} in ${town} is always worth a few lines.`,
        ];
        const slug = `${topic} ${town}`.toLowerCase().replaceAll(" ", "-");
        addFile(state, `${folder}/${slug}-${dice.fresh(100, 999)}.md`, `${lines.join("\n")}\n`);
      }
      return { folder: `${state.root}/${folder}`, day: dayBefore(middle, 0) };
    },
    task: ({ folder, day }) =>
      `Please go through the posts in ${folder} and move every draft that was due before ${day} to a folder "overdue" in there.`,
    agent: async ({ folder, day }, call) => {
      const { content } = await call("list_directory", { path: folder });
      const overdue: string[] = [];
      for (const [name = ""] of found(String(content), /^\[FILE\] (.+\.md)$/gm)) {
        const post = await read(call, `${folder}/${name}`);
        const [, due] = /^---\n(?:.+\n)*status: draft\ndue: (.+)\n---\n/.exec(post) ?? [];
        if (due !== undefined && due < day) overdue.push(name);
      }
      atLeastOne(overdue);
      await call("create_directory", { path: `${folder}/overdue` });
      for (const name of overdue)
        await call("move_file", {
          source: `${folder}/${name}`,
          destination: `${folder}/overdue/${name}`,
        });
    },
    hinder: (state, { folder }) => {
      const own = ownPath(state, folder);
      const path = Object.keys(state.files).find((each) => each.startsWith(own)) ?? "";
      state.files[path] = "Only a thought so far, nothing is decided.\n";
    },
  }),
  job({
    name: "merge-guest-lists",
    difficulty: "loop",
    given: (state, dice) => {
      const people = dice.some(PEOPLE, dice.between(6, 9));
      const [own, both] = [people.slice(0, 4), people.slice(1, dice.between(2, 4))];
      const mine = own.map((person) => guest(person, person, dice));
      const hers = dice.some([...both, ...people.slice(4)], people.length).map((person) => {
        const short = person.replace(/^(.)\S+/, "$1.");
        return guest(both.includes(person) ? short : person, person, dice);
      });
      const header = "name,email,diet";
      const nth = dice.fresh(10, 99);
      const list = (path: string, rows: readonly string[]): string =>
        addFile(state, path, `${[header, ...rows].join("\n")}\n`);
      return {
        mine: list(`guests-${nth}.csv`, mine),
        hers: list(`guests-${dice.one(["greta", "mina", "olga"])}-${nth}.csv`, hers),
        merged: `${state.root}/all-guests-${dice.fresh(100, 999)}.csv`,
      };
    },
    task: ({ mine, hers, merged }) =>
      `We have both kept a list of the guests: mine is ${mine}, hers is ${hers}. Make one list of them in ${merged}: mine as it is, and after it those of hers who are not on mine. Go by the e-mail addresses, names are not always written alike.`,
    agent: async ({ mine, hers, merged }, call) => {
      const [own, other] = [await read(call, mine), await read(call, hers)];
      const known = new Set(found(own, /^.+,(.+@.+),.+$/gm).map(([address]) => address));
      const more = found(other, /^(.+,(.+@.+),.+)$/gm).filter(([, address]) => !known.has(address));
      await call("write_file", {
        path: merged,
        content: `${own}${more.map(([row]) => `${row}\n`).join("")}`,
      });
    },
    hinder: (state, { hers }) => {
      delete state.files[ownPath(state, hers)];
    },
  }),
  job({
    name: "roll-over-todos",
    difficulty: "text",
    given: (state, dice) => {
      const week = dice.between(4, 48);
      const archive = `archive-${dice.fresh(10, 99)}`;
      const marks = [
        "x",
        " ",
        " ",
        ...Array.from({ length: dice.between(1, 4) }, () => dice.one(["x", " "])),
      ];
      const items = dice.some(marks, marks.length).map((mark) => `- [${mark}] ${errand(dice)}`);
      addFile(state, `${archive}/week-${week - 1}.md`, `# Week ${week - 1}\n\n- [x] ${errand(dice)}\n`);
      const file = addFile(
        state,
        `todo-${dice.fresh(100, 999)}.md`,
        `# Week ${week}\n\n${items.join("\n")}\n`,
      );
      return { file, archive: `${state.root}/${archive}`, next: week + dice.between(1, 3) };
    },
    task: ({ file, archive, next }) =>
      `Begin week ${next} in ${file}: put the list that is there away in ${archive}, named after its own week like the one that is there already, and write a new one with the heading "Week ${next}" and everything that is still to be done.`,
    agent: async ({ file, archive, next }, call) => {
      const list = await read(call, file);
      const week = only(list, /^# Week (\d+)$/m);
      const open = found(list, /^(- \[ \] .+)$/gm).map(([item]) => `${item}\n`);
      await call("move_file", { source: file, destination: `${archive}/week-${week}.md` });
      await call("write_file", { path: file, content: `# Week ${next}\n\n${open.join("")}` });
    },
    hinder: (state, { file }) => {
      const own = ownPath(state, file);
      state.files[own] = (state.files[own] ?? "").replace(/^# Week \d+\n/, "# To do\n");
    },
  }),
];

function addRepository(state: EverydayState, dice: Dice, files: Record<string, string>): Repository {
  const name = `${dice.one(["acorn", "bramble", "clover", "thistle"])}-${dice.fresh(10, 99)}`;
  const commits = [
    { author: PEOPLE[2], message: "Begin\n", files: { "README.md": `# ${name}\n`, ...files } },
  ];
  const repository: Repository = { name, commits, branches: {}, changed: {} };
  state.repositories.push(repository);
  return repository;
}

function addCommit({ commits }: Repository, dice: Dice, author: string): void {
  const module = dice.one(MODULES);
  const message = `${dice.one(["Simplify", "Speed up", "Test", "Translate"])} the ${module}\n`;
  commits.push({
    author,
    message,
    files: { [`src/${module}-${dice.fresh(100, 999)}.py`]: `# ${dice.fresh(1000, 9999)}\n` },
  });
}

const TITLES = [
  "Login fails on Safari",
  "Export loses accents",
  "Dates are one day off",
  "Search finds deleted notes",
  "Menu covers the map",
  "Print view cuts tables",
  "Uploads stop at 2 GB",
  "Totals ignore discounts",
];

const REPOSITORY_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "ignore-folder",
    difficulty: "single",
    given: (state, dice) => {
      const ignored = dice.some(
        ["*.log", "*.tmp", ".env", "node_modules/", "__pycache__/"],
        dice.between(2, 4),
      );
      const repository = addRepository(state, dice, { ".gitignore": `${ignored.join("\n")}\n` });
      addCommit(repository, dice, dice.one(PEOPLE));
      const folder = `${dice.one(["build", "coverage", "dist", "out"])}-${dice.fresh(100, 999)}`;
      repository.changed[`${folder}/main.txt`] = `${dice.fresh(1000, 9999)}\n`;
      return { repo: `${state.root}/${repository.name}`, folder };
    },
    task: ({ repo, folder }) =>
      `Add the folder ${folder}/ to the end of the .gitignore of ${repo} and commit that as "Ignore ${folder}".`,
    agent: async ({ repo, folder }, call) => {
      const path = `${repo}/.gitignore`;
      const ignored = await read(call, path);
      await call("write_file", { path, content: `${ignored}${folder}/\n` });
      await call("git.git_add", { repo_path: repo, files: [".gitignore"] });
      await call("git.git_commit", { repo_path: repo, message: `Ignore ${folder}` });
    },
    hinder: (state) => {
      for (const { commits } of state.repositories)
        commits[0] = { author: PEOPLE[2], message: "Begin\n", files: { "README.md": "# Nothing\n" } };
    },
  }),
  job({
    name: "credit-authors",
    difficulty: "loop",
    given: (state, dice) => {
      const repository = addRepository(state, dice, {});
      const authors = dice.some(PEOPLE, dice.between(2, 4));
      for (const author of authors) addCommit(repository, dice, author);
      for (let more = dice.between(3, 5); more > 0; more--) addCommit(repository, dice, dice.one(authors));
      const repo = `${state.root}/${repository.name}`;
      return { repo, count: dice.between(4, 6), file: `${state.root}/credits-${dice.fresh(10, 99)}.md` };
    },
    task: ({ repo, count, file }) =>
      `Who made the last ${count} commits in ${repo}? Write a list to ${file}: a heading "Credits", then a bullet for each person with the number of these commits in brackets, whoever committed last first.`,
    agent: async ({ repo, count, file }, call) => {
      const log = String(await call("git.git_log", { repo_path: repo, max_count: count }));
      const counts = new Map<string, number>();
      for (const [author = ""] of found(log, /^Author: (.+)$/gm))
        counts.set(author, (counts.get(author) ?? 0) + 1);
      const bullets = [...counts].map(([author, commits]) => `- ${author} (${commits})\n`);
      await call("write_file", { path: file, content: `# Credits\n\n${bullets.join("")}` });
    },
    hinder: (state) => void state.repositories.splice(0),
  }),
  job({
    name: "branch-for-issue",
    difficulty: "fails",
    given: (state, dice) => {
      const repository = addRepository(state, dice, {});
      for (const author of dice.some(PEOPLE, 2)) addCommit(repository, dice, author);
      const issues = `issues-${dice.fresh(10, 99)}`;
      const numbers = dice.some(TITLES, dice.between(2, 4)).map((title) => {
        const number = dice.fresh(100, 999);
        const lines = [
          `# ${title}`,
          "",
          `- Labels: ${dice.some(["bug", "mobile", "urgent", "web"], 2).join(", ")}`,
          `- Reported by: ${dice.one(PEOPLE)}`,
          `- Opened: ${dice.day()}`,
          "",
          `It has been so since release ${dice.between(1, 9)}.${dice.fresh(10, 99)}.`,
        ];
        addFile(state, `${issues}/${number}.md`, `${lines.join("\n")}\n`);
        return number;
      });
      const repo = `${state.root}/${repository.name}`;
      return { repo, issues: `${state.root}/${issues}`, number: dice.one(numbers) };
    },
    task: ({ repo, issues, number }) =>
      `I want to work on issue ${number} (see ${issues}). Make a branch for it from main in ${repo} and switch to it. Its name is the number and the title, all in small letters with hyphens, like 7-fix-the-typo. If there is one already, just switch to it.`,
    agent: async ({ repo, issues, number }, call) => {
      const title = only(await read(call, `${issues}/${number}.md`), /^# (.+)$/m);
      const branch_name = `${number}-${title.toLowerCase().replaceAll(" ", "-")}`;
      await refused(call("git.git_create_branch", { repo_path: repo, branch_name, base_branch: "main" }));
      await call("git.git_checkout", { repo_path: repo, branch_name });
    },
    hinder: (state, { issues, number }) => {
      const issue = state.files[`${ownPath(state, issues)}/${number}.md`] ?? "";
      const branch = `${number}-${only(issue, /^# (.+)$/m)
        .toLowerCase()
        .replaceAll(" ", "-")}`;
      for (const { branches } of state.repositories) branches[branch] = 2;
    },
  }),
];

interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

async function relationsOf(call: Call, name: string): Promise<readonly Relation[]> {
  const { relations } = await call("memory.open_nodes", { names: [name] });
  return relations as readonly Relation[];
}

const GOODS = ["candles", "coffee", "green tea", "honey", "lemonade", "olives", "rye bread", "soap"];

const GRAPH_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "note-code-owner",
    difficulty: "single",
    given: (state, dice) => {
      const modules = dice.some(MODULES, 3);
      const people = dice.some(PEOPLE, 4);
      for (const name of people)
        state.entities.push({
          name,
          entityType: "person",
          observations: [
            `Joined in ${dice.between(2012, 2025)}`,
            `GitHub: @${handleOf(name)}-${dice.fresh(10, 99)}`,
            `Lives in ${dice.one(TOWNS)}`,
          ],
        });
      for (const [nth, module] of modules.entries()) {
        state.entities.push({ name: module, entityType: "module", observations: ["Written in Python"] });
        state.relations.push({ from: people[3] ?? "", to: module, relationType: "wrote" });
        state.relations.push({ from: people[nth] ?? "", to: module, relationType: "maintains" });
      }
      const lines = ["# Who is asked to review", "* @core-team", `/docs/ @${handleOf(dice.one(PEOPLE))}`];
      const file = addFile(state, `app-${dice.fresh(100, 999)}/CODEOWNERS`, `${lines.join("\n")}\n`);
      return { module: dice.one(modules), file };
    },
    task: ({ module, file }) =>
      `Do you remember who maintains the module ${module}? Add a line for /src/${module}/ with the GitHub handle at the end of ${file}, like the lines that are there.`,
    agent: async ({ module, file }, call) => {
      const maintains = (await relationsOf(call, module)).filter(
        ({ to, relationType }) => to === module && relationType === "maintains",
      );
      const [owner] = atLeastOne(maintains);
      const { entities } = await call("memory.open_nodes", { names: [owner?.from ?? ""] });
      const handle = only((entities[0]?.observations ?? []).join("\n"), /^GitHub: (@.+)$/m);
      const owners = await read(call, file);
      await call("write_file", { path: file, content: `${owners}/src/${module}/ ${handle}\n` });
    },
    hinder: (state, { module }) => {
      const at = state.relations.findIndex(
        ({ to, relationType }) => to === module && relationType === "maintains",
      );
      state.relations.splice(at, 1);
    },
  }),
  job({
    name: "end-supplies",
    difficulty: "choice",
    given: (state, dice) => {
      const firms = ["Brink & Sons", "Ferro Foods", "Halm Trading", "Nordwind", "Tolka Mill"];
      const [firm = "", other = ""] = dice.some(firms, 2);
      const town = dice.one(TOWNS);
      state.entities.push({
        name: town,
        entityType: "town",
        observations: [`Has ${dice.fresh(10, 99)} shops`],
      });
      for (const name of [firm, other]) {
        state.entities.push({
          name,
          entityType: "company",
          observations: [`Customer number ${dice.fresh(1000, 9999)}`],
        });
        state.relations.push({ from: name, to: town, relationType: "located in" });
      }
      for (const [nth, name] of dice.some(GOODS, dice.between(4, 6)).entries()) {
        state.entities.push({ name, entityType: "product", observations: [`Shelf ${dice.fresh(100, 400)}`] });
        const relationType = nth < 2 ? "supplies" : dice.one(["supplies", "used to supply", "exhibits"]);
        state.relations.push({ from: firm, to: name, relationType });
        if (nth !== 1) state.relations.push({ from: other, to: name, relationType: "supplies" });
      }
      return { firm, day: dice.day() };
    },
    task: ({ firm, day }) =>
      `${firm} stopped supplying us on ${day}. Take everything it supplies out of your memory, but leave its other relations and what others supply, and note with it: "Supplied us until ${day}".`,
    agent: async ({ firm, day }, call) => {
      const supplies = (await relationsOf(call, firm)).filter(
        ({ from, relationType }) => from === firm && relationType === "supplies",
      );
      const relations = atLeastOne(supplies).map(({ from, to, relationType }) => ({
        from,
        to,
        relationType,
      }));
      await call("memory.delete_relations", { relations });
      await call("memory.add_observations", {
        observations: [{ entityName: firm, contents: [`Supplied us until ${day}`] }],
      });
    },
    hinder: (state, { firm }) => {
      const others = state.relations.filter(({ from }) => from !== firm);
      state.relations.splice(0, state.relations.length, ...others);
    },
  }),
  job({
    name: "note-attendance",
    difficulty: "loop",
    given: (state, dice) => {
      const people = dice.some(PEOPLE, dice.between(5, 8));
      for (const name of people)
        state.entities.push({ name, entityType: "person", observations: [`Speaks for ${dice.one(TOWNS)}`] });
      const count = dice.between(2, people.length - 2);
      const lines = [
        `# Minutes of ${dice.day()}`,
        "",
        `Present: ${people.slice(0, count).join(", ")}`,
        `Excused: ${people.slice(count, count + 1).join(", ")}`,
        `Chair: ${people[0]}`,
        "",
        "## Decisions",
        "",
        `- The fee is raised to ${dice.fresh(20, 90)} euros.`,
        `- The hall in ${dice.one(TOWNS)} is rented again.`,
      ];
      return { minutes: addFile(state, `minutes-${dice.fresh(100, 999)}.md`, `${lines.join("\n")}\n`) };
    },
    task: ({ minutes }) =>
      `Read the minutes in ${minutes} and remember of everyone who was present that they came: "Came to the meeting of", and the day of the minutes.`,
    agent: async ({ minutes }, call) => {
      const text = await read(call, minutes);
      const contents = [`Came to the meeting of ${only(text, /^# Minutes of (.+)$/m)}`];
      const present = only(text, /^Present: (.+)$/m).split(", ");
      const observations = present.map((entityName) => ({ entityName, contents }));
      await call("memory.add_observations", { observations });
    },
    hinder: (state, { minutes }) => {
      const own = ownPath(state, minutes);
      state.files[own] = (state.files[own] ?? "").replace(/^Present: .*\n/m, "");
    },
  }),
];

/** Shows a page as sites have them; its address. */
function addPage(state: EverydayState, path: string, title: string, main: readonly string[]): string {
  state.pages[path] = {
    type: "text/html; charset=utf-8",
    body: `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><header><nav><a href="/">Start</a> <a href="/all">All</a></nav></header>
<main><article><h1>${title}</h1>
${main.join("\n")}
</article></main>
<footer><p>Made with care.</p></footer></body></html>`,
  };
  return `${state.site}${path}`;
}

const addressIn = (town: string, dice: Dice): string =>
  `${dice.one(["Mill", "Harbour", "Station", "Garden"])} Street ${dice.fresh(1, 180)}, ${dice.fresh(1000, 9999)} ${town}`;

const INGREDIENTS = [
  ["g", 25, 500, ["flour", "butter", "brown sugar", "peas", "red lentils", "white beans"]],
  ["ml", 10, 900, ["milk", "olive oil", "cream", "vegetable stock"]],
  ["tsp", 1, 9, ["salt", "cinnamon", "baking powder", "black pepper"]],
] as const;

const PAGE_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "update-moved-address",
    difficulty: "text",
    given: (state, dice) => {
      const towns = dice.some(TOWNS, 4);
      const moved = dice.some(towns, 3);
      const news = moved.map((town) => {
        const more = dice.one([
          "The phone numbers stay as they are.",
          `It has ${dice.fresh(181, 300)} desks and a garden.`,
          `Ask for ${dice.one(PEOPLE)} at the door.`,
        ]);
        return `<p>Since ${dice.day()} our office in ${town} is at <b>${addressIn(town, dice)}</b>. ${more}</p>`;
      });
      const url = addPage(state, `/news/${dice.fresh(301, 999)}`, "We have moved", [
        "<p>This has been a year of boxes and of new keys for many of us.</p>",
        ...news,
        "<p>Come and see us, there is always coffee.</p>",
      ]);
      const rows = towns.map(
        (town) =>
          `| ${town} | ${addressIn(town, dice)} | +${dice.between(30, 49)} ${dice.fresh(10000, 99999)} |`,
      );
      const table = `# Offices\n\n| Office | Address | Phone |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
      return {
        url,
        town: dice.one(moved),
        file: addFile(state, `offices-${dice.fresh(10000, 10999)}.md`, table),
      };
    },
    task: ({ url, town, file }) =>
      `The office in ${town} has moved, see ${url}. Put its new address into the table in ${file} in place of the old one.`,
    agent: async ({ url, town, file }, call) => {
      const page = String(await call("fetch.fetch", { url }));
      const address = only(page, new RegExp(`our office in ${town} is at \\*\\*(.+?)\\*\\*`));
      const old = only(await read(call, file), new RegExp(`^\\| ${town} \\| (.+?) \\|`, "m"));
      await call("edit_file", {
        path: file,
        edits: [{ oldText: `| ${town} | ${old} |`, newText: `| ${town} | ${address} |` }],
      });
    },
    hinder: (state, { url, town }) => {
      const path = url.slice(state.site.length);
      const page = state.pages[path];
      if (page)
        state.pages[path] = {
          ...page,
          body: page.body.replace(`our office in ${town} is at`, `our shop in ${town} is closed, it was at`),
        };
    },
  }),
  job({
    name: "shop-for-recipe",
    difficulty: "choice",
    given: (state, dice) => {
      const needed = INGREDIENTS.flatMap(([unit, least, most, names]) =>
        dice
          .some(names, dice.between(1, 3))
          .map((name) => ({ name, amount: `${dice.fresh(least, most)} ${unit}` })),
      );
      const items = needed.map(({ name, amount }) => `<li>${amount} ${name}</li>`);
      const dish = dice.one(DISHES);
      const url = addPage(
        state,
        `/recipes/${dish.toLowerCase().replace(" ", "-")}-${dice.fresh(401, 999)}`,
        dish,
        [
          `<p>For ${dice.between(2, 8)} people. It takes an hour, most of which you may spend with a book.</p>`,
          `<h2>Ingredients</h2>\n<ul>\n${items.join("\n")}\n</ul>`,
          "<h2>Method</h2>\n<ol>\n<li>Mix everything well.</li>\n<li>Bake or boil it until it is done.</li>\n</ol>",
        ],
      );
      const names = needed.map(({ name }) => name);
      const home = [...dice.some(names, dice.between(1, names.length - 2)), "rice", "vinegar"];
      const shopping = dice.some(["1 loaf of bread", "6 eggs", "2 lemons", "toothpaste"], 2);
      const list = (path: string, title: string, each: readonly string[]): string =>
        addFile(state, path, `# ${title}\n\n${each.map((item) => `- ${item}\n`).join("")}`);
      return {
        url,
        pantry: list(`pantry-${dice.fresh(10, 99)}.md`, "At home", dice.some(home, home.length)),
        shopping: list(`shopping-${dice.fresh(1000, 1999)}.md`, "Shopping", shopping),
      };
    },
    task: ({ url, pantry, shopping }) =>
      `We want to cook ${url} tonight. Add the ingredients to the end of our shopping list, ${shopping}, except for what we have at home, which is in ${pantry}.`,
    agent: async ({ url, pantry, shopping }, call) => {
      const recipe = String(await call("fetch.fetch", { url }));
      const ingredients = atLeastOne(found(recipe, /^\s*[*-] (\d+ \w+ (.+))$/gm));
      const home = new Set(found(await read(call, pantry), /^- (.+)$/gm).map(([name]) => name));
      const missing = ingredients.filter(([, name]) => !home.has(name));
      const list = await read(call, shopping);
      const bullets = missing.map(([item]) => `- ${item}\n`);
      await call("write_file", { path: shopping, content: `${list}${bullets.join("")}` });
    },
    hinder: (state, { url }) => {
      delete state.pages[url.slice(state.site.length)];
    },
  }),
  job({
    name: "mark-dead-links",
    difficulty: "fails",
    given: (state, dice) => {
      const alive = dice.some([true, false, true, dice.one([true, false])], dice.between(3, 4));
      if (!alive.includes(false)) alive[alive.length - 1] = false;
      const bullets = alive.map((isAlive) => {
        const title = `${dice.one(["Baking", "Building", "Walking", "Writing"])} in ${dice.one(TOWNS)}`;
        const url = addPage(state, `/guides/${dice.fresh(1000, 9999)}`, title, [
          `<p>All that ${dice.one(PEOPLE)} has learned about it in ${dice.between(3, 30)} years.</p>`,
        ]);
        if (!isAlive) delete state.pages[url.slice(state.site.length)];
        return `- [${title}](${url})`;
      });
      const text = `# Links\n\nWhat we have read:\n\n${bullets.join("\n")}\n`;
      return { file: addFile(state, `links-${dice.fresh(100, 999)}.md`, text) };
    },
    task: ({ file }) =>
      `Try all the links in ${file}, and put " (dead)" behind those that cannot be opened any more.`,
    agent: async ({ file }, call) => {
      const links = found(await read(call, file), /\]\((\S+)\)/g);
      const dead: string[] = [];
      for (const [url = ""] of links) if (await refused(call("fetch.fetch", { url }))) dead.push(url);
      const edits = atLeastOne(dead).map((url) => ({ oldText: `(${url})`, newText: `(${url}) (dead)` }));
      await call("edit_file", { path: file, edits });
    },
    hinder: (state) => {
      for (const path of Object.keys(state.pages)) delete state.pages[path];
    },
  }),
];

/** What people hand over to an assistant: three kinds of work each for files, repositories, what is remembered, and pages. */
export const HANDOVERS_JOBS = [...FOLDER_JOBS, ...REPOSITORY_JOBS, ...GRAPH_JOBS, ...PAGE_JOBS];
