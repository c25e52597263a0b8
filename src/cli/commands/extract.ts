import { Command, InvalidArgumentError } from "commander";
import type { App } from "../../rooms.ts";
import { failure } from "../../core/error.ts";
import { CRITERIA, type Criterion, type RunChoice, whyNotLearned } from "../../learn/drafts/best-run.ts";
import {
  type Reason,
  ReasonCount,
  type ReasonCounts,
  reasonOf,
  REASONS,
} from "../../learn/drafts/reasons.ts";
import { fail } from "../../core/result.ts";
import type { AnyDraft } from "../../learn/drafts/draft.ts";
import { isDraftName } from "../../learn/drafts/atomic-folder.ts";
import type { ExtractOptions, ExtractionResult } from "../../learn/extraction.ts";
import { traceArguments } from "../trace-arguments.ts";
import { modelOf, userName, withExtraction } from "../with-drafts.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../session.ts";
import { positiveInteger, timeOf } from "../run-filter.ts";
import { callText } from "../output/call-text.ts";
import { draftJson, nextSteps, roundsText, shownDraft } from "../output/shown-draft.ts";
import type { MiningResult } from "../../learn/mining/mine.ts";
import { counted, durationText } from "../output/amounts.ts";
import { oneLine, wrapToWidth } from "../../core/text/display-text.ts";
import { terminal } from "../output/terminal.ts";
import { commandLine } from "../../core/text/command-line.ts";
import type { Trace, TraceEvent } from "../../core/trace-event.ts";
import type { TimedTrace, TraceReader } from "../../learn/mining/occurrence-traces.ts";
import { callTimes, type RecordedTrace, recordedTrace } from "../../learn/recording/recorded-trace.ts";
import type { TraceStore } from "../../trace/trace-store.ts";
import { allRuns, traceOf } from "../run-or-session.ts";

interface Options extends CommonOptions, Omit<ExtractOptions, "by" | "best"> {
  readonly best?: boolean | string;
  readonly only?: number;
  readonly mine?: boolean;
  readonly model?: boolean;
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
    .option(
      "--best [criteria]",
      `they are attempts at the same task: learn from the best alone, by ${BEST_BY.join(", ")} (default: success,calls,time,cost)`,
    )
    .option("--hold-out <n>", "learn nothing from the last n, and try the draft on them", positiveInteger)
    .option("--anew", "make a draft even where a skill does the work already")
    .option("--model", "let the configured model revise the draft, in at most three rounds")
    .option("--incomplete", "learn also from runs of which events could not be recorded")
    .option("--failed", "learn also from runs that were judged to have failed their task")
    .option("--task <text>", "what was asked for, where runs do not tell it, such as those recorded here")
    .option("--reads <globs...>", "tools that only read, by your word, where no server says otherwise")
    .option("--only <n>", "take only the nth of each file's transcripts", positiveInteger)
    .option("--mine", "look for work that recurs in all that is recorded")
    .option("--least <n>", "with --mine: what recurs so often (default: 3)", positiveInteger)
    .option("--since <time>", "with --mine: only since a date (2026-01-05) or so long ago (24h, 7d)", timeOf)
    .option("--draft <nth...>", "with --mine: make drafts of these proposals", eachPositive)
    .addHelpText(
      "after",
      examples(
        "\nNo model is asked without --model, and no tool is called: drafts are verified against the recorded answers.\n\nExample:\n  $ repertoire extract 3fa9c1d2 81b0 --name cancel-order\n  $ repertoire extract conversations.jsonl --hold-out 2\n  $ repertoire extract --mine --since 30d",
      ),
    )
    .action(async (given: string[], options: Options) => {
      await withExtraction(options, async (app) => {
        if (options.mine) return mine(app, given, options);
        if (given.length === 0 && typeof options.best !== "string")
          return refuse("Nothing tells what to learn from: give runs, or --mine");
        if (options.draft ?? options.least ?? options.since)
          return refuse("--draft, --least and --since are for --mine");
        const { name, best, holdOut, anew, incomplete, failed, reads, only, task } = options;
        const criteria = typeof best === "string" ? criteriaIn(best) : best;
        // What follows an option without a list of criteria is the first run.
        const runs = criteria === undefined && typeof best === "string" ? [best, ...given] : given;
        const traces = await traceArguments(app, runs, only);
        const by = userName();
        const extracted = valueOrThrow(
          await app.extraction.extract(traces, {
            by,
            name,
            best: criteria ?? best !== undefined,
            holdOut,
            anew,
            incomplete,
            failed,
            reads,
            task,
          }),
        );
        if (extracted.kind === "draft") await tellTwins(app, extracted.draft);
        if (options.model && extracted.kind === "draft" && !extracted.promoted)
          return advise(app, extracted, traces, options);
        if (options.json) printJson(extractedJson(extracted));
        else console.log(extractedText(extracted));
      });
    });
}

