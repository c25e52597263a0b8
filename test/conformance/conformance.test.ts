import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { conformanceCases } from "./cases.ts";
import { randomRuns } from "./random-plans.ts";
import { evaluated, expectedRun, inPython, inSandbox, randomCase } from "./runs.ts";
import { runner } from "../shared-threads.ts";

const CASES = conformanceCases().map((each) => [each.name, each] as const);

test.each(CASES)("the printed code comes to what the plan says: %s", async (_, each) => {
  expect(await inSandbox(runner, each)).toEqual(expectedRun(each));
});

test.each(CASES)("the evaluator comes to what the plan says: %s", async (_, each) => {
  expect(await evaluated(each)).toEqual(expectedRun(each));
});

test("the printed Python comes to what the plan says", ({ skip }) => {
  const cases = conformanceCases();
  const ran = inPython(cases);
  if (!ran) return skip("there is no python3");
  const named = (nth: number, value: unknown) => ({ case: cases[nth]?.name, value });
  const others = cases.flatMap((each, nth) =>
    isDeepStrictEqual(ran[nth], expectedRun(each)) ? [] : [named(nth, [ran[nth], expectedRun(each)])],
  );
  expect(others).toEqual([]);
});

test("the printed code does what the evaluator says, whatever the plan", async () => {
  await fc.assert(
    fc.asyncProperty(randomRuns, async (run) => {
      const each = await randomCase(run);
      expect(await inSandbox(runner, each)).toEqual(expectedRun(each));
    }),
    { numRuns: 40, seed: 3 },
  );
});
