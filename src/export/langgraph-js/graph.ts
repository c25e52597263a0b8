import { enclosed, layoutText, type Layout } from "../../learn/codegen/layout.ts";
import { HELPERS, type Helper } from "../../learn/codegen/helpers.ts";
import { fieldLiteral, literal } from "../../learn/codegen/literal.ts";
import { neededHelpers } from "../../learn/codegen/skill-code.ts";
import { docComment, inputInterface, outputType } from "../../learn/codegen/type-code.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import { camelCase } from "../../learn/plan/names.ts";
import type { Param, Plan } from "../../learn/plan/plan.ts";
import { skillsOf } from "../../learn/plan/steps.ts";
import type { ExportedSkill } from "../engine-adapter.ts";
import { secretsOf } from "../export-files.ts";
import type { Effect } from "../plan-nodes.ts";
import { type StepNode, graphNodes, NODE_INDENT } from "./graph-nodes.ts";

/** Names that the module has for something else, or that its nodes are known by. */
const TAKEN =
  "begin callTool calls check client finish given graph hidden input interrupt isGraphBubbleUp kept made node output plain randomUUID readOnce result run runSkill runtime state task writeOnce".split(
    " ",
  );

interface GraphTexts {
  /** The types of what is given and what comes of it, the state's keys, and the functions. */
  readonly types: readonly string[];
  readonly keys: readonly (readonly [key: string, type: string])[];
  readonly functions: readonly string[];
  readonly nodes: readonly Pick<StepNode, "name" | "effect">[];
  readonly helpers: readonly string[];
}

/** The module with the graph, which takes from `./tools.ts` how tools are called. */
export function graphModule(skill: ExportedSkill): string {
  const { work } = skill;
  const secrets = secretsOf(skill);
  const { types, keys, functions, nodes, helpers } =
    work.kind === "plan" ? planTexts(skill, work.plan, secrets) : callTexts(skill.name, work.mayWrite);
  const effects = new Set(nodes.map(({ effect }) => effect));
  const mayWrite = effects.has("writes");
  const hasSkills = work.kind === "call" || skillsOf(work.plan.steps).length > 0;
  const parts = [
    ...types,
    stateText(keys, secrets),
    ...(mayWrite || effects.has("reads") ? [RETRIES] : []),
    ...functions,
    graphText(nodes, secrets.length > 0),
    nodeText(secrets.length > 0),
    keptText(secrets.length > 0),
    ...(secrets.length > 0 ? [HIDDEN] : []),
    ...(mayWrite ? callsTexts(hasSkills, secrets.length > 0) : []),
    ...helpers,
  ];
  const body = parts.join("\n\n");
  return `${docComment(skill.description ?? skill.name, "")}${importsOf(body, { hasPlan: work.kind === "plan", hasSkills })}\n\n${body}\n`;
}

const IMPORTS: readonly (readonly [module: string, names: readonly string[]])[] = [
  ["node:crypto", ["randomUUID"]],
  [
    "@langchain/langgraph",
    ["Annotation", "END", "START", "StateGraph", "interrupt", "isGraphBubbleUp", "task", "type Runtime"],
  ],
  ["./tools.ts", ["callTool", "check", "plain", "runSkill", "SkillError", "ToolError", "Unreachable"]],
];

/** What a body uses. A name may stand in a text alone, as that of a skill: what there is not is not imported. */
function importsOf(
  body: string,
  { hasPlan, hasSkills }: { readonly hasPlan: boolean; readonly hasSkills: boolean },
): string {
  const absent = new Set([...(hasPlan ? [] : ["check"]), ...(hasSkills ? [] : ["runSkill"])]);
  const lines = IMPORTS.flatMap(([module, names]) => {
    const used = names.filter(
      (name) => !absent.has(name) && new RegExp(`\\b${name.replace("type ", "")}\\b`).test(body),
    );
    return used.length === 0
      ? []
      : [layoutText([enclosed("import {", used, "}", " "), ` from ${literal(module)};`], "")];
  });
  return lines.join("\n");
}

