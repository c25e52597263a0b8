import type { JsonObject } from "../../src/core/json/json.ts";
import { addressOf, type Dice, PEOPLE } from "./dice.ts";
import { addFile, type Entity, type EverydayState, ownPath } from "./everyday-state.ts";
import { type Job, refused } from "./job.ts";
import { atLeastOne, found, only } from "./papers.ts";
import type { Repository } from "./repositories.ts";

const PARTS = ["archive", "basket", "calendar", "directory", "export", "feed", "gallery", "history"];
const PROJECTS = ["Amber", "Basalt", "Cinder", "Delta", "Ember", "Flint"];
const HOSTS = ["anchor", "beacon", "cradle", "dynamo", "engine"];

function job<Told extends JsonObject>(made: Job<EverydayState, Told>): Job<EverydayState> {
  return made;
}

function addRepository(
  state: EverydayState,
  dice: Dice,
  files: Readonly<Record<string, string>>,
): Repository {
  const name = `${dice.one(["abacus", "lantern", "sextant", "telescope"])}-${dice.fresh(10, 99)}`;
  const commits = [{ author: PEOPLE[1], message: "Begin\n", files }];
  const repository: Repository = { name, commits, branches: {}, changed: {} };
  state.repositories.push(repository);
  return repository;
}

const DEVELOPERS_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "log-fixes",
    difficulty: "text",
    given: (state, dice) => {
      const last = `0.${dice.fresh(1, 40)}.${dice.between(0, 9)}`;
      const repository = addRepository(state, dice, {
        "CHANGELOG.md": `# Changelog\n\n## ${last} (${dice.day()})\n\n- ${dice.one(["Say what is wrong", "Start sooner"])}\n`,
      });
      const commit = (message: string): void => {
        const files = {
          [`src/${dice.one(PARTS)}-${dice.fresh(100, 999)}.js`]: `${dice.fresh(1000, 9999)}\n`,
        };
        repository.commits.push({ author: dice.one(PEOPLE), message: `${message}\n`, files });
      };
      const fix = (): void =>
        commit(
          `fix: ${dice.one(["close", "count", "draw", "sort"])} the ${dice.one(PARTS)} ${dice.one(["once", "again", "in time"])}`,
        );
      if (dice.one([true, false])) fix();
      commit(`chore: release ${last}`);
      for (const nth of dice.some([0, 1, 2, 3, 4], dice.between(4, 5)))
        if (nth < 2) fix();
        else commit(`${dice.one(["feat", "docs", "test"])}: ${dice.one(PARTS)} for ${dice.one(HOSTS)}`);
      const repo = `${state.root}/${repository.name}`;
      const next = `0.${dice.fresh(41, 90)}.0`;
      return { repo, file: `${repo}/CHANGELOG.md`, version: next, day: dice.day() };
    },
    task: ({ repo, file, version, day }) =>
      `Add a section "${version} (${day})" to ${file}, above the others: a bullet for every fix in ${repo} since the last release, with its message without "fix: ".`,
    agent: async ({ repo, file, version, day }, call) => {
      const log = String(await call("git.git_log", { repo_path: repo, max_count: 50 }));
      const [since = ""] = log.split(/^Message: chore: release /m);
      const fixes = atLeastOne(found(since, /^Message: fix: (.+)$/gm)).map(([what = ""]) => `- ${what}`);
      await call("read_text_file", { path: file, head: 20 });
      const section = `# Changelog\n\n## ${version} (${day})\n\n${fixes.join("\n")}\n`;
      await call("edit_file", { path: file, edits: [{ oldText: "# Changelog\n", newText: section }] });
    },
    hinder: (state) => {
      for (const { commits } of state.repositories)
        while (commits.at(-1)?.message.startsWith("chore: release") === false) commits.pop();
    },
  }),
  job({
    name: "replace-host",
    difficulty: "loop",
    given: (state, dice) => {
      const [old = "", other = "", next = ""] = dice
        .some(HOSTS, 3)
        .map((host) => `${host}-${dice.fresh(10, 99)}.example.net`);
      const folder = `deploy-${dice.fresh(100, 999)}`;
      for (const [nth, part] of dice.some(PARTS, dice.between(4, 6)).entries()) {
        const host = nth < 2 ? old : nth === 2 ? other : dice.one([old, other]);
        const cache = dice.one(["", `CACHE_HOST=${dice.one([old, other])}\n`]);
        const settings = `DB_HOST=${host}\nDB_PORT=${dice.fresh(5000, 5999)}\n${cache}LOG=${dice.one(["info", "debug"])}\n`;
        addFile(state, `${folder}/${part}/prod.env`, settings);
        addFile(state, `${folder}/${part}/README.md`, `Runs the ${part}, with the database on ${host}.\n`);
      }
      return { folder: `${state.root}/${folder}`, old, next };
    },
    task: ({ folder, old, next }) =>
      `The database moves from ${old} to ${next}: change DB_HOST in the .env files below ${folder} that have the old one.`,
    agent: async ({ folder, old, next }, call) => {
      const { content } = await call("search_files", { path: folder, pattern: "**/*.env" });
      for (const [path = ""] of atLeastOne(found(String(content), /^(\/.+\.env)$/gm))) {
        const { content: settings } = await call("read_text_file", { path });
        const line = `DB_HOST=${old}`;
        if (String(settings).split("\n").includes(line))
          await call("edit_file", { path, edits: [{ oldText: line, newText: `DB_HOST=${next}` }] });
      }
    },
    hinder: (state, { old }) => {
      for (const [path, text] of Object.entries(state.files))
        state.files[path] = text.replace(`DB_HOST=${old}`, "DB_HOST=localhost");
    },
  }),
  job({
    name: "commit-note-on-branch",
    difficulty: "fails",
    given: (state, dice) => {
      const files = Object.fromEntries(PARTS.map((part) => [`notes/${part}.md`, `# ${part}\n`] as const));
      const repository = addRepository(state, dice, files);
      const branch = `${dice.one(["docs", "notes"])}/${dice.one(PARTS)}-${dice.fresh(100, 999)}`;
      const what = `${dice.one(["Retries", "Time-outs", "Limits"])} of the ${dice.one(PARTS)}: ${dice.fresh(2, 60)}`;
      const file = `notes/decision-${dice.fresh(1000, 9999)}.md`;
      return { repo: `${state.root}/${repository.name}`, branch, file, what };
    },
    task: ({ repo, branch, file, what }) =>
      `On the branch ${branch} of ${repo}, which you make from main if there is none, write "${what}" in the new file ${file} and commit it as "Note: ${what}".`,
    agent: async ({ repo, branch, file, what }, call) => {
      if (await refused(call("git.git_checkout", { repo_path: repo, branch_name: branch }))) {
        await call("git.git_create_branch", { repo_path: repo, branch_name: branch, base_branch: "main" });
        await call("git.git_checkout", { repo_path: repo, branch_name: branch });
      }
      await call("write_file", { path: `${repo}/${file}`, content: `${what}\n` });
      await call("git.git_add", { repo_path: repo, files: [file] });
      await call("git.git_commit", { repo_path: repo, message: `Note: ${what}` });
    },
    hinder: (state, { branch }) => {
      for (const { branches, commits } of state.repositories) branches[branch] = commits.length;
    },
  }),
  job({
    name: "log-hours",
    difficulty: "fails",
    given: (state, dice) => {
      const project = `${dice.one(PROJECTS)} ${dice.fresh(10, 99)}`;
      const entries = Array.from(
        { length: dice.between(1, 3) },
        () => `| ${dice.day()} | ${dice.between(1, 8)} h | ${dice.one(["Plans", "Tests", "Calls"])} |\n`,
      );
      const heading = `# Hours for ${project}\n\n| Day | Time | What |\n| --- | --- | --- |\n`;
      const file = addFile(state, `hours-${dice.fresh(100, 999)}.md`, `${heading}${entries.join("")}`);
      const what = `${dice.one(["Repair of", "Review of", "Talk about"])} the ${dice.one(PARTS)}`;
      return { file, project, day: dice.day(), hours: dice.between(1, 9), what };
    },
    task: ({ file, project, day, hours, what }) =>
      `Add ${hours} hours on ${day} for "${what}" to the table in ${file}. If there is no such file, begin it, for ${project}.`,
    agent: async ({ file, project, day, hours, what }, call) => {
      let text = `# Hours for ${project}\n\n| Day | Time | What |\n| --- | --- | --- |\n`;
      await refused(call("read_text_file", { path: file }).then(({ content }) => (text = String(content))));
      await call("write_file", { path: file, content: `${text}| ${day} | ${hours} h | ${what} |\n` });
    },
    hinder: (state, { file }) => {
      delete state.files[ownPath(state, file)];
    },
  }),
];

