import { addressOf, type Dice, PEOPLE } from "./dice.ts";
import { Refusal } from "./job.ts";
import { found, only, type PapersJob, papersJob } from "./papers.ts";

const NOUNS = ["ferry", "quay", "sluice", "barge", "harness", "beacon", "ledger", "tariff", "cabin", "lock"];

const hex = (dice: Dice, length: number): string =>
  Array.from({ length }, () => dice.one("0123456789abcdef".split(""))).join("");

export const PAPERS_JOBS: readonly PapersJob[] = [
  papersJob({
    name: "revert-by-message",
    reads: { git_log: "path" },
    writes: { git_revert: "path revision" },
    given: (dice) => {
      const path = `/work/${dice.one(NOUNS)}-${dice.fresh(10, 99)}`;
      const messages = dice
        .some(NOUNS, dice.between(3, 4))
        .map((noun) => `${dice.one(["Drop", "Speed up", "Rename"])} the ${noun}`);
      const blocks = messages.map((message) => {
        const author = dice.one(PEOPLE);
        const body = dice.between(0, 2) === 0 ? `\n    \n    Nobody needs it any more.\n` : "\n";
        return `commit ${hex(dice, 40)}\nAuthor: ${author} <${addressOf(author)}>\nDate:   Tue Nov ${dice.between(1, 28)} 0${dice.between(1, 9)}:14:${dice.between(10, 59)} 2026 +0100\n\n    ${message}${body}`;
      });
      return {
        told: { path, message: dice.one(messages) },
        answers: [["git_log", { path }, blocks.join("\n")]],
      };
    },
    task: ({ path, message }) => `Revert the commit "${message}" in ${path}.`,
    agent: async ({ path, message }, call) => {
      const text = await call("git_log", { path });
      const blocks = text.split(/^(?=commit )/m) as readonly string[];
      const block = blocks.find((each) => each.includes(`\n    ${message}\n`)) ?? "";
      await call("git_revert", { path, revision: only(block, /^commit (\w+)$/m) });
    },
    hindered: ({ path }) => [
      "git_log",
      { path },
      `commit ${"0".repeat(40)}\nAuthor: Root <root@example.org>\nDate:   Sun Nov 1 00:00:00 2026 +0100\n\n    Begin\n`,
    ],
  }),
  papersJob({
    name: "discard-modified",
    reads: { git_status: "path" },
    writes: { git_restore: "path file" },
    given: (dice) => {
      const path = `/home/build/${dice.one(NOUNS)}`;
      const [changed, others] = [dice.some(NOUNS, dice.between(2, 4)), dice.some(NOUNS, dice.between(1, 3))];
      const text = [
        "On branch main",
        `Your branch is ahead of 'origin/main' by ${dice.between(2, 9)} commits.`,
        '  (use "git push" to publish your local commits)',
        "",
        "Changes not staged for commit:",
        '  (use "git add <file>..." to update what will be committed)',
        '  (use "git restore <file>..." to discard changes in working directory)',
        ...changed.map((noun) => `\tmodified:   lib/${noun}.rb`),
        "",
        "Untracked files:",
        '  (use "git add <file>..." to include in what will be committed)',
        ...others.map((noun) => `\ttmp/${noun}.out`),
        "",
        'no changes added to commit (use "git add" and/or "git commit -a")',
      ].join("\n");
      return { told: { path }, answers: [["git_status", { path }, text]] };
    },
    task: ({ path }) => `Discard the changes of all modified files in ${path}.`,
    agent: async ({ path }, call) => {
      const text = await call("git_status", { path });
      for (const [file = ""] of found(text, /^\tmodified: {3}(.+)$/gm))
        await call("git_restore", { path, file });
    },
    hindered: ({ path }) => ["git_status", { path }, "On branch main\nnothing to commit, working tree clean"],
  }),
  papersJob({
    name: "answer-letter",
    reads: { read_letter: "id" },
    writes: { send_letter: "to subject body" },
    given: (dice) => {
      const id = `L${dice.fresh(1000, 9999)}`;
      const [from, to] = dice.some(PEOPLE, 2) as [string, string];
      const subject = `${dice.one(["Berth", "Mooring", "Licence"])} for the ${dice.one(NOUNS)} ${dice.fresh(10, 99)}`;
      const text = `Return-Path: <bounce@mail.example.org>\nFrom: ${from} <${addressOf(from)}>\nTo: ${to} <${addressOf(to)}>\nDate: Wed, ${dice.between(10, 28)} Nov 2026 08:1${dice.between(0, 9)}:00 +0100\nSubject: ${subject}\nMessage-ID: <${hex(dice, 12)}@example.org>\n\nDear ${to.split(" ")[0]},\n\nWhen can we come?\n\nRegards,\n${from}\n`;
      return {
        told: { id, words: `Come on day ${dice.fresh(1, 300)}.` },
        answers: [["read_letter", { id }, text]],
      };
    },
    task: ({ id, words }) => `Answer whoever wrote the letter ${id}: "${words}"`,
    agent: async ({ id, words }, call) => {
      const text = await call("read_letter", { id });
      const to = only(text, /^From: .* <(.+)>$/m);
      await call("send_letter", { to, subject: `Re: ${only(text, /^Subject: (.+)$/m)}`, body: words });
    },
    hindered: ({ id }) => ["read_letter", { id }, "The letter was deleted."],
  }),
  papersJob({
    name: "reorder-empty",
    reads: { stock_report: "depot" },
    writes: { place_order: "article supplier" },
    given: (dice) => {
      const depot = dice.one(["North", "Quay", "Hill"]);
      const rows = dice.some(NOUNS, dice.between(4, 6)).map((noun, nth) => {
        const level = nth < 2 ? "empty" : dice.one(["low", "full", "empty"]);
        return `| ${noun.toUpperCase()}-${dice.fresh(100, 999)} | ${noun} rope | ${level} | ${dice.one(["Lindqvist", "Moreau & Fils", "Tanaka Ltd"])} |`;
      });
      const text = `Stock in **${depot}**, as of today:\n\n| Article | Name | Level | Supplier |\n|:--|---|:-:|---|\n${dice.some(rows, rows.length).join("\n")}\n\nAsk the depot about anything else.`;
      return { told: { depot }, answers: [["stock_report", { depot }, text]] };
    },
    task: ({ depot }) => `Order every article of the depot ${depot} whose level is empty from its supplier.`,
    agent: async ({ depot }, call) => {
      const text = await call("stock_report", { depot });
      for (const [article = "", level, supplier = ""] of found(
        text,
        /^\| (\S+) \| .+ \| (\w+) \| (.+) \|$/gm,
      ))
        if (level === "empty") await call("place_order", { article, supplier });
    },
    hindered: ({ depot }) => ["stock_report", { depot }, "The depot is closed."],
  }),
  papersJob({
    name: "mahnungen",
    reads: { offene_posten: "stichtag" },
    writes: { mahnung_senden: "kunde rechnung betrag" },
    given: (dice) => {
      const stichtag = dice.day();
      const rows = dice
        .some(PEOPLE, dice.between(2, 4))
        .map(
          (person) =>
            `RE-${dice.fresh(1000, 9999)};${person};${dice.fresh(100, 999)},${dice.between(10, 99)} €;${dice.day()}`,
        );
      return {
        told: { stichtag },
        answers: [["offene_posten", { stichtag }, `Rechnung;Kunde;Betrag;Fällig\n${rows.join("\n")}\n`]],
      };
    },
    task: ({ stichtag }) => `Schicke für alle am ${stichtag} offenen Posten eine Mahnung.`,
    agent: async ({ stichtag }, call) => {
      const text = await call("offene_posten", { stichtag });
      for (const [rechnung = "", kunde = "", betrag = ""] of found(text, /^(RE-\d+);(.+);(.+);.+$/gm))
        await call("mahnung_senden", { kunde, rechnung, betrag });
    },
    hindered: ({ stichtag }) => ["offene_posten", { stichtag }, "Rechnung;Kunde;Betrag;Fällig\n"],
  }),
  papersJob({
    name: "cook-day",
    reads: { show_menu: "week#" },
    writes: { plan_dish: "dish portions#" },
    given: (dice) => {
      const week = dice.fresh(1, 52);
      const days = ["Monday", "Wednesday", "Friday"];
      const text = days
        .map(
          (day) =>
            `* ${day}\n${dice
              .some(
                ["Lentil soup", "Fried plaice", "Beet salad", "Plum cake", "Rye porridge"],
                dice.between(2, 3),
              )
              .map((dish) => `    * ${dish}: ${dice.fresh(11, 400)} portions`)
              .join("\n")}`,
        )
        .join("\n");
      return { told: { week, day: dice.one(days) }, answers: [["show_menu", { week }, text]] };
    },
    task: ({ week, day }) => `Plan all dishes of the menu of week ${week} for ${day}.`,
    agent: async ({ week, day }, call) => {
      const text = await call("show_menu", { week });
      const part = only(text, new RegExp(`^\\* ${day}\\n((?: {4}.*\\n?)+)`, "m"));
      for (const [dish = "", portions] of found(part, /^ {4}\* (.+): (\d+) portions$/gm))
        await call("plan_dish", { dish, portions: Number(portions) });
    },
    hindered: ({ week }) => ["show_menu", { week }, "There is no menu yet."],
  }),
  papersJob({
    name: "page-on-call",
    reads: { read_roster: "team" },
    writes: { page: "number text" },
    given: (dice) => {
      const team = dice.one(["radar", "locks", "pilots"]);
      const people = dice.some(PEOPLE, 3);
      const text = `# kept by hand\nteam: ${team}\nrotation: weekly\non_call: ${dice.one(people)}\nmembers:\n${people.map((person) => `  - name: ${person}\n    number: "+47 ${dice.fresh(100, 999)} ${dice.fresh(10, 99)} ${dice.fresh(100, 999)}"\n    shifts: ${dice.between(1, 5)}`).join("\n")}\n`;
      return {
        told: { team, text: `Gate ${dice.fresh(1, 99)} is stuck` },
        answers: [["read_roster", { team }, text]],
      };
    },
    task: ({ team, text }) => `Page whoever of ${team} is on call: "${text}".`,
    agent: async ({ team, text: words }, call) => {
      const text = await call("read_roster", { team });
      const name = only(text, /^on_call: (.+)$/m);
      const member = new RegExp(`- name: ${name}\\n {4}number: "(.+)"`);
      await call("page", { number: only(text, member), text: words });
    },
    hindered: ({ team }) => ["read_roster", { team }, `team: ${team}\nrotation: none\n`],
  }),
  papersJob({
    name: "retry-declined",
    reads: { tail_log: "service" },
    writes: { retry_payment: "payment" },
    given: (dice) => {
      const service = dice.one(["tolls", "berths", "fuel"]);
      const lines = Array.from({ length: dice.between(6, 9) }, (_, nth) => {
        const time = `2026-11-${dice.between(10, 28)}T0${nth}:${dice.between(10, 59)}:${dice.between(10, 59)}.${dice.between(100, 999)}Z`;
        const payment = `pay_${hex(dice, 8)}`;
        return nth < 2 || dice.between(0, 2) === 0
          ? `${time} ERROR [${service}] ${payment} failed: card declined (attempt ${dice.between(1, 3)})`
          : `${time} INFO  [${service}] ${payment} settled in ${dice.between(20, 900)}ms`;
      });
      return {
        told: { service },
        answers: [["tail_log", { service }, dice.some(lines, lines.length).join("\n")]],
      };
    },
    task: ({ service }) => `Try all payments of ${service} again that failed.`,
    agent: async ({ service }, call) => {
      const text = await call("tail_log", { service });
      for (const [payment = ""] of found(text, /^\S+ ERROR \[\w+\] (\S+) failed/gm))
        await call("retry_payment", { payment });
    },
    hindered: ({ service }) => ["tail_log", { service }, "(log is empty)"],
  }),
  papersJob({
    name: "compress-logs",
    reads: { directory_tree: "root" },
    writes: { compress: "file" },
    given: (dice) => {
      const root = `/var/spool/${dice.one(NOUNS)}`;
      const folders = dice.some(NOUNS, 2);
      const lines = folders.flatMap((folder, nth) => {
        const files = dice
          .some(NOUNS, dice.between(2, 3))
          .map((noun) => `${noun}-${dice.fresh(1, 99)}.${dice.one(["log", "dat"])}`);
        files[0] = `${dice.one(NOUNS)}-${dice.fresh(100, 999)}.log`;
        const isLast = nth === folders.length - 1;
        const below = files.map(
          (file, at) => `${isLast ? "    " : "│   "}${at === files.length - 1 ? "└──" : "├──"} ${file}`,
        );
        return [`${isLast ? "└──" : "├──"} ${folder}`].concat(below);
      });
      return { told: { root }, answers: [["directory_tree", { root }, [root, ...lines].join("\n")]] };
    },
    task: ({ root }) => `Compress all .log files below ${root}.`,
    agent: async ({ root }, call) => {
      const text: string = await call("directory_tree", { root });
      let folder = "";
      for (const line of text.split("\n")) {
        const [, above] = /^[├└]── (.+)$/.exec(line) ?? [];
        const [, file] = /^(?:│| ) {3}[├└]── (.+\.log)$/.exec(line) ?? [];
        if (above !== undefined) folder = above;
        if (file !== undefined) await call("compress", { file: `${root}/${folder}/${file}` });
      }
    },
    hindered: ({ root }) => ["directory_tree", { root }, root],
  }),
  papersJob({
    name: "reservar-articulos",
    reads: { ver_pedido: "pedido" },
    writes: { reservar: "articulo almacen" },
    given: (dice) => {
      const pedido = `P-${dice.fresh(1000, 9999)}`;
      const articles = dice.some(["cuerda", "ancla", "vela", "remo", "bomba", "farol"], dice.between(2, 4));
      const text = `Pedido: ${pedido}\nCliente: ${dice.one(PEOPLE)}\nAlmacén: ${dice.one(["Cádiz", "Vigo", "Gijón"])}\nArtículos: ${articles.map((each) => `${each} ${dice.fresh(10, 99)}`).join(", ")}\nEstado: pagado`;
      return { told: { pedido }, answers: [["ver_pedido", { pedido }, text]] };
    },
    task: ({ pedido }) => `Reserva todos los artículos del pedido ${pedido} en su almacén.`,
    agent: async ({ pedido }, call) => {
      const text = await call("ver_pedido", { pedido });
      const almacen = only(text, /^Almacén: (.+)$/m);
      for (const articulo of only(text, /^Artículos: (.+)$/m).split(", "))
        await call("reservar", { articulo, almacen });
    },
    hindered: ({ pedido }) => ["ver_pedido", { pedido }, `Pedido: ${pedido}\nEstado: anulado`],
  }),
  papersJob({
    name: "report-tides",
    reads: { list_gauges: "coast", read_gauge: "gauge" },
    writes: { publish: "title body" },
    given: (dice) => {
      const coast = dice.one(["west", "south"]);
      const gauges = dice.some(NOUNS, dice.between(2, 4)).map((noun) => `${noun}-${dice.fresh(10, 99)}`);
      return {
        told: { coast, title: `Levels ${dice.fresh(100, 999)}` },
        answers: [
          [
            "list_gauges",
            { coast },
            `Gauges at the ${coast} coast:\n${gauges.map((gauge, nth) => `${nth + 1}. ${gauge}`).join("\n")}`,
          ],
          ...gauges.map(
            (gauge) =>
              [
                "read_gauge",
                { gauge },
                `Gauge ${gauge}\nLevel: ${dice.fresh(101, 980)} cm\nTrend: ${dice.one(["rising", "falling"])}`,
              ] as const,
          ),
        ],
      };
    },
    task: ({ coast, title }) =>
      `Read all gauges of the ${coast} coast and publish "${title}" with a line for each, its level and trend.`,
    agent: async ({ coast, title }, call) => {
      const lines: string[] = [];
      for (const [gauge = ""] of found(await call("list_gauges", { coast }), /^\d+\. (.+)$/gm)) {
        const text = await call("read_gauge", { gauge });
        lines.push(`${gauge}: ${only(text, /^Level: (.+)$/m)}, ${only(text, /^Trend: (.+)$/m)}`);
      }
      if (lines.length === 0) throw new Refusal("There are none");
      await call("publish", { title, body: lines.join("\n") });
    },
    hindered: ({ coast }) => ["list_gauges", { coast }, `Gauges at the ${coast} coast:`],
  }),
  papersJob({
    name: "seat-guests",
    reads: { list_guests: "dinner", list_seats: "dinner" },
    writes: { seat: "guest place" },
    given: (dice) => {
      const dinner = `${dice.one(["Harbour", "Winter"])} dinner ${dice.fresh(10, 99)}`;
      const guests = dice.some(PEOPLE, dice.between(2, 4));
      return {
        told: { dinner },
        answers: [
          ["list_guests", { dinner }, guests.map((guest) => `- ${guest}`).join("\n")],
          [
            "list_seats",
            { dinner },
            `Free seats:\n${guests.map(() => `T${dice.fresh(1, 99)}-${dice.one(["left", "right"])}`).join("\n")}`,
          ],
        ],
      };
    },
    task: ({ dinner }) => `Seat the guests of the ${dinner}, in their order, at its free seats.`,
    agent: async ({ dinner }, call) => {
      const guests = found(await call("list_guests", { dinner }), /^- (.+)$/gm);
      const seats = found(await call("list_seats", { dinner }), /^(T.+)$/gm);
      for (const [nth, [guest = ""]] of guests.entries())
        await call("seat", { guest, place: seats[nth]?.[0] ?? "" });
    },
    hindered: ({ dinner }) => ["list_guests", { dinner }, "Nobody is coming."],
  }),
  papersJob({
    name: "pay-at-rate",
    reads: { rates: "day" },
    writes: { fix_rate: "currency rate#" },
    given: (dice) => {
      const day = dice.day();
      const codes = dice.some(["NOK", "SEK", "PLN", "GBP", "JPY"], 4);
      const rates = Object.fromEntries(codes.map((code) => [code, dice.fresh(1000, 99999) / 1000]));
      return {
        told: { day, currency: dice.one(codes) },
        answers: [
          [
            "rates",
            { day },
            `Reference rates of ${day}:\n\n\`\`\`json\n${JSON.stringify({ base: "EUR", rates }, undefined, 2)}\n\`\`\``,
          ],
        ],
      };
    },
    task: ({ day, currency }) => `Fix the rate of ${currency} as it was on ${day}.`,
    agent: async ({ day, currency }, call) => {
      const text = await call("rates", { day });
      await call("fix_rate", { currency, rate: Number(only(text, new RegExp(`"${currency}": ([\\d.]+)`))) });
    },
    hindered: ({ day }) => ["rates", { day }, "Reference rates are not yet known."],
  }),
  papersJob({
    name: "bill-hours",
    reads: { show_contract: "contract", show_hours: "contract" },
    writes: { bill: "contract amount#" },
    given: (dice) => {
      const contract = `C${dice.fresh(100, 999)}`;
      return {
        told: { contract },
        answers: [
          [
            "show_contract",
            { contract },
            `Contract ${contract}\n  Client .... ${dice.one(PEOPLE)}\n  Rate ...... ${dice.fresh(41, 180)}\n  Cap ....... ${dice.fresh(5000, 9000)}`,
          ],
          [
            "show_hours",
            { contract },
            `${dice.fresh(11, 40)} hours were worked on ${contract} by ${dice.between(1, 4)} people.`,
          ],
        ],
      };
    },
    task: ({ contract }) => `Bill the contract ${contract}: its hours times its rate.`,
    agent: async ({ contract }, call) => {
      const rate = Number(only(await call("show_contract", { contract }), /Rate \.+ (\d+)/));
      const hours = Number(only(await call("show_hours", { contract }), /^(\d+) hours/));
      await call("bill", { contract, amount: rate * hours });
    },
    hindered: ({ contract }) => ["show_hours", { contract }, "No hours were worked."],
  }),
];
