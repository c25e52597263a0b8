/** What TypeScript says where a name means nothing in the sandbox, or a built-in lacks a property that others have. */
const ABSENCES = new Set([
  ...[2_304, 2_318, 2_503, 2_550, 2_552, 2_580, 2_581, 2_582, 2_583, 2_584, 2_585, 2_591, 2_592, 2_593],
  ...[2_812, 2_867, 2_868],
]);

export function isMissingName(code: number): boolean {
  return ABSENCES.has(code);
}

/** What to do without something that is not in the sandbox; `meant` is a name that is there and looks like it. */
export function missingNameFix(name: string, meant: string | undefined): string {
  const instead = INSTEAD.find(([names]) => names.includes(name))?.[1];
  if (instead !== undefined) return instead;
  return meant === undefined ? NOTHING_ELSE : `Write \`${meant}\`. ${NOTHING_ELSE}`;
}

const NOTHING_ELSE =
  "A skill's code has the language itself, call_skill, call_tool and console, and nothing else";

const FETCH = "The sandbox has no network: reach the outside with call_tool, a tool of an upstream server";
const FILES =
  "The sandbox has no files, processes or environment: take what is needed as input, or reach it with call_tool";
const TIMERS =
  "The sandbox has no timers: do the work at once; a tool that needs time is awaited with call_tool";
const BYTES = "Work with Uint8Array; bundle a small library, or write the conversion by hand";

const INSTEAD: readonly (readonly [names: readonly string[], instead: string])[] = [
  [["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "Request", "Response", "Headers"], FETCH],
  [["process", "global", "__dirname", "__filename", "Deno", "Bun"], FILES],
  [["require", "module", "exports"], "Import with `import`, from a relative path within the skill's folder"],
  [["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval"], TIMERS],
  [["queueMicrotask"], "Write `Promise.resolve().then(…)`"],
  [["structuredClone"], "Write `JSON.parse(JSON.stringify(value))`, or copy by hand"],
  [["performance"], "Write `Date.now()`"],
  [["Buffer", "TextEncoder", "TextDecoder", "atob", "btoa", "Blob", "File"], BYTES],
  [["toBase64", "fromBase64", "toHex", "fromHex", "setFromBase64", "setFromHex"], BYTES],
  [["crypto"], "Use Math.random where it need not be secret, or a bundled library for hashes"],
  [["URL", "URLSearchParams"], "Use encodeURIComponent and regular expressions, or bundle a library"],
  [
    ["Intl"],
    "The sandbox has no locale data: put texts together by hand, or bundle a library that brings its own",
  ],
  [["Temporal"], "Use Date, or bundle a library"],
  [["Atomics"], "Code runs in one thread: read and write the array itself"],
  [["fromAsync"], "Write a `for await` loop that pushes into an array"],
  [
    ["DisposableStack", "AsyncDisposableStack", "SuppressedError", "Disposable", "dispose", "asyncDispose"],
    "Write `try { … } finally { … }`",
  ],
  [
    ["window", "document", "navigator", "self", "localStorage", "alert", "HTMLElement"],
    "The sandbox is no browser: remove it, or test with `typeof` whether it is there",
  ],
];
