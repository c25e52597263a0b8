import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { sandboxLibrary } from "../../src/contracts/to-types/sandbox-library.ts";
import { withoutAdvice } from "../../src/checks/type-error-findings.ts";
import type { Diagnostic } from "../../src/core/diagnostic.ts";
import { skillSet } from "../runner/skill-set.ts";
import { skillFolder } from "../checks/read-folder.ts";
import { compiler, runner } from "../shared-threads.ts";

/** What is found in each of the codes, all checked at once. */
async function findingsOf(
  codes: readonly string[],
  file = "skill.ts",
): Promise<ReadonlyMap<string, readonly Diagnostic[]>> {
  const folders = codes.map((code, index) => skillFolder(`probe-${index}`, { [file]: code }));
  const { findings, diagnostics } = await compiler.compile(folders);
  const all = [...diagnostics, ...findings].filter(({ code }) => code !== "type-untyped");
  return new Map(
    codes.map((code, index) => [code, all.filter(({ path }) => path === `/skills/probe-${index}/${file}`)]),
  );
}

async function outputOf(code: string): Promise<unknown> {
  const { root } = await runner.run(skillSet({ probe: code }), "probe", {});
  if (!root.outcome.ok) throw new Error(JSON.stringify(root.outcome.error));
  return root.outcome.output;
}

const skillGiving = (expression: string): string =>
  `export default async (): Promise<unknown> => { return ${expression}; };\n`;

/** The names of the built-ins in the sandbox, and of what they, their prototypes and their instances have. */
const NAMES_IN_SANDBOX = `
const keyOf = (key) => (typeof key === "symbol" ? "[" + key.description + "]" : key);
const keysOf = (value) => {
  const keys = new Set();
  for (let at = value; at; at = Object.getPrototypeOf(at)) for (const key of Reflect.ownKeys(at)) keys.add(keyOf(key));
  return [...keys];
};
const iterator = [].values();
const instances = {
  RegExp: /a/, Array: [], String: Object(""), Function: function () {}, Symbol: Object(Symbol("x")),
  Iterator: (function* () {})(),
  ...Object.fromEntries(
    ["Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"]
      .map((name) => [name, new globalThis[name]("x", { cause: 1 })])),
  AggregateError: new AggregateError([], "x", { cause: 1 }),
};
export default () => Object.getOwnPropertyNames(globalThis).flatMap((name) => {
  if (name === "globalThis") return [[name, [], Object.getOwnPropertyNames(globalThis)]];
  const value = globalThis[name];
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return [[name, [], []]];
  const own = Reflect.ownKeys(value).map(keyOf);
  const entries = [[name, own, keysOf(value)]];
  if (typeof value === "function" && value.prototype) {
    const all = [...keysOf(value.prototype), ...(name in instances ? keysOf(instances[name]) : [])];
    entries.push([name + ".prototype", Reflect.ownKeys(value.prototype).map(keyOf), all]);
  }
  return entries;
});`;

type Names = ReadonlyMap<string, { readonly own: readonly string[]; readonly all: ReadonlySet<string> }>;

async function namesInSandbox(): Promise<Names> {
  const entries = (await outputOf(NAMES_IN_SANDBOX)) as [string, string[], string[]][];
  return new Map(entries.map(([name, own, all]) => [name, { own, all: new Set(all) }]));
}

function programOver(text: string): ts.Program {
  const host = ts.createCompilerHost({});
  host.getSourceFile = (name, options) =>
    name === "library.d.ts" ? ts.createSourceFile(name, text, options) : undefined;
  const options = { target: ts.ScriptTarget.ESNext, noLib: true, types: [], strict: true, noEmit: true };
  return ts.createProgram(["library.d.ts"], options, host);
}

