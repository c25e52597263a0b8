import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import type { Draft } from "../../src/learn/drafts/draft.ts";
import {
  examples,
  extracted,
  isVerified,
  paramsOf,
  provideFolder,
  questionsOf,
  writtenIn,
} from "./extracted.ts";

provideFolder();

/** What is given to the act where the file tells this, or how the skill stops. */
async function acted(draft: Draft, answer: Json, given: JsonObject = {}): Promise<Json> {
  const { path } = { ...examples(draft), ...given };
  if (typeof path !== "string") throw new Error("the draft asks for a path");
  return writtenIn(draft, { [path]: answer }, given);
}

describe("a list of objects that is made of the rows of a table", () => {
  const table = (rows: readonly (readonly [string, string])[]): string =>
    `city,country\n${rows.map((row) => `${row.join(",")}\n`).join("")}`;
  const rows = [
    ["Oslo", "Norway"],
    ["Bern", "Switzerland"],
    ["Lima", "Peru"],
  ] as const;
  const entity = ([name, country]: readonly [string, string]): JsonObject => ({
    name,
    entityType: "city",
    observations: [`in ${country}`],
  });
  const drafted = async (name: string, task: string, chosen: typeof rows | readonly []): Promise<Draft> =>
    extracted(name, task, [
      [
        ["desk.read_file", { path: "/data/cities.csv" }, table(rows)],
        ["graph.create_entities", { entities: chosen.map(entity) }, "Done"],
      ],
    ]);

  test("has what all have alike, and texts around what each tells", async () => {
    const task = "Create an entity for each city in /data/cities.csv, with its country.";
    const draft = await drafted("cities", task, rows);
    expect(isVerified(draft)).toBe(true);
    expect(paramsOf(draft)).toEqual(["path", "entityType"]);
    expect(questionsOf(draft)).toEqual(["element"]);
    const others = [
      ["Rome", "Italy"],
      ["Cairo", "Egypt"],
    ] as const;
    expect(await acted(draft, table(others))).toEqual([{ entities: others.map(entity) }]);
    expect(await acted(draft, "city;country\nRome;Italy\n")).toBe("A text is not the table that is expected");
  });

  test("has the empty lists that all have", async () => {
    const guest = (name: string): JsonObject => ({ name, entityType: "person", observations: [] });
    const names = ["Ann Lee", "Bo Xu", "Cy Day"];
    const draft = await extracted(
      "guests",
      "Add the guests of /data/guests.txt as entities of type person.",
      [
        [
          ["desk.read_file", { path: "/data/guests.txt" }, "Ann Lee\nBo Xu\nCy Day\n"],
          ["graph.create_entities", { entities: names.map(guest) }, "Done"],
        ],
      ],
    );
    expect(paramsOf(draft)).toEqual(["path", "entityType"]);
    expect(await acted(draft, "Di Ro\nEd Po\n")).toEqual([{ entities: [guest("Di Ro"), guest("Ed Po")] }]);
  });

  test("is no list of all where the task names each", async () => {
    const task = "Create entities for Oslo, Bern and Lima with their countries, which /data/cities.csv has.";
    const draft = await drafted("named-cities", task, rows);
    expect(await acted(draft, table([...rows, ["Rome", "Italy"]]))).toEqual([{ entities: rows.map(entity) }]);
  });
});

test("what a quoted text is called is no word of the caller, though the task says it", async () => {
  const orders = (status: string): Json => ({
    orders: [
      { id: 1041, status },
      { id: 1042, status },
    ],
  });
  const edit = {
    oldText: '{ "id": 1042, "status": "open" }',
    newText: '{ "id": 1042, "status": "shipped" }',
  };
  const draft = await extracted("orders", "Set the status of order 1042 to shipped in /data/orders.json.", [
    [
      ["desk.read_file", { path: "/data/orders.json" }, orders("open")],
      ["desk.edit_file", { path: "/data/orders.json", edits: [edit] }, "Done"],
    ],
  ]);
  expect(paramsOf(draft)).toEqual(["path", "id", "status"]);
  expect(await acted(draft, orders("packed"), { status: "lost" })).toEqual([
    {
      path: "/data/orders.json",
      edits: [{ oldText: '{ "id": 1042, "status": "packed" }', newText: '{ "id": 1042, "status": "lost" }' }],
    },
  ]);
});

