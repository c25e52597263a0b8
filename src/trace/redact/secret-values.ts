import type { SecretName } from "./secret-names.ts";

/** Whether a value is a secret, by the name under which it stands and by its looks. */
export function isSecret(
  value: string,
  { kind, isSure, isPlural, isAccount }: SecretName,
  isNamedSurely = isSure,
): boolean {
  if (isPlaceholder(value) || isPublic(value)) return false;
  switch (kind) {
    case "password":
      if (isPath(value) || !/[\p{L}\d]/u.test(value)) return false;
      return isNamedSurely || (!/\s/.test(value) && (isMixed(value) || looksRandom(value, 8)));
    case "cookie":
      return isNamedSurely || /(?:^|; ?)[^=;\s]{1,128}=[^;]{6,}/.test(value) || looksRandom(value, 16);
    case "session":
      return !UUID.test(value) && looksRandom(value, 16);
    case "pin":
      return /^\d{4,12}$/.test(value) || looksRandom(value, 8);
    case "mnemonic":
      return MNEMONIC.test(value) || looksRandom(value);
    case "signature":
      return looksRandom(value.replaceAll(/%2[BF]|%3D/gi, ""), 16) && !/\s/.test(value);
    case "authorization":
      return true;
    case "aws-secret":
    case "secret":
      if (isPath(value)) return false;
      if (!isNamedSurely)
        return (
          looksRandom(value) || (UUID.test(value) && !isPlural) || (isAccount === true && ACCOUNT.test(value))
        );
      return !isPlural || isMixed(value) || looksRandom(value, 8) || !/^[\w .-]+$/.test(value);
  }
}

/** Under a name that is said beside it, in a list or a pair, a secret must look like one. */
export function isLikelySecret(value: string, name: SecretName): boolean {
  if (name.kind === "authorization" || (name.kind === "cookie" && name.isSure)) return isSecret(value, name);
  return isSecret(value, name, false) || (name.isSure && isMixed(value) && isSecret(value, name));
}

/** A user and a password that is no word. */
const ACCOUNT = /^[\w.@-]{1,64}:(?!\/\/)(?=\S*[^a-z\s])\S{4,256}$/;

/** Words, of which each is in a list, that stand for a key. */
const MNEMONIC = /^(?:[a-z]{3,9}[ ,\t]{1,3}){8,32}[a-z]{3,9}$/;

/** Whether a text, by itself, looks like what nobody makes up or remembers: keys, tokens, identifiers of sessions. */
export function looksRandom(given: string, least = 12): boolean {
  const text = given.length > MAX_JUDGED ? given.slice(0, MAX_JUDGED) : given;
  if (text.length < least || /\s/.test(text) || isKnownForm(text)) return false;
  if (isBasicCredentials(text)) return true;
  const parts = text.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  const random = parts.filter((part) => part.length >= 8 && isRandomPart(part));
  if (random.reduce((sum, { length }) => sum + length, 0) >= Math.min(least, 12)) return true;
  return parts.length === 1 && text.length < 14 && least < 12 && isMixed(text) && isRandomPart(text);
}

/** So much of a value tells what it looks like. */
const MAX_JUDGED = 256;

