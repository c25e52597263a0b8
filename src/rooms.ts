import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { qualifiedName, serverOf } from "./core/tools/tool-name.ts";
import { markOf } from "./core/files/whole-file.ts";
import { KeptOwners, OWNERS_FILE } from "./catalog/name-registry.ts";
import { Catalog, type CatalogSnapshot } from "./catalog/catalog.ts";
import type { WorkCatalog } from "./assistant/catalog-excerpt.ts";
import type { SkillWriter, SkillWriterOptions } from "./assistant/skill-writer.ts";
import { Meaning } from "./catalog/meaning.ts";
import { SkillCompiler } from "./compiler/compile-skills.ts";
import { FlowCache } from "./checks/flows/flow-cache.ts";
import { ToolListingCache } from "./checks/tool-listing-cache.ts";
import { isAmong } from "./upstream/tools/published-tools.ts";
import { configuredOperation } from "./upstream/upstream-config.ts";
import { type Config, serverNames } from "./config.ts";
import { flowsInNeedOfConsent } from "./consent-flows.ts";
import { asRepeatable, type Failure } from "./core/error.ts";
import { matchesGlob } from "./core/tools/glob.ts";
import { RESERVED_SERVER, WAIT } from "./core/tools/reserved-tools.ts";
import type { Json } from "./core/json/json.ts";
import type { LanguageModel } from "./core/language-model.ts";
import { lookAlikeText, lookAlikeTools } from "./core/tools/look-alike-tools.ts";
import { commandLine } from "./core/text/command-line.ts";
import { withHangingIndent, oneLine } from "./core/text/display-text.ts";
import { fitOf } from "./subsumption/subsumption.ts";
import { fail, ok } from "./core/result.ts";
import type { Run, RunEvent } from "./core/run.ts";
import type { Skill } from "./core/skill.ts";
import { flowLine } from "./core/text/flow-line.ts";
import { heldFailure, type ToolChange } from "./core/tools/tool-change.ts";
import { STAGING_FOLDER } from "./learn/drafts/atomic-folder.ts";
import type { Extraction } from "./learn/extraction.ts";
import { LearningThread, type LearningTool } from "./learn/learning-thread.ts";
import type { LearningConfig } from "./learning-worker.ts";
import { ModelEndpoint } from "./model/model-endpoint.ts";
import type { DurableEngine } from "./durable/durable-engine.ts";
import { DurableRuns } from "./durable/durable-runs.ts";
import { runSteps, type RunSteps } from "./durable/run-steps.ts";
import { runsOnTemporal } from "./durable/temporal.ts";
import type { EngineAdapter } from "./export/engine-adapter.ts";
import type { ExportSources } from "./export/exported-skill.ts";
import type { EngineRooms } from "./open-engines.ts";
import type { ExtractionDependencies } from "./open-extraction.ts";
import type { FirstWorker } from "./runner/threads/worker-thread.ts";
import { type CallTool, Runner, type RunnerOptions } from "./runner/runner.ts";
import type { ToolPolicy } from "./durable/run-attempt.ts";
import { openedWhenUsed } from "./trace/store/store-when-used.ts";
import { redactedText } from "./trace/redact/redacted-trace.ts";
import { redactor } from "./trace/redact/redaction.ts";
import { TraceQueue } from "./trace/record/trace-queue.ts";
import { RunRecorder } from "./trace/record/run-recorder.ts";
import type { TraceStore } from "./trace/trace-store.ts";
import { ToolPins } from "./upstream/tools/tool-pins.ts";
import { Upstreams } from "./upstream/upstreams.ts";
import { usageByName } from "./server/tools/skill-usage.ts";
import { refusalsOf } from "./server/withheld-skills.ts";
import { type ServedFlows, unapprovedFailure } from "./server/run-consent.ts";
import { type McpFront, mcpFront } from "./server/mcp-server.ts";
import { stdoutTaken } from "./server/transport/stdout-taken.ts";
import { KeptList, type ListTexts } from "./server/tools/kept-list.ts";
import { ReservedCalls } from "./workflow/reserved-calls.ts";
import { PACKAGE_VERSION } from "./core/package/package-version.ts";
import { moduleUrl } from "./core/package/package-files.ts";

