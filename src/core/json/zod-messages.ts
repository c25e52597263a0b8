import { inspect } from "node:util";
import type * as z from "zod";

type Issue = z.core.$ZodRawIssue;

/** Gives what does not fit a shape in the words of the formats that people write, each beginning with "it" or "there". */
export const ZOD_MESSAGES = { error: zodMessage } as const;

export function zodMessage(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return mustBe(kindText(issue.expected), issue.input);
    case "invalid_value":
      return mustBe(
        choiceText(issue.values.map((value) => JSON.stringify(value) ?? String(value))),
        issue.input,
      );
    case "too_small":
      return sizeText("least", issue.origin, Number(issue.minimum), issue.inclusive !== false);
    case "too_big":
      return sizeText("most", issue.origin, Number(issue.maximum), issue.inclusive !== false);
    case "not_multiple_of":
      return issue.divisor === 1
        ? mustBe(kindText("int"), issue.input)
        : `it must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return issue.format === "regex"
        ? `it must match ${issue.pattern}`
        : `it must be a valid ${issue.format}`;
    case "unrecognized_keys": {
      const names = issue.keys.map((key) => JSON.stringify(key));
      return names.length === 1 ? `there is no ${names[0]} in it` : `there are no ${names.join(", ")} in it`;
    }
    case "invalid_union":
      return unionText(issue);
    case "invalid_key":
      return `there is a name in it that is not valid: ${firstOf(issue.issues)}`;
    case "invalid_element":
      return `an entry of it is not valid: ${firstOf(issue.issues)}`;
    case "custom":
      return "it is not valid";
  }
}

function mustBe(what: string, input: unknown): string {
  if (input === undefined) return `it is required (${what})`;
  return `it must be ${what}, not ${givenText(input)}`;
}

function kindText(expected: string): string {
  return KINDS[expected] ?? `a ${expected}`;
}

const KINDS: Readonly<Record<string, string>> = {
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

function givenText(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "object") return "an object";
  const text = typeof input === "string" ? JSON.stringify(input) : inspect(input);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const MAX_SHOWN = 60;

function sizeText(end: "least" | "most", origin: string, bound: number, isInclusive: boolean): string {
  const unit = UNITS[origin];
  if (unit !== undefined) {
    if (end === "least" && bound === 1) return "it must not be empty";
    return `it must have at ${end} ${bound} ${bound === 1 ? unit.one : unit.many}`;
  }
  if (isInclusive) return `it must be at ${end} ${bound}`;
  return `it must be ${end === "least" ? "more" : "less"} than ${bound}`;
}

const UNITS: Readonly<Record<string, { readonly one: string; readonly many: string }>> = {
  string: { one: "character", many: "characters" },
  array: { one: "entry", many: "entries" },
  set: { one: "entry", many: "entries" },
  map: { one: "entry", many: "entries" },
  object: { one: "property", many: "properties" },
};

/** What is wrong inside the kind that is meant tells more than that no kind fits. */
function unionText(issue: Extract<Issue, { code: "invalid_union" }>): string {
  if ("options" in issue && Array.isArray(issue.options)) {
    const given: unknown = issue.input;
    const named = isObject(given) && issue.discriminator !== undefined ? given[issue.discriminator] : given;
    return mustBe(choiceText(issue.options.map((option) => JSON.stringify(option) ?? "")), named);
  }
  const kinds: string[] = [];
  for (const [first] of issue.errors) {
    if (first === undefined) continue;
    const isOther =
      first.path.length === 0 && (first.code === "invalid_type" || first.code === "invalid_value");
    if (!isOther) return placed(first);
    kinds.push(
      first.code === "invalid_type" ? kindText(first.expected) : choiceText(first.values.map(String)),
    );
  }
  return kinds.length === 0
    ? "it is none of the kinds that there are"
    : mustBe(choiceText(kinds), issue.input);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function firstOf(issues: readonly z.core.$ZodIssue[]): string {
  const [first] = issues;
  return first ? placed(first) : "it is not valid";
}

function placed({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `"${path.map(String).join(".")}": ${message}`;
}

function choiceText(kinds: readonly string[]): string {
  const unique = [...new Set(kinds)];
  return unique.length < 2 ? unique.join("") : `${unique.slice(0, -1).join(", ")} or ${unique.at(-1)}`;
}
