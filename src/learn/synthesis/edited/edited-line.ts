import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { lastName, selectorName } from "../../plan/parameter-slots.ts";
import type { Expression, TracePath } from "../../plan/plan.ts";
import { isExcerpt } from "../../plan/text-part.ts";
import { leafText, type Path, valueAt } from "../../plan/values.ts";
import { placesOf } from "../../texts/block-learning.ts";
import {
  composedPart,
  type ComposedPart,
  fieldAt,
  labelBefore,
  partsOf,
  templateOf,
  withOneSlotEach,
} from "../composed-text.ts";
import {
  type Candidate,
  type CallView,
  type DecisionLookup,
  flowCandidates,
  type SlotValue,
} from "../flow-candidates.ts";
import { answeredTexts, type KnownText, roundTexts } from "../told/known-texts.ts";
import { changedTexts } from "./changed-text.ts";
import { isOfSame } from "./edited-text.ts";
import { isFilledIn, isUnknownYet, nameInLabel, onlyLabel } from "./placeholders.ts";
import { framedText } from "../made/framed-text.ts";

/** A line of an earlier text that an edit replaces, or what stands in its place. */
interface EditedLine {
  readonly expression: Expression;
  /** Nothing in it could be of this run alone. */
  readonly isCertain: boolean;
  readonly said: readonly SlotValue[];
}

interface EditedPlace {
  readonly view: CallView;
  readonly place: TracePath;
  readonly decisionFor: DecisionLookup;
  readonly site: string;
}

/** A part of a line, with the text that it is here. */
interface LinePart {
  readonly text: string;
  readonly part: string | ComposedPart;
}

const MAX_LINE = 300;

/**
 * How a line that an edit replaces is made of what the text tells behind its labels, of what the task says, and of what the
 * text tells beside that; and how the line in its place is the same with one part of it changed. Undefined where it tells
 * nothing of this.
 */
export function editedLine(value: string, asked: EditedPlace): EditedLine | undefined {
  const edit = asked.view.scope.length > 0 ? undefined : editAt(asked.view, asked.place.path);
  if (!edit || (value !== edit.before && value !== edit.after)) return undefined;
  if (isOneOfAll(asked)) return undefined;
  // What one side of an edit is made of is no earlier decision for the other.
  const own = slotSite(asked.site);
  const at: EditedPlace = {
    ...asked,
    decisionFor: (view, each) => {
      const known = asked.decisionFor(view, each);
      return known?.kind === "param" && known.name.startsWith(own) ? undefined : known;
    },
  };
  const parts = partsOfLine(edit, at);
  if (!parts) return undefined;
  if (value === "") return { expression: { kind: "constant", value }, isCertain: true, said: [] };
  if (value === edit.after) {
    const changed = withLines(parts, edit, at) ?? changedParts(parts, edit.after, at);
    return changed ? withParts(changed, edit.text) : withinPart(parts, edit, at);
  }
  // The tool changes the first place at which it stands, of whatever it is a part there.
  const made = withParts(parts, edit.text);
  const { expression: of } = edit.text;
  return { ...made, expression: { kind: "excerpt", of, part: made.expression, isLine: isOwnLine(edit) } };
}

/**
 * What an answer told of a text that an edit replaces: the tool changes the first place at which that stands, so it has to
 * stand in the text once, as it did in the runs.
 */
export function standingOnce(expression: Expression, views: readonly CallView[], path: Path): Expression {
  if (expression.kind === "map") return eachStandingOnce(expression, views, path);
  const isSaid = expression.kind === "param" && views.every(({ scope }) => scope.length > 0);
  const isTold = TOLD.has(expression.kind) || isSaid;
  return isTold ? onceIn(expression, views, lastName(path), () => [path]) : expression;
}

/** Whether an argument is an edit, or a list of edits, that replaces what stands once in a text that was read. */
export function replacesOnce(value: Json, view: CallView | undefined, path: Path): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((each, nth) => replacesOnce(each, view, [...path, nth]));
  if (!view || !isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([name, before]) => OLD.test(name) && editAt(view, [...path, name])?.before === before,
  );
}

