import type { Json } from "../../../core/json/json.ts";
import type { Trace, TraceEvent } from "../../../core/trace-event.ts";
import { isCall } from "../../../trace/export/event-tree.ts";
import { costText, counted, durationText, numberText, timeText } from "../amounts.ts";
import { type CallNode, callNodes, type IdleTime, idleTimes, workedMs } from "./call-nodes.ts";
import { callPieces, filePieces, fitted, isReused } from "./call-pieces.ts";
import {
  cutToWidth,
  oneLine,
  padded,
  shownLines,
  widthOf,
  wrapToWidth,
} from "../../../core/text/display-text.ts";
import { type Paint, painter } from "../terminal.ts";

export interface TreeOptions {
  /** How wide the terminal is; nothing that is drawn is wider. */
  readonly columns: number;
  readonly isColoured?: boolean;
  /** How many levels of calls are drawn; all by default. */
  readonly depth?: number;
  /** Whether equal siblings are drawn one by one, and messages without words too. */
  readonly all?: boolean;
  /** Draws inputs and outputs too, of each at most so many characters. */
  readonly full?: number;
  /** Runs that wait for somebody, of those that have not ended. */
  readonly waiting?: ReadonlySet<string>;
}

/** A trace as people read it: what called what, how long each took, what failed and why, and the sums. */
export function traceTree(trace: Trace, options: TreeOptions): string {
  const columns = Math.max(MIN_COLUMNS, options.columns);
  const roots = callNodes(trace, options);
  const drawing: Drawing = {
    columns,
    paint: painter(options.isColoured ?? false),
    depth: options.depth ?? Infinity,
    full: options.full,
    waiting: options.waiting,
    manyRuns: new Set(roots.map(({ event }) => event.runId)).size > 1,
    ...timesOf(roots, columns),
  };
  return [...head(trace, drawing), "", ...treeLines(roots, drawing), "", ...sums(trace, drawing)].join("\n");
}

interface Drawing extends Times {
  readonly columns: number;
  readonly paint: Paint;
  readonly depth: number;
  readonly full: number | undefined;
  readonly waiting: ReadonlySet<string> | undefined;
  /** Whether the roots are runs of their own, in a session. */
  readonly manyRuns: boolean;
}

const MIN_COLUMNS = 20;

// --- above and below the tree

function head(trace: Trace, { columns, paint, totalMs, idleMs, startMs }: Drawing): readonly string[] {
  const { runId, source, startedAt, task } = trace;
  const began = timeText(Number.isFinite(startMs) ? startMs : startedAt);
  const idle = idleMs > 0 ? `, ${durationText(idleMs)} of it idle` : "";
  const took = totalMs > 0 ? [`${durationText(totalMs)}${idle}`] : [];
  const about = joined([oneLine(runId), source, began, ...took], columns);
  const words = task === undefined ? [] : wrapToWidth(oneLine(task), columns, { maxLines: MAX_TASK_LINES });
  return [...about.map((line) => paint("dim", line)), ...words.map((line) => paint("bold", line))];
}

const MAX_TASK_LINES = 3;

function sums(trace: Trace, { columns, paint }: Drawing): readonly string[] {
  const { events, files, lost } = trace;
  const calls = events.filter(isCall);
  const failed = calls.filter(({ status }) => status === "failed").length;
  const retries = calls.filter(({ eventSubtype }) => eventSubtype === "retry").length;
  const reused = calls.filter(isReused).length;
  const made = Math.max(files.length, events.filter(({ eventType }) => eventType === "file_gen").length);
  const total = (key: "inputTokens" | "outputTokens" | "cost"): number =>
    events.reduce((sum, event) => sum + (event[key] ?? 0), 0);
  const [input, output, cost] = [total("inputTokens"), total("outputTokens"), total("cost")];
  return joined(
    [
      counted(calls.length, "call"),
      ...(failed > 0 ? [`${numberText(failed)} failed`] : []),
      ...(retries > 0 ? [`${numberText(retries)} tried again`] : []),
      ...(reused > 0 ? [`${numberText(reused)} reused`] : []),
      ...(made > 0 ? [counted(made, "file")] : []),
      ...(lost === undefined ? [] : [`${counted(lost, "event")} not recorded`]),
      ...(input + output > 0 ? [`${numberText(input)} tokens in, ${numberText(output)} out`] : []),
      ...(cost > 0 ? [costText(cost)] : []),
    ],
    columns,
  ).map((line) => paint("dim", line));
}

