import { type ErrorCode, type Failure, failure } from "../core/error.ts";
import type { Json } from "../core/json/json.ts";
import { type JsonSchema, type SchemaIssue, validatorOf } from "../core/json/json-schema.ts";
import { fail, type Result } from "../core/result.ts";
import { type UnmetCondition, unmetText } from "../core/conditions/skill-condition.ts";
import { choiceIn } from "../core/choice.ts";
import type { Call } from "./call.ts";
import { positionsIn } from "./call-position.ts";
import type { GuestError } from "./sandbox/engine.ts";

export function schemaFailure(
  code: ErrorCode,
  message: string,
  what: string,
  issues: readonly SchemaIssue[],
): Failure {
  const lines = issues.map((issue) => `${issue.at === "" ? `the ${what}` : issue.at} ${issue.message}`);
  const details = issues.map((issue) => ({ at: issue.at, message: issue.message }));
  return failure(code, `${message}: ${lines.join("; ")}`, { details });
}

/** What a run of a skill is given, with the contract's defaults, or why it is refused before anything runs. */
export function fittingInput(skill: string, schema: JsonSchema, given: Json): Result<Json> {
  const checked = validatorOf(schema)(structuredClone(given));
  if (checked.ok) return checked;
  const error = schemaFailure(
    "INPUT_INVALID",
    `The input of "${skill}" is not valid`,
    "input",
    checked.error,
  );
  return fail({ ...error, skill, callPath: "0" });
}

/** Of a call whose conditions do not hold, where some of those are critical. */
export function conditionFailure(call: Call, unmet: readonly UnmetCondition[]): Failure | undefined {
  const critical = unmet.filter(({ critical: isCritical }) => isCritical);
  const [first] = critical;
  if (!first) return undefined;
  const said = critical.map(unmetText).join("; ");
  const where = { skill: call.name, callPath: call.callPath, details: critical as unknown as Json };
  return first.when === "pre"
    ? failure("PRECONDITION_FAILED", `"${call.name}" has not run, since this does not hold: ${said}`, where)
    : failure("POSTCONDITION_FAILED", `"${call.name}" has run, but this does not hold: ${said}`, where);
}

export function failureOf(call: Call, error: GuestError): Failure {
  const where = { skill: call.name, callPath: call.callPath };
  switch (error.kind) {
    case "passed": {
      const refused = call.refused?.get(error.request);
      const within = error.within === undefined ? "" : `${error.within}: `;
      if (refused) return { ...refused, message: within + refused.message };
      const callee = call.calls.find((below) => below.request === error.request);
      const outcome = callee?.outcome;
      if (!callee || !outcome || outcome.ok) return failure("SKILL_THREW", "A call failed", where);
      const positions = [...(outcome.error.positions ?? []), ...positionsIn(callee.site, call.scripts)];
      return { ...outcome.error, message: within + outcome.error.message, positions };
    }
    case "not-json":
      return failure("NOT_JSON", `${call.name}: ${error.message}`, where);
    case "memory":
      return failure("SKILL_OUT_OF_MEMORY", `The skill "${call.name}" ran out of memory`, {
        ...where,
        positions: positionsIn(error.stack, call.scripts),
      });
    case "thrown": {
      const { choice } = error;
      if (choice !== undefined && choiceIn(choice))
        return failure("CHOICE_NEEDED", error.message, { ...where, details: choice });
      const positions = positionsIn(error.stack, call.scripts);
      if (error.name === "PostconditionFailed")
        return failure("POSTCONDITION_FAILED", error.message, { ...where, positions });
      if (error.name === "OutputInvalid")
        return failure("OUTPUT_INVALID", error.message, { ...where, positions });
      const named =
        error.name === "" || error.name === "Error" ? error.message : `${error.name}: ${error.message}`;
      return failure("SKILL_THREW", named, { ...where, positions });
    }
  }
}

export function brokenSkillFailure(call: Call, error: GuestError | undefined): Failure {
  const why = error ? failureOf(call, error) : undefined;
  const message = `The code of "${call.name}" does not load: ${why?.message ?? "its top level waits for ever"}`;
  return failure("SKILL_BROKEN", message, {
    skill: call.name,
    callPath: call.callPath,
    ...(why?.positions ? { positions: why.positions } : {}),
  });
}

/** What the caller's code sees of a failure. */
export function publicFailure(error: Failure): Json {
  const { code, message, skill, callPath } = error;
  return {
    code,
    message,
    ...(skill === undefined ? {} : { skill }),
    ...(callPath === undefined ? {} : { callPath }),
  };
}
