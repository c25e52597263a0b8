import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { anthropicUsage, resultOf } from "./anthropic.ts";
import { filledText, list, member, number, object, objects, text, textOf, time } from "../reading/fields.ts";
import type { ImportContext, RecordReader, TraceFormat } from "../format.ts";
import { OpenTraces } from "../open-traces.ts";
import { type NewCall, type StepOutcome, Transcript, type TokenUsage } from "../transcript.ts";
import { isContentBlocks, unwrappedArguments, unwrappedContent } from "../reading/unwrap.ts";

/**
 * The sessions that Claude Code keeps (`~/.claude/projects/*.jsonl`, with those of its sub-agents), and what
 * `claude -p --output-format stream-json` and the Agent SDK print (https://code.claude.com/docs/en/headless).
 */
export const CLAUDE_CODE: TraceFormat = {
  name: "claude-code",
  likeness: (record) => {
    const type = text(record["type"]);
    if (type === undefined) return 0;
    const isLine = "sessionId" in record || "session_id" in record || "uuid" in record;
    if ((type === "user" || type === "assistant") && isLine && isJsonObject(record["message"])) return 2;
    if (type === "summary" && "leafUuid" in record) return 2;
    if (type === "file-history-snapshot" || type === "queue-operation") return 2;
    return (type === "system" || type === "result" || type === "progress" || type === "attachment") && isLine
      ? 2
      : 0;
  },
  open: (importing) => {
    const sessions = importing.shared(
      CLAUDE_CODE.name,
      () =>
        new OpenTraces(
          importing,
          (id) => new Session(id, importing),
          (session) => session.give(),
        ),
    );
    return {
      read: (record, place) => {
        const id = text(member(record, "sessionId", "session_id"));
        if (id !== undefined) sessions.change(id, (session) => session.read(record, place));
      },
      close: () => undefined,
    } satisfies RecordReader;
  },
};

/** What a line did, until it is known whether it is on the branch that was followed to the end. */
type Act =
  | { readonly kind: "turn"; readonly said: string }
  | { readonly kind: "message"; readonly said: string | undefined; readonly at?: number | undefined }
  | { readonly kind: "call"; readonly id: string; readonly call: NewCall }
  | { readonly kind: "error"; readonly said: string; readonly at?: number | undefined };

interface Line {
  /** The line before it in its branch. */
  readonly parent: number;
  /** Lines of one answer of the model share it. */
  readonly message: string | undefined;
  readonly acts: readonly Act[];
  /** The sub-agent whose line it is. */
  readonly agent: string | undefined;
  readonly place: string;
}

interface Answer {
  readonly outcome: StepOutcome;
  readonly place: string;
  readonly agent: string | undefined;
}

interface AgentRun {
  /** What it was told to do. */
  prompt: string | undefined;
  /** The call that started it, where a line tells. */
  call: string | undefined;
  readonly lines: number[];
}

const MAX_LINES = 200_000;
const AGENT_TOOLS: ReadonlySet<string> = new Set(["Task", "Agent"]);

class Session {
  size = 1000;
  readonly #id: string;
  readonly #importing: ImportContext;
  readonly #lines: Line[] = [];
  readonly #byUuid = new Map<string, number>();
  readonly #answers = new Map<string, Answer>();
  readonly #usage = new Map<string, TokenUsage>();
  readonly #agents = new Map<string, AgentRun>();
  #last = -1;
  #model: string | undefined;
  #total: TokenUsage & { readonly at?: number | undefined } = {};

  constructor(id: string, importing: ImportContext) {
    this.#id = id;
    this.#importing = importing;
  }

