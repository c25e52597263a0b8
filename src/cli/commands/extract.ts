import { Command, InvalidArgumentError } from "commander";
import type { App } from "../../app.ts";
import { failure } from "../../core/error.ts";
import { fail } from "../../core/result.ts";
import { isDraftName } from "../../learn/drafts/folder.ts";
import type { ExtractOptions } from "../../learn/extraction.ts";
import { extractedJson, extractedText } from "../output/extracted-text.ts";
import { givenTraces } from "../trace-arguments.ts";
import { proposalJson, proposalsText } from "../output/proposals-text.ts";
import { reachTools } from "../reach-tools.ts";
import { StoredTraces } from "../stored-traces.ts";
import { userName, withExtraction } from "../with-drafts.ts";
import { type CommonOptions, examples, printJson, withCommonOptions } from "../session.ts";
import { positiveInteger, timeOf } from "../run-filter.ts";
import { valueOf } from "../with-traces.ts";

interface Options extends CommonOptions, Omit<ExtractOptions, "by"> {
  readonly only?: number;
  readonly mine?: boolean;
  readonly least?: number;
  readonly since?: number;
  readonly draft?: readonly number[];
}

export function extractCommand(): Command {
  return withCommonOptions(new Command("extract"))
    .description(
      "make the draft of a skill from runs that did the same task, or find the skill that does it already",
    )
    .argument(
      "[runs...]",
      "ids of runs or sessions, of which the beginnings are enough, or files of transcripts; file#3 is the third in a file",
    )
    .option("--name <name>", "the skill's name (default: the tools give one)", nameOf)
    .option("--best", "they are attempts at the same task: learn from the best alone")
    .option("--hold-out <n>", "learn nothing from the last n, and try the draft on them", positiveInteger)
    .option("--anew", "make a draft even where a skill does the work already")
    .option("--only <n>", "take only the nth of each file's transcripts", positiveInteger)
    .option("--mine", "look for work that recurs in all that is recorded")
    .option("--least <n>", "with --mine: what recurs so often (default: 3)", positiveInteger)
    .option("--since <time>", "with --mine: only since a date (2026-01-05) or so long ago (24h, 7d)", timeOf)
    .option("--draft <nth...>", "with --mine: make drafts of these proposals", eachPositive)
    .addHelpText(
      "after",
      examples(
        "\nNo model is asked, and no tool is called: drafts are verified against the recorded answers.\n\nExample:\n  $ repertoire extract 3fa9c1d2 81b0 --name cancel-order\n  $ repertoire extract conversations.jsonl --hold-out 2\n  $ repertoire extract --mine --since 30d",
      ),
    )
    .action(async (given: string[], options: Options) => {
      await withExtraction(options, async (app) => {
        if (options.mine) return mine(app, given, options);
        if (given.length === 0) return refuse("Nothing tells what to learn from: give runs, or --mine");
        if (options.draft ?? options.least ?? options.since)
          return refuse("--draft, --least and --since are for --mine");
        const { name, best, holdOut, anew, only } = options;
        const traces = await givenTraces(app, given, only);
        await reachTools(app, traces);
        const by = userName();
        const extracted = valueOf(await app.extraction.extract(traces, { by, name, best, holdOut, anew }));
        if (options.json) printJson(extractedJson(extracted));
        else console.log(extractedText(extracted));
      });
    });
}

async function mine(
  app: App,
  given: readonly string[],
  { least, since, draft, json }: Options,
): Promise<void> {
  if (given.length > 0) return refuse("--mine looks over all that is recorded: give no runs");
  const source = new StoredTraces(app.traces, since);
  const mined = await app.extraction.mine(source, least === undefined ? {} : { least });
  const { proposals } = mined;
  if (draft === undefined) {
    if (json) printJson({ ...mined, proposals: proposals.map(proposalJson) });
    else console.log(proposalsText(mined));
    return;
  }
  const made: object[] = [];
  for (const nth of draft) {
    const proposal = proposals[nth - 1];
    if (proposal?.kind !== "skill")
      return refuse(`There is no proposal ${nth} of a skill; there are ${proposals.length} proposals`);
    const extracted = valueOf(await app.extraction.draftOf(proposal, source, userName()));
    if (json) made.push(extractedJson(extracted));
    else console.log(extractedText(extracted));
  }
  if (json) printJson(made);
}

function refuse(message: string): never {
  return valueOf(fail(failure("INPUT_INVALID", message)));
}

function eachPositive(given: string, before: readonly number[] = []): readonly number[] {
  return [...before, positiveInteger(given)];
}

function nameOf(given: string): string {
  if (!isDraftName(given))
    throw new InvalidArgumentError("it is not of lower-case words with hyphens between them");
  return given;
}
