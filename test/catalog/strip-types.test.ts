import { expect, onTestFinished, test } from "vitest";
import { stripTypes } from "../../src/core/strip-types.ts";

test("types become spaces, so that every position stays", () => {
  const text = 'const größe: Array<"ü→😀"> = [];\nimport type { A } from "./a.ts";\nconst b = 1 as number;';
  const stripped = stripTypes(text);
  expect(stripped).toHaveLength(text.length);
  expect(stripped?.indexOf("const b")).toBe(text.indexOf("const b"));
  expect(stripped).not.toContain("import");
});

test("what does not parse or cannot be erased gives nothing", () => {
  expect(stripTypes("function (")).toBeUndefined();
  expect(stripTypes("enum A { B }")).toBeUndefined();
});

test("no warning is given", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error): number => warnings.push(warning);
  process.on("warning", listen);
  onTestFinished(() => void process.off("warning", listen));
  stripTypes("let a: number;");
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});
