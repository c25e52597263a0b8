import { Command, CommanderError } from "commander";
import { askCommand } from "./commands/ask.ts";
import { checkCommand } from "./commands/check.ts";
import { draftsCommand } from "./commands/drafts.ts";
import { extractCommand } from "./commands/extract.ts";
import { graphCommand } from "./commands/graph.ts";
import { listCommand } from "./commands/list.ts";
import { newCommand } from "./commands/new.ts";
import { promoteCommand } from "./commands/promote.ts";
import { readPropertiesCommand } from "./commands/read-properties.ts";
import { rejectCommand } from "./commands/reject.ts";
import { replayCommand } from "./commands/replay.ts";
import { revokeCommand } from "./commands/revoke.ts";
import { runCommand } from "./commands/run.ts";
import { runsCommand } from "./commands/runs.ts";
import { serveCommand } from "./commands/serve.ts";
import { testCommand } from "./commands/test.ts";
import { toPromptCommand } from "./commands/to-prompt.ts";
import { tracesCommand } from "./commands/traces.ts";
import { typecheckCommand } from "./commands/typecheck.ts";
import { typesCommand } from "./commands/types.ts";
import { upstreamCommand } from "./commands/upstream.ts";
import { validateCommand } from "./commands/validate.ts";
import { CommandFailed, EXIT } from "./session.ts";
import { commandLine } from "../core/text/command-line.ts";
import { withHangingIndent } from "../core/text/display-text.ts";
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
      outputError: (text, write) => write(withHangingIndent(text)),
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
  askCommand,
  runsCommand,
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
