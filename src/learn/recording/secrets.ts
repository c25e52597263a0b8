import type { Json } from "../../core/json/json.ts";
import { redactor } from "../../trace/redact/redaction.ts";
import { secretName } from "../../trace/redact/secret-names.ts";
import { nameWords } from "../plan/names.ts";

/** Whether what stands under a name is a credential. */
export function isSecretName(name: string): boolean {
  const parts = nameWords(name);
  const joined = parts.join("");
  return (
    parts.some((part) => SECRET_WORDS.has(part)) ||
    SECRET_NAMES.test(joined) ||
    secretName(name)?.isSure === true
  );
}

const SECRET_WORDS: ReadonlySet<string> = new Set([
  "password",
  "passwd",
  "pwd",
  "passphrase",
  "secret",
  "token",
  "credential",
  "credentials",
  "authorization",
  "cookie",
  "cvv",
  "pin",
  "otp",
]);
const SECRET_NAMES = /apikey|privatekey|accesskey|sessionid|signingkey|authcode/;

/** Whether a text is what stands for a credential in a trace. */
export function isRedacted(text: string): boolean {
  return /^\[redacted:[a-z0-9-]+\]$/.test(text);
}

/** Whether a text holds what a trace would be recorded without. */
export function isSecretValue(value: Json): boolean {
  if (typeof value !== "string" || value.length > 10_000) return false;
  return redact.text(value) !== value;
}

/** Whether a value is a credential, or holds one. */
export function isSecretText(value: Json): boolean {
  if (typeof value !== "object" || value === null) return isSecretValue(value);
  return Object.entries(value).some(
    ([name, each]) => (isSecretName(name) && typeof each === "string") || isSecretText(each),
  );
}

const all = redactor();
if (!all.ok) throw new Error(all.error.message);
const redact = all.value;
