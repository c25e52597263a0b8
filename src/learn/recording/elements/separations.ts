import type { Json } from "../../../core/json/json.ts";
import { isSignForNothing } from "../../expectations/near-texts.ts";
import type { ValueCondition } from "../../plan/plan.ts";
import { areOrdered, compares, dayIn, measured, type ValueOperator } from "../../plan/quantities.ts";
import { nameWords, plural, stateWords } from "../../plan/names.ts";
import {
  canonicalJson,
  isLeaf,
  isSpecific,
  isState,
  jsonLeaves,
  leafText,
  type TaskText,
  valueAt,
} from "../../plan/values.ts";

/** What is true of some elements of a list, and of none of the others. */
export interface Separation {
  readonly path: readonly string[];
  /** What stands at the path is a list: one of its elements has the value there. */
  readonly inner?: readonly string[] | undefined;
  readonly operator?: ValueOperator | undefined;
  readonly value: Json;
  /** What stands before the value in all of these, and the task does not say: `#`, `@`, or the label in `Size: large`. */
  readonly mark?: string | undefined;
  /** The task speaks of the value, or an earlier call has it as an argument. */
  readonly isSaid: boolean;
  /** The task says it in other words, so that no caller would say the value. */
  readonly isHinted?: boolean | undefined;
}

const MAX_PATHS = 60;
const MAX_WORD = 40;
/** Of elements whose texts are looked at for words, and of such a text. */
const MAX_WORDED = 200;
const MAX_TEXT = 500;

/** Every single condition that tells the chosen elements from the others; where there are no others, that all fulfil. */
export function separations(
  elements: readonly Json[],
  chosen: readonly number[],
  task: TaskText,
  isGiven: (value: Json) => boolean,
): readonly Separation[] {
  const { inside, outside } = parted(elements, chosen);
  const [first = null] = inside;
  if (inside.length === 0) return [];
  const isSaid = (value: Json): boolean =>
    (typeof value === "string" && value.length > 1 && task.mentions(value)) ||
    (isSpecific(value) && isGiven(value));
  const isPlausible = outside.length === 0 ? isState : isKind;
  const found = pathsIn(first).flatMap((path): readonly Separation[] => {
    const own = inside.map((element) => valueAt(element, path));
    const others = outside.map((element) => valueAt(element, path));
    if (own.some((value) => Array.isArray(value))) return innerSeparations(path, own, others, task, isSaid);
    const [value] = own;
    if (value === undefined || !isLeaf(value)) return [];
    const endings = endingsOf(path, own, others, task);
    if (path.length === 0) return endings;
    const isAlike = own.every((each) => each === value) && !others.includes(value);
    const [other] = others;
    const isOther = other !== undefined && isLeaf(other) && others.every((each) => each === other);
    // What only one other has may be its name.
    const mayTell = others.length > 1 || typeof other !== "string" ? isKind : isState;
    const isTold =
      isSaid(value) || isSaidNumber(path, value, task) || (typeof value === "boolean" && isNamed(path, task));
    const kinds: Separation[] = [];
    const mark = markOf([...new Set([...own, ...others])]);
    const isMarked = isAlike && mark?.operator === undefined && mark?.value === value && isNamed(path, task);
    if (isMarked) kinds.push({ path, value, isSaid: true, isHinted: true });
    if (isSignForNothing(value) && isAlike && lacks(path, task))
      kinds.push({ path, value, isSaid: true, isHinted: true });
    if (isAlike && !isMarked && (isTold || isPlausible(value))) kinds.push({ path, value, isSaid: isTold });
    // `Unpaid` of those who have not paid could be whatever is not `paid`.
    const isOpen = kinds.length === 0 || (!isTold && isHintedAt({ path, value, isSaid: false }, task));
    if (isOpen && isOther && !own.includes(other) && mayTell(other) && !own.some(isNothing))
      kinds.push({ path, operator: "!=", value: other, isSaid: false });
    return kinds.concat(endings, limitsOf(path, own, others, task));
  });
  // Words in a longer text are so by chance rather than a whole value.
  const worded = found.some((each) => each.isSaid)
    ? []
    : pathsIn(first)
        .flatMap((path) => wordsAt(path, elements, inside, task))
        .filter(({ path, value }) => !outside.some((each) => hasLetters(valueAt(each, path), value)));
  const all = [...found, ...worded];
  return all.filter((each) => !all.some((other) => saysMore(each, other, elements)));
}

