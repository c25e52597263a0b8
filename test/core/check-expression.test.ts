import { expect, test } from "vitest";
import { parsedCheck } from "../../src/core/conditions/check-expression.ts";

test.each([
  ["inputs.amount > 0", ["inputs.amount"]],
  ["(inputs.amount > 0)", ["inputs.amount"]],
  ["outputs.report.length > 100", ["outputs.report.length"]],
  ['outputs?.items["0"].id === inputs.id', ['outputs?.items["0"].id', "inputs.id"]],
  ["outputs.rows.every((row) => row.price >= inputs.least)", ["outputs.rows", "inputs.least"]],
  ["outputs.rows[inputs.at].total !== null", ["outputs.rows", "inputs.at"]],
  ["/^INV-\\d+$/.test(outputs.number) && !(outputs.total < 0)", ["outputs.number", "outputs.total"]],
  ["Date.parse(outputs.until) > Date.parse(inputs.from)", ["outputs.until", "inputs.from"]],
  ["Object.keys(outputs).length === Math.max(...[1, 2])", ["outputs"]],
  ["Math.f16round(outputs.a) > 0 && outputs.a.every((Math) => Math.sqr)", ["outputs.a"]],
  ["[inputs.a, `${outputs.b}`].includes(typeof outputs)", ["inputs.a", "outputs.b", "outputs"]],
] as const)("%s reads %j", (check, reads) => {
  const parsed = parsedCheck(check, "post");
  expect(parsed.ok && parsed.value.reads.map(({ text }) => text)).toEqual(reads);
});

test.each([
  ["outputs.report.length >", 23, "unexpected token"],
  ["outputs.a > 1 outputs.b", 14, "the expression ends before this"],
  ["outputs.a; outputs.b", 9, "the expression ends before this"],
  ["(1 <!--[].x, call_tool('shop.pay', {})\n)", 1, "this is not allowed"],
  ["1 <!-- outputs.a", 4, "this is not allowed"],
  ["outputs.a = 1", 0, "this is not allowed"],
  ["outputs.a++", 0, "this is not allowed"],
  ["delete outputs.a", 0, "this is not allowed"],
  ["(() => { return true })()", 0, "only methods of values"],
  ["(outputs.a)(1)", 0, "only methods of values"],
  ["outputs.rows.map(function () { return 1 })", 17, "this is not allowed"],
  ["outputs.rows.map(({ id }) => id)", 18, "plain names"],
  ["outputs.rows.map((outputs) => outputs)", 18, "plain names"],
  ["await call_tool('shop.pay', {})", 0, "this is not allowed"],
  ["call_tool('shop.pay', {})", 0, "only methods of values"],
  ["globalThis.call_tool", 0, 'there is no "globalThis" here'],
  ["output.total > 0", 0, 'Did you mean "outputs"?'],
  ["new Date() > 1", 0, "this is not allowed"],
  ["Date.now() > 1", 0, "no clock"],
  ["Math.random() > 1", 0, "no clock"],
  ["Math['random']() > 1", 0, "no clock"],
  ["Math.sqr(outputs.side) > 1", 5, 'Math has no sqr. Did you mean "sqrt"?'],
  ["Number.isIntger(outputs.n)", 7, 'Did you mean "isInteger"?'],
  ["''.constructor.constructor('return 1')()", 0, "only methods of values"],
  ["outputs.constructor.name", 8, "constructor is not to be read"],
  ["import('x')", 0, "this is not allowed"],
  ["this.outputs", 0, "this is not allowed"],
  ["eval('1')", 0, "only methods of values"],
  ["x".repeat(1001), 1000, "more than 1000 characters"],
])("%s is refused at %i: %s", (check, offset, message) => {
  const parsed = parsedCheck(check, "post");
  expect(parsed).toMatchObject({ ok: false, error: { offset, message: expect.stringContaining(message) } });
});

test("before a skill has run there are no outputs", () => {
  expect(parsedCheck("outputs.total > 0", "pre")).toMatchObject({
    ok: false,
    error: { message: "there are no outputs before the skill has run" },
  });
});

test("a check that is nested without end is refused", () => {
  expect(parsedCheck(`${"(".repeat(100)}1${")".repeat(100)}`, "pre").ok).toBe(true);
  expect(parsedCheck("!".repeat(1000), "pre").ok).toBe(false);
});
