import { type AnyNode, type Expression, type Node, parse, type Program } from "acorn";
import { stringify } from "yaml";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { OWN_TOOL, type Trace, type TraceEvent } from "../../core/trace-event.ts";
import { codeIn } from "../../trace/record/code-in.ts";
import { inputInterface, outputType } from "../codegen/type-code.ts";
import { isIdentifier, type Param } from "../plan/plan.ts";
import { inferredSchema } from "../plan/schema-inference.ts";
import { recordedTrace } from "../recording/recorded-trace.ts";

/** Code that an agent wrote and ran, as a skill whose case is what it gave then. */
export interface CodeSkill {
  readonly code: string;
  /** `tests.yaml`. */
  readonly cases: string;
  /** Its inputs: values of the code that the task's words told. */
  readonly inputs: readonly string[];
  /** How often the run tried in vain before. */
  readonly failures: number;
  readonly task: string;
}

/**
 * The skill of a run whose work was JavaScript that it ran. Nothing where it called other tools, too, where the code is in
 * another language or uses what the sandbox does not have, or gave nothing that could be compared.
 */
export function codeSkill(trace: Trace): CodeSkill | undefined {
  const work = trace.events.filter(
    ({ eventType, eventSubtype }) =>
      eventSubtype !== OWN_TOOL &&
      (eventType === "tool_call" || eventType === "code_exec" || eventType === "skill_call"),
  );
  if (work.length === 0 || work.some(({ eventType }) => eventType !== "code_exec")) return undefined;
  const done = work.filter(({ status }) => status === "completed");
  const programs = done.map(programOf);
  const last = programs.at(-1);
  const given = done.at(-1)?.outputs;
  if (!last || given === undefined) return undefined;
  const { task = "" } = recordedTrace(trace);
  const parts = partsNeeded(programs.flatMap((each) => each ?? []));
  const expected = expectedOf(given);
  const made = printed(parts, last, expected, task);
  if (!made) return undefined;
  const { params } = made;
  const example = Object.fromEntries(params.map(({ name, example: value = null }) => [name, value]));
  return {
    code: made.code,
    cases: stringify([{ name: "as it ran in the recorded run", input: example, output: expected.value }]),
    inputs: params.map(({ name }) => name),
    failures: work.length - done.length,
    task,
  };
}

/** `SKILL.md`. Nothing that the agent or its user said stands in it. */
export function codeSkillText(name: string, inputs: readonly string[], failures: number): string {
  const given = inputs.length === 0 ? "" : ` for the given ${inputs.join(", ")}`;
  const description = `Runs code that an agent wrote and ran once${given}.`;
  const tries = failures === 0 ? "" : ` Before it ran, ${failures} tries of the agent failed.`;
  return [
    `---\n${stringify({ name, description, operation: "TRANSFORM" }, { lineWidth: 0 })}---`,
    `# ${name}`,
    `The code is the agent's; \`tests.yaml\` has what it gave in the recorded run.${tries} That it is right for other inputs, no run shows.\n`,
  ].join("\n\n");
}

interface SourceProgram {
  readonly text: string;
  readonly tree: Program;
}

function programOf({ agentName = "", eventSubtype, inputs, meta }: TraceEvent): SourceProgram | undefined {
  const found = codeIn(agentName, inputs);
  const language = found?.language ?? meta?.["language"] ?? eventSubtype;
  const text = found?.code ?? (isJsonObject(inputs) ? inputs["code"] : undefined);
  if (language !== "javascript" || typeof text !== "string") return undefined;
  try {
    const tree = parse(text, {
      ecmaVersion: 2023,
      sourceType: "script",
      allowAwaitOutsideFunction: true,
      allowReturnOutsideFunction: true,
    });
    return usesOtherModules(tree) ? undefined : { text, tree };
  } catch {
    return undefined;
  }
}

/** The last program, behind those before it that declare what a later one names: interpreters keep their variables. */
function partsNeeded(programs: readonly SourceProgram[]): readonly SourceProgram[] {
  const needed: SourceProgram[] = [];
  const names = new Set<string>();
  for (const program of programs.toReversed()) {
    const declared = declaredIn(program.tree);
    if (needed.length > 0 && !declared.some((name) => names.has(name))) continue;
    for (const name of declared) names.delete(name);
    for (const name of namesIn(program.tree)) if (!declared.includes(name)) names.add(name);
    needed.unshift(program);
  }
  return needed;
}

/** What an execution gave: what it printed, or a value. */
interface Expected {
  readonly value: Json;
  /** Whether the value is what printed JSON says. */
  readonly isJson: boolean;
}

function expectedOf(given: Json): Expected {
  const told = isJsonObject(given) ? toldIn(given) : given;
  if (typeof told !== "string") return { value: told, isJson: true };
  const text = told.trimEnd();
  try {
    return { value: JSON.parse(text) as Json, isJson: true };
  } catch {
    return { value: text, isJson: false };
  }
}

function toldIn(given: JsonObject): Json {
  for (const field of ["stdout", "output", "result", "value", "text"])
    if (given[field] !== undefined && given[field] !== "" && given[field] !== null) return given[field];
  return given;
}

const PRINTING = `  const printed: string[] = [];
  const shown = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));
  const print = (...values: unknown[]): void => void printed.push(values.map(shown).join(" "));
  const silent = (..._: unknown[]): void => undefined;
  const console = { log: print, info: print, debug: print, warn: silent, error: silent };`;

