import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { extracted, paramsOf, provideFolder, questionsOf, type Told, writtenIn } from "../extracted.ts";

provideFolder();

const path = "/notes/plan.md";
type Row = readonly [day: string, time: string, what: string];
const table = (...rows: readonly Row[]): string =>
  `# Plan\n\n| day | time | what |\n| --- | --- | --- |\n${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}`;
const read = (text: string): Told => ["notes.read_file", { path }, text];
const created = (title: string, start: string): Told => [
  "diary.create_event",
  { title, start },
  { created: true },
];

const ROWS: readonly Row[] = [
  ["2026-03-02", "09:30", "Dentist"],
  ["2026-03-04", "14:00", "Bank"],
  ["2026-03-05", "18:15", "Choir"],
];

describe("a day and a time that are told apart", () => {
  test("are put together in each round", async () => {
    const calls = ROWS.map(([day, time, what]) => created(what, `${day}T${time}:00`));
    const draft = await extracted("rounds", `Put all appointments of ${path} into my diary.`, [
      [read(table(...ROWS)), ...calls],
    ]);
    expect(paramsOf(draft)).toEqual(["path"]);
    expect(questionsOf(draft)).not.toContain("date");
    const there = async (...rows: readonly Row[]) => writtenIn(draft, { [path]: table(...rows) });
    expect(await there(["2026-04-02", "9:30", "Vet"], ["2026-12-31", "24:00", "Year"])).toEqual([
      { title: "Vet", start: "2026-04-02T09:30:00" },
      { title: "Year", start: "2027-01-01T00:00:00" },
    ]);
    expect(await there()).toEqual([]);
    for (const time of ["noon", "9:30 pm", "9.30", "-"])
      expect(await there(["2026-04-02", time, "Vet"])).toEqual(expect.any(String));
    for (const day of ["2 April", "02.04.2026"])
      expect(await there([day, "09:30", "Vet"])).toEqual(expect.any(String));
  });

  test("are put together of what labels tell, or the caller", async () => {
    const letter = (day: string, time: string): string =>
      `Subject: Budget review\nDate: ${day}\nTime: ${time}\nRoom: 4\n`;
    const start = "2026-05-12 10:00";
    const labelled = await extracted("labels", `Add the meeting "Budget" of ${path} to my diary.`, [
      [read(letter("2026-05-12", "10:00")), created("Budget", start)],
    ]);
    const startIn = async (draft: typeof labelled, text: string, given: JsonObject = {}) =>
      writtenIn(draft, { [path]: text }, given);
    expect(await startIn(labelled, letter("2026-06-01", "8:15"))).toMatchObject([
      { start: "2026-06-01 08:15" },
    ]);
    const said = await extracted("said", `Add the meeting "Budget" on 2026-05-12 at the time of ${path}.`, [
      [read("Time: 10:00\nRoom: 4\n"), created("Budget", start)],
    ]);
    expect(paramsOf(said)).toContain("day");
    expect(await startIn(said, "Time: 16:45\nRoom: 4\n", { day: "2026-07-01" })).toMatchObject([
      { start: "2026-07-01 16:45" },
    ]);
  });

  test("are no day with another time", async () => {
    const draft = await extracted("other", `Put the appointment of ${path} into my diary.`, [
      [read(table(["2026-03-02", "09:30", "Dentist"])), created("Dentist", "2026-03-02T09:45:00")],
    ]);
    expect(paramsOf(draft)).toContain("start");
  });
});

describe("from when to when something is", () => {
  test.each(["-", " - ", "–"])("stands in one cell, with %j between", async (sign) => {
    const booked = ([day, time, title]: Row, end: string): Told => [
      "diary.book",
      { title, start: `${day}T${time}`, end: `${day}T${end}` },
      { booked: true },
    ];
    const ends = ["10:00", "15:30", "19:45"];
    const draft = await extracted(`spans-${sign.codePointAt(0)}${sign.length}`, `Book all of ${path}.`, [
      [
        read(table(...ROWS.map(([day, time, what], nth): Row => [day, `${time}${sign}${ends[nth]}`, what]))),
        ...ROWS.map((row, nth) => booked(row, ends[nth] ?? "")),
      ],
    ]);
    expect(paramsOf(draft)).toEqual(["path"]);
    const there = async (time: string) => writtenIn(draft, { [path]: table(["2026-04-02", time, "Vet"]) });
    expect(await there(`08:15${sign}9:45`)).toEqual([
      { title: "Vet", start: "2026-04-02T08:15", end: "2026-04-02T09:45" },
    ]);
    for (const time of [
      "08:15",
      `8${sign}9`,
      `08:15${sign}09:45${sign}11:00`,
      `08:15${sign}9:45 pm`,
      "08:15 to 09:45",
      `08:15${sign}`,
    ])
      expect(await there(time)).toEqual(expect.any(String));
  });

  test("stands in one cell as two days", async () => {
    const weeks = (...rows: readonly (readonly [string, string])[]) =>
      `| who | when |\n| --- | --- |\n${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}`;
    const leaves = [
      ["Ann Lee", "2026-03-02", "2026-03-06"],
      ["Bo Hu", "2026-03-09", "2026-03-10"],
      ["Cy Ek", "2026-04-01", "2026-04-17"],
    ] as const;
    const draft = await extracted("leaves", `Enter all leaves of ${path}.`, [
      [
        read(weeks(...leaves.map(([who, from, until]) => [who, `${from} - ${until}`] as const))),
        ...leaves.map(([who, from, until]): Told => [
          "diary.enter_leave",
          { who, from, until },
          { done: true },
        ]),
      ],
    ]);
    expect(paramsOf(draft)).toEqual(["path"]);
    const there = async (when: string) => writtenIn(draft, { [path]: weeks(["Dee Fox", when]) });
    expect(await there("2026-05-01 - 2026-05-04")).toEqual([
      { who: "Dee Fox", from: "2026-05-01", until: "2026-05-04" },
    ]);
    for (const when of ["2026-05-01", "May 1 - May 4", "2026-05-01 - open"])
      expect(await there(when)).toEqual(expect.any(String));
  });
});