function planTexts({ input, output }: ExportedSkill, plan: Plan, secrets: readonly Param[]): GraphTexts {
  const { nodes, finish, helpers } = graphNodes(plan, TAKEN);
  const context = secrets.length > 0 ? ", runtime: Runtime<Secrets>" : "";
  const given = inputInterface(plan.params.filter(({ secret }) => secret !== true));
  // What has no type is used all the same, as it is in the skill.
  const type = /\bunknown\b/.test(given) ? ": any" : "";
  const begin = ({ needs, isGiven }: Pick<StepNode, "needs" | "isGiven">): readonly string[] => [
    ...(isGiven
      ? [`const input${type} = ${context === "" ? "state.given" : "{ ...state.given, ...runtime.context }"};`]
      : []),
    ...needs.map((name) => `const ${name} = state.${name};`),
  ];
  const functionText = (
    name: string,
    { needs, isGiven, lines }: Pick<StepNode, "needs" | "isGiven" | "lines">,
    { calls, gives }: { readonly calls: readonly string[]; readonly gives: string },
  ): string => {
    const takesState = isGiven || needs.length > 0 || calls.length > 0;
    const takesContext = isGiven || calls.length > 0 ? context : "";
    return [
      `async function ${name}(${takesState ? `state: State${takesContext}` : ""}): Promise<Update> {`,
      ...[...begin({ needs, isGiven }), ...calls].map((line) => `${NODE_INDENT}${line}`),
      ...lines,
      `${NODE_INDENT}return ${gives};`,
      "}",
    ].join("\n");
  };
  const shown = secrets.length > 0 ? ", runtime.context" : "";
  return {
    types: [
      given,
      outputType(plan.output.schema),
      `const INPUT = ${brokenLiteral(input)};`,
      `const OUTPUT = ${brokenLiteral(output)};`,
    ],
    keys: [
      ["given", "Input"],
      ["run", "string"],
      ...nodes.flatMap(({ gives }) => (gives === undefined ? [] : [[gives, "any"] as const])),
      ["result", "Output"],
    ],
    functions: [
      beginText(secrets),
      ...nodes.map((node) =>
        functionText(node.name, node, {
          calls:
            node.effect === "writes" ? [`const calls = new Calls(state.run, "${node.name}"${shown});`] : [],
          gives: node.gives === undefined ? "{}" : `{ ${node.gives} }`,
        }),
      ),
      functionText("finish", finish, {
        calls: [],
        gives: '{ result: check(output, OUTPUT, "OUTPUT_INVALID") }',
      }),
    ],
    nodes: [...nodes, { name: "finish", effect: "none" }],
    helpers: neededHelpers(helpers).map(codedHelper),
  };
}

/** A helper as it is where failures have codes: only a call that failed is looked at, not what stops a run. */
export function codedHelper(helper: Helper): string {
  return HELPERS[helper]
    .replace(
      "call.catch((failed) => {\n",
      "call.catch((failed) => {\n    if (!(failed instanceof ToolError)) throw failed;\n",
    )
    .replace("if (left <= 0 ||", "if (!(error instanceof ToolError) || left <= 0 ||")
    .replace(
      /new Error\((why .*?)\), \{ name: "ChoiceNeeded", choice \}/,
      'new SkillError($1, "CHOICE_NEEDED"), { choice }',
    );
}

function callTexts(skill: string, mayWrite: boolean): GraphTexts {
  const name = camelCase(`do-${skill}`);
  const callee = mayWrite ? `new Calls(state.run, "${name}").writeSkill` : "runSkill";
  return {
    types: [],
    keys: [
      ["given", "any"],
      ["run", "string"],
      ["result", "any"],
    ],
    functions: [
      `async function begin(): Promise<Update> {\n${NODE_INDENT}return { run: randomUUID() };\n}`,
      [
        `async function ${name}(state: State): Promise<Update> {`,
        `${NODE_INDENT}return { result: await ${callee}(${literal(skill)}, state.given) };`,
        "}",
      ].join("\n"),
    ],
    nodes: [{ name, effect: mayWrite ? "writes" : "reads" }],
    helpers: [],
  };
}

