import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { learned, type Told, traceOf } from "../learned.ts";
import { callsIn } from "../live.ts";
import { runner } from "../../shared-threads.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const JOURNAL = "# Journal of Kaja Horvat\n\n## 2026-09-05\n\nRain. Walked 28 km.\n";
const read = (path: string, content: string): Told => ["files.read_text_file", { path }, { content }];
const written = (path: string, content: string): Told => [
  "files.write_file",
  { path, content },
  { content: "written" },
];
const search = (query: string): Told => ["mail.search_mails", { query }, { mails: [{ id: "m-4711" }] }];
const noted = (text: string): Told => ["mail.add_note", { mail: "m-4711", text }, { ok: true }];

/** What the caller says, the questions that are open, and what does not hold. */
async function draftOf(task: string, calls: readonly Told[]) {
  const draft = await real.of([traceOf(task, calls)]);
  const verified = await real.verified(draft.name);
  return {
    code: draft.code.replaceAll(/\s+/g, " "),
    said: draft.plan.params.map(({ name, example }) => [name, example]),
    open: (draft.plan.questions ?? []).map(({ kind, path }) => [kind, ...path].join(" ")),
    failing: failing(verified),
  };
}

describe("a text around what the caller says", () => {
  test("has a label before it", async () => {
    const draft = await draftOf("Find the mail from ada@example.org and note Paid.", [
      search("from:ada@example.org"),
      noted("Paid"),
    ]);
    expect(draft).toMatchObject({
      said: [
        ["from", "ada@example.org"],
        ["text", "Paid"],
      ],
      open: [],
      failing: [],
    });
    expect(draft.code).toContain(`["from:", textWith(input.from, "")].join("")`);
  });

  test.each(["Limits of the search: 53\n", "- Limits of the search: 53\n"])(
    "is a line of a list or of a file, which ends as lines do: %j",
    async (content) => {
      const draft = await draftOf('Write "Limits of the search: 53" in the new file notes/d-2845.md', [
        written("notes/d-2845.md", content),
      ]);
      expect(draft).toMatchObject({
        said: [
          ["path", "notes/d-2845.md"],
          ["content", "Limits of the search: 53"],
        ],
        open: [],
        failing: [],
      });
    },
  );

  test("is a pattern of files, of which the task says how they end", async () => {
    const files: Told = [
      "files.search_files",
      { path: "conf/x-77", pattern: "**/*.env" },
      { found: ["a.env"] },
    ];
    const draft = await draftOf("Note Done for the .env files below conf/x-77.", [files, noted("Done")]);
    expect(draft.said).toContainEqual(["pattern_ending", ".env"]);
    expect(draft.code).toContain('["**/*", textWith(input.pattern_ending');
    const whole = await draftOf("Note Done for the settings below conf/x-77.", [files, noted("Done")]);
    expect(whole.said).toContainEqual(["pattern", "**/*.env"]);
  });

  test("is lines of a file that end as lines do", async () => {
    const lines = "Limits: 53\nBins: 2";
    const draft = await draftOf(`Write this in the new file notes/d-2845.md:\n${lines}`, [
      written("notes/d-2845.md", `${lines}\n`),
    ]);
    expect(draft.said).toEqual([
      ["path", "notes/d-2845.md"],
      ["content", lines],
    ]);
    expect(draft.failing).toEqual([]);
  });

  test("is the caller's as a whole where it is prose", async () => {
    const text = "Hi Sam, my plans have changed. I'll update you soon.";
    const draft = await draftOf(
      "Tell the one of from:ada@example.org: Hi Sam, my plans have changed, I'll update you soon",
      [search("ada@example.org"), noted(text)],
    );
    expect(draft.said).toContainEqual(["text", text]);
  });

  test("has the begin and the end of a day, which is said once", async () => {
    const draft = await draftOf("List what is on 2026-03-04 and move it to 15:00:00", [
      [
        "cal.list_events",
        { min: "2026-03-04T00:00:00Z", max: "2026-03-04T23:59:59Z" },
        { events: [{ id: "ev-7788" }] },
      ],
      ["cal.move_event", { id: "ev-7788", start: "2026-03-04T15:00:00" }, { ok: true }],
    ]);
    expect(draft).toMatchObject({
      said: [
        ["date", "2026-03-04"],
        ["start", "15:00:00"],
      ],
      open: [],
      failing: [],
    });
  });

  test("is the caller's as a whole with a day in another time zone, which has another offset in summer", async () => {
    const [start, end] = ["2026-03-04T00:00:00+01:00", "2026-03-04T23:59:59+01:00"];
    const draft = await draftOf("Block 2026-03-04", [
      ["cal.block", { start, end }, { id: "b-4711" }],
      ["cal.publish", { id: "b-4711" }, {}],
    ]);
    expect(draft.said).toEqual([
      ["start", start],
      ["end", end],
    ]);
  });

  test("is open where it has words of its own, in what may write", async () => {
    const draft = await draftOf("Find the mail about RQ-4821 and note what you did", [
      search("RQ-4821"),
      noted("Handled (RQ-4821)"),
    ]);
    expect(draft).toMatchObject({ said: [["query", "RQ-4821"]], open: ["text text"], failing: [] });
  });

  test.each([
    ["a name that the task says stands before a colon", "Tell Ada that RQ-4821 is done", "Ada: RQ-4821"],
    ["a number is in it that nobody says", "Note the sum of RQ-4821", "RQ-4821 cost 912"],
    ["the task speaks of its words", "Note that RQ-4821 is a duplicate", "duplicate RQ-4821"],
    ["what is said is part of a longer word there", "Note RQ-4821", "XRQ-4821/7"],
    ["it has several lines", "Note RQ-4821 and RQ-4822", "RQ-4821: x\nRQ-4822: y"],
  ])("is the caller's as a whole where %s", async (_, task, text) => {
    const draft = await draftOf(task, [search("invoices"), noted(text)]);
    const asked = new Set(draft.said.map(([, example]) => example));
    expect(asked.has(text) || asked.has("Ada")).toBe(true);
  });
});

