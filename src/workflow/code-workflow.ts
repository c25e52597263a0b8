import * as z from "zod";
import { failure } from "../core/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Skill } from "../core/skill.ts";
import { WORKFLOW, WORKFLOW_SCHEMA_ID, WORKFLOW_VERSION, type Workflow } from "./workflow.ts";

const TASK = "run_code";

/**
 * A skill whose code somebody has written as a workflow of one task, which is that code. `EXPORT_REFUSED` where one task
 * cannot be all of it: the code has several files or libraries, chooses what it calls while it runs, or gives no object.
 */
export function codeWorkflow(skill: Skill): Result<Workflow> {
  const { name, description, scripts, calls, contract, path } = skill;
  const [script, ...others] = scripts;
  const properties = propertiesOf(contract.output);
  const why =
    skill.kind !== "code" || !script
      ? "it has no code"
      : others.length > 0 || /^\s*(?:import|export)\b[^;]*?\bfrom\s*["']/m.test(script.code)
        ? "its code has several files, or uses a library"
        : calls.dynamic
          ? "it chooses what it calls while it runs"
          : properties === undefined
            ? "it gives no object whose fields are known"
            : undefined;
  if (why !== undefined || !script || !properties)
    return fail(failure("EXPORT_REFUSED", `The skill "${name}" at ${path} is no workflow: ${why ?? ""}`));
  const inputs = Object.entries(propertiesOf(contract.input) ?? {});
  const needed = requiredOf(contract.input);
  const given = requiredOf(contract.output);
  const document = {
    $schema: WORKFLOW_SCHEMA_ID,
    skill_schema_version: WORKFLOW_VERSION,
    skill: {
      metadata: { name, description },
      interface: {
        inputs: inputs.map(([input, type]) => valueOf(input, type, needed)),
        outputs: Object.entries(properties).map(([output, type]) =>
          Object.assign(valueOf(output, type, given), { from: `${TASK}.${output}` }),
        ),
      },
      workflow: {
        type: "dag",
        tasks: [
          {
            task_id: TASK,
            type: "code_execution_task",
            language: "javascript",
            ...(calls.tools.length > 0 ? { tools: calls.tools.map((tool) => ({ name: tool })) } : {}),
            ...(inputs.length > 0 ? { inputs: { from_skill_inputs: inputs.map(([input]) => input) } } : {}),
            outputs: properties,
            code: script.code,
          },
        ],
      },
      "x-repertoire": { version: 1, operation: skill.operation },
    },
  };
  const parsed = WORKFLOW.safeParse(document);
  if (parsed.success) return ok(parsed.data);
  return fail(
    failure("EXPORT_REFUSED", `${name} does not fit a workflow document: ${z.prettifyError(parsed.error)}`),
  );
}

function valueOf(name: string, type: Json, needed: ReadonlySet<Json>): JsonObject {
  return needed.has(name) ? { name, type } : { name, type, required: false };
}

function propertiesOf({ properties }: { readonly [key: string]: Json }): JsonObject | undefined {
  return isJsonObject(properties) && Object.keys(properties).length > 0 ? properties : undefined;
}

function requiredOf({ required }: { readonly [key: string]: Json }): ReadonlySet<Json> {
  return new Set(Array.isArray(required) ? (required as readonly Json[]) : []);
}
