import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Engine,
  type GuestError,
  type GuestModule,
  type GuestRequest,
  type Host,
  type Image,
  type Instance,
  Unwind,
} from "../../src/runner/sandbox/engine.ts";
import type { Payload } from "../../src/runner/sandbox/payload.ts";
import { preludeSource } from "../../src/runner/sandbox/prelude-source.ts";
import { quickJsEngine } from "../../src/runner/sandbox/quickjs.ts";
import { quickJsBinary } from "../../src/runner/sandbox/quickjs-binary.ts";

const MEMORY_MB = 48;
const NOW = 1_700_000_000_000;
const MAX = 1_000_000;

type Outcome =
  | { readonly kind: "returned"; readonly text: string | undefined }
  | { readonly kind: "refused"; readonly output: Payload }
  | { readonly kind: "failed"; readonly error: GuestError }
  | { readonly kind: "not-loaded"; readonly error: GuestError }
  | { readonly kind: "unwound" }
  /** The engine itself gave up. */
  | { readonly kind: "trapped"; readonly message: string }
  | { readonly kind: "waiting" };

interface Wishes {
  readonly now?: () => number;
  readonly seed?: number;
  /** Interrupts after which the guest is unwound. */
  readonly patience?: number;
  readonly mayGrow?: (bytes: number) => boolean;
  readonly printed?: Host["printed"];
  readonly most?: number;
}

/** A host that keeps what it hears. */
class Ear implements Host {
  readonly maxBytes: number;
  outcome: Outcome = { kind: "waiting" };
  readonly requests: GuestRequest[] = [];
  readonly lines: string[] = [];
  readonly #wishes: Wishes;
  #interrupts = 0;

  constructor(wishes: Wishes) {
    this.#wishes = wishes;
    this.maxBytes = wishes.most ?? MAX;
  }

