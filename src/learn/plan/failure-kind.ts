/**
 * In which way a call failed, by the message of its error: the codes in it; where these do not say enough, its words,
 * without numbers, ids, addresses and the values in `args`, which are the call's own. A code that is one of these values
 * is none. Empty where nothing is said: such failures are not told from others.
 */
export function failureKind(message: string, args: unknown): string {
  const walk = (value: unknown, key: string, visit: (leaf: unknown, key: string) => void): void => {
    if (typeof value !== "object" || value === null) visit(value, key);
    else
      for (const [name, each] of Object.entries(value)) walk(each, Array.isArray(value) ? key : name, visit);
  };
  const given: string[] = [];
  walk(args, "", (leaf) => {
    if (typeof leaf === "string" && leaf.length > 2) given.push(leaf);
  });

  const codes = new Set<string>();
  const texts: string[] = [];
  const start = message.search(/\[\s*\{|\{/);
  const end = Math.max(message.lastIndexOf("}"), message.lastIndexOf("]")) + 1;
  try {
    walk(JSON.parse(message.slice(Math.max(start, 0), end)), "errors", (leaf, key) => {
      const text = String(leaf);
      if (/^(?:(?:error|decline)?_?code|sql_?state|status(?:_?code)?)$/i.test(key)) {
        const isCode = /^\d+$/.test(text) || (!/status/i.test(key) && /^[\w.-]{1,60}$/.test(text));
        if (isCode && !given.includes(text)) codes.add(text);
      } else if (/^(?:errors?|messages?|msg|details?|reason|title|type|(?:error_)?description)$/i.test(key))
        texts.push(text);
    });
    texts.unshift(message.slice(0, start), message.slice(end));
  } catch {
    texts.push(message);
  }
  const errno =
    /\bE(?:ACCES|AGAIN|BUSY|CONN[A-Z]+|EXIST|HOSTUNREACH|INVAL|IO|ISDIR|MFILE|NOENT|NOSPC|NOTDIR|NOTEMPTY|NOTFOUND|PERM|PIPE|ROFS|TIMEDOUT|XDEV)\b|\bErrno \d+/g;
  const http =
    /\b(?:HTTP(?:\/[\d.]+)?|status|error)(?:[ _]?code)?[ :=]{0,3}([45]\d\d)\b|\b([45]\d\d) (?:Bad|Unauthorized|Payment|Forbidden|Not|Method|Conflict|Gone|Precondition|Unprocessable|Validation|Too|Internal|Service|Gateway)\b/gi;
  for (const [code] of message.matchAll(errno)) codes.add(code);
  for (const [, code] of message.matchAll(/\bSQLSTATE\W{0,3}([0-9A-Z]{5})\b/g)) if (code) codes.add(code);
  for (const [, after, before] of message.matchAll(http)) codes.add(after ?? before ?? "");

  const general =
    /^(?:|api|argument|bad|client|err|errors?|exception|execution|fail(?:ed|ure)?|http|input|internal|invalid|mcp|params?|request|runtime|server|tool|type|unknown|unprocessable|validation|value)$/i;
  const isTelling = (code: string): boolean =>
    /^-?\d+$/.test(code)
      ? /^(?:401|404|408|410|429|\d{4,})$/.test(code)
      : /\d/.test(code) || code.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).some((word) => !general.test(word));
  const kept = [...codes].filter((code) => isTelling(code) || /^[45]\d\d$/.test(code)).sort();
  if (kept.some(isTelling)) return kept.join(" ");

  const wordsWithout = (values: readonly string[]): readonly string[] => {
    let text = texts.join(" ").replace(/<\/?\w+>/g, " ");
    text = text.replace(/^\s*(?:(?:mcp |tool )?(?:error|exception)(?: -?\d+)?: *)+/i, "");
    for (const value of values) {
      if (value.length > 100 || !text.includes(value)) continue;
      const literal = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      text = text.replace(new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, "gu"), " 0 ");
    }
    text = text.replace(/(["'`])([^"'`]+)\1/g, (quoted: string, _mark: string, inner: string) =>
      values.some((value) => value.includes(inner)) ? " 0 " : quoted,
    );
    const words = text
      .split(/[\s:;,()=<>[\]{}]+/)
      .map((word) => (/\d|[^/]\/[^/]|@|\\/.test(word) ? "?" : word.toLowerCase()))
      .map((word) => word.replace(/[^\p{L}_?'-]+/gu, "").replace(/^['-]+|['-]+$/g, ""))
      .filter((word) => word !== "");
    return words.filter((word, index) => word !== "?" || words[index - 1] !== "?").slice(0, 40);
  };
  const words = wordsWithout(given.sort((a, b) => b.length - a.length));
  const isSaid = words.some((word) => word !== "?" && !general.test(word));
  const kind = [...kept, ...(isSaid ? words : wordsWithout([]))].join(" ");
  return /[^? ]/.test(kind) ? kind : "";
}
