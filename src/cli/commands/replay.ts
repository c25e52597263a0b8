import { Command } from "commander";
import { failure } from "../../core/error.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { fail } from "../../core/result.ts";
import { recordedTrace, type RecordedTrace } from "../../learn/recording/recorded-trace.ts";
import { jsonArgument } from "../json-argument.ts";
import { traceArguments } from "../trace-arguments.ts";
import { withExtraction } from "../with-drafts.ts";
import {
  type CommonOptions,
  examples,
  EXIT,
  printJson,
  withCommonOptions,
  valueOrThrow,
} from "../session.ts";
import type { SkillReplay } from "../../learn/extraction.ts";
import { differenceText } from "../../learn/review/difference-text.ts";
import { cutToWidth, oneLine } from "../../core/text/display-text.ts";
import { terminal } from "../output/terminal.ts";

interface ReplayOptions extends CommonOptions {
  readonly trace: string;
  readonly input?: string;
}

export function replayCommand(): Command {
  return withCommonOptions(new Command("replay"))
    .description("run a draft or a skill against the recorded answers of a run, never against the world")
    .argument("<name>", "a draft that waits for a review, else a skill")
    .requiredOption(
      "--trace <run>",
      "a run's or session's id, or a file with a transcript; file#3 is the third in a file",
    )
    .option(
      "-i, --input <json>",
      "the input as JSON, @file, or - for stdin (default: what it was in that run)",
    )
    .addHelpText(
      "after",
      examples(`
Exits with 1 at the first difference from the record. The plainest transcript has a run on each line:
  {"id": "1", "task": "…", "calls": [{"tool": "shop.get_order", "args": {"id": "O-1"}, "result": {"total": 5}}]}

Example:
  $ repertoire replay cancel-order --trace 3fa9c1d2 --input '{"order": "O-1001"}'`),
    )
    .action(async (name: string, options: ReplayOptions) => {
      await withExtraction(options, async (app) => {
        const input = options.input === undefined ? undefined : await inputOf(options.input);
        const [trace, ...others] = await traceArguments(app, [options.trace]);
        if (!trace || others.length > 0) {
          const message = `${options.trace} has ${others.length + 1} traces: take one with ${options.trace}#1`;
          return valueOrThrow(fail(failure("INPUT_INVALID", message)));
        }
        const recorded = recordedTrace(trace);
        const replayed = valueOrThrow(await app.extraction.replay(name, recorded, input));
        if (replayed.difference) process.exitCode = EXIT.failed;
        if (options.json) printJson({ name, trace: recorded.id, matched: !replayed.difference, ...replayed });
        else console.log(replayText(name, recorded, replayed));
      });
    });
}

async function inputOf(given: string): Promise<JsonObject> {
  const input = valueOrThrow(await jsonArgument("--input", given));
  return isJsonObject(input)
    ? input
    : valueOrThrow(fail(failure("INPUT_INVALID", "The input of a skill is a JSON object")));
}

/** The calls that a replay made, the first difference from the record, and the output. */
function replayText(name: string, trace: RecordedTrace, replayed: SkillReplay): string {
  const { kind, input, calls, difference, output } = replayed;
  const { paint, columns } = terminal();
  const line = (text: string): string => cutToWidth(oneLine(text), columns);
  const made = calls.map(({ tool, args, recorded }, index) => {
    const isWrong = difference && "call" in difference && difference.call === index;
    const mark = isWrong ? paint("red", "✗") : paint("green", "✓");
    const where = recorded === undefined ? "not recorded" : `as recorded call ${recorded}`;
    const text = cutToWidth(
      oneLine(`${tool} ${JSON.stringify(args)}`),
      Math.max(20, columns - where.length - 10),
    );
    return `  ${mark} ${index}. ${text}  ${paint("dim", where)}`;
  });
  const end = difference
    ? paint("red", `First difference: ${differenceText(difference)}`)
    : paint("green", "Every call as recorded");
  return [
    line(`${kind} ${name} on ${trace.id} with ${JSON.stringify(input)}`),
    ...made,
    end,
    ...(output === undefined ? [] : [`Output: ${oneLine(JSON.stringify(output))}`]),
  ].join("\n");
}