function printed(
  parts: readonly SourceProgram[],
  last: SourceProgram,
  { value, isJson }: Expected,
  task: string,
): { readonly code: string; readonly params: readonly Param[] } | undefined {
  const params: Param[] = [];
  const bodies = parts.map((part) => body(part, part === last, task, params));
  const isPrinting = parts.some(({ tree }) => namesIn(tree).has("console"));
  const isGiving = last.tree.body.some(({ type }) => type === "ReturnStatement");
  const isValue = last.tree.body.at(-1)?.type === "ExpressionStatement" && !isPrinting;
  if (!isPrinting && !isGiving && !isValue) return undefined;
  const result =
    isJson && typeof value !== "string" ? `JSON.parse(printed.join("\\n"))` : `printed.join("\\n")`;
  const lines = [
    ...(isPrinting ? [PRINTING] : []),
    ...bodies,
    ...(isGiving || isValue ? [] : [`  return ${result};`]),
  ];
  const code = [
    inputInterface(params),
    outputType(inferredSchema([value])),
    `export default async function run(${params.length > 0 ? "input: Input" : ""}): Promise<Output> {\n${lines.join("\n")}\n}\n`,
  ].join("\n\n");
  return { code, params };
}

/** The text of a program with what the task told taken from the input, and types where the checker needs them. */
function body({ text, tree }: SourceProgram, isLast: boolean, task: string, params: Param[]): string {
  const changes: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  for (const statement of tree.body) {
    if (statement.type !== "VariableDeclaration") continue;
    for (const { id, init } of statement.declarations) {
      const value = init ? literalOf(init) : undefined;
      if (!init || value === undefined || id.type !== "Identifier") continue;
      const { name } = id;
      if (!isIdentifier(name) || params.some((each) => each.name === name) || !isTold(value, task)) continue;
      params.push({ name, schema: inferredSchema([value]), example: value, origins: [] });
      changes.push({ start: init.start, end: init.end, text: `input.${name}` });
    }
  }
  const end = tree.body.at(-1);
  if (isLast && end?.type === "ExpressionStatement" && !namesIn(tree).has("console"))
    changes.push({ start: end.start, end: end.start, text: "return " });
  changes.push(...missingTypes({ text, tree }));
  return changes
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, change) => done.slice(0, change.start) + change.text + done.slice(change.end), text)
    .trim();
}

/** Where the checker would find that a type is missing: parameters that nothing types, objects that are filled later. */
function missingTypes({
  text,
  tree,
}: SourceProgram): readonly { start: number; end: number; text: string }[] {
  const found: { start: number; end: number; text: string }[] = [];
  const given = new Set<Node>();
  visit(tree, (node) => {
    if (node.type === "CallExpression") for (const each of node.arguments) given.add(each);
    const isFunction =
      node.type === "FunctionDeclaration" ||
      node.type === "FunctionExpression" ||
      node.type === "ArrowFunctionExpression";
    if (isFunction && !given.has(node)) {
      for (const param of node.params) {
        if (param.type !== "Identifier") continue;
        const isBare = node.type === "ArrowFunctionExpression" && /^\s*=>/.test(text.slice(param.end));
        if (isBare) found.push({ start: param.start, end: param.end, text: `(${param.name}: any)` });
        else found.push({ start: param.end, end: param.end, text: ": any" });
      }
    }
    if (
      node.type === "VariableDeclarator" &&
      node.id.type === "Identifier" &&
      node.init?.type === "ObjectExpression" &&
      node.init.properties.length === 0
    )
      found.push({ start: node.id.end, end: node.id.end, text: ": Record<string, any>" });
  });
  return found;
}

/** A value that the code states, without names; nothing for all else. */
function literalOf(node: Node): Json | undefined {
  const part = node as Expression;
  if (part.type === "Literal")
    return typeof part.value === "string" || typeof part.value === "number" ? part.value : undefined;
  if (part.type === "UnaryExpression") {
    const of = part.operator === "-" ? literalOf(part.argument) : undefined;
    return typeof of === "number" ? -of : undefined;
  }
  if (part.type !== "ArrayExpression") return undefined;
  const items = part.elements.map((each) => (each ? literalOf(each) : undefined));
  return items.length > 0 && items.every((each) => each !== undefined) ? items : undefined;
}

/** Whether the task's words have the value, or all the values in it. */
function isTold(value: Json, task: string): boolean {
  if (Array.isArray(value)) return (value as readonly Json[]).every((each) => isTold(each, task));
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
  if (text.trim() === "") return false;
  const at = task.indexOf(text);
  const isPart = (index: number): boolean => /[\p{L}\p{N}]/u.test(task.charAt(index));
  return at >= 0 && !isPart(at - 1) && !isPart(at + text.length);
}

function declaredIn(tree: Program): readonly string[] {
  return tree.body.flatMap((statement) => {
    if (statement.type === "FunctionDeclaration" || statement.type === "ClassDeclaration")
      return statement.id.name;
    if (statement.type !== "VariableDeclaration") return [];
    return statement.declarations.flatMap(({ id }) => (id.type === "Identifier" ? id.name : []));
  });
}

function namesIn(tree: Node): ReadonlySet<string> {
  const names = new Set<string>();
  visit(tree, (node) => {
    if (node.type === "Identifier") names.add(node.name);
  });
  return names;
}

const OF_OTHERS: ReadonlySet<string> = new Set([
  "require",
  "process",
  "module",
  "exports",
  "Deno",
  "Bun",
  "fetch",
]);

function usesOtherModules(tree: Program): boolean {
  let isUsed = false;
  visit(tree, (node) => {
    isUsed ||= node.type === "ImportExpression" || (node.type === "Identifier" && OF_OTHERS.has(node.name));
  });
  return isUsed;
}

function visit(root: Node, look: (node: AnyNode) => void): void {
  const open: Node[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    look(node as AnyNode);
    const inner = Object.values(node).flat() as unknown[];
    open.push(...inner.filter(isNode));
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
