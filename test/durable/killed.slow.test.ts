import { type ChildProcess, fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { failure } from "../../src/core/error.ts";
import type { Json } from "../../src/core/json/json.ts";
import { fail } from "../../src/core/result.ts";
import { DurableRuns } from "../../src/durable/durable-runs.ts";

const PROCESS = fileURLToPath(new URL("interrupted-process.ts", import.meta.url));

/** Applies each write once for its key, and counts those that came again. */
class Shop {
  readonly applied = new Map<string, number>();
  readonly inputs = new Map<string, Set<string>>();

  answer(tool: string, input: Json, key: string): Json {
    if (tool === "shop.read") return { price: 3 };
    this.applied.set(key, (this.applied.get(key) ?? 0) + 1);
    this.inputs.set(key, (this.inputs.get(key) ?? new Set()).add(JSON.stringify(input)));
    return { done: true };
  }
}

type Message =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly tool: string;
      readonly input: Json;
      readonly key: string;
    }
  | {
      readonly kind: "ended";
      readonly outcome: {
        readonly ok: boolean;
        readonly error?: { readonly code: string; readonly message: string };
      };
    };

interface Ended {
  readonly isKilled: boolean;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** One process that works on the run, killed when so many messages have come from it, before or after it is answered. */
async function processOn(
  args: readonly string[],
  shop: Shop,
  kill: { readonly after: number; readonly isAnswered: boolean } | undefined,
): Promise<Ended> {
  const child: ChildProcess = fork(PROCESS, args, {
    execPath: process.execPath,
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  let messages = 0;
  let ended: Ended = { isKilled: true };
  child.on("message", (message: Message) => {
    if (message.kind === "ended") {
      ended = { isKilled: false, ...message.outcome.error };
      return;
    }
    messages++;
    const { id, tool, input, key } = message;
    const answer = shop.answer(tool, input, key);
    const isLast = messages === kill?.after;
    if (!isLast || kill.isAnswered) child.send({ id, answer });
    if (isLast) void wait(kill.isAnswered ? messages % 4 : 0).then(() => child.kill("SIGKILL"));
  });
  await new Promise((resolve) => void child.once("exit", resolve));
  return ended;
}

/** Decides as a person would, in a process that does not work on the run. */
function decideAll(
  folder: string,
  runId: string,
): { readonly approved: number; readonly uncertain: readonly string[] } {
  const runs = new DurableRuns({
    folder,
    runner: { run: () => Promise.reject(new Error("it only decides")) },
    callTool: async () => Promise.resolve(fail(failure("TOOL_FAILED", "it only decides"))),
    policyOf: async () => Promise.resolve("write"),
    skills: async () => Promise.resolve({ skills: new Map(), refusals: new Map() }),
  });
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
      const shop = new Shop();
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
