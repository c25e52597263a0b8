import { isJsonObject, type Json } from "../../../core/json/json.ts";
import type { EventStatus, TraceEvent, TraceFile } from "../../../core/trace-event.ts";
import { bytesText, numberText } from "../amounts.ts";
import { type CallNode, isMessage, pathOf } from "./call-nodes.ts";
import { shortId } from "../short-id.ts";
import { cutToWidth, oneLine, widthOf } from "../../../core/text/display-text.ts";
import type { Paint } from "../terminal.ts";

/** A part of a line. */
export interface LinePiece {
  readonly text: string;
  readonly style?: Parameters<Paint>[0];
  /** Gives way first where there is too little room, of several the last. */
  readonly gives?: boolean;
}

/** What a line tells of a call: how it ended, its name, and what is special about it. */
export function callPieces(
  node: CallNode,
  {
    times,
    hidden,
    hasRunId,
    isWaiting,
  }: {
    readonly times: number;
    readonly hidden: number;
    readonly hasRunId: boolean;
    readonly isWaiting: boolean;
  },
): readonly LinePiece[] {
  return [...namePieces(node, times, hasRunId), ...labels(node, hidden, isWaiting)];
}

/** What is told of how something stands: what has not ended may wait for somebody. */
export function toldStatus(status: EventStatus, isWaiting: boolean): EventStatus | "waiting" {
  return status === "running" && isWaiting ? "waiting" : status;
}

function namePieces(node: CallNode, times: number, hasRunId: boolean): readonly LinePiece[] {
  const { event, files } = node;
  const { agentName = "", eventType, status, meta } = event;
  const name = oneLine(agentName) || eventType;
  if (eventType === "file_gen")
    return [{ text: "→ ", style: "cyan" }, ...filePieces(pathOf(node), files[0], times * node.count)];
  if (isMessage(event)) return [{ text: `${name}: ${saidIn(event)}`, style: "dim", gives: true }];
  if (eventType === "handoff") {
    const from = fieldOf(event.inputs, "from");
    const to = fieldOf(event.inputs, "to") ?? fieldOf(meta, "to") ?? name;
    return [
      { text: "⇢ ", style: "cyan" },
      { text: from === undefined ? to : `${from} → ${to}`, gives: true },
    ];
  }
  const { mark, style } = MARKS[eventType === "error" ? "failed" : status];
  const isRoot = event.parentEventId === undefined;
  return [
    { text: `${mark} `, style },
    {
      text: name,
      gives: true,
      ...(status === "failed" ? { style: "red" } : isRoot ? { style: "bold" } : {}),
    },
    ...(node.about === undefined ? [] : [{ text: ` ${node.about}`, gives: true }]),
    ...(isRoot && hasRunId ? [{ text: `  ${oneLine(shortId(event.runId))}`, style: "dim" as const }] : []),
  ];
}

const MARKS: Readonly<Record<EventStatus, { readonly mark: string; readonly style: Parameters<Paint>[0] }>> =
  {
    completed: { mark: "✓", style: "green" },
    failed: { mark: "✗", style: "red" },
    cancelled: { mark: "⊘", style: "yellow" },
    running: { mark: "◌", style: "yellow" },
  };

function labels({ event, count }: CallNode, hidden: number, isWaiting: boolean): readonly LinePiece[] {
  const { eventType, eventSubtype, status } = event;
  const kind = kindOf(event);
  return [
    ...(count > 1 && eventType !== "file_gen"
      ? [{ text: ` × ${numberText(count)}`, style: "bold" as const }]
      : []),
    ...(eventSubtype === "retry" ? [{ text: " ↻ retry", style: "yellow" as const }] : []),
    ...(isReused(event) ? [{ text: " = reused", style: "cyan" as const }] : []),
    ...(status === "running" || status === "cancelled"
      ? [{ text: ` ${toldStatus(status, isWaiting)}`, style: "yellow" as const }]
      : []),
    ...(kind === "" ? [] : [{ text: ` ${oneLine(kind)}`, style: "dim" as const }]),
    ...(hidden > 0 ? [{ text: ` … ${numberText(hidden)} within`, style: "dim" as const }] : []),
  ];
}

/** What it is, where it is not a tool's call or drawn as what it is. */
function kindOf(event: TraceEvent): string {
  const { eventType, eventSubtype = "" } = event;
  const own = eventSubtype === "retry" || eventSubtype === "reused" ? "" : eventSubtype;
  if (eventType === "skill_call") return own || "skill";
  if (eventType === "code_exec") return own || "code";
  if (eventType === "agent_call" && !isMessage(event)) return own || "agent";
  return eventType === "tool_call" ? own : "";
}

/** A file that was made, and how many others were in calls that are drawn as one. */
export function filePieces(path: string, file: TraceFile | undefined, times: number): readonly LinePiece[] {
  const size = file?.size === undefined ? "" : ` ${bytesText(file.size)}`;
  const more = times > 1 ? ` and ${numberText(times - 1)} more` : "";
  return [
    { text: oneLine(path), style: "cyan", gives: true },
    { text: more === "" ? size : more, style: "dim" },
  ];
}

function saidIn({ outputs = "" }: TraceEvent): string {
  const said = typeof outputs === "string" ? outputs : JSON.stringify(outputs);
  return oneLine(said.slice(0, MAX_SAID));
}

/** No line is longer. */
const MAX_SAID = 1000;

function fieldOf(value: Json | undefined, key: string): string | undefined {
  const field = isJsonObject(value) ? value[key] : undefined;
  return typeof field === "string" ? oneLine(field) : undefined;
}

/** Pieces that are together at most so wide. */
export function fitted(pieces: readonly LinePiece[], room: number): readonly LinePiece[] {
  let over = pieces.reduce((sum, { text }) => sum + widthOf(text), 0) - room;
  let left = room;
  const wanted = pieces
    .toReversed()
    .map(({ text, gives = false }) => {
      const width = widthOf(text);
      const given = gives ? Math.min(Math.max(0, over), Math.max(0, width - MIN_NAME)) : 0;
      over -= given;
      return width - given;
    })
    .toReversed();
  return pieces.map((piece, index) => {
    const text = cutToWidth(piece.text, Math.min(wanted[index] ?? 0, left));
    left -= widthOf(text);
    return { ...piece, text };
  });
}

const MIN_NAME = 6;

/** Whether the answer is one that was there before. */
export function isReused({ eventSubtype, meta }: TraceEvent): boolean {
  return eventSubtype === "reused" || meta?.["reused"] === true;
}
