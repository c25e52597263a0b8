import { expect, test } from "vitest";
import { failure } from "../../../src/core/error.ts";
import { fail, ok, type Result } from "../../../src/core/result.ts";
import type { Evidence } from "../../../src/learn/verify/evidence.ts";
import {
  type DerivedDraft,
  evidenceFor,
  type EvidenceOptions,
} from "../../../src/learn/verify/verification.ts";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { CANCEL_PLAN, CANCEL_TRACE } from "../drafts/cancel-draft.ts";
import { runner } from "../../shared-threads.ts";

async function evidence(
  code: string,
  options: EvidenceOptions = {},
  derived: Result<DerivedDraft> = ok({ name: "d", skills: skillSet({ d: code }), faults: [] }),
): Promise<Evidence> {
  const traces = [{ digest: "own", trace: CANCEL_TRACE }];
  const draft = { plan: CANCEL_PLAN, code, digest: "this", traces };
  return evidenceFor(draft, { runner, derive: () => Promise.resolve(derived) }, options);
}

const sound = skillCode(CANCEL_PLAN);

test("a sound draft passes every rung, and the bounds say how much that tells", async () => {
  const heldOut = [1, 2, 3].map((nth) => ({
    digest: `${nth}`,
    trace: JSON.parse(JSON.stringify(CANCEL_TRACE).replaceAll("10042", `2000${nth}`)) as typeof CANCEL_TRACE,
  }));
  const { digest, rungs, heldOut: used } = await evidence(sound, { heldOut, live: { passed: 9, of: 10 } });
  expect(digest).toBe("this");
  expect(used).toEqual(["1", "2", "3"]);
  expect(rungs.map(({ name, passed, of }) => [name, passed, of])).toEqual([
    ["types", 1, 1],
    ["own", 1, 1],
    ["twin", 3, 3],
    ["faults", 4, 4],
    ["heldOut", 3, 3],
    ["live", 9, 10],
  ]);
  expect(rungs.find(({ name }) => name === "live")?.low).toBeCloseTo(0.596, 3);
  expect(rungs.find(({ name }) => name === "twin")?.changed?.renamed).toBeGreaterThan(0);
});

test.each([
  [
    "what it gives changes from run to run",
    sound.replace(/return cancelled;/, "return { at: Math.random() };"),
    "own",
  ],
  [
    "it gives an id of its own trace",
    sound.replace(/return cancelled;/, `return { order: "O-77001" };`),
    "twin",
  ],
  ["its parameters are not used", sound.replaceAll("input.customer", `"C-10042"`), "twin"],
])("a draft fails where %s", async (_, code, failing) => {
  expect(code).not.toBe(sound);
  const { rungs } = await evidence(code);
  const first = rungs.find(({ passed, of }) => passed < of);
  expect(first?.name).toBe(failing);
  expect(first?.counterexample).toHaveProperty("difference");
});

test("a held-out trace in which something else is done is a counterexample", async () => {
  const [find, cancel] = CANCEL_TRACE.calls;
  if (!find || !cancel) throw new Error("the trace has two calls");
  const longer = { ...CANCEL_TRACE, calls: [find, cancel, { tool: "shop.mail", args: {}, result: null }] };
  const { rungs } = await evidence(sound, { heldOut: [{ digest: "longer", trace: longer }] });
  expect(rungs.at(-1)).toMatchObject({
    name: "heldOut",
    passed: 0,
    of: 1,
    counterexample: { trace: "longer", difference: { kind: "missing-call", tool: "shop.mail" } },
  });
});

test("a draft that is no skill has no other evidence", async () => {
  const { rungs } = await evidence(sound, {}, fail(failure("SKILL_BROKEN", "it does not load")));
  expect(rungs).toMatchObject([
    {
      name: "types",
      passed: 0,
      of: 1,
      counterexample: { difference: { kind: "failed", message: "it does not load" } },
    },
  ]);
});

test("a draft whose types do not fit is replayed all the same", async () => {
  const derived = ok({
    name: "d",
    skills: skillSet({ d: sound }),
    faults: ["Type 'number' is not a string"],
  });
  const { rungs } = await evidence(sound, {}, derived);
  expect(rungs.map(({ name, passed, of }) => [name, passed, of])).toEqual([
    ["types", 0, 1],
    ["own", 1, 1],
    ["twin", 3, 3],
    ["faults", 4, 4],
  ]);
});
