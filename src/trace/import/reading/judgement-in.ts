import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import type { Judgement } from "../../record/judgement.ts";
import { list, member, objects, text } from "./fields.ts";

/**
 * What a record of a whole run tells of its outcome: `success`, a reward, a rating, feedback, scores. Of several the one
 * that says that it failed. A number between failure and success, or on a scale that nobody tells, is neither.
 */
export function judgementIn(record: JsonObject, depth = 0): Judgement | undefined {
  const found: Judgement[] = [];
  for (const [key, value] of Object.entries(record)) {
    const name = plainName(key);
    const isSuccess = FLAGS.has(name)
      ? successOf(name, value)
      : LABELS.has(name)
        ? labelled(value)
        : undefined;
    if (isSuccess !== undefined) found.push({ isSuccess, by: `${key} ${shown(value)}` });
    else if (SCORES.has(name)) found.push(...scoresIn(key, value));
    else if (NESTED.has(name) && isJsonObject(value) && depth < MAX_DEPTH) {
      const inner = judgementIn(value, depth + 1);
      if (inner) found.push({ ...inner, by: `${key}.${inner.by}` });
    }
  }
  return found.find((each) => !each.isSuccess) ?? found[0];
}

const MAX_DEPTH = 2;
const MAX_SHOWN = 60;

function plainName(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** True or false, 1 or 0, or a word. */
const FLAGS: ReadonlySet<string> = new Set(
  (
    "success succeeded successful issuccess issuccessful passed pass ispassed resolved isresolved solved issolved " +
    "correct iscorrect reward rating score thumbs userrating userfeedback taskcompleted taskcompletion"
  ).split(" "),
);

/** Only words tell: `completed` says that a run ended, not how. */
const LABELS: ReadonlySet<string> = new Set("outcome verdict result feedback".split(" "));

/** Lists of `{name, value}` or maps from names to values. */
const SCORES: ReadonlySet<string> = new Set("scores feedback feedbacks feedbackstats evaluations".split(" "));

const NESTED: ReadonlySet<string> = new Set(
  (
    "executionresult rewardinfo evaluation eval evaluationresult evalresult verification verificationresult verifier " +
    "verifierresult grading outcome verdict result info metadata meta metrics summary"
  ).split(" "),
);

function successOf(name: string, value: Json): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value !== "number") return labelled(value);
  if (value === 1 || (value > 1 && name.includes("reward"))) return true;
  // Ratings are from -1 to 1, or so many stars.
  if (name.includes("rating")) return value < 0 ? false : undefined;
  return value <= 0 ? false : undefined;
}

function labelled(value: Json): boolean | undefined {
  if (typeof value !== "string") return undefined;
  const word = value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ");
  return GOOD.has(word) ? true : BAD.has(word) ? false : undefined;
}

const GOOD: ReadonlySet<string> = new Set([
  ..."true yes pass passed success succeeded successful correct resolved solved positive good up thumbsup accepted like".split(
    " ",
  ),
  "thumbs up",
]);
const BAD: ReadonlySet<string> = new Set([
  ..."false no fail failed failure unsuccessful incorrect unresolved unsolved negative bad down thumbsdown rejected dislike wrong".split(
    " ",
  ),
  "thumbs down",
]);

/** Of many scores only those count whose names say that they judge the whole: a toxicity of 0 is no failure. */
function scoresIn(key: string, value: Json): readonly Judgement[] {
  const named = isJsonObject(value)
    ? Object.entries(value).map(([name, inner]) => ({ name, value: scoreOf(inner) }))
    : objects(list(value)).map((each) => ({
        name: text(member(each, "name", "key", "metric", "type")) ?? key,
        value: scoreOf(each),
      }));
  return named.flatMap((score) => {
    const isSuccess = score.value === undefined ? undefined : successOf(plainName(score.name), score.value);
    if (isSuccess === undefined || !JUDGES.test(score.name)) return [];
    return [{ isSuccess, by: `${score.name} ${shown(score.value ?? null)}` }];
  });
}

const JUDGES =
  /succe|correct|resol|solv|pass|complet|reward|accept|feedback|rating|thumb|satisf|goal|user.?score/i;

/** The value of a score, which stands alone or among others: an average of several counts as one. */
function scoreOf(score: Json): Json | undefined {
  if (!isJsonObject(score)) return score;
  for (const name of ["value", "score", "avg", "stringValue", "rating", "label", "comment"]) {
    const value = score[name];
    if (value !== undefined && value !== null && !isJsonObject(value)) return value;
  }
  return undefined;
}

function shown(value: Json): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, MAX_SHOWN);
}
