import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { decidableRuns, processOn, type Shop, type ShopAnswer } from "./killed-process.ts";

/** Applies each write once for its key, and counts those that came again. */
class AppliedWrites implements Shop {
  readonly applied = new Map<string, number>();
  readonly inputs = new Map<string, Set<string>>();

  answer(tool: string, input: Json, key: string): ShopAnswer {
    if (tool === "shop.read") return { answer: { price: 3 } };
    this.applied.set(key, (this.applied.get(key) ?? 0) + 1);
    this.inputs.set(key, (this.inputs.get(key) ?? new Set()).add(JSON.stringify(input)));
    return { answer: { done: true } };
  }
}

/** Decides as a person would, in a process that does not work on the run. */
function decideAll(
  folder: string,
  runId: string,
): { readonly approved: number; readonly uncertain: readonly string[] } {
  const runs = decidableRuns(folder);
  const shown = runs.show(runId);
  if (!shown.ok) throw new Error(shown.error.message);
  const waiting = shown.value.calls.filter(({ state }) => state === "unapproved" || state === "uncertain");
  for (const { callPath } of waiting)
    expect(runs.decide(runId, { kind: "approve" }, { by: "ada", callPath }).ok).toBe(true);
  void runs.close();
  const uncertain = waiting.filter(({ state }) => state === "uncertain").map(({ callPath }) => callPath);
  return { approved: waiting.length - uncertain.length, uncertain };
}

const KILLS = 200;

test(
  `killed at ${KILLS} moments, runs apply every write once: what was begun and not answered is asked about, and only that comes again`,
  { timeout: 900_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "killed-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    let kills = 0;
    let asked = 0;
    let random = 42;
    const chance = (below: number): number => (random = (random * 48_271) % 0x7fffffff) % below;
    const one = async (name: number): Promise<void> => {
      const shop = new AppliedWrites();
      const runId = `run-${name}`;
      const again = new Map<string, number>();
      for (let rounds = 0; rounds < 40; rounds++) {
        const isKilled = kills < KILLS && rounds < 12;
        if (isKilled) kills++;
        const kill = isKilled ? { after: 1 + chance(3), isAnswered: chance(2) === 0 } : undefined;
        const ended = await processOn([folder, runId, name % 3 === 0 ? "confirms" : ""], shop, kill);
        // It may have completed in the moment before it was killed.
        const isDone = ended.code === undefined || ended.message === `The run ${runId} is completed`;
        if (!ended.isKilled && isDone) break;
        if (ended.isKilled) continue;
        expect(ended).toMatchObject({ code: expect.stringMatching(/^(WRITE_UNCERTAIN|RUN_WAITING)$/) });
        const { uncertain } = decideAll(folder, runId);
        asked += uncertain.length;
        for (const callPath of uncertain)
          again.set(`${runId}/${callPath}`, (again.get(`${runId}/${callPath}`) ?? 0) + 1);
      }
      // Three lines and two at the end, and nothing came twice that nobody was asked about.
      expect(shop.applied.size).toBe(5);
      // Whatever process makes a call, its input is the same.
      for (const inputs of shop.inputs.values()) expect(inputs.size).toBe(1);
      for (const [key, times] of shop.applied) expect(times).toBeLessThanOrEqual(1 + (again.get(key) ?? 0));
    };
    for (let name = 0; kills < KILLS; name += 2) await Promise.all([one(name), one(name + 1)]);
    expect(kills).toBe(KILLS);
    expect(asked).toBeGreaterThan(KILLS / 10);
  },
);