/** The same names as the declarations have them; a number that is a constant has nothing of its own. */
function declaredNames(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const program = programOver(text);
  const checker = program.getTypeChecker();
  const file = program.getSourceFile("library.d.ts");
  if (!file) throw new Error("The library is not there");
  const keyOf = ({ escapedName }: ts.Symbol): string =>
    String(escapedName)
      .replace(/^__@(\w+?)@\d+$/, "[Symbol.$1]")
      .replace(/^___/, "__");
  const keysOf = (type: ts.Type): ReadonlySet<string> =>
    new Set(checker.getPropertiesOfType(type).map(keyOf));
  const names = new Map<string, ReadonlySet<string>>();
  for (const symbol of checker.getSymbolsInScope(file, ts.SymbolFlags.Value)) {
    const type = checker.getTypeOfSymbolAtLocation(symbol, file);
    names.set(symbol.name, type.flags & ts.TypeFlags.Object ? keysOf(type) : new Set());
    const prototype = type.getProperty("prototype");
    const instance = prototype && checker.getTypeOfSymbolAtLocation(prototype, file);
    // What is merely a function has the prototype of all functions: anything.
    if (instance && !(instance.flags & ts.TypeFlags.Any))
      names.set(`${symbol.name}.prototype`, keysOf(instance));
  }
  return names;
}

/** What the engine has that is not of ECMAScript, or is there only for old code. */
const NOT_DECLARED = new Set([
  "InternalError",
  "InternalError.prototype",
  "Set.groupBy",
  "Reflect.[Symbol.toStringTag]",
  ...["call_skill", "call_tool", "count_writes", "console"],
  ...["fileName", "lineNumber", "columnNumber"].map((name) => `Function.prototype.${name}`),
  ...["__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"].map(
    (name) => `Object.prototype.${name}`,
  ),
  ...["toGMTString", "getYear", "setYear"].map((name) => `Date.prototype.${name}`),
]);

describe("the library by which bodies are checked", () => {
  let sandbox: Names;
  let declared: ReadonlyMap<string, ReadonlySet<string>>;
  beforeAll(async () => {
    sandbox = await namesInSandbox();
    declared = declaredNames(sandboxLibrary());
  });

  test("declares only what is in the sandbox", () => {
    expect(declared.size).toBeGreaterThan(100);
    const missing = [...declared].flatMap(([name, members]) => {
      const there = sandbox.get(name);
      if (!there) return [name];
      return [...members].filter((member) => !there.all.has(member)).map((member) => `${name}.${member}`);
    });
    expect(missing).toEqual([]);
  });

  test("declares all of ECMAScript that is in the sandbox", () => {
    const undeclared = [...sandbox].flatMap(([name, { own }]) => {
      const members = declared.get(name);
      if (!members) return [name];
      // What every function and object has is declared once.
      const known = (member: string): boolean =>
        members.has(member) ||
        (declared.get("Function.prototype")?.has(member) ?? false) ||
        (declared.get("Object.prototype")?.has(member) ?? false);
      return own.filter((member) => !known(member)).map((member) => `${name}.${member}`);
    });
    expect(undeclared.filter((name) => !NOT_DECLARED.has(name))).toEqual([]);
  });

  test("is complete in itself", () => {
    const faults = ts.getPreEmitDiagnostics(programOver(sandboxLibrary()));
    expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))).toEqual([]);
  });
});