  read(record: JsonObject, place: string): void {
    const type = text(record["type"]);
    if (type === "result") {
      const { total_cost_usd: cost } = record;
      this.#total = { ...this.#total, cost: number(cost) };
      return;
    }
    const nested = type === "progress" ? this.#nested(record) : undefined;
    if (nested) this.#line(nested, place);
    else if (this.size > this.#importing.limits.traceSize) this.#importing.skip("trace-too-large", place);
    else if (this.#lines.length >= MAX_LINES) this.#importing.skip("too-many-steps", place);
    else this.#line(record, place);
  }

  /** What a sub-agent does, as later versions tell it while it goes on. */
  #nested(record: JsonObject): JsonObject | undefined {
    const data = object(record["data"]);
    const inner = object(data?.["message"]);
    if (data?.["type"] !== "agent_progress" || !inner || !isJsonObject(inner["message"])) return undefined;
    return {
      ...inner,
      isSidechain: true,
      agentId: data["agentId"] ?? record["parentToolUseID"] ?? "agent",
      parent_tool_use_id: record["parentToolUseID"] ?? null,
      ...(inner["timestamp"] === undefined ? { timestamp: record["timestamp"] ?? null } : {}),
    };
  }

  #line(record: JsonObject, place: string): void {
    const uuid = text(record["uuid"]);
    if (uuid !== undefined && this.#byUuid.has(uuid)) {
      this.#importing.skip("duplicate", place);
      return;
    }
    const agent = this.#agentOf(record);
    const message = object(record["message"]);
    const at = time(record["timestamp"]);
    const acts = message ? this.#acts(record, message, agent, at, place) : [];
    const index = this.#lines.length;
    this.#lines.push({ parent: this.#parentOf(record), message: text(message?.["id"]), acts, agent, place });
    this.size += 200;
    if (uuid !== undefined) this.#byUuid.set(uuid, index);
    if (agent !== undefined) this.#agentRun(agent).lines.push(index);
    else if (message) this.#last = index;
    if (at !== undefined && this.#total.at === undefined) this.#total = { ...this.#total, at };
  }

  // Parents come before their children; one that is not known was in a line that is lost.
  #parentOf(record: JsonObject): number {
    const parent = text(member(record, "parentUuid", "logicalParentUuid"));
    const known = parent === undefined ? undefined : this.#byUuid.get(parent);
    return known ?? this.#last;
  }

