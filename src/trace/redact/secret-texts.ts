import { COMMAND_RULES } from "./secret-commands.ts";
import { DOCUMENT_RULES } from "./secret-documents.ts";
import { NAME_MARKS, type SecretName, secretName } from "./secret-names.ts";
import {
  isBasicCredentials,
  isExpression,
  isLikelySecret,
  isMixed,
  isPath,
  isPlaceholder,
  isSecret,
  looksRandom,
  UUID,
} from "./secret-values.ts";
import {
  costOf,
  type Found,
  isAlphanumeric,
  lastLine,
  matchAt,
  type Reading,
  type TextRule,
} from "./text-rule.ts";

export const TEXT_RULES: readonly TextRule[] = [
  { kinds: ["private-key"], marks: ["-----BEGIN"], find: privateKey },
  { kinds: ["private-key"], marks: ["LS0tLS1CRUdJTi"], find: encodedKey },
  { kinds: ["jwt"], marks: ["eyJ"], find: webToken },
  { kinds: ["url-password"], marks: ["://"], find: userInfo },
  {
    kinds: ["webhook"],
    marks: [
      "hooks.",
      "/webhook",
      ".webhook.office",
      "/services/T",
      "/hooks/",
      "maker.ifttt",
      "hook.",
      "/v2/hook/",
      ".pipedream.net",
    ],
    find: webhook,
  },
  {
    kinds: ["authorization"],
    marks: ["basic ", "bearer ", "bearer\t", "apikey ", "-----token "],
    find: scheme,
  },
  ...COMMAND_RULES,
  ...DOCUMENT_RULES,
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

const MAX_VALUE = 4096;
const MAX_JUDGED = 1024;

function privateKey(text: string, at: number): Found | undefined {
  const head = matchAt(/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y, text, at);
  if (head === "") return undefined;
  const end = endOfKey(text, at + head.length);
  const foot = matchAt(/-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y, text, end);
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

/** A key whose text is written in Base64 once more. */
function encodedKey(text: string, at: number, _from: number, { spend }: Reading): Found | undefined {
  if (isAlphanumeric(text, at - 1)) return undefined;
  const head = matchAt(/LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{16,64}/y, text, at);
  if (head === "" || !/PRIVATE KEY/.test(Buffer.from(head, "base64").toString("latin1"))) return undefined;
  let end = at + head.length;
  for (;;) {
    const piece = matchAt(
      /[A-Za-z0-9+/_-]{1,65536}={0,2}(?:(?:\r?\n|\\n)[ \t]{0,40}(?=[A-Za-z0-9+/]{20}))?/y,
      text,
      end,
    );
    if (piece === "") break;
    end += piece.length;
    spend(piece.length / 64);
    if (!/\s$|\\n$/.test(piece)) break;
  }
  return { kind: "private-key", start: at, end };
}

function webToken(text: string, at: number, _from: number, { spend }: Reading): Found | undefined {
  if (isAlphanumeric(text, at - 1)) return undefined;
  const head = matchAt(/eyJ[\w-]{8,4096}\.?/y, text, at);
  spend(head.length / 64);
  if (!head.endsWith(".")) return undefined;
  const body = matchAt(/[\w-]{4,65536}/y, text, at + head.length);
  spend(body.length / 64);
  // What is encrypted with a key that both sides have has an empty second part.
  const parts = body === "" ? /(?:\.[\w-]{4,65536}){3}/y : /(?:\.[\w-]{4,65536}){1,3}/y;
  const rest = matchAt(parts, text, at + head.length + body.length);
  if (rest === "") return undefined;
  return { kind: "jwt", start: at, end: at + head.length + body.length + rest.length };
}

/** `https://user:password@host`, and `https://token@host`. */
function userInfo(text: string, at: number, from: number): Found | undefined {
  if (!/[a-z0-9+.-]/i.test(text.charAt(at - 1))) return undefined;
  const info = matchAt(/[^\s/?#"'<>\\`@]{1,512}(?:@[^\s/?#"'<>\\`@]{1,128})?(?=@)/y, text, at + 3);
  if (info === "") return undefined;
  const colon = info.indexOf(":");
  const start = at + 3 + (colon < 0 ? 0 : colon + 1);
  const secret = info.slice(colon + 1);
  if (start < from || isPlaceholder(secret) || secret === "") return undefined;
  if (colon < 0 && !looksRandom(secret, 16)) return undefined;
  if (secret === "x-oauth-basic") return { kind: "url-password", start: at + 3, end: at + 3 + colon };
  return { kind: "url-password", start, end: at + 3 + info.length };
}

/** Addresses of which each who knows them may write. */
function webhook(text: string, at: number, from: number, { spend }: Reading): Found | undefined {
  spend(2);
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
    String.raw`(maker\.ifttt\.com/trigger/[\w-]{1,80}/(?:json/)?with/key/)[\w-]{16,80}`,
    String.raw`(\bhook\.(?:\w{2,6}\.)?(?:make\.com|integromat\.com)/)\w{20,60}`,
    String.raw`(\bopen\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/)[\w-]{20,60}`,
    String.raw`(\bqyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=)[\w-]{20,60}`,
    String.raw`(//)[a-z0-9]{12,40}(?=\.m\.pipedream\.net)`,
    String.raw`(/hooks/)(?:[a-z0-9]{26}|[A-Za-z0-9]{17,24}/[A-Za-z0-9]{40,64})(?![\w/-])`,
    String.raw`(hooks\.zapier\.com/hooks/catch/)\d{4,12}/\w{5,20}`,
  ].join("|"),
  "i",
);

/** `Basic …` and `Bearer …`, wherever they stand. */
function scheme(text: string, at: number): Found | undefined {
  if (isAlphanumeric(text, at - 1)) return undefined;
  const found = matchAt(/(?:basic|bearer|apikey)[ \t]{1,4}(?=[\w.~+/=-]{8})/iy, text, at);
  if (found === "") return undefined;
  const start = at + found.length;
  const value = matchAt(/[\w.~+/=-]{8,4096}/y, text, start);
  const isOne = /^basic/i.test(found)
    ? isBasicCredentials(value)
    : looksRandom(value) || UUID.test(value) || (value.length >= 16 && isMixed(value));
  return isOne ? { kind: "authorization", start, end: start + value.length } : undefined;
}

function assignment(kind: string): TextRule["find"] {
  return (text, at, _from, { spend }) => {
    const name = matchAt(/[A-Za-z]{4,24}=/y, text, at);
    const start = at + name.length;
    const value = matchAt(/[^\s;"'\\<>]{16,1024}/y, text, start);
    spend(costOf(value.length));
    if (value === "" || isPlaceholder(value)) return undefined;
    return { kind, start, end: start + value.length };
  };
}

/** What stands under a name: `name=value`, `"name": "value"`, `--name value`, `<name>value</name>`, `name is value`. */
function named(text: string, mark: number, from: number, reading: Reading): Found | undefined {
  const { spend } = reading;
  const at = text[mark] === "?" || text[mark] === "&" ? mark + 1 : mark;
  let start = at;
  while (start > from && start > at - 48 && isNameSign(text, start - 1)) start--;
  let end = at;
  while (end < text.length && end < at + 64 && isNameSign(text, end)) end++;
  const two = text[end] === " " ? matchAt(TWO_WORDS, text, at) : "";
  if (two.length > end - at) end = at + two.length;
  else if (mark < reading.nameEnd) return undefined;
  reading.nameEnd = end;
  // A sign that is encoded is none of the name.
  if (text[start - 1] === "%") start += matchAt(/(?:25){0,3}[0-9A-F]{2}/iy, text, start).length;
  // What stands for a secret names its kind.
  if (text.startsWith("[redacted:", start - 10)) return undefined;
  const isFlag = text.startsWith("--", start);
  const isShortFlag =
    !isFlag && /^-[A-Za-z]{3}/.test(text.slice(start, start + 4)) && /^[\s"']?$/.test(text.charAt(start - 1));
  const name = secretName(text.slice(start, end).replace(/^[-.]+/, ""), spend);
  if (name === undefined) return address(text, start, end);
  const place: Place = { text, start, end, from, isFlag, isShortFlag, name, spend };
  const value =
    assigned(place) ??
    element(place) ??
    field(place) ??
    cell(place) ??
    argument(place) ??
    flagged(place) ??
    proseSecret(place);
  return value && value.start >= from ? { kind: name.kind, ...value } : undefined;
}

const TWO_WORDS =
  /(?:(?:api|access|secret|private|signing|encryption|auth|refresh|bearer|master|account|recovery|seed|session) (?:key|token|secret|id|code|phrase)s?|mots? de passe)(?![\w-])/iy;

/** `?key=…` and `?code=…` of an address. */
function address(text: string, start: number, end: number): Found | undefined {
  if (
    !/^(?:key|code)$/i.test(text.slice(start, end)) ||
    !/[?&]/.test(text.charAt(start - 1)) ||
    text[end] !== "="
  )
    return undefined;
  const value = matchAt(/[^\s&"'<>\\#]{16,512}/y, text, end + 1);
  if (value === "" || !looksRandom(value, 20)) return undefined;
  return { kind: "secret", start: end + 1, end: end + 1 + value.length };
}

interface Place {
  readonly text: string;
  /** Of the name. */
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly isFlag: boolean;
  /** Of one dash, as Java and PowerShell have them. */
  readonly isShortFlag: boolean;
  readonly name: SecretName;
  readonly spend: Reading["spend"];
}

type Range = Pick<Found, "start" | "end">;

function assigned(place: Place): Range | undefined {
  const { text, start, end, from, isFlag, name, spend } = place;
  if (text[end] === "%") return encoded(place);
  const sign = matchAt(
    /\\{0,3}["'`]?\]?\*{0,2}[ \t]{0,8}(?:=>|:=|\?=|=(?!=)|[:：＝](?![:/]))\*{0,2}(?:\r?\n)?[ \t]{0,40}(?:[A-Za-z]{0,2}(?=["']))?/y,
    text,
    end,
  );
  if (sign === "") return undefined;
  const block = /^["']?[ \t]{0,8}:/.test(sign) ? indented(place) : undefined;
  if (block !== undefined) return block;
  const at = end + sign.length;
  const isAuthorization = name.kind === "authorization";
  const quote = matchAt(/\\{0,3}["'`]/y, text, at);
  if (quote !== "") {
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
    const value = matchAt(/[^\r\n"'\\]{1,1024}/y, text, at);
    spend(costOf(value.length));
    if (!/=/.test(value.slice(0, 256)) || !isSecret(value, { ...name, isSure: false })) return undefined;
    const whole = matchAt(/[^\r\n"'\\]{1,4096}/y, text, at);
    return { start: at, end: at + whole.trimEnd().length };
  }
  const isTight = /^[=]$/.test(sign);
  const value = bare(text, at);
  if (value === "") return undefined;
  if (name.kind === "mnemonic" || /phrase$/i.test(text.slice(start, end))) {
    const words = matchAt(/(?:[a-z]{3,9}[ ,]{1,2}){8,32}[a-z]{3,9}/y, text, at);
    if (words !== "") return { start: at, end: at + words.length };
  }
  spend(costOf(value.length));
  const range = (): Range => ({ start: at, end: restOf(text, at, value) });
  if (isPlaceholder(value) || isExpression(value)) return undefined;
  const isCertain = isMixed(value) || looksRandom(value, 8);
  const isSure = name.isSure || (isTight && name.kind === "password" && isConnection(text, start, from));
  if (!isSure || !isWhole(text, at, value)) return isSecret(value, name) && isCertain ? range() : undefined;
  if (isFlag || isCertain) return isSecret(value, name) ? range() : undefined;
  const isLine = isLineStart(text, start, from);
  // A line of a file of settings has nothing but the name and the value.
  if (isTight && !/[,)]/.test(text.charAt(at + value.length)))
    return value.length > 2 && isSecret(value, { ...name, isSure }) ? range() : undefined;
  if (!isLine || !/^:[ \t]+$/.test(sign)) return undefined;
  return /^[ \t]*(?:#.*)?(?:\r?\n|$)/.test(text.slice(at + value.length, at + value.length + 200)) &&
    /^[^{[|>*&!%@].{2,}$/.test(value) &&
    isSecret(value, name)
    ? range()
    : undefined;
}

/** `Driver=…;UID=sa;PWD=…;` */
function isConnection(text: string, start: number, from: number): boolean {
  if (text[start - 1] !== ";" && text[start - 2] !== ";") return false;
  const before = text.slice(Math.max(from, start - 200), start);
  return /\b(?:uid|user(?: ?id|name)?|server|driver|data source|dsn|database|host)=[^;=\r\n]{0,100};(?:[^;=\r\n]{1,40}=[^;=\r\n]{0,100};){0,4} ?$/i.test(
    before,
  );
}

/** `password%3Dvalue`, as it stands in an address inside an address. */
function encoded({ text, end, name, spend }: Place): Range | undefined {
  const sign = matchAt(
    /%(?:25){0,3}3D(?:%(?:25){0,3}22)?|(?:%(?:25){0,3}22)?%(?:25){0,3}3A(?:%20|\+)?(?:%(?:25){0,3}22)?/iy,
    text,
    end,
  );
  if (sign === "") return undefined;
  const at = end + sign.length;
  const value = matchAt(
    /(?:(?!%(?:25){0,3}(?:26|23|22|2C|7D|0A|0D|3B))[^\s"'`\\&;,<>|]){1,4096}/iy,
    text,
    at,
  );
  spend(costOf(value.length));
  const plain = value
    .slice(0, MAX_JUDGED)
    .replaceAll(/%(?:25){0,3}([0-9A-F]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  return value !== "" && isSecret(plain, name) ? { start: at, end: at + value.length } : undefined;
}

/** A block of YAML, or a value on the line behind its name. */
function indented({ text, start, end, name, spend }: Place): Range | undefined {
  const head = matchAt(
    /["']?[ \t]{0,8}:[ \t]{0,8}([|>][+-]?\d?[+-]?[ \t]{0,8}(?:#[^\r\n\\]{0,80})?)?(?:\r?\n|\\r\\n|\\n)(?=[ \t])/y,
    text,
    end,
  );
  if (head === "") return undefined;
  const margin = marginOf(text, start);
  const at = end + head.length;
  const indent = matchAt(/[ \t]{1,64}/y, text, at);
  if (indent.length <= margin) return undefined;
  if (!/[|>]/.test(head)) {
    const value = matchAt(
      /[^\s\\:"'{[&*!|>#-][^\s\\:]{0,1024}(?=[ \t]{0,8}(?:$|[\r\n]|\\[rn]))/y,
      text,
      at + indent.length,
    );
    spend(costOf(value.length));
    if (value === "" || !isLikelySecret(value, name)) return undefined;
    return { start: at + indent.length, end: at + indent.length + value.length };
  }
  let to = at;
  for (;;) {
    const line = matchAt(/[^\r\n\\]{0,4096}/y, text, to);
    if (line.trim() !== "" && !line.startsWith(indent)) break;
    to += line.length;
    const next = matchAt(/\r?\n|\\r\\n|\\n/y, text, to);
    if (next === "" || to - at > MAX_BLOCK) break;
    const following = matchAt(/[^\r\n\\]{0,4096}/y, text, to + next.length);
    if (following.trim() === "" || !following.startsWith(indent)) break;
    to += next.length;
  }
  spend(costOf(to - at) + (to - at) / 64);
  const value = text.slice(at + indent.length, Math.min(to, at + MAX_JUDGED)).trim();
  const isOne = name.isSure ? isSecret(value, name) : isLikelySecret(value, name);
  return isOne ? { start: at + indent.length, end: to } : undefined;
}

/** As many lines of a block are read. */
const MAX_BLOCK = 65_536;

function marginOf(text: string, start: number): number {
  const before = text.slice(Math.max(0, start - 80), start);
  const line = lastLine(before);
  return line.search(/[^ \t]|$/);
}

/** A part of a form, `name="password"` in its head, and a field of a page, `<input type=password value=…>`. */
function field({ text, start, end, from, name, spend }: Place): Range | undefined {
  if (text[start - 1] !== '"' && text[start - 1] !== "'" && text[start - 1] !== "=") return undefined;
  const before = text.slice(Math.max(from, start - 400), start);
  const attribute =
    /(?:^|[\s;])(type|name|id|autocomplete|property|key|data-testid) {0,2}= {0,2}\\{0,3}["']?$/i.exec(
      before,
    )?.[1];
  if (attribute === undefined) return undefined;
  const isKind = /^(?:type|autocomplete|id)$/i.test(attribute);
  const gap = matchAt(
    /\\{0,3}"(?:; ?[^\r\n\\]{0,200})?(?:(?:\r?\n|\\r\\n|\\n)[\w-]{1,40}:[^\r\n\\]{0,200}){0,4}(?:\r?\n|\\r\\n|\\n){2}/y,
    text,
    end,
  );
  if (gap !== "") {
    const at = end + gap.length;
    const value = matchAt(/[^\r\n\\]{1,4096}/y, text, at);
    spend(costOf(value.length));
    return value !== "" && !value.startsWith("--") && isSecret(value.slice(0, MAX_JUDGED), name)
      ? { start: at, end: at + value.length }
      : undefined;
  }
  const open = before.lastIndexOf("<");
  if (open < 0 || before.includes(">", open)) return undefined;
  const offset = start - before.length + open;
  const tag = matchAt(/<[^<>]{1,1500}/y, text, offset);
  spend(tag.length / 64);
  const range = VALUE_OF_TAG.exec(tag)
    ?.indices?.slice(1)
    .find((each) => each !== undefined);
  if (range === undefined) return undefined;
  const value = tag.slice(...range);
  const isField = isKind && name.kind === "password" && /^<input/i.test(tag);
  if (!(isField ? isSecret(value, name) && /\S{3}/.test(value) : isSecret(value, name))) return undefined;
  return { start: offset + range[0], end: offset + range[1] };
}

const VALUE_OF_TAG =
  /\s(?:value|content) {0,2}= {0,2}\\{0,3}(?:"([^"\\]{1,1024})|'([^'\\]{1,1024})|([^\s"'\\>]{1,1024}))/di;

/** `| password | value |` */
function cell({ text, start, end, name }: Place): Range | undefined {
  const gap = matchAt(/[`*]{0,3} {0,40}\| {0,40}[`*]{0,3}(?=[^\s|])/y, text, end);
  if (gap === "" || !/\|[ `*]{0,40}(?:[\w.-]{1,30} ){0,3}$/.test(text.slice(Math.max(0, start - 120), start)))
    return undefined;
  const at = end + gap.length;
  const value = matchAt(/[^\s|`]{4,512}(?=[`*]{0,3} {0,40}\|)/y, text, at);
  if (value === "" || !isLikelySecret(value, name)) return undefined;
  return { start: at, end: at + value.length };
}

/** `setPassword("…")`, `define("DB_PASSWORD", "…")`. */
function argument({ text, start, end, name, spend }: Place): Range | undefined {
  const gap =
    text[end] === "("
      ? matchAt(/\(\s{0,8}(?:@?[bfru]?|new String\()\\{0,3}["'`]/y, text, end)
      : matchAt(/\\{0,3}["'],\s{0,8}\\{0,3}["'`]/y, text, end);
  if (gap === "") return undefined;
  const before = text.slice(Math.max(0, start - 40), start);
  if (text[end] !== "(" && !/\(\s{0,8}(?:[\w.]{1,20},\s{0,4})?\\{0,3}["']$/.test(before)) return undefined;
  const isSet =
    text[end] === "("
      ? /^\.?(?:set|with)/i.test(text.slice(start, end)) ||
        /^\.(?:password|passwd|secret)$/i.test(text.slice(start, end))
      : /(?:define|set\w*|put|add\w*|append|withEnv)\(/i.test(before);
  const at = end + gap.length;
  const value = matchAt(/[^"'`\\\r\n]{3,1024}/y, text, at);
  spend(costOf(value.length));
  if (value === "" || !/^["'`\\]/.test(text.slice(at + value.length, at + value.length + 1)))
    return undefined;
  return (isSet ? isSecret(value, name) : isLikelySecret(value, name))
    ? { start: at, end: at + value.length }
    : undefined;
}

/** Not an own word in a sentence, nor the beginning of a call. */
function isWhole(text: string, at: number, value: string): boolean {
  return !/^[ \t]?[([]/.test(text.slice(at + value.length, at + value.length + 2));
}

/** The value of an element, or of the attribute `value` behind one that names it. */
function element({ text, start, end, name, spend }: Place): Range | undefined {
  if (!/[>"' <]/.test(text.charAt(end)) || (text[end] === " " && !/[<:]/.test(text.charAt(start - 1))))
    return undefined;
  const isElement =
    text[start - 1] === "<" || /(?:^|<)[\w-]{1,20}:$/.test(text.slice(Math.max(0, start - 20), start));
  const head = isElement
    ? matchAt(/(?: [^<>\r\n]{0,80})?>(?:<!\[CDATA\[)?\s{0,8}/y, text, end)
    : matchAt(/["'](?: |\s{1,40})(?:value|content|password)\s?=\s?["']/y, text, end) ||
      matchAt(/<\/(?:key|name|Name|Key)>\s{0,20}<(?:string|value|Value)>/y, text, end);
  if (head === "") return undefined;
  const at = end + head.length;
  const value = matchAt(
    isElement || head.endsWith(">") ? /[^<>\r\n]{1,2048}/y : /[^"'<>\r\n]{1,2048}/y,
    text,
    at,
  );
  spend(costOf(value.length));
  if (value === "" || !isSecret(value.trim(), name)) return undefined;
  return { start: at, end: at + value.trimEnd().length };
}

/** `--password value`; in netrc and SQL the word alone. */
function flagged({ text, start, end, from, isFlag, isShortFlag, name, spend }: Place): Range | undefined {
  const gap = matchAt(/["']?,?[ \t]{1,8}["']?/y, text, end);
  if (gap === "" || text[start - 1] === "<") return undefined;
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
  if (
    !isFlag &&
    !isShortFlag &&
    !isNetrc &&
    !isStatement &&
    !isSetting &&
    !(text[start - 1] === "$" && isQuoted)
  )
    return undefined;
  const at = end + gap.length;
  const value = matchAt(isQuoted ? /[^"'\r\n]{1,1024}/y : /[^\s"'`;|<>]{1,1024}/y, text, at);
  spend(costOf(value.length));
  if (value === "" || /^-{1,2}[a-z]/i.test(value) || isPlaceholder(value)) return undefined;
  if (isNetrc || isStatement) return value.length > 2 ? { start: at, end: at + value.length } : undefined;
  const isOne = isFlag ? isSecret(value, name) : isLikelySecret(value, name);
  return isOne && !isPath(value) ? { start: at, end: at + value.length } : undefined;
}

/** `the password is …`, `password …`: only what looks like nothing else. */
function proseSecret({ text, end, name, spend }: Place): Range | undefined {
  if (name.kind !== "password" && name.kind !== "secret") return undefined;
  const words = matchAt(
    /["'`]?(?:(?: {1,2}(?:for|of|to|on|in)(?: [\w.@-]{1,30}){1,5}?)? {1,2}(?:is|was|are|to|as|ist|lautet|est|es|é|è)(?: {1,2}(?:now|set to|changed to))?:? {1,2}|(?: {1,2}(?:for|of|to) [\w.@-]{1,40}){0,2}:? {1,2}|是|为|：|は)["'`]?/iy,
    text,
    end,
  );
  if (words === "") return undefined;
  const at = end + words.length;
  const value = matchAt(/[^\s"'`,;<>]{6,512}/y, text, at).replace(/[.!?)\]]{1,2}$/, "");
  spend(costOf(value.length));
  const isSaid = /(?:is|was|ist|lautet|est|es|é|è|to|as|是|为|は|：|:)\W*$/i.test(words);
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
function credentials(text: string, start: number, end: number, spend: Reading["spend"]): Range | undefined {
  const head = matchAt(
    /(?:bearer|basic|token|digest|apikey|api-key|negotiate|ntlm|key|dpop|hawk|splunk|genie-?key|bot|sso-key|aws4-hmac-sha256)[ \t]{1,4}(?=\S)/iy,
    text,
    start,
  );
  if (head === "") {
    // A scheme that is not known is one where what follows it is random.
    const other = matchAt(/[A-Za-z][\w-]{1,30}[ \t]{1,4}(?=[^\s"'\\,;<>]{8})/y, text, start);
    const token = other === "" ? "" : matchAt(/[^\s"'\\,;<>]{8,4096}/y, text, start + other.length);
    spend(costOf(token.length));
    if (token.startsWith("[redacted:")) return undefined;
    if (token !== "" && start + other.length < end && looksRandom(token, 16))
      return { start: start + other.length, end: start + other.length + token.length };
  }
  const at = start + head.length;
  const isList = /^(?:digest|hawk|aws4)/i.test(head);
  const value = matchAt(isList ? /[^\r\n'\\]{6,4096}/y : /[^\s"'\\,;<>]{1,4096}/y, text, at);
  spend(costOf(value.length));
  if (value === "" || at >= end || isPlaceholder(value)) return undefined;
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
  const value = matchAt(/[^\s"'`\\&;,<>|]{1,256}/y, text, at);
  return /^[^()[\]{}]*[)\]}]+$/.test(value.slice(0, 512)) ? value.replace(/[)\]}]+$/, "") : value;
}

/** Where a value ends of which only the beginning was looked at. */
function restOf(text: string, at: number, value: string): number {
  const end = at + value.length;
  return value.length < 256 ? end : end + matchAt(/[^\s"'`\\&;,<>|]{0,4096}/y, text, end).length;
}

function isLineStart(text: string, start: number, from: number): boolean {
  const before = text.slice(Math.max(from, start - 60), start);
  return /(?:^|[\r\n])[ \t]*(?:- |export |set |ENV |env |\/\/[\w./-]+:)?["'$]?$/.test(before);
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
    !NOT_SAID.has(text.charAt(at))
  );
}

/** "Is", in scripts that write without spaces. */
const NOT_SAID: ReadonlySet<string> = new Set(["是", "为", "為", "は"]);

const NAME_SIGNS = new Uint8Array(128).map((_, code) => (/[\w.-]/.test(String.fromCharCode(code)) ? 1 : 0));
