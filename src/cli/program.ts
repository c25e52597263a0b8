import { Command, CommanderError } from "commander";
import { CommandFailed, EXIT } from "./session.ts";
import { commandLine } from "../core/text/command-line.ts";
import { withHangingIndent } from "../core/text/display-text.ts";
import { PACKAGE_VERSION } from "../core/package/package-version.ts";

/** Does what a command line says, in this process, and gives its exit code; output goes to the console. */
export async function run(args: readonly string[]): Promise<number> {
  const before = process.exitCode;
  process.exitCode = EXIT.ok;
  try {
    await (await program(args[0])).parseAsync([...args], { from: "user" });
    return process.exitCode;
  } catch (error) {
    if (error instanceof CommandFailed) return error.exitCode;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    throw error;
  } finally {
    process.exitCode = before;
  }
}

async function program(called = ""): Promise<Command> {
  const made = new Command(commandLine(""))
    .description("Turns a folder of skills into typed, sandboxed MCP tools.")
    .version(PACKAGE_VERSION)
    .showSuggestionAfterError()
    .showHelpAfterError("--help tells what can be written here")
    .configureOutput({
      writeOut: (text) => console.log(text.replace(/\n$/, "")),
      writeErr: (text) => console.error(text.replace(/\n$/, "")),
      outputError: (text, write) => write(withHangingIndent(text)),
    })
    .exitOverride();
  const names = Object.hasOwn(COMMANDS, called) ? [called] : Object.keys(COMMANDS);
  const commands = await Promise.all(names.map(async (name) => COMMANDS[name]?.()));
  for (const command of commands) if (command) made.addCommand(command.copyInheritedSettings(made));
  return made;
}

/** Only the one that is called is loaded; help tells of all. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./commands/serve.ts")).serveCommand(),
  worker: async () => (await import("./commands/worker.ts")).workerCommand(),
  list: async () => (await import("./commands/list.ts")).listCommand(),
  check: async () => (await import("./commands/check.ts")).checkCommand(),
  graph: async () => (await import("./commands/graph.ts")).graphCommand(),
  run: async () => (await import("./commands/run.ts")).runCommand(),
  ask: async () => (await import("./commands/ask.ts")).askCommand(),
  runs: async () => (await import("./commands/runs.ts")).runsCommand(),
  test: async () => (await import("./commands/test.ts")).testCommand(),
  new: async () => (await import("./commands/new.ts")).newCommand(),
  traces: async () => (await import("./commands/traces.ts")).tracesCommand(),
  extract: async () => (await import("./commands/extract.ts")).extractCommand(),
  drafts: async () => (await import("./commands/drafts.ts")).draftsCommand(),
  replay: async () => (await import("./commands/replay.ts")).replayCommand(),
  promote: async () => (await import("./commands/promote.ts")).promoteCommand(),
  reject: async () => (await import("./commands/reject.ts")).rejectCommand(),
  revoke: async () => (await import("./commands/revoke.ts")).revokeCommand(),
  export: async () => (await import("./commands/export.ts")).exportSkillCommand(),
  typecheck: async () => (await import("./commands/typecheck.ts")).typecheckCommand(),
  types: async () => (await import("./commands/types.ts")).typesCommand(),
  upstream: async () => (await import("./commands/upstream.ts")).upstreamCommand(),
  schema: async () => (await import("./commands/schema.ts")).schemaCommand(),
  validate: async () => (await import("./commands/validate.ts")).validateCommand(),
  "read-properties": async () => (await import("./commands/read-properties.ts")).readPropertiesCommand(),
  "to-prompt": async () => (await import("./commands/to-prompt.ts")).toPromptCommand(),
};
