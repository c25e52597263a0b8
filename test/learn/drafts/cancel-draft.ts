import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { ok } from "../../../src/core/result.ts";
import type { NewDraft } from "../../../src/learn/drafts/drafts.ts";
import type { VerifyServices } from "../../../src/learn/drafts/draft-operations.ts";
import type { Expression, Plan } from "../../../src/learn/plan/plan.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import type { Runner } from "../../../src/runner/runner.ts";
import { skillSet } from "../../runner/skill-set.ts";

/** A run in which a user's only order is cancelled. */
export const CANCEL_TRACE: RecordedTrace = {
  id: "cancel-1",
  task: "Cancel the order of customer C-10042, since it is no longer needed.",
  calls: [
    { tool: "shop.find_order", args: { customer: "C-10042" }, result: { order: "O-77001", status: "open" } },
    {
      tool: "shop.cancel_order",
      args: { order: "O-77001" },
      result: { order: "O-77001", status: "cancelled" },
    },
  ],
};

const found: Expression = { kind: "ref", name: "order" };

/** The plan that has understood it. */
export const CANCEL_PLAN: Plan = {
  version: 1,
  name: "cancel-order",
  params: [
    {
      name: "customer",
      schema: { type: "string" },
      example: "C-10042",
      origins: [{ call: 0, at: "args", path: ["customer"] }],
    },
  ],
  steps: [
    {
      kind: "call",
      name: "order",
      tool: "shop.find_order",
      args: { kind: "object", fields: [{ name: "customer", value: { kind: "param", name: "customer" } }] },
    },
    {
      kind: "call",
      name: "cancelled",
      tool: "shop.cancel_order",
      args: {
        kind: "object",
        fields: [{ name: "order", value: { kind: "field", of: found, path: ["order"] } }],
      },
    },
  ],
  output: { value: { kind: "ref", name: "cancelled" }, schema: { type: "object" } },
};

/** The same with the order learned by heart. */
export const CANCEL_BY_HEART: Plan = {
  ...CANCEL_PLAN,
  steps: CANCEL_PLAN.steps.map((step) =>
    step.kind === "call" && step.name === "cancelled"
      ? {
          ...step,
          args: {
            kind: "object",
            fields: [{ name: "order", value: { kind: "constant", value: "O-77001" } }],
          },
        }
      : step,
  ),
};

export const NEW_DRAFT: NewDraft = {
  plan: CANCEL_PLAN,
  traces: [{ trace: CANCEL_TRACE }],
  operation: "WRITE",
  by: "ada",
  why: "it is done often",
};

/** The same of a run that was recorded here. */
export const OWN_DRAFT: NewDraft = {
  ...NEW_DRAFT,
  traces: [{ trace: { ...CANCEL_TRACE, origin: "own" } }],
};

/** Derives a draft's skill from its folder as the catalog does, without the type checker. */
export function meansWith(runner: Pick<Runner, "run">): VerifyServices {
  return {
    runner,
    derive: async (folder) => {
      const name = basename(folder);
      const code = await readFile(join(folder, "skill.ts"), "utf8");
      return ok({ name, skills: skillSet({ [name]: code }), faults: [] });
    },
  };
}
