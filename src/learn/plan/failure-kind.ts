/**
 * In which way a call failed, by the message of its error: the codes in it; where these do not say enough, its words,
 * without numbers, ids, addresses and the values in `args`, which are the call's own. A code that is one of these values
 * is none. Empty where nothing is said: such failures are not told from others.
 */
export function failureKind(error: string, args: unknown): string {
  // JSON in a text of JSON.
  const message = error.replace(/\\+[nrt]/g, " ").replace(/\\+"/g, '"');
  const strings = JSON.stringify([args]).match(/"(?:[^"\\]|\\.)*":?/g) ?? [];
  const values = strings.filter((text) => text.length > 4 && !text.endsWith(":"));
  const given: string[] = JSON.parse(`[${values.join()}]`);
  const general =
    /\b(?:api|argument|bad|client|conflict|err|errors?|exception|execution|fail(?:ed|ure)?|generic|http|input|internal|invalid|mcp|p0001|params?|precondition|request|runtime|server|tool|type|unknown|unprocessable|validation|value)\b/gi;

  const errno =
    /\bE(?:ACCES|AGAIN|BUSY|CONN[A-Z]+|EXIST|HOSTUNREACH|INVAL|IO|ISDIR|MFILE|NOENT|NOSPC|NOTDIR|NOTEMPTY|NOTFOUND|PERM|PIPE|ROFS|TIMEDOUT|XDEV)\b|\bErrno \d+|(?<=\bSQLSTATE\W{0,3})[0-9A-Z]{5}\b|(?<=^\W*(?:error\W{1,3})?)[A-Z]{2,8}-?\d{3,6}(?=\W*$|[:\])] )/g;
  const http =
    /(?<=\b(?:HTTP(?:\/[\d.]+)?|status|error)(?:[ _]?code)?["']?[ :=]{0,3}["']?)[45]\d\d\b|\b[45]\d\d(?= (?:Bad|Unauthorized|Payment|Forbidden|Not|Method|Conflict|Gone|Precondition|Unprocessable|Validation|Too|Internal|Service|Gateway)\b)/gi;
  const named =
    /(?<=["'](?:(?:error|decline)?_?code|sql_?state)["']\s*:\s*["']?)[\w.-]{1,60}(?=["']|\s*[,}\]])/gi;
  const all = [errno, http, named].flatMap((pattern) => message.match(pattern) ?? []);
  const codes = [...new Set(all)].filter((code) => !given.includes(code)).sort();
  const telling = codes.filter((code) =>
    /^-?\d+$/.test(code)
      ? /^(?:401|404|408|410|429|\d{4,})$/.test(code)
      : /\d|[a-z]/i.test(
          code
            .replace(/([a-z])([A-Z])/g, "$1 $2")
            .replace(/[^A-Za-z0-9]+/g, " ")
            .replace(general, ""),
        ),
  );
  const exits =
    message.match(
      /(?<=\b(?:exit(?:ed)?(?: with)?(?: code| status)?|error code|return(?:ed)?(?: code)?|rc|ERROR)[ :=]{1,3})-?\d{1,5}\b/g,
    ) ?? [];
  const kept = codes.filter((code) => telling.includes(code) || /^[45]\d\d$/.test(code)).concat(exits);
  if (telling.length > 0) return kept.join(" ");

  const said =
    message.match(
      /(?<=["'](?:errors?|messages?|msg|details?|reason|title|type|(?:error_)?description)["']\s*:\s*\[?\s*)(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/gi,
    ) ?? [];
  const whole =
    said.length === 0 ? message : message.replace(/[[{][^]*[\]}]/, " ").concat(" ", said.join(" "));
  const text = whole
    .replace(/<\/?\w+>/g, " ")
    .replace(/^\s*(?:(?:mcp |tool )?(?:error|exception)(?: -?\d+)?: *)+/i, "");
  let rest = text;
  for (const value of given.sort((a, b) => b.length - a.length)) {
    if (value.length > 100 || !rest.includes(value)) continue;
    const literal = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    rest = rest.replace(new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, "gu"), " 0 ");
  }
  rest = rest.replace(/(["'`])([^"'`]+)\1/g, (quoted: string, _mark: string, inner: string) =>
    given.some((value) => value.includes(inner)) ? " 0 " : quoted,
  );
  const wordsOf = (given: string): string =>
    given
      .replace(/[^\s:;,()=<>[\]{}]+/g, (word) => (/\d|[^/]\/[^/]|@|\\/.test(word) ? "?" : word))
      .replace(/[^\p{L}_?'-]+/gu, " ")
      .replace(/(?<=^| )['-]+|['-]+(?= |$)/g, "")
      .replace(/\? (?:\? )*(?=\?)/g, "")
      .trim()
      .toLowerCase();
  const words = wordsOf(rest);
  const isSaid = /[^?\s]/.test(words.replace(general, ""));
  const kind = [...kept, ...(isSaid ? words : wordsOf(text)).split(" ").slice(0, 40)].join(" ");
  return /[^? ]/.test(kind) ? kind : "";
}