const ZONES = ["Africa/Lagos", "America/Bogota", "Asia/Dubai", "Asia/Jakarta", "Asia/Manila"];

const OFFICE_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "enter-receipts",
    difficulty: "loop",
    given: (state, dice) => {
      state.tables.push(
        "CREATE TABLE expenses (receipt TEXT PRIMARY KEY, person TEXT NOT NULL, shop TEXT, day TEXT, total REAL)",
        `INSERT INTO expenses VALUES ('B-${dice.fresh(10000, 99999)}', '${PEOPLE[3]}', 'Kiosk', '2025-11-02', 3.5)`,
      );
      const folder = `receipts-${dice.fresh(100, 999)}`;
      for (let nth = dice.between(2, 4); nth > 0; nth--) {
        const items = dice.some(["Paper", "Pens", "Stamps", "Tape"], dice.between(1, 3));
        const lines = items.map((item) => `${item.padEnd(12)}${dice.fresh(1, 40)}.${dice.between(10, 99)}`);
        const head = `${dice.one(["PAPER MILL", "Desk & Chair", "Post"])}\nReceipt B-${dice.fresh(10000, 99999)}   ${dice.day()}\n`;
        const total = `TOTAL EUR   ${dice.fresh(41, 300)}.${dice.between(11, 99)}\n`;
        addFile(
          state,
          `${folder}/scan-${dice.fresh(1000, 9999)}.txt`,
          `${head}\n${lines.join("\n")}\n${total}Paid by card\n`,
        );
      }
      if (dice.one([true, false])) addFile(state, `${folder}/todo.md`, "Ask for the missing one.\n");
      return { folder: `${state.root}/${folder}`, person: dice.one(PEOPLE) };
    },
    task: ({ folder, person }) =>
      `Enter the receipts of ${person}, the text files in ${folder}, in the table of expenses.`,
    agent: async ({ folder, person }, call) => {
      const { content } = await call("list_directory", { path: folder });
      const names = atLeastOne(found(String(content), /^\[FILE\] (.+\.txt)$/gm));
      await call("sqlite.list_tables", {});
      await call("sqlite.describe_table", { table_name: "expenses" });
      for (const [name = ""] of names) {
        const { content: scan } = await call("read_text_file", { path: `${folder}/${name}` });
        const text = String(scan);
        const [shop = ""] = text.split("\n");
        const receipt = only(text, /^Receipt (\S+)/m);
        const values = `'${receipt}', '${person}', '${shop}', '${only(text, /^Receipt \S+ +(\S+)$/m)}', ${only(text, /^TOTAL EUR +(.+)$/m)}`;
        await call("sqlite.write_query", {
          query: `INSERT INTO expenses (receipt, person, shop, day, total) VALUES (${values})`,
        });
      }
    },
    hinder: (state, { folder }) => {
      const inside = `${ownPath(state, folder)}/`;
      for (const path of Object.keys(state.files)) if (path.startsWith(inside)) delete state.files[path];
      addFile(state, `${inside}todo.md`, "All are missing.\n");
    },
  }),
  job({
    name: "write-fee-letters",
    difficulty: "text",
    given: (state, dice) => {
      const year = dice.between(2023, 2026);
      state.tables.push(
        "CREATE TABLE members (id INTEGER PRIMARY KEY, full_name TEXT, email TEXT)",
        "CREATE TABLE fees (member_id INTEGER, year INTEGER, amount INTEGER, paid INTEGER)",
      );
      for (const [nth, person] of dice.some(PEOPLE, dice.between(4, 6)).entries()) {
        const id = dice.fresh(100, 999);
        const isPaid = nth < 2 ? 0 : nth === 2 ? 1 : dice.between(0, 1);
        state.tables.push(
          `INSERT INTO members VALUES (${id}, '${person}', '${addressOf(person)}')`,
          `INSERT INTO fees VALUES (${id}, ${year}, ${dice.fresh(20, 99)}, ${isPaid})`,
          `INSERT INTO fees VALUES (${id}, ${year - 1}, ${dice.fresh(20, 99)}, 1)`,
        );
      }
      return { year, day: dice.day(), folder: `${state.root}/letters-${dice.fresh(10, 99)}` };
    },
    task: ({ year, day, folder }) =>
      `Write to each member whose fee of ${year} is not paid, in a text file with the member's name in the new folder ${folder}: "Dear", the name and a comma, an empty line, and "Please pay your fee of … EUR for ${year} until ${day}."`,
    agent: async ({ year, day, folder }, call) => {
      const joined = "FROM members JOIN fees ON fees.member_id = members.id";
      const wanted = `WHERE fees.year = ${year} AND fees.paid = 0`;
      const guessed = `SELECT members.name, fees.amount ${joined} ${wanted}`;
      let rows = String(await call("sqlite.read_query", { query: guessed }));
      if (rows.startsWith("Database error")) {
        await call("sqlite.describe_table", { table_name: "members" });
        rows = String(
          await call("sqlite.read_query", { query: guessed.replace("members.name", "members.full_name") }),
        );
      }
      const debts = atLeastOne(found(rows, /'full_name': '(.+?)', 'amount': (\d+)/g));
      await call("create_directory", { path: folder });
      for (const [name = "", amount = ""] of debts)
        await call("write_file", {
          path: `${folder}/${name}.txt`,
          content: `Dear ${name},\n\nPlease pay your fee of ${amount} EUR for ${year} until ${day}.\n`,
        });
    },
    hinder: (state) => void state.tables.push("UPDATE fees SET paid = 1"),
  }),
  job({
    name: "enter-call-times",
    difficulty: "loop",
    given: (state, dice) => {
      state.tables.push("CREATE TABLE calls (zone TEXT, topic TEXT, starts TEXT, PRIMARY KEY (zone, topic))");
      const zones = dice.some(ZONES, dice.between(2, 4));
      const time = `${dice.between(10, 18)}:${dice.fresh(10, 59)}`;
      const topic = `Launch of ${dice.one(PROJECTS)} ${dice.fresh(10, 99)}`;
      return { topic, time, home: dice.one(["Europe/Athens", "Europe/Lisbon", "Europe/Oslo"]), zones };
    },
    task: ({ topic, time, home, zones }) =>
      `The call "${topic}" starts at ${time} (${home}). Enter in the table calls when that is in ${zones.join(", ")}.`,
    agent: async ({ topic, time, home, zones }, call) => {
      const columns = await call("sqlite.describe_table", { table_name: "calls" });
      only(String(columns), /'name': '(starts)'/);
      for (const zone of zones) {
        const { target } = (await call("time.convert_time", {
          source_timezone: home,
          time,
          target_timezone: zone,
        })) as { readonly target: { readonly datetime: string } };
        const values = `'${topic}', '${zone}', '${target.datetime.slice(11, 16)}'`;
        await call("sqlite.write_query", {
          query: `INSERT INTO calls (topic, zone, starts) VALUES (${values})`,
        });
      }
    },
    hinder: (state) => void state.tables.splice(0, 1, "CREATE TABLE talks (topic TEXT PRIMARY KEY)"),
  }),
];

