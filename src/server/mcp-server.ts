import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  type CallToolResult,
  type InputRequiredResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  isInputRequiredResult,
  McpServer,
  type McpServerFactory,
  type ProgressNotification,
  type ProgressToken,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  ResourceNotFoundError,
  SdkError,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import type { Catalog, CatalogSnapshot } from "../catalog/catalog.ts";
import type { Meaning } from "../catalog/meaning.ts";
import { failure, type Failure } from "../core/error.ts";
import type { Json, JsonObject } from "../core/json/json.ts";
import { didYouMean } from "../core/text/nearest.ts";
import { IDEMPOTENCY_KEY } from "../core/tools/idempotency-key.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { TransientMap } from "../core/transient-map.ts";
import { type Run, type RunEvent, unmetIn } from "../core/run.ts";
import type { Skill } from "../core/skill.ts";
import type { Runner, RunOptions } from "../runner/runner.ts";
import type { DurableEngine } from "../durable/durable-engine.ts";
import { RunRecorder } from "../trace/record/run-recorder.ts";
import { type Elicitation, Elicitations, type ElicitationTarget } from "./elicitation.ts";
import { runWithChoices } from "./run-choice.ts";
import { runConsent, type ServedFlows } from "./run-consent.ts";
import { callerOn, clientText, sessionOn } from "./transport/client-session.ts";
import { skillInput } from "./tools/tool-input.ts";
import { callProxiedTool } from "./tools/proxied-tools.ts";
import {
  FINDINGS_RESOURCE,
  findingsContent,
  type ServedSkills,
  listedResources,
  skillFileContent,
  skillsExtension,
} from "./skill-resources.ts";
import { withPlainErrors } from "./plain-errors.ts";
import { recordedAnswer, recordedInput } from "./recorded-answer.ts";
import { withheldFailure } from "./withheld-skills.ts";
import { failureAnswer, answeredFailure, outputAnswer } from "./tools/tool-answer.ts";
import { type ListTexts, listTexts } from "./tools/kept-list.ts";
import {
  isSameList,
  type SkillTool,
  type ToolList,
  toolListOf,
  type ToolListOptions,
} from "./tools/tool-list.ts";

export interface ServerOptions extends ToolListOptions {
  readonly name: string;
  readonly version: string;
  /** Requests wait for it, so that a connection can be opened while skills are still loading. */
  readonly catalog: Promise<Catalog>;
  /**
   * Resolves with the list that was shown last, when nothing that it was made of has changed since, and with none when
   * the skills are going to take longer than clients wait for their first list of tools.
   */
  readonly early?: Promise<ListTexts | undefined>;
  /** Told of each list that is served, and of the catalog that it is of. */
  readonly onList?: (texts: () => ListTexts, catalog: Catalog) => void;
  readonly runner: Runner;
  readonly flows?: ServedFlows;
  /** For search by meaning. */
  readonly meaning?: Meaning;
  readonly durable: DurableEngine;
}

/** The protocol side of a catalog, whatever transports carry it. */
export interface McpFront {
  readonly about: { readonly name: string; readonly version: string };
  /** How clients of the newest revision are shown a skill; undefined: it is none that they call. */
  readonly toolOf: (skill: string) => Promise<Tool | undefined>;
  /** Makes one server for each connection or request, in either protocol era; all share catalog and runner. */
  readonly factory: McpServerFactory;
  /**
   * Answers a call on a connection past the SDK, whose checks of a message take longer than most calls; undefined where
   * only the SDK can: before the connection is open, in the newest revisions, for what is no tool of a skill.
   */
  readonly directCall: (server: McpServer, params: CallParams) => DirectCall | undefined;
  /** Tells when the list of tools has become another one. */
  readonly onToolsChange: (listener: () => void) => void;
  /** Resolves when the skills are loaded, or cannot be. */
  readonly ready: Promise<void>;
  /** Cancels what runs and what is called from now on; that is the answer to the call. */
  readonly stop: () => void;
  /** Tells when the list of resources has become another one. */
  readonly onResourcesChange: (listener: () => void) => void;
}