describe("a whole earlier text", () => {
  test("has an entry of the caller's at its end", async () => {
    const draft = await draftOf('Add an entry for 2026-06-19 at the end of /srv/j.md: "Met Ines."', [
      read("/srv/j.md", JOURNAL),
      written("/srv/j.md", `${JOURNAL}\n## 2026-06-19\n\nMet Ines.\n`),
    ]);
    expect(draft).toMatchObject({
      said: [
        ["path", "/srv/j.md"],
        ["date", "2026-06-19"],
        ["content", "Met Ines."],
      ],
      open: [],
      failing: [],
    });
  });

  test("has a line of the caller's at its begin", async () => {
    const draft = await draftOf('Put "Release 3.4.0 is out." on top of /srv/news.txt', [
      read("/srv/news.txt", "Release 3.3.0 is out.\nWe moved.\n"),
      written("/srv/news.txt", "Release 3.4.0 is out.\nRelease 3.3.0 is out.\nWe moved.\n"),
    ]);
    expect(draft).toMatchObject({
      said: [
        ["path", "/srv/news.txt"],
        ["content", "Release 3.4.0 is out."],
      ],
      open: [],
      failing: [],
    });
  });

  test.each(["- Rain.", "- Sun.\n- Rain.", "- Sun.\r\n- Rain.\r\n"])(
    "has nothing added where its last line has no end, or another: %j",
    async (content) => {
      const { plan } = learned([
        traceOf('Add "2026-06-19 Met Ines." to the list in /srv/j.md', [
          read("/srv/j.md", "# Journal\n\n- 2026-09-05 Rain.\n"),
          written("/srv/j.md", "# Journal\n\n- 2026-09-05 Rain.\n- 2026-06-19 Met Ines.\n"),
        ]),
      ]);
      const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
      const done = (text: string) =>
        callsIn(runner, plan, { "files.read_text_file": () => ({ content: text }) }, input);
      expect((await done("- Sun.\n")).slice(1)).toEqual([
        'files.write_file {"path":"/srv/j.md","content":"- Sun.\\n- 2026-06-19 Met Ines.\\n"}',
      ]);
      expect((await done(content)).slice(1)).toEqual([expect.stringContaining("stops: ")]);
    },
  );

  test("stays the caller's where what is added is about this run alone", async () => {
    const draft = await draftOf("Add what happened to /srv/j.md", [
      read("/srv/j.md", JOURNAL),
      written("/srv/j.md", `${JOURNAL}\nSun. Walked 13 km.\n`),
    ]);
    expect(draft.said.map(([, example]) => example)).toContain(`${JOURNAL}\nSun. Walked 13 km.\n`);
  });
});

