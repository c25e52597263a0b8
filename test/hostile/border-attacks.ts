import type { Limits } from "../../src/core/limits.ts";

export interface BorderAttack {
  /** The source of a function. Beside the language it has `raw`, the host's own function. */
  readonly attack: string;
  /** Limits that it gives itself, and with them all that it calls. */
  readonly limits?: Partial<Limits>;
}

const NATIVE = `[].indexOf.call({ length: 2 ** 53 - 1 }, 1)`;
const PRICE = `await call_skill("price", { n: 21 }).catch((error) => error.code)`;

/** Hostile code against the border, the budgets, the watchdog and the quarantine. */
export const BORDER_ATTACKS: Readonly<Record<string, BorderAttack>> = {
  // --- budgets as weapons: `price` catches what it is refused, and goes on with a wrong answer
  "budgets: no call for the callee": { attack: `async () => ${PRICE}`, limits: { calls: 1 } },
  "budgets: no call at all": { attack: `async () => ${PRICE}`, limits: { calls: 0 } },
  "budgets: calls eaten up by others": {
    attack: `async () => { await Promise.all(Array.from({ length: 9 }, (_, n) => call_skill("honest", { n }))); return ${PRICE}; }`,
    limits: { calls: 10 },
  },
  "budgets: refused calls eaten up": {
    attack: `async () => { for (let i = 0; i < 9900; i++) call_skill("honest", { n: i }).catch(() => {}); return ${PRICE}; }`,
    limits: { calls: 2 },
  },
  "budgets: payloads of a few bytes": { attack: `async () => ${PRICE}`, limits: { payloadBytes: 60 } },
  "budgets: no payload at all": { attack: `async () => ${PRICE}`, limits: { payloadBytes: 1 } },
  "budgets: no depth": { attack: `async () => ${PRICE}`, limits: { depth: 1 } },
  "budgets: a console of one byte": {
    attack: `async () => { console.log("x"); return ${PRICE}; }`,
    limits: { consoleBytes: 1 },
  },
  "budgets: one call at work at once": {
    attack: `async () => { const all = Array.from({ length: 50 }, (_, n) => call_skill("honest", { n })); all.push(${PRICE.replace("await ", "")}); return (await Promise.all(all)).at(-1); }`,
    limits: { inFlight: 1 },
  },
  "budgets: the least memory": { attack: `async () => ${PRICE}`, limits: { memoryMb: 16 } },
  "budgets: memory held in one buffer": {
    attack: `async () => { const held = new Uint8Array(45e6).fill(1); const got = ${PRICE}; return [got, held.length]; }`,
  },
  "budgets: memory held in small objects": {
    attack: `async () => { const held = []; for (let i = 0; i < 2e5; i++) held.push({ i }); const got = ${PRICE}; return [got, held.length]; }`,
  },
  "budgets: memory held by waiting callees": {
    attack: `async () => { const holders = Array.from({ length: 6 }, (_, n) => call_skill("holder", { n }).catch(() => 0)); const got = ${PRICE}; await Promise.all(holders); return got; }`,
  },
  "budgets: time that runs out below": { attack: `async () => ${PRICE}`, limits: { cpuMs: 1 } },
  "budgets: all of them at once": {
    attack: `async () => ${PRICE}`,
    limits: { calls: 2, payloadBytes: 100, memoryMb: 16, depth: 2, consoleBytes: 1, inFlight: 1, cpuMs: 50 },
  },
  // --- texts at the border
  "texts: outputs of 5 MB, one after another": {
    attack: `() => { const text = "7".repeat(5e6); for (;;) raw(1, text); }`,
  },
  "texts: outputs of a megabyte of JSON, one after another": {
    attack: `() => { const text = JSON.stringify(Array(1e5).fill({ a: 1 })); for (;;) raw(1, text); }`,
  },
  "texts: outputs of brackets": {
    attack: `() => { const text = "[".repeat(5e5) + "]".repeat(5e5); for (;;) raw(1, text); }`,
  },
  "texts: a text that writes itself for ever": { attack: `() => raw(1, { toString() { for (;;); } })` },
  "texts: a text that asks for itself": {
    attack: `() => { const text = { toString() { raw(1, text); return "1"; } }; raw(1, text); }`,
  },
  "texts: a number that never comes": { attack: `() => raw({ valueOf() { ${NATIVE}; return 1; } })` },
  "texts: a hundred thousand arguments": { attack: `() => { for (;;) raw(1, ...Array(1e5).fill("1")); }` },
  "texts: symbols, functions and proxies": {
    attack: `() => { for (const value of [Symbol(), () => 1, new Proxy({}, {}), 1n, null]) try { raw(1, value); } catch {} return 1; }`,
  },
  "texts: lines without end": {
    attack: `() => { const line = JSON.stringify("x".repeat(60000)); for (;;) raw(5, '"log"', line); }`,
  },
  "texts: requests numbered without end": {
    attack: `() => { for (let id = 1; ; id++) raw(3, id, '"nobody"', "{}", ""); }`,
  },
  "texts: tools asked for with broken inputs": {
    attack: `async () => { raw(4, 1, '"world.see"', '{"a":', ""); await new Promise(() => {}); }`,
  },
  "texts: an output after the output": {
    attack: `() => { Promise.resolve().then(() => { for (;;) raw(1, '"late"'); }); return "early"; }`,
  },
  "texts: an error and an output at once": {
    attack: `() => { raw(2, '{"kind":"passed","request":9}'); raw(1, '"forged"'); throw new Error("x"); }`,
  },
  "texts: randomness without end": { attack: `() => { for (;;) raw(6); }` },
  "texts: lone surrogates and zeros": {
    attack: `() => { raw(1, '"' + "\\ud800\\u0000".repeat(1e5) + '"'); }`,
  },
  "texts: loaded again and again": { attack: `() => { for (;;) raw(0); }` },
  // --- the timing of the watchdog
  "watchdog: a native loop just before the end": {
    attack: `() => { const end = Date.now() + 95; while (Date.now() < end); return ${NATIVE}; }`,
  },
  "watchdog: native pieces between awaits": {
    attack: `async () => { for (;;) { [].indexOf.call({ length: 3e7 }, 1); await null; } }`,
  },
  "watchdog: native pieces in one callee after another": {
    attack: `async () => { for (;;) await call_skill("piece", {}).catch(() => 0); }`,
  },
  "watchdog: native loops in many callees": {
    attack: `() => Promise.allSettled(Array.from({ length: 30 }, (_, n) => call_skill("stuck", { n })))`,
  },
  "watchdog: a native loop while a callee waits": {
    attack: `async () => { void call_skill("holder", { n: 1 }); await null; return ${NATIVE}; }`,
  },
  "watchdog: a native loop in what is written last": { attack: `() => ({ toJSON() { return ${NATIVE}; } })` },
  "watchdog: a native loop when an answer comes": {
    attack: `() => call_skill("honest", { n: 1 }).then(() => ${NATIVE})`,
  },
  "watchdog: pieces that end at the very deadline": {
    attack: `async () => { const end = Date.now() + 99; while (Date.now() < end) await call_skill("honest", { n: 1 }); return 1; }`,
  },
  // --- quarantine: a suspect's next calls, and those of others, are right
  "quarantine: a callee that is blamed on its root": { attack: `() => call_skill("stuck", {})` },
  "quarantine: a skill that only this input makes heavy": {
    attack: `() => call_skill("mixed", { heavy: true })`,
  },
  "quarantine: heavy and light inputs of one skill at once": {
    attack: `() => Promise.allSettled(Array.from({ length: 10 }, (_, n) => call_skill("mixed", { n, heavy: n === 5 })))`,
  },
  "quarantine: heavy by CPU time alone": { attack: `async () => { for (;;) await null; }` },
};

/** What the attacks call, and what is right after them. */
export const BORDER_SKILLS: Readonly<Record<string, string>> = {
  honest: `export default ({ n }) => n * 2;`,
  rate: `export default ({ n }) => n * 2;`,
  price: `let table = 0;
try { table = new Uint8Array(12e6).fill(1)[5]; } catch {}
export default async ({ n }) => {
  console.log("the price of", n);
  try {
    const held = new Uint8Array(12e6).fill(1)[7];
    return (await call_skill("rate", { n, note: "x".repeat(100) })) * held * table;
  } catch {
    return 0;
  }
};`,
  holder: `export default async ({ n }) => { const held = new Uint8Array(8e6).fill(1); await call_skill("honest", { n }); return held.length; };`,
  piece: `export default () => [].indexOf.call({ length: 3e7 }, 1);`,
  stuck: `export default () => ${NATIVE};`,
  mixed: `export default ({ n, heavy }) => heavy ? ${NATIVE} : n * 2;`,
};
