import { secretName } from "./secret-names.ts";
import { isLikelySecret, isPlaceholder, isSecret, looksRandom } from "./secret-values.ts";
import { type Found, groupAt, lastLine, matchAt, type Reading, type TextRule } from "./text-rule.ts";

/** Files and protocols in which secrets have their place. */
export const DOCUMENT_RULES: readonly TextRule[] = [
  {
    kinds: ["private-key"],
    marks: ['"d"', '"d\\', '"p"', '"p\\', '"q"', '"q\\', '"k"', '"k\\', '"dp', '"dq', '"qi'],
    find: keyMember,
  },
  { kinds: ["private-key"], marks: ["Private-Lines:"], find: puttyKey },
  { kinds: ["secret"], marks: ["kind: Secret"], find: vaultManifest },
  {
    kinds: ["password"],
    marks: ["WIFI:"],
    find: place(/WIFI:(?:[A-Z]:(?:[^;\\\r\n]|\\.){0,64};){0,4}P:((?:[^;\\\r\n]|\\.){3,128});/dy, "password"),
  },
  {
    kinds: ["password"],
    marks: ["@tcp(", "@unix("],
    find: behind(/[\w.-]{1,64}:([^\s@"'/:]{1,128})$/d, "password"),
  },
  {
    kinds: ["password"],
    marks: [":543", ":643", "*:*:", ":*:"],
    find: passwordFile,
  },
  {
    kinds: ["cookie"],
    marks: ["\tTRUE\t", "\tFALSE\t"],
    find: jarCookie,
  },
  { kinds: ["password"], marks: ["PASS ", "LOGIN ", "AUTH "], find: greeting },
  { kinds: ["password", "secret"], marks: ["values (", "values(", "values\n"], find: inserted },
  {
    kinds: ["password", "secret"],
    marks: [",passw", "passwd,", "sword,", ",secret", "secret,", ",token", "token,", "_key,", ",api_key"],
    find: columns,
  },
];

const MAX_BESIDE = 4096;

function place(pattern: RegExp, kind: string): (text: string, at: number) => Found | undefined {
  return (text, at) => found(text, groupAt(pattern, text, at), kind);
}

/** Before the mark. */
function behind(pattern: RegExp, kind: string): TextRule["find"] {
  return (text, at, from) => {
    const offset = Math.max(from, at - 200);
    const group = pattern.exec(text.slice(offset, at))?.indices?.[1];
    return group && found(text, [offset + group[0], offset + group[1]], kind);
  };
}

function found(text: string, range: readonly [number, number] | undefined, kind: string): Found | undefined {
  if (range === undefined || isPlaceholder(text.slice(...range))) return undefined;
  return { kind, start: range[0], end: range[1] };
}

/** What only the owner has of a key that is written as JSON. */
function keyMember(text: string, at: number, _from: number, { spend }: Reading): Found | undefined {
  const group = groupAt(
    /\\{0,3}"(?:d|p|q|k|dp|dq|qi)\\{0,3}"\s{0,8}:\s{0,8}\\{0,3}"([\w-]{16,2048})\\{0,3}"/dy,
    text,
    at,
  );
  if (group === undefined) return undefined;
  spend(4);
  const beside = text.slice(Math.max(0, at - MAX_BESIDE), group[1] + MAX_BESIDE);
  return /"kty\\{0,3}"/.test(beside) ? found(text, group, "private-key") : undefined;
}

function puttyKey(text: string, at: number, _from: number, { spend }: Reading): Found | undefined {
  const head = matchAt(/Private-Lines: \d{1,3}(?:\r?\n|\\n)/y, text, at);
  if (head === "") return undefined;
  const lines = matchAt(/(?:[A-Za-z0-9+/=]{1,80}(?:\r?\n|\\n)?){1,100}/y, text, at + head.length);
  spend(lines.length / 64);
  if (lines === "") return undefined;
  return { kind: "private-key", start: at + head.length, end: at + head.length + lines.trimEnd().length };
}

/** Each value of a Secret of Kubernetes, before and behind its kind. */
function vaultManifest(text: string, at: number, from: number, reading: Reading): Found | undefined {
  if (!/^(?:$|\s)/.test(text.slice(at + 12, at + 13))) return undefined;
  const offset = Math.max(from, reading.readTo, at - MAX_BESIDE);
  const before = text.slice(offset, at);
  const end = Math.min(text.length, at + MAX_BESIDE);
  const document =
    before.slice(before.lastIndexOf("\n---") + 1) + text.slice(at, end).split("\n---", 1).join("");
  reading.spend(document.length / 32);
  reading.readTo = Math.max(end, reading.readTo);
  /** How far the names in a list of data stand from the margin, at least. */
  let margin: number | undefined;
  let line = at - (before.length - (before.lastIndexOf("\n---") + 1));
  const all: Found[] = [];
  for (const each of document.split("\n")) {
    const indent = each.search(/\S/);
    if (margin !== undefined && indent >= 0 && indent <= margin) margin = undefined;
    if (/^ {0,16}(?:data|stringData):\s*$/.test(each)) margin = indent;
    else if (margin !== undefined) {
      const value = /^ +[\w."-]{1,128}: +["']?([^\s"'|>][^\s"']*)/d.exec(each)?.indices?.[1];
      const one = value && found(text, [line + value[0], line + value[1]], "secret");
      if (one) all.push(one);
    }
    line += each.length + 1;
  }
  return inOrder(all);
}

/** `host:5432:database:user:password` */
function passwordFile(text: string, at: number, from: number): Found | undefined {
  const line = lastLine(text.slice(Math.max(from, at - 128), at));
  if (!/^(?:[\w.-]{1,128}|\*)?(?::[^:\s]{1,64})?$/.test(line)) return undefined;
  const start = at - line.length;
  return place(
    /(?:[\w.*-]{1,128}):(?:\d{2,5}|\*):[\w.*-]{1,64}:[\w.*-]{1,64}:((?:[^:\\\s]|\\[:\\]){3,128})(?=\s|$|\\n)/dy,
    "password",
  )(text, start);
}

/** A line of the file in which browsers and curl keep cookies. */
function jarCookie(text: string, at: number): Found | undefined {
  const range = groupAt(
    /\t(?:TRUE|FALSE)\t[^\t\r\n]{0,256}\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\r\n]{1,128}\t([^\t\r\n]{4,4096})/dy,
    text,
    at,
  );
  if (range === undefined || !looksRandom(text.slice(...range).slice(0, 256), 16)) return undefined;
  return found(text, range, "cookie");
}

/** What clients of mail, files and Redis say first. */
function greeting(text: string, at: number, from: number): Found | undefined {
  const before = text.slice(Math.max(from, at - 200), at);
  const line = lastLine(before);
  const group = groupAt(
    /(?:PASS ([^\s\\"']{3,128})(?=[\r\n]|$|\\[rn])|LOGIN "?[^\s"\\]{1,128}"? "?([^\s"\\]{3,128})"?(?=[\r\n]|$|\\[rn])|AUTH (?:PLAIN|LOGIN|XOAUTH2) ([A-Za-z0-9+/=]{8,4096})|AUTH (?:[\w-]{1,64} )?([^\s\\"']{3,512})(?=["'\r\n]|$|\\[rn]))/dy,
    text,
    at,
  );
  if (group === undefined) return undefined;
  const [word] = text.slice(at, at + 5).split(" ");
  const fits =
    word === "PASS"
      ? /^(?:[<>C:\s-]{0,6})$/.test(line) && /(?:^|[\s>])USER \S/.test(before)
      : word === "LOGIN"
        ? /^(?:[<>C:\s]{0,4})[A-Za-z]{0,4}\d{1,6} $/.test(line)
        : /^(?:[<>C:\s]{0,4}|[\w.:-]{1,64}> ?|redis-cli )$/.test(line) && isLikelyWord(text.slice(...group));
  return fits ? found(text, group, "password") : undefined;
}

function isLikelyWord(word: string): boolean {
  return isLikelySecret(word, { kind: "password", isSure: true, isPlural: false });
}

/** `INSERT INTO users (name, password) VALUES ('ann', '…'), …` */
function inserted(text: string, at: number, from: number, reading: Reading): Found | undefined {
  if (at < reading.readTo) return undefined;
  const { spend } = reading;
  if (!/\)\s{0,8}$/.test(text.slice(Math.max(from, at - 9), at))) return undefined;
  const names = /\(([^()]{1,1000})\)\s{0,8}$/
    .exec(text.slice(Math.max(from, at - 1024), at))?.[1]
    ?.split(",");
  if (names === undefined) return undefined;
  const about = names.map((name) => secretName(name.replaceAll(/[\s"'`[\]\\]/g, "").slice(0, 120), spend));
  if (about.every((each) => each === undefined)) return undefined;
  const all: Found[] = [];
  let row = at + matchAt(/values\s{0,8}/iy, text, at).length;
  for (let count = 0; count < MAX_ROWS && text[row] === "("; count++) {
    row++;
    for (const name of about) {
      const item = matchAt(
        /\s{0,20}(?:E?'(?:[^'\\]|''|\\[^'])*'|\\?"[^"\\]{0,4096}\\?"|[^,()'"]{1,400}(?:\([^()]{0,200}\))?)\s{0,20}/y,
        text,
        row,
      );
      if (item === "") break;
      spend(item.length / 32);
      const quoted = /^\s*E?\\?["']([^]*?)\\?["']\s*$/d.exec(item)?.indices?.[1];
      if (name && quoted && isSecret(item.slice(...quoted).slice(0, 1024), name))
        all.push({ kind: name.kind, start: row + quoted[0], end: row + quoted[1] });
      row += item.length;
      if (text[row] !== ",") break;
      row++;
    }
    row += matchAt(/\s{0,8}\)\s{0,8},\s{0,40}/y, text, row).length;
  }
  reading.readTo = row;
  return inOrder(all);
}

/** A table of values with commas, of which the first line names a secret. */
function columns(text: string, at: number, from: number, reading: Reading): Found | undefined {
  if (at < reading.readTo) return undefined;
  const { spend } = reading;
  const before = text.slice(Math.max(from, at - MAX_HEAD), at);
  const start = at - before.length + before.lastIndexOf("\n") + 1;
  if (start > 0 && text[start - 1] !== "\n") return undefined;
  const head = matchAt(/[\w."\- ]{1,64}(?:,[\w."\- ]{1,64}){1,40}(?=\r?\n)/y, text, start);
  spend(head.length / 64);
  if (head === "" || start + head.length < at) return undefined;
  reading.readTo = start + head.length;
  const about = head.split(",").map((name) => secretName(name.replaceAll('"', "").trim(), spend));
  const all: Found[] = [];
  let row = start + head.length;
  for (let count = 0; count < MAX_ROWS; count++) {
    row += matchAt(/\r?\n/y, text, row).length;
    const cells = matchAt(
      /(?:"(?:[^"]|""){0,1024}"|[^",\r\n]{0,1024})(?:,(?:"(?:[^"]|""){0,1024}"|[^",\r\n]{0,1024})){1,40}/y,
      text,
      row,
    );
    if (cells === "") break;
    spend(cells.length / 32);
    let cell = row;
    for (const name of about) {
      const item = matchAt(/"(?:[^"]|""){0,1024}"|[^",\r\n]{0,1024}/y, text, cell);
      const quote = item.startsWith('"') ? 1 : 0;
      const value = item.slice(quote, item.length - quote);
      if (name && value.length > 2 && isLikelySecret(value, name))
        all.push({ kind: name.kind, start: cell + quote, end: cell + quote + value.length });
      cell += item.length + 1;
    }
    row += cells.length;
  }
  reading.readTo = row;
  return inOrder(all);
}

/** As long a line may name the columns. */
const MAX_HEAD = 512;
/** As many rows of a table are gone through. */
const MAX_ROWS = 10_000;

function inOrder([first, ...more]: readonly Found[]): Found | undefined {
  return first && { ...first, more };
}
