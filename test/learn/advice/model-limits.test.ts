import { expect, test } from "vitest";
import { promotionFault } from "../../../src/learn/drafts/gate.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import type { Edit } from "../../../src/learn/edits/edits.ts";
import { revisedPlan } from "../../../src/learn/edits/revised-plan.ts";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import { learned, type Told, traceOf } from "../learned.ts";

const CALLS: readonly Told[] = [
  ["hr.get_contract", { person: "P-1001" }, { person: "P-1001", ends: "2026-03-01" }],
  ["hr.book_review", { person: "P-1001", day: "2026-02-15" }, { booked: true }],
];
const TRACE = traceOf("Book the review of P-1001", CALLS);
const LEAF = { step: "bookReviewResult", path: ["day"] };

/** A draft as far as edits and its view need one. */
function draftOf(): Draft {
  const { plan } = learned([TRACE], {
    effects: [{ tool: "hr.get_contract", operation: "READ", by: "server" }],
  });
  const traces = [{ trace: TRACE, digest: "" }];
  const rest = {
    kind: "learned",
    name: plan.name,
    folder: "",
    code: "",
    state: "draft",
    digest: "d",
    isStale: false,
    isEdited: false,
  };
  const provenance = {
    version: 1,
    id: "",
    traces,
    choices: [],
    dropped: [],
    state: "draft",
    stateOf: "",
    printed: "",
    history: [],
  };
  return { ...rest, plan, evidence: undefined, missingTools: [], provenance } as Draft;
}

function revised(edits: readonly Edit[], model?: string): Draft {
  const draft = draftOf();
  const made = revisedPlan(draft, edits, { model });
  if (!made.ok) throw new Error(made.error.message);
  return { ...draft, plan: made.value.plan };
}

test.each<readonly [string, Edit, string]>([
  ["drop what may write", { kind: "drop", step: "bookReviewResult" }, "only a person leaves it out"],
  ["have what may write called once more", { kind: "keep", call: 1 }, "only a person has it called"],
  [
    "say that what may write only reads",
    { kind: "effect", tool: "hr.book_review", operation: "READ" },
    "or a person says that a tool only reads",
  ],
])("a model may not %s; a person may try", (_, edit, message) => {
  const byModel = revisedPlan(draftOf(), [edit], { model: "model x" });
  expect(!byModel.ok && byModel.error.message).toContain(message);
  const byPerson = revisedPlan(draftOf(), [edit]);
  expect(byPerson.ok ? "" : byPerson.error.message).not.toContain("person");
});

test.each(["remove", "warn"] as const)("a model may add a condition, and may not %s one", (how) => {
  const condition = { kind: "precondition", text: "inputs.day.length > 0" } as const;
  const draft = revised([{ ...condition, how: "add" }], "model x");
  expect(draft.plan.preconditions).toMatchObject([{ check: condition.text, critical: true }]);
  const weaker = revisedPlan(draft, [{ ...condition, how }], { model: "model x" });
  expect(!weaker.ok && weaker.error.message).toContain("Only a person takes a condition out");
  expect(revisedPlan(draft, [{ ...condition, how }]).ok).toBe(true);
});

test("a model may say that a tool writes", () => {
  const edit: Edit = { kind: "effect", tool: "hr.get_contract", operation: "WRITE" };
  expect(revised([edit], "model x").plan.effects).toContainEqual({
    ...edit,
    by: "reviewer",
    kind: undefined,
  });
});

test.each<readonly [string, Edit]>([
  ["chooses a reading", { kind: "flow", leaf: LEAF, choose: 2 }],
  ["chooses that a constant stays one", { kind: "flow", leaf: LEAF, choose: "constant" }],
  ["leaves it to the caller", { kind: "flow", leaf: LEAF, choose: "parameter" }],
  ["makes a constant of the parameter", { kind: "constant", param: "day" }],
  ["gives the parameter a default", { kind: "optional", param: "day", default: "2026-02-15" }],
])("what a model decides when it %s stays open under its name, for a person to confirm", (_, edit) => {
  const byModel = revised([edit], "model x");
  const { questions, attention } = draftView(byModel);
  expect(questions).toMatchObject([{ step: LEAF.step, path: LEAF.path, decidedBy: "model x" }]);
  expect(attention.find(({ kind }) => kind === "decided-by-model")?.text).toContain("model x has decided");
  expect(draftText(draftView(byModel))).toMatch(/Decided by a model[^]*model x says/);
  const confirmed = revisedPlan(byModel, [
    { kind: "flow", leaf: LEAF, choose: questions[0]?.now.choose ?? 0 },
  ]);
  expect(confirmed.ok && confirmed.value.plan.questions).toBeUndefined();
});

test("a reading is a model's also where the runs left nothing open", () => {
  const draft = draftOf();
  const leaf = { step: "bookReviewResult", path: ["person"] };
  const constant: Edit = { kind: "flow", leaf, choose: "constant" };
  const made = revisedPlan(draft, [constant], { model: "model x" });
  expect(made.ok && made.value.plan.questions).toContainEqual(
    expect.objectContaining({ ...leaf, decidedBy: "model x" }),
  );
  const byPerson = revisedPlan(draft, [constant]);
  expect(byPerson.ok && byPerson.value.plan.questions?.map(({ path }) => path)).toEqual([["day"]]);
});

test("what a model has decided is not settled for the policy", () => {
  const { plan } = revised([{ kind: "flow", leaf: LEAF, choose: 2 }], "model x");
  const rung = { passed: 1, of: 1, low: 1, flows: 1 };
  const names = ["types", "own", "twin", "faults"] as const;
  const rungs = names.map((name) => Object.assign({ name }, rung));
  const evidence = { digest: "d", verifiedAt: "", rungs, heldOut: [] };
  const own = { trace: { ...TRACE, origin: "own" as const }, digest: "" };
  const draft = draftOf();
  const verified = { ...draft, plan, evidence, provenance: { ...draft.provenance, traces: [own] } };
  const policy = { review: "automatic", above: "own", writes: true } as const;
  expect(promotionFault(verified, policy, true)?.message).toContain(
    "model x has chosen a reading that no run confirms",
  );
});

test("edits that do not fit are left out, with why, where the others are to be done", () => {
  const made = revisedPlan(
    draftOf(),
    [
      { kind: "constant", param: "nobody" },
      { kind: "rename", target: { kind: "param", name: "day" }, to: "reviewDay" },
      { kind: "drop", step: "bookReviewResult" },
    ],
    { model: "model x", isPartial: true },
  );
  expect(made.ok && made.value.plan.params.map(({ name }) => name)).toContain("reviewDay");
  expect(made.ok && made.value.refused).toEqual([
    {
      edit: expect.objectContaining({ kind: "constant" }),
      why: expect.stringMatching(/^There is no parameter "nobody"/),
    },
    { edit: expect.objectContaining({ kind: "drop" }), why: expect.stringMatching(/only a person/) },
  ]);
});
