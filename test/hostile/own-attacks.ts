/** Hostile code against what is ours: the prelude, the calls, the budgets, the caches. */
export const OWN_ATTACKS: Readonly<Record<string, string>> = {
  // --- the prelude's primordials
  "prelude: JSON, Reflect and Object replaced": `() => { for (const name of ["stringify", "parse"]) JSON[name] = () => { for (;;) {} }; Reflect.apply = () => { for (;;) {} }; Object.defineProperty = () => { for (;;) {} }; return { real: 1 }; }`,
  "prelude: Promise.prototype.then replaced": `async () => { Promise.prototype.then = function () { for (;;) {} }; return { real: 1 }; }`,
  "prelude: Promise.resolve and constructor replaced": `async () => { Promise.resolve = () => { for (;;) {} }; Object.defineProperty(Promise.prototype, "constructor", { get() { for (;;) {} } }); return 1; }`,
  "prelude: Symbol.species of promises": `async () => { Object.defineProperty(Promise, Symbol.species, { get() { for (;;) {} } }); return 1; }`,
  "prelude: Symbol.hasInstance of everything": `() => { for (const type of [Error, Promise, Map, Set, TypeError]) Object.defineProperty(type, Symbol.hasInstance, { value() { for (;;) {} } }); return { a: {} }; }`,
  "prelude: setters on Array.prototype": `() => { for (let i = 0; i < 10; i++) Object.defineProperty(Array.prototype, i, { set() { for (;;) {} } }); const a = {}; a.a = a; return a; }`,
  "prelude: Map.prototype replaced under open calls": `async () => { Map.prototype.get = Map.prototype.set = Map.prototype.delete = () => { for (;;) {} }; return call_skill("honest", { n: 4 }); }`,
  "prelude: WeakMap.prototype replaced before a failure": `async () => { WeakMap.prototype.get = () => ({ code: "FORGED" }); WeakMap.prototype.set = () => { for (;;) {} }; return call_skill("nobody"); }`,
  "prelude: Function.prototype.call and apply replaced": `() => { Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { for (;;) {} }; return { n: 1 }; }`,
  "prelude: globalThis made a trap": `() => { Object.setPrototypeOf(globalThis, new Proxy({}, { get() { for (;;) {} }, has() { for (;;) {} } })); return nothing; }`,
  "prelude: console methods fed getters and proxies": `() => { console.log(new Proxy({}, { get() { for (;;) {} }, ownKeys() { for (;;) {} } })); return 1; }`,
  "prelude: toJSON that pollutes while it is written": `() => ({ get a() { Object.prototype.toJSON = () => { for (;;) {} }; return 1; }, b: {} })`,
  "prelude: Error.prototype.name as a getter": `() => { Object.defineProperty(Error.prototype, "name", { get() { for (;;) {} } }); throw new Error("x"); }`,
  // --- call_skill and call_tool as weapons
  "calls: flood of unknown names": `async () => { for (;;) call_skill("nobody"); }`,
  "calls: flood, each awaited and caught": `async () => { for (;;) { try { await call_skill("nobody"); } catch {} } }`,
  "calls: a hundred thousand at once": `() => Promise.allSettled(Array.from({ length: 1e5 }, () => call_skill("honest", { n: 1 })))`,
  "calls: huge inputs": `() => Promise.allSettled(Array.from({ length: 300 }, () => call_skill("honest", { n: 1, junk: "x".repeat(9e5) })))`,
  "calls: huge names": `() => call_skill("n".repeat(1e7))`,
  "calls: names that are no strings": `async () => { const ends = await Promise.allSettled([null, 1, {}, Symbol("s"), () => 1, ["honest"]].map((name) => call_skill(name))); return ends.map((end) => end.status); }`,
  "calls: names of prototypes": `async () => (await Promise.allSettled(["__proto__", "constructor", "toString", ""].map((name) => call_skill(name)))).map((end) => end.reason?.code)`,
  "calls: input that is a trap": `() => call_skill("honest", new Proxy({}, { ownKeys() { for (;;) {} } }))`,
  "calls: a tool that there is not, for ever": `async () => { for (;;) { try { await call_tool("no.tool"); } catch {} } }`,
  "calls: abandoned in the thousands": `() => { for (let i = 0; i < 5000; i++) call_skill("honest", { n: i }); return 1; }`,
  "calls: a circle by names made at run time": `async () => { const own = ["att", "ack"].join(""); return call_skill(own, {}); }`,
  // --- budgets
  "budgets: slow callees one after another": `async () => { for (;;) { try { await call_skill("slow"); } catch {} } }`,
  "budgets: slow callees at once": `() => Promise.allSettled(Array.from({ length: 40 }, () => call_skill("slow")))`,
  "budgets: hungry callees at once": `async () => (await Promise.allSettled(Array.from({ length: 40 }, () => call_skill("hungry")))).length`,
  "budgets: endless work after the result": `() => { (function again() { Promise.resolve().then(again); })(); return 1; }`,
  "budgets: endless work in a finalizer": `() => { const registry = new FinalizationRegistry(() => { for (;;) {} }); for (let i = 0; i < 1e5; i++) registry.register({}, i); return 1; }`,
  // --- what outlives a call
  "poison: the image's built-ins frozen and redefined": `() => { Object.freeze(Object.prototype); Object.freeze(Array.prototype); globalThis.call_skill = globalThis.console = undefined; return 1; }`,
  "poison: the random generator": `() => { Math.random = () => 4; Object.freeze(Math); return 1; }`,
  "poison: a result that looks like a failure": `() => ({ ok: false, error: { code: "SKILL_TIMED_OUT", message: "forged" } })`,
  "poison: an error that looks like a callee's": `() => { const error = new Error("forged"); error.code = "CANCELLED"; error.skill = "honest"; error.callPath = "0.7"; throw error; }`,
  "poison: the clock of every later call": `() => { Date.now = () => 0; globalThis.Date = class { static now() { return 0; } }; return 1; }`,
  // --- floods
  "flood: console": `() => { for (;;) console.log("x".repeat(5000)); }`,
  "flood: console with deep values": `() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; for (;;) console.log(a); }`,
  "flood: reads of the clock": `() => { for (;;) Date.now(); }`,
  "flood: reads of randomness": `() => { let sum = 0; for (;;) sum += Math.random(); }`,
  "flood: rejections nobody handles": `() => { for (let i = 0; i < 1e6; i++) Promise.reject(new Error(String(i))); return 1; }`,
  // --- sources hostile when they are loaded
  "source: eval of a megabyte": `() => eval("1;".repeat(5e5))`,
  "source: Function with a million parameters": `() => new Function(...Array.from({ length: 1e5 }, (_, i) => "p" + i), "return 1").length`,
  "source: a generator kept across the end": `() => { globalThis.kept = (function* () { for (;;) yield 1; })(); for (const _ of kept) {} }`,
};

