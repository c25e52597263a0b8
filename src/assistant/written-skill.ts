import { stringify } from "yaml";
import * as z from "zod";
import type { Json } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { parseJson } from "../core/json/parse-json.ts";
import { ZOD_MESSAGES } from "../core/json/zod-messages.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { OPERATIONS, type Operation } from "../core/skill.ts";

const jsonText = (what: string): z.ZodString => z.string().max(100_000).describe(`${what}, as JSON text`);

const fixture = z.strictObject({
  tool: z.string().describe("As call_tool names it"),
  input: jsonText("What it must be called with").optional(),
  output: jsonText("What it answers").optional(),
  error: z.string().optional().describe("Why it fails, in place of an output"),
});

const skillCase = z.strictObject({
  name: z.string().max(200),
  input: jsonText("The skill's input"),
  output: jsonText("What it must give").optional(),
  error: z
    .string()
    .max(100)
    .optional()
    .describe("In place of an output: the code of the failure, for example INPUT_INVALID"),
  tools: z
    .array(fixture)
    .max(50)
    .optional()
    .describe("Each call of an upstream tool that the case makes, with its answer"),
});

/** What a model answers to a wish: a skill that fulfils it already, or one that it has written. */
const answerShape = z.strictObject({
  existing: z
    .strictObject({
      skill: z.string(),
      reason: z.string().max(2000).describe("Why it does all that is wished for"),
      input: jsonText("An input with which it does so"),
    })
    .optional()
    .describe("Where one of the skills shown does all that is wished for already"),
  written: z
    .strictObject({
      name: z.string().max(64).describe("In kebab-case: what it does"),
      description: z.string().max(1024).describe("What it does and when to use it, in one or two sentences"),
      operation: z
        .enum(OPERATIONS)
        .describe(
          "TRANSFORM: its output depends on its input alone. READ: it looks at the world. WRITE: it changes it",
        ),
      tools: z.array(z.string()).max(50).describe("The upstream tools that its code calls"),
      code: z.string().max(100_000).describe("The whole of skill.ts"),
      cases: z.array(skillCase).max(50).describe("Two to six, at least one with an output"),
    })
    .optional(),
});

export type WishAnswer =
  | { readonly kind: "existing"; readonly skill: string; readonly reason: string; readonly input: Json }
  | { readonly kind: "written"; readonly skill: WrittenSkill };

/** A skill as a model has written it. */
export interface WrittenSkill {
  readonly name: string;
  readonly description: string;
  readonly operation: Operation;
  readonly tools: readonly string[];
  readonly code: string;
  /** As they stand in `tests.yaml`. */
  readonly cases: readonly Json[];
}

export const WISH_ANSWER_SCHEMA = z.toJSONSchema(answerShape) as JsonSchema;

/** Reads a model's answer to a wish, or says what is wrong with it. */
export function wishAnswer(given: Json): Result<WishAnswer, string> {
  const read = answerShape.safeParse(given, ZOD_MESSAGES);
  if (!read.success) {
    const [issue] = read.error.issues;
    return fail(`${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? "it is not valid"}`);
  }
  const { existing, written } = read.data;
  if ((existing === undefined) === (written === undefined))
    return fail("it needs either `existing` or `written`, and not both");
  if (existing) {
    const input = parsed(existing.input, "existing.input");
    return input.ok ? ok({ kind: "existing", ...existing, input: input.value }) : input;
  }
  if (!written) return fail("`written` is missing");
  const cases: Json[] = [];
  for (const [index, each] of written.cases.entries()) {
    const read = caseOf(each, `written.cases.${index}`);
    if (!read.ok) return read;
    cases.push(read.value);
  }
  const name = written.name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  if (name === "") return fail("written.name: it is not of lower-case words with hyphens between them");
  return ok({ kind: "written", skill: { ...written, name, cases } });
}

function caseOf(
  { name, input, output, error, tools }: z.infer<typeof skillCase>,
  at: string,
): Result<Json, string> {
  if ((output === undefined) === (error === undefined))
    return fail(`${at}: it needs either \`output\` or \`error\`, and not both`);
  const values: Record<string, Json> = { name };
  for (const [key, text] of Object.entries({ input, output })) {
    if (text === undefined) continue;
    const value = parsed(text, `${at}.${key}`);
    if (!value.ok) return value;
    values[key] = value.value;
  }
  if (error !== undefined) values["error"] = error;
  if (tools === undefined) return ok(values);
  const fixtures: Json[] = [];
  for (const [index, each] of tools.entries()) {
    const own: Record<string, Json> = { tool: each.tool };
    for (const [key, text] of Object.entries({ input: each.input, output: each.output })) {
      if (text === undefined) continue;
      const value = parsed(text, `${at}.tools.${index}.${key}`);
      if (!value.ok) return value;
      own[key] = value.value;
    }
    if (each.error !== undefined) own["error"] = each.error;
    fixtures.push(own);
  }
  return ok({ ...values, tools: fixtures });
}

function parsed(text: string, at: string): Result<Json, string> {
  const read = parseJson(text);
  return read.ok ? ok(read.value) : fail(`${at}: it is no JSON text: ${read.error.message}`);
}

/** The files of a written skill. What it may do to the world is what its tools do, whatever the model says of it. */
export function writtenFiles(
  { name, description, operation, tools, code, cases }: WrittenSkill,
  onlyReads: (tool: string) => boolean,
): ReadonlyMap<string, string> {
  const does =
    tools.length === 0 ? operation : tools.every(onlyReads) && operation !== "WRITE" ? "READ" : "WRITE";
  const said = description.replaceAll(/\s+/g, " ").trim();
  const frontmatter = stringify(
    {
      name,
      description: said,
      operation: does,
      ...(tools.length === 0 ? {} : { "allowed-tools": tools.join(" ") }),
    },
    { lineWidth: 0 },
  );
  return new Map([
    ["SKILL.md", `---\n${frontmatter}---\n\n# ${name}\n\n${said}\n`],
    ["skill.ts", `${code.trimEnd()}\n`],
    ["tests.yaml", stringify(cases)],
  ]);
}
