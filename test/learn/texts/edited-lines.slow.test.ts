import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { extracted, isVerified, paramsOf, provideFolder, questionsOf, writtenIn } from "../extracted.ts";

provideFolder();

const PATH = "/desk/file";

async function draftOf(task: string, text: string, oldText: string, newText: string): Promise<Draft> {
  const name = `edit-${task.length}-${oldText.length}-${newText.length}`;
  const run = [
    ["desk.read_file", { path: PATH }, { content: text }],
    ["desk.edit_file", { path: PATH, edits: [{ oldText, newText }] }, "Edited"],
  ] as const;
  return extracted(name, task, [run], ["desk.read_file"]);
}

/** What a skill puts in place of what, where the file is another. */
async function edited(draft: Draft, text: string, given: JsonObject = {}): Promise<unknown> {
  const written = await writtenIn(draft, { [PATH]: { content: text } }, given);
  if (typeof written === "string") return written;
  const [{ oldText, newText } = {}] = (written[0]?.["edits"] ?? []) as readonly JsonObject[];
  return [oldText, newText];
}

const YAML = "kind: Deployment\nspec:\n  replicas: 2\n  paused: false\n";
const JSON_LIST = '[\n  {"id": "T-103", "open": true},\n  {"id": "dark-mode", "open": true}\n]\n';
const TABLE = "| day | room |\n| --- | --- |\n| Monday | 3 |\n| Friday | 9 |\n";
const OWNER = "Owner: Bo Xu\nDue: May\n";
const PHONES = "# Phones\n\n- Ann Lee: 555-0100\n- Bo Xu: 555-0123\n";

