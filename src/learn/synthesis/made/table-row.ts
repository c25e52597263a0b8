import type { Expression, TracePath } from "../../plan/plan.ts";
import { isEntityName, type Path } from "../../plan/values.ts";
import { addedRow, type AddedRow } from "../../texts/text-spans.ts";
import { type ComposedPart, knownPart, saidPart } from "../composed-text.ts";
import {
  type Candidate,
  type CallView,
  type DecisionLookup,
  flowCandidates,
  isSaidSlot,
  nameSimilarity,
  type SlotValue,
} from "../flow-candidates.ts";
import { countOf, type KnownText, stepTexts } from "../told/known-texts.ts";

/** A table with one more row, of which answers tell the cells. */
interface ExtendedTable {
  readonly parts: readonly (string | Expression)[];
  readonly said: readonly SlotValue[];
  /** Answers tell each cell in one place alone, and the task says all others. */
  readonly isCertain: boolean;
}

const MIN_TOLD = 2;

/**
 * How a table has one more row below its last: cells that answers tell, that the caller says, and that are the same in all
 * rows. One at most may be the caller's without being said by the task. The table has to have the same columns again.
 */
export function extendedTable(
  added: string,
  { text, expression }: KnownText,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): ExtendedTable | undefined {
  const row = addedRow(text, added);
  if (!row || view.scope.length > 0 || (expression.kind !== "field" && expression.kind !== "ref"))
    return undefined;
  const cells = row.cells.map((_, nth) => cellOf(row, nth, text, view, place, decisionFor, site));
  const told = cells.filter((cell) => typeof cell !== "string").filter(({ isGiven }) => !isGiven);
  const unsaid = cells.filter((cell) => typeof cell !== "string" && cell.isUnsaid === true);
  if (told.length < MIN_TOLD || unsaid.length > 1) return undefined;
  const head: Expression = { kind: "constant", value: row.head };
  const rows: Expression = { ...expression, as: "rows" };
  // A table with other columns before or behind these has other rows.
  const columns: Expression = { kind: "excerpt", of: rows, part: head, isLine: true };
  const table: Expression = { kind: "replaced", of: rows, part: columns, by: head };
  const [before, between, after] = row.marks;
  const line = cells.flatMap((cell, nth) => [
    nth === 0 ? before : between,
    typeof cell === "string" ? cell : cell.expression,
  ]);
  return {
    parts: [table, ...line, after].filter((part) => part !== ""),
    said: cells.flatMap((cell) => (typeof cell === "string" ? [] : (cell.said ?? []))),
    isCertain: unsaid.length === 0 && told.every(({ isCertain }) => isCertain),
  };
}

interface Cell extends ComposedPart {
  /** The caller says it, though the task does not. */
  readonly isUnsaid?: boolean;
}

/** What a cell is made of; a text: it is the same in all rows. */
function cellOf(
  { cells, columns, rows }: AddedRow,
  nth: number,
  table: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): string | Cell {
  const [cell = "", column = ""] = [cells[nth], columns[nth]];
  const { task } = view.sample;
  const known = isEntityName(cell) ? decisionFor(view, cell) : undefined;
  if (known?.kind === "param") return knownPart(known);
  const isSameInAll = rows.length > 1 && rows.every((row) => row[nth] === cell);
  if (isSameInAll && !task.says(cell)) return cell;
  const slot = `${site}~cell ${nth}`;
  const told = toldCell(cell, column, table, view, place, decisionFor, slot);
  if (told) return told;
  const said = saidPart({ slot, field: column, value: cell });
  return cell !== "" && task.says(cell) ? said : { ...said, isUnsaid: true };
}

/** What an answer other than the table tells in one place, or in one that is called as the column is. */
function toldCell(
  cell: string,
  column: string,
  table: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  slot: string,
): ComposedPart | undefined {
  const { task } = view.sample;
  const flows = flowCandidates(cell, view, place, slot, decisionFor)
    .filter(({ slots }) => slots.every((slot) => isSaidSlot(slot, task)))
    .filter((flow) => flow.isOfOtherThing !== true && !isOfTable(flow, table, view))
    .map((flow) => ({ flow, likeness: nameSimilarity([column], pathOf(flow)) }))
    .toSorted((a, b) => b.likeness - a.likeness || b.flow.score - a.flow.score);
  const [best] = flows;
  if (!best) return undefined;
  const isAlone = countOf(cell, view, table) === 1;
  const rival = flows.find(({ flow }) => flow.place !== best.flow.place);
  const isCalledSo = best.likeness > (rival?.likeness ?? 0);
  if (!(isAlone ? isEntityName(cell) || isCalledSo : isCalledSo)) return undefined;
  const { expression, slots } = best.flow;
  return { expression: asCell(expression), isGiven: false, isCertain: isAlone, said: slots };
}

function stepOf({ place }: Candidate, { names }: CallView): number {
  const [name] = JSON.parse(place) as readonly [string, ...Path];
  return names.indexOf(name);
}

function pathOf({ place }: Candidate): Path {
  const [, ...path] = JSON.parse(place) as readonly [string, ...Path];
  return path;
}

function isOfTable(flow: Candidate, table: string, view: CallView): boolean {
  return stepTexts(stepOf(flow, view), view).includes(table);
}

/** What is told stands in a row: what has a mark of its own would stand there as several cells. */
function asCell(expression: Expression): Expression {
  if (expression.kind === "field" || expression.kind === "ref") return { as: "cell", ...expression };
  if (expression.kind === "template") return { ...expression, parts: asCells(expression.parts) };
  if (expression.kind === "join") return { ...expression, of: asCell(expression.of) };
  return expression.kind === "map" ? { ...expression, value: asCell(expression.value) } : expression;
}

export function asCells(parts: readonly (string | Expression)[]): readonly (string | Expression)[] {
  return parts.map((part) => (typeof part === "string" ? part : asCell(part)));
}
