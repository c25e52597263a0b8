import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../../server/connected-client.ts";

const PROGRAM = join(ROOT, "bin/repertoire.js");

test.each([
  ["in the checkout", ROOT, "bin/repertoire.js"],
  ["in a folder of it", join(ROOT, "docs"), PROGRAM],
  ["in the root of all folders, where clients start servers", "/", PROGRAM],
])("%s, what a person may type names the program so that it is found", async (_, cwd, shown) => {
  const file = JSON.stringify(pathToFileURL(join(ROOT, "src/core/text/command-line.ts")).href);
  const program = `const { commandLine } = await import(${file}); console.log(commandLine("drafts"));`;
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env: { PATH: "" } });
  expect(stdout).toBe(`node ${shown} drafts\n`);
});
