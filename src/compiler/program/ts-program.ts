import path from "node:path";
import ts from "typescript";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { withTagsHidden } from "./comment-tags.ts";
import type { CodeUnit, CodePosition } from "./compiled-code.ts";
import { schemaDeclarations } from "../../contracts/to-types/schema-declarations.ts";
import { indented } from "../../contracts/to-types/schema-to-type.ts";
import { type Insertion, offsetBefore, parameterTyping, withInsertions } from "./typed-parameter.ts";
import { SANDBOX_GLOBALS, UNTYPED_CALLS } from "../../contracts/to-types/sandbox-globals.ts";
import { sandboxLibrary } from "../../contracts/to-types/sandbox-library.ts";

/** A skill's code among the files of a program: the files have the unit's order. */
export interface ProgramUnit {
  readonly unit: CodeUnit;
  readonly files: readonly ts.SourceFile[];
  /** A file that overflows the parser, if there is one. */
  readonly unparsed: string | undefined;
}

export interface CodeProgram {
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  readonly units: readonly ProgramUnit[];
}

/**
 * One program over many skills, each of which sees only its own files, the language's library and the skill's world:
 * in it `call_skill` and `call_tool` are as `calls` declares them.
 */
function codeProgram(units: readonly CodeUnit[], calls: string = UNTYPED_CALLS): CodeProgram {
  const inputs = units.map(inputTypes).join("");
  const texts = new Map<string, string>([[GLOBALS_FILE, `${calls}\n${inputs}${SANDBOX_GLOBALS}`]]);
  const typings = new Map<string, string>();
  units.forEach((unit, index) => {
    for (const file of unit.files) texts.set(`/${index}/${file.name}`, file.text);
    const [entry] = unit.files;
    if (entry && unit.input) typings.set(`/${index}/${entry.name}`, `${inputNamespace(index)}.Input`);
  });
  const unparsed = new Set<string>();
  const program = ts.createProgram({
    rootNames: [LIBRARY_FILE, ...texts.keys()],
    options: OPTIONS,
    host: hostOver(texts, typings, unparsed),
  });
  const checker = program.getTypeChecker();
  return {
    program,
    checker,
    units: units.map((unit, index) => ({
      unit,
      files: unit.files.flatMap((file) => program.getSourceFile(`/${index}/${file.name}`) ?? []),
      unparsed: unit.files.map(({ name }) => name).find((name) => unparsed.has(`/${index}/${name}`)),
    })),
  };
}

/** A namespace for each skill: in the compiler's messages its input is called `Input`. */
function inputNamespace(index: number): string {
  return `Given${index}`;
}

function inputTypes({ input }: CodeUnit, index: number): string {
  if (!input) return "";
  const types = schemaDeclarations(withDefaults(input), "Input", "output").map(indented);
  return `declare namespace ${inputNamespace(index)} {\n${types.join("\n")}\n}\n`;
}

/** The schema of what the skill sees: what has a default is there, since it has been filled in. */
function withDefaults(schema: JsonSchema): JsonSchema {
  const filled = Object.fromEntries(
    Object.entries(schema).map(([key, part]) => [key, isJsonObject(part) ? withDefaultsIn(key, part) : part]),
  );
  if (!isJsonObject(schema["properties"])) return filled;
  const given = Object.entries(schema["properties"])
    .filter(([, property]) => isJsonObject(property) && property["default"] !== undefined)
    .map(([name]) => name);
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  return given.length === 0 ? filled : { ...filled, required: [...new Set([...required, ...given])] };
}

function withDefaultsIn(key: string, part: JsonObject): JsonObject {
  if (key === "items" || key === "additionalProperties") return withDefaults(part);
  if (key !== "properties" && key !== "$defs") return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, each]) => [name, isJsonObject(each) ? withDefaults(each) : each]),
  );
}

/** Whether a node is the parameter, or is taken from it, that has its type from what the skill takes. */
export function isOfTypedInput(checker: ts.TypeChecker, node: ts.Node): boolean {
  const file = node.getSourceFile();
  if (!insertions.has(file)) return false;
  let root = node;
  if (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) root = node.parent.expression;
  const pattern = ts.findAncestor(node, (each) => ts.isObjectBindingPattern(each) || ts.isStatement(each));
  if (pattern && ts.isVariableDeclaration(pattern.parent)) root = pattern.parent.initializer ?? root;
  while (
    ts.isPropertyAccessExpression(root) ||
    ts.isElementAccessExpression(root) ||
    ts.isCallExpression(root) ||
    ts.isParenthesizedExpression(root)
  )
    root = root.expression;
  const declaration = ts.isIdentifier(root) ? checker.getSymbolAtLocation(root)?.valueDeclaration : undefined;
  const parameter = declaration && ts.findAncestor(declaration, ts.isParameter);
  return parameter?.type !== undefined;
}

