import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { expressionText } from "../../../src/learn/review/expression-text.ts";
import { learned, traceOf } from "../learned.ts";
import { callsIn, type WorldTools } from "../live.ts";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import { runner } from "../../shared-threads.ts";

/** A board whose answers and arguments have parts that say by a word which field they have. */
function note(title: string, words: string): Json {
  return { kind: "note", note: { title, body: [{ form: "plain", plain: { words } }] } };
}

const CARDS: Json = {
  cards: [
    { id: "crd-90211", about: { title: { id: "title", kind: "title", title: [{ words: "Harbour plan" }] } } },
    {
      id: "crd-90212",
      object: "card",
      about: { Stage: { id: "stg", kind: "stage", name: "Stage" }, Topic: { kind: "words", name: "Topic" } },
    },
  ],
};

describe("a word that says which field stands beside it", () => {
  const { plan } = learned([
    traceOf("Open the card Harbour plan and pin a note to it: Tide tables, high water at nine", [
      ["board.search_cards", { query: "Harbour plan" }, CARDS],
      ["board.get_card", { card_id: "crd-90211" }, { parts: [note("Crane", "out of order")] }],
      [
        "board.pin_note",
        { card_id: "crd-90211", part: note("Tide tables", "high water at nine") },
        { id: "prt-7781" },
      ],
      [
        "board.pin_note",
        {
          card_id: "crd-90211",
          part: { kind: "link", link: { to: { kind: "part", part: { id: "prt-7781" } } } },
        },
        { id: "prt-7782" },
      ],
    ]),
  ]);

  test("is neither asked for nor taken from an answer", () => {
    const [, , pin, link] = plan.steps.map((step) => (step.kind === "call" ? expressionText(step.args) : ""));
    expect(plan.params.map(({ example }) => example)).toEqual([
      "Harbour plan",
      "Tide tables",
      "high water at nine",
    ]);
    expect(pin).toContain('body: [{ form: "plain", plain: { words: input.words } }]');
    expect(link).toContain('kind: "link"');
    expect(link).toContain('kind: "part"');
  });

  test("while the element is found by what is written in it, as the task says", () => {
    const [, get] = plan.steps;
    const text = get?.kind === "call" ? expressionText(get.args) : "";
    expect(text).toContain("about.title.title[words = input.query]");
  });
});

describe("elements of a list that are laid out alike", () => {
  const line = (words: string): Json => ({ kind: "line", line: { words }, mark: null });
  const task = (name: string, days: number): Json => ({
    kind: "task",
    task: { label: [{ words: name }], hint: [{ words: `${name}?` }], days },
  });
  const trace = (id: string, lines: readonly Json[], answer: Json) =>
    traceOf(
      "Make the list Spring cleaning",
      [
        ["lists.make_list", { name: "Spring cleaning" }, { id }],
        ["lists.fill", { list: id, entries: lines }, answer],
      ],
      id,
    );
  const one = trace(
    "lst-1001",
    [line("Do these first"), task("Windows", 2), task("Gutters", 3), task("Attic", 9), line("Well done")],
    { ok: true },
  );
  const made = learned([one]);

  test("are a list of what stands in each, among the others", () => {
    expect(made.plan.params.map(({ name, example }) => [name, example])).toEqual([
      ["name", "Spring cleaning"],
      ["lineWords", "Do these first"],
      [
        "tasks",
        [
          { label: "Windows", hint: "Windows?", days: 2 },
          { label: "Gutters", hint: "Gutters?", days: 3 },
          { label: "Attic", hint: "Attic?", days: 9 },
        ],
      ],
      ["secondLineWords", "Well done"],
    ]);
  });

  test("and the skill writes any number of them", async () => {
    const input = {
      name: "Moving",
      lineWords: "Soon",
      tasks: [{ label: "Boxes", hint: "How many?", days: 1 }],
      secondLineWords: "There",
    };
    const tools: WorldTools = {
      "lists.make_list": () => ({ id: "lst-7" }),
      "lists.fill": () => ({ ok: true }),
    };
    const entries = [
      line("Soon"),
      { kind: "task", task: { label: [{ words: "Boxes" }], hint: [{ words: "How many?" }], days: 1 } },
      line("There"),
    ];
    expect(await callsIn(runner, made.plan, tools, input)).toEqual([
      'lists.make_list {"name":"Moving"}',
      `lists.fill ${JSON.stringify({ list: "lst-7", entries })}`,
    ]);
  });

  test("in another run of another length, too", () => {
    const all = [task("Cellar", 4), task("Oven", 1)];
    const other = trace("lst-1002", all, { ok: true });
    const { plan } = learned([trace("lst-1001", [...all, task("Attic", 9)], { ok: true }), other]);
    expect(plan.params.map(({ name }) => name)).toEqual(["name", "tasks"]);
  });
});

test("an element is found by its title rather than by the name of a field that only it has", () => {
  const { plan } = learned([
    traceOf("Look up the board Harbour works and set the Stage of all in it", [
      ["board.search", { query: "Harbour works" }, { found: [BOARD, OTHER] }],
      ["board.list_cards", { board: "brd-5512" }, { cards: [] }],
    ]),
  ]);
  const [, list] = plan.steps;
  expect(list?.kind === "call" ? expressionText(list.args) : "").toContain("found[some of title[");
  expect(plan.params.map(({ example }) => example)).toEqual(["Harbour works"]);
});

const BOARD: Json = {
  id: "brd-5512",
  title: [{ kind: "plain", plain: { words: "Harbour works" }, words: "Harbour works" }],
  fields: { Stage: { id: "stg", name: "Stage" }, Due: { id: "due", name: "Due" } },
  icon: { kind: "sign", sign: "anchor" },
};
const OTHER: Json = {
  id: "brd-5513",
  title: [{ kind: "plain", plain: { words: "Market" }, words: "Market" }],
  fields: { Due: { id: "due", name: "Due" } },
  icon: { kind: "sign", sign: "apple" },
};

test("lists that are joined are not written without what an answer was to tell", async () => {
  const lines: Plan["steps"][number] = {
    kind: "call",
    name: "filled",
    tool: "lists.fill",
    args: {
      kind: "object",
      fields: [
        {
          name: "entries",
          value: {
            kind: "flat",
            of: {
              kind: "list",
              items: [
                {
                  kind: "list",
                  items: [{ kind: "field", of: { kind: "ref", name: "made" }, path: ["id"] }],
                },
                { kind: "list", items: [{ kind: "constant", value: "the end" }] },
              ],
            },
            path: [],
          },
        },
      ],
    },
  };
  const made: Plan["steps"][number] = {
    kind: "call",
    name: "made",
    tool: "lists.make_list",
    args: { kind: "object", fields: [] },
  };
  const plan: Plan = {
    version: 1,
    name: "fill",
    params: [],
    steps: [made, lines],
    output: { value: { kind: "ref", name: "filled" }, schema: {} },
  };
  const tools = (id: string | null): WorldTools => ({
    "lists.make_list": () => ({ id }),
    "lists.fill": () => ({ ok: true }),
  });
  const filled = async (id: string | null) => (await callsIn(runner, plan, tools(id), {})).at(-1);
  expect(await filled("lst-7")).toBe('lists.fill {"entries":["lst-7","the end"]}');
  expect(await filled(null)).toContain("stops: An answer has no id");
});
