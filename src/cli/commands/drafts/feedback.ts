import { Command, InvalidArgumentError } from "commander";
import { addFeedback } from "../../../learn/drafts/draft-operations.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../../session.ts";
import { userName, withDrafts } from "../../with-drafts.ts";

interface FeedbackOptions extends CommonOptions {
  readonly rating?: number;
  readonly text?: string;
}

export function feedbackCommand(): Command {
  return withCommonOptions(new Command("feedback"))
    .description("say what you think of a draft, for whoever reviews it")
    .argument("<name>", "the draft's name")
    .option("--rating <n>", "from -1 (bad) to 1 (good)", ratingOf)
    .option("--text <words>", "what is good or bad about it")
    .addHelpText(
      "after",
      examples(
        `\nExample:\n  $ repertoire drafts feedback cancel-order --rating -0.5 --text "It should ask for a reason"`,
      ),
    )
    .action(async (name: string, options: FeedbackOptions) => {
      await withDrafts(options, async ({ drafts }) => {
        const { rating, text } = options;
        const { provenance } = valueOrThrow(
          await addFeedback(drafts, name, { by: userName(), rating, text }),
        );
        const entry = provenance.history.at(-1);
        if (options.json) printJson({ name, ...entry });
        else console.log(`Kept with the draft "${name}"`);
      });
    });
}

function ratingOf(given: string): number {
  const rating = given.trim() === "" ? Number.NaN : Number(given);
  if (!(rating >= -1 && rating <= 1)) throw new InvalidArgumentError("it is not a number from -1 to 1");
  return rating;
}
