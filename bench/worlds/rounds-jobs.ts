import type { JsonObject } from "../../src/core/json/json.ts";
import { addressOf, type Dice, PEOPLE } from "./dice.ts";
import { addFile, type EverydayState, ownPath } from "./everyday-state.ts";
import { type Call, type Job, refused } from "./job.ts";
import { atLeastOne, found, only } from "./papers.ts";

const MODULES = ["atlas", "barometer", "cupola", "dovecote", "espalier", "fresco", "gazebo", "hothouse"];
const FIRMS = ["Adler Energie", "Brook & Sons", "Cantaloupe", "Delft Tiles", "Ecru Paints", "Fathom"];
const GOODS = ["Bench", "Carafe", "Doormat", "Lantern", "Mirror", "Parasol", "Stool"];

function job<Told extends JsonObject>(made: Job<EverydayState, Told>): Job<EverydayState> {
  return made;
}

async function read(call: Call, path: string): Promise<string> {
  const { content } = await call("read_text_file", { path });
  return String(content);
}

/** The names of the files in a folder that have the form. */
async function filesIn(call: Call, path: string, form: RegExp): Promise<readonly string[]> {
  const { content } = await call("list_directory", { path });
  const names = found(String(content), /^\[FILE\] (.+)$/gm).map(([name = ""]) => name);
  return atLeastOne(names.filter((name) => form.test(name)));
}

/** Not ending with a nought, so that it is written in one way only. */
const price = (dice: Dice): string => `${dice.fresh(2, 400)}.${dice.between(1, 9)}${dice.between(1, 9)}`;