function parted(
  elements: readonly Json[],
  chosen: readonly number[],
): { readonly inside: readonly Json[]; readonly outside: readonly Json[] } {
  const numbers = new Set(chosen);
  return {
    inside: elements.filter((_, index) => numbers.has(index)),
    outside: elements.filter((_, index) => !numbers.has(index)),
  };
}

/** What tells the chosen elements by a word for their kind of which the task has another form, or by a count that it names. */
export function isHintedAt({ path, inner, operator, value }: Separation, task: TaskText): boolean {
  if (inner !== undefined) return false;
  if (operator === "!=") return (value === 0 || value === "0") && isNamed(path, task);
  return operator === undefined && typeof value === "string" && isState(value) && task.hintsAt(value);
}

/** What tells the chosen elements as all of a kind, by a field for nothing else: files rather than folders. */
export function tellsKind({
  path,
  inner,
  operator,
}: Pick<Separation, "path" | "inner"> & Pick<ValueCondition, "operator">): boolean {
  const name = nameWords(path.at(-1) ?? "").join(" ");
  return inner === undefined && operator === undefined && KIND_FIELD.test(name);
}

const KIND_FIELD = /(?:^| )(?:kind|type)$|^is (?:a )?(?:file|dir|directory|folder)$/;

/**
 * All that is so of the chosen elements, also of others, and of which the task speaks, where it is several conditions that
 * together tell these from the others: what one of them would tell by itself may be chance. Of a call that asked for
 * something it is no wonder that all it gave are so.
 */
export function separationsTogether(
  elements: readonly Json[],
  chosen: readonly number[],
  task: TaskText,
  isGiven: (value: Json) => boolean,
  asked: ReadonlySet<string> = new Set(),
): readonly Separation[] {
  const { inside, outside } = parted(elements, chosen);
  const [first = null] = inside;
  const found = pathsIn(first).flatMap((path): readonly Separation[] => {
    const value = valueAt(first, path);
    if (Array.isArray(value)) return membersOfAll(path, elements, inside, task, asked);
    const isShared = inside.every((each) => valueAt(each, path) === value);
    if (path.length === 0 || value === undefined || !isLeaf(value) || !isShared) return [];
    const isOfAll = outside.every((each) => valueAt(each, path) === value);
    if (isOfAll && !maySayOfAll(path, value, task, asked)) return [];
    const isSaid =
      typeof value === "boolean"
        ? isNamed(path, task)
        : (typeof value === "string" && value.length > 1 && task.mentions(value)) ||
          isSaidNumber(path, value, task) ||
          (isSpecific(value) && isGiven(value));
    const separation: Separation = { path, value, isSaid: true };
    if (isSaid) return [separation];
    return isHintedAt(separation, task) ? [{ ...separation, isHinted: true }] : [];
  });
  const plain = found.filter(({ inner }) => inner === undefined);
  const said = found.filter(
    (each) =>
      !found.some((other) => isSaidBetter(other.value, each.value, task)) &&
      !(each.inner && plain.some(({ value }) => speaksOf(value, each.value))),
  );
  const words = pathsIn(first).flatMap((path) => wordsAt(path, elements, inside, task));
  const all = said.concat(
    words.filter(({ value }) => !said.some((each) => speaksOf(each.value, value))),
    limitsOfAll(inside, task),
    // Of files, the one place whose ending the task says.
    pathsIn(first)
      .flatMap((path) =>
        endingsOf(
          path,
          inside.map((each) => valueAt(each, path)),
          [],
          task,
        ),
      )
      .filter((each) => each.isSaid)
      .slice(0, 1),
  );
  const isSo = (each: Json, { path, inner, operator, value, mark = "" }: Separation): boolean => {
    const whole = mark === "" ? value : `${mark}${leafText(value)}`;
    const own = valueAt(each, path) ?? null;
    if (!inner) return compares(own, operator, whole);
    return Array.isArray(own) && own.some((member) => valueAt(member, inner) === whole);
  };
  const doTell = outside.every((each) => !all.every((condition) => isSo(each, condition)));
  return all.length > 1 && doTell ? all : [];
}