/** Skills, their runs, the traces of these, and what is learned from them: the rooms, wired by one configuration. */
export interface App {
  readonly config: Config;
  /** The skills. Loading starts at once; a skill with errors is a finding of the snapshot, never a rejection. */
  readonly catalog: Promise<Catalog>;
  /**
   * Runs a skill as a client's call does: one that has errors is refused, and the run is recorded where the configuration
   * wants it. Fulfilled also when the skill fails or there is none: then `root.outcome` has the failure (`SKILL_NOT_FOUND`,
   * `INPUT_INVALID`, `SKILL_TIMED_OUT` …, see `ERRORS`). A new run is in `traces` soon after it is answered, and at once
   * with the setting `traces.durability: "answered"`.
   */
  call(skill: string, input: Json, options?: SkillCallOptions): Promise<Run>;
  /** What was recorded here, by runs and by imports. */
  readonly traces: TraceStore;
  /** Runs that survive the process, and wait for persons. @internal */
  readonly durable: DurableEngine;
  /** For engines that keep runs themselves: a skill goes on from what is known of its run. */
  readonly steps: RunSteps;
  /** Other workflow engines, by name: `langgraph`, `airflow` … */
  readonly engines: ReadonlyMap<string, EngineAdapter>;
  /** From traces over drafts to skills, in this thread. */
  readonly extraction: Extraction;
  /** Ends what runs, writes what is still to be recorded, and lets the process end. */
  close(): Promise<void>;
  /** The configured model, for one piece of work each time it is called. @internal */
  readonly model: (() => LanguageModel) | undefined;
  /** What a model may work with. @internal */
  readonly workCatalog: () => Promise<WorkCatalog>;
  /** What extraction needs of these rooms. @internal */
  readonly forExtraction: ExtractionDependencies;
  /** What writing skills needs of them, besides extraction. @internal */
  readonly forWriter: Omit<SkillWriterOptions, "extraction">;
  /** What runs on other engines need of them. @internal */
  readonly forEngines: Omit<EngineRooms, "sources">;
  /** Where what is exported is looked up. @internal */
  readonly exports: ExportSources;
  /** Writes skills that somebody wishes for. @internal */
  readonly writer: SkillWriter;
  /** How near texts are, where a model makes vectors of them. @internal */
  readonly meaning: Meaning | undefined;
  /** @internal */
  readonly runner: Runner;
  /** @internal */
  readonly upstreams: Upstreams;
  /** The tools of the upstreams, as they were listed last. @internal */
  readonly tools: ToolListingCache;
  /** Where answers of untrusted tools go into calls that write. @internal */
  readonly flows: FlowCache;
  /** What those tools were when they were trusted. @internal */
  readonly pins: ToolPins;
  /** Records runs, where the configuration wants it. @internal */
  readonly recorder: RunRecorder;
  /** @internal */
  readonly front: McpFront;
}

export interface AppOptions {
  /** Whether changes of the skill folders are followed; by default only `Catalog.reload` reads them again. */
  readonly watch?: boolean;
  /** How long the first skills may wait for their bodies to be checked, in milliseconds; without end by default. */
  readonly patienceMs?: number;
  /** A worker that has been started for these rooms. @internal */
  readonly firstWorker?: FirstWorker;
}

export interface SkillCallOptions {
  /** Stops the run: its outcome is `CANCELLED`. */
  readonly signal?: AbortSignal;
  /** Told of each call as it starts and ends. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Whether a person has agreed to this run, where the setting `flows.untrustedIntoWrites` is `ask`. */
  readonly isApproved?: boolean;
}

/** What learns in this thread. @internal */
export type LearningRooms = Pick<App, "extraction" | "writer">;

/** What there is without that. @internal */
export type Rooms = Omit<App, keyof LearningRooms | "engines" | "exports">;

