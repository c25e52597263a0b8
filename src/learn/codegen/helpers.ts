import {
  KIND_FORMS,
  NAME_PARTICLES,
  NAME_WORD,
  PARTICLES,
  PLAIN,
  SEPARATOR,
} from "../expectations/value-kind.ts";
import { BETWEEN, NO_WORDS } from "../expectations/near-texts.ts";
import { NEAR_DAY, WRITTEN_DAY } from "../plan/quantities.ts";
import { PIECE_FORMS } from "../texts/text-piece.ts";
import { TEXT_HELPERS } from "./text-helpers.ts";

/** Where the words between names are printed in two lines. */
const MIDDLE = NAME_PARTICLES.indexOf("|", NAME_PARTICLES.length / 2) + 1;

/** Where the words for nothing are printed in two lines. */
const NO_MIDDLE = NO_WORDS.indexOf("|", NO_WORDS.length / 2) + 1;

/** Parts that forms of kinds share, by the names that they have in printed code. */
const SHARED_FORMS = [
  ["plain", PLAIN],
  ["separator", SEPARATOR],
  ["particles", PARTICLES],
  ["word", NAME_WORD],
] as const;

/** The form of a kind as code that names the parts that forms share. */
function printedForm(form: string): string {
  let parts: readonly FormPart[] = [{ kind: "own", text: form }];
  for (const [name, shared] of SHARED_FORMS) parts = parts.flatMap((part) => partedBy(part, name, shared));
  const code = parts.flatMap(({ kind, text }) => {
    if (kind === "shared") return [text];
    return text === "" ? [] : [`"${literalText(text)}"`];
  });
  return code.join(" + ");
}

/** What a form has of its own, or the name of what it shares with others. */
interface FormPart {
  readonly kind: "own" | "shared";
  readonly text: string;
}

function partedBy(part: FormPart, name: string, shared: string): readonly FormPart[] {
  if (part.kind === "shared") return [part];
  return part.text.split(shared).flatMap((text, nth): readonly FormPart[] =>
    nth === 0
      ? [{ kind: "own", text }]
      : [
          { kind: "shared", text: name },
          { kind: "own", text },
        ],
  );
}

function literalText(pattern: string): string {
  return pattern.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}

