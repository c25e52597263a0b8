import { expect, test } from "vitest";
import { isBundledCode } from "../../src/compiler/program/ts-program.ts";
import { skillFolder } from "../checks/read-folder.ts";
import { compiler } from "../shared-threads.ts";

const WRITTEN = "export const half = (n) => n / 2;\n";

test.each<[what: string, name: string, text: string, isBundled: boolean]>([
  ["what an author writes", "half.js", WRITTEN, false],
  ["TypeScript", "vendor/half.ts", WRITTEN, false],
  ["a file that says not to check it", "half.js", `// @ts-nocheck\n${WRITTEN}`, true],
  ["one that says so below a notice", "half.js", `/*\n * A notice.\n */\n// @ts-nocheck\n${WRITTEN}`, true],
  ["one that says so too late", "half.js", `${WRITTEN}// @ts-nocheck\n`, false],
  ["one that names a file of a package", "half.js", `// node_modules/half/index.js\n${WRITTEN}`, true],
  ["a file in vendor/", "vendor/half.js", WRITTEN, true],
  ["one in vendor/ that says to check it", "vendor/half.js", `// @ts-check\n${WRITTEN}`, false],
  ["a line that no hand writes", "half.js", `export const all=[${"1,".repeat(3_000)}];`, true],
  ["a long file", "half.js", WRITTEN.repeat(2_000), true],
  [
    "what begins with esbuild's helpers",
    "half.mjs",
    `var __defProp = Object.defineProperty;\n${WRITTEN}`,
    true,
  ],
])("%s", (_, name, text, isBundled) => {
  expect(isBundledCode(name, text)).toBe(isBundled);
});

const BUNDLE = `// @ts-nocheck
var half = (n) => n.missing().at / setTimeout;
export { half };
`;
const USE = `import { half } from "./half.js";
export default (input: { n: number }): { half: string } => ({ half: half(input.n).anything });
`;

async function findingsIn(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { findings, diagnostics } = await compiler.compile([skillFolder("halves", files)]);
  return [...diagnostics, ...findings].map(
    ({ path, line, code }) => `${path.split("/").at(-1)}:${line} ${code}`,
  );
}

test("bundled code is not checked, and gives its importers anything", async () => {
  expect(await findingsIn({ "skill.ts": USE, "half.js": BUNDLE })).toEqual(["half.js:1 code-unchecked"]);
});

test("declarations beside it type its use", async () => {
  const declared = "export declare const half: (n: number) => number;\n";
  expect(await findingsIn({ "skill.ts": USE, "half.js": BUNDLE, "half.d.ts": declared })).toEqual([
    "half.js:1 code-unchecked",
    "skill.ts:2 call-type",
  ]);
});

test("bundled code with a fault of syntax is told", async () => {
  expect(await findingsIn({ "skill.ts": USE, "half.js": `${BUNDLE}}` })).toContain("half.js:4 code-syntax");
});