interface Graph {
  readonly entities: readonly Entity[];
  readonly relations: readonly {
    readonly from: string;
    readonly to: string;
    readonly relationType: string;
  }[];
}

function addPerson(state: EverydayState, name: string, ...observations: string[]): void {
  state.entities.push({ name, entityType: "person", observations });
}

const GRAPH_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "update-room",
    difficulty: "single",
    given: (state, dice) => {
      const room = (): string => `${dice.one(["A", "B", "C"])}${dice.fresh(100, 999)}`;
      const people = dice.some(PEOPLE, dice.between(2, 4));
      for (const name of people)
        addPerson(
          state,
          name,
          `Works on ${dice.one(PROJECTS)}`,
          `Sits in room ${room()}`,
          `Has a key since ${dice.day()}`,
        );
      return { person: dice.one(people), room: room() };
    },
    task: ({ person, room }) => `${person} has moved to room ${room}: correct what you remember.`,
    agent: async ({ person, room }, call) => {
      const { entities } = (await call("memory.open_nodes", { names: [person] })) as Graph;
      const [known] = atLeastOne(entities);
      const old = atLeastOne(known?.observations.filter((each) => each.startsWith("Sits in room ")) ?? []);
      await call("memory.delete_observations", {
        deletions: [{ entityName: person, observations: [...old] }],
      });
      await call("memory.add_observations", {
        observations: [{ entityName: person, contents: [`Sits in room ${room}`] }],
      });
    },
    hinder: (state) => void state.entities.splice(1),
  }),
  job({
    name: "draft-to-lead",
    difficulty: "choice",
    given: (state, dice) => {
      const [project = "", other = ""] = dice
        .some(PROJECTS, 2)
        .map((name) => `${name} ${dice.fresh(10, 99)}`);
      const people = dice.some(PEOPLE, 4);
      const [lead = "", member = "", former = "", elsewhere = ""] = people;
      for (const name of [project, other])
        state.entities.push({ name, entityType: "project", observations: [`Begun on ${dice.day()}`] });
      for (const name of dice.some(people, 4))
        addPerson(state, name, `Likes ${dice.one(["tea", "chess", "maps"])}`, `Mail: ${addressOf(name)}`);
      const relations = [
        { from: project, to: lead, relationType: "led_by" },
        { from: project, to: member, relationType: "staffed_by" },
        { from: project, to: former, relationType: dice.one(["formerly_led_by", "advised_by"]) },
        { from: other, to: elsewhere, relationType: "led_by" },
      ];
      state.relations.push(...dice.some(relations, relations.length));
      const text = `The plan for ${dice.one(PARTS)} has to be there on ${dice.day()}.`;
      return { project, text, file: `${state.root}/draft-${dice.fresh(100, 999)}.txt` };
    },
    task: ({ project, text, file }) =>
      `Draft a mail to whoever leads project ${project}, in ${file}: "To:" and the address, an empty line, "Hello", the name and a comma, and below it: ${text}`,
    agent: async ({ project, text, file }, call) => {
      const { relations } = (await call("memory.search_nodes", { query: project })) as Graph;
      const led = relations.filter(({ from, relationType }) => from === project && relationType === "led_by");
      const name = atLeastOne(led)[0]?.to ?? "";
      const { entities } = (await call("memory.open_nodes", { names: [name] })) as Graph;
      const address = only((entities[0]?.observations ?? []).join("\n"), /^Mail: (.+)$/m);
      await call("write_file", { path: file, content: `To: ${address}\n\nHello ${name},\n${text}\n` });
    },
    hinder: (state, { project }) => {
      const others = state.relations.filter(
        ({ from, relationType }) => from !== project || relationType !== "led_by",
      );
      state.relations.splice(0, state.relations.length, ...others);
    },
  }),
];