  interrupt(): void {
    if (++this.#interrupts > (this.#wishes.patience ?? 10_000)) throw new Unwind();
  }

  now(): number {
    return this.#wishes.now?.() ?? NOW;
  }

  seed(): number {
    return this.#wishes.seed ?? 7;
  }

  loaded(error: GuestError | undefined): void {
    if (error) this.outcome = { kind: "not-loaded", error };
  }

  returned(output: Payload | undefined): void {
    if (output === undefined || output.kind === "json") {
      this.outcome = { kind: "returned", text: output?.text };
    } else this.outcome = { kind: "refused", output };
  }

  failed(error: GuestError): void {
    this.outcome = { kind: "failed", error };
  }

  requested(request: GuestRequest): void {
    this.requests.push(request);
  }

  printed(level: string, text: string): void {
    this.#wishes.printed?.(level, text);
    this.lines.push(`${level}: ${text}`);
  }

  mayGrow(bytes: number): boolean {
    return this.#wishes.mayGrow?.(bytes) ?? true;
  }
}

/** Does the work and all jobs that follow from it. */
function work(instance: Instance, ear: Ear, entry: () => void): void {
  instance.host = ear;
  try {
    entry();
    while (instance.pump(200));
  } catch (error) {
    const { name, message } = error as Error;
    ear.outcome = name === "Unwind" ? { kind: "unwound" } : { kind: "trapped", message };
  }
}

function load(instance: Instance, code: string | readonly GuestModule[], wishes: Wishes = {}): Ear {
  const ear = new Ear(wishes);
  const modules = typeof code === "string" ? [{ name: "skill/index.ts", code }] : code;
  work(instance, ear, () => instance.load(modules));
  return ear;
}

function call(instance: Instance, input: unknown = null, wishes: Wishes = {}): Ear {
  const ear = new Ear(wishes);
  work(instance, ear, () => instance.call(JSON.stringify(input)));
  return ear;
}

function settle(instance: Instance, ear: Ear, id: number | undefined, ok: boolean, value: unknown): void {
  work(instance, ear, () => instance.settle(id ?? 0, ok, JSON.stringify(value), false));
}

function ranOutOfMemory({ outcome }: Ear): boolean {
  return outcome.kind === "trapped" || outcome.kind === "failed";
}

function isSame(one: Image, other: Image): boolean {
  return isDeepStrictEqual(one, other);
}

describe("the engine", () => {
  let engine: Engine;
  let instance: Instance;

  beforeAll(async () => {
    engine = await quickJsEngine(quickJsBinary(), preludeSource());
    instance = await engine.instance(MEMORY_MB);
  });

  beforeEach(async () => {
    if (instance.reusable) instance.restore(engine.base);
    else instance = await engine.instance(MEMORY_MB);
  });

  /** Loads the code in the base state and calls it. */
  function run(code: string | readonly GuestModule[], input: unknown = null, wishes: Wishes = {}): Ear {
    instance.restore(engine.base);
    const loaded = load(instance, code, wishes);
    return loaded.outcome.kind === "waiting" ? call(instance, input, wishes) : loaded;
  }

  function output(
    code: string | readonly GuestModule[],
    input: unknown = null,
    wishes: Wishes = {},
  ): unknown {
    const { outcome } = run(code, input, wishes);
    if (outcome.kind !== "returned") throw new Error(JSON.stringify(outcome));
    return outcome.text === undefined ? undefined : (JSON.parse(outcome.text) as unknown);
  }

  function failure(code: string, wishes: Wishes = {}): Extract<GuestError, { message: string }> {
    const { outcome } = run(code, null, wishes);
    if (outcome.kind !== "failed" || outcome.error.kind === "passed")
      throw new Error(JSON.stringify(outcome));
    return outcome.error;
  }

  describe("values", () => {
    test("a function is called with its input and gives its output", () => {
      expect(output("export default ({ a, b }) => ({ result: a + b })", { a: 1, b: 2 })).toEqual({
        result: 3,
      });
    });

    test("a function without a value gives nothing", () => {
      expect(run("export default () => {}").outcome).toEqual({ kind: "returned", text: undefined });
    });

    test.each([
      ["U+0000", "a\u0000b"],
      ["lone surrogates", ["\ud800", "\udfff", "x\udc00y"]],
      ["pairs of surrogates", "👩‍👩‍👧 𝒳"],
      ["the edges of numbers", [5e-324, 1.7976931348623157e308, 9007199254740991, 0.1, -1e-7, 1e21]],
      [
        "odd keys",
        JSON.parse('{"__proto__":{"x":1},"constructor":2,"toJSON":3,"":4,"10":5,"9":6,"\\u0000":7}'),
      ],
      ["deep values", JSON.parse(`${"[".repeat(400)}{"a":1}${"]".repeat(400)}`)],
      ["many values", Array.from({ length: 20_000 }, (_value, index) => ({ index, text: `${index}` }))],
    ])("%s come through unchanged, in and out", (_name, value) => {
      expect(run("export default (x) => x", value).outcome).toEqual({
        kind: "returned",
        text: JSON.stringify(value),
      });
    });

    test("any JSON value comes through unchanged", () => {
      load(instance, "export default (x) => x");
      const image = instance.image();
      const same = fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        instance.restore(image);
        expect(call(instance, value).outcome).toEqual({ kind: "returned", text: JSON.stringify(value) });
      });
      fc.assert(same, { numRuns: 200 });
    });

    test.each([
      ["NaN", "({ a: [1, { b: NaN }] })", "the output at a[1].b is NaN, which JSON cannot carry"],
      ["Infinity", "-Infinity", "the output is -Infinity, which JSON cannot carry"],
      ["a BigInt", "({ a: 1n })", "the output at a is a BigInt, which JSON cannot carry"],
      ["a function", "[() => 1]", "the output at [0] is a function, which JSON cannot carry"],
      ["a symbol", "({ s: Symbol() })", "the output at s is a symbol, which JSON cannot carry"],
      ["a hole", "[1, undefined]", "the output at [1] is undefined, which JSON cannot carry"],
      ["a Map", "({ m: new Map() })", "the output at m is a Map, which JSON cannot carry"],
      [
        "a promise",
        "({ p: Promise.resolve(1) })",
        "the output at p is a promise (await it), which JSON cannot carry",
      ],
      [
        "a cycle",
        "(() => { const a = {}; a.b = [a]; return a; })()",
        "the output at b[0] refers back to a value that contains it",
      ],
    ])("%s in the output is an error that says where", (_name, code, message) => {
      expect(failure(`export default () => ${code}`)).toMatchObject({ kind: "not-json", message });
    });

    test("an output above the cap is refused", () => {
      const { outcome } = run("export default () => 'ü'.repeat(100)", null, { most: 201 });
      expect(outcome).toEqual({ kind: "refused", output: { kind: "too-large", bytes: 202 } });
    });
  });

