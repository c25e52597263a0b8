import { isMixed, isPlaceholder } from "./secret-values.ts";
import {
  costOf,
  type Found,
  groupAt,
  lineBefore,
  matchAt,
  type Reading,
  type TextRule,
} from "./text-rule.ts";

/** How programs take passwords on their command line, and calls take them in code. */
export const COMMAND_RULES: readonly TextRule[] = [
  {
    kinds: ["password"],
    marks: ["-u ", '-u"', "-u'", "--user", "--proxy-user", "-a ", " -u", '"-u'],
    find: (text, at, from, reading) => userOption(text, text[at] === "-" ? at : at + 1, from, reading),
  },
  {
    kinds: ["password"],
    marks: [" -p", '"-p', "'-p", " -a ", '"-a"', "'-a'", '"-a\\', " -w ", '"-w"', "'-w'"],
    find: passwordOption,
  },
  { kinds: ["password"], marks: ["identified by ", "identified with "], find: identified },
  {
    kinds: ["password"],
    marks: ["sudo -", "chpasswd", "-stdin", "with-token"],
    find: piped,
  },
  {
    kinds: ["password"],
    marks: ["sqlplus", "sqlcl ", "sqlldr", "expdp", "impdp", "oracle:thin:", "oracle:oci"],
    find: at(
      /(?:(?:sqlplus|sqlcl|sqlldr|expdp|impdp)(?: -\w{1,10}){0,4} ["']?|jdbc:oracle:(?:thin|oci\d?):|oracle:(?:thin|oci\d?):)[\w$#]{1,64}\/([^\s@/"']{1,128})(?=@|["'\s]|$)/dy,
    ),
  },
  {
    kinds: ["password"],
    marks: ["net use", "net user"],
    find: at(
      /net (?:use (?:[a-z]: |\* )?\\{2,4}[^\s\\]{1,64}\\{1,2}\S{1,128} (?![/*])([^\s"']{3,128})|user [^\s/]{1,64} (?![/*])([^\s"']{3,128})(?= \/|$|["'\r\n]))/diy,
    ),
  },
  {
    kinds: ["password"],
    marks: ["freerdp"],
    find: at(/freerdp(?: [^\s|;&]{1,80}){0,8}? \/p:["']?([^\s"'`;|&<>]{3,128})/dy),
  },
  {
    kinds: ["password"],
    marks: ["lftp -u"],
    find: at(/lftp -u ["']?[^\s,"']{1,64},([^\s"'`;|&<>]{3,128})/dy),
  },
  {
    kinds: ["password"],
    marks: ["SecureString"],
    find: at(/SecureString (?:-string )?\\{0,3}["']([^"'\\\r\n]{3,256})\\{0,3}["']/diy),
  },
  {
    kinds: ["password"],
    marks: ["htpasswd -"],
    find: at(
      /htpasswd(?: -[A-Za-z]{1,6})? -?[A-Za-z]{0,6}b[A-Za-z]{0,6} (?:[^\s-]\S{0,200} ){1,2}["']?([^\s"'`;|&<>]{3,128})/dy,
    ),
  },
  {
    kinds: ["secret"],
    marks: ["from-literal"],
    find: (text, mark, from) =>
      /\bsecret\b/.test(lineBefore(text, mark, from))
        ? at(/from-literal[= ]["']?[\w.-]{1,128}=["']?([^\s"'`;|&<>]{3,512})/dy, "secret")(text, mark)
        : undefined,
  },
  {
    kinds: ["password"],
    marks: [
      "BasicAuth(",
      "DigestAuth(",
      "Credential(",
      "Credentials(",
      "PasswordAuthentication(",
      ".login(",
      "auth=(",
    ],
    find: at(
      /[.\w=]{5,40}?\(\s{0,8}\\{0,3}["'][^"'\\\r\n]{1,128}\\{0,3}["'],\s{0,8}\\{0,3}["']([^"'\\\r\n]{3,256})\\{0,3}["']/dy,
    ),
  },
  {
    kinds: ["password"],
    marks: [".fill(", ".type(", "_keys(", "sendKeys(", "setValue(", "pressSequentially("],
    find: filled,
  },
];

/** Which part of a word of a call is a password, by the words before it. */
export function secretOfWord(words: readonly string[], word: string): Found | undefined {
  const line = ` ${words.join(" ")}`.slice(-MAX_LINE);
  const text = `${line} ${word}`;
  const last = words.at(-1) ?? "";
  const reading: Reading = { spend: () => undefined, nameEnd: 0, readTo: 0 };
  const apart = line.length - last.length;
  const found =
    passwordOption(text, line.length, 0) ??
    userOption(text, line.length + 1, 0, reading) ??
    (apart > 0 ? (passwordOption(text, apart - 1, 0) ?? userOption(text, apart, 0, reading)) : undefined);
  if (!found || found.start <= line.length) return undefined;
  return { kind: found.kind, start: found.start - line.length - 1, end: word.length };
}

const MAX_LINE = 300;

/** The group of a pattern, as a password. */
function at(pattern: RegExp, kind = "password"): (text: string, at: number) => Found | undefined {
  return (text, mark) => {
    const group = groupAt(pattern, text, mark);
    if (group === undefined) return undefined;
    const [start, end] = group;
    return isPlaceholder(text.slice(start, end)) ? undefined : { kind, start, end };
  };
}

/** `echo password | sudo -S`, `docker login --password-stdin <<< password`. */
function piped(text: string, mark: number, from: number): Found | undefined {
  const offset = Math.max(from, mark - MAX_LINE);
  const before = text.slice(offset, mark);
  const isSudo = /sudo -/i.test(text.slice(mark, mark + 6));
  if (isSudo && !/^sudo (?:-[a-z] ){0,3}(?:-[a-zA-Z]{0,4}S|--stdin)\b/.test(text.slice(mark, mark + 30)))
    return undefined;
  const indices =
    /(?:\becho|\bprintf)(?: -\w{1,3})?(?: \\?["']%s(?:\\+n)?\\?["'])? {1,4}(?:\\?["']([^"'\\\r\n]{1,256})\\?["']|([^\s"'|]{1,256})) {0,4}\|[^|\r\n]*$/d.exec(
      before,
    )?.indices;
  const range = indices?.[1] ?? indices?.[2];
  if (range === undefined)
    return at(/[\w-]{5,20}(?: -?[\w./:-]{1,64}){0,3} ?<<< ?["']?([^\s"'`;|&<>]{3,256})/dy)(text, mark);
  const given = before.slice(...range);
  const isPair = text.startsWith("chpasswd", mark);
  const secret = isPair ? given.slice(given.indexOf(":") + 1) : given;
  if (secret.length < 3 || isPlaceholder(secret)) return undefined;
  const end = offset + range[1];
  return { kind: "password", start: end - secret.length, end };
}

/** `getByLabel("Password").fill("…")`, `fill("#password", "…")`: what is typed into a field that is named as one of secrets. */
function filled(text: string, mark: number, from: number): Found | undefined {
  const call = matchAt(
    /[.\w]{2,20}?\((?:\s{0,8}\\{0,3}["'`][^\r\n]{1,120}?["'`]\s{0,2},\s{0,8})?\\{0,3}["'`]/y,
    text,
    mark,
  );
  if (call === "") return undefined;
  const field = lineBefore(text, mark, Math.max(from, mark - 120)) + call;
  if (
    !/passw(?:or)?d|passphrase|passwort|contrase|\bpwd\b|\bpin\b|secret|api[ _-]?key|token|\botp\b/i.test(
      field,
    )
  )
    return undefined;
  const start = mark + call.length;
  const value = matchAt(/[^"'`\\\r\n]{3,256}/y, text, start);
  if (value === "" || isPlaceholder(value)) return undefined;
  return { kind: "password", start, end: start + value.length };
}

/** `-u user:password` of programs that call servers. */
function userOption(text: string, at: number, from: number, { spend }: Reading): Found | undefined {
  if (at > 0 && !/[\s"'[(,]/.test(text.charAt(at - 1))) return undefined;
  const option = matchAt(/(?:-[uUa]|--user|--proxy-user)(?:=|["']?,?[ \t]{0,4})["']?/y, text, at);
  if (option === "") return undefined;
  const start = at + option.length;
  const quote = /["']$/.test(option) ? option.at(-1) : undefined;
  const value = matchAt(quote === undefined ? /[^\s"'`]{3,512}/y : /[^"'\r\n]{3,512}/y, text, start);
  spend(costOf(value.length));
  const line = lineBefore(text, at, from);
  const divider =
    text[at + 1] === "U" && /\b(?:smb\w+|rpcclient|winexe|net rpc|wmic)\b/.test(line) ? "%" : ":";
  const colon = value.indexOf(divider);
  if (value === "" || colon < 0 || colon === value.length - 1) return undefined;
  const secret = value.slice(colon + 1);
  const isCaller = /\b(?:curl|wget|https?|xh|lftp|smbclient|svn|mc|aria2c)\b/.test(line);
  if (isPlaceholder(secret) || /^\d{1,5}$/.test(secret) || (!isCaller && !isMixed(secret))) return undefined;
  return { kind: "password", start: start + colon + 1, end: start + value.length };
}

/** `mysql -ppassword`, `sshpass -p password`, `redis-cli -a password`, `docker login -p password`. */
function passwordOption(text: string, at: number, from: number): Found | undefined {
  const option = matchAt(
    /[ "']-[pawP](?: {1,4}| ?=|\\{0,3}["'],\s{0,8}(?=\\{0,3}["']))?\\{0,3}["']?/y,
    text,
    at,
  );
  if (option === "") return undefined;
  const line = lineBefore(text, at + 1, from);
  const isApart = /[ =,]\s*\\*["']?$/.test(option);
  const takes = isApart ? TAKES_APART : TAKES_TOGETHER;
  if (!takes[letterOf(option)].test(line)) return undefined;
  const start = at + option.length;
  const isQuoted = /["']$/.test(option) || text[at] !== " ";
  const value = matchAt(isQuoted ? /[^"'\\\r\n]{1,256}/y : /[^\s"'`;|&<>]{1,256}/y, text, start);
  if (value === "" || isPlaceholder(value) || value.startsWith("-")) return undefined;
  return { kind: "password", start, end: start + value.length };
}

const TAKES_APART = {
  p: /\b(?:sshpass|(?:docker|podman|nerdctl|buildah|skopeo|helm registry|oc|az|cf|argocd|harbor|heroku|crane auth|oras)\s+login|mongosh?|mongodump|mongorestore|twine|nuget|smbclient|cqlsh|influx|couchbase-cli|ldapadd)\b/,
  a: /\b(?:redis-cli|keydb-cli|valkey-cli)\b/,
  w: /\b(?:ldapsearch|ldapadd|ldapmodify|ldapdelete|ldapwhoami)\b/,
  P: /\b(?:sqlcmd|bcp|osql|isql|zip|unzip|zipcloak|ssh-keygen|cadaver)\b/,
} as const;
const TAKES_TOGETHER = {
  p: /\b(?:mysql\w*|mariadb[\w-]*|sshpass|7z[arz]?|rar|unrar)\b/,
  a: /\b(?:redis-cli)\b/,
  w: /\b(?:ldapsearch|ldapadd|ldapmodify)\b/,
  P: /\b(?:sqlcmd|bcp|osql|unzip)\b/,
} as const;

function letterOf(option: string): keyof typeof TAKES_APART {
  const letter = option[2];
  return letter === "a" || letter === "w" || letter === "P" ? letter : "p";
}

/** `IDENTIFIED BY 'password'`. */
function identified(text: string, at: number): Found | undefined {
  const words = matchAt(/identified (?:by|with [\w'"]{1,40} by)(?: password)? {1,4}["']/iy, text, at);
  if (words === "") return undefined;
  const start = at + words.length;
  const value = matchAt(/[^"'\r\n]{1,256}/y, text, start);
  if (value === "" || isPlaceholder(value)) return undefined;
  return { kind: "password", start, end: start + value.length };
}