/** The limits beyond which all chosen elements are, each of the one field that it can be of, or of which the task speaks. */
function limitsOfAll(inside: readonly Json[], task: TaskText): readonly Separation[] {
  const found = pathsIn(inside[0] ?? null).flatMap((path) => {
    const own = inside.map((each) => valueAt(each, path));
    return limitsOf(path, own, [], task);
  });
  const isNamedIn = ({ path }: Separation): boolean =>
    nameWords(path.at(-1) ?? "").some((word) => task.hintsAt(word));
  return [...Map.groupBy(found, ({ value }) => value).values()].flatMap((alike) => {
    const named = alike.filter(isNamedIn);
    const meant = named.length > 0 ? named : alike;
    return meant.length === 1 ? meant : [];
  });
}

/** What the task says of members that all chosen elements have in a list. */
function membersOfAll(
  path: readonly string[],
  elements: readonly Json[],
  inside: readonly Json[],
  task: TaskText,
  asked: ReadonlySet<string>,
): readonly Separation[] {
  const isSaid = (value: Json): boolean =>
    typeof value === "string" && value.length > 1 && task.mentions(value);
  const found = elements.map((each) => saidMembers(path, valueAt(each, path), task, isSaid));
  const own = found.filter((_, index) => inside.includes(elements[index] ?? null));
  return [...(own[0] ?? [])].flatMap(([key, separation]) => {
    // In records, what all have may be what their fields are called.
    const isOfAll = found.every((each) => each.has(key));
    const mayBeOfAll = separation.inner?.length === 0 && maySayOfAll(path, separation.value, task, asked);
    const isMeant = !isOfAll || mayBeOfAll;
    return isMeant && own.every((each) => each.has(key)) ? [separation] : [];
  });
}

/** Whether what all elements of a list have is a state, or what the task leaves out, so that others may be otherwise elsewhere. */
function maySayOfAll(
  path: readonly string[],
  value: Json,
  task: TaskText,
  asked: ReadonlySet<string>,
): boolean {
  if (typeof value === "boolean") return value || task.excepts(stateWords(path.at(-1) ?? ""));
  return isState(value) && !asked.has(leafText(value) ?? "");
}

/** Whether the task says a number of what stands at a path: `priority 2`. */
function isSaidNumber(path: readonly string[], value: Json, task: TaskText): boolean {
  const name = stateWords(path.at(-1) ?? "");
  return typeof value === "number" && name !== "" && task.mentions(`${name} ${value}`);
}

/** Whether words are among those of a text. */
function speaksOf(text: Json, words: Json): boolean {
  const [own, part] = [text, words].map((each) => ` ${nameWords(leafText(each) ?? "").join(" ")} `);
  return own !== undefined && part !== undefined && own.includes(part);
}

/** Whether the task says one of two texts letter for letter, where the other has the same words with other signs between. */
function isSaidBetter(value: Json, other: Json, task: TaskText): boolean {
  return (
    typeof value === "string" &&
    typeof other === "string" &&
    nameWords(value).join(" ") === nameWords(other).join(" ") &&
    task.says(value) &&
    !task.says(other)
  );
}