  describe("what code throws", () => {
    test.each([
      ["an Error", "new RangeError('too far')", { name: "RangeError", message: "too far" }],
      ["a string", "'text'", { message: "threw a string instead of an Error: text" }],
      ["null", "null", { message: "threw null instead of an Error" }],
      ["undefined", "undefined", { message: "threw a undefined instead of an Error" }],
      ["a number", "5", { message: "threw a number instead of an Error: 5" }],
      ["a BigInt", "5n", { message: "threw a bigint instead of an Error: 5" }],
      ["a symbol", "Symbol('s')", { message: "threw a symbol instead of an Error: Symbol(s)" }],
      ["a function", "() => 1", { message: "threw an object instead of an Error: function" }],
      ["an object", "{ a: 1 }", { message: 'threw an object instead of an Error: {"a":1}' }],
      [
        "an object that cannot be shown",
        "{ get a() { throw 1 } }",
        { message: "threw an object instead of an Error: an object that cannot be shown" },
      ],
      [
        "an Error with getters that throw",
        "Object.defineProperty(new Error(), 'message', { get() { throw 1 } })",
        { name: "Error", message: "" },
      ],
      [
        "a proxy that refuses all",
        "new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })",
        { message: "threw an object instead of an Error: an object that cannot be shown" },
      ],
    ])("%s is told as it is", (_name, value, shape) => {
      const code = `throw ${value}`;
      expect(failure(`export default () => { ${code} }`)).toMatchObject({ kind: "thrown", ...shape });
      expect(failure(`export default async () => { await null; ${code} }`)).toMatchObject(shape);
      expect(load(instance, code).outcome).toMatchObject({ kind: "not-loaded", error: shape });
    });

    test("a huge message and stack are cut", () => {
      const { message, stack } = failure(
        "export default () => { const e = new Error('m'.repeat(1e6)); e.stack = 's'.repeat(1e6); throw e }",
      );
      expect(message).toHaveLength(2001);
      expect(stack).toHaveLength(4001);
    });

    test("an error's stack names the module", () => {
      expect(failure("export default () => { null.x }").stack).toContain("skill/index.ts:1");
    });

    test("a module without a function to call fails when it is called", () => {
      expect(failure("export const a = 1")).toMatchObject({
        message: "the default export is not a function",
      });
    });
  });

  describe("modules", () => {
    test("import each other by relative paths", () => {
      const modules = [
        { name: "skill/index.ts", code: `import { b } from "./lib/b.ts"; export default () => b()` },
        { name: "skill/lib/b.ts", code: `import { c } from "../c.ts"; export const b = () => c + 1` },
        { name: "skill/c.ts", code: `import "./lib/b.ts"; export const c = await Promise.resolve(41)` },
      ];
      expect(output(modules)).toBe(42);
    });

    test.each([
      ["a static import", `import "fs"; export default () => 1`],
      ["a dynamic import", `await import("fs")`],
    ])("%s of what is not there says so", (_name, code) => {
      expect(run(code).outcome).toMatchObject({
        kind: "not-loaded",
        error: {
          name: "ReferenceError",
          message: 'cannot import "fs": a skill imports only files of its own folder',
        },
      });
    });

    test("code that is not JavaScript does not load", () => {
      expect(run("export default (").outcome).toMatchObject({
        kind: "not-loaded",
        error: { name: "SyntaxError" },
      });
    });

    test("wait at their top level", () => {
      expect(output("const x = await Promise.resolve(20); export default () => x + 1")).toBe(21);
      expect(load(instance, "await Promise.reject(new Error('no'))").outcome).toMatchObject({
        kind: "not-loaded",
        error: { message: "no" },
      });
    });

    test("may export a function named then", () => {
      expect(output("export function then(resolve) { resolve(1) } export default () => 7")).toBe(7);
    });
  });

