import { Command } from "commander";
import { reviewDraft } from "../../learn/drafts/draft-operations.ts";
import { userName, withDrafts } from "../with-drafts.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../session.ts";

export function rejectCommand(): Command {
  return withCommonOptions(new Command("reject"))
    .description("say that a draft is not wanted; it is kept, and cannot be promoted as it is")
    .argument("<name>", "the draft's name")
    .option("--why <words>", "why, for whoever asks later")
    .addHelpText("after", examples(`\nExample:\n  $ repertoire reject cancel-order --why "Nobody needs it"`))
    .action(async (name: string, options: CommonOptions & { readonly why?: string }) => {
      await withDrafts(options, async ({ drafts }) => {
        const { digest } = valueOrThrow(await drafts.readAny(name));
        const { why } = options;
        const { state } = valueOrThrow(
          await reviewDraft(drafts, name, { verdict: "reject", by: userName(), why, digest }),
        );
        if (options.json) printJson({ name, state });
        else console.log(`Rejected the draft "${name}"`);
      });
    });
}
