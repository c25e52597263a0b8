import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type App,
  type CallRecord,
  type EngineAdapter,
  type ExecuteOptions,
  type Json,
  openApp,
  readConfig,
  type Run,
} from "../../../src/index.ts";
import { hasPostgres, TemporalOnPostgres } from "./temporal-on-postgres.ts";
import { ended, hasServer, type TemporalServer, temporalServer } from "./temporal-server.ts";
import { Workplace } from "./workplace.ts";

const SERVERS = {
  "in memory": hasServer ? temporalServer : undefined,
  "on PostgreSQL": hasPostgres ? async () => TemporalOnPostgres.open() : undefined,
} as const;
const TEXTS = ["a", "b", "c", "d"];

/** Good and bad, as they are made here and there. */
const RUNS: readonly (readonly [skill: string, input: Json])[] = [
  ["square", { n: 7 }],
  ["square", { n: "seven" }],
  ["look-and-put", { text: "looked" }],
  ["put-together", { texts: TEXTS, width: 2 }],
  ["put-together", { texts: TEXTS, width: "wide" }],
  ["pay-once", { text: "rent" }],
  ["put-and-fail", { text: "thrown", how: "throw" }],
  ["put-and-fail", { text: "refused", how: "refused" }],
  ["put-and-fail", { text: "lacking", how: "output" }],
  ["put-and-fail", { text: "unknown", how: "unknown" }],
];

/** What a run tells that does not tell when. */
function told({ root }: Run): unknown {
  const call = ({ kind, name, input, outcome, callPath, calls, isRead, digest }: CallRecord): unknown => {
    const ended = outcome.ok
      ? outcome
      : { code: outcome.error.code, skill: outcome.error.skill, at: outcome.error.callPath };
    return { kind, name, input, callPath, isRead, digest, ended, calls: calls.map(call) };
  };
  return call(root);
}

interface Executing {
  readonly place: Workplace;
  readonly app: App;
  readonly execute: (
    skill: string,
    input: Json,
    options?: ExecuteOptions,
  ) => ReturnType<EngineAdapter["execute"]>;
}

/** A program that has its skills run on Temporal, whose own runs are made here. */
async function executing(server: TemporalServer, answerMs = 0): Promise<Executing> {
  const place = await Workplace.open(server.address, { answerMs });
  onTestFinished(async () => place.close());
  const config = await readConfig({ cwd: place.folder });
  if (!config.ok) throw new Error(config.error.message);
  const app = openApp({ ...config.value, execute: "here" });
  onTestFinished(async () => app.close());
  const engine = app.engines.get("temporal");
  if (!engine) throw new Error("There is no such engine");
  return { place, app, execute: async (...given) => engine.execute(...given) };
}

const texts = (place: Workplace): readonly string[] => place.of("applied").map(({ text }) => text);

test("an input that does not fit is told before a server is looked for", async () => {
  const { execute } = await executing({ address: "127.0.0.1:1", close: async () => {} });
  const { root } = await execute("square", { n: "seven" });
  expect(root).toMatchObject({ calls: [], outcome: { error: { code: "INPUT_INVALID", skill: "square" } } });
  const { root: other } = await execute("square", { n: 7 });
  expect(other.outcome).toMatchObject({
    error: {
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(/127\.0\.0\.1:1, .*"temporal server start-dev" starts/),
    },
  });
});

test("a worker without a server tells where it has looked, and what starts one", async () => {
  const { place } = await executing({ address: "127.0.0.1:1", close: async () => {} });
  const { code, stderr } = await place.command("worker");
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^STORE_UNAVAILABLE: Temporal at 127\.0\.0\.1:1, .*"temporal server start-dev" starts/,
  );
});

for (const [where, open] of Object.entries(SERVERS))
  describe.runIf(open)(`runs that are executed on a server ${where}`, { timeout: 300_000 }, () => {
    const server = async (): Promise<TemporalServer> => {
      const made = await open?.();
      if (!made) throw new Error("There is no server");
      onTestFinished(async () => made.close());
      return made;
    };

    test("are as they are here; persons are asked; what is cancelled or late has ended", async () => {
      const { place, app, execute } = await executing(await server());
      await place.worker();
      for (const [skill, input] of RUNS) {
        const direct = await app.call(skill, input);
        expect([skill, told(await execute(skill, input))]).toEqual([skill, told(direct)]);
      }

      const asked: unknown[] = [];
      const agreed = await execute(
        "put-all",
        { texts: ["one", "two"] },
        {
          approve: async ({ name, input, callPath }) => {
            asked.push([name, input, callPath]);
            return asked.length === 1;
          },
        },
      );
      expect(agreed.root.outcome).toMatchObject({ ok: false, error: { code: "RUN_UNAPPROVED" } });
      expect(asked).toEqual([
        ["ledger.put", { text: "one" }, "0.1"],
        ["ledger.put", { text: "two" }, "0.3"],
      ]);
      expect(texts(place).slice(-1)).toEqual(["one"]);

      for (const [options, code] of [
        [{ signal: AbortSignal.timeout(1500) }, "CANCELLED"],
        [{ timeoutMs: 1500 }, "SKILL_TIMED_OUT"],
      ] as const) {
        const stopped = await execute("wait-and-put", { ms: 60_000 }, options);
        expect(stopped.root.outcome).toMatchObject({ ok: false, error: { code } });
      }
      expect(texts(place)).not.toContain("later");
    });

    test("end where a worker is killed in a write, which is made again under its key, or waits", async () => {
      const { place, execute } = await executing(await server(), 700);
      const first = await place.worker();
      const running = execute("put-all", { texts: TEXTS });
      await place.applied(2);
      await ended(first, "SIGKILL");
      const second = await place.worker();
      expect((await running).root.outcome).toMatchObject({ ok: true, output: { put: TEXTS.length } });
      expect(texts(place)).toEqual(TEXTS);
      expect(place.of("recognised")).toEqual([expect.objectContaining({ text: "b", pid: second.pid })]);

      const paying = execute("pay-once", { text: "rent" });
      await place.applied(TEXTS.length + 1);
      await ended(second, "SIGKILL");
      await place.worker();
      expect((await paying).root.outcome).toMatchObject({
        ok: false,
        error: { code: "WRITE_UNCERTAIN", details: { waiting: [{ callPath: "0.0" }] } },
      });
      await wait(1000);
      expect(place.of("applied")).toHaveLength(TEXTS.length + 1);
    });
  });