  describe("requests", () => {
    const TWO = `export default async () => {
      const both = await Promise.allSettled([call_skill("one", { a: 1 }), call_tool("two")]);
      return both.map(({ value, reason }) => value ?? [reason.name, reason.code, reason.message]);
    }`;

    test("name what is called, and are answered out of order", () => {
      const ear = run(TWO);
      const [one, two] = ear.requests;
      expect(ear.requests).toMatchObject([
        {
          kind: "skill",
          name: "one",
          input: { text: '{"a":1}' },
          stack: expect.stringContaining("skill/index.ts:2"),
        },
        { kind: "tool", name: "two", input: { text: "{}" } },
      ]);
      settle(instance, ear, two?.id, true, "second");
      expect(ear.outcome.kind).toBe("waiting");
      settle(instance, ear, one?.id, true, { x: "\u0000" });
      expect(ear.outcome).toEqual({ kind: "returned", text: '[{"x":"\\u0000"},"second"]' });
    });

    test("fail with the code and message of the failure", () => {
      const ear = run(TWO);
      const [one, two] = ear.requests;
      settle(instance, ear, one?.id, false, { code: "SKILL_THREW", message: "broke" });
      settle(instance, ear, two?.id, true, 2);
      expect(ear.outcome).toEqual({ kind: "returned", text: '[["SkillError","SKILL_THREW","broke"],2]' });
    });

    test("pass their failure on where nothing catches it", () => {
      const ear = run(`export default () => call_skill("one")`);
      const id = ear.requests[0]?.id;
      settle(instance, ear, id, false, { code: "SKILL_THREW", message: "broke" });
      expect(ear.outcome).toEqual({ kind: "failed", error: { kind: "passed", request: id } });
    });

    test("are answered once; other answers do nothing", () => {
      const ear = run(TWO);
      const [one, two] = ear.requests;
      settle(instance, ear, one?.id, true, "first");
      settle(instance, ear, one?.id, true, "again");
      settle(instance, ear, one?.id, false, { code: "SKILL_THREW", message: "again" });
      settle(instance, ear, 12_345, true, "unknown");
      settle(instance, ear, -1, true, "unknown");
      expect(ear.outcome.kind).toBe("waiting");
      settle(instance, ear, two?.id, true, "second");
      expect(ear.outcome).toEqual({ kind: "returned", text: '["first","second"]' });
    });

    test("console lines come through", () => {
      const { lines } = run(
        "export default () => { console.log('a\\u0000', { b: 1 }, 2n); console.error(new TypeError('no')) }",
      );
      expect(lines).toEqual(['log: a\u0000 {"b":1} 2', "error: TypeError: no"]);
    });
  });

  describe("clock and randomness", () => {
    test("the clock is the host's", () => {
      let now = NOW;
      const code = "export default () => [Date.now(), new Date().toISOString(), Date.now()]";
      expect(output(code, null, { now: () => now++ })).toEqual([
        NOW,
        new Date(NOW + 1).toISOString(),
        NOW + 2,
      ]);
    });

    test("the same seed gives the same sequence, another seed another", () => {
      load(instance, "export default () => Array.from({ length: 20 }, Math.random)");
      const image = instance.image();
      const [first, again, other] = [1, 1, 2].map((seed) => {
        instance.restore(image);
        return call(instance, null, { seed }).outcome;
      });
      expect(again).toEqual(first);
      expect(other).not.toEqual(first);
    });
  });

