import type { Replayed } from "../../learn/extraction.ts";
import type { RecordedTrace } from "../../learn/recording/recorded-call.ts";
import { differenceText } from "../../learn/review/difference-text.ts";
import { cut, oneLine, terminal } from "../../core/text/terminal-text.ts";

/** The calls that a replay made, the first difference from the record, and the output. */
export function replayText(name: string, trace: RecordedTrace, replayed: Replayed): string {
  const { kind, input, calls, difference, output } = replayed;
  const { paint, columns } = terminal();
  const line = (text: string): string => cut(oneLine(text), columns);
  const made = calls.map(({ tool, args, recorded }, index) => {
    const isWrong = difference && "call" in difference && difference.call === index;
    const mark = isWrong ? paint("red", "✗") : paint("green", "✓");
    const where = recorded === undefined ? "not recorded" : `as recorded call ${recorded}`;
    const text = cut(oneLine(`${tool} ${JSON.stringify(args)}`), Math.max(20, columns - where.length - 10));
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