/** What printed code may use of its own, each as it is written into the skill that needs it. */
export const HELPERS = {
  theOne: `/** The element that fits: none, or several different ones, is an error. */
function theOne(list: any[], what: string, fits: (element: any) => boolean, wanted: any = {}): any {
  const [found, ...others] = list?.filter?.(fits) ?? [];
  if (found === undefined) throw new Error(\`None of the \${wantedOf(list, what, wanted)}\`);
  if (others.some((other) => !isSame(other, found)))
    throw new Error(\`More than one of the \${wantedOf(list, what, wanted)}\`);
  return found;
}`,
  wantedOf: `/** Of how many is looked for what, in an error, and what to do then. */
function wantedOf(list: any, what: string, wanted: any): string {
  const said = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const told = said.map(([field, value]) => \`\${field} \${JSON.stringify(value)}\`.slice(0, 200));
  const has = told.length === 0 ? "is what the input asks for" : "has " + told.join(" and ");
  return \`\${Array.isArray(list) ? list.length : 0} in \${what} \${has}; mend the arguments and call again\`;
}`,
  theSection: `/** The part of a text that fits; what is written in another form than is looked at does not. */
function theSection(sections: any[], what: string, fits: (section: any) => boolean, wanted: any = {}): any {
  const fitsToo = (section: any): boolean => {
    try {
      return fits(section);
    } catch (error: any) {
      if (error.isOtherForm) return false;
      throw error;
    }
  };
  return theOne(sections, what, fitsToo, wanted);
}`,
  firstThat: `/** What is given for the first element for which that fits: none is an error. */
async function firstThat(
  list: any[],
  what: string,
  give: (element: any) => Promise<any>,
  fits: (given: any) => boolean,
  wanted: any = {},
): Promise<any> {
  for (const element of list ?? []) {
    const given = await give(element);
    if (fits(given)) return given;
  }
  throw new Error(\`None of the \${wantedOf(list, what, wanted)}\`);
}`,
  theOnly: `/** The value that the list is of: more than one is a question that the skill cannot answer. */
function theOnly(list: any[], what: string): any {
  const [first, ...others] = Array.isArray(list) ? list : [];
  if (first === undefined) throw new Error(\`There is nothing in \${what}\`);
  if (others.some((other) => !isSame(other, first))) throw new Error(\`There are several in \${what}\`);
  return first;
}`,
  theExtreme: `/** The element with the least or the most: none, or several different ones, is an error. */
function theExtreme(list: any[], what: string, quantity: (element: any) => any, most: boolean): any {
  const values = (list ?? []).map(quantity);
  if (values.length === 0) throw new Error(\`There is nothing in \${what}\`);
  const best = values.reduce((a, b) => (compares(b, most ? ">" : "<", a) ? b : a), values[0]);
  const [found, ...others] = list.filter((_, index) => values[index] === best);
  if (others.some((other) => !isSame(other, found)))
    throw new Error(\`Several in \${what} have as much as the one that is asked for\`);
  return found;
}`,
  groupsOf: `/** The elements that say the same: what says nothing, or is written in two ways, is an error. */
function groupsOf(list: any, what: string, nameOf: (element: any) => any): { name: any; elements: any[] }[] {
  const groups: { name: any; elements: any[] }[] = [];
  for (const element of listOf(list)) {
    const name = nameOf(element);
    if ((typeof name !== "string" && typeof name !== "number") || name === "")
      throw new Error(\`An answer has no \${what}, as every one had when the skill was learned\`);
    const known = groups.map((group) => group.name);
    if (isIn(name, known)) groups.find((group) => group.name === name)?.elements.push(element);
    else groups.push({ name, elements: [element] });
  }
  return groups;
}`,
  sortedBy: String.raw`/** The elements in the order of numbers, or of texts of which nobody would put the later one first. */
function sortedBy(list: any, quantity: (element: any) => any, isFalling: boolean, isStrict = false): any[] {
  const all = listOf(list).map((element) => ({ element, own: quantity(element) }));
  const [first = { own: 0 }] = all;
  if (!["number", "string"].includes(typeof first.own) || all.some(({ own }) => typeof own !== typeof first.own))
    throw new Error("What is to be sorted is neither numbers nor texts");
  const keyOf = (own: any) => (typeof own === "number" ? own : own.replace(/[A-Z]/g, (sign: string) => sign.toLowerCase()));
  const compared = (a: any, b: any) => (a < b ? -1 : a > b ? 1 : 0) * (isFalling ? -1 : 1);
  const sorted = all.sort((a, b) => compared(keyOf(a.own), keyOf(b.own)));
  sorted.forEach(({ own }, nth) => {
    const before = sorted[nth - 1]?.own ?? own;
    const isTie = isStrict && nth > 0 && keyOf(before) === keyOf(own);
    if (isTie || (typeof own === "string" && !isClearOrder(before, own)))
      throw new Error("It is not clear which comes first: " + before + " or " + own);
  });
  return sorted.map(({ element }) => element);
}`,
  isClearOrder: String.raw`/** Whether all would put the same of two texts first: by letters of the same case, signs apart, and numbers as long. */
function isClearOrder(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [x = "", y = ""] = [a[at], b[at]];
  if (x === "" || y === "") return true;
  const before = /\d*$/.exec(a.slice(0, at))?.[0] ?? "";
  const [own, other] = [a, b].map((text) => before + (/^\d*/.exec(text.slice(at))?.[0] ?? ""));
  const isNumber = before !== "" || /^\d{2}$/.test(x + y);
  if (isNumber && own?.length !== other?.length) return false;
  return /^[ 0-9A-Za-z]{2}$/.test(x + y) && x.toLowerCase() !== y.toLowerCase();
}`,
  compares: String.raw`/** Whether two numbers, of which a text may say the first, or two dates written alike, stand in this order; or a text begins or ends with another, or has its words. */
function compares(a: any, operator: "<" | "<=" | ">" | ">=" | "startsWith" | "endsWith" | "contains", b: any): boolean {
  if (operator === "contains") {
    if (typeof a !== "string" || !["string", "number"].includes(typeof b) || b === "") return false;
    const isWord = (sign = "") => /[\p{L}\p{N}]/u.test(sign);
    for (let at = a.indexOf(b); at >= 0; at = a.indexOf(b, at + 1))
      if (!isWord(a[at - 1]) && !isWord(a[at + String(b).length])) return true;
    return false;
  }
  if (operator === "startsWith") return typeof a === "string" && typeof b === "string" && a.startsWith(b);
  if (operator === "endsWith") return typeof a === "string" && typeof b === "string" && a.endsWith(b);
  if (typeof b === "number" && /^-?\d{1,15}(?:\.\d{1,12})?$/.test(a)) a = Number(a);
  const forms = [a, b].map((each) =>
    typeof each === "number" ? "number" : /^\d{4}-\d{2}|^\d{2}:\d{2}/.test(each) ? each.replace(/\d/g, "0") : undefined,
  );
  if (forms[0] === undefined || forms[0] !== forms[1]) throw new Error("Two values cannot be compared");
  return operator === "<" ? a < b : operator === "<=" ? a <= b : operator === ">" ? a > b : a >= b;
}`,
  dayCompares: String.raw`/** Whether the one day in a text stands in this order to another. A text without a day does not. */
function dayCompares(text: any, operator: "<" | "<=" | ">" | ">=", limit: any): boolean {
  const written =
    "${WRITTEN_DAY[0]}" +
    "${WRITTEN_DAY[1]}";
  const near =
    "${NEAR_DAY[0]}" +
    "${NEAR_DAY[1]}";
  const days: string[] = String(text).match(new RegExp(written, "g")) ?? [];
  const isNear = days.length === 0 && new RegExp(near, "i").test(text);
  if (typeof text !== "string" || isNear || days.some((day) => day !== days[0]))
    throw new Error("In a text that has to tell a day, it is written otherwise, or there are several");
  if (!new RegExp("^" + written + "$").test(limit)) throw new Error("What has to be a day is none");
  return days.some((day) =>
    operator === "<" ? day < limit : operator === "<=" ? day <= limit : operator === ">" ? day > limit : day >= limit,
  );
}`,
  mustHave: `/** What an answer tells: where it tells nothing, nothing is called without it. */
function mustHave<Value>(value: Value, what: string): Value {
  if (value === undefined || value === null || value === "")
    throw new Error(\`An answer has no \${what}, as every one had when the skill was learned\`);
  return value;
}`,
  mustHaveSome: `/** What is chosen of a list: where nothing is, nothing is called with it. */
function mustHaveSome<Element>(list: Element[], what: string): Element[] {
  if (list.length === 0) throw new Error(\`Nothing in \${what} is what it has to be, as something was when the skill was learned\`);
  return list;
}`,
  ofKind: String.raw`/** What an answer tells, if it is of the kind that it was when the skill was learned; otherwise an error. */
function ofKind<Value>(value: Value, kind: string, what: string): Value {
  const particles =
    "(?:(?:${NAME_PARTICLES.slice(0, MIDDLE)}" +
    "${NAME_PARTICLES.slice(MIDDLE)}) )*";
  const word = "${literalText(NAME_WORD)}";
  const separator = "${literalText(SEPARATOR)}";
  const plain =
    "${literalText(PLAIN)}";
  const forms: { [kind: string]: string } = {
${Object.entries(KIND_FORMS)
  .map(([kind, form]) => `    ${kind}: ${printedForm(form)},`)
  .join("\n")}
  };
  if (value === undefined || value === null || (value as any) === "")
    throw new Error("An answer has no " + what + ", as every one had when the skill was learned");
  const form = new RegExp("^(?:" + (forms[kind] ?? "(?!)") + ")$", "u");
  const isExact = Number.isSafeInteger(value) || !Number.isInteger(value);
  const isIt =
    typeof value === "number"
      ? (kind.startsWith("num") || kind === "cell") && isExact
      : typeof value === "string" && form.test(value);
  if (isIt) return value;
  const told = String(value).slice(0, 200);
  throw new Error(
    "An answer has as " + what + " something of another kind than when the skill was learned: " + told,
  );
}`,
  clear: String.raw`/** What is compared with a text: one that is nearly the same may be meant, too, and is an error. */
function clear<Value>(value: Value, wanted: any): Value {
  const wordsOf = (text: string): string =>
    " " + text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim() + " ";
  const isText = typeof value === "string" && typeof wanted === "string" && value !== wanted;
  const words = isText ? wordsOf(wanted) : "";
  const isNear = words.length > 4 && !/[0-9]/.test(wanted) && wordsOf(String(value)).includes(words);
  const nothing =
    "${NO_WORDS.slice(0, NO_MIDDLE)}" +
    "${NO_WORDS.slice(NO_MIDDLE)}";
  const isNothing =
    value === undefined || value === null ||
    (typeof value === "string" &&
      new RegExp("^[^\\p{L}\\p{N}]*(?:" + nothing + ")?[^\\p{L}\\p{N}]*$", "iu").test(value));
  const isNoWord = typeof wanted === "string" && /^[-–—?]*$/.test(wanted);
  const isNearEmpty = isNoWord && (value as any) !== wanted && isNothing;
  if (isNear || isNearEmpty || (typeof wanted === "boolean" && typeof value !== "boolean"))
    throw new Error(
      "Whether " + JSON.stringify(value) + " is meant by " + JSON.stringify(wanted) +
        " was not seen when the skill was learned",
    );
  return value;
}`,
  isIn: String.raw`/** Whether a value is one of a list; one that is written otherwise there may be meant, too, and is an error. */
function isIn(value: any, list: any): boolean {
  const isValue = (each: any): boolean => ["string", "number", "boolean"].includes(typeof each) && each !== "";
  const wordsOf = (each: any): string => String(each).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  if (!Array.isArray(list) || value === undefined || value === null || value === "")
    throw new Error("There is nothing that could be one of a list");
  if (list.some((each) => isSame(each, value))) return true;
  const namesOf = (text: string): [string, string] => {
    const parts = text.split(" ");
    const all = [...parts].sort().join(" ");
    return [all, parts.length > 2 ? [parts[0], parts[parts.length - 1]].sort().join(" ") : all];
  };
  const isOne = (one: string, other: string): boolean => {
    if (one === other || /[0-9]/.test(one + other)) return one === other;
    const [[own, ends], [others, otherEnds]] = [namesOf(one), namesOf(other)];
    return own === others || ends === others || own === otherEnds || areShort(one.split(" "), other.split(" "));
  };
  const areShort = (own: string[], others: string[]): boolean => {
    const isShort = (word = "", long = ""): boolean => word.length === 1 && long.startsWith(word);
    const isSame = (word: string, nth: number): boolean => word.length > 1 && word === others[nth];
    const isLike = (word: string, nth: number): boolean =>
      word === others[nth] || isShort(word, others[nth]) || isShort(others[nth], word);
    return own.length === others.length && own.some(isSame) && own.every(isLike);
  };
  // One may stand among others, or with a remark.
  const hasAmong = (text: any, other: string): boolean =>
    String(text).split(/${BETWEEN}/u).some((part) => wordsOf(part) === other);
  const words = isValue(value) ? wordsOf(value) : "";
  const isNear = (each: any, own: string): boolean =>
    own !== "" && (isOne(own, words) || hasAmong(each, words) || hasAmong(value, own));
  if (words !== "" && list.some((each) => isValue(each) && isNear(each, wordsOf(each))))
    throw new Error(JSON.stringify(value) + " is written otherwise in a list, as it was not when the skill was learned");
  return false;
}`,
  clearPart: String.raw`/** What has words as texts had them when the skill was learned, or not at all: anything between may be meant, too, and is an error. */
function clearPart<Value>(value: Value, wanted: any, joins?: any, element: any = value): Value {
  const runsOf = (text: string): string =>
    " " + text.toLowerCase().replace(/[0-9]+/g, " $& ").replace(/[^\p{L}\p{N}]+/gu, " ").trim() + " ";
  const textsOf = (each: any): string[] =>
    typeof each === "string" ? [each] : Object.values(each ?? {}).flatMap(textsOf);
  const isSeen = (text: string, place: RegExp, seen: any): boolean => {
    const signs = place.exec(text)?.[1];
    if (signs === undefined || (/\s/.test(signs) && signs.trim() !== "")) return true;
    return seen?.includes(/\s/.test(signs) ? " " : signs) ?? signs !== "";
  };
  if (typeof wanted !== "string" || wanted.length < 3) return value;
  const pieces = typeof value === "string" ? value.split(wanted) : [];
  const hasWords = pieces.slice(1).some((_, at) =>
    isSeen(pieces.slice(0, at + 1).join(wanted), /[\p{L}\p{N}]([^\p{L}\p{N}]*)$/u, joins?.before) &&
    isSeen(pieces.slice(at + 1).join(wanted), /^([^\p{L}\p{N}]*)[\p{L}\p{N}]/u, joins?.after)
  );
  const letters = runsOf(wanted).replace(/^ (?![0-9])|(?<![0-9]) $/g, "");
  const near = textsOf(element).find((text) => runsOf(text).includes(letters));
  if (!hasWords && letters !== "" && near !== undefined)
    throw new Error(
      "Whether " + JSON.stringify(near) + " is meant by " + JSON.stringify(wanted) +
        " was not seen when the skill was learned",
    );
  return value;
}`,
  numberOf: String.raw`/** A number, or one that is written as people write it. */
function numberOf(value: any): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value)) return Number(value);
  throw new Error("What is to be a number is none: " + String(value).slice(0, 200));
}`,
  calculated: String.raw`/** What two numbers give, with no more decimals than it has. */
function calculated(left: any, operator: "+" | "-" | "*" | "/", right: any): number {
  if (typeof left !== "number" || typeof right !== "number")
    throw new Error("What is to be calculated with is not a number");
  const [a = 0, b = 0] = [left, right].map((value) =>
    String(value).includes("e") ? Infinity : (/\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0),
  );
  const decimals = operator === "*" ? a + b : Math.max(a, b);
  const given =
    operator === "+" ? left + right : operator === "-" ? left - right : operator === "*" ? left * right : left / right;
  if (!Number.isFinite(given)) throw new Error("What is to be calculated is no number");
  return operator === "/" || decimals > 12 ? given : Number(given.toFixed(decimals));
}`,
  joined: `/** The texts of a list, one after the other: one that is missing is an error. */
function joined(list: any[], separator: string): string {
  if (list.some((each) => typeof each === "object" || each === undefined))
    throw new Error("A part of the text is missing");
  return list.join(separator);
}`,
  sumOf: `/** What numbers add up to, with as many decimals as they have. */
function sumOf(list: any[]): number {
  return list.reduce((sum, value) => calculated(sum, "+", value), 0);
}`,
  chosenOf: String.raw`/** The choice, where it is one of the options; otherwise the skill ends with them. */
function chosenOf<Value>(parameter: string, chosen: Value | undefined, list: any[], valueOf: (option: any) => any): Value {
  const options = new Map<any, any>();
  for (const option of list ?? []) {
    const value = valueOf(option);
    if ((typeof value === "string" || typeof value === "number") && !options.has(value)) options.set(value, option);
  }
  if (chosen !== undefined && options.has(chosen)) return chosen;
  if (options.size === 0) throw new Error("There is nothing to choose " + parameter + " from");
  const fieldsOf = (option: any): [string, any][] =>
    typeof option !== "object" || option === null
      ? []
      : Object.entries(option).flatMap(([name, value]: [string, any]): [string, any][] =>
          typeof value !== "object" || value === null
            ? [[name, value]]
            : Array.isArray(value)
              ? []
              : Object.entries(value).map(([inner, part]) => [name + "." + inner, part]),
        );
  const shown = [...options].slice(0, 100).map(([value, option]) => ({ value, fields: new Map(fieldsOf(option)) }));
  const names = [...new Set(shown.flatMap(({ fields }) => [...fields.keys()]))];
  const telling = names.filter((name) => {
    const values = shown.map(({ fields }) => fields.get(name));
    const isShort = values.every((value) => value === undefined || (typeof value !== "object" && String(value).length <= 200));
    return isShort && values.some((value) => value !== values[0]) && shown.some(({ value }, index) => value !== values[index]);
  });
  const told = shown.map(({ value, fields }) => ({
    value,
    about: Object.fromEntries(telling.slice(0, 12).flatMap((name) => (fields.has(name) ? [[name, fields.get(name)]] : []))),
  }));
  while (told.length > 1 && JSON.stringify(told).length > 12_000) told.pop();
  const why = chosen === undefined ? parameter + " is to be chosen" : JSON.stringify(chosen) + " is not one of the options for " + parameter;
  const more = options.size > told.length ? ", of which the first " + told.length + " are told" : "";
  const choice = { parameter, options: told };
  throw Object.assign(new Error(why + ": there are " + options.size + more), { name: "ChoiceNeeded", choice });
}`,
  listOf: `/** A list: what is none is an error. */
function listOf<Value>(value: Value): Value {
  if (!Array.isArray(value)) throw new Error("What is to be a list is none");
  return value;
}`,
  mapOf: `/** A map; an empty list is an empty map, as some servers write it. */
function mapOf(value: any): any {
  if (typeof value !== "object" || value === null || (Array.isArray(value) && value.length > 0))
    throw new Error("What is to be a map is none");
  return value;
}`,
  pairsOf: `/** Two lists side by side: each has as many elements as the other. */
function pairsOf(left: any, right: any): { left: any; right: any }[] {
  if (!Array.isArray(left) || !Array.isArray(right)) throw new Error("What is to be a list is none");
  if (left.length !== right.length)
    throw new Error(\`A list has \${left.length} elements, and the one beside it \${right.length}\`);
  return left.map((each, nth) => ({ left: each, right: right[nth] }));
}`,
  partsIn: `/** The elements of a list, or the values of a map; nothing else has any. */
function partsIn(value: any): any[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}`,
  takenOf: `/** So many elements from one end on; fewer are an error, and so is a next one that says the same. */
function takenOf(list: any, count: number, isLast: boolean, quantity?: (each: any) => any): any[] {
  const all = listOf(list);
  if (all.length < count) throw new Error("There are only " + all.length + " of " + count + " elements");
  const at = isLast ? all.length - count : count;
  if (quantity && all.length > count && isSame(quantity(all[at - 1]), quantity(all[at])))
    throw new Error("It is not clear which are the " + count + ": " + String(quantity(all[at])).slice(0, 200));
  return isLast ? all.slice(at) : all.slice(0, at);
}`,
  numberedOf: `/** The elements with their numbers, from 1. */
function numberedOf(list: any): { number: number; element: any }[] {
  return listOf(list).map((element, nth) => ({ number: nth + 1, element }));
}`,
  casedText: String.raw`/** A text in capital or small letters, if each has one other form alone. */
function casedText(text: any, isUpper: boolean): string {
  const isUnclear = /[\u0080-\u009f\u00aa\u00b5\u00ba\u00df\u00ff-\u200f\u203b-\uffff]/;
  if (typeof text !== "string" || isUnclear.test(text))
    throw new Error("A text has letters without one other form: " + JSON.stringify(text ?? null).slice(0, 200));
  return isUpper ? text.toUpperCase() : text.toLowerCase();
}`,
  theNth: `/** The element at a position; negative ones count from the end. */
function theNth(list: any[], position: number): any {
  const found = Array.isArray(list) ? list.at(position) : undefined;
  if (found === undefined) throw new Error("There are fewer elements than the input speaks of");
  return found;
}`,
  textWith: String.raw`/** A part of a text: one that is missing, or that would end what stands around it, is an error. */
function textWith(part: any, beside: string): string {
  const text = typeof part === "object" || part === undefined ? "" : String(part);
  if (text === "") throw new Error("A part of the text is missing");
  const isOther =
    beside === "/" ? /(^|[\\/])\.\.([\\/]|$)/.test(text)
    : beside === "=" ? /[\s;'"\x60()]/.test(text)
    : beside !== "" && (text.includes(beside) || text.includes("\\"));
  if (isOther) throw new Error("A part of the text would change what it stands in: " + text);
  return text;
}`,
  replacedIn: String.raw`/** A text with another at the one place where a part of it stands as a whole. */
function replacedIn(text: string, part: string, by: string): string {
  if (typeof text !== "string") throw new Error("What is to be a text is none");
  const form = part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const begin = /^[\p{L}\p{N}]/u.test(part) ? "(?<![\\p{L}\\p{N}_])" + (/^\d/.test(part) ? "(?<!\\d[.-])" : "") : "";
  const end = /[\p{L}\p{N}]$/u.test(part) ? "(?![\\p{L}\\p{N}_])" + (/\d$/.test(part) ? "(?![.-]\\d)" : "") : "";
  const [place, ...others] = text.matchAll(new RegExp(begin + form + end, "gu"));
  if (part === "" || !place || others.length > 0)
    throw new Error("A part of a text stands there at none or several places");
  return text.slice(0, place.index) + by + text.slice(place.index + part.length);
}`,
  roundedText: String.raw`/** A number with so many decimals: half way between two of these it would be a guess. */
function roundedText(value: any, decimals: number): string {
  const scaled = Math.abs(value) * 10 ** decimals;
  const whole = Math.floor(scaled);
  if (typeof value !== "number" || !(scaled < 1e12)) throw new Error("What is to be rounded is no number");
  if (Math.abs(scaled - whole - 0.5) < 1e-6) throw new Error("It is not clear how a number is rounded: " + value);
  const digits = String(scaled - whole > 0.5 ? whole + 1 : whole).padStart(decimals + 1, "0");
  const end = digits.length - decimals;
  const sign = value < 0 && Number(digits) > 0 ? "-" : "";
  return sign + digits.slice(0, end) + (decimals === 0 ? "" : "." + digits.slice(end));
}`,
  excerptOf: String.raw`/** A part of a text that stands there once, and not inside of a longer word; or all of a line but for space before. */
function excerptOf(text: string, part: string, isLine: boolean): string {
  replacedIn(text, part, part);
  const [before = "", after = "", ...others] = text.split(part);
  if (others.length > 0) throw new Error("A part of a text stands there in a longer word, too");
  const isBegun = part.startsWith("\n") || (part.endsWith("\n") ? /(?:^|\n)$/ : /(?:^|\n)[ \t]*$/).test(before);
  if (isLine && !(isBegun && (part.endsWith("\n") || /^\r?(?:\n|$)/.test(after))))
    throw new Error("A part of a text is no line of its own, as it was when the skill was learned: " + part);
  return part;
}`,
  replacedAll: String.raw`/** A text with another at all places where a part of it stands: in a longer word it would be a guess. */
function replacedAll(text: string, part: string, by: string): string {
  if (typeof text !== "string") throw new Error("What is to be a text is none");
  const form = part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const begin = /^[\p{L}\p{N}]/u.test(part) ? "(?<![\\p{L}\\p{N}_])" + (/^\d/.test(part) ? "(?<!\\d[.-])" : "") : "";
  const end = /[\p{L}\p{N}]$/u.test(part) ? "(?![\\p{L}\\p{N}_])" + (/\d$/.test(part) ? "(?![.-]\\d)" : "") : "";
  const { length } = [...text.matchAll(new RegExp(begin + form + end, "gu"))];
  if (part === "" || length === 0 || text.split(part).length - 1 > length)
    throw new Error("A part of a text stands there at no place, or in a longer word");
  return text.split(part).join(by);
}`,
  partOf: String.raw`/** What stands in a text between two marks: one of several things of the same form would be a guess. */
function partOf(text: string, after: string, before: string): string {
  if (typeof text !== "string") throw new Error("What is to be a text is none");
  const start = after === "" ? 0 : text.indexOf(after) + after.length;
  const end = before === "" ? text.length : text.indexOf(before, start);
  if (start < after.length || end < start) throw new Error("A text does not have the expected form");
  const isInWord = /^[\p{L}\p{N}]/u.test(after) && /[\p{L}\p{N}_-]$/u.test(text.slice(0, start - after.length));
  if (isInWord || (after !== "" && text.includes(after, start - after.length + 1)))
    throw new Error("A text has several parts of the form that is looked for");
  const part = text.slice(start, end);
  if (part.includes("\n")) throw new Error("A part of a text goes on in the next line");
  if (!/[\p{L}\p{N}]/u.test(part)) return part;
  const form = part
    .replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    .replace(/[\p{L}\p{N}]+/gu, (word) => (/\p{N}/u.test(word) && !part.includes("@") ? "[\\p{L}\\p{N}]*\\p{N}[\\p{L}\\p{N}]*" : "[\\p{L}\\p{N}]+"));
  const alike = new RegExp("(?<![\\p{L}\\p{N}])" + form + "(?![\\p{L}\\p{N}])", "gu");
  const labelAt = (at: number) =>
    /([\p{L}\p{N}_-]+)["']?\s?[:=]\s?["']?$/u.exec(text.slice(Math.max(0, at - 60), at))?.[1];
  const own = labelAt(start);
  for (const other of text.matchAll(alike)) {
    const label = labelAt(other.index);
    const isLabelled = own !== undefined && label !== undefined && label !== own;
    if (other[0] !== part && !isLabelled)
      throw new Error("A text has several parts of the form that is looked for");
  }
  return part;
}`,
  pieceOf: String.raw`/** What stands in a text between two marks that it has once each, if it is of the kind that it was when the skill was learned. */
function pieceOf(text: string, after: string, before: string, kind: string): string {
  if (typeof text !== "string") throw new Error("What is to be a text is none");
  const ends = before === "" ? [text, ""] : text.split(before);
  const isEnd = before === "." ? ends.length > 1 && /^[A-Za-z][A-Za-z0-9]{0,4}$/.test(ends[ends.length - 1] ?? "") : ends.length === 2;
  const rest = ends.slice(0, -1).join(before);
  const begins = after === "" ? ["", rest] : rest.split(after);
  const isBegin = after === "/" ? begins.length > 1 : begins.length === 2;
  if (!isEnd || !isBegin || (after !== "" && text.split(after).length !== begins.length))
    throw new Error("A text does not have the form that it had when the skill was learned: " + text.slice(0, 200));
  const forms: { [kind: string]: string } = {
${Object.entries(PIECE_FORMS)
  .map(([kind, form]) => `    ${kind}: "${literalText(form)}",`)
  .join("\n")}
  };
  const piece = begins[begins.length - 1] ?? "";
  if (!new RegExp("^(?:" + (forms[kind] ?? "(?!)") + ")$", "u").test(piece))
    throw new Error("A part of a text is of another kind than when the skill was learned: " + piece.slice(0, 200));
  return piece;
}`,
  slugOf: `/** A short text as names have it; one of more than words can be written in many ways, and is an error. */
function slugOf(text: any, separator: string, isLower: boolean): string {
  const isPlain = typeof text === "string" && /^[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*$/.test(text);
  if (!isPlain || (separator !== "-" && text.includes("-")))
    throw new Error("A text of which a name is made has more than words: " + JSON.stringify(text ?? null).slice(0, 200));
  const joined = text.replaceAll(" ", separator);
  return isLower ? joined.toLowerCase() : joined;
}`,
  dateOf: `/** A date, moved by days, in a format. */
function dateOf(text: string, days: number, format: string): string {
  const time = "[T ](\\\\d{1,2}):(\\\\d{2})(?::(\\\\d{2}))?(?![\\\\d:]|\\\\s*[AaPp]\\\\.?[Mm])";
  const parts = text.match(\`^(?!00)(\\\\d{4})-(\\\\d{2})-(\\\\d{2})(?:\${time})?\`);
  // Midnight is that of a day alone.
  const isTimed = format.includes("hh") && (text.length > 10 || !format.includes("YYYY"));
  if (!parts || (parts[4] === undefined && isTimed))
    throw new Error("A date does not have the expected form");
  const [year, month, day, hour = 0, minute = 0, second = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, (day ?? 1) + days, hour, minute, second));
  const iso = date.toISOString();
  if (iso.length > 24) throw new Error("A date is beyond the year 9999");
  const signs = {
    YYYY: iso.slice(0, 4),
    MM: iso.slice(5, 7),
    DD: iso.slice(8, 10),
    hh: iso.slice(11, 13),
    mm: iso.slice(14, 16),
    ss: iso.slice(17, 19),
  };
  return format.replace(/YYYY|MM|DD|hh|mm|ss/g, (sign) => signs[sign as keyof typeof signs]);
}`,
  isSame: `/** Whether two values are equal, whatever the order of their keys. */
function isSame(a: any, b: any): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keysOf = (of: any) => Object.keys(of).filter((key) => Array.isArray(of) || of[key] !== undefined);
  const keys = keysOf(a);
  if (keys.length !== keysOf(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}`,
  mustFail: `/** Goes on only where a call fails as it did in every recorded run: what to do otherwise is not known. */
async function mustFail(what: string, call: Promise<unknown>, kind: string, args: readonly unknown[]): Promise<null> {
  const { failed } = await attempt(what, call, kind, args);
  if (failed) return null;
  throw new Error(\`\${what} has succeeded; in the recorded runs it failed with "\${kind}", so what followed there is not done\`);
}`,
  attempt: `/** What a call gives, or that it failed as in recorded runs; another failure ends the skill. */
async function attempt(
  what: string,
  call: Promise<any>,
  kind: string,
  args: readonly unknown[],
): Promise<{ failed: boolean; value: any }> {
  let error: any;
  const value = await call.catch((failed) => {
    error = failed;
  });
  if (!error) return { failed: false, value };
  if (kind !== "" && failureKind(String(error.message), args) === kind) return { failed: true, value: null };
  throw new Error(\`\${what} failed in another way; in the recorded runs it failed with "\${kind}": \${error.message}\`);
}`,
  retried: `/** What a call that only reads gives: where it fails as in recorded runs that made it again, it is made again. */
async function retried<Value>(
  times: number,
  kinds: readonly string[],
  args: readonly unknown[],
  call: () => Promise<Value>,
): Promise<Value> {
  for (let left = times; ; left--) {
    try {
      return await call();
    } catch (error: any) {
      if (left <= 0 || !kinds.includes(failureKind(String(error.message), args))) throw error;
    }
  }
}`,
  // The text of the function in `failure-kind.ts`, by which synthesis tells the kinds.
  failureKind: `/**
 * In which way a call failed, by the message of its error: the codes in it; where these do not say enough, its words,
 * without numbers, ids, addresses and the values in \`args\`, which are the call's own. A code that is one of these values
 * is none. Empty where nothing is said: such failures are not told from others.
 */
function failureKind(error: string, args: unknown): string {
  // JSON in a text of JSON.
  const message = error.replace(/\\\\+[nrt]/g, " ").replace(/\\\\+"/g, '"');
  const strings = JSON.stringify([args]).match(/"(?:[^"\\\\]|\\\\.)*":?/g) ?? [];
  const values = strings.filter((text) => text.length > 4 && !text.endsWith(":"));
  const given: string[] = JSON.parse(\`[\${values.join()}]\`);
  const general =
    /\\b(?:api|argument|bad|client|conflict|err|errors?|exception|execution|fail(?:ed|ure)?|generic|http|input|internal|invalid|mcp|p0001|params?|precondition|request|runtime|server|tool|type|unknown|unprocessable|validation|value)\\b/gi;

  const errno =
    /\\bE(?:ACCES|AGAIN|BUSY|CONN[A-Z]+|EXIST|HOSTUNREACH|INVAL|IO|ISDIR|MFILE|NOENT|NOSPC|NOTDIR|NOTEMPTY|NOTFOUND|PERM|PIPE|ROFS|TIMEDOUT|XDEV)\\b|\\bErrno \\d+|(?<=\\bSQLSTATE\\W{0,3})[0-9A-Z]{5}\\b|(?<=^\\W*(?:error\\W{1,3})?)[A-Z]{2,8}-?\\d{3,6}(?=\\W*$|[:\\])] )/g;
  const http =
    /(?<=\\b(?:HTTP(?:\\/[\\d.]+)?|status|error)(?:[ _]?code)?["']?[ :=]{0,3}["']?)[45]\\d\\d\\b|\\b[45]\\d\\d(?= (?:Bad|Unauthorized|Payment|Forbidden|Not|Method|Conflict|Gone|Precondition|Unprocessable|Validation|Too|Internal|Service|Gateway)\\b)/gi;
  const named =
    /(?<=["'](?:(?:error|decline)?_?code|sql_?state)["']\\s*:\\s*["']?)[\\w.-]{1,60}(?=["']|\\s*[,}\\]])/gi;
  const all = [errno, http, named].flatMap((pattern) => message.match(pattern) ?? []);
  const codes = [...new Set(all)].filter((code) => !given.includes(code)).sort();
  const telling = codes.filter((code) =>
    /^-?\\d+$/.test(code)
      ? /^(?:401|404|408|410|429|\\d{4,})$/.test(code)
      : /\\d|[a-z]/i.test(
          code
            .replace(/([a-z])([A-Z])/g, "$1 $2")
            .replace(/[^A-Za-z0-9]+/g, " ")
            .replace(general, ""),
        ),
  );
  const exits =
    message.match(
      /(?<=\\b(?:exit(?:ed)?(?: with)?(?: code| status)?|error code|return(?:ed)?(?: code)?|rc|ERROR)[ :=]{1,3})-?\\d{1,5}\\b/g,
    ) ?? [];
  const kept = codes.filter((code) => telling.includes(code) || /^[45]\\d\\d$/.test(code)).concat(exits);
  if (telling.length > 0) return kept.join(" ");

  const said =
    message.match(
      /(?<=["'](?:errors?|messages?|msg|details?|reason|title|type|(?:error_)?description)["']\\s*:\\s*\\[?\\s*)(?:"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*')/gi,
    ) ?? [];
  const whole =
    said.length === 0 ? message : message.replace(/[[{][^]*[\\]}]/, " ").concat(" ", said.join(" "));
  const text = whole
    .replace(/<\\/?\\w+>/g, " ")
    .replace(/^\\s*(?:(?:mcp |tool )?(?:error|exception)(?: -?\\d+)?: *)+/i, "");
  let rest = text;
  for (const value of given.sort((a, b) => b.length - a.length)) {
    if (value.length > 100 || !rest.includes(value)) continue;
    const literal = value.replace(/[.*+?^\${}()|[\\]\\\\]/g, "\\\\$&");
    rest = rest.replace(new RegExp(\`(?<![\\\\p{L}\\\\p{N}_])\${literal}(?![\\\\p{L}\\\\p{N}_])\`, "gu"), " 0 ");
  }
  rest = rest.replace(/(["'\`])([^"'\`]+)\\1/g, (quoted: string, _mark: string, inner: string) =>
    given.some((value) => value.includes(inner)) ? " 0 " : quoted,
  );
  const wordsOf = (given: string): string =>
    given
      .replace(/[^\\s:;,()=<>[\\]{}]+/g, (word) => (/\\d|[^/]\\/[^/]|@|\\\\/.test(word) ? "?" : word))
      .replace(/[^\\p{L}_?'-]+/gu, " ")
      .replace(/(?<=^| )['-]+|['-]+(?= |$)/g, "")
      .replace(/\\? (?:\\? )*(?=\\?)/g, "")
      .trim()
      .toLowerCase();
  const words = wordsOf(rest);
  const isSaid = /[^?\\s]/.test(words.replace(general, ""));
  const kind = [...kept, ...(isSaid ? words : wordsOf(text)).split(" ").slice(0, 40)].join(" ");
  return /[^? ]/.test(kind) ? kind : "";
}`,
  ...TEXT_HELPERS,
} as const;

export type Helper = keyof typeof HELPERS;