/** Whether texts end alike, or have the same words, for what is a part of them in all elements, as the names of files are of paths. */
function saysMore(each: Separation, other: Separation, elements: readonly Json[]): boolean {
  const areAlike =
    each.operator === other.operator && each.value === other.value && !each.inner && !other.inner;
  const texts = elements.map((element) => [each.path, other.path].map((path) => valueAt(element, path)));
  const isPart = (part: string, text: string): boolean =>
    each.operator === "endsWith" ? text.endsWith(part) : each.operator === "contains" && text.includes(part);
  return (
    areAlike &&
    texts.some(([text, part]) => text !== part) &&
    texts.every(([text, part]) => typeof text === "string" && typeof part === "string" && isPart(part, text))
  );
}

/** Words of which the task speaks that stand in the texts of all chosen elements, and not in those of all others: no whole values. */
function wordsAt(
  path: readonly string[],
  elements: readonly Json[],
  inside: readonly Json[],
  task: TaskText,
): readonly Separation[] {
  if (inside.length > MAX_WORDED) return [];
  const own = inside.map((element) => valueAt(element, path));
  const hasWords = (value: Json | undefined, words: string): boolean =>
    compares(value ?? null, "contains", words);
  const said = saidWords(own, task);
  const tellings = (words: string): readonly Separation[] => {
    const isPart = own.every((value) => value !== words && hasWords(value, words));
    const isOfMore = inside.length < elements.length;
    const isOfAll = isOfMore && elements.every((element) => hasWords(valueAt(element, path), words));
    const isValue = elements.some((element) => [...jsonLeaves(element)].some(([, leaf]) => leaf === words));
    const isLabel = !isOfMore && own.every((value) => hasLabel(value, words));
    if (!isPart || isOfAll || isValue || isLabel) return [];
    const mark = MARKS.find((sign) => own.every((value) => hasWords(value, `${sign}${words}`)));
    if (mark !== undefined && task.says(`${mark}${words}`))
      return [{ path, operator: "contains", value: `${mark}${words}`, isSaid: true }];
    return [{ path, operator: "contains", value: words, mark, isSaid: true }];
  };
  const found = said.flatMap(tellings);
  // Where there were no others, nothing says that all are called so.
  if (found.length > 0 || inside.length === elements.length) return found;
  return wordsForMany(own, task)
    .flatMap(tellings)
    .map((each) => Object.assign(each, { isHinted: true }));
}

/** Words of names that have no spaces, of which the task says the plural: `invoice` in `invoice-0312.pdf` of the invoices. */
function wordsForMany(names: readonly (Json | undefined)[], task: TaskText): readonly string[] {
  const [first] = names;
  if (typeof first !== "string" || !/^\S{1,100}$/.test(first)) return [];
  const words = new Set(first.match(/(?<![\p{L}\p{N}])\p{L}{4,}(?![\p{L}\p{N}])/gu));
  return [...words].filter((word) => task.saysWord(plural(word.toLowerCase())));
}

/** Whether a line of a text has these words before a colon: they are called for what stands behind, and tell no text from others. */
function hasLabel(value: Json | undefined, words: string): boolean {
  const labels = typeof value === "string" ? value.matchAll(LABEL) : [];
  return [...labels].some(([, label = ""]) => label.toLowerCase() === words.toLowerCase());
}

