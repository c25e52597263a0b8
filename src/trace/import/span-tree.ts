import { hash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { keyOf, type ModelCall, ModelCalls } from "./model-calls.ts";
import { boundedValue, roughSize } from "./reading/bounded-value.ts";
import type { ImportState, ImportContext } from "./format.ts";
import type { Judgement } from "../record/judgement.ts";
import { OpenTraces } from "./open-traces.ts";
import { type StepOutcome, Transcript, type TokenUsage } from "./transcript.ts";
import type { ToldCall, ToldCalls, ToldResult } from "./reading/told-calls.ts";
import { toolAnswer } from "./reading/unwrap.ts";
import { filledText } from "./reading/fields.ts";

/** What a span of a tracing system is to us. */
export interface Span {
  readonly id: string;
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly sessionId?: string | undefined;
  readonly kind: "call" | "agent" | "model" | "handoff" | "error" | "other";
  readonly name: string;
  /** It only stands around others, whatever it holds. */
  readonly isFrame?: boolean;
  readonly args?: Json | undefined;
  /** As it stands in the span, wrapped as it may be. */
  readonly result?: Json | undefined;
  readonly hasResult: boolean;
  readonly isFailed: boolean;
  readonly isCancelled?: boolean;
  readonly message?: string | undefined;
  readonly isRunning?: boolean;
  /** It is the run as a whole. */
  readonly isRun?: boolean;
  /** Who spoke or handed over. */
  readonly speaker?: string | undefined;
  readonly at: number | undefined;
  readonly endedAt: number | undefined;
  /** What orders spans of one trace, before their times. */
  readonly order?: string | undefined;
  readonly usage?: TokenUsage | undefined;
  readonly task?: string | undefined;
  readonly said?: string | undefined;
  readonly model?: string | undefined;
  /** What was judged of the whole trace. */
  readonly judgement?: Judgement | undefined;
  readonly callId?: string | undefined;
  /** Calls, and results of calls, that a model's messages tell. */
  readonly told?: ToldCalls | undefined;
  readonly meta?: JsonObject | undefined;
  readonly place: string;
}

/** Traces of spans that come in any order, mixed with other traces. */
export class SpanTraces implements ImportState {
  readonly #open: OpenTraces<SpanTree>;
  readonly #importing: ImportContext;
  /** For each call that a conversation tells of, the trace with which it began. */
  readonly #conversations = new Map<string, string>();
  readonly #joined = new Map<string, string>();
  /** The conversations of which the first answer is there. */
  readonly #begun = new Set<string>();

  constructor(format: string, importing: ImportContext) {
    this.#importing = importing;
    this.#open = new OpenTraces(
      importing,
      (id) => new SpanTree(format, id, importing),
      (tree) => tree.give(),
    );
  }

  add(span: Span): void {
    this.#open.change(this.#treeOf(span), (tree) => tree.add(span));
  }

  /**
   * Where only models are traced, each of their answers is a trace; those that tell of the same calls are one
   * conversation.
   */
  #treeOf({ kind, traceId, parentId, told, task = "" }: Span): string {
    const joined = this.#joined.get(traceId);
    if (joined !== undefined) return joined;
    if (kind !== "model" || parentId !== undefined || !told || this.#open.has(traceId)) return traceId;
    const calls = [...told.before, ...told.asked].map((call) => `${task}\n${keyOf(call)}`);
    const known = calls.find((call) => this.#conversations.has(call));
    const earlier = this.#conversations.get(known ?? "");
    // The same may be asked for anew, with ids that are used again.
    const begins = told.before.length === 0;
    const tree = earlier === undefined || (begins && this.#begun.has(earlier)) ? traceId : earlier;
    if (begins) this.#begun.add(tree);
    if (this.#conversations.size > MAX_KNOWN || this.#joined.size > MAX_KNOWN) return tree;
    for (const call of calls) this.#conversations.set(call, tree);
    if (tree !== traceId) this.#joined.set(traceId, tree);
    return tree;
  }

  /** What the tracing system tells of a trace besides its spans. */
  about(
    traceId: string,
    task: string | undefined,
    sessionId: string | undefined,
    judgement?: Judgement,
  ): void {
    this.#open.change(traceId, (tree) => tree.about(task, sessionId, judgement));
  }

  end(): void {
    this.#open.end();
  }

  get importing(): ImportContext {
    return this.#importing;
  }
}

const MAX_KNOWN = 100_000;

interface Node {
  readonly span: Span;
  children: Node[];
}

class SpanTree {
  size = 1000;
  readonly #format: string;
  readonly #id: string;
  readonly #importing: ImportContext;
  readonly #spans = new Map<string, Span>();
  readonly #told = new Map<string, ToldCall | ToldResult>();
  #task: string | undefined;
  #sessionId: string | undefined;
  #judgement: Judgement | undefined;

  constructor(format: string, id: string, importing: ImportContext) {
    this.#format = format;
    this.#id = id;
    this.#importing = importing;
  }

  about(task: string | undefined, sessionId: string | undefined, judgement: Judgement | undefined): void {
    this.#judgement ??= judgement;
    this.#task ??= task;
    this.#sessionId ??= sessionId;
  }

  add(span: Span): void {
    const { limits } = this.#importing;
    const before = this.#spans.get(span.id);
    if (before && before.endedAt !== undefined) this.#importing.skip("duplicate", span.place);
    else if (this.#spans.size >= limits.steps * 4) this.#importing.skip("too-many-steps", span.place);
    else if (this.size > limits.traceSize) this.#importing.skip("trace-too-large", span.place);
    else this.#keep(span);
  }

  #keep(span: Span): void {
    const args = span.args === undefined ? undefined : boundedValue(span.args, this.#importing.limits);
    const result = span.result === undefined ? undefined : boundedValue(span.result, this.#importing.limits);
    if (args?.isCut === true || result?.isCut === true) this.#importing.skip("cut", span.place);
    this.size +=
      400 + (args?.size ?? 0) + (result?.size ?? 0) + (span.said?.length ?? 0) + (span.task?.length ?? 0);
    this.#spans.set(span.id, {
      ...span,
      args: args?.value,
      result: result?.value,
      told: span.told && this.#once(span.told),
    });
  }

  /** Models are told all that was before, again and again: it is kept once. */
  #once({ asked, before, results }: ToldCalls): ToldCalls {
    return {
      asked,
      before: before.map((call) => this.#kept(call, { ...call, id: call.id ?? "" })),
      results: results.map((result) => this.#kept(result, { id: result.id ?? "", result: result.result })),
    };
  }

  #kept<Told extends ToldCall | ToldResult>(told: Told, content: JsonObject): Told {
    const key = hash("sha256", JSON.stringify(content));
    const before = this.#told.get(key);
    if (before) return before as Told;
    this.#told.set(key, told);
    this.size += roughSize(content, 16);
    return told;
  }

  give(): void {
    const spans = [...this.#spans.values()].toSorted(inOrder);
    const [first] = spans;
    if (!first) return;
    const transcript = new Transcript(this.#format, first.place, this.#importing);
    transcript.sourceId = this.#id;
    transcript.sessionId =
      this.#sessionId ?? spans.find(({ sessionId }) => sessionId !== undefined)?.sessionId;
    transcript.task = this.#task ?? spans.find(({ task }) => task !== undefined)?.task;
    transcript.model = spans.find(({ model }) => model !== undefined)?.model;
    transcript.judgement =
      this.#judgement ?? spans.find(({ judgement }) => judgement !== undefined)?.judgement;
    const times = spans.flatMap(({ at }) => at ?? []);
    transcript.usage = {
      ...spans.find(({ isRun }) => isRun)?.usage,
      at: times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time)),
    };
    const roots = this.#roots(spans);
    const hasTools = spans.some(({ kind }) => kind === "call");
    const told = new ModelCalls(spans, !hasTools && spans.every(({ parentId }) => parentId === undefined));
    const ran = new Map<string, ModelCall>();
    const hasHandoffs = spans.some(({ kind }) => kind === "handoff");
    for (const root of roots) claim(root, told, ran);
    const runs = runsIn(roots);
    for (const root of roots) this.#tell(root, transcript, undefined, { told, ran, hasHandoffs, runs });
    if (!transcript.isEmpty) this.#importing.give(transcript);
  }

  #roots(spans: readonly Span[]): readonly Node[] {
    const nodes = new Map<string, Node>(spans.map((span) => [span.id, { span, children: [] }]));
    const roots: Node[] = [];
    for (const node of nodes.values()) {
      const parent = nodes.get(node.span.parentId ?? "");
      if (!parent) roots.push(node);
      else if (this.#isAncestor(node.span.id, parent.span)) {
        this.#importing.skip("cycle", node.span.place);
        roots.push({ span: node.span, children: [] });
      } else parent.children.push(node);
    }
    return roots;
  }

  #isAncestor(id: string, span: Span): boolean {
    const seen = new Set<string>();
    for (let at: Span | undefined = span; at && !seen.has(at.id); at = this.#spans.get(at.parentId ?? "")) {
      if (at.id === id) return true;
      // Deeper than any run nests: told as if it were at the top.
      if (seen.size >= MAX_DEPTH) return true;
      seen.add(at.id);
    }
    return false;
  }

  #tell(node: Node, transcript: Transcript, within: number | undefined, models: ToldByModels): void {
    const { span } = node;
    const about = {
      id: filledText(span.id),
      at: span.at,
      endedAt: span.endedAt,
      within,
      ...span.usage,
      meta: span.meta,
    };
    let inner = within;
    switch (span.kind) {
      case "call":
        inner = this.#tellCall(node, transcript, within, models);
        break;
      case "agent":
        if (span.isRun === true) break;
        if (models.runs.has(span.id)) break;
        if (within !== undefined || span.parentId !== undefined || node.children.every(isOther)) {
          inner = transcript.call({
            kind: "agent",
            tool: span.name,
            args: span.args ?? {},
            place: span.place,
            ...about,
          });
          if (span.isRunning !== true) transcript.settle(inner, outcomeOf(span), span.place);
        }
        break;
      case "model":
        if (
          span.said !== undefined ||
          span.usage?.inputTokens !== undefined ||
          span.usage?.outputTokens !== undefined
        ) {
          const step = transcript.message(span.speaker ?? span.model ?? span.name, span.said, about);
          // Others' models do not run what is told within their spans.
          if (span.speaker !== undefined) inner = step ?? within;
        } else if (!span.isFailed && span.told === undefined)
          this.#importing.skip("not-understood", `${span.place}: ${span.name}`);
        if (span.isFailed)
          transcript.error(span.name, span.message ?? "The model's answer failed", {
            ...about,
            id: `${span.id}.error`,
          });
        this.#tellLeft(span, transcript, within, models);
        break;
      case "handoff":
        transcript.handoff(span.speaker ?? "", span.name, about);
        break;
      case "error":
        transcript.error(span.name, span.message ?? span.name, about);
        break;
      case "other":
        // What is around what is known needs no word.
        if (span.isFrame !== true && node.children.every(isOther))
          this.#importing.skip("not-understood", `${span.place}: ${span.name}`);
        break;
    }
    for (const child of node.children) this.#tell(child, transcript, inner, models);
  }

  /** The calls that only the model's messages tell. */
  #tellLeft(span: Span, transcript: Transcript, within: number | undefined, models: ToldByModels): void {
    models.told.left(span.id).forEach(({ call, at, endedAt, result }, index) => {
      // Its own span tells where it led.
      if (models.hasHandoffs && call.name.startsWith("transfer_to_")) return;
      if (call.name.trim() === "") {
        this.#importing.skip("no-name", span.place);
        return;
      }
      const about = { id: `${span.id}.call-${index}`, at, endedAt, within, place: span.place };
      const step = transcript.call({ tool: call.name, args: call.args, ...about });
      if (result) transcript.settle(step, result, span.place);
    });
  }

  /** A call that is told by several spans, one within the other (the agent's, the client's, the server's), is one call. */
  #tellCall(
    node: Node,
    transcript: Transcript,
    within: number | undefined,
    models: ToldByModels,
  ): number | undefined {
    const { chain, children } = chainOf(node);
    node.children = children;
    const [innermost] = chain;
    if (!innermost) return within;
    const asked = models.ran.get(node.span.id);
    const own = chain.find((span) => span.args !== undefined)?.args;
    // A text or a number alone has lost its name, which the model has told.
    const args = isJsonObject(own) ? own : (asked?.call.args ?? own);
    const answered = chain.find((span) => span.hasResult);
    const failed = chain.find(({ isFailed }) => isFailed);
    if (args === undefined) this.#importing.skip("not-extractable", innermost.place);
    const step = transcript.call({
      id: filledText(node.span.id),
      tool: innermost.name,
      args,
      at: node.span.at,
      endedAt: node.span.endedAt,
      within,
      place: innermost.place,
      meta: Object.assign({}, ...chain.map(({ meta }) => meta ?? {})) as JsonObject,
    });
    if (innermost.isRunning === true) return step;
    const outcome = outcomeOf({
      ...innermost,
      result: answered?.result,
      isFailed: failed !== undefined,
      message: failed?.message,
    });
    const { result: told } = asked ?? {};
    const isTold = answered === undefined && told !== undefined;
    transcript.settle(
      step,
      isTold
        ? { ...outcome, result: told.result, isFailed: outcome.isFailed === true || told.isFailed }
        : outcome,
      innermost.place,
    );
    return step;
  }
}