/** The same of a list of edits, of which each replaces what an answer told. */
function eachStandingOnce(
  list: Extract<Expression, { readonly kind: "map" }>,
  views: readonly CallView[],
  path: Path,
): Expression {
  if (list.value.kind !== "object") return list;
  const fields = list.value.fields.map(({ name, value }) => {
    if (!TOLD.has(value.kind)) return { name, value };
    const places = (args: JsonObject): readonly Path[] => {
      const edits = valueAt(args, path);
      return Array.isArray(edits) ? Array.from(edits.keys(), (nth) => [...path, nth, name]) : [];
    };
    return { name, value: onceIn(value, views, name, places) };
  });
  return { ...list, value: { ...list.value, fields } };
}

function onceIn(
  expression: Expression,
  views: readonly CallView[],
  name: string,
  placesIn: (args: JsonObject) => readonly Path[],
): Expression {
  if (!OLD.test(name)) return expression;
  const edits = views.flatMap((view) => {
    const { args = {} } = view.sample.trace.calls[view.call] ?? {};
    return placesIn(args).map((path) => {
      const edit = editAt(view, path);
      if (edit?.before !== valueAt(args, path)) return undefined;
      return edit && isExcerpt(edit.text.text, edit.before, false) ? edit : undefined;
    });
  });
  const [first] = edits;
  const of = JSON.stringify(first?.text.expression);
  if (!first || edits.some((each) => JSON.stringify(each?.text.expression) !== of)) return expression;
  const isLine = edits.every((each) => each !== undefined && isOwnLine(each));
  return { kind: "excerpt", of: first.text.expression, part: expression, isLine };
}

const TOLD: ReadonlySet<Expression["kind"]> = new Set(["field", "cast", "template", "part"]);

/** An element of JSON is a line by chance: where another follows, a comma does. */
function isOwnLine({ before, text }: Edit): boolean {
  return !/^\s*["{[]/.test(before) && isExcerpt(text.text, before, true);
}

/** Whether lines of one text are edited of which the task says no more than that it is about all of some: another text has others. */
function isOneOfAll({ view: { sample, call } }: EditedPlace): boolean {
  const { task, trace } = sample;
  if (!task.speaksOfAll) return false;
  const { tool, args = {} } = trace.calls[call] ?? {};
  const alike = trace.calls.filter((each) => each.tool === tool && isBesideSame(each.args, args));
  const lines = alike.flatMap((each) => oldTextsIn(each.args));
  const isSaid = (line: string): boolean =>
    (line.match(/\p{L}[\p{L}\p{N}]+/gu) ?? []).every((word) => task.mentions(word));
  return new Set(lines).size > 1 && lines.some((line) => !isSaid(line));
}

/** Whether what calls have beside their edits is the same, such as their path. */
function isBesideSame(one: JsonObject, other: JsonObject): boolean {
  const besideEdits = (args: JsonObject): string =>
    JSON.stringify(
      Object.entries(args).filter(
        ([name, value]) => typeof value === "string" && !OLD.test(name) && !NEW.test(name),
      ),
    );
  return besideEdits(one) === besideEdits(other);
}

function oldTextsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(oldTextsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    typeof each === "string" && OLD.test(name) ? [each] : oldTextsIn(each),
  );
}

interface Edit {
  readonly before: string;
  readonly after: string;
  /** The text in which the line stands once. */
  readonly text: KnownText;
}

/** The edit of which an argument is one side: two texts beside each other, the first of which stands once in what was read. */
function editAt(view: CallView, path: Path): Edit | undefined {
  const { args = {} } = view.sample.trace.calls[view.call] ?? {};
  const beside = valueAt(args, path.slice(0, -1));
  if (!isJsonObject(beside)) return undefined;
  const texts = [...roundTexts(view), ...answeredTexts(view)].filter(({ text }) => text.includes("\n"));
  return Object.entries(beside).flatMap(([name, before]): readonly Edit[] => {
    const after = OLD.test(name) ? beside[otherSide(name)] : undefined;
    if (typeof before !== "string" || typeof after !== "string" || after === before) return [];
    if (!/\S/.test(before) || before.trim().includes("\n") || before.length > MAX_LINE) return [];
    const having = texts.filter((each) => each.text.split(before).length === 2);
    const text = having.find((each) => isExcerpt(each.text, before, true)) ?? having[0];
    return text ? [{ before, after, text }] : [];
  })[0];
}

/** How tools name what is there and what comes in its place: `oldText` and `newText`, `old_str` and `new_str`. */
const OLD = /^old(?=_|[A-Z]|$)/;
const NEW = /^new(?=_|[A-Z]|$)/;