const PAPERWORK_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "write-delay-letters",
    difficulty: "loop",
    given: (state, dice) => {
      const folder = `shipping-${dice.fresh(10, 99)}`;
      const customers = dice.some(PEOPLE, dice.between(4, 6)).map((name) => ({
        number: `C${dice.fresh(1000, 9999)}`,
        name,
        mail: addressOf(name),
        since: dice.between(2011, 2025),
      }));
      const rows = customers.map(({ number }, nth) => {
        const status = nth < 2 ? "late" : nth === 2 ? "on time" : dice.one(["late", "on time", "delivered"]);
        return `P${dice.fresh(100000, 999999)};${number};${dice.day()};${status};${dice.between(1, 20)} kg`;
      });
      const table = ["parcel;customer;promised;status;weight", ...dice.some(rows, rows.length)];
      addFile(state, `${folder}/parcels.csv`, `${table.join("\n")}\n`);
      const known = { exported: dice.day(), customers: dice.some(customers, customers.length) };
      addFile(state, `${folder}/customers.json`, `${JSON.stringify(known, undefined, 2)}\n`);
      return { folder: `${state.root}/${folder}`, day: dice.day() };
    },
    task: ({ folder, day }) =>
      `Write to the customer of each parcel in ${folder}/parcels.csv that is late; their names are in ${folder}/customers.json. Each letter is a file in the new folder ${folder}/letters, named after the parcel and the customer's last name as P123456_Lind.txt, and says: "Dear", the whole name and a comma, an empty line, and "Your parcel … was promised for …. It is late, and will be with you on ${day}."`,
    agent: async ({ folder, day }, call) => {
      const parcels = await read(call, `${folder}/parcels.csv`);
      const late = atLeastOne(found(parcels, /^(P\d+);(C\d+);([\d-]+);late;/gm));
      const { customers } = JSON.parse(await read(call, `${folder}/customers.json`)) as {
        readonly customers: readonly { readonly number: string; readonly name: string }[];
      };
      await call("create_directory", { path: `${folder}/letters` });
      for (const [parcel = "", number = "", promised = ""] of late) {
        const name = customers.find((each) => each.number === number)?.name ?? "";
        const words = `Your parcel ${parcel} was promised for ${promised}. It is late, and will be with you on ${day}.`;
        await call("write_file", {
          path: `${folder}/letters/${parcel}_${name.split(" ").at(-1)}.txt`,
          content: `Dear ${name},\n\n${words}\n`,
        });
      }
    },
    hinder: (state, { folder }) => {
      const path = `${ownPath(state, folder)}/parcels.csv`;
      state.files[path] = (state.files[path] ?? "").replaceAll(";late;", ";on time;");
    },
  }),
  job({
    name: "file-scans",
    difficulty: "fails",
    given: (state, dice) => {
      const folder = `scans-${dice.fresh(10, 99)}`;
      for (let nth = dice.between(3, 5); nth > 0; nth--) {
        const lines = [
          dice.one(FIRMS),
          `${dice.between(1, 90)} ${dice.one(["Quay", "Mill Lane", "High Street"])}`,
          "",
          `Invoice no. ${dice.fresh(10000, 99999)}`,
          `Date: ${dice.day()}`,
          "",
          `${dice.one(GOODS)}   ${dice.fresh(10, 99)}.00`,
        ];
        addFile(state, `${folder}/scan${dice.fresh(1000, 9999)}.txt`, `${lines.join("\n")}\n`);
      }
      addFile(state, `${folder}/doubles/.keep`, "");
      const into = `invoices-${dice.fresh(100, 999)}`;
      addFile(state, `${into}/2019-08-01_Brook & Sons_77.txt`, "Brook & Sons\n");
      return { folder: `${state.root}/${folder}`, into: `${state.root}/${into}` };
    },
    task: ({ folder, into }) =>
      `File the scanned invoices in ${folder}: move each to ${into}, named after its date, the firm in its first line and its number, as 2019-08-01_Brook & Sons_77.txt. If there is one with this name already, move it to ${folder}/doubles instead, with the name that it has.`,
    agent: async ({ folder, into }, call) => {
      for (const name of await filesIn(call, folder, /^scan.*\.txt$/)) {
        const source = `${folder}/${name}`;
        const text = await read(call, source);
        const [firm = ""] = text.split("\n");
        const number = only(text, /^Invoice no\. (\d+)$/m);
        const destination = `${into}/${only(text, /^Date: (.+)$/m)}_${firm}_${number}.txt`;
        if (await refused(call("move_file", { source, destination })))
          await call("move_file", { source, destination: `${folder}/doubles/${name}` });
      }
    },
    hinder: (state, { folder, into }) => {
      const scan = Object.entries(state.files).find(
        ([path]) => path.startsWith(`${ownPath(state, folder)}/scan`) && path.endsWith(".txt"),
      );
      const [firm = "", , , number = "", date = ""] = scan?.[1].split("\n") ?? [];
      const name = `${date.slice("Date: ".length)}_${firm}_${number.slice("Invoice no. ".length)}.txt`;
      addFile(state, `${ownPath(state, into)}/${name}`, scan?.[1] ?? "");
    },
  }),
  job({
    name: "enter-mailed-visit",
    difficulty: "text",
    given: (state, dice) => {
      const days = [dice.day(), dice.day()].toSorted();
      const entries = days.map((day) => `- ${day} 09:15: ${dice.one(["Audit", "Fire drill", "Rehearsal"])}`);
      const agenda = addFile(state, `agenda-${dice.fresh(10, 99)}.md`, `# Visits\n\n${entries.join("\n")}\n`);
      const sender = dice.one(PEOPLE);
      const mail = [
        `From: ${sender} <${addressOf(sender)}>`,
        "To: Reception <reception@example.com>",
        `Subject: ${dice.one(["Fitting of the", "Repair of the", "Talk about the"])} ${dice.one(GOODS).toLowerCase()}`,
        `Message-ID: <${dice.fresh(100000, 999999)}@example.org>`,
        "Content-Type: text/plain; charset=utf-8",
        "",
        "Hello,",
        "",
        `${dice.one(["we would like to call you", "let us speak"])} on ${dice.day()} at ${dice.between(11, 15)}:${dice.fresh(10, 59)} (${dice.one(["Europe/Lisbon", "Europe/Warsaw", "Africa/Tunis"])}), for ${dice.one(["half an hour", "an hour"])}.`,
        "",
        "Kind regards",
        sender,
      ];
      const file = addFile(state, `mail/${dice.fresh(1000, 9999)}.eml`, `${mail.join("\n")}\n`);
      return { file, agenda, zone: dice.one(["Europe/Helsinki", "Europe/Paris", "Europe/Dublin"]) };
    },
    task: ({ file, agenda, zone }) =>
      `Enter the visit that the mail ${file} asks for at the end of ${agenda}, like those that are there: the day, the time here in ${zone}, the mail's subject, and then in brackets who has written.`,
    agent: async ({ file, agenda, zone }, call) => {
      const mail = await read(call, file);
      const { target } = (await call("time.convert_time", {
        source_timezone: only(mail, / at \d\d:\d\d \((\S+)\)/),
        time: only(mail, / at (\d\d:\d\d) \(/),
        target_timezone: zone,
      })) as { readonly target: { readonly datetime: string } };
      const at = `${only(mail, / on (\S+) at \d\d:/)} ${target.datetime.slice(11, 16)}`;
      const entry = `- ${at}: ${only(mail, /^Subject: (.+)$/m)} (${only(mail, /^From: (.+) </m)})`;
      await call("write_file", { path: agenda, content: `${await read(call, agenda)}${entry}\n` });
    },
    hinder: (state, { file }) => {
      const path = ownPath(state, file);
      state.files[path] = (state.files[path] ?? "").replace(/ on \S+ at .+\), for /, " some day, for ");
    },
  }),
  job({
    name: "apply-price-list",
    difficulty: "choice",
    given: (state, dice) => {
      state.tables.push(
        "CREATE TABLE products (sku TEXT PRIMARY KEY, title TEXT, price REAL NOT NULL, price_since TEXT)",
      );
      const rows = dice.some(GOODS, dice.between(5, 7)).map((title, nth) => {
        const sku = `${dice.one(["GA", "HO", "KI"])}-${dice.fresh(1000, 9999)}`;
        const [old, now] = [price(dice), price(dice)];
        const isSold = nth !== 3;
        const isChanged = nth < 2 || (nth > 3 && dice.one([true, false]));
        if (isSold)
          state.tables.push(`INSERT INTO products VALUES ('${sku}', '${title}', ${old}, '2025-01-01')`);
        return `| ${sku} | ${title} | ${isChanged || !isSold ? now : old} |`;
      });
      const head = `# Prices of ${dice.one(FIRMS)}\n\n| Article | Name | EUR |\n| --- | --- | --: |\n`;
      const listed = `${head}${dice.some(rows, rows.length).join("\n")}\n\nAll prices without tax.\n`;
      return { file: addFile(state, `prices-${dice.fresh(100, 999)}.md`, listed), day: dice.day() };
    },
    task: ({ file, day }) =>
      `There is a new price list, ${file}. Change the price of those of our products (table products) that cost something else now, with ${day} as price_since. What we do not sell is left out.`,
    agent: async ({ file, day }, call) => {
      const listed = atLeastOne(found(await read(call, file), /^\| (\S+-\d+) \| .+ \| ([\d.]+) \|$/gm));
      await call("sqlite.describe_table", { table_name: "products" });
      const rows = String(await call("sqlite.read_query", { query: "SELECT sku, price FROM products" }));
      const sold = new Map(
        found(rows, /'sku': '(.+?)', 'price': ([\d.]+)/g).map(([sku = "", old = ""]) => [sku, old]),
      );
      const changed = listed.filter(([sku = "", now]) => sold.has(sku) && sold.get(sku) !== now);
      for (const [sku = "", now = ""] of atLeastOne(changed))
        await call("sqlite.write_query", {
          query: `UPDATE products SET price = ${now}, price_since = '${day}' WHERE sku = '${sku}'`,
        });
    },
    hinder: (state, { file }) => {
      const text = state.files[ownPath(state, file)] ?? "";
      for (const [sku, now] of found(text, /^\| (\S+-\d+) \| .+ \| ([\d.]+) \|$/gm))
        state.tables.push(`UPDATE products SET price = ${now} WHERE sku = '${sku}'`);
    },
  }),
];

