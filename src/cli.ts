#!/usr/bin/env node
import { Command } from "commander";
import { checkCommand } from "./cli/check.ts";
import { listCommand } from "./cli/list.ts";
import { newCommand } from "./cli/new.ts";
import { runCommand } from "./cli/run.ts";
import { serveCommand } from "./cli/serve.ts";
import { testCommand } from "./cli/test.ts";
import { PACKAGE_VERSION } from "./package-version.ts";

const program = new Command("repertoire")
  .description("Turns a folder of skills into typed, sandboxed MCP tools.")
  .version(PACKAGE_VERSION)
  .showSuggestionAfterError()
  .exitOverride((error) => {
    process.exit(error.exitCode === 0 ? 0 : 2);
  });

for (const command of [serveCommand, listCommand, checkCommand, runCommand, testCommand, newCommand]) {
  program.addCommand(command().copyInheritedSettings(program));
}

// Started by bin/repertoire.js on an older Node: when that one is killed, this one has nobody left to serve.
if (process.channel) {
  process.channel.unref();
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}

await program.parseAsync();
