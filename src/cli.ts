#!/usr/bin/env node
import { Command } from "commander";
import { checkCommand } from "./cli/check.ts";
import { draftsCommand } from "./cli/drafts.ts";
import { extractCommand } from "./cli/extract.ts";
import { guardOutput } from "./cli/guarded-output.ts";
import { graphCommand } from "./cli/graph.ts";
import { listCommand } from "./cli/list.ts";
import { newCommand } from "./cli/new.ts";
import { promoteCommand } from "./cli/promote.ts";
import { readPropertiesCommand } from "./cli/read-properties.ts";
import { rejectCommand } from "./cli/reject.ts";
import { replayCommand } from "./cli/replay.ts";
import { revokeCommand } from "./cli/revoke.ts";
import { runCommand } from "./cli/run.ts";
import { serveCommand } from "./cli/serve.ts";
import { testCommand } from "./cli/test.ts";
import { toPromptCommand } from "./cli/to-prompt.ts";
import { tracesCommand } from "./cli/traces.ts";
import { typecheckCommand } from "./cli/typecheck.ts";
import { typesCommand } from "./cli/types.ts";
import { upstreamCommand } from "./cli/upstream.ts";
import { validateCommand } from "./cli/validate.ts";
import { EXIT } from "./cli/session.ts";
import { continued } from "./core/terminal-text.ts";
import { PACKAGE_VERSION } from "./package-version.ts";

guardOutput();

const program = new Command("repertoire")
  .description("Turns a folder of skills into typed, sandboxed MCP tools.")
  .version(PACKAGE_VERSION)
  .showSuggestionAfterError()
  .configureOutput({ outputError: (text, write) => write(continued(text)) })
  .exitOverride((error) => {
    process.exit(error.exitCode === 0 ? 0 : 2);
  });

const commands = [
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
for (const command of commands) {
  program.addCommand(command().copyInheritedSettings(program));
}

// Started by bin/repertoire.js on an older Node: when that one is killed, this one has nobody left to serve.
if (process.channel) {
  process.channel.unref();
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}

// What nobody expects is printed by us, so that it passes the guard, too.
await program.parseAsync().catch((error: unknown) => {
  console.error(error);
  process.exit(EXIT.failed);
});
