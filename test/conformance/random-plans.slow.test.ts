import fc from "fast-check";
import { expect, test } from "vitest";
import { randomRuns } from "./random-plans.ts";
import { expectedRun, inPython, inSandbox, randomCase } from "./runs.ts";
import { runner } from "../shared-threads.ts";

const COUNT = Number(process.env["RANDOM_PLANS"] ?? 600);

test("the sandbox does what the evaluator says, whatever the plan", async () => {
  await fc.assert(
    fc.asyncProperty(randomRuns, async (run) => {
      const each = await randomCase(run);
      expect(await inSandbox(runner, each)).toEqual(expectedRun(each));
    }),
    { numRuns: COUNT, seed: 7 },
  );
});

test("printed Python does what the evaluator says, whatever the plan", async ({ skip }) => {
  const cases = await Promise.all(fc.sample(randomRuns, { numRuns: COUNT, seed: 11 }).map(randomCase));
  const ran = inPython(cases);
  if (!ran) return skip("there is no python3");
  const ended = cases.filter(({ ends }) => "output" in ends);
  expect(ended.length).toBeGreaterThan(cases.length / 10);
  const plans = cases.map(({ name }) => name);
  expect(ran.map((each, nth) => [plans[nth], each])).toEqual(
    cases.map((each) => [each.name, expectedRun(each)]),
  );
});