/** Letters among digits or punctuation, as passwords have them and words do not. */
export function isMixed(text: string): boolean {
  if (text.length < 5 || text.length > 1024 || isKnownForm(text)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(text)).length;
  if (!/\d/.test(text)) return kinds >= 3 && /[!@#$%^&*+~?=]/.test(text) && !/^[\w.$ ]+[?!]?$/.test(text);
  return /[A-Za-z\u0080-\uFFFF]/.test(text) || /[^\d.,:/\s%$€-]/.test(text);
}

/** What stands where a secret would, and shows how a call is made. */
export function isPlaceholder(given: string): boolean {
  const text = given.length > MAX_JUDGED ? given.slice(0, MAX_JUDGED) : given;
  return (
    PLACEHOLDER.test(text) ||
    (text.length <= 40 && WORDS.has(text.toLowerCase().replace(/[.!…]+$/, ""))) ||
    isSentence(text)
  );
}

/** Whether code computes the value: a call, a member of something, a path. */
export function isExpression(text: string): boolean {
  if (looksRandom(text)) return false;
  return (
    /^(?:(?:await|new)$|[A-Za-z_$][\w$]*(?:\(|(?:\?\.|\.|\[)[\w$.[\]"'?()]*$))/.test(text.slice(0, 200)) ||
    isPath(text)
  );
}

export function isPath(text: string): boolean {
  return (
    /^(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[\w.@ +-]+[/\\])*[\w.@ +-]*$/.test(text.slice(0, 300)) &&
    !looksRandomPath(text)
  );
}

/** Base64 of `user:password`. */
export function isBasicCredentials(text: string): boolean {
  if (text.length < 8 || text.length > 1024 || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    return false;
  const plain = Buffer.from(text, "base64").toString("latin1");
  return (
    /^[\x21-\x7E]{1,200}:[\x20-\x7E]{1,400}$/.test(plain) &&
    Buffer.from(plain, "latin1").toString("base64") === text
  );
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const PLACEHOLDER =
  /^(?:\s*|\[redacted:[a-z0-9-]+\].*|\[?cut\]?|[*•.xX_\-#?]{3,}|<[^<>]*>|\[[A-Za-z _-]*\]|\$\{?[A-Za-z_][\w.:-]*\}?|\$\(.*|\{\{.*\}\}|\{[A-Za-z_][\w.]*\}|%[A-Za-z_]\w*%|%[sdr]|@[A-Z_]+@|:[a-z_]\w*|!Ref .*|[A-Z]+\d?(?:_[A-Z]+\d?)+|(?:your|insert|replace|enter|paste)[-_](?:[a-z]+[-_])*(?:here|key|token|secret|password|passwd|value)|process\.env\b.*|import\.meta\.env\b.*|os\.environ\b.*|os\.getenv\b.*|ENV\[.*|env\(.*|secrets\.\w+|var\.\w+|vault:.*|\$\{\{.*)$/s;
const WORDS: ReadonlySet<string> = new Set(
  "null none nil undefined true false yes no on off string str text number integer int boolean bool object array any unknown varchar char password passwd passwords secret token tokens key apikey api_key value required optional invalid missing incorrect wrong expired valid ok set unset empty hidden disabled enabled default basic bearer digest oauth oauth2 jwt plain n/a na todo tbd example your_password yourpassword your-password your_token your-token your-api-key your_api_key changed unchanged forgot forgotten reset strong weak redacted omitted masked placeholder input file env prompt ask passwort kennwort credentials credential cookie session accepted rejected necessary all auto manual inherit self same-origin include omit public private internal encrypted hashed bcrypt argon2 scrypt stdin".split(
    " ",
  ),
);

/** Words for people about a secret: a label, a hint, a message. */
function isSentence(text: string): boolean {
  if (text.length < 10 || !/\s/.test(text.trim())) return false;
  return (
    /(?:^|\s)(?:your|you|the|a|an|is|are|was|must|should|please|enter|not|required|and|or|of|for|to|with|password|passwords|token|secret|key|characters|here|see|click|ihr|das|der|die|votre|le|la)(?:[\s.,:;!?]|$)/i.test(
      text.slice(0, 400),
    ) && !/^[A-Za-z]+\s[\w.~+/=-]*\d[\w.~+/=-]*$/.test(text)
  );
}

/** Ids, dates, addresses, versions, amounts: what is told apart by its form. */
function isKnownForm(text: string): boolean {
  return KNOWN_FORM.test(text.slice(0, 300)) || UUID.test(text);
}

const KNOWN_FORM =
  /^(?:[+-]?[\d.,_ ]+%?|0x[0-9a-f]{1,64}|\d{4}-\d\d-\d\d(?:[T ].*)?|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[a-z][a-z0-9+.-]*:\/\/[^@]*|(?:sha\d*|md5|blake\w*)[-:][A-Za-z0-9+/=]+|v?\d+(?:\.\d+)+(?:[-+][\w.]+)?|(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|data:.*|urn:.*|arn:.*|#[0-9a-f]{3,8})$/i;

/** Digits and letters, or cases, change more often than in words with numbers. */
function isRandomPart(part: string): boolean {
  let changes = 0;
  let last = classOf(part.charCodeAt(0));
  let digits = last === DIGIT ? 1 : 0;
  for (let at = 1; at < Math.min(part.length, 256); at++) {
    const now = classOf(part.charCodeAt(at));
    if (now === DIGIT) digits++;
    // A capital letter begins a word: what follows it belongs to it.
    if (now !== last && !(last === UPPER && now === LOWER)) changes++;
    last = now;
  }
  const length = Math.min(part.length, 256);
  if (digits > 0 && digits < length) return changes >= Math.max(2, length / 9);
  if (digits === length) return false;
  return changes > length / 4.5 || (length >= 16 && fewVowels(part));
}

const [DIGIT, UPPER, LOWER] = [0, 1, 2];

function classOf(code: number): number {
  return code < 58 ? DIGIT : code < 91 ? UPPER : LOWER;
}

function fewVowels(part: string): boolean {
  const vowels = part.slice(0, 256).replaceAll(/[^aeiouy]/gi, "").length;
  return vowels < Math.min(part.length, 256) * 0.22 || /[bcdfghjklmnpqrstvwxz]{7}/i.test(part);
}

function looksRandomPath(text: string): boolean {
  return text.split(/[/\\]/).some((part) => part.length >= 16 && isRandomPart(part) && !part.includes("."));
}

/** What is made to be shown: fingerprints, public keys, certificates. */
function isPublic(text: string): boolean {
  return /^(?:(?:sha-?\d{1,3}|md5)[:-][A-Za-z0-9+/=:]{16,}$|(?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[\w@.-]{3,40} AAAA|-----BEGIN (?:PUBLIC KEY|CERTIFICATE))/i.test(
    text.slice(0, 200),
  );
}
