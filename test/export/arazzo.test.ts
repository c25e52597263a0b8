import { expect, test } from "vitest";
import { ARAZZO } from "../../src/export/documents/arazzo.ts";
import type { ExportedSkill } from "../../src/export/engine-adapter.ts";
import type { CallStep, Expression, Plan } from "../../src/learn/plan/plan.ts";
import { CANCEL, DIRECT, MOVE, SEND, SERVED, skillOf } from "./plans.ts";

const param = (name: string): Expression => ({ kind: "param", name });
const [order, orders, moved] = SEND.steps as readonly [CallStep, CallStep, CallStep];
const [id, shipTo] = SEND.params;

/** The first call with another argument. */
const given = (value: Expression): Plan => ({
  ...SEND,
  steps: [{ ...order, args: { kind: "object", fields: [{ name: "id", value }] } }, orders, moved],
});
const constant = (value: string | number): Plan => given({ kind: "constant", value });
const gives = (value: Expression): Plan => ({ ...SEND, output: { ...SEND.output, value } });

const REFUSED: readonly (readonly [what: string, skill: ExportedSkill, why: string])[] = [
  ["a search in an answer", skillOf(MOVE), 'orders: it computes something ("find")'],
  ["a parameter that may be left out", skillOf(CANCEL), "reason: it may be left out"],
  [
    "a guard",
    skillOf({ ...CANCEL, params: CANCEL.params.slice(0, 1) }),
    "guard: it is no call, and Arazzo has only calls one after the other",
  ],
  [
    "a credential",
    skillOf({ ...SEND, params: [{ ...id, secret: true }, shipTo] as Plan["params"] }),
    "id: it is a credential",
  ],
  [
    "a text with parts",
    skillOf(given({ kind: "template", parts: ["O-", param("id")] })),
    'order: it computes something ("template")',
  ],
  ["a text like an expression", skillOf(constant("$inputs.id")), "order: it has a text that would be read"],
  ["a text with an expression", skillOf(constant("to {$inputs.id}")), "order: it has a text that would be"],
  ["a number with an exponent", skillOf(constant(1e21)), "readers of YAML take in different ways"],
  ["a character that ends lines", skillOf(constant("a\u2028b")), "readers of YAML take in different ways"],
  ["a text that is a value in YAML 1.1", skillOf(constant("=")), "readers of YAML take in different ways"],
  [
    "a part of what the caller gives",
    skillOf(given({ kind: "field", of: param("shipTo"), path: ["city"] })),
    "order: it takes a part of what the caller gives",
  ],
  [
    "a field that may be a place in a list",
    skillOf(gives({ kind: "field", of: { kind: "ref", name: "moved" }, path: ["0"] })),
    'the output: it uses a field "0"',
  ],
  [
    "an output that may be missing",
    skillOf({ ...SEND, output: { ...SEND.output, schema: {} } }),
    "the output: an answer may not tell orders",
  ],
  [
    "a failure that must be",
    skillOf({ ...SEND, steps: [{ ...order, fails: "not found" }, orders, moved] }),
    "order: what it does depends on the kind of a failure",
  ],
];

test.each(REFUSED)("%s is refused, with the step", (_what, skill, why) => {
  const told = ARAZZO.export(skill, SERVED);
  expect(told).toMatchObject({ ok: false, error: { code: "EXPORT_REFUSED" } });
  expect(told).toHaveProperty("error.message", expect.stringContaining(why));
  expect(ARAZZO.canExecute(skill, SERVED)).toEqual(told);
});

test("tools are not called on their own servers, which speak no plain HTTP", () => {
  expect(ARAZZO.export(skillOf(SEND), DIRECT)).toMatchObject({ ok: false });
});
