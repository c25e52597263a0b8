import { expect, test } from "vitest";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import type { Library } from "../../../src/learn/reuse/library.ts";
import { mergeOf } from "../../../src/learn/reuse/merge.ts";
import { reuseOf } from "../../../src/learn/reuse/reuse.ts";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import { synthesise } from "../../../src/learn/synthesis/synthesise.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { sandbox, traceOf } from "./sandbox.ts";

function searched(user: string, unit: string): RecordedTrace {
  return traceOf(
    user,
    `What is the weather where ${user} lives?`,
    ["s.find_user", { name: user }, { id: `u-${user.length}77`, city: `City ${user}` }],
    ["s.get_weather", { city: `City ${user}`, unit }, { degrees: 20 }],
  );
}

function libraryOf(...traces: readonly RecordedTrace[]): Library {
  const made = synthesise(traces, { name: "weather-at-home" });
  if (!made.ok) throw new Error(made.error.message);
  const { plan } = made.value;
  return {
    skills: skillSet({ "weather-at-home": skillCode(plan) }),
    learnedSkills: new Map([["weather-at-home", { plan, traces: traces.map((trace) => ({ trace })) }]]),
  };
}

test("what was a constant becomes a parameter where another run has another value", async () => {
  const library = libraryOf(searched("Mira", "celsius"));
  const other = searched("Omar", "fahrenheit");
  const merge = await mergeOf([other], library, sandbox);
  expect(merge).toMatchObject({ kind: "merge", skill: "weather-at-home" });
  expect(merge?.traces.map(({ id }) => id)).toEqual(["Mira", "Omar"]);
  expect(merge?.inputs.map((input) => new Set(Object.values(input)))).toEqual([
    new Set(["Mira", "celsius"]),
    new Set(["Omar", "fahrenheit"]),
  ]);
  expect(await reuseOf([other], { ...library, learnedSkills: undefined }, sandbox)).toBeUndefined();
});

test("runs that have different calls are not merged", async () => {
  const longer = searched("Omar", "celsius");
  const [first] = longer.calls;
  const twice = {
    ...longer,
    calls: [...longer.calls, ...(first ? [{ ...first, args: { name: "Zoe" } }] : [])],
  };
  expect(await mergeOf([twice], libraryOf(searched("Mira", "celsius")), sandbox)).toBeUndefined();
});

test("skills of which nothing is known are not merged", async () => {
  const { skills } = libraryOf(searched("Mira", "celsius"));
  expect(await mergeOf([searched("Omar", "kelvin")], { skills }, sandbox)).toBeUndefined();
});

test("a run in which nothing is looked up is not merged into a skill that looks it up", async () => {
  const other = traceOf(
    "Omar",
    "Who is Omar, and what is the weather in Rome?",
    ["s.find_user", { name: "Omar" }, { id: "u-477", city: "City Omar" }],
    ["s.get_weather", { city: "Rome", unit: "celsius" }, { degrees: 20 }],
  );
  expect(await mergeOf([other], libraryOf(searched("Mira", "celsius")), sandbox)).toBeUndefined();
});
