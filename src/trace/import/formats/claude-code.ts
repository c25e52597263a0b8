import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { anthropicUsage, resultOf } from "./anthropic.ts";
import {
  filledText,
  label,
  list,
  member,
  number,
  object,
  objects,
  text,
  textOf,
  time,
} from "../reading/fields.ts";
import type { ImportContext, RecordReader, TraceFormat } from "../format.ts";
import { OpenTraces } from "../open-traces.ts";
import { type NewCall, type StepOutcome, Transcript, type TokenUsage } from "../transcript.ts";
import { roughSize } from "../reading/bounded-value.ts";
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
        if (id !== undefined || isJsonObject(record["message"]))
          sessions.change(id ?? "", (session) => session.read(record, place));
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
  /** Its place among the lines of its session. */
  readonly index: number;
  readonly uuid: string | undefined;
  /** The line before it in its branch. */
  readonly parent: Line | undefined;
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
  readonly id: string;
  /** What it was told to do. */
  prompt: string | undefined;
  /** The call that started it, where a line tells. */
  call: string | undefined;
  readonly lines: Line[];
}

/** Lines that tell of the session, not of what was done in it. */
const WITHOUT_MESSAGE: ReadonlySet<string> = new Set([
  ...["summary", "system", "progress", "attachment", "file-history-snapshot", "queue-operation"],
  ...["result", "custom-title", "ai-title", "agent-name", "agent-color", "agent-setting", "tag", "mode"],
  ...["last-prompt", "permission-mode", "pr-link", "worktree-state", "stream_event", "rate_limit_event"],
]);

const MAX_LINES = 200_000;
const AGENT_TOOLS: ReadonlySet<string> = new Set(["Task", "Agent"]);