const RUNS: readonly (readonly [expression: string, output: unknown])[] = [
  [`Object.groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even"))`, { odd: [1, 3], even: [2] }],
  [
    `[...Map.groupBy(["a", "bb", "cc"], (text) => text.length)]`,
    [
      [1, ["a"]],
      [2, ["bb", "cc"]],
    ],
  ],
  [`[...new Set([1, 2]).union(new Set([3])).difference(new Set([1]))]`, [2, 3]],
  [`new Set([1]).isSubsetOf(new Set([1, 2]))`, true],
  [
    `await (() => { const { promise, resolve } = Promise.withResolvers<number>(); resolve(4); return promise; })()`,
    4,
  ],
  [`await Promise.try(() => 5)`, 5],
  [`[1, 2, 3].values().filter((n) => n > 1).map((n) => n * 2).toArray()`, [4, 6]],
  [`Iterator.from([1, 2]).reduce((sum, n) => sum + n)`, 3],
  [`Iterator.concat([1], new Set([2])).toArray()`, [1, 2]],
  [`new RegExp(RegExp.escape("1+1")).test("1+1")`, true],
  [`/^\\p{L}[[a-z]--[aeiou]]$/v.test("äb")`, true],
  [`/(?i:a)b/.test("Ab")`, true],
  [
    `[Error.isError(new TypeError("x")), "a\\ud800".isWellFormed(), "a\\ud800".toWellFormed()]`,
    [true, false, "a\ufffd"],
  ],
  [`Math.sumPrecise([0.1, 0.2, 0.3])`, 0.6],
  [`[Math.f16round(1.337), new Float16Array([1.5])[0]]`, [1.3369140625, 1.5]],
  [`new Map([["a", 1]]).getOrInsert("b", 2)`, 2],
  [`[3, 1].toSorted().with(0, 9).findLast((n) => n > 1)`, 3],
  [`new ArrayBuffer(8, { maxByteLength: 16 }).resizable`, true],
  [`typeof import.meta`, "object"],
  [`(1234.5).toLocaleString()`, "1234.5"],
  [`["b", "a"].sort((one, other) => one.localeCompare(other))`, ["a", "b"]],
  [`typeof Intl === "undefined" ? "no" : Intl.DateTimeFormat`, "no"],
];

const DIGITS = `class Digits extends Iterator<number> {
  #at = 0;
  override next(): IteratorResult<number, undefined> {
    return this.#at < 3 ? { done: false, value: this.#at++ } : { done: true, value: undefined };
  }
}
export default async (): Promise<number[]> => new Digits().map((digit) => digit * 2).toArray();\n`;

describe("what runs passes the check", () => {
  let found: ReadonlyMap<string, readonly Diagnostic[]>;
  beforeAll(async () => {
    found = await findingsOf([...RUNS.map(([expression]) => skillGiving(expression)), DIGITS]);
  });

  test.each(RUNS)("%s", async (expression, output) => {
    const code = skillGiving(expression);
    expect(await outputOf(code)).toEqual(output);
    expect(found.get(code)).toEqual([]);
  });

  test("an iterator of the author's own class", async () => {
    expect(await outputOf(DIGITS)).toEqual([0, 2, 4]);
    expect(found.get(DIGITS)).toEqual([]);
  });
});