/** Drafts of the same runs that are there already: whoever extracts again may not have meant another. */
async function tellTwins({ extraction }: App, draft: AnyDraft): Promise<void> {
  const listed = await extraction.drafts.list();
  if (!listed.ok) return;
  const runs = runsOf(draft);
  const twins = listed.value.drafts.filter(
    (each) => each.name !== draft.name && each.state !== "rejected" && runsOf(each) === runs,
  );
  for (const { name, state } of twins)
    console.error(
      `The draft "${name}" (${state}) was learned from the same runs: "${commandLine(`reject ${draft.name}`)}" leaves that one alone`,
    );
}

function runsOf({ provenance }: AnyDraft): string {
  return provenance.traces
    .map(({ digest }) => digest)
    .toSorted()
    .join(" ");
}

/** Has the configured model revise a draft that was made; where that fails, the draft is there all the same. */
async function advise(
  app: App,
  extracted: Extract<ExtractionResult, { readonly kind: "draft" }>,
  traces: readonly Trace[],
  { json }: Options,
): Promise<void> {
  const model = modelOf(app);
  const advised = model.ok
    ? await app.extraction.advise(extracted.draft.name, model.value, { traces })
    : model;
  const made = advised.ok ? { ...extracted, draft: advised.value.draft } : extracted;
  if (json && advised.ok) printJson({ ...extractedJson(made), rounds: advised.value.rounds });
  else if (!json) console.log(extractedText(made));
  if (!json && advised.ok) console.log(roundsText(advised.value));
  valueOrThrow(advised);
}

async function mine(
  app: App,
  given: readonly string[],
  { least, since, incomplete, failed, draft, json }: Options,
): Promise<void> {
  if (given.length > 0) return refuse("--mine looks over all that is recorded: give no runs");
  const source = new StoredTraces(app.traces, { since, incomplete, failed });
  const mined = await app.extraction.mine(source, least === undefined ? {} : { least });
  const { proposals } = mined;
  if (draft === undefined) {
    const { leftOut } = source;
    if (json) printJson({ ...mined, leftOut, proposals: proposals.map(proposalJson) });
    else console.log([proposalsText(mined), ...reasonLines(mined, leftOut)].join("\n"));
    return;
  }
  const made: object[] = [];
  for (const nth of draft) {
    const proposal = proposals[nth - 1];
    if (proposal?.kind !== "skill")
      return refuse(`There is no proposal ${nth} of a skill; there are ${proposals.length} proposals`);
    const extracted = valueOrThrow(await app.extraction.draftOf(proposal, source, userName()));
    if (json) made.push(extractedJson(extracted));
    else console.log(extractedText(extracted));
  }
  if (json) printJson(made);
}

/** As people write them. */
const BEST_BY = CRITERIA.map((each) => (each === "duration" ? "time" : each));

/** The criteria of a list; nothing where it is no list of such. */
function criteriaIn(given: string): readonly Criterion[] | undefined {
  const names = given.split(",").map((each) => each.trim());
  const criteria = names.map((name) => CRITERIA[BEST_BY.findIndex((each) => each === name)]);
  if (criteria.every((each) => each !== undefined)) return criteria;
  if (names.length === 1) return undefined;
  const unknown = names.filter((_, index) => criteria[index] === undefined);
  return refuse(`--best compares by ${BEST_BY.join(", ")}; not by ${unknown.map(oneLine).join(", ")}`);
}

function refuse(message: string): never {
  return valueOrThrow(fail(failure("INPUT_INVALID", message)));
}

function eachPositive(given: string, before: readonly number[] = []): readonly number[] {
  return [...before, positiveInteger(given)];
}

function nameOf(given: string): string {
  if (!isDraftName(given))
    throw new InvalidArgumentError("it is not of lower-case words with hyphens between them");
  return given;
}

/** What came of runs, and what to do next. */
function extractedText(extracted: ExtractionResult): string {
  switch (extracted.kind) {
    case "reuse": {
      const { skill, inputs } = extracted;
      const calls = inputs.map((input) => `  $ ${callText(skill, input)}`);
      return [`The skill "${skill}" does this already:`, ...calls, "A draft all the same: --anew"].join("\n");
    }
    case "merge": {
      const { skill, draft } = extracted;
      const what = `The skill "${skill}" would do this too if it were more general; its draft is now:`;
      const own = "A draft of its own, under another name: --anew --name <name>";
      return [what, shownDraft(draft), nextSteps(draft), own].join("\n\n");
    }
    case "written": {
      const { draft } = extracted;
      return [shownDraft(draft), nextSteps(draft)].join("\n\n");
    }
    case "draft": {
      const { draft, promoted, waits } = extracted;
      const done = promoted
        ? [`The policy has promoted it as version ${promoted.version}.`]
        : waits === undefined
          ? []
          : [waits];
      return [shownDraft(draft), ...done, nextSteps(draft)].join("\n\n");
    }
  }
}

function extractedJson(extracted: ExtractionResult): object {
  return extracted.kind === "reuse" ? extracted : { ...extracted, draft: draftJson(extracted.draft) };
}

