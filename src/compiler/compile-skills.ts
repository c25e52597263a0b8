import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { AbsentSkills } from "../catalog/assemble.ts";
import { DependencyMemo } from "../core/dependency-memo.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { hasCode, type Operation, type Skill, type SkillFolder } from "../core/skill.ts";
import { COMPILE_DEADLINES, CompileThread, type CompileDeadlines } from "./compile-thread.ts";
import { BodyCheckCache, type BodyFindings } from "./body-check-cache.ts";
import { isCompiledCode, uncompiled, type CodeUnit, type CompiledCode } from "./program/compiled-code.ts";
import { ResultCache } from "../core/files/result-cache.ts";
import { derivedSkill, type DerivedSkill, type UnitCode } from "../contracts/derived-skill.ts";
import { compositionFindings, shownLevel } from "../checks/composition-findings.ts";
import type { ToolListingCache } from "../checks/tool-listing-cache.ts";
import { operationsOf, saidOperation, type OperationFacts } from "../graph/effects.ts";
import { settingFindings, type NamedSkill } from "../checks/setting-findings.ts";
import { toolFindings } from "../checks/tool-findings.ts";
import { serverOf } from "../core/tools/tool-name.ts";
import type { CallableTools } from "../contracts/to-types/tool-types.ts";
import { RESERVED_SERVER, RESERVED_TOOLS } from "../core/tools/reserved-tools.ts";
import { listedTools } from "../core/tools/allowed-tools.ts";

export interface CompiledSkills {
  /** The skills whose own files have no error, in the order of their folders. */
  readonly skills: readonly Skill[];
  /** What was found in single skills. */
  readonly diagnostics: readonly Diagnostic[];
  /** What was found between skills. */
  readonly findings: readonly Diagnostic[];
  /**
   * Ends when there may be other findings, which compiling again tells: bodies are checked for which there was no
   * patience, or other upstream tools are known.
   */
  readonly pending?: Promise<void> | undefined;
}

export interface SkillCompilerOptions {
  /** Where compiled contracts are kept from one start to the next; without it only in memory. */
  readonly cacheFolder?: string;
  readonly deadlines?: Partial<CompileDeadlines>;
  /** How long it waits for bodies to be checked; without end by default. */
  readonly patienceMs?: number;
  /** Told where so many skills are to be compiled that it takes seconds. */
  readonly onLong?: () => void;
  /** The upstream servers that are configured; without them no server counts as missing. */
  readonly servers?: ReadonlySet<string>;
  /** Whether the configuration leaves a tool of a configured server out; none by default. */
  readonly isLeftOut?: (tool: string) => boolean;
  /** Where the servers are configured. */
  readonly configFile?: string | undefined;
  /** The skills that settings name, of which those that are not there are told. */
  readonly namedSkills?: readonly NamedSkill[];
  /** How deep calls below a skill may be nested when it is the root of a run; any depth by default. */
  readonly depthOf?: (skill: string) => number;
  /** The upstream tools that skills may call; without them calls of tools take and give anything. */
  readonly tools?: Pick<ToolListingCache, "all" | "onChange" | "doubt"> &
    Partial<Pick<ToolListingCache, "changeOf" | "isReadOnly">>;
}

const NONE: AbsentSkills = { broken: new Set(), leftOut: [] };

/** Derives contracts, scripts and calls of skills. The TypeScript compiler runs in a thread of its own, if it has to. */
export class SkillCompiler {
  readonly #thread: CompileThread;
  readonly #cache: ResultCache<CompiledCode>;
  readonly #checks: BodyCheckCache;
  readonly #patienceMs: number;
  readonly #onLong: (() => void) | undefined;
  readonly #tools: SkillCompilerOptions["tools"];
  readonly #servers: SkillCompilerOptions["servers"];
  readonly #isLeftOut: NonNullable<SkillCompilerOptions["isLeftOut"]>;
  readonly #configFile: string | undefined;
  readonly #namedSkills: readonly NamedSkill[];
  readonly #depthOf: NonNullable<SkillCompilerOptions["depthOf"]>;
  #otherTools = Promise.withResolvers<void>();
  readonly #beyond = new Map<string, CompiledCode>();
  readonly #codes = new WeakMap<SkillFolder, UnitCode>();
  #derived: ReadonlyMap<string, DerivedSkill> = new Map();
  readonly #skills = new WeakMap<DerivedSkill, Skill>();
  #last: Promise<unknown> = Promise.resolve();