/**
 * Opens what a configuration describes, as `openApp` does. What learns in this thread is large and rarely needed by who
 * serves: unless it is given, it is loaded when it is. @internal
 */
export function openRooms(config: Config, options: AppOptions = {}, given?: () => LearningRooms): Rooms {
  const policies = new Map(config.upstream.map(({ name, changes }) => [name, changes]));
  const pinsFile = join(config.data, "upstream-pins.json");
  const pins = new ToolPins({
    file: pinsFile,
    policyOf: (server) => policies.get(server) ?? "ask",
    operationOf: ({ server, name }) => {
      const settings = config.upstream.find((each) => each.name === server);
      return settings && configuredOperation(settings, name);
    },
    accepts: (source, target, exactSource) => fitOf(source, target, { exactSource }).kind === "fits",
    onNotice: (message) => console.error(message),
  });
  const redact = redactor(config.traces.redaction);
  // What others write to stderr may hold what they were given.
  const shown = (line: string): string => (redact.ok ? redact.value.text(line.slice(0, MAX_LINE)) : "");
  const upstreams = new Upstreams({
    servers: config.upstream,
    pins,
    remembered: async () => (await tools.listed()).map((tool) => Object.assign({ annotations: {} }, tool)),
    client: { name: "repertoire", version: PACKAGE_VERSION },
    onStderr: (server, line) => console.error(`[${server}] ${oneLine(shown(line))}`),
    onUnreached: ({ message }) =>
      console.error(
        oneLine(
          `${shown(message)}. What it publishes cannot be called: correct its settings under "mcpServers", and see "${commandLine("upstream")}"`,
        ),
      ),
  });
  const cacheFolder = join(config.data, "cache");
  const toolsFile = join(cacheFolder, "upstream-tools.json");
  const tools = toolListingCache(config, toolsFile, upstreams, pins, options);
  // What a skill uses is pinned as soon as both are known.
  const pinUsed = async (skills: Iterable<Skill>): Promise<void> => {
    const used = new Set([...skills].flatMap(({ calls }) => calls.tools));
    if (used.size === 0) return;
    const listed = await tools.listed();
    pins.pinNew(listed.filter((tool) => used.has(qualifiedName(tool))));
  };
  const servers = serverNames(config);
  const early = Promise.withResolvers<ListTexts | undefined>();
  const tellLong = (): void => early.resolve(undefined);
  const compiler = new SkillCompiler({
    onLong: tellLong,
    cacheFolder,
    tools,
    servers,
    isLeftOut: (tool) => isLeftOut(config, tool),
    configFile: config.file,
    namedSkills: config.namedSkills,
    depthOf: (name) => config.skillLimits[name]?.depth ?? config.limits.depth,
    ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
  });
  tellLookAlikes(upstreams, (line) => console.error(oneLine(line)));
  // Drafts are derived beside the catalog, whose state they are no part of.
  const draftCompiler = new SkillCompiler({ cacheFolder: join(cacheFolder, "drafts"), tools });
  const flows = flowCache(config, upstreams, pins);
  const { limits, skillLimits, workers, waitAwake } = config;
  const endpoint =
    config.model &&
    new ModelEndpoint(config.model, (text) => (redact.ok ? ok(redactedText(text, redact.value)) : redact));
  const model = endpoint && (() => endpoint.forWork());
  const reserved = new ReservedCalls(model);
  const callTool: CallTool = async (tool, input, context) => {
    const { signal, idempotencyKey } = context;
    const result =
      serverOf(tool) === RESERVED_SERVER
        ? await reserved.call(tool, input, context)
        : await upstreams.call(tool, input, { signal, idempotencyKey });
    if (signal.aborted) return result;
    const policy = await policyOf(tool, upstreams, pins);
    if (policy === "read") context.onRead?.();
    return result.ok || policy === "write" ? result : fail(asRepeatable(result.error));
  };
  const heldBy: NonNullable<RunnerOptions["heldBy"]> = async (called, { canWait }) => {
    const unanswerable = canWait ? undefined : reserved.refusal(called);
    if (unanswerable) return unanswerable;
    const held = (): ToolChange | undefined =>
      [...called].map((tool) => tools.changeOf(tool)).find((change) => change?.isHeld);
    const known = held();
    if (!known) return undefined;
    // What is known of it may be what an earlier process has heard.
    await upstreams.tools(serverOf(known.tool));
    await tools.listed();
    const change = held();
    return change && heldFailure(change);
  };
  const runner = new Runner({
    limits,
    skillLimits,
    workers,
    waitAwake,
    first: options.firstWorker,
    callTool,
    heldBy,
  });
  const { record, store, visible, redaction, maxPayloadBytes, durability } = config.traces;
  const traces = openedWhenUsed(async () => {
    const { openStore } = await import("./trace/store/open-store.ts");
    return openStore(store, { redaction, ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }) });
  });
  const queue = new TraceQueue(traces, {
    onWarning: (message) => console.error(withHangingIndent(shown(message))),
  });
  const recorder = new RunRecorder(
    record
      ? (part) =>
          durability === "answered"
            ? Promise.race([queue.recorded(part), delay(LAST_WORDS_MS, undefined, { ref: false })])
            : queue.add(part)
      : undefined,
  );
  const learningTools = learningToolsOf(tools, trustedBy(config.upstream));
  const forExtraction: ExtractionDependencies = {
    store: traces,
    runner,
    compiler: draftCompiler,
    servers,
    skills: async () => (await catalog).snapshot.skills,
    tools: async () => [...(await learningTools()).values()],
    listTools: async (called) => listCalledTools(called, config, upstreams),
  };
  const learning = new LearningThread({
    module: LEARNING_WORKER,
    workerData: {
      data: config.data,
      drafts: config.drafts,
      limits,
      skillLimits,
      traces: config.traces,
      servers,
    } satisfies LearningConfig,
    catalog: async () => ({ skills: (await catalog).snapshot.skills, tools: await learningTools() }),
    flush: async () => queue.flush(LAST_WORDS_MS),
    maxMs: config.drafts.maxMs,
  });
  // What a process that ended in the middle of a promotion has left is put right first.
  const isWhole: Promise<unknown> = existsSync(join(config.drafts.folder, STAGING_FOLDER))
    ? Promise.resolve().then(async () => (await learningRooms()).extraction.promotions.recover())
    : Promise.resolve();
  const ownersFile = join(config.data, OWNERS_FILE);
  // What other servers publish is asked of them.
  const keptList = config.upstream.some(({ publish }) => publish.length > 0)
    ? undefined
    : new KeptList(join(cacheFolder, "listed-tools.txt"), (message) => console.error(message));
  const listKey = (mark: string): string => {
    const files = [ownersFile, pinsFile, toolsFile].map(markOf);
    return hash("sha256", JSON.stringify([PACKAGE_VERSION, config, mark, files]));
  };
  const catalog: Promise<Catalog> = isWhole.then(async () =>
    Catalog.open({
      roots: config.skills,
      compile: (folders, absent) => compiler.compile(folders, absent),
      strict: config.strict,
      limits: config.discovery,
      cacheFolder,
      onMany: tellLong,
      onUnchanged: async (mark) => {
        const kept = keptList?.read(listKey(mark));
        if (!kept) return;
        early.resolve(kept);
        await stdoutTaken(MOST_WRITING_MS);
        await delay(Math.min(kept.legacy.length / READ_A_MS, MOST_READING_MS));
      },
      owners: new KeptOwners({ file: ownersFile }),
      watch: options.watch ?? false,
    }),
  );
  const making = {
    runner,
    callTool,
    policyOf: async (tool: string) => policyOf(tool, upstreams, pins),
    skills: async () => {
      const { snapshot } = await catalog;
      return { skills: snapshot.skills, refusals: refusedIn(snapshot) };
    },
  };
  const steps = runSteps(making);
  const durable: DurableEngine =
    config.execute === "temporal"
      ? runsOnTemporal(config.temporal, steps)
      : new DurableRuns({ folder: join(config.data, "durable"), ...making });
  const isPinned = catalog.then(async (opened) => {
    const pinAll = async (): Promise<void> => pinUsed(opened.snapshot.skills.values());
    opened.onChange(() => void pinAll());
    tools.onChange(() => void pinAll());
    await pinAll();
  });
  isPinned.catch(() => undefined);
  // Someone may accept a change in another process.
  const looking = options.watch ? setInterval(() => pins.refresh(), LOOK_AT_PINS_MS).unref() : undefined;
  const refusals = new WeakMap<CatalogSnapshot, ReadonlyMap<string, Failure>>();
  const refusedIn = (snapshot: CatalogSnapshot): ReadonlyMap<string, Failure> => {
    const refused = refusals.get(snapshot) ?? refusalsOf(snapshot, config.publish);
    refusals.set(snapshot, refused);
    return refused;
  };
  const served = servedFlows(config, flows, upstreams);
  const unapprovedRun = async (skill: string, { skills }: CatalogSnapshot): Promise<Failure | undefined> => {
    const inNeed = (await served.inNeedOfConsent?.(skill, skills)) ?? [];
    if (inNeed.length === 0) return undefined;
    return unapprovedFailure(
      skill,
      'nobody agreed to it; the option "isApproved" tells that',
      inNeed.map(flowLine),
    );
  };
  const embedding = config.model?.embedding;
  const meaning =
    endpoint && embedding !== undefined
      ? new Meaning({
          model: () => endpoint.forWork(),
          embedding: `${config.model?.baseUrl} ${embedding}`,
          cacheFile: join(cacheFolder, "meaning.jsonl"),
        })
      : undefined;
  const workCatalog = async (): Promise<WorkCatalog> => {
    const { skills, faulty } = (await catalog).snapshot;
    const isSound = config.publish === "all" || faulty.size === 0;
    return {
      skills: isSound ? skills : soundSkills(skills, faulty),
      tools: await learningTools(),
      usage: await usageByName(traces),
    };
  };
  const forWriter = {
    catalog: workCatalog,
    tools: async () => [...(await learningTools()).values()],
    model,
    meaning,
  };
  let loaded: Promise<LearningRooms> | undefined;
  const learningRooms = async (): Promise<LearningRooms> => {
    if (given) return given();
    loaded ??= import("./learning-rooms.ts").then(({ openLearning }) =>
      openLearning(config, forExtraction, forWriter),
    );
    return loaded;
  };
  // Who has just run a skill finds the run.
  const writtenTraces = afterWriting(traces, async () => queue.caughtUp(LAST_WORDS_MS));
  const { name, mostTools, pinned, publish } = config;
  const front = mcpFront({
    name,
    version: PACKAGE_VERSION,
    catalog,
    early: early.promise,
    onList: (texts, opened) =>
      keptList?.keep(() =>
        opened.mark === undefined ? undefined : { key: listKey(opened.mark), texts: texts() },
      ),
    runner,
    mostTools,
    pinned,
    publish,
    proxied: upstreams,
    flows: served,
    durable,
    traces: { store: writtenTraces, recorder, visible },
    learning,
    ...(meaning ? { meaning } : {}),
    writer: async () => (await learningRooms()).writer,
  });
  return {
    config,
    catalog,
    call: async (skill, input, { isApproved = false, ...runOptions } = {}) => {
      const { snapshot } = await catalog;
      const refused = refusedIn(snapshot);
      const unapproved = isApproved ? undefined : await unapprovedRun(skill, snapshot);
      const isDurable = durable.takes(snapshot.skills, skill);
      return recorder.run(skill, input, {}, async (id) =>
        isDurable && !unapproved
          ? durable.run(skill, input, { ...runOptions, id })
          : runner.run(snapshot.skills, skill, input, {
              ...runOptions,
              id,
              refusals: unapproved ? new Map([...refused, [skill, unapproved]]) : refused,
            }),
      );
    },
    model,
    meaning,
    workCatalog,
    forExtraction,
    forWriter,
    forEngines: {
      catalog,
      runner,
      recorder,
      steps,
      traces: writtenTraces,
      callTool,
      policyOf: making.policyOf,
      heldBy,
      refusals: refusedIn,
      unapproved: unapprovedRun,
    },
    runner,
    durable,
    steps,
    upstreams,
    tools,
    flows,
    pins,
    traces,
    recorder,
    front: {
      ...front,
      stop: () => {
        front.stop();
        void learning.close();
      },
    },
    close: async () => {
      clearInterval(looking);
      keptList?.save();
      // The compiler first: a catalog that is still loading waits for it.
      await Promise.all([compiler.close(), draftCompiler.close(), runner.close(), learning.close()]);
      await isPinned.catch(() => undefined);
      await durable.close();
      // Beside the rest, of which a server that ends slowly may take long: a client kills who has not ended soon.
      const written = queue.close(LAST_WORDS_MS).then(async () => traces.close());
      await upstreams.close();
      await tools.close();
      pins.close();
      await written;
      await (await catalog.catch(() => undefined))?.close();
    },
  };
}