interface ToldByModels {
  readonly hasHandoffs: boolean;
  /** The agents that are the run itself. */
  readonly runs: ReadonlySet<string>;
  readonly told: ModelCalls;
  /** What each tool's span ran, by the span's id. */
  readonly ran: ReadonlyMap<string, ModelCall>;
}

const MAX_DEPTH = 200;

/** The spans of one call, innermost first, and what happened within it. */
function chainOf(node: Node): { readonly chain: readonly Span[]; readonly children: Node[] } {
  const chain = [node.span];
  const children: Node[] = [];
  let last = node;
  for (let inner = sameCall(last); inner; inner = sameCall(last)) {
    children.push(...last.children.filter((child) => child !== inner));
    chain.unshift(inner.span);
    last = inner;
  }
  return { chain, children: [...children, ...last.children] };
}

/** Finds for each tool's span what the models said of its call. */
function claim(node: Node, told: ModelCalls, ran: Map<string, ModelCall>): void {
  const { chain, children } =
    node.span.kind === "call" ? chainOf(node) : { chain: [], children: node.children };
  const [innermost] = chain;
  if (innermost) {
    const id = chain.find(({ callId }) => callId !== undefined)?.callId;
    const args = chain.find((span) => span.args !== undefined)?.args;
    const asked = told.claim(id, innermost.name, args);
    if (asked) ran.set(node.span.id, asked);
  }
  for (const child of children) claim(child, told, ran);
}

