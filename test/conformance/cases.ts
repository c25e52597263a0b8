import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { PLAN, type Plan } from "../../src/learn/plan/plan.ts";

const json = z.custom<Json>((value) => value !== undefined);
const object = z.record(z.string(), json);
const ending = { output: json.optional(), stops: z.enum(["error", "choice"]).optional() };
const param = z.looseObject({ name: z.string() });
const call = z.strictObject({
  tool: z.string(),
  args: object,
  result: json.optional(),
  error: z.string().optional(),
});

/** An expression's value, where `answer` is what a call has answered. */
const expressionCase = z.strictObject({
  name: z.string(),
  expression: json,
  answer: json.optional(),
  params: z.array(param).optional(),
  input: object.optional(),
  ...ending,
});

const planCase = z.strictObject({
  name: z.string(),
  params: z.array(param).optional(),
  steps: z.array(json),
  effects: json.optional(),
  gives: json,
  input: object.optional(),
  /** The calls that are made, in their order but for rounds that run at once, and what they are answered. */
  calls: z.array(call),
  ...ending,
});

const file = z.strictObject({ about: z.string(), cases: z.array(z.union([expressionCase, planCase])) });

export interface Case {
  readonly name: string;
  readonly plan: Plan;
  readonly input: JsonObject;
  readonly calls: readonly RecordedAnswer[];
  readonly ends: Ending;
}

export interface RecordedAnswer {
  readonly tool: string;
  readonly args: JsonObject;
  readonly result?: Json | undefined;
  readonly error?: string | undefined;
}

export type Ending = { readonly output: Json } | { readonly stops: "error" | "choice" };

const FOLDER = join(import.meta.dirname, "cases");

export function conformanceCases(): readonly Case[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((name) => {
      const { cases } = file.parse(JSON.parse(readFileSync(join(FOLDER, name), "utf8")));
      return cases.map((each) => caseOf(name.replace(".json", ""), each));
    });
}

function caseOf(kind: string, each: z.infer<typeof file>["cases"][number]): Case {
  const { name, params = [], input = {}, output, stops } = each;
  if ((output === undefined) === (stops === undefined)) throw new Error(`${name}: either output or stops`);
  const isOfSteps = "steps" in each;
  const plan = PLAN.parse({
    version: 1,
    name: "conforming",
    params: params.map((param) => Object.assign({ schema: {}, origins: [] }, param)),
    steps: isOfSteps
      ? each.steps
      : [{ kind: "call", name: "answer", tool: "world.ask", args: { kind: "object", fields: [] } }],
    ...(isOfSteps && each.effects !== undefined ? { effects: each.effects } : {}),
    output: { value: isOfSteps ? each.gives : each.expression, schema: {} },
  });
  return {
    name: `${kind}: ${name}`,
    plan,
    input,
    calls: isOfSteps ? each.calls : [{ tool: "world.ask", args: {}, result: each.answer ?? null }],
    ends: stops === undefined ? { output: output ?? null } : { stops },
  };
}
