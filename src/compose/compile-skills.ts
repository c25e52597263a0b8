import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { Position } from "../core/error.ts";
import { OPERATIONS, type Calls, type Contract, type ContractSource, type Operation, type Script, type Skill, type SkillFolder } from "../core/skill.ts";
import type { JsonSchema } from "../core/schema.ts";
import { COMPILE_DEADLINES, CompileThread, type CompileDeadlines } from "./compile-thread.ts";
import { uncompiled, type CodeSide, type CodeUnit, type CompiledCode, type Place } from "./compiled-code.ts";
import { ContractCache } from "./contract-cache.ts";
import { disagreement } from "./disagreement.ts";
import { frontmatterSide, type FieldFault } from "./frontmatter-contract.ts";
import { frontmatterLimits } from "./frontmatter-limits.ts";
import { graphFindings } from "./graph.ts";
import { operationsOf, type OperationFacts } from "./operation.ts";

export interface CompiledSkills {
  /** The skills whose own files have no error, in the order of their folders. */
  readonly skills: readonly Skill[];
  /** What was found in single skills. */
  readonly diagnostics: readonly Diagnostic[];
  /** What was found between skills; it leaves each of them usable. */
  readonly findings: readonly Diagnostic[];
}

export interface SkillCompilerOptions {
  /** Where compiled contracts are kept from one start to the next; without it only in memory. */
  readonly cacheFolder?: string;
  readonly deadlines?: Partial<CompileDeadlines>;
}

/** Derives contracts, scripts and calls of skills. The TypeScript compiler runs in a thread of its own, if it has to. */
export class SkillCompiler {
  readonly #thread: CompileThread;
  readonly #cache: ContractCache;
  readonly #beyond = new Map<string, CompiledCode>();
  #derived: ReadonlyMap<string, Derived> = new Map();
  #last: Promise<unknown> = Promise.resolve();

  constructor({ cacheFolder, deadlines }: SkillCompilerOptions = {}) {
    this.#thread = new CompileThread({ ...COMPILE_DEADLINES, ...deadlines });
    this.#cache = new ContractCache(cacheFolder === undefined ? undefined : path.join(cacheFolder, cacheFileName()));
  }

