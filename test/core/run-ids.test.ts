import { expect, test } from "vitest";
import { newRunId } from "../../src/core/run.ts";

const ids = Array.from({ length: 1024 }, newRunId);
const heads = ids.map((id) => id.slice(0, 8));

test("a run's id is a random UUID, which its first eight characters tell from others", () => {
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(heads).size).toBe(1024);
});

test("ids of runs that begin one after the other begin alike, in the order of their beginnings", () => {
  expect(new Set(ids.map((id) => id.slice(0, 3))).size).toBeLessThanOrEqual(10);
  // Past the last beginning it goes on at the first.
  const falls = heads.filter((head, at) => at > 0 && head < (heads[at - 1] ?? ""));
  expect(falls.length).toBeLessThanOrEqual(1);
});