const LABEL = /^[^\p{L}\p{N}\n]*([\p{L}\p{N}][^:=\n]*?)["'`*]*\s*[:=]/gmu;

/** Signs that make something else of a word or number: an issue, a person, an amount. */
const MARKS = ["#", "@", "$", "€", "£"] as const;

/** Parts of texts that the task says. */
function saidWords(values: readonly (Json | undefined)[], task: TaskText): readonly string[] {
  const isShort = (value: Json | undefined): value is string =>
    typeof value === "string" && value.length <= MAX_TEXT;
  return [...new Set(values.filter(isShort).flatMap((text) => task.saidWordsOf(text)))];
}

/** Whether a text has the letters of another, also inside of its words. */
function hasLetters(value: Json | undefined, words: Json): boolean {
  return typeof value === "string" && value.toLowerCase().includes((leafText(words) ?? "").toLowerCase());
}

/** Some elements of a list, and what is true of them. */
interface Kind {
  readonly separation: Separation;
  readonly chosen: readonly number[];
}

/** The elements for which something holds of which the task speaks, where it does not hold for the others. */
export function saidKinds(elements: readonly Json[], task: TaskText): readonly Kind[] {
  return pathsInAll(elements).flatMap((path): readonly Kind[] => {
    const values = elements.map((element) => valueAt(element, path));
    if (values.some((value) => Array.isArray(value))) return innerKinds(path, values, task);
    const distinct = new Set(
      values.flatMap((value) => (value !== undefined && isLeaf(value) ? [value] : [])),
    );
    const words = [...distinct].filter((value) =>
      typeof value === "boolean"
        ? isNamed(path, task)
        : typeof value === "string" &&
          value.length > 1 &&
          path.length > 0 &&
          (task.mentions(value) || (/^\p{Lu}{3,}$/u.test(value) && task.mentions(`${value}S`))),
    );
    const endings = new Set(values.flatMap((value) => endingOf(value) ?? []));
    const limits = saidLimits(values, task).filter(({ isExact }) => isExact);
    const tellings: Telling[] = words.map((value) => ({ value }));
    const many = path.length === 0 ? [] : kindsInPlural([...distinct], task);
    tellings.push(...many.filter((value) => !words.includes(value)).map((value) => ({ value })));
    if (values.includes("") && path.length > 0 && lacks(path, task)) tellings.push({ value: "" });
    const mark = markOf([...distinct]);
    if (mark && isNamed(path, task)) tellings.push(mark);
    for (const value of endings)
      if (isSaidEnding(value, task)) tellings.push({ operator: "endsWith", value });
    for (const { value, operators } of limits)
      for (const operator of operators) tellings.push({ operator, value });
    if (elements.length <= MAX_WORDED)
      for (const value of saidWords(values, task))
        if (values.every((each) => each !== value && hasClearly(each, value)))
          tellings.push({ operator: "contains", value });
    return tellings.flatMap(({ operator, value }): readonly Kind[] => {
      const chosen = [...values.keys()].filter((index) => compares(values[index] ?? null, operator, value));
      const isOther = operator === undefined && many.some((each) => each === value);
      const isHinted = value === "" || value === mark?.value || isOther ? { isHinted: true } : {};
      const separation: Separation = { path, operator, value, isSaid: true, ...isHinted };
      return chosen.length > 0 && chosen.length < elements.length ? [{ separation, chosen }] : [];
    });
  });
}

/** Of what a field says of which kind each element is, the words of which the task says the plural alone: `bug` of the open bugs. */
function kindsInPlural(distinct: readonly Json[], task: TaskText): readonly string[] {
  const kinds = distinct.filter((value) => typeof value === "string");
  if (kinds.length < 2 || kinds.length < distinct.length || !kinds.every(isKind)) return [];
  return kinds.filter(
    (kind) => /^\p{L}\p{Ll}{2,}$/u.test(kind) && task.mentions(plural(kind)) && !task.mentions(kind),
  );
}

/** Elements of a list, and all that the task says of them. */
interface KindTogether {
  readonly told: readonly Separation[];
  readonly chosen: readonly number[];
}

/** The elements of which the task says several things, in other words each; some of these may hold for the whole list. */
export function kindsTogether(kinds: readonly Kind[], ofAll: readonly Separation[]): readonly KindTogether[] {
  const found = new Map<string, KindTogether>();
  const few = kinds.slice(0, MAX_KINDS);
  for (const [nth, one] of few.entries())
    for (const other of few.slice(nth)) {
      const chosen = one.chosen.filter((index) => other.chosen.includes(index));
      const key = chosen.join(" ");
      if (chosen.length === 0 || found.has(key)) continue;
      const own = few.filter((each) => chosen.every((index) => each.chosen.includes(index)));
      const told = inOtherWords([...own.map(({ separation }) => separation), ...ofAll]);
      const isSo = (index: number): boolean =>
        own.every((each) => !told.includes(each.separation) || each.chosen.includes(index));
      if (told.length > 1 && one.chosen.filter(isSo).length === chosen.length)
        found.set(key, { told, chosen });
    }
  return [...found.values()];
}

const MAX_KINDS = 12;

/** Those of which none has words of one before it. */
function inOtherWords(told: readonly Separation[]): readonly Separation[] {
  return told.filter(
    ({ value }, nth) =>
      !told.slice(0, nth).some((other) => speaksOf(other.value, value) || speaksOf(value, other.value)),
  );
}

/** The elements in whose lists is something of which the task speaks. */
function innerKinds(
  path: readonly string[],
  values: readonly (Json | undefined)[],
  task: TaskText,
): readonly Kind[] {
  const isSaid = (value: Json): boolean =>
    typeof value === "string" && value.length > 1 && task.mentions(value);
  const told = values.map((value) => saidMembers(path, value, task, isSaid));
  const all = new Map(told.flatMap((each) => [...each]));
  return [...all].flatMap(([key, separation]): readonly Kind[] => {
    const chosen = [...told.keys()].filter((index) => told[index]?.has(key));
    return chosen.length < values.length ? [{ separation, chosen }] : [];
  });
}

/** Whether a text has words as they are, or not at all. */
function hasClearly(value: Json | undefined, words: string): boolean {
  return compares(value ?? null, "contains", words) || !hasLetters(value, words);
}

type Telling = Pick<Separation, "operator" | "value">;

/** Of elements that have nothing there nobody can say that it is another thing. */
function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "";
}

