import { failure } from "../core/error.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { boundedPattern } from "./bounded-pattern.ts";
import { CREDENTIALS, SECRET_KEYS, type Credential } from "./credentials.ts";
import { hintScanner } from "./hint-scanner.ts";
import type { RedactionOptions } from "./trace-store.ts";

/** Replaces credentials by `[redacted:kind]`: the same always by the same, and a second time changes nothing. */
export interface Redactor {
  text(text: string): string;
  /** In every string of a JSON text, and in its keys. */
  jsonText(json: string): string;
  value(value: Json): Json;
}

/** A redactor with all known kinds but those switched off, and with rules of one's own. */
export function redactor(options: RedactionOptions = {}): Result<Redactor> {
  const own: Credential[] = [];
  for (const { name, pattern } of options.rules ?? []) {
    const checked = boundedPattern(pattern);
    if (!/^[a-z][a-z0-9-]*$/.test(name) || !checked.ok) {
      const why = checked.ok ? "its name must be lower-case letters, digits and -" : checked.error;
      return fail(failure("CONFIG_INVALID", `The redaction rule "${name}" cannot be used: ${why}`));
    }
    const { source, hint } = checked.value;
    own.push({ kind: name, hint: new RegExp(hint), pattern: new RegExp(source, "g") });
  }
  const off = new Set(options.off);
  return ok(
    redactorOf(
      [...own, ...CREDENTIALS].filter(({ kind }) => !off.has(kind)),
      off,
    ),
  );
}

function redactorOf(credentials: readonly Credential[], off: ReadonlySet<string>): Redactor {
  const keys = SECRET_KEYS.filter(({ kind }) => !off.has(kind));
  const hintsIn = hintScanner([...credentials, ...keys].map(({ hint }) => hint));

  const text = (value: string): string => {
    const hints = hintsIn(value);
    if (hints.size === 0) return value;
    return credentials.filter(({ hint }) => hints.has(hint)).reduce(without, value);
  };

  const value = (json: Json): Json => {
    if (typeof json === "string") return text(json);
    if (Array.isArray(json)) return json.map(value);
    if (!isJsonObject(json)) return json;
    return Object.fromEntries(
      Object.entries(json).map(([key, inner]) => {
        const kind = secretKind(key);
        return [text(key), kind === undefined ? value(inner) : secretValue(kind, inner)];
      }),
    );
  };
  const secretKind = (key: string): string | undefined => {
    const plain = key.replaceAll(/[-_. ]/g, "").toLowerCase();
    return keys.find(({ pattern }) => pattern.test(plain))?.kind;
  };
  const secretValue = (kind: string, json: Json): Json => {
    if (typeof json === "string") return isNoSecret(json) ? json : mark(kind);
    if (typeof json === "number") return mark(kind);
    return Array.isArray(json) ? json.map((each) => secretValue(kind, each)) : value(json);
  };

  return {
    text,
    value,
    jsonText: (json) => {
      if (hintsIn(json).size === 0) return json;
      const parsed = JSON.parse(json) as Json;
      return JSON.stringify(value(parsed));
    },
  };
}

function without(text: string, { kind, pattern }: Credential): string {
  return text.replace(pattern, (...match) => {
    const groups: unknown = match.at(-1);
    const { before = "", secret, after = "" } = (typeof groups === "object" ? groups : {}) as Groups;
    return secret !== undefined && isNoSecret(secret) ? match[0] : `${before}${mark(kind)}${after}`;
  });
}

interface Groups {
  readonly before?: string;
  readonly secret?: string;
  readonly after?: string;
}

function mark(kind: string): string {
  return `[redacted:${kind}]`;
}

// Names of variables and blanks in forms stand where a secret would: they show how a call is made.
const NO_SECRET =
  /^(?:\s*|\[redacted:[a-z0-9-]+\].*|[*•.x_-]{3,}|<[^<>]*>|\$\{?[A-Za-z_][\w.]*\}?|\{\{[^{}]*\}\}|%[A-Za-z_]\w*%|null|none|undefined|true|false|string|process\.env[.[].*|os\.environ.*)$/is;

function isNoSecret(value: string): boolean {
  return NO_SECRET.test(value);
}