const ABSENT: readonly (readonly [expression: string, message: RegExp, fix: RegExp])[] = [
  [`new Intl.NumberFormat("de-DE").format(1)`, /'Intl' \(TS2304\)$/, /by hand/],
  [`Atomics.load(new Int32Array(1), 0)`, /'Atomics' \(TS/, /one thread/],
  [`Array.fromAsync([1])`, /'fromAsync' does not exist on type 'ArrayConstructor' \(TS2550\)$/, /for await/],
  [`new Uint8Array([1]).toBase64()`, /'toBase64' does not exist/, /Uint8Array/],
  [`setTimeout(() => 1, 5)`, /'setTimeout' \(TS/, /no timers/],
  [`process.env`, /'process' \(TS/, /environment/],
  [`require("fs")`, /Cannot find name '(?:require|fs)' \(TS/, /Import with/],
  [`Buffer.from("x")`, /'Buffer' \(TS/, /Uint8Array/],
  [`fetch("https://example.org")`, /'fetch' \(TS/, /call_tool/],
  [`document.title`, /'document' \(TS/, /no browser/],
  [`structuredClone({})`, /'structuredClone' \(TS/, /JSON\.parse/],
  [`describe`, /'describe' \(TS/, /nothing else/],
];

const PROBING = `export default () => (typeof self !== "undefined" ? self : typeof navigator);\n`;

describe.each([
  ["skill.ts", skillGiving],
  ["skill.js", (expression: string) => `export default () => ${expression};\n`],
])("what is not in the sandbox is a finding with a way out, in %s", (file, codeOf) => {
  let found: ReadonlyMap<string, readonly Diagnostic[]>;
  beforeAll(async () => {
    found = await findingsOf([...ABSENT.map(([expression]) => codeOf(expression)), PROBING], file);
  });

  test.each(ABSENT)("%s", (expression, message, fix) => {
    const [finding, ...others] = found.get(codeOf(expression)) ?? [];
    expect(finding).toMatchObject({ severity: "error", code: "call-type", line: 1 });
    expect(finding?.message).toMatch(message);
    expect(finding?.fix).toMatch(fix);
    expect(others).toEqual([]);
  });

  test("a name that the code asks for with typeof is none", () => {
    expect(found.get(PROBING)).toEqual([]);
  });
});

const LOCALES: readonly (readonly [expression: string, message: RegExp, output: unknown])[] = [
  [`(1234567.891).toLocaleString("de-DE", { style: "currency" })`, /separators/, "1234567.891"],
  [`12345n.toLocaleString("de")`, /separators/, "12345"],
  [`[1234.5].toLocaleString("de")`, /separators/, "1234.5"],
  [`new Date(0).toLocaleDateString("de-DE")`, /12\/31\/2026", in UTC/, "01/01/1970"],
  [`new Date(0).toLocaleTimeString("de-DE")`, /11:59:59 PM/, "12:00:00 AM"],
  [`new Date(0).toLocaleString(undefined, { timeZone: "Asia/Tokyo" })`, /in UTC/, "01/01/1970, 12:00:00 AM"],
  [`"ä".localeCompare("z", "de") > 0`, /"ä" after "z"/, true],
  [`"i".toLocaleUpperCase("tr")`, /toUpperCase\(\)/, "I"],
];
const LOCALE_OF_ANY = `export default (input) => input.price.toLocaleString("de-DE");\n`;
const OWN_METHOD = `class Money { toLocaleString(locale) { return locale; } }
export default () => new Money().toLocaleString("de-DE");\n`;

describe("a locale that does nothing is a warning that says what happens", () => {
  let found: ReadonlyMap<string, readonly Diagnostic[]>;
  beforeAll(async () => {
    const codes = [...LOCALES.map(([expression]) => skillGiving(expression)), LOCALE_OF_ANY, OWN_METHOD];
    found = await findingsOf(codes);
  });

  test.each(LOCALES)("%s", async (expression, message, output) => {
    const code = skillGiving(expression);
    expect(await outputOf(code)).toEqual(output);
    const [finding, ...others] = found.get(code) ?? [];
    expect(finding).toMatchObject({ code: "locale-ignored", severity: "warning", line: 1 });
    expect(code.slice((finding?.column ?? 0) - 1)).toMatch(/^(?:"de|"tr"|undefined,)/);
    expect(finding?.message).toMatch(message);
    expect(others).toEqual([]);
  });

  test("also where nothing is known of the value, but not in a method of the author's own", () => {
    expect(found.get(LOCALE_OF_ANY)).toMatchObject([{ code: "locale-ignored", column: 54 }]);
    expect(found.get(OWN_METHOD)).toEqual([]);
  });
});

test("no text of TypeScript's tells an author to change options or to install packages", () => {
  const messages = (ts as unknown as { Diagnostics: Record<string, { code: number; message: string }> })
    .Diagnostics;
  const texts = Object.values(messages).filter(({ code }) => code > 2_000 && code < 3_000);
  const advice = /compiler option|npm i |target library|tsconfig|@types/;
  expect(texts.filter(({ message }) => advice.test(message)).length).toBeGreaterThan(10);
  expect(texts.map(({ message }) => withoutAdvice(message)).filter((text) => advice.test(text))).toEqual([]);
});