/** A value as code that is broken into lines where it is long. */
export function brokenLiteral(value: Json, indent = ""): string {
  const layout = (each: Json): Layout => {
    if (Array.isArray(each)) return enclosed("[", (each as readonly Json[]).map(layout), "]");
    if (!isJsonObject(each)) return literal(each);
    const fields = Object.entries(each).map(([key, inner]): Layout => [
      `${fieldLiteral(key)}: `,
      layout(inner),
    ]);
    return enclosed("{", fields, "}", fields.length === 0 ? "" : " ");
  };
  return layoutText(layout(value), indent).slice(indent.length);
}

function stateText(keys: GraphTexts["keys"], secrets: readonly Param[]): string {
  const annotation = (fields: GraphTexts["keys"]): string =>
    `Annotation.Root({\n${fields.map(([key, type]) => `${NODE_INDENT}${key}: Annotation<${type}>,`).join("\n")}\n})`;
  const context =
    secrets.length === 0
      ? ""
      : `/** Credentials, which are given as the graph's context, and kept by no checkpointer. */
const Secrets = ${annotation(secrets.map(({ name }) => [name, "string"]))};
type Secrets = typeof Secrets.State;

`;
  return `${context}const State = ${annotation(keys)};
type State = typeof State.State;
type Update = typeof State.Update;`;
}

const RETRIES = `/** What only reads is called again where nobody answers. */
const RETRIES = { maxAttempts: 3, retryOn: (error: unknown) => error instanceof Unreachable };`;

function beginText(secrets: readonly Param[]): string {
  if (secrets.length === 0)
    return `/** What the input says is what the skill takes, or nothing is called. */
async function begin(state: State): Promise<Update> {
  return { run: randomUUID(), given: kept(check(state.given ?? {}, INPUT, "INPUT_INVALID")) };
}`;
  const names = secrets.map(({ name }) => name);
  return `/** What the input says is what the skill takes, or nothing is called; credentials come as context. */
async function begin(state: State, runtime: Runtime<Secrets>): Promise<Update> {
  const given = state.given ?? {};
  if (${literal(names)}.some((name) => Object.hasOwn(given, name)))
    throw new SkillError("A credential is given as context, and not in the input", "INPUT_INVALID");
  const { ${names.map((name, nth) => `${name}: _${nth}`).join(", ")}, ...own } = check({ ...given, ...runtime.context }, INPUT, "INPUT_INVALID");
  return { run: randomUUID(), given: own };
}`;
}

function graphText(nodes: GraphTexts["nodes"], hasSecrets: boolean): string {
  const way = ["begin", ...nodes.map(({ name }) => name)];
  const policy = (effect: Effect): string => (effect === "reads" ? ", { retryPolicy: RETRIES }" : "");
  return [
    "/** To be compiled with a checkpointer of yours. */",
    `export const graph = new StateGraph(State${hasSecrets ? ", Secrets" : ""})`,
    ...[
      '.addNode("begin", node(begin))',
      ...nodes.map(({ name, effect }) => `.addNode("${name}", node(${name})${policy(effect)})`),
      '.addEdge(START, "begin")',
      ...way.slice(1).map((name, nth) => `.addEdge("${way[nth]}", "${name}")`),
      `.addEdge("${way.at(-1)}", END);`,
    ].map((line) => `${NODE_INDENT}${line}`),
  ].join("\n");
}

/** With credentials, which are left out of what is kept of failures, too. */
function nodeText(hasSecrets: boolean): string {
  const [more, rest, secrets] = hasSecrets
    ? [", runtime: Runtime<Secrets>", ", runtime", ", runtime.context"]
    : ["", "", ""];
  return `/** A step as a node, whose failures have codes. */
function node(step: (state: State${more}) => Promise<Update>) {
  return async (state: State${more}): Promise<Update> => {
    try {
      return kept(await step(state${rest})${secrets});
    } catch (error) {
      if (${hasSecrets ? "" : "error instanceof SkillError || "}isGraphBubbleUp(error)) throw error;
      ${hasSecrets ? "const failed = error instanceof SkillError ? error :" : "throw"} new SkillError(error instanceof Error ? error.message : String(error), "SKILL_THREW", { cause: error });${hasSecrets ? "\n      failed.message = hidden(failed.message, runtime.context);\n      throw failed;" : ""}
    }
  };
}`;
}

