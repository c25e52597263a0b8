import { join } from "node:path";
import { LineCounter, parseDocument } from "yaml";
import * as z from "zod";
import type { Diagnostic } from "../core/diagnostic.ts";
import { failure, type Position } from "../core/error.ts";
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
  const cases = await readCases(join(folder, CASES_FILE));
  if (cases.ok) return cases;
  const { path, line, column, what } = cases.error;
  return fail(failure("CONFIG_INVALID", `${path}:${line}:${column}: ${what}`));
}

/** What is wrong with the file of the cases beside a skill. */
export async function casesFindings(folder: string): Promise<readonly Diagnostic[]> {
  const cases = await readCases(join(folder, CASES_FILE));
  if (cases.ok) return [];
  const { what, ...place } = cases.error;
  const fix = `Correct it: until then no case of this skill is run`;
  return [{ code: "cases-invalid", severity: "error", ...place, message: what, fix }];
}

interface CasesFault extends Position {
  readonly what: string;
}

async function readCases(path: string): Promise<Result<readonly SkillCase[], CasesFault>> {
  const read = await new FileLog().read(path, MAX_BYTES);
  if (!read.ok)
    return read.error.kind === "missing"
      ? ok([])
      : fail({ path, line: 1, column: 1, what: read.error.message });
  const { text } = read.value;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const fault = (offset: number, what: string): CasesFault => {
    const { line, col: column } = lines.linePos(offset);
    return { path, line, column, what };
  };
  const [wrong] = document.errors;
  if (wrong) return fail(fault(wrong.pos[0], yamlFaultText(wrong)));
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    return fail(fault(0, error instanceof Error ? error.message : String(error)));
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
    return fail(fault(range[0] ?? 0, `${what}${field}: ${faultOf(issue)}`));
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
