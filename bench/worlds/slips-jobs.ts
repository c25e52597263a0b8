import { addressOf, PEOPLE } from "./dice.ts";
import { Refusal } from "./job.ts";
import { found, only, type PapersJob, papersJob } from "./papers.ts";

const PLANTS = ["maple", "alder", "rowan", "hazel", "larch", "aspen", "linden", "elder", "birch", "yew"];

/** Kinds of work that nothing was changed for: they were written and measured when all else was done. */
export const SLIPS_JOBS: readonly PapersJob[] = [
  papersJob({
    name: "remind-attendees",
    reads: { export_event: "uid" },
    writes: { remind: "address title" },
    given: (dice) => {
      const uid = `ev-${dice.fresh(10000, 99999)}`;
      const guests = dice.some(PEOPLE, dice.between(2, 4));
      const lines = guests.map((guest) => `ATTENDEE;CN=${guest}:mailto:${addressOf(guest)}`);
      const text = `BEGIN:VEVENT\nUID:${uid}\nDTSTART:202611${dice.between(10, 28)}T090000Z\nSUMMARY:Pruning the ${dice.one(PLANTS)}s\n${lines.join("\n")}\nSTATUS:CONFIRMED\nEND:VEVENT`;
      return { told: { uid }, answers: [["export_event", { uid }, text]] };
    },
    task: ({ uid }) => `Remind everybody who is invited to the event ${uid} of it by its title.`,
    agent: async ({ uid }, call) => {
      const text = await call("export_event", { uid });
      const title = only(text, /^SUMMARY:(.+)$/m);
      for (const [address = ""] of found(text, /^ATTENDEE;.*mailto:(.+)$/gm))
        await call("remind", { address, title });
    },
    hindered: ({ uid }) => [
      "export_event",
      { uid },
      `BEGIN:VEVENT\nUID:${uid}\nSTATUS:CANCELLED\nEND:VEVENT`,
    ],
  }),
  papersJob({
    name: "payer-facture",
    reads: { lire_facture: "numero" },
    writes: { virement: "iban montant# motif" },
    given: (dice) => {
      const numero = `F-2026-${dice.fresh(100, 999)}`;
      const total = dice.fresh(1200, 9800);
      const text = `# Facture ${numero}\n\nÉmise par **Pépinières ${dice.one(PLANTS)}**\n\n| Désignation | Quantité |\n|---|--:|\n| ${dice.one(PLANTS)} | ${dice.between(1, 20)} |\n| ${dice.one(PLANTS)} | ${dice.between(1, 20)} |\n\n**Total à payer :** ${total},50 €\n**IBAN :** FR76 ${dice.fresh(1000, 9999)} ${dice.fresh(1000, 9999)} ${dice.fresh(1000, 9999)}\n`;
      return { told: { numero }, answers: [["lire_facture", { numero }, text]] };
    },
    task: ({ numero }) => `Paie la facture ${numero}, avec son numéro pour motif.`,
    agent: async ({ numero }, call) => {
      const text = await call("lire_facture", { numero });
      const montant = Number(only(text, /^\*\*Total à payer :\*\* (\S+) €$/m).replace(",", "."));
      await call("virement", { iban: only(text, /^\*\*IBAN :\*\* (.+)$/m), montant, motif: numero });
    },
    hindered: ({ numero }) => ["lire_facture", { numero }, `# Facture ${numero}\n\nDéjà payée.\n`],
  }),
  papersJob({
    name: "stop-containers",
    reads: { list_containers: "host" },
    writes: { stop_container: "host container" },
    given: (dice) => {
      const host = `node-${dice.fresh(10, 99)}`;
      const images = dice.some(["redis:7", "nginx:1.27", "grafana:11"], 2);
      const [image = ""] = images;
      const rows = Array.from({ length: dice.between(4, 6) }, (_, nth) => [
        `${dice.fresh(100000, 999999)}ab${dice.between(10, 99)}`,
        nth < 2 ? image : dice.one(images),
        `Up ${dice.between(2, 40)} hours`,
        `${dice.one(PLANTS)}_${dice.fresh(1, 99)}`,
      ]);
      const table = [["CONTAINER ID", "IMAGE", "STATUS", "NAMES"], ...dice.some(rows, rows.length)];
      const text = table.map(
        ([id = "", of = "", status = "", name = ""]) =>
          `${id.padEnd(15)}${of.padEnd(14)}${status.padEnd(16)}${name}`,
      );
      return { told: { host, image }, answers: [["list_containers", { host }, text.join("\n")]] };
    },
    task: ({ host, image }) => `Stop all containers of the image ${image} on ${host}.`,
    agent: async ({ host, image }, call) => {
      const text = await call("list_containers", { host });
      for (const [container = "", of] of found(text, /^(\w+ab\d+) +(\S+) /gm))
        if (of === image) await call("stop_container", { host, container });
    },
    hindered: ({ host }) => ["list_containers", { host }, "Cannot connect to the daemon."],
  }),
  papersJob({
    name: "import-references",
    reads: { show_reading_list: "course" },
    writes: { add_reference: "doi title" },
    given: (dice) => {
      const course = `BOT-${dice.fresh(100, 999)}`;
      const items = dice
        .some(PLANTS, dice.between(2, 4))
        .map(
          (plant, nth) =>
            `${nth + 1}. ${dice.one(PEOPLE)} (${dice.between(1990, 2025)}). "Roots of the ${plant}". doi:10.${dice.fresh(1000, 9999)}/${plant}.${dice.fresh(1, 99)}`,
        );
      return {
        told: { course },
        answers: [["show_reading_list", { course }, `Reading list for ${course}\n\n${items.join("\n")}`]],
      };
    },
    task: ({ course }) => `Add all references of the reading list of ${course}.`,
    agent: async ({ course }, call) => {
      const text = await call("show_reading_list", { course });
      for (const [title = "", doi = ""] of found(text, /"(.+)"\. doi:(\S+)$/gm))
        await call("add_reference", { doi, title });
    },
    hindered: ({ course }) => ["show_reading_list", { course }, "No such list."],
  }),
  papersJob({
    name: "rerun-failed",
    reads: { test_report: "build#" },
    writes: { rerun_test: "test" },
    given: (dice) => {
      const build = dice.fresh(1000, 9999);
      const tests = dice.some(PLANTS, dice.between(5, 7)).map((plant, nth) => {
        const isFailed = nth < 2 || dice.between(0, 3) === 0;
        return `${isFailed ? "not ok" : "ok"} ${nth + 1} - grows/${plant}`;
      });
      const failed = tests.filter((each) => each.startsWith("not")).length;
      const text = `TAP version 13\n1..${tests.length}\n${tests.join("\n")}\n# pass ${tests.length - failed}\n# fail ${failed}`;
      return { told: { build }, answers: [["test_report", { build }, text]] };
    },
    task: ({ build }) => `Run all tests of the build ${build} again that are not ok.`,
    agent: async ({ build }, call) => {
      const text = await call("test_report", { build });
      for (const [test = ""] of found(text, /^not ok \d+ - (.+)$/gm)) await call("rerun_test", { test });
    },
    hindered: ({ build }) => ["test_report", { build }, "TAP version 13\n1..0"],
  }),
  papersJob({
    name: "order-from-feed",
    reads: { read_feed: "shop" },
    writes: { reserve: "sku" },
    given: (dice) => {
      const shop = `${dice.one(PLANTS)}-garden`;
      const items = dice
        .some(PLANTS, dice.between(2, 4))
        .map(
          (plant) =>
            `  <item sku="S${dice.fresh(1000, 9999)}">\n    <name>${plant}</name>\n    <price>${dice.fresh(5, 90)}</price>\n  </item>`,
        );
      return {
        told: { shop },
        answers: [["read_feed", { shop }, `<feed shop="${shop}">\n${items.join("\n")}\n</feed>`]],
      };
    },
    task: ({ shop }) => `Reserve every item in the feed of ${shop}.`,
    agent: async ({ shop }, call) => {
      const text = await call("read_feed", { shop });
      for (const [sku = ""] of found(text, /<item sku="(\w+)">/g)) await call("reserve", { sku });
    },
    hindered: ({ shop }) => ["read_feed", { shop }, `<feed shop="${shop}">\n</feed>`],
  }),
  papersJob({
    name: "note-forecast",
    reads: { forecast: "place" },
    writes: { log_reading: "place degrees# wind#" },
    given: (dice) => {
      const place = `${dice.one(["Upper", "Lower"])} ${dice.one(["Wold", "Marsh", "Fell"])}`;
      const text = `Tomorrow in ${place} it will be ${dice.fresh(11, 29)} °C with gusts of up to ${dice.fresh(31, 90)} km/h.`;
      return { told: { place }, answers: [["forecast", { place }, text]] };
    },
    task: ({ place }) => `Log tomorrow's temperature and wind for ${place}.`,
    agent: async ({ place }, call) => {
      const text = await call("forecast", { place });
      const [[degrees, wind] = []] = found(text, /(\d+) °C.* (\d+) km\/h/g);
      if (degrees === undefined) throw new Refusal("It is not told");
      await call("log_reading", { place, degrees: Number(degrees), wind: Number(wind) });
    },
    hindered: ({ place }) => ["forecast", { place }, `There is no forecast for ${place}.`],
  }),
  papersJob({
    name: "renew-overdue",
    reads: { list_loans: "reader", show_loan: "loan" },
    writes: { renew: "loan branch" },
    given: (dice) => {
      const reader = dice.one(PEOPLE);
      const loans = Array.from({ length: dice.between(3, 5) }, () => `LN${dice.fresh(1000, 9999)}`);
      const lines = loans.map((loan) => `• ${loan} – "${dice.one(PLANTS)} and ${dice.one(PLANTS)}"`);
      return {
        told: { reader },
        answers: [
          ["list_loans", { reader }, `${reader} has ${loans.length} loans:\n\n${lines.join("\n")}`],
          ...loans.map((loan, nth) => {
            const state = nth < 2 || dice.between(0, 1) === 0 ? "overdue" : "due";
            const text = `Loan:    ${loan}\nState:   ${state}\nBranch:  ${dice.one(["Harbour", "Mill", "Castle"])} Library`;
            return ["show_loan", { loan }, text] as const;
          }),
        ],
      };
    },
    task: ({ reader }) => `Renew all loans of ${reader} that are overdue at their branch.`,
    agent: async ({ reader }, call) => {
      for (const [loan = ""] of found(await call("list_loans", { reader }), /^• (\w+)/gm)) {
        const text = await call("show_loan", { loan });
        if (only(text, /^State: +(.+)$/m) === "overdue")
          await call("renew", { loan, branch: only(text, /^Branch: +(.+)$/m) });
      }
    },
    hindered: ({ reader }) => ["list_loans", { reader }, `${reader} has no loans.`],
  }),
];
