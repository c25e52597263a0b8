import { Command } from "commander";
import { diffCommand } from "./drafts/diff.ts";
import { feedbackCommand } from "./drafts/feedback.ts";
import { draftsLsCommand } from "./drafts/ls.ts";
import { reviseCommand } from "./drafts/revise.ts";
import { verifyCommand } from "./drafts/verify.ts";
import { examples, type CommonOptions, printJson, withCommonOptions, valueOrThrow } from "../session.ts";
import { draftJson, nextSteps, shownDraft } from "../output/shown-draft.ts";
import { withDrafts } from "../with-drafts.ts";

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
  group.addCommand(draftsLsCommand(), { isDefault: true });
  for (const command of [draftsShowCommand, verifyCommand, reviseCommand, feedbackCommand, diffCommand])
    group.addCommand(command());
  return group;
}

function draftsShowCommand(): Command {
  return withCommonOptions(new Command("show"))
    .description("show a draft: its parameters, its calls and where their arguments come from, its evidence")
    .argument("<name>", "the draft's name")
    .addHelpText("after", examples("\nExample:\n  $ repertoire drafts show cancel-order"))
    .action(async (name: string, options: CommonOptions) => {
      await withDrafts(options, async ({ drafts }) => {
        const draft = valueOrThrow(await drafts.readAny(name));
        if (options.json) printJson(draftJson(draft));
        else console.log(`${shownDraft(draft)}\n\n${nextSteps(draft)}`);
      });
    });
}
