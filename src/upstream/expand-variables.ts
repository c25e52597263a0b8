import { fail, ok, type Result } from "../core/result.ts";

/** A variable that is not set, and the place that asks for it, such as `headers.Authorization` or `args[0]`. */
interface MissingVariable {
  readonly field: string;
  readonly variable: string;
}

/** The same value with every `${NAME}` and `${NAME:-default}` in its strings replaced. */
export function expandVariables<Value>(
  value: Value,
  env: Readonly<Record<string, string | undefined>>,
): Result<Value, MissingVariable> {
  const missing: MissingVariable[] = [];
  const expanded = expandedAt("", value, (field, variable, fallback) => {
    const set = env[variable];
    // As in a shell, `:-` stands in for an empty variable too.
    if (fallback !== undefined) return set === undefined || set === "" ? fallback : set;
    if (set === undefined) missing.push({ field, variable });
    return set ?? "";
  });
  const [first] = missing;
  return first ? fail(first) : ok(expanded as Value);
}

type LookUp = (field: string, variable: string, fallback: string | undefined) => string;

function expandedAt(field: string, value: unknown, lookUp: LookUp): unknown {
  if (typeof value === "string") {
    return value.replaceAll(
      /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
      (_, variable: string, fallback: string | undefined) => lookUp(field, variable, fallback),
    );
  }
  if (Array.isArray(value)) return value.map((each, index) => expandedAt(`${field}[${index}]`, each, lookUp));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      expandedAt(field === "" ? key : `${field}.${key}`, each, lookUp),
    ]),
  );
}