  describe("code that does not end", () => {
    test.each([
      ["an endless loop", "for (;;);"],
      ["a loop that catches", "for (;;) try { for (;;); } catch {} finally { continue }"],
      ["promises that never return", "for (;;) new Promise(() => { while (true) {} })"],
      ["jobs without end", "(async () => { for (;;) await null })()"],
      ["a generator without end", "for (const _ of (function* () { for (;;) yield })());"],
      ["a slow pattern", "/(a+)+$/.test('a'.repeat(40) + 'b')"],
      ["a sorting that does not end", "[1, 2].sort(() => { for (;;); })"],
      ["an output that does not end", "return { get a() { for (;;); } }"],
      ["an error that does not end", "throw { get a() { for (;;); } }"],
    ])("%s is unwound, and leaves no trace", (_name, loop) => {
      load(instance, `let calls = 0; export default (x) => { calls++; if (x) { ${loop} } return calls }`);
      const image = instance.image();
      expect(call(instance, 1, { patience: 20 }).outcome).toEqual({ kind: "unwound" });
      expect(instance.reusable).toBe(true);
      instance.restore(image);
      expect(isSame(instance.image(), image)).toBe(true);
      expect(call(instance, 0).outcome).toEqual({ kind: "returned", text: "1" });
    });

    test("a loading without end is unwound", () => {
      expect(load(instance, "for (;;);", { patience: 20 }).outcome).toEqual({ kind: "unwound" });
    });

    test("pumping runs no more jobs than it is told", () => {
      load(
        instance,
        "let n = 0; const f = () => { console.log(n++); Promise.resolve().then(f) }; export default f",
      );
      const ear = new Ear({});
      instance.host = ear;
      instance.call("null");
      expect(instance.pump(3)).toBe(true);
      expect(instance.pump(4)).toBe(true);
      expect(ear.lines).toHaveLength(8);
    });

    test("a fault of the host's own spoils the instance", () => {
      const fault = (): never => {
        throw new Error("fault");
      };
      const ear = run("export default () => console.log(1)", null, { printed: fault });
      expect(ear.outcome).toEqual({ kind: "trapped", message: "fault" });
      expect(instance.reusable).toBe(false);
    });
  });

  describe("memory", () => {
    test.each([
      ["buffers", "k.push(new Uint8Array(1e6).fill(1))"],
      ["objects", "k.push({ a: 1 })"],
      ["strings", "k.push('x'.repeat(1000) + k.length)"],
      ["one text", "k[0] = (k[0] ?? 'x') + k[0] + 'ü'"],
    ])("%s without end fail within the limit, and the next call is right", async (_name, grow) => {
      load(instance, `export default (x) => { const k = []; while (x) { ${grow} } return k.length }`);
      const image = instance.image();
      expect(ranOutOfMemory(call(instance, 1))).toBe(true);
      expect(instance.memoryBytes).toBeLessThanOrEqual(MEMORY_MB * 2 ** 20);
      const next = instance.reusable ? instance : await engine.instance(MEMORY_MB);
      for (const each of [instance, next]) {
        each.restore(image);
        expect(isSame(each.image(), image)).toBe(true);
        expect(call(each, 0).outcome).toEqual({ kind: "returned", text: "0" });
      }
    });

    test("a guest may catch that its memory is full", () => {
      const code = `export default () => {
        let k = [];
        try { for (;;) k.push(new Uint8Array(1e6)) } catch (error) { k = undefined; return String(error) }
      }`;
      expect(output(code)).toBe("InternalError: out of memory");
    });

    test("an instance that grew much is not reusable", () => {
      expect(output("export default () => new Uint8Array(20e6).fill(1).length")).toBe(20_000_000);
      expect(instance.reusable).toBe(false);
      expect(instance.usedBytes).toBeGreaterThan(20_000_000);
    });

    test("the host is asked about growth, and may refuse it", () => {
      const code =
        "export default () => { const a = new Uint8Array(20e6); for (let i = 0; i < 1e5; i++); return a.length }";
      const asked: number[] = [];
      const allow = (answer: boolean) => (bytes: number) => {
        asked.push(instance.memoryBytes + bytes);
        return answer;
      };
      const refused = run(code, null, { mayGrow: allow(false) });
      expect(ranOutOfMemory(refused)).toBe(true);
      expect(asked[0]).toBeGreaterThan(20e6);
      expect(asked[0]).toBeLessThanOrEqual(MEMORY_MB * 2 ** 20);
    });

    test("a guest that the host refuses growth cannot go on", () => {
      const code = "export default () => { const a = new Uint8Array(20e6); for (;;); }";
      expect(ranOutOfMemory(run(code, null, { mayGrow: () => false }))).toBe(true);
    });

    test("memory full of small objects is told as such", () => {
      const error = failure("export default () => { const k = []; for (;;) k.push({ a: 1 }) }");
      expect(error.kind).toBe("memory");
    });

    test("growth that the host allows is there", () => {
      const code =
        "export default () => { const a = new Uint8Array(20e6); for (let i = 0; i < 1e5; i++); return a.length }";
      expect(output(code, null, { mayGrow: () => true })).toBe(20_000_000);
    });
  });