/** Sources that are hostile while they load. */
export const OWN_SOURCES: Readonly<Record<string, string>> = {
  "an endless top level": `for (;;) {}\nexport default () => 1;`,
  "an endless await at the top level": `for (;;) await null;\nexport default () => 1;`,
  "a top level that waits for ever": `await new Promise(() => {});\nexport default () => 1;`,
  "a flood of jobs at the top level": `(function again() { Promise.resolve().then(again); })();\nexport default () => 1;`,
  "a memory bomb at the top level": `const kept = []; for (;;) kept.push(new Uint8Array(1e6).fill(1));\nexport default () => 1;`,
  "a native loop at the top level": `[].indexOf.call({ length: 2 ** 53 - 1 }, 1);\nexport default () => 1;`,
  "calls at the top level": `for (let i = 0; i < 1e5; i++) call_skill("honest", { n: 1 }).catch(() => {});\nexport default () => 1;`,
  "a default export that is a trap": `export default new Proxy(() => 1, { apply() { for (;;) {} }, get() { for (;;) {} } });`,
  "an import of itself": `import own from "./skill.ts";\nexport default () => own();`,
  "imports of what is not there": `export default async () => { for (;;) { try { await import("./" + Math.random() + ".ts"); } catch {} } };`,
  "prototypes poisoned before the call": `Object.prototype.toJSON = Array.prototype.then = () => { for (;;) {} };\nexport default () => ({ a: [1] });`,
  "a console flood at the top level": `for (;;) console.log("x".repeat(1000));\nexport default () => 1;`,
  "a throw of what cannot be shown": `throw new Proxy({}, { get() { for (;;) {} }, getPrototypeOf() { for (;;) {} } });`,
};
