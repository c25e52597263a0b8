import ts from "typescript";
import { callsIn } from "./program/code-calls.ts";
import {
  isBundled,
  codePositionAt,
  visitUnits,
  type CodeProgram,
  type ProgramUnit,
} from "./program/ts-program.ts";
import { transpiledScripts } from "./transpile.ts";
import {
  uncompiled,
  type CodeFinding,
  type CodeSide,
  type CodeUnit,
  type CompiledCode,
  type CodePosition,
} from "./program/compiled-code.ts";
import { defaultExportOf, type SideType } from "./program/default-export.ts";
import { disagreement } from "../contracts/disagreement.ts";
import { literalSchema } from "./program/literal-schema.ts";
import { codeFlowsOf } from "../checks/flows/code-flows.ts";
import { isErrorType, schemaOfType } from "../contracts/from-types/type-to-schema.ts";

export interface CompileProgress {
  /** Called before the work on one skill begins. */
  at(unit: CodeUnit): void;
  done(unit: CodeUnit, code: CompiledCode): void;
}

/** Derives what the code of each skill tells. */
export function compileCode(units: readonly CodeUnit[], progress: CompileProgress): void {
  visitUnits(units, {
    each: (program, unit) => {
      progress.at(unit.unit);
      progress.done(unit.unit, compiledUnit(program, unit));
    },
    failed: (unit, error) => progress.done(unit, beyondCompiler(unit, error)),
  });
}

function compiledUnit(program: CodeProgram, unit: ProgramUnit): CompiledCode {
  return unit.unparsed === undefined ? new UnitCompilation(program, unit).result() : tooDeep(unit.unparsed);
}

function beyondCompiler({ files }: CodeUnit, error: unknown): CompiledCode {
  const file = files[0]?.name ?? "";
  if (error instanceof RangeError) return tooDeep(file);
  const why = error instanceof Error ? error.message : String(error);
  return uncompiled([
    {
      code: "type-inexpressible",
      severity: "error",
      ...startOf(file),
      message: `The compiler fails over this code: ${why}`,
      fix: "Simplify the code's types",
    },
  ]);
}

function tooDeep(file: string): CompiledCode {
  const fix = "Split what is nested into parts with names";
  return uncompiled([
    {
      code: "code-syntax",
      severity: "error",
      ...startOf(file),
      message: "The code is nested too deeply to be compiled",
      fix,
    },
  ]);
}

function startOf(file: string): CodePosition {
  return { file, line: 1, column: 1 };
}

const MAX_SYNTAX_ERRORS = 10;

class UnitCompilation {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #files: readonly ts.SourceFile[];
  readonly #findings: CodeFinding[] = [];

  constructor({ program, checker }: CodeProgram, { files }: ProgramUnit) {
    this.#program = program;
    this.#checker = checker;
    this.#files = files;
  }

  result(): CompiledCode {
    const [entry] = this.#files;
    if (!entry) return uncompiled([]);
    const calls = callsIn(this.#checker, this.#files);
    const syntax = this.#syntaxErrors();
    if (syntax.length > 0) return { ...uncompiled(syntax), ...calls };
    const { scripts, findings } = transpiledScripts(this.#program, this.#checker, this.#files);
    this.#findings.push(...findings, ...this.#files.filter(isBundled).map(unchecked));
    const exported = defaultExportOf(this.#checker, entry);
    if ("message" in exported) this.#findings.push(exported);
    const types = "message" in exported ? undefined : exported;
    const input = this.#side("input", entry, types && (types.input ?? "nothing"));
    const output = this.#side("output", entry, types?.output);
    const { flows, findings: unfollowed } = codeFlowsOf(this.#checker, this.#files);
    this.#findings.push(...unfollowed);
    return { input, output, scripts, ...calls, flows, findings: this.#findings };
  }

  #syntaxErrors(): readonly CodeFinding[] {
    return this.#files.flatMap((file) =>
      this.#program
        .getSyntacticDiagnostics(file)
        .slice(0, MAX_SYNTAX_ERRORS)
        .map(({ start, messageText }) => syntaxError(codePositionAt(file, start), messageText)),
    );
  }

  #side(side: "input" | "output", entry: ts.SourceFile, types: SideType | "nothing" | undefined): CodeSide {
    const literal = literalSchema(this.#checker, entry, side === "input" ? "inputSchema" : "outputSchema");
    if (literal && "message" in literal) {
      this.#findings.push(literal);
      return { source: "failed" };
    }
    if (literal) {
      if (types && types !== "nothing") this.#compareWithTypes(side, literal.schema, types);
      return { source: "literal", ...literal };
    }
    if (!types) return { source: "failed" };
    if (types === "nothing")
      return {
        source: "types",
        schema: NO_INPUT,
        place: codePositionAt(entry, 0),
        inferred: false,
        findings: [],
      };
    return this.#sideFromTypes(side, types);
  }

  #sideFromTypes(side: "input" | "output", types: SideType): CodeSide {
    const place = codePositionAt(types.at.getSourceFile(), types.at.getStart());
    const inferred = types.written === undefined;
    if (types.type.flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined)) {
      return { source: "types", schema: { type: "null" }, place, inferred, findings: [] };
    }
    if (isUntyped(types)) return { source: "none", place };
    const { schema, findings } = schemaOfType(this.#checker, { ...types, side });
    if (inferred && side === "input") return { source: "types", schema, place, inferred, findings };
    this.#findings.push(...findings);
    if (findings.some(({ severity }) => severity === "error")) return { source: "failed" };
    return { source: "types", schema, place, inferred, findings: [] };
  }

  // The literal is the contract: what its types cannot express is no fault then.
  #compareWithTypes(side: "input" | "output", literal: CompiledSchema, types: SideType): void {
    if (isUntyped(types)) return;
    const { schema, findings } = schemaOfType(this.#checker, { ...types, side });
    if (findings.some(({ severity }) => severity === "error")) return;
    const differs = disagreement(
      { name: `the exported ${side}Schema`, schema: literal },
      { name: "the type", schema },
      { onlyTypes: types.written === undefined },
    );
    if (differs === undefined) return;
    this.#findings.push({
      code: "contract-disagrees",
      severity: "error",
      ...codePositionAt(types.at.getSourceFile(), types.at.getStart()),
      message: `Two sources of the ${side} contract disagree: ${differs}`,
      fix: `Make them agree, or keep only \`${side}Schema\``,
    });
  }
}

function unchecked(file: ts.SourceFile): CodeFinding {
  return {
    code: "code-unchecked",
    severity: "info",
    ...codePositionAt(file, 0),
    message: "This is bundled or generated code: it runs, but its types are not checked",
    fix: "Put declarations beside it (`x.d.ts` for `x.js`) to have its use checked, or `// @ts-check` at its head to have it checked itself",
  };
}

function syntaxError(place: CodePosition, message: string | ts.DiagnosticMessageChain): CodeFinding {
  const text = ts.flattenDiagnosticMessageText(message, " ").replace(/\.$/, "");
  return { code: "code-syntax", severity: "error", ...place, message: text, fix: "Correct the syntax" };
}

type CompiledSchema = Extract<CodeSide, { source: "literal" | "types" }>["schema"];

const NO_INPUT: CompiledSchema = { type: "object", properties: {}, additionalProperties: false };

function isUntyped({ type, written }: SideType): boolean {
  return Boolean(type.flags & ts.TypeFlags.Any) && !(written && isErrorType(type));
}