  describe("images", () => {
    const COUNTER = `
      let calls = 0;
      const seen = new Map([["a", 1]]);
      export default (x) => { seen.set(x, ++calls); return [calls, [...seen]] }`;

    test("an image of one instance works on another, also with another limit", async () => {
      load(instance, COUNTER);
      const image = instance.image();
      for (const memoryMb of [16, MEMORY_MB, 64]) {
        const other = await engine.instance(memoryMb);
        load(other, "export default () => 'another'");
        other.restore(image);
        expect(isSame(other.image(), image)).toBe(true);
        expect(call(other, "b").outcome).toEqual({ kind: "returned", text: '[1,[["a",1],["b",1]]]' });
      }
    });

    test("an image holds a call under way", async () => {
      load(instance, `export default async (x) => [x, await call_skill("a", x), await call_skill("b", x)]`);
      const ear = call(instance, { x: 1 });
      const image = instance.image();
      for (const each of [await engine.instance(MEMORY_MB), instance]) {
        each.restore(image);
        const later = new Ear({});
        settle(each, later, ear.requests[0]?.id, true, "A");
        settle(each, later, later.requests[0]?.id, true, "B");
        expect(later.outcome).toEqual({ kind: "returned", text: '[{"x":1},"A","B"]' });
      }
    });

    test("an image knows the modules that its state may still import", async () => {
      const modules = (value: string): readonly GuestModule[] => [
        { name: "skill/index.ts", code: `export default async () => (await import("./b.ts")).b` },
        { name: "skill/b.ts", code: `export const b = "${value}"` },
      ];
      load(instance, modules("mine"));
      const image = instance.image();
      const other = await engine.instance(MEMORY_MB);
      load(other, modules("another's"));
      for (const each of [other, await engine.instance(MEMORY_MB)]) {
        each.restore(image);
        expect(call(each).outcome).toEqual({ kind: "returned", text: '"mine"' });
      }
    });

    test("an image of much memory works on a new instance", async () => {
      load(instance, "const a = new Uint32Array(5e6).fill(3); export default () => a[0] + a.lastIndexOf(3)");
      const image = instance.image();
      const other = await engine.instance(MEMORY_MB);
      other.restore(image);
      expect(call(other).outcome).toEqual({ kind: "returned", text: "5000002" });
      other.restore(engine.base);
      expect(isSame(other.image(), engine.base)).toBe(true);
    });
  });

  const LOOK = `
    let calls = 0;
    export default async () => {
      const names = (value) => Reflect.ownKeys(value).map(String).join();
      const zeros = new Float64Array(4e5);
      let isZero = true;
      for (let at = 0; at < zeros.length; at += 61) isZero &&= zeros[at] === 0;
      return {
        calls: ++calls,
        names: [globalThis, Object, Object.prototype, Array.prototype, Promise, Promise.prototype, JSON, Math, Function.prototype].map(names),
        secret: globalThis.secret ?? null,
        isZero,
        random: Math.random(),
        now: Date.now(),
        text: String([1, { a: 2 }]) + JSON.stringify({ a: [1] }),
        sorted: [3, 1, 2].sort(),
        stack: new Error("e").stack,
      };
    }`;

