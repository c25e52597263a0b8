import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import type { IntentMatch, SkillMatching } from "../core/skill.ts";
import type { DeclarationFault } from "./frontmatter-contract.ts";

const LISTS = ["tags", "keywords", "examples"] as const;

const MAX_TEXTS = 100;
const MAX_TEXT = 500;

/** What the frontmatter says for those who look for a skill. What is no text is left out and reported. */
export function frontmatterMatching(frontmatter: JsonObject): {
  readonly matching: SkillMatching | undefined;
  readonly faults: readonly (DeclarationFault & { readonly field: string })[];
} {
  const faults: (DeclarationFault & { readonly field: string })[] = [];
  const given = (field: string): Json | undefined =>
    Object.hasOwn(frontmatter, field) ? (frontmatter[field] ?? undefined) : undefined;
  const textsIn = (field: (typeof LISTS)[number]): readonly string[] => {
    const value = given(field);
    if (value === undefined) return [];
    const list: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [];
    const texts = list.filter(isText);
    if (!Array.isArray(value) || texts.length < list.length || list.length > MAX_TEXTS)
      faults.push({
        field,
        message: `Field '${field}' must be a list of at most ${MAX_TEXTS} texts of at most ${MAX_TEXT} characters`,
        fix: `Write it as ${field}: [${field === "examples" ? '"What is 2 + 3?"' : "invoices, tax"}]`,
      });
    return [...new Set(texts.map((text) => text.trim()))].slice(0, MAX_TEXTS);
  };
  const [tags, keywords, examples] = [textsIn("tags"), textsIn("keywords"), textsIn("examples")];
  const category = given("category");
  if (category !== undefined && !isText(category))
    faults.push({
      field: "category",
      message: `Field 'category' must be a text of at most ${MAX_TEXT} characters`,
      fix: "Write it as category: data-analysis",
    });
  const intents = intentsIn(given("preconditions") ?? null, faults);
  const said = isText(category) ? { category: category.trim() } : {};
  const isEmpty = tags.length + keywords.length + examples.length === 0 && !isText(category);
  const matching = { ...said, tags, keywords, examples, ...(intents.length > 0 ? { intents } : {}) };
  return { matching: isEmpty && intents.length === 0 ? undefined : matching, faults };
}

/** Whether an entry of `preconditions` says what a request must mean: no code evaluates it. */
export function isIntentMatch(given: Json): given is JsonObject {
  return isJsonObject(given) && given["type"] === "llm_intent_match";
}

/** What of the preconditions says what a request must mean. */
function intentsIn(
  given: Json,
  faults: (DeclarationFault & { readonly field: string })[],
): readonly IntentMatch[] {
  const declared = Array.isArray(given) ? (given as readonly Json[]).filter(isIntentMatch) : [];
  return declared.flatMap((each): readonly IntentMatch[] => {
    const { type: _, description, confidence_threshold: threshold = DEFAULT_THRESHOLD, ...others } = each;
    const isThreshold = typeof threshold === "number" && threshold >= 0 && threshold <= 1;
    if (isText(description) && isThreshold && Object.keys(others).length === 0)
      return [{ description: description.trim(), threshold }];
    faults.push({
      field: "preconditions",
      message: `A precondition 'llm_intent_match' has a description of at most ${MAX_TEXT} characters, a confidence_threshold from 0 to 1, and nothing else`,
      fix: "Write it as - {type: llm_intent_match, description: The request is about invoices, confidence_threshold: 0.5}",
    });
    return [];
  });
}

const DEFAULT_THRESHOLD = 0.5;

function isText(value: Json | undefined): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= MAX_TEXT;
}