class Session {
  size = 1000;
  readonly #id: string;
  readonly #importing: ImportContext;
  readonly #lines: Line[] = [];
  readonly #byUuid = new Map<string, Line>();
  readonly #answers = new Map<string, Answer>();
  readonly #usage = new Map<string, TokenUsage>();
  readonly #agents = new Map<string, AgentRun>();
  #last: Line | undefined;
  /** The last line that holds something, on whose branch the session ended. */
  #leaf: Line | undefined;
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
    if (!isJsonObject(record["message"]) && !WITHOUT_MESSAGE.has(type ?? ""))
      this.#importing.skip("not-understood", `${place}: ${type ?? "no type"}`);
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
    const parent = this.#parentOf(record);
    const index = this.#lines.length;
    const line = { index, uuid, parent, message: text(message?.["id"]), acts, agent, place };
    this.#lines.push(line);
    this.size += 200;
    if (uuid !== undefined) this.#byUuid.set(uuid, line);
    if (agent !== undefined) this.#agentRun(agent).lines.push(line);
    else if (message) {
      this.#last = line;
      if (acts.length > 0 || resultsIn(message).length > 0) this.#leaf = line;
    }
    // Files come in any order.
    if (at !== undefined) this.#total = { ...this.#total, at: Math.min(at, this.#total.at ?? at) };
  }

  // Parents come before their children; one that is not known was in a line that is lost.
  #parentOf(record: JsonObject): Line | undefined {
    const parent = text(member(record, "parentUuid", "logicalParentUuid"));
    const known = parent === undefined ? undefined : this.#byUuid.get(parent);
    return known ?? this.#last;
  }

  #agentOf(record: JsonObject): string | undefined {
    const call = filledText(record["parent_tool_use_id"]);
    if (record["isSidechain"] !== true && call === undefined) return undefined;
    const parent = text(record["parentUuid"]);
    const known = parent === undefined ? undefined : this.#byUuid.get(parent)?.agent;
    const agent =
      filledText(record["agentId"]) ??
      call ??
      known ??
      text(record["uuid"]) ??
      `agent at line ${this.#lines.length}`;
    const run = this.#agentRun(agent);
    run.call ??= call;
    if (record["type"] === "user") run.prompt ??= filledText(textOf(object(record["message"])?.["content"]));
    return agent;
  }

  #agentRun(id: string): AgentRun {
    const run = this.#agents.get(id) ?? { id, prompt: undefined, call: undefined, lines: [] };
    this.#agents.set(id, run);
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
      const type = label(block["type"]);
      if (type !== "tool_use" && type !== "server_tool_use" && type !== "mcp_tool_use") continue;
      const args = unwrappedArguments(block["input"]) ?? {};
      const tool = toolName(label(block["name"]));
      if (tool.trim() === "") {
        this.#importing.skip("no-name", place);
        continue;
      }
      this.size += 100 + sizeOf(args);
      const kind = AGENT_TOOLS.has(tool) ? "agent" : "tool";
      acts.push({ kind: "call", id: label(block["id"]), call: { kind, tool, args, at, place } });
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
    const results = resultsIn(message);
    for (const block of results) {
      const id = filledText(block["tool_use_id"]);
      if (id === undefined) {
        this.#importing.skip("no-call", place);
        continue;
      }
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

  /** The session as runs: the branch that it ended on, others that called something, and agents that no call started. */
  give(): void {
    const followed = this.#followed();
    const main = this.#transcript("");
    const writer = new SessionWriter(main, this.#lines, this.#answers, this.#usage, this.#agents.values());
    main.model = this.#model;
    main.usage = this.#total;
    writer.tell(
      main,
      this.#lines.filter((line) => followed.has(line)),
    );
    main.related = Array.from(writer.told, ({ id }) => `${this.#id}/agent/${id}`);
    const branches = this.#abandoned(followed).map((lines) => this.#branch(lines, writer, main.assignment));
    main.related = [...main.related, ...this.#forks(followed)];
    const agents = [...this.#agents.values()].flatMap((agent) => this.#agent(agent, writer));
    const runs = [main, ...branches, ...agents].filter((run) => run && !run.isEmpty);
    // That there is nothing is told of the session as a whole.
    for (const run of runs.length === 0 ? [main] : runs) if (run) this.#importing.give(run);
    for (const { place } of writer.unanswered) this.#importing.skip("no-call", place);
  }

  #transcript(part: string): Transcript {
    const transcript = new Transcript(CLAUDE_CODE.name, this.#lines[0]?.place ?? "", this.#importing);
    if (this.#id === "") return transcript;
    transcript.sourceId = `${this.#id}${part}`;
    transcript.sessionId = this.#id;
    return transcript;
  }

  #branch(
    [first, ...others]: readonly [Line, ...Line[]],
    writer: SessionWriter,
    task: string | undefined,
  ): Transcript | undefined {
    const lines = [first, ...others];
    const told = lines.filter(({ acts }) => acts.length > 0);
    if (!told.some(({ acts }) => acts.some(({ kind }) => kind === "call"))) {
      for (const { place } of told) this.#importing.skip("abandoned", place);
      return undefined;
    }
    const branch = this.#transcript(`/branch/${first.uuid ?? first.index}`);
    branch.related = [this.#id];
    branch.status = "cancelled";
    branch.meta = { abandoned: true };
    branch.judgement = { isSuccess: false, by: "the branch was given up" };
    if (!told.some(({ acts }) => acts.some(({ kind }) => kind === "turn"))) branch.task = task;
    writer.tell(branch, lines);
    return branch;
  }

  /** The run of an agent whose file came alone, or whose start is lost. */
  #agent(agent: AgentRun, writer: SessionWriter): Transcript | readonly never[] {
    if (writer.told.has(agent)) return [];
    const run = this.#transcript(`/agent/${agent.id}`);
    run.related = [this.#id];
    run.meta = { agentId: agent.id };
    run.task = agent.prompt;
    writer.tellAgent(run, agent);
    return run;
  }

  /** The lines of the branch that the session ended on. */
  #followed(): ReadonlySet<Line> {
    const followed = new Set<Line>();
    for (let at = this.#leaf; at && !followed.has(at); at = at.parent) followed.add(at);
    const messages = new Set(Array.from(followed, ({ message }) => message));
    // An answer with several calls is several lines, of which the branch goes through one.
    for (const line of this.#lines)
      if (line.message !== undefined && line.agent === undefined && messages.has(line.message))
        followed.add(line);
    return followed;
  }

  /** The lines of each branch that was given up: those that hang on the same line of it. */
  #abandoned(followed: ReadonlySet<Line>): readonly (readonly [Line, ...Line[]])[] {
    const branches = new Map<Line, [Line, ...Line[]]>();
    for (const line of this.#lines) {
      if (line.agent !== undefined || followed.has(line)) continue;
      const branch = line.parent && branches.get(line.parent);
      if (branch) branch.push(line);
      branches.set(line, branch ?? [line]);
    }
    return [...new Set(branches.values())];
  }

  /** As what the lines that are followed now were imported, if another branch was followed before. */
  #forks(followed: ReadonlySet<Line>): readonly string[] {
    const telling = this.#lines.filter(({ acts, agent }) => acts.length > 0 && agent === undefined);
    const siblings = Map.groupBy(telling, ({ parent }) => parent);
    const forked = new Set(
      Array.from(siblings).flatMap(([parent, lines]) => (lines.length > 1 ? [parent] : [])),
    );
    return Array.from(followed).flatMap(({ uuid, parent }) =>
      uuid !== undefined && forked.has(parent) ? `${this.#id}/branch/${uuid}` : [],
    );
  }
}

/** Tells the lines of a session to the transcripts of its runs, each call once. */
class SessionWriter {
  /** Agents whose lines were told. */
  readonly told = new Set<AgentRun>();
  readonly #lines: readonly Line[];
  readonly #answers: ReadonlyMap<string, Answer>;
  readonly #usage: Map<string, TokenUsage>;
  readonly #byCall = new Map<string, AgentRun>();
  readonly #byPrompt = new Map<string, AgentRun[]>();
  readonly #called = new Set<string>();
  #transcript: Transcript;

  constructor(
    transcript: Transcript,
    lines: readonly Line[],
    answers: ReadonlyMap<string, Answer>,
    usage: ReadonlyMap<string, TokenUsage>,
    agents: Iterable<AgentRun>,
  ) {
    this.#transcript = transcript;
    this.#lines = lines;
    this.#answers = answers;
    this.#usage = new Map(usage);
    for (const agent of agents) {
      const { call, prompt } = agent;
      if (call !== undefined) this.#byCall.set(call, agent);
      else if (prompt !== undefined) {
        const same = this.#byPrompt.get(prompt) ?? [];
        same.push(agent);
        this.#byPrompt.set(prompt, same);
      }
    }
  }

  tell(transcript: Transcript, lines: readonly Line[]): void {
    this.#transcript = transcript;
    this.#tellLines(lines, undefined, 0);
  }

  tellAgent(transcript: Transcript, agent: AgentRun): void {
    this.told.add(agent);
    this.tell(transcript, agent.lines);
  }

  /** Answers to calls that no line makes. */
  get unanswered(): readonly Answer[] {
    const known = new Set(
      this.#lines.flatMap(({ acts }) => acts.flatMap((act) => (act.kind === "call" ? act.id : []))),
    );
    return [...this.#answers].flatMap(([id, answer]) => (known.has(id) ? [] : answer));
  }

  #tellLines(lines: readonly Line[], within: number | undefined, depth: number): void {
    for (const line of lines.filter(({ acts }) => acts.length > 0)) {
      const usage = this.#takeUsage(line);
      const says = line.acts.some(({ kind }) => kind === "message");
      if (usage && !says) this.#tellUsage(line, usage, within);
      for (const act of line.acts) this.#tellAct(act, line, within, depth, usage);
    }
    // Answers that only thought.
    for (const line of lines) {
      const usage = this.#takeUsage(line);
      if (usage) this.#tellUsage(line, usage, within);
    }
  }

  #tellUsage({ message }: Line, usage: TokenUsage, within: number | undefined): void {
    this.#transcript.message("assistant", undefined, { id: message, within, ...usage });
  }

  // Each line of one answer repeats its usage.
  #takeUsage({ message }: Line): TokenUsage | undefined {
    const usage = message === undefined ? undefined : this.#usage.get(message);
    if (message !== undefined) this.#usage.delete(message);
    return usage;
  }

  #tellAct(
    act: Act,
    { uuid: id }: Line,
    within: number | undefined,
    depth: number,
    usage: TokenUsage | undefined,
  ): void {
    switch (act.kind) {
      case "turn":
        this.#transcript.turn(act.said);
        return;
      case "message":
        this.#transcript.message("assistant", act.said, { id, at: act.at, within, ...usage });
        return;
      case "error":
        this.#transcript.error("assistant", act.said, { id, at: act.at, within });
        return;
      case "call":
        this.#tellCall(act.id, act.call, within, depth);
        return;
    }
  }

  /** A call that is told twice, by a session and by its agent's own file, is one. */
  #tellCall(id: string, call: NewCall, within: number | undefined, depth: number): void {
    if (id !== "" && this.#called.has(id)) return;
    this.#called.add(id);
    const step = this.#transcript.call({ ...call, within, id: id === "" ? undefined : id });
    const answer = this.#answers.get(id);
    if (answer) this.#transcript.settle(step, answer.outcome, answer.place);
    if (call.kind !== "agent" || step === undefined || depth >= MAX_AGENTS) return;
    const agent = this.#agentOf(id, call.args);
    if (agent === undefined) return;
    this.told.add(agent);
    this.#tellLines(agent.lines, step, depth + 1);
  }

  /** The sub-agent that a call started: the one that a line names, or the first that was told the same. */
  #agentOf(id: string, args: Json | undefined): AgentRun | undefined {
    const named = this.#byCall.get(id);
    if (named !== undefined && !this.told.has(named)) return named;
    const same = this.#byPrompt.get(label(object(args)?.["prompt"]));
    for (let agent = same?.shift(); agent !== undefined; agent = same?.shift())
      if (!this.told.has(agent)) return agent;
    return undefined;
  }
}

const MAX_AGENTS = 16;

function resultsIn(message: JsonObject): readonly JsonObject[] {
  return objects(message["content"]).filter((block) => text(block["type"])?.endsWith("tool_result") === true);
}

/**
 * `mcp__shop__get_order` as `shop.get_order`. The server's name ends at the first `__` after it; what of it is no letter,
 * digit, `_` or `-` is `_`, as the program itself writes it.
 */
function toolName(name: string): string {
  const [, server = "", tool = ""] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return server === "" ? name : `${server.replaceAll(/[^\w-]/g, "_")}.${tool}`;
}

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
