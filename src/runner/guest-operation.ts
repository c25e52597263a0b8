import type { GuestError, Host } from "./engine.ts";

/** The arguments of the guest's call of its host function; the first is the operation. */
export interface GuestArguments {
  readonly count: number;
  readonly number: (index: number) => number;
  readonly text: (index: number) => string;
  /** Whether memory has been refused to the guest: where none is left for an error, an engine may throw null. */
  readonly isExhausted?: boolean;
}

/**
 * Tells the host what the guest's prelude asked for, by the operations of `prelude.ts`. Gives the number that the
 * guest gets as the value of its call, if any.
 */
export function hearGuest(
  host: Host,
  { count, number, text, isExhausted = false }: GuestArguments,
): number | undefined {
  const operation = number(0);
  switch (operation) {
    case 0:
      host.loaded(count > 1 ? guestError(text(1), isExhausted) : undefined);
      return undefined;
    case 1:
      host.returned(count > 1 ? text(1) : undefined);
      return undefined;
    case 2:
      host.failed(guestError(text(1), isExhausted));
      return undefined;
    case 3:
    case 4:
      host.requested({
        kind: operation === 3 ? "skill" : "tool",
        id: number(1),
        name: String(JSON.parse(text(2))),
        input: text(3),
        stack: text(4),
      });
      return undefined;
    case 5:
      host.printed(String(JSON.parse(text(1))), String(JSON.parse(text(2))));
      return undefined;
    case 6:
      return host.seed();
    default:
      throw new Error(`the guest asked for an unknown operation ${operation}`);
  }
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

// What comes out of a guest is hostile until it has been looked at.
function guestError(text: string, isExhausted: boolean): GuestError {
  const value: unknown = JSON.parse(text);
  const fields = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const { kind } = fields;
  if (kind === "passed") return { kind, request: Number(fields["request"]) };
  const string = (key: string): string => (typeof fields[key] === "string" ? fields[key] : "");
  const isMemory = kind === "memory" || (isExhausted && kind === "thrown" && string("name") === "");
  return {
    kind: isMemory ? "memory" : kind === "not-json" || kind === "too-large" ? kind : "thrown",
    name: string("name"),
    message: string("message"),
    stack: string("stack"),
  };
}