/** Whether the task speaks of what a field says to be so, or not. */
function isNamed(path: readonly string[], task: TaskText): boolean {
  return task.mentions(stateWords(path.at(-1) ?? ""));
}

/** How what a column says is told to be so, where it says `yes` of some and `no` or nothing of others, or how many. */
function markOf(distinct: readonly (Json | undefined)[]): Telling | undefined {
  if (distinct.length < 2) return undefined;
  const texts = distinct.map((value) => leafText(value ?? null)?.toLowerCase() ?? "");
  const zero = distinct[texts.indexOf("0")];
  if (zero !== undefined && texts.every((text) => /^\d{1,3}$/.test(text)))
    return { operator: "!=", value: zero };
  const [yes, ...more] = distinct.filter((_, nth) => YES.test(texts[nth] ?? ""));
  const isPair = distinct.length === 2 && more.length === 0 && texts.some((text) => NO.test(text));
  return isPair && typeof yes === "string" ? { value: yes } : undefined;
}

const YES = /^(?:yes|ja|oui|s[ií])$/;
const NO = /^(?:no|nein|non|)$/;

/** Whether the task speaks of those for which a field says nothing: `have not answered`, `without a phone number`. */
function lacks(path: readonly string[], task: TaskText): boolean {
  return nameWords(path.at(-1) ?? "").some((word) => word.length > 2 && task.denies(word));
}

/** Places of leaves and lists in an element; an element that is a text is a place. */
function pathsIn(element: Json): readonly (readonly string[])[] {
  const paths = new Map<string, readonly string[]>();
  for (const [path] of jsonLeaves(element)) {
    const end = path.findIndex((part) => typeof part === "number");
    const place = (end < 0 ? path : path.slice(0, end)).map(String);
    if ((place.length > 0 || isLeaf(element)) && place.length < 4) paths.set(place.join("\n"), place);
    if (paths.size === MAX_PATHS) break;
  }
  return [...paths.values()];
}

