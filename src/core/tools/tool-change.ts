import { commandLine } from "../text/command-line.ts";
import { failure, type Failure } from "../error.ts";
import type { Json } from "../json/json.ts";
import { visibleText } from "../text/display-text.ts";

/** What a server says of a tool; nothing holds it to that. */
export interface ToolHints {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** One part of an upstream tool that is not what it was; `before` or `after` is absent where there is none. */
export interface ToolFieldChange {
  /** A path, such as `annotations.readOnlyHint` or `inputSchema.properties.id.type`. */
  readonly field: string;
  readonly before?: Json;
  readonly after?: Json;
  /** Whether the tool may do more by it than was allowed, or what calls it may no longer fit. */
  readonly isStronger: boolean;
}

/** How an upstream tool differs from what it was when it was pinned. */
export interface ToolChange {
  /** `server.tool` */
  readonly tool: string;
  readonly pinnedAt: string;
  /** Whether its server no longer lists it. */
  readonly isGone: boolean;
  readonly fields: readonly ToolFieldChange[];
  /** Fields that differ, too, but are not told one by one. */
  readonly moreFields: number;
  /** Whether it is not called, nor are the skills run that use it, until someone accepts the change. */
  readonly isHeld: boolean;
}

/** What to type to accept a change. */
export function acceptCommand({ tool }: Pick<ToolChange, "tool">): string {
  return commandLine(`upstream --accept ${/^[\w.-]+$/.test(tool) ? tool : JSON.stringify(tool)}`);
}

/** A change in one line, every value as quoted data: `annotations.readOnlyHint: true -> false`. */
export function toolChangeText(change: ToolChange): string {
  return textOf(change, valueText);
}

/**
 * Why a held tool is not called. What servers write is left out of the message, which models read: only what is no text
 * is shown.
 */
export function heldFailure(change: ToolChange): Failure {
  const what = textOf(change, (value) => (typeof value === "string" ? "a text" : valueText(value)));
  const message =
    `The upstream tool ${JSON.stringify(change.tool)} is not what it was when it was pinned, ${change.pinnedAt}: ` +
    `${what}. It is held, and so are the skills that use it, until someone accepts the change: ${acceptCommand(change)}`;
  const fields = change.fields.map(({ field, isStronger }) => ({ field, isStronger }));
  return failure("TOOL_CHANGED", message, { details: { tool: change.tool, isGone: change.isGone, fields } });
}

function textOf({ isGone, fields, moreFields }: ToolChange, shown: (value: Json) => string): string {
  if (isGone) return "its server no longer lists it";
  const parts = fields.map(({ field, before, after }) => {
    const [old, now] = [before, after].map((value) => (value === undefined ? "none" : shown(value)));
    const place = visibleText(field, MAX_FIELD_CHARACTERS);
    return old === now ? `${place}: another value` : `${place}: ${old} -> ${now}`;
  });
  return [...parts, ...(moreFields > 0 ? [`${moreFields} more`] : [])].join("; ");
}

const MAX_FIELD_CHARACTERS = 200;
const MAX_VALUE_CHARACTERS = 200;

function valueText(value: Json): string {
  return visibleText(JSON.stringify(value), MAX_VALUE_CHARACTERS);
}
