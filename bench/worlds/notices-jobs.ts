import { addressOf, type Dice, PEOPLE } from "./dice.ts";
import { found, only, type PapersJob, papersJob } from "./papers.ts";

const THINGS = ["kiln", "glaze", "easel", "loom", "chisel", "anvil", "bellows", "spindle", "trowel", "lathe"];

const letters = (dice: Dice, from: string, length: number): string =>
  Array.from({ length }, () => dice.one(from.split(""))).join("");

const stamp = (dice: Dice): string =>
  `${dice.one(["Mon", "Wed", "Sat"])} ${dice.one(["Mar", "Jun", "Oct"])} ${dice.between(10, 28)} 2026 1${dice.between(0, 9)}:${dice.between(10, 59)}:${dice.between(10, 59)} GMT+0000 (Coordinated Universal Time)`;

/** Kinds of work with answers as common servers write them: written before anything was done for them, and measured once. */
export const NOTICES_JOBS: readonly PapersJob[] = [
  papersJob({
    name: "register-file",
    reads: { get_file_info: "path" },
    writes: { register_file: "path bytes# mode" },
    given: (dice) => {
      const path = `/srv/${dice.one(THINGS)}/${dice.one(THINGS)}-${dice.fresh(10, 99)}.bin`;
      const text = `size: ${dice.fresh(1000, 90000)}\ncreated: ${stamp(dice)}\nmodified: ${stamp(dice)}\naccessed: ${stamp(dice)}\nisDirectory: false\nisFile: true\npermissions: ${dice.one(["600", "640", "644", "664"])}`;
      return { told: { path }, answers: [["get_file_info", { path }, text]] };
    },
    task: ({ path }) => `Register ${path} with its size and permissions.`,
    agent: async ({ path }, call) => {
      const text = await call("get_file_info", { path });
      const bytes = Number(only(text, /^size: (\d+)$/m));
      await call("register_file", { path, bytes, mode: only(text, /^permissions: (\d+)$/m) });
    },
    hindered: ({ path }) => ["get_file_info", { path }, `Error: ENOENT: no such file or directory`],
  }),
  papersJob({
    name: "check-sizes",
    reads: { list_directory_with_sizes: "path" },
    writes: { upload: "file" },
    given: (dice) => {
      const path = `/data/${dice.one(THINGS)}${dice.fresh(10, 99)}`;
      const names = dice.some(THINGS, dice.between(3, 6)).map((name) => `${name}.csv`);
      const lines = names.map(
        (name) =>
          `[FILE] ${name.padEnd(30)} ${`${dice.fresh(1, 90)}.${dice.between(10, 99)} KB`.padStart(10)}`,
      );
      const text = `${lines.join("\n")}\n\nTotal: ${names.length} files, 0 directories\nCombined size: ${dice.fresh(100, 900)}.${dice.between(10, 99)} KB`;
      return { told: { path }, answers: [["list_directory_with_sizes", { path }, text]] };
    },
    task: ({ path }) => `Upload all files in ${path}.`,
    agent: async ({ path }, call) => {
      const text = await call("list_directory_with_sizes", { path });
      for (const [name = ""] of found(text, /^\[FILE\] (\S+)/gm))
        await call("upload", { file: `${path}/${name}` });
    },
    hindered: ({ path }) => [
      "list_directory_with_sizes",
      { path },
      "\nTotal: 0 files, 0 directories\nCombined size: 0 B",
    ],
  }),
  papersJob({
    name: "tag-fix",
    reads: { git_log: "repo" },
    writes: { git_tag: "repo tag revision" },
    given: (dice) => {
      const repo = `/src/${dice.one(THINGS)}`;
      const messages = dice.some(THINGS, dice.between(3, 5)).map((thing) => `Mend the ${thing}`);
      const entries = messages.map((message) => {
        const author = dice.one(PEOPLE);
        return `Commit: '${letters(dice, "0123456789abcdef", 40)}'\nAuthor: <git.Actor "${author} <${addressOf(author)}>">\nDate: 2026-${dice.between(10, 12)}-${dice.between(10, 28)} 1${dice.between(0, 9)}:04:${dice.between(10, 59)}+01:00\nMessage: '${message}'\n`;
      });
      const told = { repo, message: dice.one(messages), tag: `v${dice.fresh(1, 99)}.${dice.between(0, 20)}` };
      return { told, answers: [["git_log", { repo }, `Commit history:\n${entries.join("\n")}`]] };
    },
    task: ({ repo, message, tag }) => `Tag the commit "${message}" of ${repo} as ${tag}.`,
    agent: async ({ repo, message, tag }, call) => {
      const text = await call("git_log", { repo });
      const entry = new RegExp(`Commit: '(\\w+)'\\nAuthor: .*\\nDate: .*\\nMessage: '${message}'`);
      await call("git_tag", { repo, tag, revision: only(text, entry) });
    },
    hindered: ({ repo }) => ["git_log", { repo }, "Commit history:\n"],
  }),
  papersJob({
    name: "lint-changed",
    reads: { git_diff: "repo target" },
    writes: { lint: "repo file" },
    given: (dice) => {
      const repo = `/src/${dice.one(THINGS)}`;
      const target = `${dice.one(["topic", "fix"])}/${dice.one(THINGS)}-${dice.fresh(10, 99)}`;
      const parts = dice.some(THINGS, dice.between(2, 4)).map((thing) => {
        const file = `lib/${thing}.py`;
        const at = dice.fresh(10, 400);
        return `diff --git a/${file} b/${file}\nindex ${letters(dice, "0123456789abcdef", 7)}..${letters(dice, "0123456789abcdef", 7)} 100644\n--- a/${file}\n+++ b/${file}\n@@ -${at},3 +${at},3 @@ def ${dice.one(THINGS)}():\n     before = ${dice.between(1, 9)}\n-    value = ${dice.between(1, 99)}\n+    value = ${dice.between(100, 999)}\n     return value`;
      });
      return {
        told: { repo, target },
        answers: [["git_diff", { repo, target }, `Diff with ${target}:\n${parts.join("\n")}`]],
      };
    },
    task: ({ repo, target }) => `Lint each file in ${repo} that differs from ${target}.`,
    agent: async ({ repo, target }, call) => {
      const text = await call("git_diff", { repo, target });
      for (const [file = ""] of found(text, /^\+\+\+ b\/(.+)$/gm)) await call("lint", { repo, file });
    },
    hindered: ({ repo, target }) => ["git_diff", { repo, target }, `Diff with ${target}:\n`],
  }),
  papersJob({
    name: "push-branch",
    reads: { git_branch: "repo" },
    writes: { git_push: "repo branch" },
    given: (dice) => {
      const repo = `/src/${dice.one(THINGS)}`;
      const branches = dice
        .some(THINGS, dice.between(3, 5))
        .map((thing) => `work/${thing}-${dice.fresh(10, 99)}`);
      const current = dice.one(branches);
      const lines = branches.map((branch) => `${branch === current ? "*" : " "} ${branch}`);
      return { told: { repo }, answers: [["git_branch", { repo }, lines.join("\n")]] };
    },
    task: ({ repo }) => `Push the branch that is checked out in ${repo}.`,
    agent: async ({ repo }, call) => {
      await call("git_push", { repo, branch: only(await call("git_branch", { repo }), /^\* (.+)$/m) });
    },
    hindered: ({ repo }) => ["git_branch", { repo }, "* (HEAD detached at 1a2b3c4)"],
  }),
  papersJob({
    name: "invite-known",
    reads: { open_nodes: "name" },
    writes: { invite: "address room" },
    given: (dice) => {
      const name = dice.one(PEOPLE);
      const graph = {
        entities: [
          {
            name,
            entityType: "person",
            observations: [
              `Works on the ${dice.one(THINGS)}`,
              `Email is ${addressOf(name)}`,
              `Joined in ${dice.between(2001, 2024)}`,
            ],
          },
        ],
        relations: [],
      };
      const told = { name, room: `Room ${dice.fresh(100, 999)}` };
      return { told, answers: [["open_nodes", { name }, JSON.stringify(graph, undefined, 2)]] };
    },
    task: ({ name, room }) => `Invite ${name} to ${room} by mail.`,
    agent: async ({ name, room }, call) => {
      const text = await call("open_nodes", { name });
      await call("invite", { address: only(text, /"Email is (.+)"/), room });
    },
    hindered: ({ name }) => ["open_nodes", { name }, `{\n  "entities": [],\n  "relations": []\n}`],
  }),
  papersJob({
    name: "cite-page",
    reads: { fetch: "url" },
    writes: { add_citation: "url title license" },
    given: (dice) => {
      const thing = dice.one(THINGS);
      const url = `https://craft.example.org/${thing}/${dice.fresh(100, 999)}`;
      const text = `Contents of ${url}:\n# The ${thing} ${dice.one(["explained", "in use", "through time"])}\n\nBy [${dice.one(PEOPLE)}](https://craft.example.org/authors/${dice.fresh(10, 99)})\n\nA ${thing} is a *tool*. See also [the ${dice.one(THINGS)}](https://craft.example.org/${dice.one(THINGS)}).\n\n* It is old.\n* It is [heavy](https://craft.example.org/heavy).\n\nThis page is available under the licence ${dice.one(["CC-BY-4.0", "CC0-1.0", "MIT-0"])}, last changed on ${dice.day()}.\n`;
      return { told: { url }, answers: [["fetch", { url }, text]] };
    },
    task: ({ url }) => `Cite ${url} with its title and licence.`,
    agent: async ({ url }, call) => {
      const text = await call("fetch", { url });
      const title = only(text, /^# (.+)$/m);
      await call("add_citation", { url, title, license: only(text, /under the licence ([\w.-]+),/) });
    },
    hindered: ({ url }) => ["fetch", { url }, `Contents of ${url}:\nThe page is gone.`],
  }),
  papersJob({
    name: "hand-over-files",
    reads: { list_long: "folder" },
    writes: { change_owner: "folder file owner" },
    given: (dice) => {
      const folder = `/home/${dice.one(THINGS)}`;
      const [from, to] = dice.some(["ada", "bruno", "chloe", "dario"], 2) as [string, string];
      const lines = dice.some(THINGS, dice.between(4, 7)).map((thing, nth) => {
        const owner = nth < 2 ? from : dice.one([from, "root"]);
        return `-rw-r--r-- 1 ${owner.padEnd(6)} staff ${String(dice.fresh(100, 90000)).padStart(6)} ${dice.one(["Mar", "Oct"])} ${String(dice.between(1, 28)).padStart(2)} 0${dice.between(1, 9)}:${dice.between(10, 59)} ${thing}.txt`;
      });
      const text = `total ${dice.fresh(100, 900)}\n${dice.some(lines, lines.length).join("\n")}`;
      return { told: { folder, from, to }, answers: [["list_long", { folder }, text]] };
    },
    task: ({ folder, from, to }) => `Give all files of ${from} in ${folder} to ${to}.`,
    agent: async ({ folder, from, to }, call) => {
      const text = await call("list_long", { folder });
      for (const [owner, file = ""] of found(text, /^-\S+ +\d+ (\S+) .* (\S+)$/gm))
        if (owner === from) await call("change_owner", { folder, file, owner: to });
    },
    hindered: ({ folder }) => ["list_long", { folder }, "total 0"],
  }),
  papersJob({
    name: "update-packages",
    reads: { outdated: "project" },
    writes: { install: "project package version" },
    given: (dice) => {
      const project = `/app/${dice.one(THINGS)}-${dice.fresh(10, 99)}`;
      const version = (): string => `${dice.between(1, 9)}.${dice.fresh(0, 99)}.${dice.between(0, 9)}`;
      const rows = dice
        .some(THINGS, dice.between(2, 4))
        .map((thing) => [
          `@shop/${thing}`,
          version(),
          version(),
          version(),
          `node_modules/@shop/${thing}`,
          "app",
        ]);
      const table = [["Package", "Current", "Wanted", "Latest", "Location", "Depended by"], ...rows];
      const width = (column: number): number => Math.max(...table.map((row) => (row[column] ?? "").length));
      const text = table.map((row) =>
        row
          .map((cell, nth) => (nth % 5 === 0 ? cell.padEnd(width(nth)) : cell.padStart(width(nth))))
          .join("  "),
      );
      return { told: { project }, answers: [["outdated", { project }, text.join("\n")]] };
    },
    task: ({ project }) => `Install the latest version of every package of ${project} that is outdated.`,
    agent: async ({ project }, call) => {
      const text = await call("outdated", { project });
      for (const [name = "", latest = ""] of found(text, /^(@\S+) +\S+ +\S+ +(\S+) /gm))
        await call("install", { project, package: name, version: latest });
    },
    hindered: ({ project }) => ["outdated", { project }, "npm ERR! code EJSONPARSE"],
  }),
  papersJob({
    name: "book-slot",
    reads: { get_calendar: "owner" },
    writes: { move_event: "uid day" },
    given: (dice) => {
      const owner = dice.one(PEOPLE);
      const titles = dice.some(THINGS, dice.between(2, 4)).map((thing) => `Class: ${thing}`);
      const events = titles.map(
        (title) =>
          `BEGIN:VEVENT\nUID:${letters(dice, "0123456789abcdef", 10)}@craft.example.org\nDTSTAMP:20261101T080000Z\nDTSTART;TZID=Europe/Oslo:202611${dice.between(10, 28)}T1${dice.between(0, 9)}0000\nSUMMARY:${title}\nLOCATION:Hall ${dice.between(1, 9)}\nEND:VEVENT`,
      );
      const text = `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Craft//EN\n${events.join("\n")}\nEND:VCALENDAR`;
      const told = { owner, title: dice.one(titles), day: dice.day() };
      return { told, answers: [["get_calendar", { owner }, text]] };
    },
    task: ({ owner, title, day }) => `Move "${title}" in the calendar of ${owner} to ${day}.`,
    agent: async ({ owner, title, day }, call) => {
      const blocks = (await call("get_calendar", { owner })).split("BEGIN:VEVENT") as readonly string[];
      const event = blocks.find((block) => block.includes(`\nSUMMARY:${title}\n`)) ?? "";
      await call("move_event", { uid: only(event, /^UID:(.+)$/m), day });
    },
    hindered: ({ owner }) => ["get_calendar", { owner }, "BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR"],
  }),
  papersJob({
    name: "purge-cache",
    reads: { head: "url" },
    writes: { purge: "url etag" },
    given: (dice) => {
      const url = `https://craft.example.org/${dice.one(THINGS)}.css?v=${dice.fresh(10, 99)}`;
      const text = `HTTP/2 200\ndate: Mon, ${dice.between(10, 28)} Nov 2026 08:${dice.between(10, 59)}:00 GMT\ncontent-type: text/css; charset=utf-8\ncontent-length: ${dice.fresh(1000, 9000)}\netag: "${letters(dice, "0123456789abcdef", 12)}"\ncache-control: public, max-age=${dice.fresh(100, 900)}\nvary: Accept-Encoding`;
      return { told: { url }, answers: [["head", { url }, text]] };
    },
    task: ({ url }) => `Purge ${url} by its etag.`,
    agent: async ({ url }, call) => {
      await call("purge", { url, etag: only(await call("head", { url }), /^etag: "(\w+)"$/m) });
    },
    hindered: ({ url }) => ["head", { url }, "HTTP/2 404\ncontent-length: 0"],
  }),
  papersJob({
    name: "notify-receiver",
    reads: { ask_carrier: "question" },
    writes: { text_message: "phone words" },
    given: (dice) => {
      const parcel = `PX${dice.fresh(10000, 99999)}`;
      const question = `Where is ${parcel}?`;
      const courier = dice.one(PEOPLE);
      const text = `Thanks for asking! Your parcel ${parcel} left the depot in ${dice.one(["Leeds", "Ghent", "Turin"])} this morning and is ${dice.fresh(2, 90)} km away. The driver is ${courier}, who can be reached at +44 ${dice.fresh(1000, 9999)} ${dice.fresh(100000, 999999)} until 6 pm. Is there anything else that I can do for you?`;
      const told = { parcel, question, words: `Gate code ${dice.fresh(1000, 9999)}` };
      return { told, answers: [["ask_carrier", { question }, text]] };
    },
    task: ({ question, words }) => `Ask the carrier "${question}" and send the driver "${words}".`,
    agent: async ({ question, words }, call) => {
      const phone = only(await call("ask_carrier", { question }), /reached at (\+[\d ]+) until/);
      await call("text_message", { phone, words });
    },
    hindered: ({ question }) => ["ask_carrier", { question }, "I am sorry, I do not know that parcel."],
  }),
  papersJob({
    name: "report-crash",
    reads: { last_crash: "service" },
    writes: { open_issue: "service title file line#" },
    given: (dice) => {
      const service = `${dice.one(THINGS)}-${dice.one(["api", "web"])}`;
      const frames = dice
        .some(THINGS, 4)
        .map(
          (thing) =>
            `    at ${thing}Of (/srv/${service}/lib/${thing}.js:${dice.fresh(10, 900)}:${dice.between(3, 40)})`,
        );
      const error = `${dice.one(["TypeError", "RangeError"])}: the ${dice.one(THINGS)} is ${dice.one(["not a function", "out of range"])}`;
      const text = `${error}\n${frames.join("\n")}\n    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)`;
      return { told: { service }, answers: [["last_crash", { service }, text]] };
    },
    task: ({ service }) => `Open an issue for the last crash of ${service}, with where it was thrown.`,
    agent: async ({ service }, call) => {
      const text = await call("last_crash", { service });
      const [[file = "", line] = []] = found(text, /^ {4}at \w+ \((.+):(\d+):\d+\)$/gm);
      const title = only(text, /^(\w+Error: .+)$/m);
      await call("open_issue", { service, title, file, line: Number(line) });
    },
    hindered: ({ service }) => ["last_crash", { service }, "No crash was recorded."],
  }),
];