  describe("no trace of a call", () => {
    test("stays in the stack, below a part that it did not use", () => {
      load(
        instance,
        `const zeros = new Array(9000).fill(0);
        const deep = (n) => [3, 2, 1].map((x) => x * 1.5).length + n;
        const wide = (...x) => deep(x.length);
        export default () => wide.apply(null, zeros) + wide(...zeros)`,
      );
      const image = instance.image();
      expect(call(instance).outcome).toEqual({ kind: "returned", text: "18006" });
      instance.restore(image);
      expect(isSame(instance.image(), image)).toBe(true);
    });

    test.each([
      ["globals", "globalThis.secret = 's3cret'; var v = 1; delete globalThis.Map; globalThis.JSON = 1"],
      [
        "prototypes",
        "Object.prototype.x = 1; Array.prototype.map = () => 'no'; delete Promise.prototype.then",
      ],
      [
        "frozen built-ins",
        "Object.freeze(Object.prototype); Object.preventExtensions(globalThis); Object.freeze(Math)",
      ],
      [
        "replaced built-ins",
        "Math.random = () => 0; Date.now = () => 1; JSON.stringify = () => '0'; Error.prepareStackTrace = () => 'x'; Error.stackTraceLimit = 0",
      ],
      ["big buffers", "globalThis.k = [new Uint8Array(3e6).fill(7), 's3cret'.repeat(1e5)]"],
      ["much small", "globalThis.k = Array.from({ length: 2e4 }, (_, i) => ({ ['k' + i]: i }))"],
      [
        "pending jobs",
        "for (let i = 0; i < 1000; i++) Promise.resolve().then(() => { globalThis.secret = 1 })",
      ],
      ["requests", "call_skill('a').then(() => { globalThis.secret = 1 }); call_tool('b')"],
      ["a deep stack", "const f = (n) => n ? [f(n - 1)].concat(n) : []; f(200)"],
      [
        "a wide stack",
        "const a = Array(9000).fill(0); const g = () => [3, 2, 1].map((x) => x * 1.5).sort(); const f = (...x) => g(x.length); f(...a)",
      ],
      ["random state", "for (let i = 0; i < 100; i++) Math.random()"],
      [
        "collections",
        "const w = new WeakMap(), r = new FinalizationRegistry(() => {}); for (let i = 0; i < 1000; i++) { const o = {}; w.set(o, o); r.register(o, 1) }",
      ],
      ["an error", "throw new Error('s3cret')"],
      ["a symbol", "globalThis[Symbol.for('s3cret')] = 1"],
    ])("%s", async (_name, code) => {
      const fresh = await engine.instance(MEMORY_MB);
      load(fresh, LOOK);
      const image = fresh.image();
      const expected = call(fresh).outcome;
      expect(expected.kind).toBe("returned");
      load(instance, `export default () => { ${code} }`);
      instance.host = new Ear({});
      instance.call("null");
      instance.restore(image);
      expect(isSame(instance.image(), image)).toBe(true);
      expect(instance.pump(10)).toBe(false);
      const unheard = new Ear({});
      settle(instance, unheard, 1, true, "late");
      expect(unheard.outcome.kind).toBe("waiting");
      instance.restore(image);
      expect(call(instance).outcome).toEqual(expected);
    });
  });

  test("programs give on a reused instance what they give on a fresh one", async () => {
    let reused = 0;
    const same = fc.asyncProperty(
      fc.array(program, { minLength: 1, maxLength: 4 }),
      orders,
      async (codes, order) => {
        const expected: Heard[] = [];
        for (const code of codes) expected.push(heard(await engine.instance(MEMORY_MB), code));
        const images = new Map<number, Image>();
        for (const pick of order) {
          const index = pick % codes.length;
          if (!instance.reusable) instance = await engine.instance(MEMORY_MB);
          else reused++;
          const image = images.get(index);
          instance.restore(image ?? engine.base);
          const found = heard(instance, image ? undefined : (codes[index] ?? ""), (made) =>
            images.set(index, made),
          );
          expect(found).toEqual(expected[index]);
        }
      },
    );
    await fc.assert(same, { numRuns: 60 });
    expect(reused).toBeGreaterThan(200);
  });
});

// --- small programs

interface Heard {
  readonly outcome: Outcome;
  readonly lines: readonly string[];
  readonly requests: readonly GuestRequest[];
}

/** What a host hears of a program, from its loading on, or from its call on where it is loaded already. */
function heard(instance: Instance, code: string | undefined, keep?: (image: Image) => void): Heard {
  if (code !== undefined) {
    const loading = load(instance, code);
    if (loading.outcome.kind !== "waiting") return loading;
    keep?.(instance.image());
  }
  const { outcome, lines, requests } = call(instance, { n: 3 });
  return { outcome, lines, requests };
}

