export interface NodeProgram {
  readonly requirements: readonly string[];
  /**
   * The function `loaded()`, which loads what was exported, and gives a function of the input that gives the output, or
   * throws an error with a `code` of ours.
   */
  readonly run: string;
}

/** A program that runs exported modules of TypeScript once. */
export function nodeProgram({ requirements, run }: NodeProgram): string {
  const names = requirements.map((each) => JSON.stringify(each.slice(0, each.lastIndexOf("@"))));
  return `// Runs the skill once, with the input on stdin, and writes how it has ended to the file that is named first.
import { existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const began = performance.now();
const REQUIREMENTS = [${names.join(", ")}];

${run}

async function told(given: any): Promise<unknown> {
  const missing = REQUIREMENTS.filter((name) => !existsSync(new URL(\`node_modules/\${name}\`, import.meta.url)));
  if (missing.length > 0) return { missing };
  const ended = await loaded();
  const at = performance.now();
  const outcome = await ended(given).then(
    (output: unknown) => ({ output }),
    (error: any) => {
      if (typeof error?.code !== "string") throw error;
      return { error: { code: error.code, message: error.message } };
    },
  );
  return { ...outcome, times: { loadMs: at - began, runMs: performance.now() - at } };
}

let isBegun = false;
createInterface(process.stdin)
  .on("line", async (line) => {
    if (isBegun) return;
    isBegun = true;
    writeFileSync(process.argv[2] ?? "", JSON.stringify(await told(JSON.parse(line))));
    process.exit();
  })
  // Where nobody waits any more, nothing goes on.
  .on("close", () => process.exit(1));
`;
}
