import type { Json, JsonObject } from "../../../core/json/json.ts";
import { boundedValue } from "../reading/bounded-value.ts";
import type { ImportState, ImportContext } from "../format.ts";
import type { Judgement } from "../../record/judgement.ts";
import { OpenTraces } from "../open-traces.ts";
import { type StepOutcome, Transcript, type TokenUsage } from "../transcript.ts";
import { filledText } from "../reading/fields.ts";
import { toolAnswer } from "../reading/unwrap.ts";

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
  readonly message?: string | undefined;
  readonly isRunning?: boolean;
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
  /** Calls, and results of calls, that a model's messages tell: by the call's id. */
  readonly calls?: ReadonlyMap<string, Json>;
  readonly results?: ReadonlyMap<string, Json>;
  readonly meta?: JsonObject | undefined;
  readonly place: string;
}

/** Traces of spans that come in any order, mixed with other traces. */
export class SpanTraces implements ImportState {
  readonly #open: OpenTraces<SpanTree>;
  readonly #importing: ImportContext;

  constructor(format: string, importing: ImportContext) {
    this.#importing = importing;
    this.#open = new OpenTraces(
      importing,
      (id) => new SpanTree(format, id, importing),
      (tree) => tree.give(),
    );
  }

  add(span: Span): void {
    this.#open.change(span.traceId, (tree) => tree.add(span));
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
    this.#spans.set(span.id, { ...span, args: args?.value, result: result?.value });
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
      at: times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time)),
    };
    const told = { calls: merged(spans, "calls"), results: merged(spans, "results") };
    for (const root of this.#roots(spans)) this.#tell(root, transcript, undefined, told);
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

  #tell(node: Node, transcript: Transcript, within: number | undefined, told: MergedCalls): void {
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
        inner = this.#tellCall(node, transcript, within, told);
        break;
      case "agent":
        // The agent at the root is the run itself.
        if (within !== undefined || span.parentId !== undefined || node.children.every(isOther)) {
          inner = transcript.call({
            kind: "agent",
            tool: span.name,
            args: span.args ?? {},
            place: span.place,
            ...about,
          });
          transcript.settle(inner, outcomeOf(span), span.place);
        }
        break;
      case "model":
        if (
          span.said !== undefined ||
          span.usage?.inputTokens !== undefined ||
          span.usage?.outputTokens !== undefined
        )
          transcript.message(span.model ?? span.name, span.said, about);
        else if (!span.isFailed && span.calls?.size === 0)
          this.#importing.skip("not-understood", `${span.place}: ${span.name}`);
        if (span.isFailed)
          transcript.error(span.name, span.message ?? "The model's answer failed", {
            ...about,
            id: `${span.id}.error`,
          });
        break;
      case "handoff":
        transcript.handoff("", span.name, about);
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
    for (const child of node.children) this.#tell(child, transcript, inner, told);
  }

  /** A call that is told by several spans, one within the other (the agent's, the client's, the server's), is one call. */
  #tellCall(
    node: Node,
    transcript: Transcript,
    within: number | undefined,
    told: MergedCalls,
  ): number | undefined {
    const chain = [node.span];
    const children: Node[] = [];
    let last = node;
    for (let inner = sameCall(last); inner; inner = sameCall(last)) {
      children.push(...last.children.filter((child) => child !== inner));
      chain.unshift(inner.span);
      last = inner;
    }
    if (last !== node) node.children = [...children, ...last.children];
    const [innermost] = chain;
    if (!innermost) return within;
    const callId = chain.find((span) => span.callId !== undefined)?.callId ?? "";
    const args = chain.find((span) => span.args !== undefined)?.args ?? told.calls.get(callId);
    const answered = chain.find((span) => span.hasResult);
    const result = answered ? answered.result : told.results.get(callId);
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
    if (innermost.isRunning !== true)
      transcript.settle(
        step,
        { ...outcomeOf({ ...innermost, result, isFailed: failed !== undefined }), message: failed?.message },
        innermost.place,
      );
    return step;
  }
}

interface MergedCalls {
  readonly calls: ReadonlyMap<string, Json>;
  readonly results: ReadonlyMap<string, Json>;
}

const MAX_DEPTH = 200;

function merged(spans: readonly Span[], what: "calls" | "results"): ReadonlyMap<string, Json> {
  return new Map(spans.flatMap((span) => [...(span[what] ?? [])]));
}

function sameCall({ span, children }: Node): Node | undefined {
  const [only, ...others] = children.filter(
    (child) => child.span.kind === "call" && child.span.name === span.name,
  );
  return others.length === 0 ? only : undefined;
}

function isOther({ span, children }: Node): boolean {
  return span.kind === "other" && children.every(isOther);
}

function outcomeOf({ result, isFailed, message }: Span): StepOutcome {
  if (result === undefined) return { isFailed, message };
  const answer = toolAnswer(result);
  return { ...answer, isFailed: isFailed || answer.isFailed, message: message ?? answer.message };
}

function inOrder(a: Span, b: Span): number {
  if (a.order !== undefined && b.order !== undefined && a.order !== b.order)
    return a.order < b.order ? -1 : 1;
  return (a.at ?? 0) - (b.at ?? 0);
}