/** The same in all elements: what one of them has, others may lack. */
function pathsInAll(elements: readonly Json[]): readonly (readonly string[])[] {
  const paths = elements.slice(0, MAX_WORDED).flatMap(pathsIn);
  return [...new Map(paths.map((path) => [path.join("\n"), path])).values()].slice(0, MAX_PATHS);
}

/** Whether a value tells a kind of thing, as a state does, rather than one of them. */
function isKind(value: Json): boolean {
  if (typeof value === "string") return value.length <= MAX_WORD && !/\d/.test(value);
  return typeof value === "boolean" || value === null || value === 0;
}

/** The ending of file names that all chosen have, and none of the others. */
function endingsOf(
  path: readonly string[],
  own: readonly (Json | undefined)[],
  others: readonly (Json | undefined)[],
  task: TaskText,
): readonly Separation[] {
  const [ending, ...rest] = own.map(endingOf);
  if (ending === undefined || rest.some((each) => each !== ending)) return [];
  if (others.some((other) => other === undefined || endingOf(other) === ending)) return [];
  return [{ path, operator: "endsWith", value: ending, isSaid: isSaidEnding(ending, task) }];
}

/** Whether the task speaks of files with an ending: `.log`, log files, logs, Markdown notes. */
function isSaidEnding(ending: string, task: TaskText): boolean {
  const word = ending.slice(1);
  const format = FORMATS.get(word.toLowerCase());
  const called = format === undefined ? [] : FILES.map((kind) => `${format} ${kind}`);
  return [ending, word, `${word}s`, ...called].some((text) => task.mentions(text));
}

/** What people call the files that end so; what is made of them may be called so, too. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["md", "Markdown"],
  ["py", "Python"],
  ["js", "JavaScript"],
  ["ts", "TypeScript"],
  ["rb", "Ruby"],
  ["rs", "Rust"],
  ["sh", "shell"],
  ["yml", "YAML"],
  ["jpg", "JPEG"],
  ["txt", "text"],
]);
const FILES = ["files", "notes", "documents", "pages", "texts", "scripts", "modules", "sources", "images"];

function endingOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && !value.includes("@")
    ? /[^\s/\\.](\.\p{L}[\p{L}\d]{0,5})$/u.exec(value)?.[1]
    : undefined;
}

function innerSeparations(
  path: readonly string[],
  own: readonly (Json | undefined)[],
  others: readonly (Json | undefined)[],
  task: TaskText,
  isSaid: (value: Json) => boolean,
): readonly Separation[] {
  const [first, ...rest] = own.map((value) => saidMembers(path, value, task, isSaid));
  const without = others.map((value) => saidMembers(path, value, task, isSaid));
  return [...(first ?? [])].flatMap(([key, found]) =>
    rest.every((each) => each.has(key)) && without.every((each) => !each.has(key)) ? [found] : [],
  );
}

/** What is said of the elements of a list, each by what it is: a value in one of them, or what stands at the end of a text. */
function saidMembers(
  path: readonly string[],
  list: Json | undefined,
  task: TaskText,
  isSaid: (value: Json) => boolean,
): ReadonlyMap<string, Separation> {
  const members = Array.isArray(list) ? (list as readonly Json[]) : [];
  const leaves = members.flatMap((member) => Array.from(jsonLeaves(member)));
  return new Map(
    leaves.flatMap(([at, leaf]): readonly (readonly [string, Separation])[] => {
      if (!at.every((part) => typeof part === "string")) return [];
      const told = { path, inner: at.map(String), isSaid: true };
      const key = canonicalJson([...at, leaf]);
      if (isSaid(leaf)) return [[key, { ...told, value: leaf }]];
      const end = typeof leaf === "string" ? saidEnd(leaf, task, isSaid) : undefined;
      return end ? [[key, { ...told, ...end }]] : [];
    }),
  );
}