function servedFlows({ flows: settings }: Config, flows: FlowCache, upstreams: Upstreams): ServedFlows {
  const ofRun: ServedFlows["ofRun"] = (name, skills) => flows.ofRun(name, skills);
  if (settings.untrustedIntoWrites === "tell") return { ofRun };
  return {
    ofRun,
    inNeedOfConsent: async (name, skills) => flowsInNeedOfConsent(name, skills, { flows, upstreams }),
  };
}

function trustedBy(upstream: Config["upstream"]): (tool: string) => boolean {
  const trusted = new Map(upstream.map((server) => [server.name, server.trusted]));
  return (tool) => {
    const server = serverOf(tool);
    return matchesGlob(tool.slice(server.length + 1), trusted.get(server) ?? []);
  };
}

/** What calling a tool twice does, as the settings and its server say; a tool of which nobody says anything writes. */
async function policyOf(tool: string, upstreams: Upstreams, pins: ToolPins): Promise<ToolPolicy> {
  if (serverOf(tool) === RESERVED_SERVER) return tool === WAIT ? "timed" : "read";
  const { tools } = await upstreams.tools(serverOf(tool));
  const found = tools.find((each) => qualifiedName(each) === tool);
  if (!found) return "write";
  if (pins.isReadOnly(found) === true) return "read";
  return found.annotations.idempotentHint === true ? "idempotent" : "write";
}