/** Whether an argument is what an edit replaces. */
export function isReplaced(path: Path): boolean {
  return OLD.test(lastName(path));
}

function otherSide(name: string): string {
  return name.replace(OLD, "new");
}

function partsOfLine(edit: Edit, at: EditedPlace): readonly LinePart[] | undefined {
  const found = partsWith(edit, at, []);
  // What tells another part is a part, too.
  const said = found.flatMap(({ part }) => (typeof part === "string" ? [] : (part.said ?? [])));
  const parts = said.length === 0 ? found : partsWith(edit, at, said);
  const whole = withOneSlotEach(parts.map(({ part }) => part));
  const isNumbered = parts.some(({ part }) => typeof part === "string" && /\d/.test(part));
  if (parts.every(({ part }) => typeof part === "string")) {
    const blank = blankParts(edit, at);
    if (blank) return blank;
  }
  const isTold = parts.some(({ part }) => typeof part !== "string") || isOnlyLabel(edit);
  return isNumbered || !isTold
    ? undefined
    : parts.map(({ text }, nth) => ({ text, part: whole[nth] ?? text }));
}

/** Whether the line is a label and a word behind it, and the text has no other line with the label, as of another section. */
function isOnlyLabel({ before, text }: Edit): boolean {
  const [label = ""] = LABELLED_WORD.test(before) ? (/[^:=]+[:=]/.exec(before.trim()) ?? []) : [];
  return label !== "" && placesOf(text.text, label).length === 1;
}