/** What is said behind the label of a text (`Size: large`), or as the name, number or word with which a sentence ends (`Lives in Lagos`). */
function saidEnd(
  text: string,
  task: TaskText,
  isSaid: (value: Json) => boolean,
): { readonly mark: string; readonly value: string } | undefined {
  const [, label, labelled] = LABELLED.exec(text) ?? [];
  if (label !== undefined && labelled !== undefined)
    return isSaid(labelled) ? { mark: label, value: labelled } : undefined;
  if (text.length > MAX_WORD * 2) return undefined;
  const end = task.saidWordsOf(text).find((words) => text.endsWith(words));
  const value = end?.replace(/^(?:\p{Ll}+ )+/u, "");
  const mark = value === undefined ? "" : text.slice(0, text.length - value.length);
  const isTelling = /[\p{Lu}\p{N}]/u.test(value ?? "") || /^\S+ $/.test(mark);
  return value !== undefined && isTelling && mark.endsWith(" ") ? { mark, value } : undefined;
}

/** A label, and what it says: `Size: large`, `size = large`. */
const LABELLED = /^(\p{L}[^:=\n]{0,39}(?::\s+|\s*=\s*))(\S[^\n]*)$/u;

/** Whether all are numbers, or texts that are. */
function areMeasured(values: readonly (Json | undefined)[]): boolean {
  return values.every((value) => typeof measured(value ?? null, 0) === "number");
}

/** A number or day of which the task speaks, and how what is meant may compare to it. */
interface SaidLimit {
  readonly value: number | string;
  readonly operators: readonly ValueOperator[];
  /** The task says whether the limit itself is meant, too. */
  readonly isExact: boolean;
}

/** The limits of such values: of numbers, or of days that are written alike. */
function saidLimits(values: readonly (Json | undefined)[], task: TaskText): readonly SaidLimit[] {
  if (areMeasured(values))
    return task.limits().map(({ value, operators }) => ({
      value,
      operators: operators ?? OPERATORS,
      isExact: operators !== undefined,
    }));
  return task
    .dayLimits()
    .filter(({ value }) => areOrdered([value, ...values]))
    .map(({ value, operators }) => ({ value, operators, isExact: operators.length === 1 }));
}

/** Of the limits of which the task speaks, those that all chosen are beyond, and none of the others. */
function limitsOf(
  path: readonly string[],
  own: readonly (Json | undefined)[],
  others: readonly (Json | undefined)[],
  task: TaskText,
): readonly Separation[] {
  const limits = saidLimits([...own, ...others], task);
  return limits.concat(namedDayLimits(own, others, task)).flatMap(({ value, operators, isExact }) => {
    // Nearly every number is a limit of all elements: only one of which the task says so.
    if (others.length === 0 && !isExact) return [];
    return operators.flatMap((operator): readonly Separation[] => {
      const isBeyond = (each: Json | undefined): boolean =>
        each !== undefined && compares(each, operator, value);
      return own.every(isBeyond) && !others.some(isBeyond) ? [{ path, operator, value, isSaid: true }] : [];
    });
  });
}

/** The same for days in names, of which all chosen have one, and the others may have none: such a one nothing is said of. */
function namedDayLimits(
  own: readonly (Json | undefined)[],
  others: readonly (Json | undefined)[],
  task: TaskText,
): readonly SaidLimit[] {
  const isNamed = (value: Json | undefined): boolean =>
    typeof value === "string" && value.length <= MAX_NAME && !value.includes("\n");
  const days = own.map((value) => (isNamed(value) ? dayIn(value ?? null) : undefined));
  const areDays = own.every((value, index) => value === days[index]);
  const areClear = others.every((value) => isNamed(value) && dayIn(value ?? null) !== undefined);
  if (areDays || !areClear || !days.every((day) => typeof day === "string")) return [];
  return task.dayLimits().map(({ value, operators }) => ({
    value,
    operators: operators.map((operator): ValueOperator => `day ${operator}`),
    isExact: operators.length === 1,
  }));
}

const MAX_NAME = 120;

const OPERATORS = ["<", "<=", ">", ">="] as const;