function addPage(state: EverydayState, path: string, type: string, body: string): string {
  state.pages[path] = { type, body };
  return `${state.site}${path}`;
}

function htmlPage(title: string, main: string): string {
  return `<!DOCTYPE html><html lang="en"><head><title>${title}</title></head><body><nav><a href="/">Start</a></nav><main><article><h1>${title}</h1>${main}</article></main><footer>Since 1998</footer></body></html>`;
}

const RESEARCHERS_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "note-deadline",
    difficulty: "choice",
    given: (state, dice) => {
      const project = `${dice.one(PROJECTS)} ${dice.fresh(10, 99)}`;
      state.entities.push({ name: project, entityType: "project", observations: ["Looks for money"] });
      const titles = dice.some(
        ["Small tools", "Travel", "Field work", "Open data", "Visits"],
        dice.between(3, 4),
      );
      const items = titles.map((title) => {
        const path = `/calls/${dice.fresh(1000, 9999)}`;
        const facts = `<p>Whoever works at a university or a public institute can apply for this, alone or together with others who do.</p><ul><li>Sum: ${dice.fresh(2, 90)},000 EUR</li><li>Opens: ${dice.day()}</li><li>Deadline: ${dice.day()}</li></ul>`;
        addPage(state, path, "text/html; charset=utf-8", htmlPage(`Call: ${title}`, facts));
        return `<li><a href="${path}">${title}</a>, ${dice.one(["yearly", "once", "new"])}</li>`;
      });
      const intro =
        "<p>These calls are open now. Please read the whole call before you write to us, and mind its days.</p>";
      const list = htmlPage("Open calls", `${intro}<ul>${items.join("")}</ul>`);
      const url = addPage(state, `/open-${dice.fresh(100, 999)}`, "text/html; charset=utf-8", list);
      return { url, title: dice.one(titles), project };
    },
    task: ({ url, title, project }) =>
      `Look up the deadline of the call "${title}", which is linked from ${url}, and remember it for project ${project} as "Deadline of ${title}: …".`,
    agent: async ({ url, title, project }, call) => {
      const list = String(await call("fetch.fetch", { url }));
      const link = only(list, new RegExp(`\\[${title}\\]\\((.+?)\\)`));
      const page = String(await call("fetch.fetch", { url: new URL(link, url).href }));
      const day = only(page, /Deadline: (\d{4}-\d\d-\d\d)/);
      await call("memory.add_observations", {
        observations: [{ entityName: project, contents: [`Deadline of ${title}: ${day}`] }],
      });
    },
    hinder: (state, { url }) => {
      const soon = htmlPage(
        "Open calls",
        "<p>There are no open calls now. Please look here again in autumn.</p>",
      );
      addPage(state, url.slice(state.site.length), "text/html; charset=utf-8", soon);
    },
  }),
  job({
    name: "save-readings",
    difficulty: "choice",
    given: (state, dice) => {
      const [sensor = "", ...others] = dice.some(["north", "east", "south", "west"], 3);
      const readings = Array.from({ length: dice.between(5, 8) }, (_, nth) => ({
        sensor: nth < 2 ? sensor : nth === 2 ? others[0] : dice.one([sensor, ...others]),
        at: `${dice.day()}T${dice.between(10, 23)}:00:00Z`,
        pm10: dice.fresh(50, 990) / 10,
        unit: "µg/m³",
        valid: true,
      }));
      const answer = {
        station: `S-${dice.fresh(100, 999)}`,
        count: readings.length,
        readings: dice.some(readings, 8),
      };
      const path = `/api/stations/${answer.station}/readings`;
      const url = addPage(state, path, "application/json", JSON.stringify(answer));
      return { url, sensor, file: `${state.root}/readings-${dice.fresh(100, 999)}.csv` };
    },
    task: ({ url, sensor, file }) =>
      `Save the readings of the sensor ${sensor} from ${url} as ${file}, with the columns at and pm10.`,
    agent: async ({ url, sensor, file }, call) => {
      const answer = String(await call("fetch.fetch", { url, max_length: 20_000 }));
      const { readings } = JSON.parse(answer.slice(answer.indexOf("{"))) as {
        readonly readings: readonly { readonly sensor: string; readonly at: string; readonly pm10: number }[];
      };
      const own = atLeastOne(readings.filter((reading) => reading.sensor === sensor));
      const rows = own.map(({ at, pm10 }) => `${at},${pm10}\n`);
      await call("write_file", { path: file, content: `at,pm10\n${rows.join("")}` });
    },
    hinder: (state, { url }) => {
      delete state.pages[url.slice(state.site.length)];
    },
  }),
  job({
    name: "record-best-run",
    difficulty: "choice",
    given: (state, dice) => {
      state.tables.push(
        "CREATE TABLE best (experiment TEXT PRIMARY KEY, run TEXT, accuracy REAL, decided TEXT)",
      );
      const experiment = `${dice.one(["birds", "clouds", "coins", "leaves"])}-${dice.fresh(10, 99)}`;
      const folder = `experiments/${experiment}`;
      for (let nth = dice.between(3, 5); nth > 0; nth--) {
        const run = `r${dice.fresh(1000, 9999)}`;
        const result = {
          run,
          params: { lr: dice.fresh(1, 90) / 1000, layers: dice.between(2, 9) },
          metrics: { loss: dice.fresh(100, 900) / 1000, accuracy: dice.fresh(500, 990) / 1000 },
        };
        addFile(state, `${folder}/${run}.json`, `${JSON.stringify(result, undefined, 2)}\n`);
      }
      addFile(state, `${folder}/train.log`, `epoch ${dice.fresh(10, 99)}\n`);
      return { experiment, folder: `${state.root}/${folder}`, day: dice.day() };
    },
    task: ({ experiment, folder, day }) =>
      `Which run in ${folder} has the best accuracy? Enter it in the table best for the experiment ${experiment}, decided on ${day}.`,
    agent: async ({ experiment, folder, day }, call) => {
      const { content } = await call("list_directory", { path: folder });
      const names = atLeastOne(found(String(content), /^\[FILE\] (.+\.json)$/gm));
      const paths = names.map(([name = ""]) => `${folder}/${name}`);
      const { content: read } = await call("read_multiple_files", { paths });
      const runs = String(read)
        .split("\n---\n")
        .map((part) => {
          const text = part.slice(part.indexOf("{"));
          return JSON.parse(text) as {
            readonly run: string;
            readonly metrics: { readonly accuracy: number };
          };
        });
      const [best] = runs.toSorted((a, b) => b.metrics.accuracy - a.metrics.accuracy);
      await call("sqlite.describe_table", { table_name: "best" });
      const values = `'${experiment}', '${best?.run}', ${best?.metrics.accuracy}, '${day}'`;
      await call("sqlite.write_query", {
        query: `INSERT INTO best (experiment, run, accuracy, decided) VALUES (${values})`,
      });
    },
    hinder: (state) => {
      for (const path of Object.keys(state.files)) if (path.endsWith(".json")) delete state.files[path];
    },
  }),
];

/** Work as developers, people in offices and researchers ask for it, with the reference servers: written apart from what learns, not developed on. */
export const CHORES_JOBS: readonly Job<EverydayState>[] = [
  ...DEVELOPERS_JOBS,
  ...OFFICE_JOBS,
  ...GRAPH_JOBS,
  ...RESEARCHERS_JOBS,
];
