import { globSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";

// Changes one point of a room's code at a time, and sees whether the room's fast tests notice.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { lines: { type: "string" } },
});
const place = positionals[0]?.replace(/\/$/, "") ?? "";
const room = /^src\/([\w-]+)/.exec(place)?.[1];
// What runs within the sandbox knows no process, and is read as text.
const UNCHANGED = "src/runner/sandbox/prelude.ts";
const files = globSync([place, `${place}/**/*.ts`]).filter(
  (file) => file.endsWith(".ts") && file !== UNCHANGED,
);
const isCount = /^[1-9]\d*$/.test(values.lines ?? "1");
if (room === undefined || positionals.length > 1 || files.length === 0 || !isCount) {
  console.error(
    "Usage: npm run test:mutants -- src/<room>, or a folder or file in it [--lines <so many, drawn by chance>]",
  );
  process.exit(2);
}

process.env["REPERTOIRE_MUTANTS_ROOM"] = room;
await new Stryker({
  testRunner: "vitest",
  // As the tests are run otherwise: threads cannot change the folder.
  vitest: { related: false, pool: "forks" },
  mutate: values.lines === undefined ? files : randomLines(Number(values.lines)),
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 1,
  incremental: values.lines === undefined,
  incrementalFile: `reports/mutants/${room}.json`,
  ignorePatterns: ["/dist", "/reports", ".repertoire"],
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { logTests: false, reportTests: false },
  timeoutMS: 60_000,
  dryRunTimeoutMinutes: 20,
}).runMutationTest();

/** Places of code, each a line, drawn without repetition. */
function randomLines(count: number): string[] {
  const lines = files.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line, index) =>
        /^\s*(?:$|\/\/|\/?\*|import\b|[{}()[\];,]+$)/.test(line) ? [] : [`${file}:${index + 1}-${index + 1}`],
      ),
  );
  return Array.from({ length: Math.min(count, lines.length) }, () =>
    lines.splice(Math.floor(Math.random() * lines.length), 1),
  ).flat();
}
