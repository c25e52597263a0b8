import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import { learned, type Told, traceOf } from "../learned.ts";

const kindsOf = ({ plan }: ReturnType<typeof learned>) => plan.steps.map(({ kind }) => kind);

describe("runs of the same task", () => {
  const FOLDER: Told = ["desk.find", { name: "Lund" }, { results: [{ id: "F-7001", kind: "folder" }] }];
  const filing = (id: string, ...names: readonly string[]) =>
    traceOf(
      "File what is on the list of Lund",
      [
        FOLDER,
        ["desk.list", { folder: "F-7001" }, { results: names.map((name) => ({ name })) }],
        ...names.map((name): Told => ["desk.file", { folder: "F-7001", sheet: { name } }, { ok: true }]),
      ],
      id,
    );

  test("loop over the list that has something for every round, not over another with a single element", () => {
    const runs = [filing("a", "Alder oak", "Birch oak", "Cedar oak"), filing("b", "Daisy oak", "Elder oak")];
    const { plan, from } = learned(runs);
    expect(from).toEqual([0, 1]);
    expect(skillCode(plan)).toMatch(/for \(const \w+ of listOf\(listResult\.results\)\)/);
  });

  const noting = (id: string, title: Json) =>
    traceOf("Note it", [["desk.note", { title, at: id }, { ok: true }]], id);
  const AS_LIST: Json = [{ text: "Alder" }];

  test("that give a tool its argument in another form are left out, the fewer", () => {
    const { from, contrasts } = learned([
      noting("N-1001", "Alder"),
      noting("N-1002", AS_LIST),
      noting("N-1003", [{ text: "Birch" }]),
    ]);
    expect(from).toEqual([1, 2]);
    expect(contrasts).toEqual([0]);
  });

  test("are one form where some leave out a part of an argument", () => {
    const { from } = learned([
      noting("N-1001", { words: "Alder", bold: true }),
      noting("N-1002", { words: "Birch" }),
    ]);
    expect(from).toEqual([0, 1]);
  });

  const finding = (id: string, day: string, most = 5) =>
    traceOf(
      `What is there to eat on ${day}?`,
      [
        [
          "plan.find",
          {
            most,
            filter: {
              all: [
                { field: "day", is: day },
                { field: "kind", is: "food" },
              ],
            },
          },
          { found: id },
        ],
      ],
      id,
    );

  test("are asked only for what their task says of an object that all have", () => {
    const { plan } = learned([finding("P-1001", "Day 7"), finding("P-1002", "Day 7", 9)]);
    expect(skillCode(plan).replaceAll(/\s+/g, " ")).toContain('{ field: "kind", is: "food" }');
    expect(JSON.stringify(plan.params.map(({ example }) => example))).toContain("Day 7");
    expect(JSON.stringify(plan.params.map(({ example }) => example))).not.toContain("food");
  });

  test("are asked for the whole where they differ", () => {
    const { plan } = learned([finding("P-1001", "Day 7"), finding("P-1002", "Day 8")]);
    expect(JSON.stringify(plan.params.map(({ example }) => example))).toContain("food");
  });
});

test("what each round of a loop has from its element is not asked for, though the task says it", () => {
  const pages = ["Notion", "Figma"];
  const args = (name: string): JsonObject => ({ query: name, filter: { kind: "page" } });
  const made = learned([
    traceOf("Look for Notion and Figma", [
      ["desk.list", {}, { pages: pages.map((title, at) => ({ id: `P-100${at}`, page: { title } })) }],
      ...pages.map((name): Told => ["desk.search", args(name), { found: 1 }]),
    ]),
  ]);
  expect(kindsOf(made)).toEqual(["call", "loop"]);
  expect(skillCode(made.plan)).toMatch(/query: ofKind\(\w+\.page\.title/);
});
