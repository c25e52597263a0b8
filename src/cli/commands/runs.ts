import { Command } from "commander";
import { approveCommand } from "./runs/approve.ts";
import { cancelCommand } from "./runs/cancel.ts";
import { runsLsCommand } from "./runs/ls.ts";
import { resumeCommand } from "./runs/resume.ts";
import { runsShowCommand } from "./runs/show.ts";
import { examples } from "../session.ts";

/** Looks at durable runs, and goes on with them. */
export function runsCommand(): Command {
  const group = new Command("runs")
    .description("durable runs: what they wait for, a person's decision, going on after a crash")
    .addHelpText("after", examples("\nExample:\n  $ repertoire runs ls --state waiting"))
    // The program's settings are not there yet while its commands are made.
    .hook("preSubcommand", (self, command) => {
      command.copyInheritedSettings(self);
    });
  for (const command of [runsLsCommand, runsShowCommand, approveCommand, resumeCommand, cancelCommand])
    group.addCommand(command());
  return group;
}
