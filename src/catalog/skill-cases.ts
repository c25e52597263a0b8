import { join } from "node:path";
import { LineCounter, parseDocument } from "yaml";
import * as z from "zod";
import { failure } from "../core/error.ts";
import type { Json } from "../core/json/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { ZOD_MESSAGES } from "../core/json/zod-messages.ts";
import type { SkillCase, ToolFixture } from "../core/skill.ts";
import { yamlFaultText } from "./yaml/yaml-fault-text.ts";
import { FileLog } from "./folders/file-log.ts";

const CASES_FILE = "tests.yaml";
const MAX_BYTES = 2 ** 20;

const json: z.ZodType<Json> = z.json();
const errorShape = z.union([
  z.string().transform((code) => ({ code, message: undefined })),
  z.strictObject({ code: z.string().optional(), message: z.string().optional() }),
]);
const fixtureShape = z
  .strictObject({
    tool: z.string(),
    input: json.optional(),
    output: json.optional(),
    error: z.string().optional(),
  })
  .refine((given) => (given.output === undefined) !== (given.error === undefined), {
    message: "it needs either `output` or `error`, and not both",
  });
const caseShape = z
  .strictObject({
    name: z.string().optional(),
    input: json.default({}),
    output: json.optional(),
    error: errorShape.optional(),
    tools: z.array(fixtureShape).optional(),
  })
  .refine((given) => (given.output === undefined) !== (given.error === undefined), {
    message: "it needs either `output` or `error`, and not both",
  });

/** The cases beside a skill; none where there is no file. */
export async function skillCases(folder: string): Promise<Result<readonly SkillCase[]>> {
  const file = join(folder, CASES_FILE);
  const read = await new FileLog().read(file, MAX_BYTES);
  if (!read.ok)
    return read.error.kind === "missing" ? ok([]) : fail(failure("CONFIG_INVALID", read.error.message));
  const { text } = read.value;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => `${file}:${lines.linePos(offset).line}:${lines.linePos(offset).col}`;
  const [fault] = document.errors;
  if (fault) return fail(failure("CONFIG_INVALID", `${at(fault.pos[0])}: ${yamlFaultText(fault)}`));
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    return fail(
      failure("CONFIG_INVALID", `${file}:1:1: ${error instanceof Error ? error.message : String(error)}`),
    );
  }
  const parsed = z.array(caseShape).safeParse(value, ZOD_MESSAGES);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const node: unknown = document.getIn(issue?.path ?? [], true) ?? document.contents;
    const range =
      typeof node === "object" && node !== null && "range" in node ? (node.range as readonly number[]) : [0];
    const [index, ...fields] = issue?.path ?? [];
    const what = index === undefined ? "the file" : `case ${Number(index) + 1}`;
    const field = fields.length === 0 ? "" : `, ${fields.map(String).join(".")}`;
    return fail(failure("CONFIG_INVALID", `${at(range[0] ?? 0)}: ${what}${field}: ${faultOf(issue)}`));
  }
  return ok(parsed.data.map((given, index) => skillCase(given, index)));
}

function skillCase(given: z.output<typeof caseShape>, index: number): SkillCase {
  const { name = `case ${index + 1}`, input, output, error, tools } = given;
  const rest = tools === undefined ? {} : { tools: tools.map(toolFixture) };
  if (output !== undefined) return { name, input, expected: { kind: "output", output }, ...rest };
  return {
    name,
    input,
    ...rest,
    expected: {
      kind: "error",
      ...(error?.code === undefined ? {} : { code: error.code }),
      ...(error?.message === undefined ? {} : { message: error.message }),
    },
  };
}

function toolFixture({ tool, input, output, error = "" }: z.output<typeof fixtureShape>): ToolFixture {
  return {
    tool,
    ...(input === undefined ? {} : { input }),
    answer: output === undefined ? { kind: "error", message: error } : { kind: "output", output },
  };
}

function faultOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => `"${key}"`).join(", ");
    return `there is no field ${keys}; the fields are name, input, output, error and tools`;
  }
  if (issue?.code === "invalid_type" && issue.path.length === 0) return "it must be a list of cases";
  return issue?.message ?? "it is not valid";
}
