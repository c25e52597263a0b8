import { expect, test } from "vitest";
import { arrivalsOf } from "./flow-arrivals.ts";

test("a text of a tool that arrives in a call that writes was told to go there, whatever way it took", async () => {
  const { arrived, untold, free, succeeded } = await arrivalsOf(40, 7);
  expect(untold).toEqual([]);
  // It says nothing where nothing arrives, where runs fail, or where everything is told to go everywhere.
  expect(arrived).toBeGreaterThan(40);
  expect(succeeded).toBe(40);
  expect(free).toBeGreaterThan(40 / 10);
}, 60_000);
