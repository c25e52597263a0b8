import type { Mined } from "../../learn/mining/mine.ts";
import { counted } from "./amounts.ts";
import { oneLine, terminal, wrapped } from "../../core/text/terminal-text.ts";
import { commandLine } from "../../core/text/command-line.ts";

/** Work that recurs, what saves most calls first. */
export function proposalsText({ proposals, traces, isComplete }: Mined): string {
  if (proposals.length === 0) return `Nothing recurs often enough in ${counted(traces, "run")}`;
  const { columns, paint } = terminal();
  const lines = proposals.flatMap((proposal, index) => {
    const { saved, occurrences, pattern } = proposal;
    const head = `saves ${counted(saved, "call")}: ${counted(occurrences, "time")}, ${whatOf(proposal)}`;
    const calls = wrapped(oneLine(pattern), columns - INDENT.length, MOST_LINES);
    return [`${`${index + 1}.`.padStart(3)} ${paint("bold", head)}`, ...calls.map((line) => INDENT + line)];
  });
  const isDraftable = proposals.some(({ kind }) => kind === "skill");
  return [
    ...lines,
    ...(isComplete ? [] : ["There is more than was looked at; --since takes less"]),
    ...(isDraftable ? [`Next: "${commandLine("extract --mine --draft <nth>")}" makes a draft of one`] : []),
  ].join("\n");
}

const INDENT = "    ";
const MOST_LINES = 3;

type Proposal = Mined["proposals"][number];

function whatOf(proposal: Proposal): string {
  switch (proposal.kind) {
    case "skill": {
      const { passed, of } = proposal.replay;
      return `a skill would do ${passed} of ${of} that it was not learned from`;
    }
    case "reuse":
      return `the skill ${proposal.skill} does it`;
    case "repeated":
      return proposal.isReadOnly ? "always the same: results can be kept" : "always the same";
  }
}

/** Without how it was found. */
export function proposalJson(proposal: Proposal): object {
  if (proposal.kind !== "skill") return proposal;
  const { synthesis, ...rest } = proposal;
  return { ...rest, plan: synthesis.plan };
}
