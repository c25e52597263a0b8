import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CallRecord } from "../../src/core/run.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "./skill-set.ts";

// Short, so that much can be stopped, and yet a hundred times what honest calls need on a busy machine.
const limits = { ...DEFAULT_LIMITS, cpuMs: 1_500, wallMs: 25_000 };
/** A loop in the engine's own code, which only the watchdog ends. */
const NATIVE = `[].indexOf.call({ length: 2 ** 53 - 1 }, 1)`;
const skills = skillSet({
  mixed: `export default ({ n, heavy }) => heavy ? ${NATIVE} : n * 2;`,
  loop: `export default ({ n }) => { for (;;) n++; };`,
  honest: `export default ({ n }) => n * 2;`,
});

vi.setConfig({ testTimeout: 120_000 });

let runner: Runner;
beforeEach(async () => {
  runner = new Runner({ limits, workers: 2 });
  await runner.warm();
});
afterEach(async () => runner.close());

let turn = 0;
async function honest(name: string, caller?: string): Promise<CallRecord> {
  const n = turn++;
  const own = caller === undefined ? {} : { caller };
  const { root } = await runner.run(skills, name, { n }, own);
  expect(root.outcome).toEqual({ ok: true, output: n * 2 });
  return root;
}

async function heavy(caller?: string): Promise<CallRecord> {
  const own = caller === undefined ? {} : { caller };
  const { root } = await runner.run(skills, "mixed", { n: turn++, heavy: true }, own);
  expect(root.outcome).toMatchObject({ ok: false, error: { code: "SKILL_TIMED_OUT" } });
  return root;
}

/** How nice each thread of this process is. */
function niceness(): readonly number[] {
  return readdirSync("/proc/self/task").map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, "utf8");
    // After the name, which may hold anything.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  });
}

describe("a skill that one caller had stopped", () => {
  test.runIf(process.platform === "linux")("waits for all others, and nobody else does", async () => {
    const own = Math.min(...niceness());
    expect(niceness().every((nice) => nice === own)).toBe(true);
    await heavy("attacker");
    await honest("mixed", "attacker");
    await honest("mixed", "another caller");
    expect(niceness().filter((nice) => nice > own)).toHaveLength(1);
  });

  test.each([["another caller"], [undefined]])(
    "is beside native loops for that caller alone: %s",
    async (other) => {
      await heavy("attacker");
      let open = 5;
      const attack = Array.from({ length: open }, async () => {
        await heavy("attacker");
        open--;
      });
      for (let calls = 0; calls < 5; calls++) await honest("mixed", other);
      // Five calls one after another: in the ward each would wait for loops.
      expect(open).toBeGreaterThan(2);
      await Promise.all(attack);
      await honest("mixed", "attacker");
    },
  );

  test("runs in a worker of that caller's own, so that no other suspect's loops keep it waiting", async () => {
    await Promise.all([heavy("attacker"), heavy("unlucky")]);
    let open = 5;
    const attack = Array.from({ length: open }, async () => {
      await heavy("attacker");
      open--;
    });
    for (let calls = 0; calls < 5; calls++) await honest("mixed", "unlucky");
    expect(open).toBeGreaterThan(2);
    await Promise.all(attack);
  });

  test("comes to its end for many callers at once, who share what wards there are", async () => {
    const callers = Array.from({ length: 6 }, (_, index) => `caller ${index}`);
    await Promise.all(callers.map(async (caller) => heavy(caller)));
    const calls = await Promise.all(callers.map(async (caller) => honest("mixed", caller)));
    expect(calls).toHaveLength(callers.length);
  });
});

describe("honest calls beside an attack", () => {
  const ATTACKS = 6;

  test.each<[string, (index: number) => Promise<unknown>]>([
    ["loops of one caller", async (n) => runner.run(skills, "loop", { n }, { caller: "attacker" })],
    ["native loops of one caller", async () => heavy("attacker")],
    ["loops of many callers", async (n) => runner.run(skills, "loop", { n }, { caller: `attacker ${n}` })],
  ])("do not wait for it: %s", async (_, attack) => {
    const begun: Promise<unknown>[] = [];
    let open = 0;
    let beside = 0;
    for (let index = 0; index < 20 * ATTACKS; index++) {
      if (index % 20 === 10) {
        open++;
        begun.push(attack(index).finally(() => open--));
      }
      await honest("honest", "honest");
      if (open > 0) beside++;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(begun);
    // One that waits for an attack ends when this is over: of each attack there would be none beside it, or one.
    expect(beside).toBeGreaterThan(3 * ATTACKS);
  });

  test("nor behind the first loops of a skill that nobody knows yet", async () => {
    // Quick ones go where others of the kind are.
    for (let calls = 0; calls < 20; calls++) await honest("honest");
    let open = 0;
    const begun: Promise<unknown>[] = [];
    for (let loops = 0; loops < 3; loops++) {
      open++;
      begun.push(runner.run(skills, "loop", { n: loops }).finally(() => open--));
      await honest("honest");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (let calls = 0; calls < 20; calls++) await honest("honest");
    // A loop takes 1.5 s: who waited for one would have seen it end.
    expect(open).toBe(3);
    await Promise.all(begun);
    for (let calls = 0; calls < 5; calls++) await honest("honest");
  });
});

test("a runner that is closed while runs go on comes to its end before the process does", async () => {
  const [runnerUrl, limitsUrl, skillSetUrl] = [
    "../../src/runner/runner.ts",
    "../../src/core/limits.ts",
    "./skill-set.ts",
  ].map((path) => JSON.stringify(new URL(path, import.meta.url)));
  const program = `
    const { Runner } = await import(${runnerUrl});
    const { DEFAULT_LIMITS } = await import(${limitsUrl});
    const { skillSet } = await import(${skillSetUrl});
    const skills = skillSet({ add: "export default ({ a, b }) => ({ result: a + b });" });
    for (let round = 0; round < 40; round++) {
      const runner = new Runner({ limits: DEFAULT_LIMITS, workers: 1 });
      for (let a = 0; a < 40; a++) await runner.run(skills, "add", { a, b: 0 });
      const runs = Array.from({ length: 200 }, (_, a) => runner.run(skills, "add", { a, b: round + 1 }));
      await Promise.race(runs);
      await runner.close();
      await Promise.all(runs);
    }
    console.log("closed");`;
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe("closed\n");
});
