import type { Command } from "commander";
import type { App, AppOptions } from "../rooms.ts";
import { type Config, readConfig } from "../config.ts";
import { type Failure, FailureError } from "../core/error.ts";
import type { Result } from "../core/result.ts";
import { commandLine } from "../core/text/command-line.ts";
import { withHangingIndent } from "../core/text/display-text.ts";

/** Options that every command which reads skills takes. */
export interface CommonOptions {
  readonly config?: string;
  readonly json?: boolean;
}

export function withCommonOptions(command: Command): Command {
  return command
    .option("-c, --config <file>", "the configuration (default: mcp.config.json here, if there is one)")
    .option("--json", "print JSON");
}

/** What a command's exit code tells. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** Does `work` with the rooms open; a configuration that is not valid ends the process with its message. */
export async function withApp<Value>(
  folders: readonly string[],
  options: CommonOptions & { readonly strict?: boolean },
  work: (app: App) => Promise<Value>,
  appOptions: AppOptions = {},
): Promise<Value> {
  const config = await configOf(folders, options);
  // Commands that need no skills start faster without the rooms.
  const { openApp } = await import("../app.ts");
  const app = openApp({ ...config, strict: options.strict ?? config.strict }, appOptions);
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

export async function configOf(folders: readonly string[], options: CommonOptions): Promise<Config> {
  const config = await readConfig({ file: options.config, skills: folders });
  if (!config.ok) return endWith(config.error, options.json === true, EXIT.usage);
  return config.value;
}

/** A command cannot go on, and has told why. */
export class CommandFailed extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`The command ends with ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** The value, where there is one; else the failure is thrown, for `withTraces`, `withDrafts` and `withExtraction` to tell. */
export function valueOrThrow<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new FailureError(result.error);
  return result.value;
}

/** Help that shows how the program is called here. */
export function examples(text: string): string {
  return text.replaceAll("$ repertoire ", `$ ${commandLine("")} `);
}

/** Prints a failure where it belongs and ends the command. */
export function endWith(error: Failure, json: boolean, code: number): never {
  if (json) console.log(JSON.stringify({ error }, undefined, 2));
  console.error(`${error.code}: ${withHangingIndent(error.message)}`);
  throw new CommandFailed(code);
}

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, undefined, 2));
}
