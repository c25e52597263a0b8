import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Diagnostic } from "../core/diagnostic.ts";
import { DependencyMemo } from "../core/dependency-memo.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import type { SkillFolder } from "../core/skill.ts";
import type { CompileThread } from "./compile-thread.ts";
import { inFolder, isFindings, type CodeFinding, type CodeUnit } from "./program/compiled-code.ts";
import type { CallableSkill } from "../contracts/to-types/contract-types.ts";
import type { Callables } from "../checks/body-checker.ts";
import type { DerivedSkill } from "../contracts/derived-skill.ts";
import { ResultCache } from "../core/files/result-cache.ts";
import type { CallableTool, CallableTools } from "../contracts/to-types/tool-types.ts";

/** Checks bodies against the contracts of what they call. Only what may have changed since is checked again. */
export class BodyCheckCache {
  readonly #thread: CompileThread;
  readonly #kept: ResultCache<readonly CodeFinding[]>;
  readonly #bodies = new DependencyMemo<DerivedSkill, Body>();
  readonly #findings = new WeakMap<Body, readonly Diagnostic[]>();
  /** Of bodies that could not be checked: another start may have more luck. */
  readonly #unchecked = new Map<string, readonly CodeFinding[]>();

  constructor(thread: CompileThread, file: string | undefined) {
    this.#thread = thread;
    this.#kept = new ResultCache(file, isFindings);
  }

  /** What is known after `patienceMs`, and what is still to come. */
  async findings(
    derived: readonly DerivedSkill[],
    tools: CallableTools,
    patienceMs: number,
  ): Promise<BodyFindings> {
    const skills = new Map<string, CallableSkill>();
    for (const each of derived) skills.set(each.folder.name, callableOf(each));
    const callable = { skills, tools };
    const bodies = derived.map((each) => this.#bodyOf(each, callable)).filter((body) => body !== undefined);
    const unknown = bodies.filter((body) => !this.#findings.has(body));
    if (unknown.length > 0) this.#kept.refresh();
    const missing = new Map(unknown.filter(({ key }) => !this.#known(key)).map((body) => [body.key, body]));
    const pending = missing.size > 0 ? this.#check([...missing.values()], callable) : undefined;
    const isDone = pending ? await settlesWithin(pending, patienceMs) : true;
    if (isDone) this.#kept.save(() => bodies.map(({ key }) => key));
    for (const body of unknown) {
      const known = this.#known(body.key);
      if (known)
        this.#findings.set(
          body,
          known.map((finding) => inFolder(body.folder, finding)),
        );
    }
    const findings = bodies.flatMap((body) => this.#findings.get(body) ?? []);
    return isDone ? { findings } : { findings, pending };
  }

  #bodyOf(each: DerivedSkill, { skills, tools }: Callables): Body | undefined {
    const { isSound, unit, calls } = each;
    if (!isSound || !unit) return undefined;
    if (calls.skills.length + calls.tools.length === 0)
      return this.#bodies.of(each, NOTHING, () => bodyOf(each, unit, { skills: [], tools: [] }));
    const met = {
      skills: [...new Set(calls.skills.map(({ callee }) => callee))]
        .toSorted()
        .map((name) => [name, skills.get(name)] as const),
      tools: calls.tools.toSorted().map((name) => [name, tools.get(name)] as const),
    };
    const dependencies = [...met.skills, ...met.tools].map(([, callee]) => callee);
    return this.#bodies.of(each, dependencies, () => bodyOf(each, unit, met));
  }

  #known(key: string): readonly CodeFinding[] | undefined {
    return this.#unchecked.get(key) ?? this.#kept.get(key);
  }

  async #check(bodies: readonly Body[], { skills, tools }: Callables): Promise<void> {
    const named = {
      skills: only(skills, new Set(bodies.flatMap((body) => body.skills))),
      tools: only(tools, new Set(bodies.flatMap((body) => body.tools))),
    };
    const units = bodies.map(({ key, unit }) => ({ ...unit, key }));
    const checked = await this.#thread.check(units, named).catch((error: unknown) => {
      if (this.#thread.isClosed) return [];
      throw error;
    });
    for (const [key, findings] of checked) {
      if (findings.some(({ code }) => code === "call-unchecked")) this.#unchecked.set(key, findings);
      else this.#kept.set(key, findings);
    }
  }
}

const NOTHING: readonly unknown[] = [];

export interface BodyFindings {
  readonly findings: readonly Diagnostic[];
  /** Ends when there may be more: all bodies are checked. */
  readonly pending?: Promise<void> | undefined;
}

async function settlesWithin(work: Promise<void>, ms: number): Promise<boolean> {
  if (ms === Number.POSITIVE_INFINITY) return work.then(() => true);
  if (ms <= 0) return false;
  const ending = new AbortController();
  const waited = setTimeout(ms, false, { signal: ending.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), waited]);
  } finally {
    ending.abort();
  }
}

interface Body {
  /** Digest of the code and of the contracts that it meets. */
  readonly key: string;
  readonly unit: CodeUnit;
  readonly folder: SkillFolder;
  /** The names of what it calls. */
  readonly skills: readonly string[];
  readonly tools: readonly string[];
}

interface MetCallees {
  readonly skills: readonly (readonly [string, CallableSkill | undefined])[];
  readonly tools: readonly (readonly [string, CallableTool | undefined])[];
}

function bodyOf({ folder, contract }: DerivedSkill, code: CodeUnit, { skills, tools }: MetCallees): Body {
  const isOfTypes = contract.source.input === "types" || contract.source.input === "untyped";
  const unit = isOfTypes ? code : { ...code, input: contract.input };
  const met = [
    skills.map(([name, skill]) => [name, skill ? { input: skill.input, output: skill.output } : null]),
    tools.map(([name, tool]) => [name, typesOf(tool)]),
  ];
  const key = createHash("sha256")
    .update(unit.key)
    .update(JSON.stringify([met, unit.input ?? null]))
    .digest("hex");
  return { key, unit, folder, skills: skills.map(([name]) => name), tools: tools.map(([name]) => name) };
}

/** What of a tool the check of a body rests on. */
function typesOf(tool: CallableTool | undefined): readonly (JsonSchema | null)[] | null {
  return tool ? [tool.inputSchema, tool.outputSchema ?? null] : null;
}

function only<Value>(
  all: ReadonlyMap<string, Value>,
  names: ReadonlySet<string>,
): ReadonlyMap<string, Value> {
  return new Map([...all].filter(([name]) => names.has(name)));
}

/** Of a skill that is broken nobody can say what it takes and gives. */
function callableOf({ isSound, contract }: DerivedSkill): CallableSkill {
  return isSound ? contract : OPEN_CONTRACT;
}

const OPEN_CONTRACT: CallableSkill = { input: {}, output: {} };