/** Parameters of `tools/call`, as they have to be. */
export interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** What a call brings with it, however it has come in. */
interface CallContext {
  readonly signal: AbortSignal;
  /** What aborts the signal, where that is the server's to do, too. */
  readonly controller?: AbortController;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly notify: (told: ProgressNotification) => Promise<void>;
  /** Of the SDK, which has what persons answered. */
  readonly protocol?: ServerContext;
}

/**
 * Makes a call that came in under this id. An answer that asks for more is one for the SDK to put to the client: it is
 * given the request then, and gets this answer for it. The end of the server aborts the controller.
 */
export type DirectCall = (
  id: RequestId,
  controller: AbortController,
) => Promise<CallToolResult | InputRequiredResult>;

// It is told before the list, which may change: it names what is always listed.
const INSTRUCTIONS =
  "Each skill is a tool: call it rather than working the procedure out anew. " +
  "search_skills finds skills by what they do, describe_skill shows what one takes and gives; " +
  "where there are skills, other tools run one by name, and read the instructions and files of one without code.";

export function mcpFront(options: ServerOptions): McpFront {
  const { proxied: upstream, traces, learning, flows, meaning } = options;
  const recorder = traces?.recorder ?? new RunRecorder();
  const questions = new Elicitations();
  let lists = new WeakMap<CatalogSnapshot, ToolList>();
  const currentList = (snapshot: CatalogSnapshot): ToolList => {
    const known = lists.get(snapshot);
    if (known) return known;
    const made = toolListOf(snapshot, options);
    lists.set(snapshot, made);
    return made;
  };

  // Without a list from earlier the tools that are always there come first, and skills follow with a change of the list.
  const early = (options.early ?? new Promise<undefined>(() => {})).then((texts) => ({ texts }));
  let shownEarly: ListTexts | undefined;
  const calls = new StoppableCalls();
  const givenSkills = async (): Promise<ServedSkills> => {
    const { snapshot } = await options.catalog;
    return currentList(snapshot).served;
  };
  const skills = skillsExtension(givenSkills);
  let loaded: Catalog | undefined;
  void options.catalog.then(
    (catalog) => (loaded = catalog),
    () => undefined,
  );
  const connections = new WeakMap<McpServer, (params: CallParams) => DirectCall | undefined>();

  const factory: McpServerFactory = (connection) => {
    const sessionOf = sessionOn(connection);
    const caller = callerOn(connection);
    const mcp = new McpServer(
      { name: options.name, version: options.version },
      { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: true }, resources: {} } },
    );
    const connect = mcp.server.connect.bind(mcp.server);
    mcp.server.connect = async (transport) => connect(withPlainErrors(transport));
    mcp.server.setRequestHandler("tools/list", async () => {
      const known = await Promise.race([options.catalog, early]);
      if ("texts" in known) {
        shownEarly = known.texts ?? listTexts(toolListOf(NO_SKILLS, options, { isLoading: true }).tools);
        return { tools: JSON.parse(shownEarly[connection.era]) as Tool[] };
      }
      const { snapshot } = known;
      await upstream?.openPublished();
      return { tools: [...currentList(snapshot).tools[connection.era]] };
    });
    const callTool = async (
      { name, arguments: input = {} }: CallParams,
      context: CallContext,
    ): Promise<CallToolResult | InputRequiredResult> => {
      const { snapshot } = loaded ?? (await options.catalog);
      const sessionId = sessionOf(context.meta);
      const envelope: Readonly<Record<string, unknown>> = context.protocol?.mcpReq.envelope ?? {};
      const client = clientText(
        connection.era === "legacy" ? mcp.server.getClientVersion() : envelope[CLIENT_INFO_META_KEY],
      );
      const by = { sessionId, client };
      /** A call that reaches no skill and no tool is part of what the client did, too. */
      const refused = async (
        error: Failure,
        called = name,
        kind: "skill" | "tool" = "tool",
      ): Promise<Failure> => {
        const call = { kind, name: called.slice(0, MAX_NAME), input: recordedInput(input as JsonObject) };
        await recorder.refused(call, error, by);
        return error;
      };
      const missing = hasTool(currentList(snapshot), name) ? undefined : await upstream?.whyMissing(name);
      if (missing) return failureAnswer(await refused(missing));
      const list = currentList(snapshot);
      const target: ElicitationTarget = {
        capabilities:
          connection.era === "legacy"
            ? mcp.server.getClientCapabilities()
            : envelope[CLIENT_CAPABILITIES_META_KEY],
        sessionId,
        context: context.protocol,
      };
      const ask = async (question: Elicitation) => questions.put(question, target);
      const run = async (
        skill: Skill,
        given: Json,
        tool?: SkillTool,
      ): Promise<CallToolResult | InputRequiredResult> => {
        const inNeed = (await flows?.inNeedOfConsent?.(skill.name, snapshot.skills)) ?? [];
        if (inNeed.length > 0) {
          const consent = await runConsent(skill, given, { flows: inNeed, skills: snapshot.skills }, ask);
          if (consent.kind === "asking") return consent.question;
          if (consent.kind === "refused") return failureAnswer(await refused(consent.error, skill.name));
        }
        const runOnce = async (input: Json) => {
          const recorded = await recorder.run(skill.name, input, by, async (id) =>
            withProgress(context, async (events) => {
              if (options.durable.takes(snapshot.skills, skill.name)) {
                const signal = cancelledBy(context);
                const session = sessionId;
                return options.durable.run(skill.name, input, { ...events, id, caller, signal, session });
              }
              return calls.during(context, async (signal) =>
                options.runner.run(snapshot.skills, skill.name, input, {
                  ...events,
                  id,
                  caller,
                  signal,
                  ...keyOf(context, by.client, skill.name, input),
                  refusals: list.refusals,
                }),
              );
            }),
          );
          const { outcome } = recorded.root;
          const answer = runAnswer(recorded, skill, calls, tool);
          return { failed: outcome.ok ? undefined : outcome.error, answer };
        };
        // A person has agreed to this input, and to no other.
        if (inNeed.length > 0) return (await runOnce(given)).answer;
        return runWithChoices(skill, given, runOnce, questions, target);
      };

      const own = list.bySkillTool.get(name);
      if (own) {
        const given = unwrapped(own, input as JsonObject);
        if (given.ok) return run(own.skill, given.value, own);
        return failureAnswer(await refused(given.error, own.skill.name, "skill"), own.inputSchema);
      }
      const passed = list.byProxiedTool.get(name);
      if (passed && upstream) {
        let isCalled = false;
        const told = await callProxiedTool(passed, input as JsonObject, async (args, onTexts) => {
          isCalled = true;
          return recorder.toolCall(
            { name: passed.calls, input: args, ...by },
            async () =>
              calls.during(context, async (signal) => {
                const answer = await upstream.call(passed.calls, args, {
                  signal,
                  onTexts,
                  ...keyOf(context, by.client, passed.calls, args),
                });
                return answer.ok ? answer : fail(calls.explained(answer.error));
              }),
            (answer) => answer,
          );
        });
        const failed = isCalled ? undefined : answeredFailure(told);
        if (failed) await refused(failed, passed.calls);
        return told;
      }
      const stable = list.byStableTool.get(name);
      if (stable) {
        const { withheld } = list;
        const reload = async (): Promise<CatalogSnapshot> => (await options.catalog).reload();
        const resume = async (runId: string): Promise<CallToolResult> => {
          const gone = await withProgress(context, async (events) =>
            options.durable.resume(runId, {
              ...events,
              caller,
              signal: cancelledBy(context),
              record: async (begun, work) => recorder.run(begun.skill, begun.input, by, work, runId),
            }),
          );
          if (!gone.ok) return failureAnswer(gone.error);
          const { outcome } = gone.value.root;
          return outcome.ok ? outputAnswer(outcome.output, undefined) : failureAnswer(outcome.error);
        };
        const durable = { runs: options.durable, resume };
        const own = { run, ask, reload, durable, ...by };
        const answer = async () =>
          stable.call(input, { snapshot, withheld, traces, learning, flows, meaning, ...own });
        if (!stable.isRecorded) return answer();
        const call = {
          name,
          input: recordedInput(input as JsonObject),
          ...by,
          source: "server",
        } as const;
        return recorder.toolCall(call, answer, recordedAnswer);
      }
      const faults = list.withheld.get(name);
      if (faults) return failureAnswer(await refused(withheldFailure(name, faults)));
      const known = list.tools.legacy.map((tool) => tool.name);
      const shown = name.slice(0, MAX_NAME);
      const message = `There is no tool named "${shown}".${didYouMean(shown, known)}`;
      await refused(failure("TOOL_NOT_FOUND", message));
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    };
    /** By request: what calls that were made directly ask for. */
    const asked = new Map<RequestId, InputRequiredResult>();
    mcp.server.setRequestHandler("tools/call", async ({ params }, context) => {
      const { id, signal, _meta: meta, notify } = context.mcpReq;
      const question = asked.get(id);
      asked.delete(id);
      return question ?? callTool(params, { signal, meta, notify, protocol: context });
    });
    connections.set(mcp, (params) => {
      const isOpen = connection.era === "legacy" && mcp.server.getClientVersion() !== undefined;
      if (!isOpen || !loaded || !currentList(loaded.snapshot).bySkillTool.has(params.name)) return undefined;
      return async (id, controller) => {
        const { signal } = controller;
        const notify: CallContext["notify"] = async (told) =>
          mcp.server.notification(told, { relatedRequestId: id });
        const answer = await callTool(params, { signal, controller, meta: params._meta, notify });
        if (isInputRequiredResult(answer) && !signal.aborted) asked.set(id, answer);
        return answer;
      };
    });
    skills.attach(mcp);
    mcp.server.setRequestHandler("resources/list", async ({ params }) =>
      listedResources(await givenSkills(), params?.cursor),
    );
    mcp.server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
      const { snapshot } = await options.catalog;
      if (uri === FINDINGS_RESOURCE.uri) return findingsContent(snapshot);
      const content = await skillFileContent(uri, await givenSkills());
      if (content) return content;
      const shown = uri.slice(0, 100);
      const hint = didYouMean(shown, [FINDINGS_RESOURCE.uri]);
      throw new ResourceNotFoundError(uri, `There is no resource "${shown}".${hint}`);
    });
    return mcp;
  };

  const onToolsChange = (listener: () => void): void => {
    const shown = (): string => JSON.stringify(upstream?.published(new Set()));
    let before = shown();
    upstream?.onChange(() => {
      lists = new WeakMap();
      const now = shown();
      if (now !== before) listener();
      before = now;
    });
    void options.catalog.then((catalog) => {
      const texts = (): ListTexts => listTexts(currentList(catalog.snapshot).tools);
      if (shownEarly && !isDeepStrictEqual(texts(), shownEarly)) listener();
      options.onList?.(texts, catalog);
      catalog.onChange((now, before) => {
        options.onList?.(texts, catalog);
        if (!isSameList(currentList(now), currentList(before))) listener();
      });
    });
  };

  const onResourcesChange = (listener: () => void): void => {
    void options.catalog.then((catalog) =>
      catalog.onChange((now, before) => {
        if (!isSameListing(currentList(now).served, currentList(before).served)) listener();
      }),
    );
  };

  const ready = options.catalog.then(
    () => undefined,
    () => undefined,
  );
  const about = { name: options.name, version: options.version };
  const toolOf = async (skill: string): Promise<Tool | undefined> => {
    await upstream?.openPublished();
    const { bySkillTool, tools } = currentList((await options.catalog).snapshot);
    return tools.modern.find(({ name }) => bySkillTool.get(name)?.skill.name === skill);
  };
  const directCall: McpFront["directCall"] = (server, params) => connections.get(server)?.(params);
  return {
    about,
    toolOf,
    factory,
    directCall,
    onToolsChange,
    onResourcesChange,
    ready,
    stop: () => calls.stop(),
  };
}