export interface UnitVisitor {
  readonly each: (program: CodeProgram, unit: ProgramUnit) => void;
  /** Told of a skill over which the compiler fails. */
  readonly failed: (unit: CodeUnit, error: unknown) => void;
  /** The declarations of `call_skill` and `call_tool`; they take anything by default. */
  readonly calls?: string;
}

/** Works on each skill within a program of many. Skills whose declarations are global get a program of their own. */
export function visitUnits(units: readonly CodeUnit[], work: UnitVisitor): void {
  visitTogether(
    units.filter((unit) => !declaresGlobals(unit)),
    work,
  );
  for (const unit of units.filter(declaresGlobals)) visitTogether([unit], work);
}

function visitTogether(units: readonly CodeUnit[], work: UnitVisitor): void {
  if (units.length === 0) return;
  let program: CodeProgram;
  try {
    program = codeProgram(units, work.calls);
  } catch (error) {
    visitInHalves(units, work, error);
    return;
  }
  for (const unit of program.units) {
    try {
      work.each(program, unit);
    } catch (error) {
      work.failed(unit.unit, error);
    }
  }
}

// The compiler does not say over which file it failed.
function visitInHalves(units: readonly CodeUnit[], work: UnitVisitor, error: unknown): void {
  const [only] = units;
  if (units.length === 1 && only) {
    work.failed(only, error);
    return;
  }
  const middle = Math.ceil(units.length / 2);
  visitTogether(units.slice(0, middle), work);
  visitTogether(units.slice(middle), work);
}

