import fc from "fast-check";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/core/limits.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { parameterValues } from "../../../src/learn/verify/parameter-values.ts";
import { replay } from "../../../src/learn/verify/replay.ts";
import { PLAN } from "../../../src/learn/plan/plan.ts";
import type { RecordedTrace, SourceTrace } from "../../../src/learn/recording/recorded-trace.ts";
import { type Edit, EDITS } from "../../../src/learn/edits/edits.ts";
import { revisedPlan } from "../../../src/learn/edits/revised-plan.ts";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import { Runner } from "../../../src/runner/runner.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { exchangeTrace } from "../verify/shop.ts";
import { learned } from "../learned.ts";
import { worldRuns } from "../worlds.ts";
import { BOOKING, CLOSINGS, RETURN } from "./runs.ts";
import { hasName } from "../../../src/learn/plan/steps.ts";

let runner: Runner;
beforeAll(() => {
  runner = new Runner({ limits: DEFAULT_LIMITS, workers: 1 });
});
afterAll(() => runner.close());

type Revisable = Pick<Draft, "plan" | "provenance">;

function made(traces: readonly RecordedTrace[]): Revisable {
  const own = traces.map((trace) => ({ trace, digest: trace.id }));
  const provenance = {
    version: 1,
    id: "id",
    traces: own,
    choices: [],
    dropped: [],
    state: "draft",
    stateOf: "",
    printed: "",
    history: [],
  } as const;
  return { plan: learned(traces).plan, provenance };
}

function withDigest(learned: SourceTrace) {
  return { ...learned, digest: learned.trace.id };
}

const STARTS: readonly Revisable[] = [
  [exchangeTrace()],
  [RETURN],
  CLOSINGS,
  [BOOKING],
  ...worldRuns(6, 7).map(({ trace }) => [trace]),
].map(made);

interface Dice {
  readonly kind: Edit["kind"];
  readonly first: number;
  readonly second: number;
  readonly name: string;
}

const dice: fc.Arbitrary<Dice> = fc.record({
  kind: fc.constantFrom(
    "rename",
    "describe",
    "flow",
    "parameter",
    "constant",
    "drop",
    "keep",
    "keep",
    "drop",
    "fold",
    "split",
    "output",
    "optional",
    "required",
    "effect",
    "precondition",
    "postcondition",
    "category",
    "tag",
    "keyword",
    "example",
  ),
  first: fc.nat(30),
  second: fc.nat(6),
  name: fc.oneof(fc.constantFrom("a", "name", "order", "order_id", "input", "__proto__"), fc.string()),
});

const HOW = ["add", "warn", "remove"] as const;

/** An edit of the draft as it is now. */
function editOf({ plan, provenance }: Revisable, { kind, first, second, name }: Dice): Edit {
  const steps = plan.steps.flatMap((step) =>
    step.kind === "loop" ? [step, ...step.steps] : step.kind === "call" ? [step] : [],
  );
  const step = steps[first % steps.length];
  const stepName = step && hasName(step) ? step.name : "";
  const fields = step?.kind === "call" && step.args.kind === "object" ? step.args.fields : [];
  const field = fields[second % Math.max(1, fields.length)];
  const leaf = { step: stepName, path: field ? [field.name] : [] };
  const param = plan.params[first % Math.max(1, plan.params.length)]?.name ?? "none";
  const [own] = provenance.traces;
  const made =
    own?.calls ?? own?.trace.calls.flatMap(({ retriedBy }, call) => (retriedBy === undefined ? call : []));
  const missing = [...(own?.trace.calls.keys() ?? [])].filter((call) => !made?.includes(call));
  const numbered = [1, 2, 3, 4, "parameter", "constant"] as const;
  switch (kind) {
    case "rename":
      return { kind, target: { kind: "param", name: param }, to: name };
    case "describe":
      return { kind, target: { kind: "param", name: param }, text: name };
    case "flow":
      return { kind, leaf, choose: numbered[first % numbered.length] ?? 1 };
    case "parameter":
      return { kind, leaf, constant: second === 0 ? null : second, name: first % 2 === 0 ? null : name };
    case "effect":
      return {
        kind,
        tool: step?.kind === "call" ? step.tool : name,
        operation: second % 2 === 0 ? "READ" : "WRITE",
      };
    case "constant":
    case "required":
      return { kind, param };
    case "drop":
    case "output":
    case "split":
      return { kind, step: stepName };
    case "fold": {
      const names = plan.steps.filter(hasName).map((each) => each.name);
      const from = first % Math.max(1, names.length);
      const over = second % 2 === 0 ? "" : `${names[0] ?? ""}.${name}`;
      return { kind, steps: names.slice(from, from + 2 + second), over };
    }
    case "keep":
      return { kind, call: missing[first % Math.max(1, missing.length)] ?? first };
    case "optional":
      return { kind, param, default: second === 0 ? null : name };
    case "precondition":
    case "postcondition": {
      const text = first % 2 === 0 ? `inputs.${param} !== ${JSON.stringify(name)}` : "inputs !== null";
      return { kind, text, how: HOW[second % 3] ?? "add" };
    }
    case "category":
    case "tag":
    case "keyword":
    case "example":
      return { kind, text: name, how: HOW[second % 3] ?? "add" };
  }
}

test("after any edits that are taken, the plan is read, its code parses, and it does in the sandbox what was recorded", async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...STARTS),
      fc.array(dice, { minLength: 1, maxLength: 8 }),
      async (start, rolls) => {
        let now = start;
        const edits: Edit[] = [];
        for (const roll of rolls) {
          const edit = editOf(now, roll);
          expect(EDITS.safeParse([edit]).success).toBe(true);
          const revised = revisedPlan(now, [edit]);
          if (!revised.ok) continue;
          const { plan, traces } = revised.value;
          const own = traces?.map(withDigest) ?? now.provenance.traces;
          now = { plan, provenance: { ...now.provenance, traces: own } };
          edits.push(edit);
          taken++;
        }
        const { plan, provenance } = now;
        expect(PLAN.safeParse(JSON.parse(JSON.stringify(plan))).error).toBeUndefined();
        const code = skillCode(plan);
        const { diagnostics } = ts.transpileModule(code, { reportDiagnostics: true });
        expect(diagnostics, `in ${code}`).toEqual([]);
        // One after the other is the same as all at once.
        const atOnce = revisedPlan(start, edits);
        expect(atOnce.ok && skillCode(atOnce.value.plan)).toBe(code);
        const skills = skillSet({ d: code });
        const [first] = provenance.traces;
        for (const { trace, calls, input: told } of provenance.traces) {
          const input = told ?? parameterValues(plan.params, first?.trace ?? trace, trace);
          const { difference } = await replay({ runner, skills, name: "d" }, trace, { input, calls });
          expect(difference, `${JSON.stringify(edits)}\n${code}\n${JSON.stringify(input)}`).toBeUndefined();
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(taken).toBeGreaterThan(30);
});
