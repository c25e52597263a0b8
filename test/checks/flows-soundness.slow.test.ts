import { expect, test } from "vitest";
import { arrivalsOf } from "./flow-arrivals.ts";
import { decisionPrograms, flowPrograms } from "./flow-programs.ts";

test("what a tool does to a call that writes was told, whatever way it took", async () => {
  const { arrived, changed, untold, free, succeeded } = await arrivalsOf(flowPrograms(250, 99));
  expect(untold).toEqual([]);
  // It says nothing where nothing arrives or changes, where runs fail, or where all is told to go everywhere.
  expect(arrived).toBeGreaterThan(200);
  expect(changed).toBeGreaterThan(200);
  expect(succeeded).toBeGreaterThan(225);
  expect(free).toBeGreaterThan(250 / 10);
}, 600_000);

test("what an answer, a failure or a delay decides over a call that writes was told", async () => {
  const programs = decisionPrograms();
  const { changed, untold, succeeded } = await arrivalsOf(programs);
  expect(untold).toEqual([]);
  expect(changed).toBeGreaterThan(programs.length / 2);
  expect(succeeded).toBe(programs.length);
}, 600_000);