  #agentOf(record: JsonObject): string | undefined {
    const call = filledText(record["parent_tool_use_id"]);
    if (record["isSidechain"] !== true && call === undefined) return undefined;
    const parent = text(record["parentUuid"]);
    const known = parent === undefined ? undefined : this.#lines[this.#byUuid.get(parent) ?? -1]?.agent;
    const agent = filledText(record["agentId"]) ?? call ?? known ?? `agent at line ${this.#lines.length}`;
    const run = this.#agentRun(agent);
    run.call ??= call;
    if (record["type"] === "user") run.prompt ??= filledText(textOf(object(record["message"])?.["content"]));
    return agent;
  }

  #agentRun(agent: string): AgentRun {
    const run = this.#agents.get(agent) ?? { prompt: undefined, call: undefined, lines: [] };
    this.#agents.set(agent, run);
    return run;
  }

  #acts(
    record: JsonObject,
    message: JsonObject,
    agent: string | undefined,
    at: number | undefined,
    place: string,
  ): readonly Act[] {
    return record["type"] === "assistant"
      ? this.#assistantActs(record, message, at, place)
      : this.#userActs(record, message, agent, at, place);
  }

  #assistantActs(
    record: JsonObject,
    message: JsonObject,
    at: number | undefined,
    place: string,
  ): readonly Act[] {
    const said = filledText(textOf(objects(message["content"]).filter((block) => block["type"] === "text")));
    if (record["isApiErrorMessage"] === true) return [{ kind: "error", said: said ?? "API error", at }];
    if (message["model"] !== "<synthetic>") this.#model ??= filledText(message["model"]);
    const id = text(message["id"]) ?? text(record["uuid"]);
    const usage = anthropicUsage(object(message["usage"]));
    if (id !== undefined && usage.outputTokens !== undefined) this.#usage.set(id, usage);
    this.size += said?.length ?? 0;
    const acts: Act[] = said === undefined ? [] : [{ kind: "message", said, at }];
    for (const block of objects(message["content"])) {
      const type = text(block["type"]) ?? "";
      if (type !== "tool_use" && type !== "server_tool_use" && type !== "mcp_tool_use") continue;
      const args = unwrappedArguments(block["input"]) ?? {};
      const tool = text(block["name"]) ?? "";
      if (tool.trim() === "") {
        this.#importing.skip("no-name", place);
        continue;
      }
      this.size += 100 + sizeOf(args);
      const kind = AGENT_TOOLS.has(tool) ? "agent" : "tool";
      acts.push({ kind: "call", id: text(block["id"]) ?? "", call: { kind, tool, args, at, place } });
    }
    return acts;
  }

  #userActs(
    record: JsonObject,
    message: JsonObject,
    agent: string | undefined,
    at: number | undefined,
    place: string,
  ): readonly Act[] {
    if (record["type"] !== "user") return [];
    const results = objects(message["content"]).filter(
      (block) => text(block["type"])?.endsWith("tool_result") === true,
    );
    for (const block of results) {
      const id = text(block["tool_use_id"]) ?? "";
      // The structured result is that of the only block.
      const structured =
        results.length === 1 ? member(record, "toolUseResult", "tool_use_result") : undefined;
      const outcome = outcomeOf(block, structured, at);
      this.size += 100 + sizeOf(outcome.result ?? null);
      this.#answers.set(id, { outcome, place, agent });
      const started = filledText(object(structured)?.["agentId"]);
      if (started !== undefined) this.#agentRun(started).call ??= id;
    }
    if (
      results.length > 0 ||
      agent !== undefined ||
      record["isMeta"] === true ||
      record["isCompactSummary"] === true
    )
      return [];
    const said = filledText(textOf(message["content"]));
    if (
      said === undefined ||
      /^(?:<(?:command|local-command|bash|user-memory)-|\[Request interrupted|Caveat: )/.test(said)
    )
      return [];
    this.size += said.length;
    return [{ kind: "turn", said }];
  }

  give(): void {
    if (this.#lines.length === 0) return;
    const transcript = new Transcript(CLAUDE_CODE.name, this.#lines[0]?.place ?? "", this.#importing);
    transcript.sourceId = this.#id;
    transcript.sessionId = this.#id;
    transcript.model = this.#model;
    transcript.usage = this.#total;
    new SessionWriter(
      transcript,
      this.#lines,
      this.#answers,
      this.#usage,
      this.#agents,
      this.#importing,
    ).tell(this.#followed());
    if (!transcript.isEmpty) this.#importing.give(transcript);
  }

  /** The lines of the branch that the session ended on, in their order. */
  #followed(): readonly number[] {
    const followed = new Set<number>();
    const messages = new Set<string>();
    for (let at = this.#last; at !== -1 && !followed.has(at); at = this.#lines[at]?.parent ?? -1) {
      followed.add(at);
      const message = this.#lines[at]?.message;
      if (message !== undefined) messages.add(message);
    }
    // An answer with several calls is several lines, of which the branch goes through one.
    this.#lines.forEach(({ message, agent }, index) => {
      if (message !== undefined && agent === undefined && messages.has(message)) followed.add(index);
    });
    this.#lines.forEach(({ acts, agent, place }, index) => {
      if (agent === undefined && acts.length > 0 && !followed.has(index))
        this.#importing.skip("abandoned", place);
    });
    return [...followed].toSorted((a, b) => a - b);
  }
}

/** Tells the lines of a session to its transcript. */
class SessionWriter {
  readonly #transcript: Transcript;
  readonly #lines: readonly Line[];
  readonly #answers: ReadonlyMap<string, Answer>;
  readonly #usage: Map<string, TokenUsage>;
  readonly #importing: ImportContext;
  readonly #agents: Map<string, AgentRun>;
  readonly #byCall = new Map<string, string>();
  readonly #byPrompt = new Map<string, string[]>();
  readonly #told = new Set<string>();
  readonly #answered = new Set<string>();

  constructor(
    transcript: Transcript,
    lines: readonly Line[],
    answers: ReadonlyMap<string, Answer>,
    usage: ReadonlyMap<string, TokenUsage>,
    agents: ReadonlyMap<string, AgentRun>,
    importing: ImportContext,
  ) {
    this.#transcript = transcript;
    this.#lines = lines;
    this.#answers = answers;
    this.#usage = new Map(usage);
    this.#agents = new Map(agents);
    for (const [agent, { call, prompt }] of agents) {
      if (call !== undefined) this.#byCall.set(call, agent);
      else if (prompt !== undefined) {
        const same = this.#byPrompt.get(prompt) ?? [];
        same.push(agent);
        this.#byPrompt.set(prompt, same);
      }
    }
    this.#importing = importing;
  }