describe("a line that an edit changes", () => {
  test.each([
    ["Set the replicas to 5 in /desk/file.", YAML, "replicas: 2", "replicas: 5", "2", "30"],
    ["Set paused to true in /desk/file.", YAML, "  paused: false\n", "  paused: true\n", "false", "false"],
    ["Set the port to 99 in /desk/file.", "host=a\nport=8080\n", "port=8080", "port=99", "8080", "443"],
    [
      "Change the owner in /desk/file to Ann Lee.",
      OWNER,
      "Owner: Bo Xu",
      "Owner: Ann Lee",
      "Bo Xu",
      "Cy Day",
    ],
  ])("is found by its label, whatever stands there: %s", async (task, text, oldText, newText, old, other) => {
    const name = /\p{L}+/u.exec(oldText)?.[0].toLowerCase() ?? "";
    const draft = await draftOf(task, text, oldText, newText);
    expect(paramsOf(draft)).toEqual(["path", name]);
    expect(questionsOf(draft)).toEqual([]);
    expect(isVerified(draft)).toBe(true);
    expect(await edited(draft, text.replace(old, other), { [name]: "x7" })).toEqual([
      oldText.replace(old, other),
      oldText.replace(old, "x7"),
    ]);
    expect(await edited(draft, `${text}${oldText.trimEnd()}\n`)).toEqual(expect.any(String));
    expect(await edited(draft, text.replace(oldText.trim(), "# nothing"))).toEqual(expect.any(String));
  });

  test("is found by what the task says, and has what the text tells beside it", async () => {
    const draft = await draftOf(
      "Move Friday to room 12 in /desk/file.",
      TABLE,
      "| Friday | 9 |",
      "| Friday | 12 |",
    );
    expect(paramsOf(draft)).toEqual(["path", "day", "room"]);
    expect(await edited(draft, `${TABLE}| Sunday | 4 |\n`, { day: "Sunday", room: "1" })).toEqual([
      "| Sunday | 4 |",
      "| Sunday | 1 |",
    ]);
    expect(await edited(draft, TABLE, { day: "Tuesday" })).toEqual(expect.any(String));
    expect(await edited(draft, `${TABLE}| Friday | 10 |\n`)).toEqual(expect.any(String));
  });

  test("has as one parameter what finds it and what it says of that", async () => {
    const draft = await draftOf(
      "Bo Xu has 555-0199 now, in /desk/file.",
      PHONES,
      "- Bo Xu: 555-0123",
      "- Bo Xu: 555-0199",
    );
    expect(paramsOf(draft)).toEqual(["path", "name", "newText"]);
    expect(await edited(draft, PHONES, { name: "Ann Lee", newText: "1-2" })).toEqual([
      "- Ann Lee: 555-0100",
      "- Ann Lee: 1-2",
    ]);
  });

  test.each([
    [
      "Mark 'Buy milk' as done in /desk/file.",
      "- [ ] Buy milk\n- [ ] Call Ann\n",
      "- [ ] Buy milk",
      "- [x] Buy milk",
    ],
    ["Cross out Buy milk in /desk/file.", "- Buy milk\n- Call Ann\n", "- Buy milk", "- ~~Buy milk~~"],
    ["Remove Buy milk from /desk/file.", "- Buy milk\n- Call Ann\n", "- Buy milk\n", ""],
    [
      "Add Tea after Buy milk in /desk/file.",
      "- Buy milk\n- Call Ann\n",
      "- Buy milk\n",
      "- Buy milk\n- Tea\n",
    ],
  ])("is an item that the task says: %s", async (task, text, oldText, newText) => {
    const draft = await draftOf(task, text, oldText, newText);
    expect(paramsOf(draft).slice(0, 2)).toEqual(["path", "item"]);
    expect(questionsOf(draft)).toEqual([]);
    const other = (line: string): string => line.replaceAll("Buy milk", "Call Ann");
    expect(await edited(draft, text, { item: "Call Ann" })).toEqual([other(oldText), other(newText)]);
    expect(await edited(draft, text, { item: "Call" })).toEqual(expect.any(String));
    expect(await edited(draft, text, { item: "Read" })).toEqual(expect.any(String));
    const longer = await edited(draft, `${text}${oldText.trimEnd()} and more\n`);
    expect(longer).toEqual(oldText.endsWith("\n") ? [oldText, newText] : expect.any(String));
  });

  test("has another sign or word that the work makes of the one that is there", async () => {
    const line = '{"id": "dark-mode", "open": true}';
    const draft = await draftOf(
      "Close dark-mode in /desk/file.",
      JSON_LIST,
      line,
      line.replace("true", "false"),
    );
    expect(paramsOf(draft)).toEqual(["path", "id"]);
    expect(await edited(draft, JSON_LIST, { id: "T-103" })).toEqual([
      '{"id": "T-103", "open": true}',
      '{"id": "T-103", "open": false}',
    ]);
    expect(await edited(draft, JSON_LIST.replaceAll("true", "false"))).toEqual(expect.any(String));
  });

  const DEPLOYMENTS =
    "kind: A\nname: web\nspec:\n  replicas: 2\n---\nkind: A\nname: db\nspec:\n  replicas: 1\n";
  const PORTS = '{\n  "web": {\n    "port": 8080\n  },\n  "db": {\n    "port": 5432\n  }\n}\n';
  const INVOICES = "no,customer,amount\n2040,Ann,20\n2041,Bo,35\n";
  test.each([
    ["Set the replicas of db to 3.", DEPLOYMENTS, "replicas: 1", "replicas: 3", "s: 2", "s: 1"],
    ["Set the port of db to 60.", PORTS, '"port": 5432', '"port": 60', "8080", "54321"],
    ["The invoice 2041 is of 36 EUR.", INVOICES, "2041,Bo,35", "2041,Bo,36", "2040,Ann,20", "12041,Bo,35"],
    [
      "The start is now 2026-06-01.",
      "# A\n\nStart: 2026-05-01\n",
      "2026-05-01",
      "2026-06-01",
      "A",
      "2026-05-01",
    ],
  ])(
    "is none where what was told of it stands elsewhere, too: %s",
    async (task, text, old, made, one, other) => {
      const draft = await draftOf(`${task} It is in /desk/file.`, text, old, made);
      expect(await edited(draft, text)).toEqual([old, made]);
      expect(await edited(draft, text.replace(one, other))).toMatch(/several places|in a longer word/);
    },
  );

  test("is none in a round, either, where it stands twice in what the round has read", async () => {
    const files = { "a.md": "draft", "b.md": "open", "c.md": "done" };
    const note = (state: string): string => `title: A\nstatus: ${state}\n\nText.\n`;
    const draft = await extracted(
      "edit-rounds",
      "Set the status to archived in all notes in /desk.",
      [
        [
          ["desk.list", { path: "/desk" }, "[FILE] a.md\n[FILE] b.md\n[FILE] c.md"],
          ...Object.entries(files).flatMap(([name, state]): readonly [string, JsonObject, string][] => {
            const [path, newText] = [`/desk/${name}`, "status: archived"];
            return [
              ["desk.read_file", { path }, note(state)],
              ["desk.edit_file", { path, edits: [{ oldText: `status: ${state}`, newText }] }, "Edited"],
            ];
          }),
        ],
      ],
      ["desk.list", "desk.read_file"],
    );
    const worldOf = (text: string): JsonObject => ({ "/desk": "[FILE] k.md", "/desk/k.md": text });
    expect(await writtenIn(draft, worldOf(note("new")))).toEqual([
      { path: "/desk/k.md", edits: [{ oldText: "status: new", newText: "status: archived" }] },
    ]);
    expect(await writtenIn(draft, worldOf(`old-status: new\n${note("new")}`))).toEqual(expect.any(String));
  });

  test.each([true, false])(
    "is none in rounds that replace what the task says where it stands there twice (apart: %s)",
    async (isApart) => {
      const files = { "a.html": "<p>Call 555-0100 now</p>\n", "c.html": "<b>555-0100</b>\n" };
      const others = { "b.html": "<p>Hello</p>\n" };
      const read = ([name, text]: readonly [string, string]) =>
        ["desk.read_file", { path: `/site/${name}` }, text] as const;
      const edit = ([name]: readonly [string, string]) =>
        [
          "desk.edit_file",
          { path: `/site/${name}`, edits: [{ oldText: "555-0100", newText: "555-0199" }] },
          "Edited",
        ] as const;
      const isEdited = ([name]: readonly [string, string]): boolean => name in files;
      const all = Object.entries({ ...files, ...others }).toSorted(([a], [b]) => (a < b ? -1 : 1));
      const draft = await extracted(
        `edit-said-${isApart}`,
        "Replace 555-0100 by 555-0199 in all files of /site.",
        [
          [
            ["desk.list", { path: "/site" }, all.map(([name]) => `[FILE] ${name}`).join("\n")],
            ...(isApart
              ? [...all.map(read), ...all.filter(isEdited).map(edit)]
              : all.flatMap((file) => (isEdited(file) ? [read(file), edit(file)] : [read(file)]))),
          ],
        ],
        ["desk.list", "desk.read_file"],
      );
      const inWorld = async (text: string) =>
        writtenIn(draft, { "/site": "[FILE] x.html", "/site/x.html": text });
      expect(await inWorld("<p>555-0100</p>\n")).toEqual([edit(["x.html", ""])[1]]);
      expect(await inWorld("<p>555-0100</p><p>555-0100</p>\n")).toEqual(expect.any(String));
      expect(await inWorld("<p>555-01002, 555-0100</p>\n")).toEqual(expect.any(String));
      expect(await inWorld("<p>Hello</p>\n")).toEqual([]);
    },
  );

  test("that is removed with the line end before it, or with space before it, is no other", async () => {
    const text = "- Ann\n- Bo Xu\n- Cy\n";
    const before = await draftOf("Remove Bo Xu from /desk/file.", text, "\n- Bo Xu", "");
    expect(await edited(before, "- Ann\n- Dee\n- Bo Xu")).toEqual(["\n- Bo Xu", ""]);
    expect(await edited(before, "- Ann\n- Bo Xu-Lee\n")).toMatch(/no line of its own/);
    expect(await edited(before, "- Ann\n- Bo Xu (chair)\n")).toMatch(/no line of its own/);
    const behind = await draftOf("Take Bo Xu out of /desk/file.", text, "- Bo Xu\n", "");
    expect(await edited(behind, "- Bo Xu\n- Ann\n")).toEqual(["- Bo Xu\n", ""]);
    expect(await edited(behind, "- Team\n  - Bo Xu\n- Ann\n")).toMatch(/no line of its own/);
  });

  test("becomes what the caller says where that stands behind its label in another section by chance", async () => {
    const text = "[a]\nenabled = yes\n\n[b]\nenabled = no\n";
    const draft = await draftOf("Enable b in /desk/file.", text, "enabled = no", "enabled = yes");
    expect(paramsOf(draft)).toEqual(["path", "section", "newText"]);
    const both = text.replace("= yes", "= no");
    expect(await edited(draft, both)).toEqual(expect.any(String));
  });

  test("is the caller's where it has a number that nothing tells", async () => {
    const text = "The hall is open until 9 in winter.\nNo dogs.\n";
    const draft = await draftOf(
      "Put summer in place of winter in /desk/file.",
      text,
      "The hall is open until 9 in winter.",
      "The hall is open until 9 in summer.",
    );
    expect(draft.code).not.toContain("until 9");
  });

  test.each(["TBD", "?", "…"])("has what another text tells in place of %s", async (blank) => {
    const run = [
      [
        "desk.read_file",
        { path: "/desk/mail" },
        { content: "Dear guest,\nBooking code: HX-20931\nArrival: May 4\n" },
      ],
      ["desk.read_file", { path: PATH }, { content: `# Rome\n\n- Train: 8:40\n- Booking code: ${blank}\n` }],
      [
        "desk.edit_file",
        { path: PATH, edits: [{ oldText: `- Booking code: ${blank}`, newText: "- Booking code: HX-20931" }] },
        "Edited",
      ],
    ] as const;
    const task = "The hotel has sent the booking code in /desk/mail. Put it into /desk/file.";
    const draft = await extracted(
      `blank-${blank.length}-${blank.codePointAt(0)}`,
      task,
      [run],
      ["desk.read_file"],
    );
    expect(paramsOf(draft)).toHaveLength(2);
    const inWorld = async (mail: string, trip: string): Promise<unknown> =>
      writtenIn(draft, { "/desk/mail": { content: mail }, [PATH]: { content: trip } });
    const trip = `# Oslo\n\n- Booking code: ${blank}\n- Train: 9:10\n`;
    expect(await inWorld("Hello,\nArrival: May 9\nBooking code: QA-77\n", trip)).toMatchObject([
      { edits: [{ oldText: `- Booking code: ${blank}`, newText: "- Booking code: QA-77" }] },
    ]);
    expect(await inWorld("Hello,\nArrival: May 9\n", trip)).toEqual(expect.any(String));
    expect(await inWorld("Booking code: QA-77\nArrival: May\n", "# Oslo\n\n- Train: 9:10\n")).toEqual(
      expect.any(String),
    );
  });

  describe("behind which nothing stands", () => {
    const SLIP = "Parcel no: 88-41\nWeight: 3 kg\n";
    const draftWith = async (file: string, oldText: string, newText: string): Promise<Draft> =>
      extracted(
        `nothing-${oldText.length}-${newText.length}-${file.length}`,
        "Fill the parcel number of the slip /desk/slip into the form /desk/file.",
        [
          [
            ["desk.read_file", { path: "/desk/slip" }, SLIP],
            ["desk.read_file", { path: PATH }, file],
            ["desk.edit_file", { path: PATH, edits: [{ oldText, newText }] }, "Edited"],
          ],
        ],
        ["desk.read_file"],
      );
    const form = (line: string): string => `# Form\n\nFrom: Ghent\n${line}\nTo: Turku\n`;

    test.each([
      ["Parcel no:", "Parcel no:", "Parcel no: 88-41"],
      ["Parcel no: ", "Parcel no: ", "Parcel no: 88-41"],
      ["- Parcel no: ", "- Parcel no: ", "- Parcel no: 88-41"],
      ["Parcel no:", "Parcel no:\n", "Parcel no: 88-41\n"],
    ])("has what another text tells: %j, %j", async (line, oldText, newText) => {
      const draft = await draftWith(form(line), oldText, newText);
      expect(isVerified(draft)).toBe(true);
      expect(paramsOf(draft)).toEqual(["path", "secondPath"]);
      const inWorld = async (slip: string, file: string): Promise<unknown> =>
        writtenIn(draft, { "/desk/slip": slip, [PATH]: file });
      const slip = "Weight: 1 kg\nParcel no: 7-99\n";
      expect(await inWorld(slip, `${line}\nFrom: Bruges\n`)).toMatchObject([
        { edits: [{ oldText, newText: newText.replace("88-41", "7-99") }] },
      ]);
      expect(await inWorld(slip, form(`${line.trimEnd()} 5-55`))).toMatch(/no line|none or several/);
      expect(await inWorld(slip, form(`${line}\n${line}`))).toMatch(/none or several/);
      expect(await inWorld("Weight: 1 kg\n", form(line))).toEqual(expect.any(String));
    });

    test("is no part of a line with something behind it", async () => {
      const draft = await draftWith(form("Parcel no: (see slip)"), "Parcel no:", "Parcel no: 88-41");
      expect(paramsOf(draft)).toContain("oldText");
    });
  });

  test.each([
    ["# Crew\n\n- Tom Park, cook\n", "- Tom Park, cook\n"],
    ["# Crew\n\n- Tom Park, cook\n- Mia Sund, mate\n", "- Mia Sund, mate\n"],
    ["Tom Park, cook\nMia Sund, mate\n", "Mia Sund, mate\n"],
  ])(
    "whole with its end has after it what another text tells, and no name of the run: %j",
    async (crew, line) => {
      const added = `${line.startsWith("- ") ? "- " : ""}Lina Costa, diver\n`;
      const draft = await extracted(
        `after-${crew.length}-${line.length}`,
        "The new diver has sent the form /desk/form. Add her to /desk/file.",
        [
          [
            ["desk.read_file", { path: "/desk/form" }, { first: "Lina", last: "Costa", role: "diver" }],
            ["desk.read_file", { path: PATH }, crew],
            ["desk.edit_file", { path: PATH, edits: [{ oldText: line, newText: line + added }] }, "Edited"],
          ],
        ],
        ["desk.read_file"],
      );
      expect(isVerified(draft)).toBe(true);
      expect(paramsOf(draft)).toEqual(["path", "secondPath", "oldText"]);
      expect(draft.code).not.toMatch(/Park|Sund/);
      const other = { "/desk/form": { first: "Bo", last: "Xu", role: "pilot" }, [PATH]: "- Cy Ek, cook\n" };
      expect(await writtenIn(draft, other, { oldText: "- Cy Ek, cook\n" })).toMatchObject([
        { edits: [{ newText: `- Cy Ek, cook\n${added.replace("Lina Costa, diver", "Bo Xu, pilot")}` }] },
      ]);
    },
  );
});

