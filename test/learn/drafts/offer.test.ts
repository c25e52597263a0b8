import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { offerOf, promotionFault } from "../../../src/learn/drafts/gate.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import type { Reason } from "../../../src/learn/drafts/reasons.ts";
import { planObstacles } from "../../../src/learn/drafts/offer/offer.ts";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import { extracted, provideFolder, type Told } from "../extracted.ts";
import { learned, traceOf } from "../learned.ts";

provideFolder();

const reasons = (draft: Draft): readonly Reason[] => offerOf(draft).obstacles.map(({ reason }) => reason);

const PLOTS: Json = {
  plots: [
    { id: "plot-88213", crop: "barley", hectares: 12.5, grower: "Ines Duarte" },
    { id: "plot-88214", crop: "clover", hectares: 3.25, grower: "Tomas Weld" },
    { id: "plot-88215", crop: "rye", hectares: 7.75, grower: "Ida Brandt" },
  ],
};

test.each<readonly [string, string, readonly Told[]]>([
  [
    "a way from what the task tells to what is done",
    "Set the plot with barley to fallow.",
    [
      ["farm.list_plots", {}, PLOTS],
      ["farm.set_fallow", { plot: "plot-88213" }, { plot: "plot-88213", isFallow: true }],
    ],
  ],
  [
    "one thing done and noted for each of several that the caller names",
    "Water the greenhouses north, south and annex, and note each.",
    ["north", "south", "annex"].flatMap((house): readonly Told[] => [
      ["farm.water", { house }, { watered: house, litres: house.length * 40.5 }],
      ["farm.note", { house, litres: house.length * 40.5 }, { ok: true }],
    ]),
  ],
  [
    "a mail whose text the user has written, to somebody who is looked up",
    'Write to Ida Brandt, subject Seeds, this: "The seeds come on Monday.\nPlease have the shed open by then, and somebody there who can sign for them."',
    [
      ["post.find_person", { name: "Ida Brandt" }, { name: "Ida Brandt", email: "ida@fields.example" }],
      [
        "post.send",
        {
          to: "ida@fields.example",
          subject: "Seeds",
          text: "The seeds come on Monday.\nPlease have the shed open by then, and somebody there who can sign for them.",
        },
        { sent: true },
      ],
    ],
  ],
  [
    "several acts on one thing that the caller names",
    "Mow plot-88213 on 2026-05-03, and tell it to Ines Duarte.",
    [
      ["farm.mow", { plot: "plot-88213", day: "2026-05-03" }, { ok: true }],
      ["post.notify", { plot: "plot-88213", person: "Ines Duarte", day: "2026-05-03" }, { ok: true }],
    ],
  ],
  [
    "something made and used before it is taken back",
    "Lend the trailer of the north barn to Ines Duarte, weigh it while she has it, and take it back.",
    [
      ["barns.lend", { barn: "north barn", to: "Ines Duarte" }, { loan: "loan-55120" }],
      ["scales.weigh", { loan: "loan-55120" }, { kilos: 812 }],
      ["barns.remove_loan", { loan: "loan-55120" }, { ok: true }],
    ],
  ],
])("%s is offered", async (name, task, calls) => {
  const draft = await extracted(nameOf(name), task, [calls]);
  expect(reasons(draft)).toEqual([]);
  expect(draftText(draftView(draft))).toMatch(/^\S+ \(draft, offered/);
});

test.each<readonly [Reason, string, readonly Told[]]>([
  [
    "must-fail",
    "Set the plot with barley to fallow.",
    [
      ["farm.list_plots", {}, PLOTS],
      ["farm.get_lease", { plot: "plot-88213" }, new Error("404 Not Found: no lease")],
      ["farm.set_fallow", { plot: "plot-88213" }, { plot: "plot-88213", isFallow: true }],
    ],
  ],
  [
    "adds-nothing",
    "Book the barn of Ines Duarte for 2026-05-03, under the name of harvest feast.",
    [
      [
        "barns.book",
        { owner: "Ines Duarte", day: "2026-05-03", title: "harvest feast" },
        { booking: "bk-20017" },
      ],
    ],
  ],
  [
    "adds-nothing",
    "Water the greenhouses north, south and annex.",
    ["north", "south", "annex"].map((house): Told => ["farm.water", { house }, { watered: house }]),
  ],
  [
    "open-question",
    "Find the price of barley and write on the board: Barley is at ${price} a sack!",
    [
      ["market.get_quote", { crop: "barley" }, { price: 457.23, change: 0.5 }],
      ["board.write", { text: "Barley is at $457.23 a sack!" }, { note: "nt-40021" }],
      ["board.pin", { note: "nt-40021", days: 7 }, { ok: true }],
    ],
  ],
  [
    "untold-place",
    "List what is in /srv/harvest, and write the list on the board.",
    [
      ["disk.list_here", {}, { files: ["barley.csv", "clover.csv"] }],
      ["board.write", { text: "barley.csv, clover.csv" }, { ok: true }],
    ],
  ],
  [
    "untold-exception",
    "Ask the growers of all plots but those of Bo Hu to harvest.",
    [
      ["farm.list_plots", {}, PLOTS],
      ["board.ask", { grower: "Ines Duarte", text: "Please harvest" }, { ok: true }],
      ["board.ask", { grower: "Tomas Weld", text: "Please harvest" }, { ok: true }],
      ["board.ask", { grower: "Ida Brandt", text: "Please harvest" }, { ok: true }],
    ],
  ],
  [
    "fixed-number",
    "Write on the board what /plots/north.txt, /plots/west.txt and /plots/lake.txt say, a line for each.",
    [
      ...[
        ["/plots/north.txt", "Ines Duarte"],
        ["/plots/west.txt", "Bo Hu"],
        ["/plots/lake.txt", "Ida Brandt"],
      ].map(([path = "", grower]): Told => [
        "disk.read",
        { path },
        { content: `Grower: ${grower}\nPlot: ${path.slice(7, -4)}\n` },
      ]),
      ["board.write", { text: "Ines Duarte" }, { ok: true }],
      ["board.sign", { name: "Bo Hu" }, { ok: true }],
      ["board.address", { to: "Ida Brandt" }, { ok: true }],
    ],
  ],
  [
    "undone",
    "Book the barn of Ines Duarte for 2026-05-03. On second thoughts, cancel it.",
    [
      ["barns.find", { owner: "Ines Duarte" }, { barn: "barn-30771" }],
      ["barns.book", { barn: "barn-30771", day: "2026-05-03" }, { booking: "bk-20017" }],
      ["post.notify", { booking: "bk-20017" }, { ok: true }],
      ["barns.cancel_booking", { booking: "bk-20017" }, { ok: true }],
    ],
  ],
  [
    "open-question",
    "Delete the reminders that are too old.",
    [
      [
        "desk.list_reminders",
        {},
        { reminders: ["rm-20111", "rm-20112", "rm-20113"].map((id) => ({ id, days: 40 })) },
      ],
      ...["rm-20111", "rm-20112", "rm-20113"].map((id): Told => [
        "desk.delete_reminder",
        { id },
        { ok: true },
      ]),
    ],
  ],
  [
    "untold-limit",
    "Hire the harvester for plot-88213 with a budget of 2,400, for Ines Duarte.",
    [
      ["farm.get_plot", { plot: "plot-88213" }, { plot: "plot-88213", machine: "mc-31007", price: 2400.5 }],
      ["farm.hire", { machine: "mc-31007", grower: "Ines Duarte" }, { ok: true }],
    ],
  ],
  [
    "unrelated-acts",
    "Set the plot with barley to fallow, and write on the board: The seeds have come.",
    [
      ["farm.list_plots", {}, PLOTS],
      ["farm.set_fallow", { plot: "plot-88213" }, { plot: "plot-88213", isFallow: true }],
      ["board.write", { text: "The seeds have come" }, { ok: true }],
    ],
  ],
  [
    "unrelated-acts",
    "Give back the lamp of order W-100441 to card-7712, and pay for the parcel P-220098 with card-7712.",
    [
      ["shop.get_order", { order: "W-100441" }, { items: [{ name: "lamp", id: "it-50011" }] }],
      ["shop.give_back", { order: "W-100441", item: "it-50011", card: "card-7712" }, { ok: true }],
      ["post.pay", { parcel: "P-220098", card: "card-7712" }, { ok: true }],
    ],
  ],
  [
    "unrelated-acts",
    "Set the plot with barley to fallow, and tell what the mean of 45.5, 78.25 and 102.5 is.",
    [
      ["farm.list_plots", {}, PLOTS],
      ["farm.set_fallow", { plot: "plot-88213" }, { plot: "plot-88213", isFallow: true }],
      ["numbers.mean", { numbers: [45.5, 78.25, 102.5] }, { mean: 75.42 }],
    ],
  ],
  [
    "unrelated-acts",
    "With the session of 2026, lock the north gate and pay the miller.",
    [
      ["auth.log_in", { user: "ida@fields.example" }, { access_token: "tok-9f8e7d6c5b4a" }],
      ["gates.lock", { access_token: "tok-9f8e7d6c5b4a", gate: "north gate" }, { ok: true }],
      ["bank.pay", { access_token: "tok-9f8e7d6c5b4a", payee: "the miller" }, { ok: true }],
    ],
  ],
  [
    "given-program",
    "Tell how much each grower harvested, and put it into a table.",
    [
      ["warehouse.tables", {}, ["harvests", "growers"]],
      [
        "warehouse.run",
        {
          sql: "SELECT g.name, sum(h.tonnes) FROM harvests h JOIN growers g USING (grower_id) GROUP BY g.name",
        },
        "2 rows",
      ],
      [
        "warehouse.run",
        { sql: "CREATE TABLE totals AS SELECT grower_id, sum(tonnes) AS tonnes FROM harvests GROUP BY 1" },
        "ok",
      ],
    ],
  ],
  [
    "given-program",
    "Work out the mean of the yields.",
    [
      [
        "lab.execute",
        {
          code: "import csv\nrows = list(csv.reader(open('yields.csv')))\nprint(sum(float(r[1]) for r in rows) / len(rows))",
        },
        "4.25",
      ],
    ],
  ],
  [
    "copied-rows",
    "Tell the office who has to do with Hollow Lane.",
    [
      [
        "registry.describe",
        { place: "Hollow Lane" },
        "Tomas Weld, Petra Holm and Jon Aske have to do with the plot.",
      ],
      ["office.report", { holder: "Tomas Weld", tenant: "Petra Holm", keeper: "Jon Aske" }, { ok: true }],
    ],
  ],
  [
    "unknown-names",
    "Move the ewe to the pasture where she had been best, as you think.",
    [
      [
        "flock.history",
        { animal: "Daisy" },
        {
          stays: [
            { field: "fld-90311", gain: 3 },
            { field: "fld-90312", gain: 3 },
            { field: "fld-90313", gain: 1 },
          ],
        },
      ],
      ["flock.move", { animal: "Daisy", field: "fld-90312" }, { moved: true }],
    ],
  ],
  [
    "unknown-names",
    "Swap the boots and the belt of order W-100441, and the lamp of W-100442, for others.",
    [
      ["shop.swap", { order_id: "W-100441", item_ids: ["5500113", "5500114"] }, { ok: true }],
      ["shop.swap", { order_id: "W-100442", item_ids: ["5500119"] }, { ok: true }],
    ],
  ],
  [
    "open-question",
    "List the animals, and shear the second animal.",
    [
      ["flock.list", {}, { animals: ["daisy_ewe", "molly_ewe", "bessy_ewe"] }],
      ["flock.shear", { animal: "molly_ewe" }, { ok: true }],
    ],
  ],
  [
    "callers-thinking",
    "Tell the mean of rain, wind and dew at Hollow Lane.",
    [
      ["weather.station", { place: "Hollow Lane" }, { rain: 812.25, wind: 771.5, dews: { low: "about 6" } }],
      ["numbers.mean", { numbers: [812.25, 771.5, 640.75] }, { mean: 741.5 }],
    ],
  ],
  [
    "undone",
    "Put a harvest feast on 2026-09-14 for Ines Duarte. No, move it to 2026-09-21, and tell her.",
    [
      ["diary.create_event", { title: "harvest feast", day: "2026-09-14" }, { event_id: "ev-88102" }],
      ["diary.modify_event", { event_id: "ev-88102", new_day: "2026-09-21" }, { ok: true }],
      ["post.notify", { person: "Ines Duarte", event: "ev-88102" }, { ok: true }],
    ],
  ],
  [
    "too-many-decisions",
    "Set the house up.",
    "abcdefghijkl"
      .split("")
      .map((zone, nth): Told => [`climate.set_${zone}`, { value: `${zone}-${nth}` }, { ok: true }]),
  ],
  [
    "callers-thinking",
    "Plan next week for the farm.",
    [
      ["weather.get_forecast", {}, { days: ["dry", "dry", "rain"] }],
      ["crew.get_members", {}, { members: 4 }],
      [
        "plan.write",
        { monday: "mow the meadows", tuesday: "turn the hay", wednesday: "mend the tools" },
        { ok: true },
      ],
    ],
  ],
])("%s keeps a draft as a record", async (reason, task, calls) => {
  const draft = await extracted(`${reason}-${calls.length}`, task, [calls]);
  expect(reasons(draft)).toContain(reason);
  const text = draftText(draftView(draft), { columns: 500 });
  const [obstacle] = offerOf(draft).obstacles;
  expect(text).toContain("Kept as a record, not offered");
  expect(text).toContain(`${obstacle?.text} ${obstacle?.remedy}`);
});

const bought = (price: number, lots: number): readonly Told[] => [
  ["market.get_quote", { symbol: "ZETA" }, { price, lot: `lot-${price}` }],
  ["market.place_order", { symbol: "ZETA", lot: `lot-${price}`, lots }, { ok: true }],
];

test("a name that runs of unlike wishes share keeps an act with it from being offered", async () => {
  const runs = [bought(4711, 7), bought(4812, 9)];
  const draft = await extracted("buy-zeta", "Buy what is there of Zeta Corp.", runs);
  const steps = JSON.stringify(draft.plan.steps);
  expect(steps).toContain('"value":"ZETA"');
  expect(reasons(draft)).toContain("open-question");
});

test("runs of one wish tell no more than one of them what is the same for every caller", async () => {
  const runs = [bought(4711, 7), bought(4812, 7)];
  const draft = await extracted("buy-zeta-again", "Buy what is there of Zeta Corp.", runs);
  expect(draft.plan.params.map(({ name }) => name)).toEqual(["symbol", "lots"]);
});

test("no policy promotes what is kept as a record, and a person may", async () => {
  const draft = await extracted("fell-trees", "Fell what has to be felled.", [
    [
      ["woods.survey", { stand: "north slope" }, { stand_id: "st-99310" }],
      ["woods.get_permit", { stand: "north slope" }, new Error("404 Not Found: no permit")],
      ["woods.fell", { stand_id: "st-99310" }, { felled: 12 }],
    ],
  ]);
  const traces = draft.provenance.traces.map((each) => ({
    ...each,
    trace: { ...each.trace, origin: "own" as const },
  }));
  const own: Draft = { ...draft, provenance: { ...draft.provenance, traces } };
  const widest = { review: "automatic", above: "twin", writes: true } as const;
  const fault = promotionFault(own, widest, true);
  expect(fault).toMatchObject({ code: "DRAFT_UNREVIEWED", details: { reason: "must-fail" } });
  expect(promotionFault({ ...own, state: "reviewed" }, widest, true)).toBeUndefined();
});

function nameOf(words: string): string {
  return words.split(" ").slice(0, 4).join("-");
}

test.each([
  ["all whose fee is overdue", ["Ann", "Cy", "Dee"], true],
  ["all whose fee is overdue", ["Ann", "Cy"], true],
  // Whoever says two names knows that there are two.
  ["all who are called Ann or Cy", ["Ann", "Cy"], false],
])("acts for a fixed number of %s are not offered: %j", async (whom, names, isFixed) => {
  const members = { Ann: 40, Bo: 30, Cy: 25, Dee: 17 };
  const rows = Object.entries(members).map(
    ([name, fee]) =>
      `${name},${name.toLowerCase()}@x.org,${fee},${names.includes(name) ? "overdue" : "paid"}\n`,
  );
  const draft = await extracted(
    `fixed-${names.length}-${isFixed}`,
    `Send a reminder with the amount to ${whom}, by /m.csv.`,
    [
      [
        ["desk.read_file", { path: "/m.csv" }, `name,mail,fee,state\n${rows.join("")}`],
        ...Object.entries(members).flatMap(([name, fee]): readonly Told[] => {
          const to = `${name.toLowerCase()}@x.org`;
          const mail = { to, subject: "Reminder", body: `Dear ${name}, please pay ${fee} euros.` };
          return names.includes(name) ? [["mail.send", mail, "Sent"]] : [];
        }),
      ],
    ],
  );
  expect(reasons(draft).includes("fixed-number")).toBe(isFixed);
});

type Answered = readonly [tool: string, args: JsonObject, result: Json];

const HIRE: readonly Answered[] = [
  ["farm.get_plot", { plot: "plot-88213" }, { plot: "plot-88213", machine: "mc-31007", price: 2400 }],
  ["farm.hire", { machine: "mc-31007", most: 2400 }, { ok: true }],
];

test("a limit that a call has is no obstacle", async () => {
  const draft = await extracted("limit", "Hire the harvester for plot-88213, for at most 2400.", [HIRE]);
  expect(reasons(draft)).not.toContain("untold-limit");
});

test.each([
  ["asked for when the first is done", "Hire the machine of plot-88213.", true],
  ["said before", "Hire the machine of plot-88213, and complain to the office that it does not run.", false],
])("an act that was %s is a wish of its own: %s", (_, wish, isLater) => {
  const complaint: Answered = [
    "office.complain",
    { machine: "mc-31007", text: "It does not run" },
    { ok: true },
  ];
  const turns = [
    { text: wish, after: 0 },
    { text: isLater ? "It does not run: complain to the office." : "Yes, please.", after: 2 },
  ];
  const task = turns.map(({ text }) => text).join("\n");
  const trace = { ...traceOf(task, [...HIRE, complaint]), turns };
  const found = planObstacles(learned([trace]).plan, [trace]).map(({ reason }) => reason);
  expect(found.includes("later-wish")).toBe(isLater);
});

test.each([
  [
    "that the caller says in another word",
    "Pine Valley is soaring at $457.23 per share! The industry of it is electrifying, and we are just getting started.",
    true,
  ],
  [
    "that is none of the thing's",
    "It is soaring at $457.23 per share! The industry of it is electrifying, and we are just getting started.",
    false,
  ],
])("a text with a name %s", async (_, content, isFixed) => {
  const said = content.replace("457.23", "{price}");
  const task = `Pine Valley? They're rising stars. Find the price and post it with content '${said}' in it.`;
  const draft = await extracted(`fixed-name-${isFixed}`, task, [
    [
      ["market.quote", { symbol: "PVLY" }, { price: 457.23, change: 0.12 }],
      ["board.post", { content }, { id: 18_211 }],
    ],
  ]);
  expect(draft.code).toMatch(/\.price\b/);
  expect(reasons(draft).includes("fixed-text")).toBe(isFixed);
});

test("what is said to whoever does the work leaves nothing out", async () => {
  const ask = (grower: string): Told => ["board.ask", { grower, text: "Please harvest" }, { ok: true }];
  const calls = [
    ["farm.list_plots", {}, PLOTS],
    ...["Ines Duarte", "Tomas Weld", "Ida Brandt"].map(ask),
  ] as const;
  for (const [more, isLeft] of [
    ["Don't ask for my opinions on anything.", false],
    ["Do it at once, without asking me.", false],
    ["I don't want Bo Hu asked.", true],
  ] as const) {
    const draft = await extracted("talk", `Ask the growers of all plots to harvest. ${more}`, [calls]);
    expect(reasons(draft).includes("untold-exception")).toBe(isLeft);
  }
});
