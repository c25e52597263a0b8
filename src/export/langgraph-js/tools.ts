import { IDEMPOTENCY_KEY } from "../../core/tools/idempotency-key.ts";
import { literal } from "../../learn/codegen/literal.ts";
import { skillsOf, toolsOf } from "../../learn/plan/steps.ts";
import type { ExportedSkill, ToolAccess } from "../engine-adapter.ts";
import { serverVariables } from "../plan-nodes.ts";
import { brokenLiteral } from "./graph.ts";

/** The module that calls tools, and checks what the skill takes and gives; failures and values may have one of their own. */
export function toolsModule(
  skill: ExportedSkill,
  access: ToolAccess,
  { hasValues = true }: { readonly hasValues?: boolean } = {},
): string {
  const { work } = skill;
  const plan = work.kind === "plan" ? work.plan : undefined;
  const hasSkills = plan === undefined || skillsOf(plan.steps).length > 0;
  const isServed = access.kind === "served";
  const names = isServed
    ? Object.fromEntries((plan ? toolsOf(plan.steps) : []).map((tool) => [tool, access.published(tool)]))
    : {};
  const parts = [
    isServed ? SERVED_IMPORTS : DIRECT_IMPORTS,
    ...(isServed
      ? [servedPlaces(names)]
      : [
          `/** Which variable of the environment has a server's address, or the command that starts it. */\nconst SERVERS: Record<string, string> = ${brokenLiteral(Object.fromEntries(serverVariables(skill)))};`,
        ]),
    ...(hasValues ? [ERRORS] : []),
    CALL_TOOL,
    ...(hasSkills ? [RUN_SKILL] : []),
    CLIENT,
    isServed ? sentServed() : sentDirect(),
    isServed ? SERVED_ANSWER : DIRECT_ANSWER,
    ...(hasValues ? [PLAIN] : []),
    ...(plan ? [CHECK, FAULT] : []),
  ];
  const imports = [...(plan ? [VALIDATOR_IMPORTS] : []), ...(hasValues ? [] : [VALUES_IMPORT])]
    .map((line) => `${line}\n`)
    .join("");
  return `${imports}${parts.join("\n\n")}\n`;
}

/** What failures are, and values as JSON has them, as a module that takes nothing else. */
export function valuesModule(): string {
  return `${ERRORS}\n\n${PLAIN}\n`;
}

const VALUES_IMPORT = 'import { plain, SkillError, ToolError, Unreachable } from "./values.ts";';

const VALIDATOR_IMPORTS = `import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";`;

const SERVED_IMPORTS =
  'import { type CallToolResult, Client, ProtocolError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";';

const DIRECT_IMPORTS = `import { type CallToolResult, Client, ProtocolError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";`;

function servedPlaces(names: Readonly<Record<string, string>>): string {
  return `const SERVER = new URL(process.env["REPERTOIRE_URL"] ?? "http://127.0.0.1:3333/mcp");

/** What tools of other servers are called there. */
const PUBLISHED: Record<string, string> = ${brokenLiteral(names)};`;
}

const ERRORS = `/** The skill has ended without a result; \`code\` tells why, as it does in Repertoire. */
export class SkillError extends Error {
  readonly code: string;

  constructor(message: string, code = "SKILL_THREW", options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A call has failed: what its tool said. */
export class ToolError extends SkillError {
  constructor(message: string, code = "TOOL_FAILED", options?: ErrorOptions) {
    super(message, code, options);
  }
}

/** Nobody has answered a call: it may have been made, or not. */
export class Unreachable extends ToolError {}`;

const CALL_TOOL = `/** Calls a tool; the key is the same for each attempt of the same call. */
export async function callTool(tool: string, given: unknown, key?: string): Promise<any> {
  return client.call(tool, plain(given), key);
}`;

const RUN_SKILL = `/** Runs a skill where it is served. */
export async function runSkill(skill: string, given: unknown, key?: string): Promise<any> {
  return callTool("run_skill", { name: skill, input: given }, key);
}`;

const CLIENT = `/** How calls are made; a test puts its own in its place. */
export const client = { call: sent };

const MAX_MS = 600_000;`;

const KEY = literal(IDEMPOTENCY_KEY);

const SESSION = `  const session = new Client({ name: "repertoire-export", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const about = key === undefined ? {} : { _meta: { ${KEY}: key } };`;

function failed(isRefusal: string, code: string): string {
  return `  } catch (cause) {
    const said = \`\${tool}: \${cause instanceof Error ? cause.message : String(cause)}\`;
    // A server that refuses a request has answered it.
    if (${isRefusal}) throw ${code};
    throw new Unreachable(said, undefined, { cause });
  } finally {
    await session.close().catch(() => undefined);
  }`;
}

function sentServed(): string {
  const code = 'new ToolError(said, cause.code === -32602 ? "TOOL_NOT_FOUND" : undefined, { cause })';
  return `async function sent(tool: string, given: any, key?: string): Promise<any> {
${SESSION}
  let answer: CallToolResult;
  try {
    await session.connect(new StreamableHTTPClientTransport(SERVER));
    answer = await session.callTool({ name: PUBLISHED[tool] ?? tool, arguments: given, ...about }, { timeout: MAX_MS });
${failed("ProtocolError.isInstance(cause)", code)}
  return answered(answer);
}`;
}

