import { expect, test } from "vitest";
import * as z from "zod";
import { ZOD_MESSAGES } from "../../../src/core/json/zod-messages.ts";

const kind = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("keep"), step: z.string() }),
  z.object({ kind: z.literal("drop"), step: z.string() }),
]);

test.each([
  [z.string(), undefined, "it is required (a string)"],
  [z.int(), 1.5, "it must be a whole number, not 1.5"],
  [z.int(), undefined, "it is required (a number)"],
  [z.boolean(), "yes", 'it must be true or false, not "yes"'],
  [z.array(z.string()), { a: 1 }, "it must be a list, not an object"],
  [z.record(z.string(), z.string()), null, "it must be an object, not null"],
  [z.string().min(1), "", "it must not be empty"],
  [z.array(z.string()).max(2), ["a", "b", "c"], "it must have at most 2 entries"],
  [z.number().positive(), 0, "it must be more than 0"],
  [z.number().max(5), 6, "it must be at most 5"],
  [z.enum(["a", "b"]), "c", 'it must be "a" or "b", not "c"'],
  [z.enum(["a", "b"]), undefined, 'it is required ("a" or "b")'],
  [z.string().regex(/^a/), "b", "it must match /^a/"],
  [z.strictObject({}), { a: 1, b: 2 }, 'there are no "a", "b" in it'],
  [z.union([z.string(), z.array(z.string()).min(1)]), 5, "it must be a string or a list, not 5"],
  [z.union([z.string(), z.array(z.string()).min(1)]), [], "it must not be empty"],
  [z.union([z.string(), z.object({ a: z.number() })]), { a: "x" }, '"a": it must be a number, not "x"'],
  [kind, { kind: "dorp", step: "a" }, 'it must be "keep" or "drop", not "dorp"'],
  [kind, {}, 'it is required ("keep" or "drop")'],
  [z.string(), Symbol("s"), "it must be a string, not Symbol(s)"],
  [z.string().refine(() => false, { message: "our own words" }), "x", "our own words"],
])("%# says what there has to be, and what there is", (shape: z.ZodType, given: unknown, message) => {
  expect(shape.safeParse(given, ZOD_MESSAGES).error?.issues[0]?.message).toBe(message);
});
