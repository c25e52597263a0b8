import { expect } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import type { CallRecord } from "../../src/core/run.ts";
import type { Skill } from "../../src/core/skill.ts";
import type { Runner } from "../../src/runner/runner.ts";

/** Milliseconds of CPU and wall time that hostile runs have. */
export const DEADLINE_MS = 100;
const GRACE_MS = 120;
/** A machine that is busy with other work may miss the grace once or twice, not each time. */
const TRIES = 6;

let turn = 0;

interface Attacked {
  readonly runner: Runner;
  /** Among them `honest`, which doubles `n`. */
  readonly skills: ReadonlyMap<string, Skill>;
  /** The hostile one of them. */
  readonly name: string;
  /** Calls that give the right output after the attack: name, input, output. */
  readonly after: readonly (readonly [string, { readonly [key: string]: Json }, Json])[];
}

export const STOPPED: Stopped = { lateMs: 0, unharmed: true };

interface Stopped {
  /** Milliseconds beyond the deadline and its grace. */
  readonly lateMs: number;
  /** Whether the calls that followed were right. */
  readonly unharmed: boolean;
}

/** Runs what is hostile beside what is honest, and then what has to be right after it. */
export async function stopped({ runner, skills, name, after }: Attacked): Promise<Stopped> {
  let lateMs = 0;
  let unharmed = false;
  for (let tries = 0; tries < TRIES; tries++) {
    const started = performance.now();
    const attacked = runner.run(skills, name, { turn: turn++ }, { caller: "attacker" });
    const beside = runner.run(skills, "honest", { n: turn++ });
    const { root } = await attacked;
    lateMs = Math.max(0, performance.now() - started - DEADLINE_MS - GRACE_MS);

    expectWellFormed(root);
    // Another run may lose its time to the attack, but never its right result.
    const { outcome, input } = (await beside).root;
    if (outcome.ok) expect(outcome.output).toBe((input as { n: number }).n * 2);
    else expect(outcome.error.code).toBe("SKILL_TIMED_OUT");

    unharmed = await soon(async () => {
      let isSo = true;
      for (const [next, given, output] of after) {
        const run = await runner.run(skills, next, { ...given, turn: turn++ });
        isSo = isRight(run.root, output) && isSo;
      }
      const n = turn++;
      return isRight((await runner.run(skills, "honest", { n })).root, n * 2) && isSo;
    });
    if (unharmed && lateMs === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { lateMs, unharmed };
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
