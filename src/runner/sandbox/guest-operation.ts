import type { Json } from "../../core/json/json.ts";
import { type GuestError, GuestFault, type GuestRequest, type Host } from "./engine.ts";
import { type Payload, payloadOf } from "./payload.ts";

/** Bytes of a text other than an input or output. The prelude cuts what it writes to far less. */
const MAX_TEXT_BYTES = 131_072;

/** The arguments of the guest's call of its host function; the first is the operation. */
export interface GuestArguments {
  readonly count: number;
  readonly number: (index: number) => number;
  /** The bytes of a text in the guest's memory; the text itself only where they are no more than `maxBytes`. */
  readonly text: (index: number, maxBytes: number) => { readonly bytes: number; readonly text?: string };
  /** Whether memory has been refused to the guest: where none is left for an error, an engine may throw null. */
  readonly isExhausted: boolean;
}

/**
 * Tells the host what the guest's prelude asked for, by the operations of `prelude.ts`. All that comes out of a guest
 * is measured and parsed here, once. Gives the number that the guest gets as the value of its call, if any.
 * Throws a `GuestFault` for what the prelude never says.
 */
export function handleGuestOperation(host: Host, given: GuestArguments): number | undefined {
  const { count } = given;
  const operation = given.number(0);
  switch (operation) {
    case 0:
      host.loaded(count > 1 ? errorIn(given, 1) : undefined);
      return undefined;
    case 1:
      host.returned(count > 1 ? payloadIn(given, 1, host.maxBytes) : undefined);
      return undefined;
    case 2:
      host.failed(errorIn(given, 1));
      return undefined;
    case 3:
    case 4:
      host.requested(requestIn(given, operation === 3 ? "skill" : "tool", host.maxBytes));
      return undefined;
    case 5:
      host.printed(stringIn(given, 1), stringIn(given, 2));
      return undefined;
    case 6:
      return host.seed();
    default:
      throw new GuestFault(`it asked for an operation ${operation}`);
  }
}

function requestIn(given: GuestArguments, kind: GuestRequest["kind"], maxBytes: number): GuestRequest {
  return {
    kind,
    id: given.number(1),
    name: stringIn(given, 2),
    input: payloadIn(given, 3, maxBytes),
    stack: textIn(given, 4),
  };
}

function payloadIn(given: GuestArguments, index: number, maxBytes: number): Payload {
  if (index >= given.count) throw new GuestFault("it left out what it gives");
  const { bytes, text } = given.text(index, maxBytes);
  if (text === undefined) return { kind: "too-large", bytes };
  try {
    return payloadOf(text);
  } catch {
    throw new GuestFault("what it gives is not JSON");
  }
}

function textIn(given: GuestArguments, index: number): string {
  if (index >= given.count) throw new GuestFault("it left out a text");
  const { bytes, text } = given.text(index, MAX_TEXT_BYTES);
  if (text === undefined) throw new GuestFault(`a text of it has ${bytes} bytes`);
  return text;
}

function valueIn(given: GuestArguments, index: number): unknown {
  const text = textIn(given, index);
  try {
    return JSON.parse(text);
  } catch {
    throw new GuestFault("a text of it is not JSON");
  }
}

function stringIn(given: GuestArguments, index: number): string {
  const value = valueIn(given, index);
  if (typeof value !== "string") throw new GuestFault("a text of it is none");
  return value;
}

function errorIn(given: GuestArguments, index: number): GuestError {
  const value = valueIn(given, index);
  if (typeof value !== "object" || value === null) throw new GuestFault("an error of it is none");
  const fields = value as Record<string, unknown>;
  const { kind } = fields;
  const string = (key: string): string => (typeof fields[key] === "string" ? fields[key] : "");
  const within = string("within");
  if (kind === "passed")
    return { kind, request: Number(fields["request"]), ...(within === "" ? {} : { within }) };
  const isMemory = kind === "memory" || (given.isExhausted && kind === "thrown" && string("name") === "");
  return {
    kind: isMemory ? "memory" : kind === "not-json" ? kind : "thrown",
    name: string("name"),
    message: string("message"),
    stack: string("stack"),
    ...(fields["choice"] === undefined ? {} : { choice: fields["choice"] as Json }),
  };
}

/** The name of a module that another imports, as the map of modules has it. */
export function resolvedName(from: string, name: string, modules: ReadonlyMap<string, string>): string {
  if (!name.startsWith(".")) return name;
  const parts = from.split("/").slice(0, -1);
  for (const part of name.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  const resolved = parts.join("/");
  return modules.has(resolved) ? resolved : name;
}

/** The code of a module that is not there: it says so. */
export function unknownModule(name: string): string {
  const message = `cannot import ${JSON.stringify(name)}: a skill imports only files of its own folder`;
  return `throw new ReferenceError(${JSON.stringify(message)});`;
}