  constructor({
    cacheFolder,
    deadlines,
    patienceMs = Number.POSITIVE_INFINITY,
    tools,
    servers,
    isLeftOut = () => false,
    configFile,
    namedSkills = [],
    depthOf = () => Number.POSITIVE_INFINITY,
    onLong,
  }: SkillCompilerOptions = {}) {
    this.#servers = servers;
    this.#isLeftOut = isLeftOut;
    this.#configFile = configFile;
    this.#namedSkills = namedSkills;
    this.#depthOf = depthOf;
    this.#patienceMs = patienceMs;
    this.#onLong = onLong;
    this.#tools = tools;
    tools?.onChange(() => {
      this.#otherTools.resolve();
      this.#otherTools = Promise.withResolvers();
    });
    this.#thread = new CompileThread({ ...COMPILE_DEADLINES, ...deadlines });
    const fileOf = (what: string): string | undefined =>
      cacheFolder === undefined ? undefined : path.join(cacheFolder, cacheFileName(what));
    this.#cache = new ResultCache(fileOf("contracts"), isCompiledCode);
    this.#checks = new BodyCheckCache(this.#thread, fileOf("checks"));
  }

  async compile(folders: readonly SkillFolder[], absent: AbsentSkills = NONE): Promise<CompiledSkills> {
    const compiled = this.#last.then(() => this.#compile(folders, absent));
    this.#last = compiled.catch(() => undefined);
    return compiled;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  async #compile(folders: readonly SkillFolder[], absent: AbsentSkills): Promise<CompiledSkills> {
    await this.#findCodes(folders);
    const derived = folders.map((folder) => this.#derive(folder, this.#codes.get(folder)));
    this.#derived = new Map(derived.map((each) => [each.folder.path, each]));
    const otherTools = this.#otherTools.promise;
    const tools = new Map([...RESERVED_TOOLS, ...((await this.#tools?.all()) ?? [])]);
    const isReading = (tool: string): boolean =>
      RESERVED_TOOLS.has(tool) || this.#tools?.isReadOnly?.(tool) === true;
    const facts = factsOf(derived, isReading);
    const operations = operationsOf(facts);
    // Only those that declare what they do are compared with it.
    let said: ReadonlyMap<string, Operation> | undefined;
    const skills = derived.filter(({ isSound }) => isSound).map((each) => this.#skillOf(each, operations));
    const { findings: found, pending } = await this.#callFindings(derived, { tools, isReading, otherTools });
    const names = new Set([...folders.map(({ name }) => name), ...absent.broken]);
    const isKnown = absent.leftOut.length === 0 && this.#configFile !== undefined;
    return {
      skills,
      diagnostics: derived.flatMap(({ diagnostics }) => diagnostics),
      findings: [
        ...(isKnown ? settingFindings(this.#namedSkills, names, this.#configFile) : []),
        ...found,
        ...compositionFindings(skills, {
          folderNames: names,
          leftOut: absent.leftOut,
          depthOf: this.#depthOf,
          saidOperation: (name) => {
            const own = facts.get(name);
            return own ? saidOperation(name, own, facts) : "TRANSFORM";
          },
          reachedOperation: (name) => (said ??= operationsOf(facts, saidOperation)).get(name) ?? "TRANSFORM",
        }),
      ],
      pending,
    };
  }

  /** What is wrong with calls, of skills and of upstream tools. */
  async #callFindings(
    derived: readonly DerivedSkill[],
    { tools, isReading, otherTools }: KnownTools,
  ): Promise<BodyFindings> {
    const bodies = await this.#checks.findings(derived, tools, this.#patienceMs);
    const findings = [
      ...bodies.findings,
      ...(await workflowFlows(derived, tools)),
      ...toolFindings(derived, {
        known: tools,
        servers: this.#servers && new Set([...this.#servers, RESERVED_SERVER]),
        isLeftOut: this.#isLeftOut,
        configFile: this.#configFile,
        changeOf: (tool) => this.#tools?.changeOf?.(tool),
        isReading,
      }),
    ];
    this.#tools?.doubt(serversMetBy(derived, findings));
    const isOfTools = this.#tools !== undefined && derived.some(({ toolCalls }) => toolCalls.length > 0);
    return { findings, pending: bodies.pending ?? (isOfTools ? otherTools : undefined) };
  }

  /** Compiles the code that is not known yet. */
  async #findCodes(folders: readonly SkillFolder[]): Promise<void> {
    const unknown = folders.filter((folder) => !this.#codes.has(folder) && unitOf(folder).files.length > 0);
    if (unknown.length === 0) return;
    const units = new Map(unknown.map((folder) => [folder, unitOf(folder)]));
    this.#cache.refresh();
    const missing = new Map(
      [...units.values()].filter(({ key }) => !this.#known(key)).map((unit) => [unit.key, unit]),
    );
    if (missing.size >= MANY) this.#onLong?.();
    if (missing.size > 0) {
      for (const [key, code] of await this.#thread.compile([...missing.values()])) this.#keep(key, code);
    }
    for (const [folder, unit] of units)
      this.#codes.set(folder, { unit, code: this.#known(unit.key) ?? uncompiled([]) });
    this.#cache.save(() => folders.map((folder) => unitOf(folder).key));
  }

  #known(key: string): CompiledCode | undefined {
    return this.#beyond.get(key) ?? this.#cache.get(key);
  }

  // That the compiler came to no end may be the machine's fault: the next start tries again.
  #keep(key: string, code: CompiledCode): void {
    if (code.isFinal === false) this.#beyond.set(key, code);
    else this.#cache.set(key, code);
  }

  // A folder that is as it was keeps its contract's objects, and with them their compiled validators.
  #derive(folder: SkillFolder, of: UnitCode | undefined): DerivedSkill {
    const before = this.#derived.get(folder.path);
    const same =
      before?.folder.digest === folder.digest &&
      before.folder.name === folder.name &&
      before.code === of?.code;
    if (!same) return derivedSkill(folder, of);
    return before.folder === folder ? before : { ...before, folder };
  }

  // So does a skill: who looks for what has changed compares objects.
  #skillOf(derived: DerivedSkill, operations: ReadonlyMap<string, Operation>): Skill {
    const operation = operations.get(derived.folder.name) ?? "TRANSFORM";
    const before = this.#skills.get(derived);
    if (before?.operation === operation) return before;
    const made = skillOf(derived, operation);
    this.#skills.set(derived, made);
    return made;
  }
}

/** The upstream tools that are known while skills are compiled. */
interface KnownTools {
  readonly tools: CallableTools;
  readonly isReading: (tool: string) => boolean;
  /** Resolves when others are known. */
  readonly otherTools: Promise<void>;
}

/** Some of these take a second to compile. */
const MANY = 200;

// Raise it when equal code no longer gives equal results.
const FORMAT = 12;

/** Results depend on the compiler's version, which is told without loading it. */
function cacheFileName(what: string): string {
  const file = createRequire(import.meta.url).resolve("typescript/package.json");
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return `${what}-${FORMAT}-${version}.jsonl`;
}

const units = new WeakMap<SkillFolder, CodeUnit>();

function unitOf(folder: SkillFolder): CodeUnit {
  const unit = units.get(folder) ?? newUnit(folder);
  units.set(folder, unit);
  return unit;
}

function newUnit(folder: SkillFolder): CodeUnit {
  const { generated, sources } = folder;
  const authored = folder.workflow ? sources.slice(1) : sources;
  const files = [
    ...(generated ? [{ name: generated.name, text: generated.text }] : []),
    ...authored.map((source) => ({
      name: path.relative(folder.path, source.path).split(path.sep).join("/"),
      text: source.text,
    })),
  ];
  const hash = createHash("sha256");
  for (const { name, text } of files) hash.update(`${name}\0${text.length}\0${text}\0`);
  return { key: hash.digest("hex"), files };
}

async function workflowFlows(
  derived: readonly DerivedSkill[],
  tools: CallableTools,
): Promise<readonly Diagnostic[]> {
  if (!derived.some(({ folder }) => folder.workflow)) return [];
  const { workflowFindings } = await import("../checks/workflow-findings.ts");
  const contracts = new Map(
    derived.filter(({ isSound }) => isSound).map(({ folder, contract }) => [folder.name, contract]),
  );
  const world = { tools, contractOf: (name: string) => contracts.get(name) };
  return derived.flatMap(({ folder }) => workflowFindings(folder, world));
}

/** The servers whose tools are called by skills in which something was found. */
function serversMetBy(
  derived: readonly DerivedSkill[],
  findings: readonly Diagnostic[],
): ReadonlySet<string> {
  const suspects = derived.filter(
    ({ calls, folder }) =>
      calls.tools.length > 0 && findings.some((found) => found.path.startsWith(folder.path + path.sep)),
  );
  return new Set(suspects.flatMap(({ calls }) => calls.tools.map(serverOf)));
}

function factsOf(
  derived: readonly DerivedSkill[],
  isReading: (tool: string) => boolean,
): ReadonlyMap<string, OperationFacts> {
  const facts = new Map<string, OperationFacts>();
  for (const each of derived.toReversed()) {
    const { folder, code } = each;
    const tools = code ? operationOfTools(code, listedTools(folder), isReading) : "TRANSFORM";
    facts.set(
      folder.name,
      knownFacts.of(each, [tools], () => ({
        declared: each.declared.operation,
        tools,
        callees: each.calls.skills.map(({ callee }) => callee),
        dynamic: each.calls.dynamic,
        composes: each.composes,
      })),
    );
  }
  return facts;
}

const knownFacts = new DependencyMemo<DerivedSkill, OperationFacts>();

/** What the tools that it calls may do. Those that it lists it may call in ways that its text does not show. */
function operationOfTools(
  { callsTools, tools, openCalls }: CompiledCode,
  listed: readonly string[],
  isReading: (tool: string) => boolean,
): Operation {
  if (!listed.every(isReading)) return "WRITE";
  if (!callsTools) return "TRANSFORM";
  const mayBeAny = openCalls.some(({ world }) => world === "call_tool");
  return !mayBeAny && tools.every(({ callee }) => isReading(callee)) ? "READ" : "WRITE";
}

function skillOf(derived: DerivedSkill, operation: Operation): Skill {
  const { folder, contract, scripts, calls, flows, composes, declared, limits, ttlMs, durable } = derived;
  const { matching, preconditions, postconditions } = derived;
  const shown = shownLevel({ kind: folder.kind, name: folder.name, calls, composes, declared });
  const level = hasCode(folder) ? shown : (declared.level ?? shown);
  return {
    ...folder,
    contract,
    scripts,
    calls,
    operation,
    level,
    declared,
    composes,
    limits,
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(durable === undefined ? {} : { durable }),
    ...(flows && { flows }),
    ...(matching && { matching }),
    ...(preconditions.length > 0 && { preconditions }),
    ...(postconditions.length > 0 && { postconditions }),
  };
}
