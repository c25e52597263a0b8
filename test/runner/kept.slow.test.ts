import { afterAll, beforeAll, expect, test } from "vitest";
import { type Skill } from "../../src/core/skill.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "./skill-set.ts";

let runner: Runner;
beforeAll(() => {
  runner = new Runner({ limits: { ...DEFAULT_LIMITS, cpuMs: 20_000 }, workers: 1 });
});
afterAll(async () => runner.close());

const RIGHT = 42;
/** What the honest skill falls back to where it is refused something. */
const FALLBACK = 0;

const RATE = `export default ({ n }) => n * 2;`;
const ASKS = `export default async ({ n }) => { try { return await call_skill("rate", { n }); } catch { return ${FALLBACK}; } };`;
const SENDS_MUCH = `export default async ({ n }) => {
  try { return await call_skill("rate", { n, note: "x".repeat(5000) }); } catch { return ${FALLBACK}; }
};`;
const NEEDS_MUCH = `export default ({ n }) => {
  try { return new Uint8Array(30e6).fill(2)[n] * n; } catch { return ${FALLBACK}; }
};`;
const LOADS_MUCH = `let rate = ${FALLBACK};
try { rate = new Uint8Array(30e6).fill(2)[9]; } catch {}
export default ({ n }) => n * rate;`;
const PRINTS = `export default ({ n }) => { for (let i = 0; i < 50; i++) console.log("x".repeat(100)); return n * 2; };`;
const WORKS = `export default ({ n }) => { let sum = n; for (let i = 0; i < 3e6; i++) sum = (sum * 31 + i) | 0; return sum === 0 ? 0 : n * 2; };`;

const CALLS = `export default async () => { try { return await call_skill("price", { n: 21 }); } catch (error) { return error.code; } };`;
const EATS_UP = `export default async () => {
  for (let i = 0; i < 255; i++) await call_skill("rate", { n: i + 100 });
  return call_skill("price", { n: 21 });
};`;
const HOLDS = `export default async () => {
  const held = new Uint8Array(40e6).fill(1);
  const price = await call_skill("price", { n: 21 });
  return price + held[0] - 1;
};`;

const PRESSURES: readonly (readonly [string, { price: string; stranger: string; rest?: Partial<Skill> }])[] =
  [
    ["calls", { price: ASKS, stranger: CALLS, rest: { limits: { calls: 1 } } }],
    ["calls, eaten up", { price: ASKS, stranger: EATS_UP }],
    ["payload", { price: SENDS_MUCH, stranger: CALLS, rest: { limits: { payloadBytes: 1000 } } }],
    ["memory", { price: NEEDS_MUCH, stranger: CALLS, rest: { limits: { memoryMb: 16 } } }],
    ["memory, held by the caller", { price: NEEDS_MUCH, stranger: HOLDS }],
    ["memory while it loads", { price: LOADS_MUCH, stranger: CALLS, rest: { limits: { memoryMb: 16 } } }],
    ["memory while it loads, held by the caller", { price: LOADS_MUCH, stranger: HOLDS }],
    ["depth", { price: ASKS, stranger: CALLS, rest: { limits: { depth: 1 } } }],
    ["console", { price: PRINTS, stranger: CALLS, rest: { limits: { consoleBytes: 100 } } }],
    ["calls at work at once", { price: ASKS, stranger: CALLS, rest: { limits: { inFlight: 1 } } }],
    ["CPU time", { price: WORKS, stranger: CALLS, rest: { limits: { cpuMs: 20 } } }],
    ["wall time", { price: WORKS, stranger: CALLS, rest: { limits: { wallMs: 20 } } }],
  ];

let sets = 0;

/** The skills of a case; no two sets share what is kept of them. */
function skillsOf(
  { price, stranger, rest = {} }: (typeof PRESSURES)[number][1],
  operation: Skill["operation"],
): ReadonlyMap<string, Skill> {
  const own = `\n// ${sets++}`;
  const kept = operation === "READ" ? ({ operation, ttlMs: 600_000 } as const) : {};
  return skillSet(
    {
      rate: RATE + own,
      price: price + own,
      above: `export default ({ n }) => call_skill("price", { n });${own}`,
      stranger: stranger + own,
      "further-up": stranger.replace(`"price"`, `"above"`) + own,
    },
    { price: kept, above: kept, stranger: rest, "further-up": rest },
  );
}

async function answers(skills: ReadonlyMap<string, Skill>): Promise<readonly unknown[]> {
  const given: unknown[] = [];
  for (const name of ["price", "above"]) {
    const { outcome } = (await runner.run(skills, name, { n: 21 }, { caller: "honest" })).root;
    given.push(outcome.ok ? outcome.output : outcome.error.code);
  }
  return given;
}

async function attempt(skills: ReadonlyMap<string, Skill>): Promise<readonly unknown[]> {
  const given: unknown[] = [];
  for (const name of ["stranger", "further-up"]) {
    const { outcome } = (await runner.run(skills, name, {}, { caller: "stranger" })).root;
    given.push(outcome.ok ? outcome.output : outcome.error.code);
  }
  return given;
}

test.each(PRESSURES)("nothing is kept of a call under pressure: %s", async (_, given) => {
  for (const operation of ["TRANSFORM", "READ"] as const) {
    const attacked = skillsOf(given, operation);
    await attempt(attacked);
    expect(await answers(attacked)).toEqual([RIGHT, RIGHT]);

    const known = skillsOf(given, operation);
    expect(await answers(known)).toEqual([RIGHT, RIGHT]);
    await attempt(known);
    expect(await answers(known)).toEqual([RIGHT, RIGHT]);
  }
});

test.each(PRESSURES.filter(([kind]) => /calls|payload|memory|depth/.test(kind) && !kind.includes("work")))(
  "the pressure is real: %s",
  async (_, given) => {
    const [near] = await attempt(skillsOf(given, "TRANSFORM"));
    expect(near).toBe(FALLBACK);
  },
);

test("what is kept answers only where a run would have had the budgets for it", async () => {
  const skills = skillSet(
    {
      rate: `export default ({ n }) => n * 2;\n// budgets`,
      price: `${SENDS_MUCH}\n// budgets`,
      free: CALLS,
      tight: CALLS,
    },
    { tight: { limits: { payloadBytes: 1000 } } },
  );
  const output = async (name: string): Promise<unknown> => {
    const { outcome } = (await runner.run(skills, name, {})).root;
    return outcome.ok ? outcome.output : outcome.error.code;
  };
  expect([await output("free"), await output("tight"), await output("free")]).toEqual([
    RIGHT,
    FALLBACK,
    RIGHT,
  ]);
});

test("what was refused nothing is kept", async () => {
  const skills = skillsOf({ price: ASKS, stranger: CALLS }, "TRANSFORM");
  await attempt(skills);
  const { root } = await runner.run(skills, "price", { n: 21 });
  expect(root).toMatchObject({ reused: true, outcome: { ok: true, output: RIGHT } });
});
