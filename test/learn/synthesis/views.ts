import type { Json } from "../../../src/core/json/json.ts";
import type { Condition, Expression } from "../../../src/learn/plan/plan.ts";
import { expressionText } from "../../../src/learn/review/expression-text.ts";
import { sampleOf } from "../../../src/learn/recording/sample.ts";
import type { CallView } from "../../../src/learn/synthesis/flow-candidates.ts";
import { traceOf } from "../learned.ts";

const NO_FOLDING = { looping: new Set<string>(), never: new Set<string>() };

/** The view of a call after others that gave these results, which are known as `r0`, `r1` … */
export function viewAfter(
  results: readonly Json[],
  { task = "", nth = 0, scope = [] as CallView["scope"] } = {},
): CallView {
  const trace = traceOf(
    task,
    results.map((result, index) => [`srv.tool_${index}`, {}, result]),
  );
  return {
    sample: sampleOf(trace, [...results.keys()], NO_FOLDING, () => true),
    nth,
    call: results.length,
    before: results.length,
    names: results.map((_, index) => `r${index}`),
    overs: [],
    scope,
  };
}

/** An expression in few characters, such as `r0.items[name=?].id`. */
export function brief(of: Expression): string {
  switch (of.kind) {
    case "constant":
      return JSON.stringify(of.value);
    case "param":
      return "?";
    case "ref":
      return of.name;
    case "or":
      return `${brief(of.of)} ?? ${brief(of.otherwise)}`;
    case "field":
      return [brief(of.of), ...of.path].join(".");
    case "find":
      return `${brief(of.in)}[${of.where.map(briefCondition).join(" & ")}]`;
    case "only":
      return `${brief(of.in)}[only]`;
    case "nth":
      return `${brief(of.in)}[${of.position}]`;
    case "values":
    case "entries":
      return `${of.kind}(${brief(of.of)})`;
    case "map":
      return `${brief(of.over)}*(${brief(of.value)})`;
    case "flat":
      return `${[brief(of.of), ...of.path].join(".")}*`;
    case "list":
      return `[${of.items.map(brief).join(", ")}]`;
    case "object":
      return `{${of.fields.map(({ name, value }) => `${name}: ${brief(value)}`).join(", ")}}`;
    case "template":
      return of.parts.map((part) => (typeof part === "string" ? part : `<${brief(part)}>`)).join("");
    case "part":
      return `${brief(of.of)} between "${of.after}" and "${of.before}"`;
    case "slug":
      return `slug(${brief(of.of)})`;
    case "cast":
      return `${of.to}(${brief(of.of)})`;
    case "arithmetic":
      return `${brief(of.left)} ${of.operator} ${brief(of.right)}`;
    case "replaced":
    case "excerpt":
    case "rounded":
    case "zip":
    case "filter":
    case "extreme":
    case "groups":
    case "sorted":
    case "taken":
    case "numbered":
    case "cased":
    case "aggregate":
    case "join":
      return expressionText(of);
    case "date":
      return `${brief(of.of)} + ${of.days} days as ${of.format}`;
  }
}

function briefCondition(condition: Condition): string {
  const path = condition.path.join(".");
  if ("some" in condition) return `${path}.some(${condition.some.map(briefCondition).join(" & ")})`;
  return `${path}=${brief(condition.equals)}${condition.optional === true ? "?" : ""}`;
}