describe("an earlier text with one part replaced", () => {
  const BOARD =
    "# Board\n\n- TK-4820 Fix the login (Ada Lind)\n- TK-4821 Price the drawer (Cy Ek)\n- TK-4833 Test the kiosk (Ada Lind)\n";
  const STACK = [
    "services:\n  ranker:\n    image: registry.example.org/dunlin-78/ranker-worker:0.12.4\n    restart: always\n",
    "  mirror:\n    image: registry.example.org/dunlin-78/mirror-worker:2.33.4\n    restart: always\n\nvolumes:\n  data: {}\n",
  ].join("");
  const edited = (path: string, oldText: string, newText: string): Told => [
    "files.edit_file",
    { path, edits: [{ oldText, newText }] },
    { content: "edited" },
  ];

  test("has what the caller says in place of what its line tells", async () => {
    const draft = await draftOf("Assign ticket TK-4821 to Bo Hu in /srv/board.md", [
      read("/srv/board.md", BOARD),
      edited("/srv/board.md", "- TK-4821 Price the drawer (Cy Ek)", "- TK-4821 Price the drawer (Bo Hu)"),
    ]);
    expect(draft).toMatchObject({
      said: [
        ["path", "/srv/board.md"],
        ["id", "TK-4821"],
        ["newText", "Bo Hu"],
      ],
      failing: [],
    });
    expect(draft.code).toContain("oldText: excerptOf(");
  });

  test("has it in place of what stands behind a sign, in YAML with an empty map", async () => {
    const line = "image: registry.example.org/dunlin-78/ranker-worker:";
    const draft = await draftOf("Set the tag of the image of ranker in /srv/compose.yaml to 7.47.0", [
      read("/srv/compose.yaml", STACK),
      edited("/srv/compose.yaml", `${line}0.12.4`, `${line}7.47.0`),
    ]);
    expect(draft).toMatchObject({
      said: [
        ["path", "/srv/compose.yaml"],
        ["key", "ranker"],
        ["newText", "7.47.0"],
      ],
      failing: [],
    });
  });

  test("stays the caller's where nothing says what is replaced", async () => {
    const draft = await draftOf("Assign ticket TK-4821 to Bo Hu in /srv/board.md", [
      read("/srv/board.md", BOARD),
      written("/srv/board.md", BOARD.replace("Price the", "Bo Hu")),
    ]);
    expect(draft.said.map(([, example]) => example)).toContain(BOARD.replace("Price the", "Bo Hu"));
  });

  test.each([
    "Budget 2026-27 review",
    "Budget 2026.5 review",
    "Budget 5-2026 review",
    "Budget FY_2026 review",
  ])("has no part of a longer number or name replaced: %s", async (title) => {
    const { plan } = learned([
      traceOf("Retitle RQ-4821 for 2027", [
        ["desk.get_item", { id: "RQ-4821" }, { title: "Budget 2026 review", year: "2026" }],
        ["desk.update_item", { id: "RQ-4821", title: "Budget 2027 review" }, {}],
      ]),
    ]);
    const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
    const done = (text: string) =>
      callsIn(runner, plan, { "desk.get_item": () => ({ title: text, year: "2026" }) }, input);
    expect((await done("Plan of 2026.")).slice(1)).toEqual([
      'desk.update_item {"id":"RQ-4821","title":"Plan of 2027."}',
    ]);
    expect((await done(title)).slice(1)).toEqual([expect.stringContaining("stops: ")]);
  });
});
