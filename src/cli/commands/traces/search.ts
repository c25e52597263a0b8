import { Command, Option } from "commander";
import { searchWords } from "../../../trace/store/search-words.ts";
import type { SearchHitKind } from "../../../trace/trace-store.ts";
import {
  type CommonOptions,
  examples,
  EXIT,
  printJson,
  withCommonOptions,
  valueOrThrow,
} from "../../session.ts";
import { positiveInteger } from "../../run-filter.ts";
import { shortIdAmong } from "../../output/short-id.ts";
import { table } from "../../output/table.ts";
import { oneLine } from "../../../core/text/display-text.ts";
import { type Paint, terminal } from "../../output/terminal.ts";
import { withTraces } from "../../with-traces.ts";

const KINDS: readonly SearchHitKind[] = ["task", "name", "error", "file"];

const KIND_LIST = new Intl.ListFormat("en-GB", { type: "disjunction" });

interface SearchOptions extends CommonOptions {
  readonly kind?: readonly SearchHitKind[];
  readonly limit?: number;
}

export function searchCommand(): Command {
  return withCommonOptions(new Command("search"))
    .description("find tasks, names, errors and files with all these words, newest first")
    .argument("<words...>", "beginnings of words")
    .addOption(new Option("--kind <kinds...>", "only these").choices(KINDS))
    .option("--limit <n>", "the most lines (default: 50)", positiveInteger)
    .addHelpText("after", examples("\nExample:\n  $ repertoire traces search order not found --kind error"))
    .action(async (given: string[], options: SearchOptions) => {
      await withTraces(options, async ({ store, place }) => {
        const { kind, limit } = options;
        const found = valueOrThrow(
          await store.search(given.join(" "), {
            ...(kind === undefined ? {} : { kinds: kind }),
            ...(limit === undefined ? {} : { limit }),
          }),
        );
        if (found.length === 0) process.exitCode = EXIT.failed;
        if (options.json) return printJson(found);
        if (found.length === 0)
          return console.error(
            `No ${KIND_LIST.format(kind ?? KINDS)} in ${place} has the words "${oneLine(given.join(" "))}"; inputs and answers are not searched`,
          );
        const { tableColumns, paint } = terminal();
        const shortId = shortIdAmong(found.map(({ runId }) => runId));
        const words = matchOf(given.join(" "));
        const rows = found.map((each) => [
          shortId(each.runId),
          each.kind,
          {
            text: around(oneLine(each.text), words),
            paint: (text: string) => highlighted(text, words, paint),
          },
        ]);
        console.log(
          table(
            [{ title: "id" }, { title: "what" }, { title: "text", gives: true }],
            rows,
            tableColumns,
            paint,
          ),
        );
      });
    });
}

/** The words where they begin, as the store finds them; it knows letters and digits, so that nothing is to be escaped. */
function matchOf(text: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${searchWords(text).join("|")})`, "giu");
}

/** The text from a little before the first word that was found. */
function around(text: string, words: RegExp): string {
  const at = text.search(words);
  return at <= MAX_BEFORE ? text : `…${text.slice(at - MIN_BEFORE).toWellFormed()}`;
}

const MAX_BEFORE = 30;
const MIN_BEFORE = 15;

function highlighted(text: string, words: RegExp, paint: Paint): string {
  return text.replaceAll(words, (word) => paint(["bold", "yellow"], word));
}