const MAX_NAME = 100;

/** Whether the skills have the same names and descriptions, in the same order. */
function isSameListing(now: ServedSkills, before: ServedSkills): boolean {
  const others = before.values();
  return (
    now.size === before.size &&
    now.values().every(({ name, description }) => {
      const other = others.next().value;
      return other?.name === name && other.description === description;
    })
  );
}

const NO_SKILLS: CatalogSnapshot = {
  version: 0,
  skills: new Map(),
  diagnostics: [],
  faulty: new Map(),
  leftOut: [],
};

/** The calls that run, which the end of the server cancels as their clients may. */
class StoppableCalls {
  readonly #open = new TransientMap<AbortController>();
  #next = 1;
  #isStopped = false;

  async during<Value>(
    { signal, controller }: Pick<CallContext, "signal" | "controller">,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    if (controller) return this.#while(controller, work);
    const own = new AbortController();
    const cancel = (): void => own.abort();
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await this.#while(own, work);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async #while<Value>(
    controller: AbortController,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    if (this.#isStopped) controller.abort();
    const number = this.#next++;
    this.#open.set(number, controller);
    try {
      return await work(controller.signal);
    } finally {
      this.#open.delete(number);
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const call of this.#open.values()) call.abort();
  }

  /** The failure of a call, which tells why it was cancelled. */
  explained(error: Failure): Failure {
    if (!this.#isStopped || error.code !== "CANCELLED") return error;
    return { ...error, message: `${error.message}: the server is shutting down` };
  }
}

function hasTool({ bySkillTool, byProxiedTool, byStableTool, withheld }: ToolList, name: string): boolean {
  return [bySkillTool, byProxiedTool, byStableTool, withheld].some((tools) => tools.has(name));
}

function unwrapped({ skill, inputIn }: SkillTool, input: JsonObject): Result<Json> {
  if (inputIn === undefined) return ok(input);
  const value = input[inputIn];
  if (value !== undefined && Object.keys(input).length === 1) return ok(skillInput(skill, value));
  const message = `The input of "${skill.name}" travels as the one property "${inputIn}"`;
  return fail(failure("INPUT_INVALID", message, { callPath: "0" }));
}

function runAnswer(
  run: Run,
  skill: Skill,
  calls: StoppableCalls,
  tool: SkillTool | undefined,
): CallToolResult {
  const { outcome } = run.root;
  const unmet = unmetIn(run.root);
  if (!outcome.ok)
    return failureAnswer(calls.explained(outcome.error), tool?.inputSchema ?? skill.contract.input);
  const told = outputAnswer(outcome.output, tool?.outputIn);
  if (unmet.length === 0) return told;
  const { _meta: meta, ...rest } = told;
  return { _meta: { ...meta, "repertoire/unmet": unmet }, ...rest };
}

/** What the client cancels; who only goes away leaves a durable run at work. */
function cancelledBy({ signal }: CallContext): AbortSignal {
  const cancel = new AbortController();
  const heed = (): void => {
    if (!SdkError.isInstance(signal.reason)) cancel.abort();
  };
  if (signal.aborted) heed();
  signal.addEventListener("abort", heed, { once: true });
  return cancel.signal;
}

/**
 * By what the client knows the call: the same for each attempt of it. It is of this call alone: the same key for something
 * else, for another input or from another program makes another call.
 */
function keyOf(
  { meta }: CallContext,
  ...call: readonly [client: string | undefined, name: string, input: Json]
): { readonly idempotencyKey?: string } {
  const key = meta?.[IDEMPOTENCY_KEY];
  if (typeof key !== "string" || key === "") return {};
  const whole = JSON.stringify([key, ...call]);
  return { idempotencyKey: createHash("sha256").update(whole).digest("base64url") };
}

/** Tells the client how the run goes on, where it wants to know. */
async function withProgress<Answer>(
  { meta, notify }: CallContext,
  work: (events: Pick<RunOptions, "onEvent">) => Promise<Answer>,
): Promise<Answer> {
  const token = meta?.["progressToken"] as ProgressToken | undefined;
  if (token === undefined) return work({});
  let progress = 0;
  // A client forgets its progress listener as soon as it has the answer, so the answer comes in a write of its own.
  const notices: Promise<void>[] = [];
  const onEvent = (event: RunEvent): void => {
    const how = event.kind === "started" ? "started" : event.ok ? "done" : "failed";
    const message = `${event.name} ${how} (${event.callPath})`;
    const params = { progressToken: token, progress: ++progress, message };
    notices.push(notify({ method: "notifications/progress", params }).catch(() => undefined));
  };
  const run = await work({ onEvent });
  await Promise.all(notices);
  if (notices.length > 0) await setImmediate();
  return run;
}