function keptText(hasSecrets: boolean): string {
  const refused = `
  if (JSON.stringify(hidden(value, secrets)) !== JSON.stringify(value))
    throw new SkillError("An answer, or the input, repeats a credential, which LangGraph would keep");`;
  return `/** What is kept between steps: a value that looks like a mark of LangGraph's own would come back as something else. */
function kept<Value>(value: Value${hasSecrets ? ", secrets: Partial<Secrets> = {}" : ""}): Value {
  if (/"lc":[12][,}]|"__proto__":/.test(JSON.stringify(value) ?? ""))
    throw new SkillError('A value has a field "lc" or "__proto__", which LangGraph does not keep as it is');${hasSecrets ? refused : ""}
  return value;
}`;
}

function callsTexts(hasSkills: boolean, hasSecrets: boolean): readonly string[] {
  const skills = `

  readSkill(skill: string, given: unknown): Promise<any> {
    return this.#outcome(readOnce, { skill, given });
  }

  async writeSkill(skill: string, given: unknown): Promise<any> {
    this.#ask(skill, given);
    return this.#outcome(writeOnce, { skill, given });
  }`;
  const [made, type] = hasSkills
    ? [
        '"tool" in call ? await callTool(call.tool, call.given, key) : await runSkill(call.skill, call.given, key)',
        "{ tool: string; given: unknown } | { skill: string; given: unknown }",
      ]
    : ["await callTool(call.tool, call.given, key)", "{ tool: string; given: unknown }"];
  return [
    `type Call = ${type};`,
    `/** What came of a call, as data: a task's outcome is kept, so a node that begins again does not repeat the call. */
async function made(call: Call, key: string${hasSecrets ? ", secrets: Partial<Secrets>" : ""}): Promise<{ answer: any } | { code: string; message: string }> {
  try {
    return { answer: kept(${made}${hasSecrets ? ", secrets" : ""}) };
  } catch (error) {${hasSecrets ? "\n    if (error instanceof ToolError) error.message = hidden(error.message, secrets);" : ""}
    if (!(error instanceof ToolError) || error instanceof Unreachable) throw error;
    return { code: error.code, message: error.message };
  }
}

const readOnce = task({ name: "read", retry: RETRIES }, made);
const writeOnce = task("write", made);`,
    `/** The calls of a node that may write, each with a key that is the same whenever the node begins again. */
class Calls {
  readonly #place: string;${hasSecrets ? "\n  readonly #secrets: Partial<Secrets>;" : ""}
  #count = 0;

  constructor(run: string, node: string${hasSecrets ? ", secrets: Partial<Secrets> = {}" : ""}) {
    this.#place = \`\${run}/\${node}\`;${hasSecrets ? "\n    this.#secrets = secrets;" : ""}
  }

  readTool(tool: string, given: unknown): Promise<any> {
    return this.#outcome(readOnce, { tool, given });
  }

  async writeTool(tool: string, given: unknown): Promise<any> {
    this.#ask(tool, given);
    return this.#outcome(writeOnce, { tool, given });
  }${hasSkills ? skills : ""}

  /** A person agrees before anything is written: the graph goes on with new Command({ resume: true }). */
  #ask(tool: string, given: unknown): void {
    if (interrupt({ tool, arguments: ${hasSecrets ? "hidden(plain(given), this.#secrets)" : "plain(given)"} }) !== true)
      throw new SkillError(\`\${tool} was declined\`, "RUN_UNAPPROVED");
  }

  async #outcome(once: typeof readOnce, call: Call): Promise<any> {
    const told = await once(call, \`\${this.#place}/\${++this.#count}\`${hasSecrets ? ", this.#secrets" : ""});
    if ("answer" in told) return told.answer;
    throw new ToolError(told.message, told.code);
  }
}`,
  ];
}

const HIDDEN = `/** Without credentials: what a person is shown, and what failures say, which the checkpointer keeps. */
function hidden(value: any, secrets: Partial<Secrets>): any {
  if (Array.isArray(value)) return value.map((each) => hidden(each, secrets));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hidden(each, secrets)]));
  if (typeof value !== "string") return value;
  return Object.values(secrets).reduce((text, secret) => (secret ? text.replaceAll(secret, () => "***") : text), value);
}`;