function joined(pieces: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    const longer = last === undefined ? piece : `${last} · ${piece}`;
    if (last === undefined || widthOf(longer) > columns) lines.push(cutToWidth(piece, columns));
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

// --- the tree

function treeLines(roots: readonly CallNode[], drawing: Drawing): readonly string[] {
  const lines: string[] = [];
  const left: Placed[] = roots
    .map((node, index): Placed => ({
      node,
      before: roots[index - 1],
      stem: "",
      idleStem: "",
      indent: "",
      depth: 0,
      times: 1,
    }))
    .toReversed();
  for (let next = left.pop(); next; next = left.pop()) {
    const { node, indent, depth, times, idleStem } = next;
    const waited = idleBefore(next, drawing);
    if (waited > 0) lines.push(drawing.paint("dim", `${idleStem}⋯ ${durationText(waited)} idle`));
    const inner = { depth: depth + 1, times: times * node.count };
    const children = inner.depth >= drawing.depth ? [] : node.children;
    lines.push(callLine(next, node.below > 0 && children.length === 0 ? node.below : 0, drawing));
    lines.push(...details(node, `${indent}${children.length > 0 ? "│ " : "  "}`, drawing));
    for (const [index, child] of children.entries().toArray().toReversed()) {
      const isLast = index === children.length - 1;
      left.push({
        node: child,
        before: children[index - 1],
        idleStem: deeper(indent, "│  ", drawing),
        stem: deeper(indent, isLast ? "└─ " : "├─ ", drawing),
        indent: deeper(indent, isLast ? "   " : "│  ", drawing),
        ...inner,
      });
    }
  }
  return lines;
}

interface Placed {
  readonly node: CallNode;
  /** What stands beside it, before it. */
  readonly before: CallNode | undefined;
  /** What stands before its own line, before a line above it that tells how long nothing happened, and before those below. */
  readonly stem: string;
  readonly idleStem: string;
  readonly indent: string;
  readonly depth: number;
  /** How often what is around it was, where equal siblings are one. */
  readonly times: number;
}

/** How long nothing happened between a call and the one before it. */
function idleBefore({ node, before }: Placed, { idle }: Drawing): number {
  if (!before) return 0;
  const waited = node.startMs - before.endMs;
  return Math.max(0, waited - workedMs(before.endMs, node.startMs, idle));
}

/** Below many levels, only the innermost are drawn. */
function deeper(indent: string, more: string, { columns }: Drawing): string {
  const next = indent + more;
  const most = Math.floor(columns / 6) * STEP.length;
  return next.length <= most ? next : `…  ${next.slice(next.length - most + STEP.length)}`;
}

const STEP = "├─ ";

function callLine({ node, stem, times }: Placed, hidden: number, drawing: Drawing): string {
  const { paint, columns } = drawing;
  const right = timePart(node, drawing);
  const room = columns - stem.length - (right ? widthOf(right.text) + 2 : 0);
  const isWaiting = drawing.waiting?.has(node.event.runId) === true;
  const pieces = fitted(callPieces(node, { times, hidden, hasRunId: drawing.manyRuns, isWaiting }), room);
  const text = pieces.map((piece) => (piece.style ? paint(piece.style, piece.text) : piece.text)).join("");
  const start = paint("dim", stem) + text;
  if (!right) return start;
  const used = pieces.reduce((sum, piece) => sum + widthOf(piece.text), 0);
  return start + " ".repeat(room - used + 2) + right.painted;
}

// --- below a call

function details(node: CallNode, start: string, { paint, columns, full }: Drawing): readonly string[] {
  const { event, files } = node;
  const room = columns - start.length;
  const lines: string[] = [];
  const add = (text: string, style?: Parameters<Paint>[0]): void => {
    lines.push(paint("dim", start) + (style ? paint(style, text) : text));
  };
  const error = errorText(event);
  if (error !== "" && full === undefined)
    for (const line of wrapToWidth(oneLine(error.slice(0, MAX_ERROR)), room, { maxLines: MAX_ERROR_LINES }))
      add(line, "red");
  if (error !== "" && full !== undefined) for (const line of valueLines(error, room, full)) add(line, "red");
  if (event.eventType !== "file_gen")
    for (const file of files)
      add(
        fitted([{ text: "→ " }, ...filePieces(file.path, file, 1)], room)
          .map(({ text }) => text)
          .join(""),
        "cyan",
      );
  if (full === undefined || event.eventType === "file_gen") return lines;
  const values = [["in", event.inputs] as const, ["out", event.outputs] as const];
  for (const [label, value] of values) {
    if (value === undefined) continue;
    if (value === event.errorMessage) continue;
    const text = valueText(value, room - LABEL);
    for (const [index, line] of valueLines(text, room - LABEL, full).entries())
      lines.push(paint("dim", `${start}${padded(index === 0 ? label : "", LABEL)}`) + line);
  }
  return lines;
}

const MAX_ERROR_LINES = 3;
const MAX_ERROR = 2000;
const LABEL = 4;

function errorText({ errorCode, errorMessage = "" }: TraceEvent): string {
  // That a tool failed is seen.
  const code =
    errorCode === undefined || (errorCode === "TOOL_FAILED" && errorMessage !== "") ? "" : errorCode;
  return [code, errorMessage].filter((each) => each !== "").join(": ");
}

/** On one line where it fits. */
function valueText(value: Json, room: number): string {
  if (typeof value === "string") return value;
  const line = JSON.stringify(value);
  return line.length <= room ? line : JSON.stringify(value, undefined, 2);
}

function valueLines(text: string, room: number, most: number): readonly string[] {
  const left = text.length - most;
  return [
    ...shownLines(text.slice(0, most)).flatMap((line) => wrapToWidth(line, room)),
    ...(left > 0 ? [cutToWidth(`… ${numberText(left)} more characters`, room)] : []),
  ];
}

// --- times

interface Times {
  readonly startMs: number;
  readonly totalMs: number;
  readonly idle: readonly IdleTime[];
  readonly idleMs: number;
  readonly timeWidth: number;
  readonly barWidth: number;
}

function timesOf(roots: readonly CallNode[], columns: number): Times {
  let [startMs, endMs, timeWidth] = [Infinity, -Infinity, 0];
  const left = [...roots];
  for (let node = left.pop(); node; node = left.pop()) {
    startMs = Math.min(startMs, node.startMs);
    endMs = Math.max(endMs, node.endMs);
    if (node.durationMs !== undefined) timeWidth = Math.max(timeWidth, durationText(node.durationMs).length);
    for (const child of node.children) left.push(child);
  }
  const totalMs = Math.max(0, endMs - startMs);
  const idle = idleTimes(roots);
  const idleMs = totalMs - workedMs(startMs, endMs, idle);
  const hasBars = timeWidth > 0 && totalMs > 0 && columns >= MIN_FOR_BARS;
  const barWidth = hasBars ? Math.min(MAX_BAR, Math.floor(columns / 5)) : 0;
  return { startMs, totalMs, idle, idleMs, timeWidth, barWidth };
}

const MIN_FOR_BARS = 64;
const MAX_BAR = 30;

/** When in the whole a call was, and how long it took. */
function timePart(
  { durationMs, startMs, endMs, event }: CallNode,
  { paint, barWidth, timeWidth, totalMs, idle, idleMs, startMs: zero }: Drawing,
): { readonly text: string; readonly painted: string } | undefined {
  if (durationMs === undefined) return undefined;
  const took = padded(durationText(durationMs), timeWidth, "right");
  if (barWidth === 0) return { text: took, painted: took };
  const share = (time: number): number =>
    (workedMs(zero, time, idle) / Math.max(1, totalMs - idleMs)) * barWidth;
  const at = Math.min(barWidth - 1, Math.floor(share(startMs)));
  const end = Math.max(at + 1, Math.min(barWidth, Math.round(share(endMs))));
  const bar = "━".repeat(end - at);
  const [before, after] = [" ".repeat(at), " ".repeat(barWidth - end)];
  const style = event.status === "failed" ? "red" : "blue";
  return {
    text: `${before}${bar}${after} ${took}`,
    painted: `${before}${paint(style, bar)}${after} ${took}`,
  };
}
