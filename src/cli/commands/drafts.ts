import { Command } from "commander";
import { diffCommand } from "./drafts/diff.ts";
import { feedbackCommand } from "./drafts/feedback.ts";
import { lsCommand } from "./drafts/ls.ts";
import { reviseCommand } from "./drafts/revise.ts";
import { showCommand } from "./drafts/show.ts";
import { verifyCommand } from "./drafts/verify.ts";
import { examples } from "../session.ts";

/** Looks at what was extracted and is no skill yet, and works on it. */
export function draftsCommand(): Command {
  const group = new Command("drafts")
    .description("list the drafts of skills, look at them, verify them, change them")
    .addHelpText(
      "after",
      examples("\nExample:\n  $ repertoire drafts\n  $ repertoire drafts show cancel-order"),
    )
    // The program's settings are not there yet while its commands are made.
    .hook("preSubcommand", (self, command) => {
      command.copyInheritedSettings(self);
    });
  group.addCommand(lsCommand(), { isDefault: true });
  for (const command of [showCommand, verifyCommand, reviseCommand, feedbackCommand, diffCommand])
    group.addCommand(command());
  return group;
}
