import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import type { ToolEffect } from "../../../src/learn/plan/tool-effects.ts";
import { revisedPlan } from "../../../src/learn/edits/revised-plan.ts";
import type { Edit } from "../../../src/learn/edits/edits.ts";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import { learned, traceOf, type Told } from "../learned.ts";
import { fault, RealDrafts, value } from "../edits/real-drafts.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const IDS = ["K-301", "K-302", "K-303"];

/** A run that lists things and then calls a tool for each of them. */
function overEach(tool: string, order: readonly string[] = IDS): readonly Told[] {
  return [
    ["desk.open_things", { team: "blue" }, { things: IDS.map((id) => ({ id })) }],
    ...order.map((id): Told => [tool, { id, note: "seen" }, { done: true }]),
  ];
}

async function draftOf(calls: readonly Told[], effects: readonly ToolEffect[] = []) {
  const trace = traceOf("Team blue, please", calls);
  const { plan } = learned([trace], { effects });
  return value(await real.drafts.create({ plan, traces: [{ trace }], by: "test" }));
}

function vouched(operation: ToolEffect["operation"], ...tools: readonly string[]): readonly ToolEffect[] {
  return tools.map((tool) => ({ tool, operation, by: "server" }));
}

function orderOf({ steps }: Plan): readonly string[] {
  return steps.flatMap((step) => (step.kind === "loop" ? [step.order] : []));
}

// By their names some of these sound as if they only read.
const UNKNOWN = [
  "resolve_incident",
  "find_and_delete",
  "get_or_create_user",
  "check_out",
  "check_in_guest",
  "load_payment",
  "list_item_for_sale",
  "convert_trial",
  "get_thing",
  "zorble",
];

describe.each(UNKNOWN)("of %s nobody says what it does, so it", (name) => {
  const tool = `desk.${name}`;

  test("is called for one after the other, in the order of the run", async () => {
    const draft = await draftOf(overEach(tool));
    expect(orderOf(draft.plan)).toEqual(["sequential"]);
    expect(draft.code).not.toContain("Promise.all");
    const another = learned([traceOf("Team blue", overEach(tool, IDS.toReversed()))], { effects: [] });
    expect(orderOf(another.plan)).toEqual([]);
  });

  test("is marked as writing, and the skill writes", async () => {
    const draft = await draftOf(overEach(tool));
    const view = draftView(draft);
    expect(view.steps.map(({ writes }) => writes)).toEqual([true, true, true]);
    expect(view.steps.map(({ isUnused }) => isUnused)).toEqual([false, false, false]);
    expect(await real.text(draft, "SKILL.md")).toContain("operation: WRITE\n");
    const unknown = view.attention.filter(({ kind }) => kind === "unknown-effect");
    expect(unknown).toMatchObject([{ text: expect.stringContaining(tool) }]);
  });

  test("is never left out since nothing uses what it gave", () => {
    const { dropped } = learned(
      [
        traceOf("", [
          [tool, { id: "K-1" }, 1],
          ["desk.end", {}, 2],
        ]),
      ],
      { effects: [] },
    );
    expect(dropped).toEqual([]);
  });

  test("is never left out since another run has no such call: that is another way", () => {
    const run = (id: string, calls: readonly Told[]) => traceOf("", calls, id);
    const once: Told = [tool, { id: "K-1" }, 1];
    const twice: Told = [tool, { other: "K-2" }, 1];
    const end: Told = ["desk.end", { at: "noon" }, 2];
    const made = learned(
      [run("a", [once, twice, end]), run("b", [once, end]), run("c", [once, twice, end])],
      {
        effects: [],
      },
    );
    expect([made.from, made.contrasts]).toEqual([[0, 2], [1]]);
    expect(made.dropped).toEqual([]);
  });
});

test("where servers vouch for all its tools, a skill reads, its loops run in parallel, and what nothing uses may go", async () => {
  const effects = vouched("READ", "desk.open_things", "desk.zorble", "desk.end");
  const draft = await draftOf([...overEach("desk.zorble", IDS.toReversed()), ["desk.end", {}, 2]], effects);
  expect(orderOf(draft.plan)).toEqual(["parallel"]);
  expect(await real.text(draft, "SKILL.md")).toContain("operation: READ\n");
  const view = draftView(draft);
  expect(view.steps.map(({ writes }) => writes)).toEqual([false, false, false, false]);
  expect(view.attention).toContainEqual({ kind: "unused", text: expect.stringContaining("may be dropped") });
  expect(view.attention.map(({ kind }) => kind)).not.toContain("unknown-effect");
});

describe("a reviewer", () => {
  const READS: readonly Edit[] = ["desk.open_things", "desk.get_thing"].map((tool) => ({
    kind: "effect",
    tool,
    operation: "READ",
  }));

  test("may say that a tool only reads: the draft keeps it and tells who approves", async () => {
    const draft = await draftOf(overEach("desk.get_thing"));
    const revised = await real.revised(draft, READS);
    expect(orderOf(revised.plan)).toEqual(["parallel"]);
    expect(await real.text(revised, "SKILL.md")).toContain("operation: READ\n");
    const view = draftView(revised);
    expect(view.steps.some(({ writes }) => writes)).toBe(false);
    expect(view.attention).toContainEqual({
      kind: "told-to-read",
      text: expect.stringContaining("desk.open_things, desk.get_thing only read"),
    });
    expect(draftText(view)).toContain("- desk.get_thing only reads, as who made or revised the draft says");
    expect(draftView(await real.revised(revised, [])).effects).toEqual(view.effects);
  });

  test("may take it back, and say that a tool writes which its server vouches for", async () => {
    const draft = await draftOf(overEach("desk.zorble"), vouched("READ", "desk.open_things", "desk.zorble"));
    const revised = await real.revised(draft, [{ kind: "effect", tool: "desk.zorble", operation: "WRITE" }]);
    expect(orderOf(revised.plan)).toEqual(["sequential"]);
    expect(await real.text(revised, "SKILL.md")).toContain("operation: WRITE\n");
  });

  test.each<readonly [string, JsonObject, string]>([
    [
      "a tool whose server says that it writes",
      { tool: "desk.zap", operation: "READ" },
      "says that it writes",
    ],
    ["a tool that it does not call", { tool: "desk.zip", operation: "READ" }, "Did you mean"],
  ])("cannot vouch for %s", async (_, edit, why) => {
    const draft = await draftOf(overEach("desk.zap"), vouched("WRITE", "desk.zap"));
    expect(fault(revisedPlan(draft, [{ kind: "effect", ...edit } as Edit]))).toContain(why);
  });
});