const DEVELOPMENT_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "clone-service-config",
    difficulty: "text",
    given: (state, dice) => {
      const [old = "", next = "", other = ""] = dice.some(MODULES, 3);
      const folder = `services-${dice.fresh(10, 99)}`;
      const config = (service: string): string =>
        [
          `name: ${service}`,
          `image: registry.example.org/${service}:${dice.between(1, 9)}.${dice.fresh(1, 60)}.0`,
          `port: ${dice.fresh(3000, 8999)}`,
          `replicas: ${dice.between(1, 4)}`,
          "env:",
          `  LOG_LEVEL: ${dice.one(["info", "debug", "warn"])}`,
          `  PUBLIC_URL: https://${service}.example.net`,
          `  TIMEOUT: ${dice.between(5, 60)}s`,
          "",
        ].join("\n");
      for (const service of [old, other]) addFile(state, `${folder}/${service}.yaml`, config(service));
      return { folder: `${state.root}/${folder}`, old, next, port: dice.fresh(9000, 9999) };
    },
    task: ({ folder, old, next, port }) =>
      `Make a config for the new service ${next} in ${folder}: a copy of ${old}.yaml with ${next} in place of ${old} everywhere, and the port ${port}.`,
    agent: async ({ folder, old, next, port }, call) => {
      const config = await read(call, `${folder}/${old}.yaml`);
      const content = config.replaceAll(old, next).replace(/^port: \d+$/m, `port: ${port}`);
      await call("write_file", { path: `${folder}/${next}.yaml`, content });
    },
    hinder: (state, { folder, old }) => {
      delete state.files[`${ownPath(state, folder)}/${old}.yaml`];
    },
  }),
  job({
    name: "trace-request",
    difficulty: "choice",
    given: (state, dice) => {
      const folder = `logs-${dice.fresh(10, 99)}`;
      const request = `req-${dice.fresh(100000, 999999)}`;
      const logs = ["app.log", "app.log.1", "app.log.2", "app.log.3"].slice(0, dice.between(3, 4));
      const holder = dice.one(logs);
      const at = (): string => `${dice.day()}T${dice.between(10, 23)}:${dice.between(10, 59)}:07Z`;
      const error = (of: string): string =>
        `${at()} ERROR [${of}] ${dice.one(["QueryTimeout", "BadGateway", "OutOfStock"])}: ${dice.one(MODULES)} gave up after ${dice.fresh(1000, 9999)} ms`;
      for (const log of logs) {
        const own = log === holder ? [error(request)] : [];
        const lines = Array.from({ length: dice.between(3, 5) }, () => {
          const id = `req-${dice.fresh(100000, 999999)}`;
          const took = `${dice.fresh(1, 900)}ms`;
          return dice.one([error(id), `${at()} INFO [${id}] GET /${dice.one(MODULES)} 200 ${took}`]);
        });
        const all = [...lines, ...own];
        addFile(state, `${folder}/${log}`, `${dice.some(all, all.length).join("\n")}\n`);
      }
      addFile(state, `${folder}/incidents/README.md`, "One file for each.\n");
      return { folder: `${state.root}/${folder}`, request };
    },
    task: ({ folder, request }) =>
      `What went wrong with ${request}? Look through the logs in ${folder}, app.log first and then the older ones, until you find its error, and write down in ${folder}/incidents/${request}.md "# ${request}", an empty line, "Log: " and the file's name, "Time: " and the time, and "Error: " and what it says.`,
    agent: async ({ folder, request }, call) => {
      for (const log of await filesIn(call, folder, /^app\.log/)) {
        const text = await read(call, `${folder}/${log}`);
        const [[time, what] = []] = found(text, new RegExp(`^(\\S+) ERROR \\[${request}\\] (.+)$`, "gm"));
        if (time === undefined) continue;
        await call("write_file", {
          path: `${folder}/incidents/${request}.md`,
          content: `# ${request}\n\nLog: ${log}\nTime: ${time}\nError: ${what}\n`,
        });
        break;
      }
    },
    hinder: (state, { request }) => {
      for (const [path, text] of Object.entries(state.files))
        state.files[path] = text.replace(`[${request}]`, "[req-7]");
    },
  }),
  job({
    name: "index-decisions",
    difficulty: "choice",
    given: (state, dice) => {
      const folder = `decisions-${dice.fresh(10, 99)}`;
      const verbs = dice.some(["Drop", "Keep", "Split", "Rewrite", "Cache", "Test"], dice.between(4, 6));
      for (const [nth, verb] of verbs.entries()) {
        const status =
          nth < 2 ? "accepted" : nth === 2 ? "superseded" : dice.one(["accepted", "proposed", "rejected"]);
        const module = dice.one(MODULES);
        const matter = `---\nstatus: ${status}\ndate: ${dice.day()}\ndeciders: ${dice.one(PEOPLE)}\n---\n`;
        const text = `${matter}\n# ${verb} the ${module}\n\n## Context\n\nIt takes ${dice.fresh(2, 90)} minutes.\n`;
        const number = String(dice.fresh(1, 200)).padStart(4, "0");
        addFile(state, `${folder}/${number}-${verb.toLowerCase()}-the-${module}.md`, text);
      }
      addFile(state, `${folder}/template.md`, "---\nstatus: proposed\n---\n\n# Title\n");
      return { folder: `${state.root}/${folder}` };
    },
    task: ({ folder }) =>
      `Write an index of the accepted decisions in ${folder} to ${folder}/index.md: a table with the columns "No.", "Decision" and "Since", in the order of the numbers that the files begin with. The titles link to the files, as [Title](file.md).`,
    agent: async ({ folder }, call) => {
      const names = await filesIn(call, folder, /^\d{4}-.+\.md$/);
      const { content } = await call("read_multiple_files", {
        paths: names.map((name) => `${folder}/${name}`),
      });
      const parts = String(content).split(`${folder}/`).slice(1);
      const accepted = parts.filter((part) => /^status: accepted$/m.test(part));
      const rows = atLeastOne(accepted).map((part) => {
        const name = only(part, /^(.+\.md):/);
        const title = only(part, /^# (.+)$/m);
        return `| ${name.slice(0, 4)} | [${title}](${name}) | ${only(part, /^date: (.+)$/m)} |\n`;
      });
      const head = "| No. | Decision | Since |\n| --- | --- | --- |\n";
      await call("write_file", { path: `${folder}/index.md`, content: `${head}${rows.join("")}` });
    },
    hinder: (state) => {
      for (const [path, text] of Object.entries(state.files))
        state.files[path] = text.replace("status: accepted", "status: proposed");
    },
  }),
  job({
    name: "cut-release-branch",
    difficulty: "single",
    given: (state, dice) => {
      const name = `${dice.one(MODULES)}-${dice.fresh(10, 99)}`;
      const manifest = {
        name: `@example/${name}`,
        version: `${dice.between(1, 9)}.${dice.fresh(10, 60)}.${dice.between(0, 9)}`,
        private: true,
        scripts: { test: "node --test" },
        devDependencies: { prettier: `^3.${dice.fresh(1, 9)}.0` },
      };
      const files = {
        "package.json": `${JSON.stringify(manifest, undefined, 2)}\n`,
        "README.md": `# ${name}\n`,
      };
      const more = { "README.md": `# ${name}\n\nNeeds Node ${dice.between(20, 26)}.\n` };
      const commits = [
        { author: dice.one(PEOPLE), message: "Begin\n", files },
        { author: dice.one(PEOPLE), message: "Say what it needs\n", files: more },
      ];
      state.repositories.push({ name, commits, branches: { develop: 1 }, changed: {} });
      return { repo: `${state.root}/${name}` };
    },
    task: ({ repo }) =>
      `Cut a release branch in ${repo} from main and switch to it. It is called "release/" and the first two numbers of the version in package.json, as release/2.7.`,
    agent: async ({ repo }, call) => {
      const manifest = await read(call, `${repo}/package.json`);
      const branch_name = `release/${only(manifest, /"version": "(\d+\.\d+)\.\d+"/)}`;
      await call("git.git_create_branch", { repo_path: repo, branch_name, base_branch: "main" });
      await call("git.git_checkout", { repo_path: repo, branch_name });
    },
    hinder: (state) => {
      for (const { changed } of state.repositories) changed["package.json"] = '{ "private": true }\n';
    },
  }),
  job({
    name: "promote-unreleased",
    difficulty: "text",
    given: (state, dice) => {
      const [older, last] = [`1.${dice.fresh(1, 20)}.0`, `1.${dice.fresh(21, 40)}.0`];
      const site = `https://git.example.org/${dice.one(MODULES)}-${dice.fresh(10, 99)}`;
      const items = (): string =>
        dice
          .some(["Added", "Changed", "Fixed"], dice.between(1, 2))
          .map((group) => `### ${group}\n\n- The ${dice.one(MODULES)} takes ${dice.fresh(2, 90)} lines\n`)
          .join("\n");
      const text = [
        "# Changelog\n",
        "## [Unreleased]\n",
        items(),
        `## [${last}] - ${dice.day()}\n`,
        items(),
        `## [${older}] - ${dice.day()}\n`,
        items(),
        `[unreleased]: ${site}/compare/v${last}...HEAD`,
        `[${last}]: ${site}/compare/v${older}...v${last}`,
        `[${older}]: ${site}/releases/tag/v${older}\n`,
      ];
      const file = addFile(state, `package-${dice.fresh(10, 99)}/CHANGELOG.md`, text.join("\n"));
      return { file, version: `1.${dice.fresh(41, 60)}.0`, day: dice.day() };
    },
    task: ({ file, version, day }) =>
      `We release ${version} on ${day}. Put a heading for it right below "Unreleased" in ${file}, like those of the other releases, and mend the links at its end: one for the new version, below that of what is unreleased.`,
    agent: async ({ file, version, day }, call) => {
      const text = await read(call, file);
      only(text, /^## (\[Unreleased\])$/m);
      const link = only(text, /^(\[unreleased\]: .+)$/m);
      const [, site = "", last = ""] = /^\[unreleased\]: (.+)\/compare\/(v.+)\.\.\.HEAD$/.exec(link) ?? [];
      const links = `[unreleased]: ${site}/compare/v${version}...HEAD\n[${version}]: ${site}/compare/${last}...v${version}`;
      await call("edit_file", {
        path: file,
        edits: [
          { oldText: "## [Unreleased]\n", newText: `## [Unreleased]\n\n## [${version}] - ${day}\n` },
          { oldText: link, newText: links },
        ],
      });
    },
    hinder: (state, { file }) => {
      state.files[ownPath(state, file)] = "# Changelog\n\nNothing yet.\n";
    },
  }),
  job({
    name: "note-latest-release",
    difficulty: "fails",
    given: (state, dice) => {
      const names = dice.some(MODULES, 3);
      const sections = names.map((name) => {
        const [path, mirrored] = [`/feeds/${dice.fresh(1000, 9999)}`, `/copies/${dice.fresh(1000, 9999)}`];
        const release = `${dice.between(1, 9)}.${dice.fresh(1, 60)}.${dice.between(0, 9)}`;
        const body = JSON.stringify({
          project: name,
          latest: { release, published: dice.day(), size: dice.fresh(1000, 9999) },
          previous: [{ release: `0.${dice.fresh(61, 99)}.0`, published: "2024-02-03" }],
        });
        for (const each of [path, mirrored]) state.pages[each] = { type: "application/json", body };
        return `[${name}]\nurl = ${state.site}${path}\nmirror = ${state.site}${mirrored}\nowner = ${dice.one(PEOPLE)}\n`;
      });
      const file = addFile(
        state,
        `sources-${dice.fresh(10, 99)}.ini`,
        `; Where it comes from\n\n${sections.join("\n")}`,
      );
      return { file, name: dice.one(names), to: `${state.root}/latest-${dice.fresh(100, 999)}.txt` };
    },
    task: ({ file, name, to }) =>
      `Which release of ${name} is the latest? Look it up at its url in ${file}, or at the mirror there if that fails, and write "${name} " and the release to ${to}.`,
    agent: async ({ file, name, to }, call) => {
      const [, section = ""] = (await read(call, file)).split(`[${name}]\n`);
      let answer = "";
      const look = async (key: string): Promise<void> => {
        const url = only(section, new RegExp(`^${key} = (.+)$`, "m"));
        answer = String(await call("fetch.fetch", { url }));
      };
      if (await refused(look("url"))) await look("mirror");
      const { latest } = JSON.parse(answer.slice(answer.indexOf("{"))) as {
        readonly latest: { readonly release: string };
      };
      await call("write_file", { path: to, content: `${name} ${latest.release}\n` });
    },
    hinder: (state) => {
      for (const path of Object.keys(state.pages)) if (path.startsWith("/feeds/")) delete state.pages[path];
    },
  }),
];

interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

const KNOWLEDGE_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "hand-over-duties",
    difficulty: "loop",
    given: (state, dice) => {
      const [person = "", successor = "", other = ""] = dice.some(PEOPLE, 3);
      for (const name of [person, successor, other])
        state.entities.push({ name, entityType: "person", observations: [`Here since ${dice.day()}`] });
      const relations: Relation[] = dice.some(MODULES, dice.between(4, 6)).map((module, nth) => {
        state.entities.push({
          name: module,
          entityType: "system",
          observations: [`Port ${dice.fresh(3000, 9000)}`],
        });
        const relationType =
          nth < 2 ? "maintains" : nth === 2 ? "has_built" : dice.one(["maintains", "uses"]);
        return { from: nth === 3 ? other : person, to: module, relationType };
      });
      relations.push({ from: person, to: other, relationType: "reports_to" });
      state.relations.push(...dice.some(relations, relations.length));
      return { person, successor };
    },
    task: ({ person, successor }) =>
      `${person} leaves. Let ${successor} maintain what ${person} maintains in your memory, and ${person} no longer.`,
    agent: async ({ person, successor }, call) => {
      const { relations } = (await call("memory.open_nodes", { names: [person] })) as {
        readonly relations: readonly Relation[];
      };
      const own = atLeastOne(
        relations.filter(({ from, relationType }) => from === person && relationType === "maintains"),
      );
      await call("memory.create_relations", {
        relations: own.map(({ to, relationType }) => ({ from: successor, to, relationType })),
      });
      await call("memory.delete_relations", {
        relations: own.map(({ from, to, relationType }) => ({ from, to, relationType })),
      });
    },
    hinder: (state) => {
      const others = state.relations.filter(({ relationType }) => relationType !== "maintains");
      state.relations.splice(0, state.relations.length, ...others);
    },
  }),
  job({
    name: "remember-calls",
    difficulty: "fails",
    given: (state, dice) => {
      const day = dice.day();
      const firms = dice.some(FIRMS, dice.between(2, 4));
      const calls = firms.map((firm) => {
        const observations = [`Customer since ${dice.between(2009, 2025)}`];
        state.entities.push({ name: firm, entityType: "company", observations });
        const what = dice.one(["wants to see a", "has got a broken", "sends back one"]);
        return `- **${firm}**: ${what} ${dice.one(GOODS).toLowerCase()} (${dice.fresh(1000, 9999)})`;
      });
      const notes = `# Calls on ${day}\n\n${calls.join("\n")}\n\nNobody called for the boss.\n`;
      return { file: addFile(state, `calls-${dice.fresh(100, 999)}.md`, notes) };
    },
    task: ({ file }) =>
      `Remember the calls in ${file}, each as an observation about the company, as "Call on 2019-08-01: wants to see a stool (77)". A company that you do not know yet is a new entity, of the type company, with this observation.`,
    agent: async ({ file }, call) => {
      const notes = await read(call, file);
      const day = only(notes, /^# Calls on (.+)$/m);
      for (const [firm = "", what = ""] of atLeastOne(found(notes, /^- \*\*(.+?)\*\*: (.+)$/gm))) {
        const contents = [`Call on ${day}: ${what}`];
        const observations = [{ entityName: firm, contents }];
        if (await refused(call("memory.add_observations", { observations })))
          await call("memory.create_entities", {
            entities: [{ name: firm, entityType: "company", observations: contents }],
          });
      }
    },
    hinder: (state) => void state.entities.splice(1, 1),
  }),
];

/** Work as people in offices and developers ask for it, with the reference servers: written apart from what learns, not developed on. */
export const ROUNDS_JOBS: readonly Job<EverydayState>[] = [
  ...PAPERWORK_JOBS,
  ...DEVELOPMENT_JOBS,
  ...KNOWLEDGE_JOBS,
];