  async compile(folders: readonly SkillFolder[]): Promise<CompiledSkills> {
    const compiled = this.#last.then(() => this.#compile(folders));
    this.#last = compiled.catch(() => undefined);
    return compiled;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  async #compile(folders: readonly SkillFolder[]): Promise<CompiledSkills> {
    const codes = await this.#codesOf(folders);
    const derived = folders.map((folder) => this.#derive(folder, codes.get(folder)));
    this.#derived = new Map(derived.map((each) => [each.folder.path, each]));
    const operations = operationsOf(factsOf(derived));
    const skills = derived.filter(({ isSound }) => isSound).map((each) => skillOf(each, operations));
    return {
      skills,
      diagnostics: derived.flatMap(({ diagnostics }) => diagnostics),
      findings: graphFindings(skills, new Set(folders.map(({ name }) => name))),
    };
  }

  async #codesOf(folders: readonly SkillFolder[]): Promise<ReadonlyMap<SkillFolder, CompiledCode>> {
    const units = new Map(folders.filter(({ sources }) => sources.length > 0).map((folder) => [folder, unitOf(folder)]));
    await this.#cache.refresh();
    const missing = new Map([...units.values()].filter(({ key }) => !this.#known(key)).map((unit) => [unit.key, unit]));
    if (missing.size > 0) {
      for (const [key, code] of await this.#thread.compile([...missing.values()])) this.#keep(key, code);
    }
    const codes = new Map([...units].map(([folder, { key }]) => [folder, this.#known(key) ?? uncompiled([])]));
    await this.#cache.save();
    return codes;
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
  #derive(folder: SkillFolder, code: CompiledCode | undefined): Derived {
    const before = this.#derived.get(folder.path);
    const same = before?.folder.digest === folder.digest && before.folder.name === folder.name && before.code === code;
    return same ? { ...before, folder } : derivedFrom(folder, code);
  }
}

/** What is known of one folder before looking at the others. */
interface Derived {
  readonly folder: SkillFolder;
  readonly code: CompiledCode | undefined;
  readonly isSound: boolean;
  readonly contract: Contract;
  readonly scripts: readonly Script[];
  readonly calls: Calls;
  readonly composes: readonly string[];
  readonly limits: Skill["limits"];
  readonly diagnostics: readonly Diagnostic[];
}

// Raise it when equal code no longer gives equal results.
const FORMAT = 1;

/** Results depend on the compiler's version, which is told without loading it. */
function cacheFileName(): string {
  const file = createRequire(import.meta.url).resolve("typescript/package.json");
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return `contracts-${FORMAT}-${version}.json`;
}

function unitOf(folder: SkillFolder): CodeUnit {
  const files = folder.sources.map((source) => ({
    name: path.relative(folder.path, source.path).split(path.sep).join("/"),
    text: source.text,
  }));
  const hash = createHash("sha256");
  for (const { name, text } of files) hash.update(`${name}\0${text.length}\0${text}\0`);
  return { key: hash.digest("hex"), files };
}

function derivedFrom(folder: SkillFolder, code: CompiledCode | undefined): Derived {
  const input = sideOf(folder, code?.input, "input");
  const output = sideOf(folder, code?.output, "output");
  const { limits, faults } = frontmatterLimits(folder.frontmatter);
  const diagnostics = [
    ...(code?.findings ?? []).map(({ file, ...finding }) => ({ ...finding, path: path.join(folder.path, file) })),
    ...input.diagnostics,
    ...output.diagnostics,
    ...fieldDiagnostics(folder, "limits", faults),
  ];
  return {
    folder,
    code,
    isSound: diagnostics.every(({ severity }) => severity !== "error"),
    contract: { input: input.schema, output: output.schema, source: { input: input.source, output: output.source } },
    scripts: scriptsOf(folder, code),
    calls: callsOf(folder, code),
    composes: composesOf(folder),
    limits,
    diagnostics,
  };
}

interface DerivedSide {
  readonly schema: JsonSchema;
  readonly source: ContractSource;
  readonly diagnostics: readonly Diagnostic[];
}

/** One side of the contract from the strongest source that says something about it. */
function sideOf(folder: SkillFolder, fromCode: CodeSide | undefined, side: "input" | "output"): DerivedSide {
  const { schema: declared, faults } = frontmatterSide(folder.frontmatter, side);
  const diagnostics = [...fieldDiagnostics(folder, `${side}s`, faults)];
  if (fromCode?.source === "literal" || fromCode?.source === "types") {
    const { schema, source } = fromCode;
    if (!declared) return { schema, source, diagnostics };
    if (saysLittle(fromCode, side)) return { schema: declared, source: "frontmatter", diagnostics };
    return { schema, source, diagnostics: [...diagnostics, ...disagreements(folder, side, fromCode, declared)] };
  }
  if (declared) return { schema: declared, source: "frontmatter", diagnostics };
  if (fromCode?.source === "none") diagnostics.push(untyped(folder, side, fromCode.place));
  return { schema: UNTYPED[side], source: "untyped", diagnostics };
}

// `unknown` leaves it to others to say more; so does an input that is only taken apart, without a type.
function saysLittle(code: CodeSide & { readonly schema: JsonSchema }, side: "input" | "output"): boolean {
  return code.source === "types" && (Object.keys(code.schema).length === 0 || (side === "input" && code.inferred));
}

const UNTYPED = { input: { type: "object" }, output: {} } satisfies Record<string, JsonSchema>;

function disagreements(
  folder: SkillFolder,
  side: "input" | "output",
  strong: CodeSide & { readonly schema: JsonSchema },
  declared: JsonSchema,
): readonly Diagnostic[] {
  const name = strong.source === "literal" ? `the exported ${side}Schema` : "the code's type";
  const field = `${side}s`;
  const differs = disagreement(
    { name, schema: strong.schema },
    { name: "the frontmatter", schema: declared },
    { ignoreNull: true, onlyTypes: strong.source === "types" && strong.inferred },
  );
  if (differs === undefined) return [];
  return [
    {
      code: "contract-disagrees",
      severity: "error",
      ...fieldPosition(folder, field),
      message: `Two sources of the ${side} contract disagree: ${differs}`,
      fix: `Make them agree, or remove \`${field}\` from the frontmatter`,
    },
  ];
}

function untyped(folder: SkillFolder, side: "input" | "output", { file, line, column }: Place): Diagnostic {
  return {
    code: "type-untyped",
    severity: "warning",
    path: path.join(folder.path, file),
    line,
    column,
    message: side === "input" ? "The input has no type, so any object is accepted" : "The output has no type, so nothing about it is checked",
    fix: `Give it a type in TypeScript or JSDoc, export a literal \`${side}Schema\`, or declare \`${side}s\` in the frontmatter`,
  };
}

function fieldDiagnostics(folder: SkillFolder, field: string, faults: readonly FieldFault[]): readonly Diagnostic[] {
  return faults.map((fault) => ({ code: "field-invalid", severity: "warning", ...fieldPosition(folder, field), ...fault }));
}

function fieldPosition(folder: SkillFolder, field: string): Position {
  return folder.fieldPositions.get(field) ?? { path: folder.file, line: 1, column: 1 };
}

function scriptsOf(folder: SkillFolder, code: CompiledCode | undefined): readonly Script[] {
  const texts = new Map(folder.sources.map((source) => [source.path, source.text]));
  return (code?.scripts ?? []).map(({ file, code: made, map }) => {
    const source = path.join(folder.path, file);
    return { path: source, code: made ?? texts.get(source) ?? "", ...(map !== undefined && { map }) };
  });
}

function callsOf(folder: SkillFolder, code: CompiledCode | undefined): Calls {
  return {
    skills: (code?.calls ?? []).map(({ file, ...call }) => ({ ...call, path: path.join(folder.path, file) })),
    tools: code?.tools ?? [],
    dynamic: code?.dynamic ?? false,
  };
}

function composesOf({ frontmatter }: SkillFolder): readonly string[] {
  const { composes } = frontmatter;
  return Array.isArray(composes) ? composes.filter((name): name is string => typeof name === "string") : [];
}

function factsOf(derived: readonly Derived[]): ReadonlyMap<string, OperationFacts> {
  return new Map(
    derived.toReversed().map(({ folder, code, calls, composes }) => [
      folder.name,
      {
        declared: declaredOperation(folder),
        callsTools: code?.callsTools ?? false,
        callees: calls.skills.map(({ callee }) => callee),
        dynamic: calls.dynamic,
        composes,
      },
    ]),
  );
}

function declaredOperation({ frontmatter }: SkillFolder): Operation | undefined {
  return OPERATIONS.find((operation) => operation === frontmatter["operation"]);
}

function skillOf({ folder, contract, scripts, calls, composes, limits }: Derived, operations: ReadonlyMap<string, Operation>): Skill {
  const operation = operations.get(folder.name) ?? "TRANSFORM";
  return { ...folder, contract, scripts, calls, operation, composes, limits };
}