/** A label and a word behind it, such as `true`, of which a text tells nothing that could be looked for. */
const LABELLED_WORD = /^\s*["']?[\p{L}_][\p{L}\p{N}_.-]*["']?\s*[:=]\s*["']?\p{Ll}+["']?,?\s*$/u;

/** A line in which nothing stands behind the label, or no more than a sign for that: `Arrival:`, `Arrival: ?`, `Code: TBD`. */
function blankParts(edit: Edit, at: EditedPlace): readonly LinePart[] | undefined {
  const { before, text } = edit;
  const [, label = "", blank = "", end = ""] = /^([^:=]*[:=][^\S\n]*)(.*?)(\s*)$/u.exec(before) ?? [];
  if (onlyLabel(label, text.text) === undefined) return undefined;
  if (blank === "" ? !isOwnLine(edit) : !isUnknownYet(blank)) return undefined;
  const part = { expression: { kind: "constant", value: blank }, isGiven: false, isCertain: true } as const;
  return [...labelParts(label, at), { text: blank, part }, ...(end === "" ? [] : [{ text: end, part: end }])];
}

/** A label, in which the caller says what the task calls by its name. */
function labelParts(label: string, { view, decisionFor, site }: EditedPlace): readonly LinePart[] {
  const name = nameInLabel(label, view.sample.task);
  if (name === undefined) return [{ text: label, part: label }];
  const known = decisionFor(view, name);
  const part: ComposedPart = known
    ? { expression: known, isGiven: false, isCertain: true }
    : ofSlot(slotOf("name", name, site));
  const [begin = "", end = ""] = label.split(name);
  return [
    ...(begin === "" ? [] : [{ text: begin, part: begin }]),
    { text: name, part },
    { text: end, part: end },
  ];
}

/** The parts with their texts. */
function partsWith(edit: Edit, at: EditedPlace, said: readonly SlotValue[]): readonly LinePart[] {
  const { before } = edit;
  const runs: string[] = [];
  const parts = partsOf(before, (run, start) => {
    const slot = said.find(({ value }) => value === run);
    const part = slot ? ofSlot(slot) : (toldPart(run, start, edit, at) ?? calledPart(run, start, before, at));
    if (part) runs.push(run);
    return part;
  });
  return parts.map((part) => ({ text: typeof part === "string" ? part : (runs.shift() ?? ""), part }));
}

function ofSlot(slot: SlotValue): ComposedPart {
  return { expression: { kind: "param", name: slot.slot }, isGiven: false, isCertain: true, said: [slot] };
}

/** What the text tells behind a label that stands before it in the line, or beside what else the line has. */
function toldPart(
  run: string,
  start: number,
  { before: line, after, text }: Edit,
  { view, place, decisionFor, site }: EditedPlace,
): ComposedPart | undefined {
  const before = line.slice(0, start);
  const label = labelBefore(before);
  const flows = flowCandidates(run, view, place, slotSite(site), decisionFor).filter((each) =>
    isOfSame(each.expression, text.expression),
  );
  const isBehindLabel = ({ expression, slots }: Candidate): boolean => {
    const field = lastField(expression);
    const isNamed = field !== undefined && (field === label || placesOf(before, field).length > 0);
    return slots.length === 0 && isNamed;
  };
  const isSaidBeside = ({ value, isHeading }: SlotValue): boolean =>
    isHeading !== true && view.sample.task.says(value) && isPartOf(line, value, run);
  const flow =
    flows.find(isBehindLabel) ?? flows.find(({ slots }) => slots.length > 0 && slots.every(isSaidBeside));
  if (!flow) return undefined;
  const told = { isGiven: false, isCertain: true, said: flow.slots } as const;
  if (!isFilledIn(run, after.slice(start), view.sample.task)) return { ...told, expression: flow.expression };
  const isOwn =
    onlyLabel(before, text.text) !== undefined && nameInLabel(before, view.sample.task) === undefined;
  const isAlone = flow.slots.length > 0 || isOwn;
  return isAlone ? { ...told, expression: { kind: "constant", value: run } } : undefined;
}

function isPartOf(line: string, value: SlotValue["value"], run: string): boolean {
  const text = leafText(value);
  return text !== undefined && text !== run && placesOf(line, text).length > 0;
}

/** What readings of texts call what no text has a name for. */
const READ: ReadonlySet<string> = new Set(["text", "value", "line", "rest"]);

function lastField(expression: Expression): string | undefined {
  const inner = expression.kind === "cast" ? expression.of : expression;
  return inner.kind === "field" ? inner.path.at(-1) : undefined;
}

/** What the task says, between signs of the line and not as a label in it. */
function calledPart(
  run: string,
  start: number,
  line: string,
  { view, place, decisionFor, site }: EditedPlace,
): ComposedPart | undefined {
  const [before, after] = [line.slice(0, start), line.slice(start + run.length)];
  const isApart =
    /(?:^|["'`|,;:=*~([]\s*|^\s*(?:[-*+]|\d+[.)])(?: \[.\])? +)$/.test(before) &&
    /^\s*(?:["'`|,;*~)\]]|$)/.test(after);
  const isLabel = /^["'`*]*\s*[:=]/.test(after);
  if (!isApart || isLabel || !/\p{L}{2}/u.test(run) || !view.sample.task.saysPath(run)) return undefined;
  const known = decisionFor(view, run);
  if (known) return { expression: known, isGiven: false, isCertain: true };
  const field = labelBefore(before) ?? (/^\s*[-*+]/.test(line) ? "item" : fieldAt(line, start, place.path));
  return ofSlot(slotOf(field, run, site));
}

function slotOf(field: string, value: string, site: string): SlotValue {
  return {
    slot: `${slotSite(site)}~${field}`,
    field: selectorName([], field),
    value,
    origins: [],
    isOptional: false,
  };
}

/** Both sides of an edit speak of the same slots. */
function slotSite(site: string): string {
  return site.replace(/[^.:]*$/, "edit");
}

/** The line with one of its parts changed to what the caller says, to what was told, or to what the work makes of it. */
function changedParts(
  parts: readonly LinePart[],
  after: string,
  at: EditedPlace,
): readonly LinePart[] | undefined {
  for (const [nth, { part, text }] of parts.entries()) {
    const begin = parts
      .slice(0, nth)
      .map((each) => each.text)
      .join("");
    const end = parts
      .slice(nth + 1)
      .map((each) => each.text)
      .join("");
    if (!after.startsWith(begin) || !after.endsWith(end) || after.length < begin.length + end.length)
      continue;
    const own = after.slice(begin.length, after.length - end.length);
    const changed =
      typeof part === "string"
        ? changedForm(own, text, at)
        : text === "" && own.startsWith(" ")
          ? [{ text: " ", part: " " }, changedPart(own.slice(1), part, after, begin.length + 1, at)]
          : [changedPart(own, part, after, begin.length, at)];
    if (changed?.every((each) => each !== undefined) === true)
      return [...parts.slice(0, nth), ...changed, ...parts.slice(nth + 1)];
  }
  return undefined;
}

/** The line with a part of what was told changed, such as what stands behind a sign in it. */
function withinPart(parts: readonly LinePart[], edit: Edit, at: EditedPlace): EditedLine | undefined {
  const { expression, said } = withParts(parts, edit.text);
  const { view, place, decisionFor, site } = at;
  const [changed] = changedTexts(
    edit.after,
    [{ text: edit.before, expression }],
    view,
    place,
    decisionFor,
    slotSite(site),
  );
  return changed && { ...changed, said: [...said, ...changed.said] };
}

/** What stands in place of what was told. */
function changedPart(
  own: string,
  { expression }: ComposedPart,
  line: string,
  start: number,
  at: EditedPlace,
): LinePart | undefined {
  const { view, place, decisionFor, site } = at;
  if (own === "" || own !== own.trim()) return undefined;
  const known = decisionFor(view, own);
  if (known) return { text: own, part: { expression: known, isGiven: false, isCertain: true } };
  if (view.sample.task.saysPath(own)) {
    const told = lastField(expression);
    const isCalled = told !== undefined && !READ.has(told);
    const field = isCalled
      ? told
      : told === undefined
        ? fieldAt(line, start, place.path)
        : lastName(place.path);
    return { text: own, part: ofSlot({ ...slotOf(field, own, site), slot: `${slotSite(site)}~new` }) };
  }
  const label = labelBefore(line.slice(0, start));
  const told = composedPart(own, view, place, decisionFor, 0, { label, site: slotSite(site), things: [] });
  return told && { text: own, part: told };
}

/** What the work makes of a sign or word between what was told: `[ ]` to `[x]`, `true` to `false`. */
function changedForm(own: string, before: string, at: EditedPlace): readonly LinePart[] | undefined {
  const words = (text: string): readonly string[] => text.match(/\p{L}+|[^\p{L}]/gu) ?? [];
  const [old, made] = [words(before), words(own)];
  const differing = made.flatMap((word, nth) => (word === old[nth] ? [] : [nth]));
  const [nth] = differing;
  const word = made[nth ?? -1];
  if (old.length !== made.length || differing.length !== 1 || nth === undefined || word === undefined)
    return undefined;
  if (!/^\p{L}{2,}$/u.test(word) || !at.view.sample.task.saysPath(word)) return [{ text: own, part: own }];
  const begin = made.slice(0, nth).join("");
  const end = made.slice(nth + 1).join("");
  const field = fieldAt(begin, begin.length, at.place.path);
  const said = ofSlot({ ...slotOf(field, word, at.site), slot: `${slotSite(at.site)}~new` });
  return [
    { text: begin, part: begin },
    { text: word, part: said },
    { text: end, part: end },
  ].filter(({ text }) => text !== "");
}

/** The line with what the caller says in lines of its own before or behind it. */
function withLines(
  parts: readonly LinePart[],
  { before, after }: Edit,
  at: EditedPlace,
): readonly LinePart[] | undefined {
  const isBehind = after.startsWith(before);
  if (after === "" || (!isBehind && !after.endsWith(before))) return undefined;
  const added = isBehind ? after.slice(before.length) : after.slice(0, -before.length);
  if (!(isBehind ? /^\n|\n$/ : /\n$/).test(added)) return undefined;
  const framed = framedText(added, at.view, at.place, at.decisionFor, at.site);
  if (!framed) return undefined;
  const own = framed.parts.map((part): LinePart =>
    typeof part === "string"
      ? { text: part, part }
      : { text: "", part: { expression: part, isGiven: true, isCertain: true, said: framed.said } },
  );
  return isBehind ? [...parts, ...own] : [...own, ...parts];
}

function withParts(made: readonly LinePart[], { text }: KnownText): EditedLine {
  const parts = withOneSlotEach(made.map(({ part }) => part));
  const line = made.map((each) => each.text).join("");
  const told = parts.filter((part) => typeof part !== "string");
  const words = parts.flatMap((part) =>
    typeof part === "string" ? (part.match(/\p{Lu}\p{L}+/gu) ?? []) : [],
  );
  const isLabel = (word: string): boolean =>
    new RegExp(`(?<!\\p{L})${word}[\\p{L} _-]*["'*\`]*\\s*[:=|,]`, "u").test(text);
  return {
    expression: told.length === 0 ? { kind: "constant", value: line } : templateOf(parts),
    isCertain: told.every(({ isCertain }) => isCertain) && words.every(isLabel),
    said: told.flatMap(({ said }) => said ?? []),
  };
}