/** Work that recurs, what is worth most first. */
function proposalsText({ proposals, traces, isComplete }: MiningResult): string {
  if (proposals.length === 0) return `Nothing recurs often enough in ${counted(traces, "run")}`;
  const { columns, paint } = terminal();
  const lines = proposals.flatMap((proposal, index) => {
    const { saved, savedMs, occurrences, pattern } = proposal;
    const time = savedMs < 1000 ? "" : `, ${durationText(savedMs)}`;
    const head = `saves ${counted(saved, "call")}${time}: ${counted(occurrences, "time")}, ${whatOf(proposal)}`;
    const calls = wrapToWidth(oneLine(pattern), columns - INDENT.length, { maxLines: MAX_LINES });
    return [`${`${index + 1}.`.padStart(3)} ${paint("bold", head)}`, ...calls.map((line) => INDENT + line)];
  });
  const isDraftable = proposals.some(({ kind }) => kind === "skill");
  return [
    ...lines,
    ...(isComplete ? [] : ["There is more than was looked at; --since takes less"]),
    ...(isDraftable ? [`Next: "${commandLine("extract --mine --draft <nth>")}" makes a draft of one`] : []),
  ].join("\n");
}

/** Why nothing came of the other runs, and of other work that recurs. */
function reasonLines({ reasons }: MiningResult, leftOut: ReasonCounts): readonly string[] {
  const lines = (counts: ReasonCounts, what: string): readonly string[] =>
    Object.entries(counts).map(([reason, count]) => {
      const option = OPTIONS.get(reason);
      const how = option === undefined ? "" : `; ${option} takes them, too`;
      return `  ${counted(count, what)}: ${REASONS[reason as Reason]} (${reason})${how}`;
    });
  const all = [...lines(leftOut, "run"), ...lines(reasons, "recurring chain")];
  return all.length === 0 ? [] : ["Nothing came of", ...all];
}

const OPTIONS: ReadonlyMap<string, string> = new Map([
  ["incomplete", "--incomplete"],
  ["failed-task", "--failed"],
]);

const INDENT = "    ";

const MAX_LINES = 3;

type Proposal = MiningResult["proposals"][number];

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
function proposalJson(proposal: Proposal): object {
  if (proposal.kind !== "skill") return proposal;
  const { synthesis, ...rest } = proposal;
  return { ...rest, plan: synthesis.plan };
}

type MiningScope = RunChoice & { readonly since?: number | undefined };

/** What agents did: transcripts, and of each session the tools that were called. What a skill did is done by a skill. */
export class StoredTraces implements TraceReader {
  readonly #store: TraceStore;
  readonly #scope: MiningScope;
  readonly #sessions = new Set<string>();
  readonly #leftOut = new ReasonCount();

  constructor(store: TraceStore, scope: MiningScope = {}) {
    this.#store = store;
    this.#scope = scope;
  }

  /** How many were not given, by reason. */
  get leftOut(): ReasonCounts {
    return this.#leftOut.counts;
  }

  async *all(): AsyncGenerator<TimedTrace, void, undefined> {
    const { since } = this.#scope;
    const filter = since === undefined ? {} : { since };
    for await (const { runId, sessionId, source, status } of allRuns(this.#store, filter)) {
      if (source === "run") continue;
      if (status === "running") this.#leftOut.add("unfinished");
      else if (source === "import" || sessionId === undefined)
        yield* this.#whole(await traceOf(this.#store, runId));
      else if (!this.#sessions.has(sessionId)) {
        this.#sessions.add(sessionId);
        yield* this.#whole(await this.#session(sessionId));
      }
    }
  }

  // Of a run that ended in failure the work before may recur all the same.
  *#whole(trace: Trace): Generator<TimedTrace, void, undefined> {
    const fault = whyNotLearned(trace, this.#scope);
    const reason = fault && reasonOf(fault);
    if (reason === undefined || reason === "ended-in-failure" || reason === "unfinished")
      yield { ...recordedTrace(trace), times: callTimes(trace) };
    else this.#leftOut.add(reason);
  }

  async one(id: string): Promise<RecordedTrace> {
    return recordedTrace(this.#sessions.has(id) ? await this.#session(id) : await traceOf(this.#store, id));
  }

  async #session(sessionId: string): Promise<Trace> {
    const runIds: string[] = [];
    for await (const { runId } of allRuns(this.#store, { sessionId, source: "session", limit: MAX_RUNS }))
      runIds.push(runId);
    const events: TraceEvent[] = [];
    let lost = 0;
    for (const runId of runIds.toReversed()) {
      const trace = await traceOf(this.#store, runId);
      events.push(...trace.events);
      lost += trace.lost ?? 0;
    }
    const session = {
      runId: sessionId,
      sessionId,
      source: "session",
      startedAt: 0,
      events,
      files: [],
    } as const;
    return lost === 0 ? session : { ...session, lost };
  }
}

const MAX_RUNS = 2000;
