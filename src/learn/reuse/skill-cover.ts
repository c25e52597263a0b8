import type { Json, JsonObject } from "../../core/json/json.ts";
import { leafTexts, valueTexts } from "../plan/value-texts.ts";
import { type RecordedTrace, subTrace } from "../recording/recorded-trace.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import { TaskText } from "../plan/values.ts";
import { fitsBounds } from "../recording/trace-bounds.ts";
import { type Library, toolUsers } from "./library.ts";
import { inputFor } from "./reuse.ts";
import type { ReplayServices } from "./replay-search.ts";

/** A trace in which calls that a skill makes stand as one call of that skill. */
export interface SkillCover {
  /** A covering call's `tool` is the skill's name. No other call's is. */
  readonly trace: RecordedTrace;
  /** In their order. */
  readonly covers: readonly CoverEntry[];
}

interface CoverEntry {
  readonly skill: string;
  /** The calls of the recorded trace that the skill makes. */
  readonly calls: readonly number[];
  readonly input: JsonObject;
  readonly output: Json;
}

/** Consecutive calls among those that are kept. */
interface Block {
  readonly skill: string;
  readonly from: number;
  readonly to: number;
}

const MAX = { skills: 200, run: 40, blocks: 60, covers: 8, inputs: 12, ms: 20_000 };
const BOUNDS = { calls: 500, size: 4_000_000 };

/**
 * The trace with its longest parts that a skill replays as calls of that skill. What later calls use must be in what the
 * skill gives. Nothing where no skill makes two or more of its calls; a skill that makes all of them is a reuse instead.
 */
export async function skillCover(
  trace: RecordedTrace,
  library: Library,
  services: ReplayServices,
): Promise<SkillCover | undefined> {
  if (!fitsBounds(trace, BOUNDS)) return undefined;
  const { kept } = keptCalls(trace);
  const covers: CoverEntry[] = [];
  const until = performance.now() + MAX.ms;
  const patience = { most: MAX.inputs, until };
  for (const { skill, from, to } of blocksIn(trace, kept, library).slice(0, MAX.blocks)) {
    if (covers.length >= MAX.covers) break;
    const calls = kept.slice(from, to);
    if (covers.some((each) => calls.some((call) => each.calls.includes(call)))) continue;
    const found = await inputFor(skill, subTrace(trace, calls), library, services, patience);
    if (found && providesUsedValues(trace, kept, calls, found)) covers.push({ skill, calls, ...found });
  }
  if (covers.length === 0) return undefined;
  covers.sort((a, b) => (a.calls[0] ?? 0) - (b.calls[0] ?? 0));
  return { trace: rewritten(trace, kept, covers), covers };
}

/** Where the calls are of exactly the tools that a skill calls; the longest first. */
function blocksIn(trace: RecordedTrace, kept: readonly number[], { skills }: Library): readonly Block[] {
  const names = new Set(trace.calls.map(({ tool }) => tool));
  const users = toolUsers(skills)
    .filter(
      ({ skill, tools, isDynamic }) =>
        tools.size > 0 && tools.isSubsetOf(names) && !isDynamic && !names.has(skill.name),
    )
    .sort((a, b) => (a.skill.name < b.skill.name ? -1 : 1))
    .slice(0, MAX.skills);
  const blocks = users.flatMap(({ skill, tools }) =>
    toolRuns(trace, kept, tools)
      .flatMap((run) => windowsIn(skill.name, run))
      .filter(({ from, to }) => {
        const inside = new Set(kept.slice(from, to).map((call) => trace.calls[call]?.tool));
        return to - from < kept.length && inside.size === tools.size;
      }),
  );
  return blocks.sort((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from);
}

/** The longest parts in which only these tools are called, with success. */
function toolRuns(
  { calls }: RecordedTrace,
  kept: readonly number[],
  tools: ReadonlySet<string>,
): readonly Omit<Block, "skill">[] {
  const runs: Omit<Block, "skill">[] = [];
  let from = 0;
  for (let at = 0; at <= kept.length; at++) {
    const call = calls[kept[at] ?? -1];
    if (call && call.error === undefined && tools.has(call.tool)) continue;
    if (at - from >= 2) runs.push({ from, to: at });
    from = at + 1;
  }
  return runs;
}

function windowsIn(skill: string, run: Omit<Block, "skill">): readonly Block[] {
  const last = Math.min(run.to, run.from + MAX.run);
  const windows: Block[] = [];
  for (let from = run.from; from < last; from++)
    for (let to = from + 2; to <= last; to++) windows.push({ skill, from, to });
  return windows;
}

const SHORTEST = 3;

/** Whether no later call uses a value that only the covered calls have told and the skill does not give. */
function providesUsedValues(
  trace: RecordedTrace,
  kept: readonly number[],
  calls: readonly number[],
  { input, output }: Pick<CoverEntry, "input" | "output">,
): boolean {
  const inside = new Set(calls);
  const last = calls.at(-1) ?? 0;
  const hidden = unionOf(calls.map((call) => valueTexts(trace.calls[call]?.result ?? null)));
  const given = valueTexts(output).union(leafTexts(input));
  const outside = unionOf(
    kept
      .filter((call) => call < (calls[0] ?? 0))
      .map((call) => valueTexts(trace.calls[call]?.result ?? null)),
  );
  const task = new TaskText(trace.task);
  for (const call of kept) {
    if (call <= last || inside.has(call)) continue;
    for (const text of leafTexts(trace.calls[call]?.args ?? {})) {
      const isKnown = given.has(text) || outside.has(text) || task.says(text);
      if (text.length >= SHORTEST && hidden.has(text) && !isKnown) return false;
    }
    for (const text of valueTexts(trace.calls[call]?.result ?? null)) outside.add(text);
  }
  return true;
}

function unionOf(sets: readonly ReadonlySet<string>[]): Set<string> {
  return new Set(sets.flatMap((set) => [...set]));
}

function rewritten(
  trace: RecordedTrace,
  kept: readonly number[],
  covers: readonly CoverEntry[],
): RecordedTrace {
  const first = new Map(covers.map((cover) => [cover.calls[0], cover]));
  const inside = new Set(covers.flatMap(({ calls }) => calls));
  const calls = kept.flatMap((index) => {
    const cover = first.get(index);
    if (cover) return [{ tool: cover.skill, args: cover.input, result: cover.output }];
    return inside.has(index) ? [] : subTrace(trace, [index]).calls;
  });
  return { ...trace, calls };
}
