import { Command } from "commander";
import { type CommonOptions, examples, printJson, withCommonOptions } from "../../session.ts";
import { valueOf } from "../../with-traces.ts";
import { draftJson, nextSteps, shownDraft } from "../../output/shown-draft.ts";
import { withDrafts } from "../../with-drafts.ts";

export function showCommand(): Command {
  return withCommonOptions(new Command("show"))
    .description("show a draft: its parameters, its calls and where their arguments come from, its evidence")
    .argument("<name>", "the draft's name")
    .addHelpText("after", examples("\nExample:\n  $ repertoire drafts show cancel-order"))
    .action(async (name: string, options: CommonOptions) => {
      await withDrafts(options, async ({ drafts }) => {
        const draft = valueOf(await drafts.read(name));
        if (options.json) printJson(draftJson(draft));
        else console.log(`${shownDraft(draft)}\n\n${nextSteps(draft)}`);
      });
    });
}