/** The place of an offset in a skill's file. */
export function codePositionAt(file: ts.SourceFile, offset: number): CodePosition {
  const { line, character } = file.getLineAndCharacterOfPosition(offset);
  // What has been put in has no line breaks.
  const start = file.getPositionOfLineAndCharacter(line, 0);
  const added = insertions.get(file) ?? [];
  const before = offsetBefore(added, start + character) - offsetBefore(added, start);
  return { file: file.fileName.replace(/^\/\d+\//, ""), line: line + 1, column: before + 1 };
}

/** Whether a node is the skill's author's own, not the library's or the world's. */
export function isAuthored(node: ts.Node): boolean {
  return /^\/\d+\//.test(node.getSourceFile().fileName);
}

/** Whether a node is part of what the world declares. */
export function isSandboxGlobal(node: ts.Node): boolean {
  return node.getSourceFile().fileName === GLOBALS_FILE;
}

/** Whether a node is part of the language's own library. */
export function isLibrary(node: ts.Node): boolean {
  return node.getSourceFile().fileName === LIBRARY_FILE;
}

/** Whether a file of the program is bundled code: its own faults are not told. */
export function isBundled(file: ts.SourceFile): boolean {
  const known = bundled.get(file) ?? isBundledCode(file.fileName, file.text);
  bundled.set(file, known);
  return known;
}

const bundled = new WeakMap<ts.SourceFile, boolean>();

/** The text as its author wrote it, where TypeScript has been given a changed one. */
export function authoredText(file: ts.SourceFile): string {
  return authoredTexts.get(file) ?? file.text;
}

/** Whether skills could see each other through this file: what it declares is global. */
function declaresGlobals(unit: CodeUnit): boolean {
  return unit.files.some(
    (file) =>
      /\.d\.[cm]?ts$/.test(file.name) || /\bglobal\s*\{|\bdeclare\s+module\b|\bglobalThis\b/.test(file.text),
  );
}

const GLOBALS_FILE = "/world/world.d.ts";

const LIBRARY_FILE = "/library/sandbox.d.ts";

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noLib: true,
  types: [],
  strict: true,
  useUnknownInCatchVariables: false,
  allowJs: true,
  checkJs: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

/** What has been put into a file to type the default export's parameter. */
const insertions = new WeakMap<ts.SourceFile, readonly Insertion[]>();

const authoredTexts = new WeakMap<ts.SourceFile, string>();

let library: ts.SourceFile | undefined;

function hostOver(
  texts: ReadonlyMap<string, string>,
  typings: ReadonlyMap<string, string>,
  unparsed: Set<string>,
): ts.CompilerHost {
  return {
    getSourceFile: (name, options) => {
      if (name === LIBRARY_FILE) return (library ??= ts.createSourceFile(name, sandboxLibrary(), options));
      const text = texts.get(name);
      if (text === undefined) return undefined;
      try {
        return authoredFile(name, text, typings.get(name), options);
      } catch {
        unparsed.add(name);
        return ts.createSourceFile(name, "", options, true);
      }
    },
    fileExists: (name) => texts.has(name),
    readFile: (name) => texts.get(name),
    directoryExists: () => false,
    resolveModuleNameLiterals: (literals, from) =>
      literals.map((literal) => ({ resolvedModule: resolvedModule(texts, literal.text, from) })),
    resolveTypeReferenceDirectiveReferences: (references) =>
      references.map(() => ({ resolvedTypeReferenceDirective: undefined })),
    getDefaultLibFileName: () => LIBRARY_FILE,
    getCurrentDirectory: () => "/",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    writeFile: () => undefined,
  };
}

function authoredFile(
  name: string,
  text: string,
  inputType: string | undefined,
  options: ts.ScriptTarget | ts.CreateSourceFileOptions,
): ts.SourceFile {
  const visible = /\.[cm]?jsx?$/.test(name) ? withTagsHidden(text) : text;
  const typing = inputType === undefined ? [] : parameterTyping(name, visible, inputType);
  const file = ts.createSourceFile(name, withInsertions(visible, typing), options, true);
  if (visible !== text) authoredTexts.set(file, text);
  if (typing.length > 0) insertions.set(file, typing);
  return file;
}

function resolvedModule(
  texts: ReadonlyMap<string, string>,
  specifier: string,
  from: string,
): ts.ResolvedModuleFull | undefined {
  if (!/^\.{1,2}\//.test(specifier)) return undefined;
  const target = path.posix.join(path.posix.dirname(from), specifier);
  if (target.split("/")[1] !== from.split("/")[1]) return undefined;
  const types = target.replace(/\.([cm]?)js$/, ".d.$1ts");
  if (types !== target && texts.has(types)) return moduleOf(types);
  // What is guessed of a bundle's types would be wrong more often than not: importers see anything in it.
  if (isBundledCode(target, texts.get(target) ?? "")) return undefined;
  const found = [
    target,
    `${target}.ts`,
    `${target}.js`,
    target.replace(/\.js$/, ".ts"),
    `${target}/index.ts`,
    `${target}/index.js`,
  ].find((name) => texts.has(name));
  return found === undefined ? undefined : moduleOf(found);
}

function moduleOf(found: string): ts.ResolvedModuleFull {
  const extension = /\.d\.[cm]?ts$|\.[a-z]+$/.exec(found)?.[0] ?? "";
  return { resolvedFileName: found, extension, isExternalLibraryImport: false };
}

/**
 * Whether a JavaScript file is what a tool made of libraries rather than what an author wrote. Such code runs, but is
 * not type-checked: nobody would mend it. `// @ts-check` and `// @ts-nocheck` at its head decide; else its folder, the
 * marks that bundlers leave, a line that no hand writes, or its length tell.
 */
export function isBundledCode(name: string, text: string): boolean {
  if (!/\.[cm]?js$/.test(name)) return false;
  const said = saidAtHead(text);
  if (said !== undefined) return said === "nocheck";
  return (
    FOLDERS.test(path.posix.dirname(name)) ||
    text.length > MAX_WRITTEN ||
    MARKS.test(text) ||
    text.split("\n").some((line) => line.length > MAX_LINE)
  );
}

/** What the comments before the code say, as TypeScript reads it. */
function saidAtHead(text: string): string | undefined {
  for (const line of text.slice(0, HEAD_CHARACTERS).split("\n")) {
    const said = /^\s*\/\/\s*@ts-(nocheck|check)\b/.exec(line)?.[1];
    if (said !== undefined) return said;
    if (!/^\s*(?:$|\/\/|\/?\*|#!)/.test(line)) return undefined;
  }
  return undefined;
}

const HEAD_CHARACTERS = 10_000;

const FOLDERS = /(?:^|\/)(?:vendor|node_modules)(?:\/|$)/;

/** What esbuild, Rollup and webpack write: the files that went in, and helpers of their own. */
const MARKS =
  /^\/\/ \S*node_modules\/|^var __(?:defProp|getOwnPropNames|commonJS|create)\b|\b__webpack_require__\b|^\/\/# sourceMappingURL=/m;

const MAX_WRITTEN = 50_000;

const MAX_LINE = 5_000;