/** An upstream tool may write unless the settings say that it only reads, or its server does and did when it was pinned, and is untrusted unless the settings say not. */
function flowCache({ upstream }: Config, upstreams: Upstreams, pins: ToolPins): FlowCache {
  let readOnly = new Set<string>();
  const flows = new FlowCache({
    isTrusted: trustedBy(upstream),
    mayWrite: (tool) => !readOnly.has(tool) && serverOf(tool) !== RESERVED_SERVER,
  });
  upstreams.onChange(() => {
    const reading = upstreams.known().filter((tool) => pins.isReadOnly(tool) === true);
    readOnly = new Set(reading.map(qualifiedName));
    flows.forget();
  });
  return flows;
}

/** Each tool that may be taken for another is told once. */
function tellLookAlikes(upstreams: Upstreams, onNotice: (line: string) => void): void {
  const told = new Set<string>();
  upstreams.onChange(() => {
    const names = upstreams.known().map(qualifiedName);
    for (const [tool, others] of lookAlikeTools(names)) {
      if (told.has(tool) || told.size >= MAX_NOTICES) continue;
      told.add(tool);
      onNotice(lookAlikeText(tool, others));
    }
  });
}

/** Whether the configuration keeps this tool of a server of its own from skills. */
function isLeftOut({ upstream }: Config, tool: string): boolean {
  const server = upstream.find(({ name, disabled }) => !disabled && name === serverOf(tool));
  return server !== undefined && tool !== server.name && !isAmong(tool.slice(server.name.length + 1), server);
}

