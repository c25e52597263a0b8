import { NAME_MARKS, type SecretName, secretName } from "./secret-names.ts";
import {
  isBasicCredentials,
  isExpression,
  isMixed,
  isPath,
  isPlaceholder,
  looksRandom,
  UUID,
} from "./secret-values.ts";

/** Where a secret stands in a text: what is replaced, and with which kind. */
export interface Found {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/**
 * A way of writing secrets that is known by its surroundings. It looks at a bounded number of characters before and after
 * the mark, and at more only of what it then takes: the time of a whole text is a multiple of its length.
 */
export interface TextRule {
  readonly kinds: readonly string[];
  readonly marks: readonly string[];
  /** `from`: what stands before is taken already; `spend`: for what is read beside the mark. */
  readonly find: (text: string, at: number, from: number, spend: Spend) => Found | undefined;
}

/** Takes so many looks from an allowance, and throws where none is left. */
type Spend = (looks: number) => void;

export const TEXT_RULES: readonly TextRule[] = [
  { kinds: ["private-key"], marks: ["-----BEGIN"], find: privateKey },
  { kinds: ["jwt"], marks: ["eyJ"], find: webToken },
  { kinds: ["url-password"], marks: ["://"], find: userInfo },
  { kinds: ["webhook"], marks: ["hooks.", "/webhook", ".webhook.office", "/services/T"], find: webhook },
  {
    kinds: ["authorization"],
    marks: ["basic ", "bearer ", "bearer\t", "apikey ", "-----token "],
    find: scheme,
  },
  {
    kinds: ["password"],
    marks: ["-u ", '-u"', "-u'", "--user", "--proxy-user", "-a "],
    find: userOption,
  },
  { kinds: ["password"], marks: [" -p", " -a ", " -w "], find: passwordOption },
  { kinds: ["password"], marks: ["identified by ", "identified with "], find: identified },
  {
    kinds: ["azure"],
    marks: ["AccountKey=", "SharedAccessKey=", "SharedAccessSignature="],
    find: assignment("azure"),
  },
  {
    kinds: ["aws-secret", "password", "authorization", "cookie", "session", "signature", "secret"],
    marks: NAME_MARKS,
    find: named,
  },
];

/** Whether a value is a secret, by the name under which it stands and by its looks. */
export function isSecret(
  value: string,
  { kind, isSure, isPlural }: SecretName,
  isNamedSurely = isSure,
): boolean {
  if (isPlaceholder(value)) return false;
  switch (kind) {
    case "password":
      if (isPath(value) || !/[\p{L}\d]/u.test(value)) return false;
      return isNamedSurely || (!/\s/.test(value) && (isMixed(value) || looksRandom(value, 8)));
    case "cookie":
      return isNamedSurely || /(?:^|; ?)[^=;\s]{1,128}=[^;]{6,}/.test(value) || looksRandom(value, 16);
    case "session":
      return !UUID.test(value) && looksRandom(value, 16);
    case "signature":
      return looksRandom(value.replaceAll(/%2[BF]|%3D/gi, ""), 16) && !/\s/.test(value);
    case "authorization":
      return true;
    case "aws-secret":
    case "secret":
      if (isPath(value)) return false;
      if (!isNamedSurely) return looksRandom(value) || (UUID.test(value) && !isPlural);
      return !isPlural || isMixed(value) || looksRandom(value, 8) || !/^[\w .-]+$/.test(value);
  }
}

/** Under a name that is said beside it, in a list or a pair, a secret must look like one. */
export function isLikelySecret(value: string, name: SecretName): boolean {
  if (name.kind === "authorization" || (name.kind === "cookie" && name.isSure)) return isSecret(value, name);
  return isSecret(value, name, false) || (name.isSure && isMixed(value) && isSecret(value, name));
}

const MAX_VALUE = 4096;
const MAX_JUDGED = 1024;

/** What it costs to read a value, and to judge its beginning, as looks; a short one belongs to the look itself. */
function costOf(length: number): number {
  return length <= 32 ? 0 : length / 64 + Math.min(length, 256) / 16;
}

function privateKey(text: string, at: number): Found | undefined {
  const head = matchAt(/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y, text, at);
  if (head === undefined) return undefined;
  const end = endOfKey(text, at + head.length);
  const foot = matchAt(/-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y, text, end) ?? "";
  return { kind: "private-key", start: at, end: end + foot.length };
}

// Whatever a key consists of: Base64, line ends as they are or escaped, headers; a key that is cut off has no end.
function endOfKey(text: string, start: number): number {
  let at = start;
  for (;;) {
    PIECE_OF_KEY.lastIndex = at;
    PIECE_OF_KEY.test(text);
    at = Math.max(at, PIECE_OF_KEY.lastIndex);
    if (text[at] !== "-" || text.startsWith("-----", at)) return at;
    at++;
  }
}

const PIECE_OF_KEY = /[A-Za-z0-9+/=\s\\:,.()@<>]*/y;

function webToken(text: string, at: number, _from: number, spend: Spend): Found | undefined {
  if (isAlphanumeric(text, at - 1)) return undefined;
  const head = matchAt(/eyJ[\w-]{8,512}\.?/y, text, at) ?? "";
  spend(head.length / 64);
  if (!head.endsWith(".")) return undefined;
  const body = matchAt(/[\w-]{4,8192}/y, text, at + head.length) ?? "";
  spend(body.length / 64);
  const rest = matchAt(/(?:\.[\w-]{4,8192}){1,3}/y, text, at + head.length + body.length);
  if (body === "" || rest === undefined) return undefined;
  return { kind: "jwt", start: at, end: at + head.length + body.length + rest.length };
}

/** `https://user:password@host`, and `https://token@host`. */
function userInfo(text: string, at: number, from: number): Found | undefined {
  if (!/[a-z0-9+.-]/i.test(text[at - 1] ?? "")) return undefined;
  const info = matchAt(/[^\s/?#"'<>\\`@]{1,512}(?:@[^\s/?#"'<>\\`@]{1,128})?(?=@)/y, text, at + 3);
  if (info === undefined) return undefined;
  const colon = info.indexOf(":");
  const start = at + 3 + (colon < 0 ? 0 : colon + 1);
  const secret = info.slice(colon + 1);
  if (start < from || isPlaceholder(secret) || secret === "") return undefined;
  if (colon < 0 && !looksRandom(secret, 16)) return undefined;
  if (secret === "x-oauth-basic") return { kind: "url-password", start: at + 3, end: at + 3 + colon };
  return { kind: "url-password", start, end: at + 3 + info.length };
}

/** Addresses of which each who knows them may write. */
function webhook(text: string, at: number, from: number): Found | undefined {
  const offset = Math.max(from, at - 100);
  const found = WEBHOOK.exec(text.slice(offset, at + 400));
  if (!found) return undefined;
  const [, ...heads] = found;
  const start = offset + found.index + heads.join("").length;
  const kind = found[0].includes("slack") ? "slack" : found[0].includes("iscord") ? "discord" : "webhook";
  return { kind, start, end: offset + found.index + found[0].length };
}

/** In each way the group is what stands before the secret. */
const WEBHOOK = new RegExp(
  [
    String.raw`(hooks\.slack\.com/(?:services|workflows|triggers)/)[\w/-]{20,200}`,
    String.raw`(\bdiscord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{10,24}/)[\w-]{40,100}`,
    String.raw`(\.webhook\.office\.com/webhookb2/)[\w@-]{40,120}/IncomingWebhook/[\w/-]{40,120}`,
    String.raw`(hooks\.zapier\.com/hooks/catch/)\d{4,12}/\w{5,20}`,
  ].join("|"),
  "i",
);

/** `Basic …` and `Bearer …`, wherever they stand. */
function scheme(text: string, at: number): Found | undefined {
  if (isAlphanumeric(text, at - 1)) return undefined;
  const found = matchAt(/(?:basic|bearer|apikey)[ \t]{1,4}(?=[\w.~+/=-]{8})/iy, text, at);
  if (found === undefined) return undefined;
  const start = at + found.length;
  const value = matchAt(/[\w.~+/=-]{8,4096}/y, text, start) ?? "";
  const isOne = /^basic/i.test(found)
    ? isBasicCredentials(value)
    : looksRandom(value) || UUID.test(value) || (value.length >= 16 && isMixed(value));
  return isOne ? { kind: "authorization", start, end: start + value.length } : undefined;
}

/** `-u user:password` of programs that call servers. */
function userOption(text: string, at: number, from: number, spend: Spend): Found | undefined {
  if (at > 0 && !/[\s"'[(,]/.test(text[at - 1] ?? "")) return undefined;
  const option = matchAt(/(?:-[uUa]|--user|--proxy-user)(?:=|["']?,?[ \t]{0,4})["']?/y, text, at);
  if (option === undefined) return undefined;
  const start = at + option.length;
  const quote = /["']$/.test(option) ? option.at(-1) : undefined;
  const value = matchAt(quote === undefined ? /[^\s"'`]{3,512}/y : /[^"'\r\n]{3,512}/y, text, start);
  spend(costOf(value?.length ?? 0));
  const colon = value?.indexOf(":") ?? -1;
  if (value === undefined || colon < 0 || colon === value.length - 1) return undefined;
  const secret = value.slice(colon + 1);
  const line = lineBefore(text, at, from);
  const isCaller = /\b(?:curl|wget|https?|xh|lftp|smbclient|svn|mc|aria2c)\b/.test(line);
  if (isPlaceholder(secret) || /^\d{1,5}$/.test(secret) || (!isCaller && !isMixed(secret))) return undefined;
  return { kind: "password", start: start + colon + 1, end: start + value.length };
}

/** `mysql -ppassword`, `sshpass -p password`, `redis-cli -a password`, `docker login -p password`. */
function passwordOption(text: string, at: number, from: number): Found | undefined {
  const option = matchAt(/ -[paw](?: {1,4}| ?=)?["']?/y, text, at);
  if (option === undefined) return undefined;
  const line = lineBefore(text, at + 1, from);
  const isApart = /[ =]["']?$/.test(option);
  const takes = isApart ? TAKES_APART : TAKES_TOGETHER;
  if (!takes[option[2] === "p" ? "p" : option[2] === "a" ? "a" : "w"].test(line)) return undefined;
  const start = at + option.length;
  const value = matchAt(/["']$/.test(option) ? /[^"'\r\n]{1,256}/y : /[^\s"'`;|&<>]{1,256}/y, text, start);
  if (value === undefined || isPlaceholder(value) || value.startsWith("-")) return undefined;
  return { kind: "password", start, end: start + value.length };
}

const TAKES_APART = {
  p: /\b(?:sshpass|(?:docker|podman|nerdctl|buildah|skopeo|helm registry|oc|az|cf|argocd|harbor|heroku|crane auth|oras)\s+login|mongosh?|mongodump|mongorestore|twine|nuget|smbclient|cqlsh|influx|couchbase-cli|ldapadd)\b/,
  a: /\b(?:redis-cli|keydb-cli|valkey-cli)\b/,
  w: /\b(?:ldapsearch|ldapadd|ldapmodify|ldapdelete|ldapwhoami)\b/,
} as const;
const TAKES_TOGETHER = {
  p: /\b(?:mysql\w*|mariadb[\w-]*|sshpass)\b/,
  a: /\b(?:redis-cli)\b/,
  w: /\b(?:ldapsearch|ldapadd|ldapmodify)\b/,
} as const;

/** `IDENTIFIED BY 'password'`. */
function identified(text: string, at: number): Found | undefined {
  const words = matchAt(/identified (?:by|with [\w'"]{1,40} by)(?: password)? {1,4}["']/iy, text, at);
  if (words === undefined) return undefined;
  const start = at + words.length;
  const value = matchAt(/[^"'\r\n]{1,256}/y, text, start);
  if (value === undefined || isPlaceholder(value)) return undefined;
  return { kind: "password", start, end: start + value.length };
}

function assignment(kind: string): TextRule["find"] {
  return (text, at, _from, spend) => {
    const name = matchAt(/[A-Za-z]{4,24}=/y, text, at) ?? "";
    const start = at + name.length;
    const value = matchAt(/[^\s;"'\\<>]{16,1024}/y, text, start);
    spend(costOf(value?.length ?? 0));
    if (value === undefined || isPlaceholder(value)) return undefined;
    return { kind, start, end: start + value.length };
  };
}

/** What stands under a name: `name=value`, `"name": "value"`, `--name value`, `<name>value</name>`, `name is value`. */
function named(text: string, mark: number, from: number, spend: Spend): Found | undefined {
  const at = text[mark] === "?" || text[mark] === "&" ? mark + 1 : mark;
  let start = at;
  while (start > from && start > at - 48 && isNameSign(text, start - 1)) start--;
  let end = at;
  while (end < text.length && end < at + 64 && isNameSign(text, end)) end++;
  const two = matchAt(
    /(?:api|access|secret|private|signing|encryption|auth|refresh|bearer|master|account|recovery|seed|session) (?:key|token|secret|id|code|phrase)s?(?![\w-])/iy,
    text,
    at,
  );
  if (two !== undefined && two.length > end - at) end = at + two.length;
  // What stands for a secret names its kind.
  if (text.startsWith("[redacted:", start - 10)) return undefined;
  const isFlag = text.startsWith("--", start);
  const name = secretName(text.slice(start, end).replace(/^[-.]+/, ""), spend);
  if (name === undefined) return address(text, start, end);
  const place: Place = { text, start, end, from, isFlag, name, spend };
  const value = assigned(place) ?? element(place) ?? flagged(place) ?? spoken(place);
  return value && value.start >= from ? { kind: name.kind, ...value } : undefined;
}

/** `?key=…` and `?code=…` of an address. */
function address(text: string, start: number, end: number): Found | undefined {
  if (
    !/^(?:key|code)$/i.test(text.slice(start, end)) ||
    !/[?&]/.test(text[start - 1] ?? "") ||
    text[end] !== "="
  )
    return undefined;
  const value = matchAt(/[^\s&"'<>\\#]{16,512}/y, text, end + 1);
  if (value === undefined || !looksRandom(value, 20)) return undefined;
  return { kind: "secret", start: end + 1, end: end + 1 + value.length };
}

interface Place {
  readonly text: string;
  /** Of the name. */
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly isFlag: boolean;
  readonly name: SecretName;
  readonly spend: Spend;
}

type Range = Pick<Found, "start" | "end">;

function assigned({ text, start, end, from, isFlag, name, spend }: Place): Range | undefined {
  const sign = matchAt(
    /\\{0,3}["'`]?\]?\*{0,2}[ \t]{0,8}(?:=>|:=|\?=|=(?!=)|[:：＝](?![:/]))\*{0,2}(?:\r?\n)?[ \t]{0,40}(?:[A-Za-z]{0,2}(?=["']))?/y,
    text,
    end,
  );
  if (sign === undefined) return undefined;
  const at = end + sign.length;
  const isAuthorization = name.kind === "authorization";
  const quote = matchAt(/\\{0,3}["'`]/y, text, at);
  if (quote !== undefined) {
    const value = quoted(text, at + quote.length, quote);
    spend(costOf(value - at));
    if (isAuthorization) return credentials(text, at + quote.length, value, spend);
    const isLabel =
      text.slice(at + quote.length, value).toLowerCase() === text.slice(start, end).toLowerCase();
    return !isLabel && isSecret(text.slice(at + quote.length, Math.min(value, at + MAX_JUDGED)), name)
      ? { start: at + quote.length, end: value }
      : undefined;
  }
  if (/[\r\n]/.test(sign)) return undefined;
  if (isAuthorization) return credentials(text, at, text.length, spend);
  if (name.kind === "cookie") {
    if (!sign.trim().endsWith(":")) return undefined;
    const value = matchAt(/[^\r\n"'\\]{1,1024}/y, text, at) ?? "";
    spend(costOf(value.length));
    if (!/=/.test(value.slice(0, 256)) || !isSecret(value, { ...name, isSure: false })) return undefined;
    const whole = matchAt(/[^\r\n"'\\]{1,4096}/y, text, at) ?? "";
    return { start: at, end: at + whole.trimEnd().length };
  }
  const isTight = /^[=]$/.test(sign);
  const value = bare(text, at);
  if (value === "") return undefined;
  spend(costOf(value.length));
  const range = (): Range => ({ start: at, end: restOf(text, at, value) });
  if (isPlaceholder(value) || isExpression(value)) return undefined;
  const isCertain = isMixed(value) || looksRandom(value, 8);
  if (!name.isSure || !isWhole(text, at, value))
    return isSecret(value, name) && isCertain ? range() : undefined;
  if (isFlag || isCertain) return isSecret(value, name) ? range() : undefined;
  const isLine = isLineStart(text, start, from);
  // A line of a file of settings has nothing but the name and the value.
  if (isTight && !/[,)]/.test(text[at + value.length] ?? ""))
    return value.length > 2 && isSecret(value, name) ? range() : undefined;
  if (!isLine || !/^:[ \t]+$/.test(sign)) return undefined;
  return /^[ \t]*(?:#.*)?$/.test(
    text.slice(at + value.length, at + value.length + 200).split(/\r?\n/, 1)[0] ?? "",
  ) &&
    /^[^{[|>*&!%@].{2,}$/.test(value) &&
    isSecret(value, name)
    ? range()
    : undefined;
}

/** Not an own word in a sentence, nor the beginning of a call. */
function isWhole(text: string, at: number, value: string): boolean {
  return !/^[ \t]?[([]/.test(text.slice(at + value.length, at + value.length + 2));
}

/** The value of an element, or of the attribute `value` behind one that names it. */
function element({ text, start, end, name, spend }: Place): Range | undefined {
  const isElement =
    text[start - 1] === "<" ||
    /^[\w-]{1,20}:$/.test(
      text
        .slice(Math.max(0, start - 20), start)
        .split("<")
        .at(-1) ?? "",
    );
  const head = isElement
    ? matchAt(/(?: [^<>\r\n]{0,80})?>(?:<!\[CDATA\[)?\s{0,8}/y, text, end)
    : (matchAt(/["'](?: |\s{1,40})(?:value|content|password)\s?=\s?["']/y, text, end) ??
      matchAt(/<\/(?:key|name|Name|Key)>\s{0,20}<(?:string|value|Value)>/y, text, end));
  if (head === undefined) return undefined;
  const at = end + head.length;
  const value = matchAt(
    isElement || head.endsWith(">") ? /[^<>\r\n]{1,2048}/y : /[^"'<>\r\n]{1,2048}/y,
    text,
    at,
  );
  spend(costOf(value?.length ?? 0));
  if (value === undefined || !isSecret(value.trim(), name)) return undefined;
  return { start: at, end: at + value.trimEnd().length };
}

/** `--password value`; in netrc and SQL the word alone. */
function flagged({ text, start, end, from, isFlag, name, spend }: Place): Range | undefined {
  const gap = matchAt(/["']?,?[ \t]{1,8}["']?/y, text, end);
  if (gap === undefined || text[start - 1] === "<") return undefined;
  const before = text.slice(Math.max(from, start - 120), start);
  const isQuoted = /["']$/.test(gap);
  const isNetrc =
    !isFlag && text.slice(start, end) === "password" && /\b(?:login|machine|default)\b[^;]*$/.test(before);
  const isStatement =
    !isFlag &&
    isQuoted &&
    /^password$/i.test(text.slice(start, end)) &&
    /\b(?:user|role|login|with|set)\b[^;]*$/i.test(before);
  const isSetting =
    !isFlag &&
    /(?:\bset|config|\badd|requirepass|masterauth)\s+[\w./:-]*$/i.test(before) &&
    !/\s/.test(text.slice(start, end));
  if (!isFlag && !isNetrc && !isStatement && !isSetting && !(text[start - 1] === "$" && isQuoted))
    return undefined;
  const at = end + gap.length;
  const value = matchAt(isQuoted ? /[^"'\r\n]{1,1024}/y : /[^\s"'`;|<>]{1,1024}/y, text, at);
  spend(costOf(value?.length ?? 0));
  if (value === undefined || /^-{1,2}[a-z]/i.test(value) || isPlaceholder(value)) return undefined;
  if (isNetrc || isStatement) return value.length > 2 ? { start: at, end: at + value.length } : undefined;
  const isOne = isFlag ? isSecret(value, name) : isLikelySecret(value, name);
  return isOne && !isPath(value) ? { start: at, end: at + value.length } : undefined;
}

/** `the password is …`, `password …`: only what looks like nothing else. */
function spoken({ text, end, name, spend }: Place): Range | undefined {
  if (name.kind !== "password" && name.kind !== "secret") return undefined;
  const words = matchAt(
    /["'`]?(?:(?: {1,2}(?:for|of|to) [\w.@-]{1,40}){0,2}(?: {1,2}(?:is|was|are|to|as|ist|lautet|est|es|é))?(?: {1,2}(?:now|set to|changed to))?:? {1,2}|是|为|：|は)["'`]?/iy,
    text,
    end,
  );
  if (words === undefined) return undefined;
  const at = end + words.length;
  const value = (matchAt(/[^\s"'`,;<>]{6,512}/y, text, at) ?? "").replace(/[.!?)\]]{1,2}$/, "");
  spend(costOf(value.length));
  const isSaid = /(?:is|was|ist|lautet|est|es|é|to|as|是|为|は|：|:)\W*$/i.test(words);
  if (isPlaceholder(value) || isExpression(value)) return undefined;
  const isOne =
    looksRandom(value, 16) ||
    (isSaid &&
      name.isSure &&
      isMixed(value) &&
      /[A-Za-z]/.test(value) &&
      !/^\d+[a-z]{1,3}$|^[\w]+-\d+$/i.test(value));
  return isOne && value.length >= 6 ? { start: at, end: at + value.length } : undefined;
}

/** What a header of authorization holds behind its scheme. */
function credentials(text: string, start: number, end: number, spend: Spend): Range | undefined {
  const head =
    matchAt(
      /(?:bearer|basic|token|digest|apikey|api-key|negotiate|ntlm|key|dpop|hawk|splunk|genie-?key|bot|sso-key|aws4-hmac-sha256)[ \t]{1,4}(?=\S)/iy,
      text,
      start,
    ) ?? "";
  const at = start + head.length;
  const isList = /^(?:digest|hawk|aws4)/i.test(head);
  const value = matchAt(isList ? /[^\r\n'\\]{6,4096}/y : /[^\s"'\\,;<>]{1,4096}/y, text, at);
  spend(costOf(value?.length ?? 0));
  if (value === undefined || at >= end || isPlaceholder(value)) return undefined;
  if (
    head === "" &&
    (value.length < 6 ||
      /^(?:bearer|basic|token|digest|negotiate|required|header|headers|code|server|failed|error|is|was|type|none|null)\b/i.test(
        value,
      ) ||
      isExpression(value))
  )
    return undefined;
  if (head === "" && !isMixed(value) && !looksRandom(value, 8)) return undefined;
  return { start: at, end: at + value.trimEnd().length };
}

/** Where a quoted value ends: at its own quote, or where the text cannot be one value. */
function quoted(text: string, start: number, quote: string): number {
  const sign = quote.at(-1) ?? '"';
  const depth = quote.length - 1;
  const most = Math.min(text.length, start + MAX_VALUE);
  for (let at = start; at < most; at++) {
    const now = text[at];
    if (now === sign) return depth === 0 ? at : start + text.slice(start, at).replace(/\\+$/, "").length;
    if (now === "\n" || now === "\r") return at;
    if (now !== "\\") continue;
    let run = at;
    while (text[run] === "\\" && run < most) run++;
    if (depth > 0 && text[run] === sign && run - at <= depth) return at;
    at = run;
  }
  return most;
}

/** A value without quotes; brackets belong to it only where they are closed. */
function bare(text: string, at: number): string {
  const value = matchAt(/[^\s"'`\\&;,<>|]{1,256}/y, text, at) ?? "";
  return /^[^()[\]{}]*[)\]}]+$/.test(value.slice(0, 512)) ? value.replace(/[)\]}]+$/, "") : value;
}

/** Where a value ends of which only the beginning was looked at. */
function restOf(text: string, at: number, value: string): number {
  const end = at + value.length;
  return value.length < 256 ? end : end + (matchAt(/[^\s"'`\\&;,<>|]{0,4096}/y, text, end) ?? "").length;
}

function isLineStart(text: string, start: number, from: number): boolean {
  const before = text.slice(Math.max(from, start - 60), start);
  return /(?:^|[\r\n])[ \t]*(?:- |export |set |ENV |env |\/\/[\w./-]+:)?["'$]?$/.test(before);
}

function lineBefore(text: string, at: number, from: number): string {
  const before = text.slice(Math.max(from, at - 300), at);
  return before.slice(
    Math.max(before.lastIndexOf("\n"), before.lastIndexOf(";"), before.lastIndexOf("&&")) + 1,
  );
}

function isNameSign(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return NAME_SIGNS[code] === 1;
  // Punctuation of East Asian scripts divides as well.
  return (
    !(code >= 0x2010 && code <= 0x205f) &&
    !(code >= 0x3000 && code <= 0x3020) &&
    code !== 0xff1a &&
    code !== 0xff1d &&
    code !== 0xff0c &&
    !NOT_SAID.has(text[at] ?? "")
  );
}

/** "Is", in scripts that write without spaces. */
const NOT_SAID: ReadonlySet<string> = new Set(["是", "为", "為", "は"]);

const NAME_SIGNS = new Uint8Array(128).map((_, code) => (/[\w.-]/.test(String.fromCharCode(code)) ? 1 : 0));

function isAlphanumeric(text: string, at: number): boolean {
  return at >= 0 && /[A-Za-z0-9]/.test(text[at] ?? "");
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