function sameCall({ span, children }: Node): Node | undefined {
  const [only, ...others] = children.filter(
    (child) => child.span.kind === "call" && child.span.name === span.name && isSameId(child.span, span),
  );
  return others.length === 0 ? only : undefined;
}

function isSameId(one: Span, other: Span): boolean {
  return one.callId === undefined || other.callId === undefined || one.callId === other.callId;
}

/** The agent within which all was done is the run itself, whatever stands around it. */
function runsIn(roots: readonly Node[]): ReadonlySet<string> {
  const runs = new Set<string>();
  let working = roots.filter((node) => !isOther(node));
  for (let [only] = working; only && working.length === 1; [only] = working) {
    const { span, children } = only;
    working = children.filter((node) => !isOther(node));
    if (span.kind === "agent" && working.length > 0) runs.add(span.id);
    else if (span.kind !== "other") break;
  }
  return runs;
}

function isOther({ span, children }: Node): boolean {
  return span.kind === "other" && children.every(isOther);
}

function outcomeOf({ result, isFailed, isCancelled, message }: Span): StepOutcome {
  if (isCancelled === true) return { isCancelled, message };
  if (result === undefined) return { isFailed, message };
  const answer = toolAnswer(result);
  return { ...answer, isFailed: isFailed || answer.isFailed, message: message ?? answer.message };
}

function inOrder(a: Span, b: Span): number {
  if (a.order !== undefined && b.order !== undefined && a.order !== b.order)
    return a.order < b.order ? -1 : 1;
  return (a.at ?? 0) - (b.at ?? 0);
}
