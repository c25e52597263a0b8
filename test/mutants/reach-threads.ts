import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, inject } from "vitest";

// Stryker switches a mutant on, and notes which are met, in the process of the tests alone. Here its threads and the
// processes that it starts take part: the environment names the mutant, and a file takes what they meet.

interface Stryker {
  currentTestId?: string;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}
declare module "vitest" {
  interface ProvidedContext {
    mode: "dry-run" | "mutant";
    activeMutant: string;
    globalNamespace: "__stryker__" | "__stryker2__";
  }
}

const stryker = (globalThis as unknown as Record<string, Stryker>)[inject("globalNamespace")] ?? {};

if (inject("mode") === "mutant") process.env["__STRYKER_ACTIVE_MUTANT__"] = inject("activeMutant");
else {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-mutants-"));
  const met = (process.env["REPERTOIRE_MET_MUTANTS"] = join(folder, "met"));
  const tests = new Set<string>();
  beforeEach(() => {
    if (stryker.currentTestId !== undefined) tests.add(stryker.currentTestId);
  });
  afterAll(() => {
    // A thread may outlive the test that began it, so what it meets counts for every test of the file.
    const coverage = (stryker.mutantCoverage ??= { static: {}, perTest: {} });
    for (const id of linesOf(met)) for (const test of tests) (coverage.perTest[test] ??= {})[id] ??= 1;
    rmSync(folder, { recursive: true, force: true });
  });
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
