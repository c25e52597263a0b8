import type { Json } from "../../core/json/json.ts";
import { arePartedByAmount } from "../plan/quantities.ts";
import { isState, jsonLeaves, leafText, type TaskText, valueAt } from "../plan/values.ts";
import { type Separation, separations } from "./elements/separations.ts";
import type { RecordedCall } from "./recorded-trace.ts";
import type { ForkedTools, Round } from "./sample-step.ts";

const MAX_CALLS = 4;
/** With fewer rounds, a state differs by chance. */
const MIN_ROUNDS = 3;

/** Rounds that begin alike, and of which some then do what the others do not. */
export interface PartedRounds extends ForkedTools {
  readonly rounds: readonly Round[];
}

/**
 * The rounds that begin at a call, each with the first tool, where there are two kinds of them and what the last call that
 * all make has answered tells which: "cancel each that is pending". It is a look, and no act. `known`: other runs have told the kinds.
 */
export function partedRounds(
  calls: readonly RecordedCall[],
  included: readonly number[],
  at: number,
  task: TaskText,
  known: ForkedTools | undefined,
  isLook: (tool: string) => boolean,
): PartedRounds | undefined {
  const made = roundsFrom(calls, included, at);
  const toolsOf = (round: readonly number[]): readonly string[] =>
    round.map((call) => calls[call]?.tool ?? "");
  const kinds = known ? kindsOf(known) : kindsIn(made.map(toolsOf));
  if (!kinds) return undefined;
  const { head, acting, other } = kinds;
  if (!isLook(head.at(-1) ?? "")) return undefined;
  const tools = [...head, ...acting, ...other];
  const rounds: Round[] = [];
  for (const round of made) {
    const called = toolsOf(round);
    const tail = [acting, other].find((each) => isBegin([...head, ...each], called));
    if (!tail) break;
    const own = round.slice(0, head.length + tail.length);
    const room = (count: number): readonly undefined[] => Array.from({ length: count }, () => undefined);
    const isActing = tail === acting;
    rounds.push([
      ...own.slice(0, head.length),
      ...(isActing ? own.slice(head.length) : room(acting.length)),
      ...(isActing ? room(other.length) : own.slice(head.length)),
    ]);
    if (own.length < round.length) break;
  }
  const fork = { at: head.length - 1, failed: other.length };
  const parted = { tools, rounds, fork };
  if (known) return parted;
  const kept = rounds.filter((round) => round[head.length] !== undefined).length;
  if (kept === 0 || kept === rounds.length || rounds.length < 2) return undefined;
  const isTold =
    saidParting(calls, parted, task) !== undefined ||
    (rounds.length >= MIN_ROUNDS && partingStates([{ calls, rounds: parted }]).length > 0);
  return isTold ? parted : undefined;
}

/** What is true, where the task says so, of what the rounds were answered that go the first way, and of no others. */
export function saidParting(
  calls: readonly RecordedCall[],
  parted: PartedRounds,
  task: TaskText,
): Separation | undefined {
  const { at } = parted.fork;
  const answers = parted.rounds.map((round) => calls[round[at] ?? -1]?.result ?? null);
  const chosen = [...parted.rounds.keys()].filter((index) => isFirstKind(parted, index));
  // What the call was asked for tells nothing, and every answer tells what parts the rounds.
  const said = separations(answers, chosen, task, () => false).filter(
    ({ isSaid, path, inner }) =>
      isSaid &&
      parted.rounds.every((round, index) => {
        const value = valueAt(answers[index], path);
        const asked = [...jsonLeaves(calls[round[at] ?? -1]?.args ?? {})];
        const isAsked = inner === undefined && asked.some(([, leaf]) => leaf === value);
        return value !== undefined && value !== null && value !== "" && !isAsked;
      }),
  );
  const [only, ...others] = said;
  return others.length === 0 ? only : undefined;
}

/** A place in what the rounds were answered, where those of each kind have states of their own. */
interface PartingState {
  readonly path: readonly string[];
}

const MAX_PLACES = 4;

