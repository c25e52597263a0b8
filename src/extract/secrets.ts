import type { Json } from "../core/json.ts";
import { CREDENTIALS } from "../trace/credentials.ts";
import { words } from "./names.ts";

/** Whether what stands under a name is a credential. */
export function isSecretName(name: string): boolean {
  const parts = words(name);
  const joined = parts.join("");
  return parts.some((part) => SECRET_WORDS.has(part)) || SECRET_NAMES.test(joined);
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

/** Whether a text has a form that only credentials have. */
export function isSecretValue(value: Json): boolean {
  if (typeof value !== "string" || value.length > 10_000) return false;
  return CREDENTIALS.some(({ hint, pattern }) => {
    if (!hint.test(value)) return false;
    pattern.lastIndex = 0;
    const isFound = pattern.test(value);
    pattern.lastIndex = 0;
    return isFound;
  });
}
