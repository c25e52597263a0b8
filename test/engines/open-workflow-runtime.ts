import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Json } from "../../src/core/json/json.ts";
import { started } from "./engine-shop.ts";
import type { Ended } from "./recorded-tools.ts";

/** The runtime's packages, fetched once; or why there are none. */
export async function openWorkflowRuntime(): Promise<string | Error> {
  const cache = process.env["REPERTOIRE_ENGINES_CACHE"] ?? join(homedir(), ".cache/repertoire-engines");
  const pom = readFileSync(join(import.meta.dirname, "pom.xml"), "utf8");
  const folder = join(cache, "openworkflow");
  const stamp = join(folder, "installed.xml");
  const classes = join(folder, "lib", "*");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === pom) return classes;
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, "lib"), { recursive: true, force: true });
  writeFileSync(join(folder, "pom.xml"), pom);
  try {
    const copy = ["--batch-mode", "--quiet", "dependency:copy-dependencies", "-DoutputDirectory=lib"];
    await promisify(execFile)("mvn", copy, { cwd: folder });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  writeFileSync(stamp, pom);
  return classes;
}

/** Documents, in one process, with their inputs: how each has ended. */
export async function endedDocuments(
  classPath: string,
  folder: string,
  runs: readonly (readonly [text: string, input: Json])[],
): Promise<readonly Ended[]> {
  mkdirSync(folder);
  const named = runs.map(([text, input], nth) => {
    const file = join(folder, `${nth}.yaml`);
    writeFileSync(file, text.replace(/^  name: .*$/m, `  name: document-${nth}`));
    return [file, input];
  });
  const list = join(folder, "runs.json");
  writeFileSync(list, JSON.stringify(named));
  const program = join(import.meta.dirname, "OpenWorkflow.java");
  return (await started("java", ["-cp", classPath, program, list], {}).ended) as unknown as Ended[];
}