/** What is known of tools follows what servers list, whoever it is that needs them. */
function toolListingCache(
  { upstream }: Config,
  file: string,
  upstreams: Upstreams,
  pins: ToolPins,
  { patienceMs }: AppOptions,
): ToolListingCache {
  const usable = upstream.filter(({ disabled }) => !disabled);
  const tools = new ToolListingCache({
    file,
    pins,
    servers: new Map(usable.map(({ name, way, allow, deny }) => [name, { way, allow, deny }])),
    // Who does not wait for bodies to be checked is still there when a server has answered.
    ...(patienceMs === undefined ? {} : { ask: (server) => void upstreams.tools(server) }),
  });
  upstreams.onChange(() => tools.take(upstreams.known()));
  return tools;
}

/** The same store, which reads runs when what is on its way to it has come: who has just run a skill finds the run. */
function afterWriting(store: TraceStore, written: () => Promise<void>): TraceStore {
  return {
    ...store,
    runs: async (...query) => written().then(async () => store.runs(...query)),
    sessions: async (...query) => written().then(async () => store.sessions(...query)),
    trace: async (...query) => written().then(async () => store.trace(...query)),
    search: async (...query) => written().then(async () => store.search(...query)),
  };
}

/**
 * Has the servers of the tools that traces call list them: what they are called here, their schemas, and which of them
 * only look. Where the names do not tell whose the tools are, any server's they may be.
 */
