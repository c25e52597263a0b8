import { Command } from "commander";
import { chainsCommand } from "./traces/chains.ts";
import { exportCommand } from "./traces/export.ts";
import { importCommand } from "./traces/import.ts";
import { tracesLsCommand } from "./traces/ls.ts";
import { pruneCommand } from "./traces/prune.ts";
import { searchCommand } from "./traces/search.ts";
import { tracesShowCommand } from "./traces/show.ts";
import { statsCommand } from "./traces/stats.ts";
import { examples } from "../session.ts";

/** Looks at what was recorded. Only the configuration and the store are opened. */
export function tracesCommand(): Command {
  const group = new Command("traces")
    .description("look at what was recorded, bring in transcripts, write them out, delete old ones")
    .addHelpText("after", examples("\nExample:\n  $ repertoire traces ls --since 7d"))
    // The program's settings are not there yet while its commands are made.
    .hook("preSubcommand", (self, command) => {
      command.copyInheritedSettings(self);
    });
  const commands = [
    tracesLsCommand,
    tracesShowCommand,
    statsCommand,
    chainsCommand,
    searchCommand,
    importCommand,
    exportCommand,
    pruneCommand,
  ];
  for (const command of commands) group.addCommand(command());
  return group;
}
