import { Command, CommanderError } from "commander";
import { checkCommand } from "./check.ts";
import { draftsCommand } from "./drafts.ts";
import { extractCommand } from "./extract.ts";
import { graphCommand } from "./graph.ts";
import { listCommand } from "./list.ts";
import { newCommand } from "./new.ts";
import { promoteCommand } from "./promote.ts";
import { readPropertiesCommand } from "./read-properties.ts";
import { rejectCommand } from "./reject.ts";
import { replayCommand } from "./replay.ts";
import { revokeCommand } from "./revoke.ts";
import { runCommand } from "./run.ts";
import { serveCommand } from "./serve.ts";
import { testCommand } from "./test.ts";
import { toPromptCommand } from "./to-prompt.ts";
import { tracesCommand } from "./traces.ts";
import { typecheckCommand } from "./typecheck.ts";
import { typesCommand } from "./types.ts";
import { upstreamCommand } from "./upstream.ts";
import { validateCommand } from "./validate.ts";
import { CommandFailed, EXIT } from "./session.ts";
import { commandLine } from "../core/command-line.ts";
import { continued } from "../core/terminal-text.ts";
import { PACKAGE_VERSION } from "../package-version.ts";

/** Does what a command line says, in this process, and gives its exit code; output goes to the console. */
export async function run(args: readonly string[]): Promise<number> {
  const before = process.exitCode;
  process.exitCode = EXIT.ok;
  try {
    await program().parseAsync([...args], { from: "user" });
    return process.exitCode;
  } catch (error) {
    if (error instanceof CommandFailed) return error.exitCode;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    throw error;
  } finally {
    process.exitCode = before;
  }
}

function program(): Command {
  const made = new Command(commandLine(""))
    .description("Turns a folder of skills into typed, sandboxed MCP tools.")
    .version(PACKAGE_VERSION)
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => console.log(text.replace(/\n$/, "")),
      writeErr: (text) => console.error(text.replace(/\n$/, "")),
      outputError: (text, write) => write(continued(text)),
    })
    .exitOverride();
  for (const command of COMMANDS) made.addCommand(command().copyInheritedSettings(made));
  return made;
}

const COMMANDS = [
  serveCommand,
  listCommand,
  checkCommand,
  graphCommand,
  runCommand,
  testCommand,
  newCommand,
  tracesCommand,
  extractCommand,
  draftsCommand,
  replayCommand,
  promoteCommand,
  rejectCommand,
  revokeCommand,
  typecheckCommand,
  typesCommand,
  upstreamCommand,
  validateCommand,
  readPropertiesCommand,
  toPromptCommand,
];
