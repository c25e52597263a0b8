import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CallRecord } from "../../src/core/run.ts";
import { DEFAULT_LIMITS } from "../../src/core/skill.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "../runner/skill-set.ts";
import { ATTACKS } from "./attacks.ts";
import { OWN_ATTACKS, OWN_SOURCES } from "./own-attacks.ts";

const DEADLINE_MS = 100;
const GRACE_MS = 120;
/** A machine that is busy with other work may miss the grace once or twice, not each time. */
const TRIES = 6;

let runner: Runner;
let residentMb = 0;
beforeAll(async () => {
  const limits = { ...DEFAULT_LIMITS, wallMs: DEADLINE_MS, cpuMs: DEADLINE_MS };
  runner = new Runner({ limits, workers: 2 });
  await runner.warm();
  await runner.run(skillsWith(`() => 1`), "attack", { honest: true });
  residentMb = process.memoryUsage().rss / 2 ** 20;
});
afterAll(() => runner.close());

let turn = 0;

describe.each([
  ["known", ATTACKS],
  ["own", OWN_ATTACKS],
])("the %s attack", (_, attacks) => {
  test.each(Object.entries(attacks))("%s", async (__, attack) => {
    const skills = skillsWith(attack);
    let tookMs = 0;
    let unharmed = false;
    for (let tries = 0; tries < TRIES; tries++) {
      const started = performance.now();
      const attacked = runner.run(skills, "attack", { turn: turn++ });
      const beside = runner.run(skills, "honest", { n: turn++ });
      const { root } = await attacked;
      tookMs = performance.now() - started;

      expectWellFormed(root);
      // Another run may lose its time to the attack, but never its right result.
      const { outcome, input } = (await beside).root;
      if (outcome.ok) expect(outcome.output).toBe((input as { n: number }).n * 2);
      else expect(outcome.error.code).toBe("SKILL_TIMED_OUT");

      unharmed = await soon(async () => {
        const after = await runner.run(skills, "attack", { honest: true, turn: turn++ });
        const next = await runner.run(skills, "honest", { n: turn++ });
        return isRight(after.root, "honest") && isRight(next.root, (next.root.input as { n: number }).n * 2);
      });
      if (unharmed && tookMs <= DEADLINE_MS + GRACE_MS) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(unharmed).toBe(true);
    expect(tookMs).toBeLessThanOrEqual(DEADLINE_MS + GRACE_MS);
  });
});

test.each(Object.entries(OWN_SOURCES))("the hostile source: %s", async (_, source) => {
  const skills = skillSet({ hostile: source, honest: `export default ({ n }) => n * 2` });
  let tookMs = 0;
  let unharmed = false;
  for (let tries = 0; tries < TRIES; tries++) {
    const started = performance.now();
    const [hostile, beside] = await Promise.all([
      runner.run(skills, "hostile", { turn: turn++ }),
      runner.run(skills, "honest", { n: turn }),
    ]);
    tookMs = performance.now() - started;
    expectWellFormed(hostile.root);
    const { outcome } = beside.root;
    if (outcome.ok) expect(outcome.output).toBe((beside.root.input as { n: number }).n * 2);
    else expect(outcome.error.code).toBe("SKILL_TIMED_OUT");
    unharmed = await soon(async () => {
      const next = await runner.run(skills, "honest", { n: turn++ });
      return isRight(next.root, (next.root.input as { n: number }).n * 2);
    });
    if (unharmed && tookMs <= DEADLINE_MS + GRACE_MS) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(unharmed).toBe(true);
  expect(tookMs).toBeLessThanOrEqual(DEADLINE_MS + GRACE_MS);
});

test("there are 140 known attacks and more than 30 of our own", () => {
  expect(Object.keys(ATTACKS)).toHaveLength(140);
  expect(Object.keys(OWN_ATTACKS).length).toBeGreaterThan(30);
});

test("the memory comes back", () => {
  expect(process.memoryUsage().rss / 2 ** 20 - residentMb).toBeLessThan(400);
});

test("nothing was polluted on our side", () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

function skillsWith(attack: string): ReturnType<typeof skillSet> {
  return skillSet({
    attack: `const host_call = (name, text) => call_skill("honest", { n: 1, name, text });
const attack = ${attack};
export default (input) => input.honest ? "honest" : attack(input);`,
    honest: `export default ({ n }) => n * 2`,
    slow: `export default () => { const end = Date.now() + 40; while (Date.now() < end) {} return 1; }`,
    hungry: `export default () => new Uint8Array(3e7).fill(1).length`,
  });
}

function expectWellFormed({ outcome }: CallRecord): void {
  if (outcome.ok) expect(JSON.stringify(outcome.output)).toBeTypeOf("string");
  else {
    expect(outcome.error.code).toMatch(/^[A-Z_]+$/);
    expect(outcome.error.message.length).toBeLessThan(5000);
  }
}

/** Runs that follow may need longer than they may take while the machine is busy, but not each time. */
async function soon(isSo: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 3; tries++) if (await isSo()) return true;
  return false;
}

/** Whether a run gave the right output; false only where its time was up, another fault is told. */
function isRight({ outcome }: CallRecord, output: unknown): boolean {
  if (outcome.ok) expect(outcome.output).toEqual(output);
  else expect(outcome.error.code).toBe("SKILL_TIMED_OUT");
  return outcome.ok;
}
