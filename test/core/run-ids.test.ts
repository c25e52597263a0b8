import { expect, test } from "vitest";
import { newRunId } from "../../src/core/run.ts";

test("ids of runs that begin one after the other begin alike, and eight characters mostly tell them apart", () => {
  const ids = Array.from({ length: 1024 }, newRunId);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(1024);
  expect(new Set(ids.map((id) => id.slice(0, 3))).size).toBeLessThanOrEqual(5);
  expect(new Set(ids.map((id) => id.slice(0, 8))).size).toBeGreaterThan(1010);
});