async function listCalledTools(
  called: ReadonlySet<string>,
  config: Config,
  upstreams: Upstreams,
): Promise<void> {
  const servers = [...serverNames(config)];
  const isOf = (tool: string, server: string): boolean => tool.startsWith(`${server}.`);
  const isTold = called.values().every((tool) => servers.some((server) => isOf(tool, server)));
  const asked = servers.filter((server) => !isTold || called.values().some((tool) => isOf(tool, server)));
  await Promise.all(
    asked.map(async (server) => {
      const { failures } = await upstreams.tools(server);
      for (const why of failures.values())
        console.error(`The tools of ${server} are not known, since it cannot be reached: ${oneLine(why)}`);
    }),
  );
}

/** The tools that are known, as the same map for as long as they are the same. */
function learningToolsOf(
  tools: ToolListingCache,
  isTrusted: (tool: string) => boolean,
): () => Promise<ReadonlyMap<string, LearningTool>> {
  let known: Promise<ReadonlyMap<string, LearningTool>> | undefined;
  tools.onChange(() => {
    known = undefined;
  });
  const read = async (): Promise<ReadonlyMap<string, LearningTool>> =>
    new Map(
      [...(await tools.all())].map(([name, tool]) => [
        name,
        { ...tool, name, isReadOnly: tools.isReadOnly(name), isTrusted: isTrusted(name) },
      ]),
    );
  return async () => (known ??= read());
}

const sound = new WeakMap<ReadonlyMap<string, Skill>, ReadonlyMap<string, Skill>>();

/** The skills that are published, as the same map for the same snapshot. */
function soundSkills(
  skills: ReadonlyMap<string, Skill>,
  faulty: CatalogSnapshot["faulty"],
): ReadonlyMap<string, Skill> {
  const made = sound.get(skills) ?? new Map([...skills].filter(([name]) => !faulty.has(name)));
  sound.set(skills, made);
  return made;
}

const LEARNING_WORKER = moduleUrl("learning-worker");

/** Of what is written to stderr for others. */
const MAX_LINE = 20_000;

/** How long the end waits for what is still to be recorded. */
const LAST_WORDS_MS = 2000;
const MAX_NOTICES = 100;
/** How long skills may wait for a list to be taken. */
const MOST_WRITING_MS = 100;
/** Characters of a list that a client reads in a millisecond, and how long skills may wait for that: it takes a processor. */
const READ_A_MS = 10_000;
const MOST_READING_MS = 100;
const LOOK_AT_PINS_MS = 1000;
