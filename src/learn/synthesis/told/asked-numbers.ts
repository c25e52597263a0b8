import { subexpressions } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { isProgram, jsonLeaves, leafText } from "../../plan/values.ts";
import type { CallView } from "../flow-candidates.ts";

/** Whether an answer told a number and nothing else, as `[{"count": 37}]` does. */
export function isWholeAnswer(expression: Expression, { sample, names }: CallView): boolean {
  const refs = subexpressions(expression).flatMap((part) => (part.kind === "ref" ? [part.name] : []));
  const [name = "", ...others] = refs;
  const step = sample.steps[names.indexOf(name)];
  const leaves = step?.kind === "call" ? [...jsonLeaves(step.value)] : [];
  return others.length === 0 && leaves.length === 1 && leaves.every(([path]) => path.length > 0);
}

/**
 * Whether what stands around a number in a message is sentences in small letters, with greetings, of which no word but those
 * of programs was given to an earlier call: then nobody could say that the number is another one.
 */
export function arePlainSentences(constants: readonly string[], { sample, call }: CallView): boolean {
  const text = constants.join(" ");
  const given = new Set(
    sample.trace.calls
      .slice(0, call)
      .flatMap(({ args }) => Array.from(jsonLeaves(args), ([, leaf]) => leafText(leaf) ?? ""))
      .filter((leaf) => !isProgram(leaf))
      .flatMap((leaf) => wordsOf(leaf.toLowerCase())),
  );
  const words = wordsOf(text);
  return (
    words.length > 0 &&
    words.length <= MAX_WORDS &&
    text.split("\n").every(isPlainLine) &&
    !words.some((word) => given.has(word.toLowerCase()))
  );
}

const MAX_WORDS = 60;

/** A line that has a large letter at its begin alone, where it is a sentence or a greeting: else it may be a name. */
function isPlainLine(line: string): boolean {
  const words = wordsOf(line);
  const [first = ""] = words;
  return (
    words.slice(1).every((word) => /^\p{Ll}+$/u.test(word)) &&
    (/^\p{Ll}*$/u.test(first) ||
      (/^\p{Lu}\p{Ll}*$/u.test(first) && (words.length > 2 || GREETING.test(line))))
  );
}

const GREETING =
  /^\s*(?:hi|hello|hey|dear|good|thanks|thank|many|best|kind|warm|regards|cheers|yours|sincerely|hallo|liebe|guten|danke|viele|beste|mit|bonjour|merci|hola|gracias|saludos|ciao|grazie)(?!\p{L})/iu;

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
