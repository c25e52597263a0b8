import { expect, test } from "vitest";
import { arrivalsOf } from "./flow-arrivals.ts";
import { flowPrograms } from "./flow-programs.ts";

test("what a tool does to a call that writes was told, whatever way it took", async () => {
  const { arrived, changed, untold, free, succeeded } = await arrivalsOf(flowPrograms(25, 7));
  expect(untold).toEqual([]);
  // It says nothing where nothing arrives or changes, where runs fail, or where all is told to go everywhere.
  expect(arrived).toBeGreaterThan(15);
  expect(changed).toBeGreaterThan(20);
  expect(succeeded).toBeGreaterThan(22);
  expect(free).toBeGreaterThan(25 / 10);
}, 120_000);
