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
  steps: withOrder({ kind: "constant", value: "O-77001" }),
};

export const NEW_DRAFT: NewDraft = {
  plan: CANCEL_PLAN,
  traces: [{ trace: CANCEL_TRACE }],
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

/** Calls with what the caller gives, and nothing else: the order is asked for. */
export const RECORDED_ORDER: NewDraft = {
  ...OWN_DRAFT,
  plan: {
    ...CANCEL_PLAN,
    params: [
      ...CANCEL_PLAN.params,
      {
        name: "order_id",
        schema: { type: "string" },
        example: "O-77001",
        origins: [{ call: 1, at: "args", path: ["order"] }],
      },
    ],
    steps: withOrder({ kind: "param", name: "order_id" }),
  },
};

/** What flows is a word that stays the same in every twin. */
export const COPIED_STATUS: NewDraft = {
  ...OWN_DRAFT,
  plan: { ...CANCEL_PLAN, steps: withOrder({ kind: "field", of: found, path: ["status"] }) },
  traces: [
    {
      trace: {
        ...CANCEL_TRACE,
        origin: "own",
        calls: CANCEL_TRACE.calls.map((call, index) =>
          index === 1 ? Object.assign({}, call, { args: { order: "open" }, result: "done" }) : call,
        ),
      },
    },
  ],
};

function withOrder(value: Expression): Plan["steps"] {
  return CANCEL_PLAN.steps.map((step) =>
    step.kind === "call" && step.name === "cancelled"
      ? Object.assign({}, step, { args: { kind: "object", fields: [{ name: "order", value }] } })
      : step,
  );
}