const name = fc.constantFrom("a", "b", "secret", "JSON", "Map", "then", "toJSON", "__proto__", "length");
const holder = fc.constantFrom(
  "globalThis",
  "state",
  "Object.prototype",
  "Array.prototype",
  "Promise.prototype",
  "Function.prototype",
  "Math",
  "JSON",
  "Error",
  "input",
);
const size = fc.integer({ min: 0, max: 3000 });
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((json) => `(${JSON.stringify(json)})`),
  fc.constantFrom(
    "Math.random()",
    "Date.now()",
    "new Date().getTime()",
    "calls",
    "log.length",
    "() => 1",
    "Symbol.iterator",
    "(10n ** 20n)",
    "new Map([[1, 2]])",
    "Promise.resolve(1)",
    "input.n",
  ),
  size.map((length) => `new Uint8Array(${length}).fill(${length % 250})`),
  size.map((length) => `'x'.repeat(${length})`),
  size.map((length) => `Array.from({ length: ${length % 300} }, (_, i) => ({ i }))`),
);

const statement = fc.oneof(
  fc.tuple(holder, name, value).map(([on, key, given]) => `${on}[${JSON.stringify(key)}] = ${given};`),
  fc.tuple(holder, name).map(([on, key]) => `log.push(String(delete ${on}[${JSON.stringify(key)}]));`),
  fc
    .tuple(holder, name, value)
    .map(
      ([on, key, given]) =>
        `Object.defineProperty(${on}, ${JSON.stringify(key)}, { get() { state.reads = (state.reads ?? 0) + 1; return ${given} }, configurable: true });`,
    ),
  holder.map((on) => `log.push(Reflect.ownKeys(${on}).map(String).join());`),
  value.map((given) => `log.push(typeof ${given}, String(${given}).slice(0, 40));`),
  value.map((given) => `kept.push(${given});`),
  value.map((given) => `console.log(${given});`),
  value.map((given) => `call_skill("other", ${given}).then((x) => log.push(x));`),
  value.map(
    (given) => `Promise.resolve(${given}).then((x) => { log.push(typeof x); state.last = log.length });`,
  ),
  value.map((given) => `throw ${given};`),
  value.map((given) => `throw new TypeError(${given});`),
  size.map((times) => `for (let i = 0; i < ${times}; i++) calls += i % 3;`),
  size.map((times) => `kept = kept.concat(Array(${times % 400}).fill(calls)); kept.sort(); kept.reverse();`),
  fc
    .integer({ min: 1, max: 60 })
    .map((depth) => `(function f(n) { return n ? [f(n - 1), ...log.slice(0, 2)] : [] })(${depth});`),
  fc.constantFrom(
    "log.push(Math.random());",
    "log.push(Date.now(), new Date().toISOString());",
    "calls++; state.f = () => calls++; log.push(state.f());",
    "Object.freeze(Object.prototype);",
    "Object.setPrototypeOf(state, new Proxy({}, { get: (_, key) => String(key) }));",
    "Math.random = () => 4; Date.now = () => 4;",
    "log.push(new Error('here').stack);",
    "await null; log.push('later');",
    "new Promise(() => { throw new Error('lost') });",
    "globalThis.registry = new FinalizationRegistry(() => log.push('gone')); registry.register({}, 1);",
    "log.push([...'añ👩'].map((c) => c.codePointAt(0).toString(16)).join('-'));",
    "log.push('a1b22'.replace(/\\d+/g, (d) => `<${d}>`));",
    "eval('var made = (globalThis.made ?? 0) + 1'); log.push(String(globalThis.made));",
  ),
);

const program = fc
  .tuple(fc.array(statement, { maxLength: 4 }), fc.array(statement, { minLength: 1, maxLength: 10 }))
  .map(
    ([top, body]) => `
    let calls = 0, kept = [];
    const log = [], state = {};
    const input = {};
    ${top.map(tried).join("\n")}
    export default async (input) => {
      calls++;
      ${body.map((code, index) => (index === body.length - 1 ? code : tried(code))).join("\n")}
      return { calls, log, kept: kept.length, names: Object.getOwnPropertyNames(globalThis).join() };
    };`,
  );

function tried(code: string): string {
  return `try { ${code} } catch (error) { log.push("caught " + typeof error) }`;
}

const orders = fc.array(fc.nat({ max: 11 }), { minLength: 4, maxLength: 12 });