describe("several lines that edits change", () => {
  const editsOf = (...lines: readonly (readonly [oldText: string, newText: string])[]) =>
    lines.map(([oldText, newText]) => ({ oldText, newText }));
  const learnedFrom = async (task: string, text: string, edits: JsonObject["edits"], isApart = false) =>
    extracted(
      `lines-${task.length}-${text.length}-${isApart}`,
      task,
      [
        [
          ["desk.read_file", { path: PATH }, { content: text }],
          ...(isApart ? (edits as readonly JsonObject[]).map((each) => [each]) : [edits ?? []]).map(
            (each) => ["desk.edit_file", { path: PATH, edits: each }, "Edited"] as const,
          ),
        ],
      ],
      ["desk.read_file"],
    );
  const TASKS = "- [ ] paint (Ann)\n- [ ] mow (Bo)\n- [ ] cook (Ann)\n";
  const DONE = editsOf(["- [ ] paint (Ann)", "- [x] paint (Ann)"], ["- [ ] cook (Ann)", "- [x] cook (Ann)"]);
  const RAISED = editsOf(["Pen: 5", "Pen: 6"], ["Ink: 5", "Ink: 6"]);

  test.each([
    ["Mark all tasks of Ann in /desk/file as done.", TASKS, DONE, false],
    ["Mark all tasks of Ann in /desk/file as done.", TASKS, DONE, true],
    [
      "Raise the price of every product in /desk/file from 5 to 6.",
      "Pen: 5\nCup: 9\nInk: 5\n",
      RAISED,
      false,
    ],
  ])("are the caller's where the task is about all of some: %s", async (task, text, edits, isApart) => {
    const { code } = await learnedFrom(task, text, edits, isApart);
    expect(code).not.toMatch(/paint|cook|Pen|Ink/);
  });

  test("are found by their labels where the task says these, and may speak of all", async () => {
    const text = "host = a.org\nport = 3000\ndebug = true\n";
    const draft = await learnedFrom(
      "Change all of this in /desk/file: port to 8080 and debug to false.",
      text,
      editsOf(["port = 3000", "port = 8080"], ["debug = true", "debug = false"]),
    );
    expect(paramsOf(draft)).toEqual(["path", "port", "debug"]);
    expect(await writtenIn(draft, { [PATH]: { content: text.replace("3000", "70") } })).toMatchObject([
      { edits: editsOf(["port = 70", "port = 8080"], ["debug = true", "debug = false"]) },
    ]);
  });
});