test("what is overdue on a day has an earlier one", async () => {
  const table = (rows: readonly (readonly [string, string, string])[]): string =>
    `| Task | Who | Due |\n| --- | --- | --- |\n${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}`;
  const text = table([
    ["Paint", "Ann Lee", "2026-03-01"],
    ["Clean", "Bo Hu", "2026-03-09"],
    ["Cook", "Cy Ek", "2026-03-02"],
  ]);
  const draft = await extracted(
    "overdue",
    "Mail everyone whose task in /tasks.md is overdue on 2026-03-05.",
    [
      [
        ["desk.read_file", { path: "/tasks.md" }, text],
        ["mail.send", { to: "Ann Lee", text: "Paint is overdue" }, "Done"],
        ["mail.send", { to: "Cy Ek", text: "Cook is overdue" }, "Done"],
      ],
    ],
  );
  expect(paramsOf(draft)).toEqual(["path", "due_limit"]);
  expect(questionsOf(draft)).toContain("element");
  const other = table([
    ["Weed", "Ed Fox", "2026-05-01"],
    ["Mow", "Flo Gas", "2026-04-30"],
  ]);
  expect(await acted(draft, other, { due_limit: "2026-05-01" })).toEqual([
    { to: "Flo Gas", text: "Mow is overdue" },
  ]);
});

test("each line that a list of edits replaces stands once in the text that is edited", async () => {
  const draft = await extracted("ticks", "Tick in /todo.md the tasks that /done.txt lists.", [
    [
      ["desk.read_file", { path: "/done.txt" }, "Buy milk\nCall Bo\n"],
      ["desk.read_file", { path: "/todo.md" }, "- [ ] Buy milk\n- [ ] Write report\n- [ ] Call Bo\n"],
      [
        "desk.edit_file",
        {
          path: "/todo.md",
          edits: [
            { oldText: "- [ ] Buy milk", newText: "- [x] Buy milk" },
            { oldText: "- [ ] Call Bo", newText: "- [x] Call Bo" },
          ],
        },
        "Done",
      ],
    ],
  ]);
  const ticked = (done: string, todo: string) => writtenIn(draft, { "/done.txt": done, "/todo.md": todo });
  expect(await ticked("Sing\n", "- [ ] Dance\n- [ ] Sing\n")).toEqual([
    { path: "/todo.md", edits: [{ oldText: "- [ ] Sing", newText: "- [x] Sing" }] },
  ]);
  const stops = expect.stringContaining("part of a text");
  expect(await ticked("Buy milk\n", "- [ ] Buy milk powder\n- [ ] Buy milk\n")).toEqual(stops);
  expect(await ticked("Buy milk\n", "- [ ] Buy milk powder\n")).toEqual(stops);
  expect(await ticked("Buy milk\nSing\n", "- [x] Buy milk\n- [ ] Sing\n")).toEqual(stops);
  expect(await ticked("Paint\n", "- [ ] Sing\n")).toEqual(stops);
});

describe("each element of a list is about one thing", () => {
  test("whose name is no list, and what is said of it may have commas", async () => {
    const page = (...lines: readonly string[]): Json => lines.map((line) => `- ${line}\n`).join("");
    const seen = page("Ann Lee: book a room", "Bo Xu: write the report");
    const draft = await extracted("duties", "Add the duties in /m.md to the people's observations.", [
      [
        ["desk.read_file", { path: "/m.md" }, seen],
        [
          "memory.add_observations",
          {
            observations: [
              { entityName: "Ann Lee", contents: ["book a room"] },
              { entityName: "Bo Xu", contents: ["write the report"] },
            ],
          },
          "Added",
        ],
      ],
    ]);
    expect(await acted(draft, page("Cy Day: sing, dance and eat", "Dee Fox: paint"))).toEqual([
      {
        observations: [
          { entityName: "Cy Day", contents: ["sing, dance and eat"] },
          { entityName: "Dee Fox", contents: ["paint"] },
        ],
      },
    ]);
    for (const name of ["Cy Day and Dee Fox", "Cy Day, Dee Fox", "Cy Day / Dee Fox"])
      expect(await acted(draft, page(`${name}: sing`, "Al Po: paint"))).toEqual(expect.any(String));
  });

  test("which is related to one other", async () => {
    const draft = await extracted("teams", "Relate each person of /t.csv to the team by 'works in'.", [
      [
        ["desk.read_file", { path: "/t.csv" }, "person,team\nAnn Lee,Sales\nBo Xu,IT\n"],
        [
          "memory.create_relations",
          {
            relations: [
              { from: "Ann Lee", to: "Sales", relationType: "works in" },
              { from: "Bo Xu", to: "IT", relationType: "works in" },
            ],
          },
          "Created",
        ],
      ],
    ]);
    expect(await acted(draft, "person,team\nCy Day,HR\n")).toEqual([
      { relations: [{ from: "Cy Day", to: "HR", relationType: "works in" }] },
    ]);
    expect(await acted(draft, 'person,team\nCy Day,"HR, IT"\n')).toEqual(expect.any(String));
  });
});