function sentDirect(): string {
  return `async function sent(tool: string, given: any, key?: string): Promise<any> {
  const at = tool.indexOf(".");
  const [server, name] = [tool.slice(0, at), tool.slice(at + 1)];
${SESSION}
  let outputSchema: object | undefined;
  let answer: CallToolResult;
  try {
    await session.connect(transportTo(server));
    const { tools } = await session.listTools();
    const known = tools.find((each) => each.name === name);
    if (!known) throw new ToolError(\`The server "\${server}" has no tool "\${name}"\`, "TOOL_NOT_FOUND");
    outputSchema = known.outputSchema;
    // What comes is checked below.
    const toolDefinition = { name, inputSchema: known.inputSchema };
    answer = await session.callTool({ name, arguments: given, ...about }, { timeout: MAX_MS, toolDefinition });
${failed("ProtocolError.isInstance(cause) || cause instanceof SkillError", "cause instanceof SkillError ? cause : new ToolError(said, undefined, { cause })")}
  const value = answered(tool, answer);
  const fault = outputSchema && faultOf(plain(value), outputSchema);
  if (fault) throw new ToolError(\`The answer of "\${tool}" does not fit the tool's outputSchema: \${fault}\`);
  return value;
}

/** The way to a server; <NAME>_SERVER_AUTHORIZATION is sent to an address as the header of that name. */
function transportTo(server: string) {
  const variable = SERVERS[server] ?? "";
  const place = process.env[variable];
  if (place === undefined) throw new SkillError(\`The environment has no \${variable}\`);
  if (/^https?:/.test(place)) {
    const authorization = process.env[\`\${variable}_AUTHORIZATION\`];
    const headers: Record<string, string> = authorization ? { authorization } : {};
    return new StreamableHTTPClientTransport(new URL(place), { requestInit: { headers } });
  }
  const words = place.match(/"[^"]*"|'[^']*'|\\S+/g) ?? [];
  const [command = "", ...args] = words.map((word) => word.replace(/^(["'])(.*)\\1$/, "$2"));
  const env = Object.fromEntries(Object.entries(process.env).filter((each): each is [string, string] => each[1] !== undefined));
  return new StdioClientTransport({ command, args, env });
}`;
}

const SERVED_ANSWER = `/** What a call gave; what Repertoire says of a failure. */
function answered(answer: CallToolResult): any {
  const { content, structuredContent, isError, _meta: about = {} } = answer;
  if (isError) {
    const { code = "TOOL_FAILED" } = (about["repertoire/error"] ?? {}) as { code?: string };
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\\n");
    const said = text.startsWith(\`\${code}: \`) ? text.slice(code.length + 2) : text;
    throw new ToolError(said.split('\\nIn skill "')[0] ?? "", code);
  }
  const whole = about["repertoire/wrappedIn"] as string | undefined;
  return whole === undefined ? structuredContent : (structuredContent as any)[whole];
}`;

const DIRECT_ANSWER = `/** What a call gave: its structured content; else its text, parsed where it is a JSON object or list. */
function answered(tool: string, { content, structuredContent, isError }: CallToolResult): any {
  const texts = content.map((part) => (part.type === "text" ? part.text : \`[\${part.type}]\`));
  if (isError) throw new ToolError(texts.join("\\n").slice(0, 4000) || \`The tool "\${tool}" failed and did not say why\`);
  if (structuredContent !== undefined) return structuredContent;
  if (content.some((part) => part.type !== "text"))
    return content.map(({ _meta, annotations, ...part }: any) => plain(part));
  const values = texts.map(parsed);
  const [text = null] = texts;
  if (texts.length < 2) return values[0] ?? text;
  return values.includes(undefined) ? texts.join("\\n") : values;
}

/** The object or list that a text is, if it is one. */
function parsed(text: string): any {
  try {
    return /^\\s*[[{]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}`;

const PLAIN = `/** A value as JSON has it, which is what leaves the skill: what is not there has no place in a list. */
export function plain(value: unknown): any {
  const text = JSON.stringify(value ?? null, function (this: unknown, _name, each: unknown) {
    const isNothing = each === undefined && Array.isArray(this);
    if (isNothing || (typeof each === "number" && !Number.isFinite(each)))
      throw new SkillError(\`\${String(each)} is no JSON\`, "NOT_JSON");
    return each;
  });
  return JSON.parse(text);
}`;

const CHECK = `/** A value that fits, with the schema's defaults; a message has nothing of a value, which may be a credential. */
export function check(value: unknown, schema: object, code: string): any {
  const checked = plain(value);
  const fault = faultOf(checked, schema);
  if (fault === undefined) return checked;
  throw new SkillError(fault, code);
}`;

const FAULT = `function faultOf(value: unknown, schema: object): string | undefined {
  const ajv = new Ajv2020({ strict: false, useDefaults: true, ownProperties: true, logger: false });
  addFormats.default(ajv);
  if (ajv.validate(schema, value)) return undefined;
  const [fault] = ajv.errors ?? [];
  return \`\${fault?.instancePath || "it"} does not fit the schema's \${fault?.keyword}\`;
}`;