/** The states that are others in rounds of another kind; none where an amount may have decided as well. */
export function partingStates(
  loops: readonly { readonly calls: readonly RecordedCall[]; readonly rounds: PartedRounds }[],
): readonly PartingState[] {
  const rounds = loops.flatMap(({ calls, rounds: loop }) =>
    loop.rounds.map((round, index) => {
      const { args = {}, result = null } = calls[round[loop.fork.at] ?? -1] ?? {};
      const asked = new Set([...jsonLeaves(args)].map(([, leaf]) => leafText(leaf)));
      return { result, asked, way: isFirstKind(loop, index) ? ("first" as const) : ("other" as const) };
    }),
  );
  const ways = [true, false].map((isFirst) =>
    rounds.filter(({ way }) => (way === "first") === isFirst).map(({ result }) => result),
  );
  if (arePartedByAmount(ways)) return [];
  const found: PartingState[] = [];
  for (const [path] of jsonLeaves(rounds[0]?.result ?? null)) {
    if (path.length === 0 || path.some((part) => typeof part === "number")) continue;
    const values = rounds.map(({ result }) => valueAt(result, path));
    const own = values.filter((_, index) => rounds[index]?.way === "first");
    const states = new Map<Json, "first" | "other">();
    const isTold = rounds.every(({ asked, way }, index) => {
      const value = values[index];
      if (
        value === undefined ||
        (typeof value !== "boolean" && !isState(value)) ||
        asked.has(leafText(value))
      )
        return false;
      const known = states.get(value) ?? way;
      states.set(value, way);
      return known === way;
    });
    const isOne = new Set(own).size === 1;
    if (isTold && isOne) found.push({ path: path.map(String) });
  }
  return found.length > MAX_PLACES ? [] : found;
}

/** Whether a round goes the first of the two ways. */
export function isFirstKind({ rounds, fork }: PartedRounds, index: number): boolean {
  return rounds[index]?.[fork.at + 1] !== undefined;
}

/** The calls from one call of the first tool to the next; the last of them with all that follows. */
function roundsFrom(
  calls: readonly RecordedCall[],
  included: readonly number[],
  at: number,
): readonly (readonly number[])[] {
  const first = calls[included[at] ?? -1]?.tool;
  const rounds: number[][] = [];
  for (const index of included.slice(at)) {
    const call = calls[index];
    if (call?.error !== undefined) break;
    if (call?.tool === first) rounds.push([]);
    rounds.at(-1)?.push(index);
  }
  return rounds;
}

/** What all rounds begin with, and what those of each kind go on with. */
interface RoundKinds {
  readonly head: readonly string[];
  /** Never nothing. */
  readonly acting: readonly string[];
  readonly other: readonly string[];
}

function kindsOf({ tools, fork }: ForkedTools): RoundKinds {
  const end = tools.length - fork.failed;
  return {
    head: tools.slice(0, fork.at + 1),
    acting: tools.slice(fork.at + 1, end),
    other: tools.slice(end),
  };
}

/** The two kinds; behind the last round may stand what is called after all of them. */
function kindsIn(called: readonly (readonly string[])[]): RoundKinds | undefined {
  const last = called.at(-1) ?? [];
  const [one, two, ...more] = new Map(
    called.slice(0, -1).map((tools) => [JSON.stringify(tools), tools]),
  ).values();
  if (!one || more.length > 0) return undefined;
  const other = two ?? last.slice(0, sharedLength(one, last));
  const length = sharedLength(one, other);
  const [acting = [], left = []] = [one, other]
    .map((tools) => tools.slice(length))
    .sort(
      (a, b) => Number(a.length === 0) - Number(b.length === 0) || (a.join("\n") < b.join("\n") ? -1 : 1),
    );
  const isParted = length > 0 && acting.length > 0 && acting.length <= MAX_CALLS && left.length <= MAX_CALLS;
  return isParted ? { head: one.slice(0, length), acting, other: left } : undefined;
}

function sharedLength(tools: readonly string[], others: readonly string[]): number {
  const end = tools.findIndex((tool, index) => tool !== others[index]);
  return end < 0 ? tools.length : end;
}

function isBegin(begin: readonly string[], tools: readonly string[]): boolean {
  return begin.every((tool, index) => tool === tools[index]);
}
