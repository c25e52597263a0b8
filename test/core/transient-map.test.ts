import fc from "fast-check";
import { expect, test } from "vitest";
import { TransientMap } from "../../src/core/transient-map.ts";

const key = fc.oneof(
  fc.integer({ min: -2, max: 6 }),
  fc.constantFrom(2 ** 31, 2 ** 40, 1.5),
  fc.constantFrom("1", "", "__proto__", "constructor", '"1'),
);
const step = fc.oneof(
  fc.record({ kind: fc.constant("set"), key, value: fc.nat() }),
  fc.record({ kind: fc.constant("delete"), key, value: fc.constant(0) }),
  fc.record({ kind: fc.constantFrom("get", "clear"), key, value: fc.constant(0) }),
);

test("holds what a Map holds, whatever is put there and taken away", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [map, own] = [new Map<number | string, number>(), new TransientMap<number>()];
      for (const { kind, key, value } of steps) {
        if (kind === "set") {
          map.set(key, value);
          own.set(key, value);
        } else if (kind === "delete") expect(own.delete(key)).toBe(map.delete(key));
        else if (kind === "clear") {
          map.clear();
          own.clear();
        }
        expect(own.get(key)).toBe(map.get(key));
        expect(own.size).toBe(map.size);
        const sorted = (values: Iterable<number>): readonly number[] => [...values].toSorted((a, b) => a - b);
        expect(sorted(own.values())).toEqual(sorted(map.values()));
      }
    }),
  );
});

test("what is taken away while its values are looked at does not show", () => {
  const map = new TransientMap<string>();
  for (const [index, value] of ["a", "b", "c"].entries()) map.set(index, value);
  const seen: string[] = [];
  for (const value of map.values()) {
    seen.push(value);
    map.delete(2);
  }
  expect(seen).toEqual(["a", "b", "c"]);
});
