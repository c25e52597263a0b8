import { expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { draftPlan } from "../../../src/learn/edits/idle-calls.ts";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import { learned, soundEffects } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { runner } from "../../shared-threads.ts";

const till = (price: number, count: number, answer: (product: number) => Json): WorldTools => ({
  "till.get_line": () => ({ price, count }),
  "till.get_value": () => answer(price * count),
  "till.pay": () => "ok",
});

/** The plan of a draft of a run in which a tool was asked to multiply; `isKnown`: to do nothing else. */
function drafted(answer: (product: number) => Json, isKnown: boolean): Plan {
  const run = recordedIn(till(129, 13, answer), "Pay the lamps", (call) => {
    call("till.get_line", { line: "lamps" });
    const value = call("till.get_value", { of: "129 * 13" });
    call("till.pay", { amount: typeof value === "object" ? (value as { is: number }).is : value });
  });
  const effects = soundEffects([run]).filter(({ tool }) => isKnown || tool !== "till.get_value");
  return draftPlan(learned([run], { effects }).plan, [{ trace: run }]).plan;
}

test.each<readonly [string, (product: number) => Json]>([
  ["is a number", (product) => product],
  ["has it in a field", (product) => ({ is: product })],
])("what a tool only calculates is calculated by the skill, where its answer %s", async (_, answer) => {
  const made = await callsIn(runner, drafted(answer, true), till(12, 7, answer), { line: "lamps" });
  expect(made).toEqual(['till.get_line {"line":"lamps"}', 'till.pay {"amount":84}']);
});

test("a tool that may do more is asked all the same, and its answer is not needed", async () => {
  const made = await callsIn(
    runner,
    drafted((product) => product, false),
    till(12, 7, () => null),
    {
      line: "lamps",
    },
  );
  expect(made.slice(1)).toEqual(['till.get_value {"of":"12 * 7"}', 'till.pay {"amount":84}']);
});

test("an answer that is rounded is another one", async () => {
  const rounded = (product: number): Json => Math.round(product / 10) * 10;
  const made = await callsIn(runner, drafted(rounded, true), till(12, 7, rounded), { line: "lamps" });
  expect(made.slice(1)).toEqual(['till.get_value {"of":"12 * 7"}', 'till.pay {"amount":80}']);
});