  tell(followed: readonly number[]): void {
    this.#tellLines(followed, undefined, 0);
    // The file of a sub-agent alone, or one whose start is lost.
    for (const [agent, run] of this.#agents) {
      if (this.#told.has(agent)) continue;
      this.#told.add(agent);
      if (run.prompt !== undefined && followed.length === 0) this.#transcript.turn(run.prompt);
      this.#tellLines(run.lines, undefined, 0);
    }
    const known = new Set(
      this.#lines.flatMap(({ acts }) => acts.flatMap((act) => (act.kind === "call" ? act.id : []))),
    );
    for (const [id, { place }] of this.#answers)
      if (!this.#answered.has(id) && !known.has(id)) this.#importing.skip("no-call", place);
  }

  #tellLines(lines: readonly number[], within: number | undefined, depth: number): void {
    const told = lines.flatMap((index) => this.#lines[index] ?? []);
    for (const line of told.filter(({ acts }) => acts.length > 0)) {
      const usage = this.#takeUsage(line);
      const says = line.acts.some(({ kind }) => kind === "message");
      if (usage && !says) this.#transcript.message("assistant", undefined, { within, ...usage });
      for (const act of line.acts) this.#tellAct(act, within, depth, usage);
    }
    // Answers that only thought.
    for (const line of told) {
      const usage = this.#takeUsage(line);
      if (usage) this.#transcript.message("assistant", undefined, { within, ...usage });
    }
  }

  // Each line of one answer repeats its usage.
  #takeUsage({ message }: Line): TokenUsage | undefined {
    const usage = message === undefined ? undefined : this.#usage.get(message);
    if (message !== undefined) this.#usage.delete(message);
    return usage;
  }

  #tellAct(act: Act, within: number | undefined, depth: number, usage: TokenUsage | undefined): void {
    switch (act.kind) {
      case "turn":
        this.#transcript.turn(act.said);
        return;
      case "message":
        this.#transcript.message("assistant", act.said, { at: act.at, within, ...usage });
        return;
      case "error":
        this.#transcript.error("assistant", act.said, { at: act.at, within });
        return;
      case "call":
        this.#tellCall(act.id, act.call, within, depth);
        return;
    }
  }

  #tellCall(id: string, call: NewCall, within: number | undefined, depth: number): void {
    const step = this.#transcript.call({ ...call, within });
    const answer = this.#answers.get(id);
    if (answer && !this.#answered.has(id)) {
      this.#transcript.settle(step, answer.outcome, answer.place);
      this.#answered.add(id);
    }
    if (call.kind !== "agent" || step === undefined || depth >= MAX_AGENTS) return;
    const agent = this.#agentOf(id, call.args);
    if (agent === undefined) return;
    this.#told.add(agent);
    this.#tellLines(this.#agents.get(agent)?.lines ?? [], step, depth + 1);
  }

  /** The sub-agent that a call started: the one that a line names, or the first that was told the same. */
  #agentOf(id: string, args: Json | undefined): string | undefined {
    const named = this.#byCall.get(id);
    if (named !== undefined && !this.#told.has(named)) return named;
    const same = this.#byPrompt.get(text(object(args)?.["prompt"]) ?? "");
    for (let agent = same?.shift(); agent !== undefined; agent = same?.shift())
      if (!this.#told.has(agent)) return agent;
    return undefined;
  }
}

const MAX_AGENTS = 16;

function outcomeOf(
  block: JsonObject,
  structured: Json | undefined,
  endedAt: number | undefined,
): StepOutcome {
  if (block["is_error"] === true) {
    const said = resultOf(block);
    return { result: said, isFailed: true, message: text(said), endedAt };
  }
  const record = object(structured);
  const blocks = list(structured);
  if (blocks && isContentBlocks(blocks)) return { result: unwrappedContent(blocks) ?? null, endedAt };
  if (!record) return { result: blocks ?? resultOf(block), endedAt };
  const isAgent = "totalToolUseCount" in record && Array.isArray(record["content"]);
  if (!isAgent) return { result: record["structuredContent"] ?? record, endedAt };
  const meta = { totalTokens: record["totalTokens"] ?? null };
  return { result: unwrappedContent(record["content"]) ?? null, endedAt, meta };
}

function sizeOf(value: Json): number {
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null ? roughSize(value, 6) : 8;
}

function roughSize(value: Json, depth: number): number {
  if (typeof value === "string") return value.length + 16;
  if (typeof value !== "object" || value === null || depth === 0) return 16;
  let size = 32;
  for (const each of Object.values(value)) size += roughSize(each, depth - 1);
  return size;
}
