import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beside, fixture, isAlive, Neighbours, refusal, until } from "./upstream-fixtures.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "repertoire-upstream-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function startsIn(file: string): Promise<number> {
  return (await readFile(file, "utf8").catch(() => "")).split("\n").length - 1;
}

describe("a published server that cannot be started", () => {
  const gone = { command: join(tmpdir(), "no-such-command") };

  test("is told of when its tools are wanted first, one that publishes nothing is not", async () => {
    const told: string[] = [];
    await using neighbours = new Neighbours(
      { gone: { ...gone, publish: true }, silent: gone },
      { onUnreached: ({ message }) => told.push(message) },
    );
    await neighbours.openPublished();
    await neighbours.openPublished();
    expect(told).toEqual([expect.stringMatching(/^The server "gone" cannot be used: .*no-such-command/)]);
  });
});

describe("a server that goes wrong at its start", () => {
  test("hangs: the wait ends, and nothing of it is left", async () => {
    const starts = join(folder, "hang");
    await beside(
      { ...fixture("bad-start", "hang"), startTimeoutMs: 1_500, env: { STARTS: starts } },
      async (others) => {
        expect(await refusal(others, "bad.add")).toBe(
          'TOOL_FAILED: The server "bad" cannot be used: it was not ready within 1500 ms; its last words: still thinking',
        );
        const pids = (await readFile(starts, "utf8")).trim().split("\n").map(Number);
        expect(pids.map(isAlive)).toEqual([false]);
        expect(others.healthOf("bad")).toMatchObject({ state: expect.stringMatching(/backing-off|failed/) });
      },
    );
  });

  test("exits: its last words are told", async () => {
    await beside(fixture("bad-start", "exit"), async (others) => {
      expect(await refusal(others, "bad.add")).toMatch(
        /^TOOL_FAILED: The server "bad" cannot be used: it exited with code 7; its last words: SHOP_TOKEN is not a valid token/,
      );
      expect(others.healthOf("bad")).toMatchObject({
        lastError: expect.stringContaining("exited with code 7"),
        stderr: expect.arrayContaining(["SHOP_TOKEN is not a valid token"]),
      });
    });
  });

  test("exits again and again: while it is left alone, nobody starts it", async () => {
    const starts = join(folder, "exits");
    await beside(
      { ...fixture("bad-start", "exit"), env: { STARTS: starts } },
      async (others) => {
        await refusal(others, "bad.add");
        const tried = await startsIn(starts);
        await Promise.all(Array.from({ length: 20 }, () => others.tools("bad")));
        expect(await refusal(others, "bad.add")).toMatch(/; it is tried again in \d+ s$/);
        expect(await startsIn(starts)).toBe(tried);
      },
      { backOffMs: { first: 600_000, most: 600_000 } },
    );
  });

  test("is not there: the command is named", async () => {
    await beside({ command: "no-such-command" }, async (others) => {
      expect(await refusal(others, "bad.add")).toBe(
        'TOOL_FAILED: The server "bad" cannot be used: its command "no-such-command" was not found',
      );
    });
    await beside({ ...fixture("good-server"), cwd: "no-such-folder" }, async (others) => {
      expect(await refusal(others, "bad.add")).toMatch(/its "cwd" .*no-such-folder is not a folder$/);
    });
  });

  test("needs a variable that is not set: the variable is named, and nothing is started", async () => {
    const bad = { ...fixture("bad-start", "needs-env"), env: { SHOP_TOKEN: "${NO_SUCH_TOKEN}" } };
    await beside(bad, async (others) => {
      expect(await refusal(others, "bad.add")).toBe(
        'CONFIG_INVALID: The server "bad" cannot be used: "env.SHOP_TOKEN" needs the environment variable NO_SUCH_TOKEN, which is not set',
      );
      expect(others.healthOf("bad")).toMatchObject({
        state: "failed",
        transport: "unknown",
        lastError: expect.stringContaining("NO_SUCH_TOKEN"),
      });
    });
    await using set = new Neighbours({ bad: { ...bad, env: { SHOP_TOKEN: "${SET}" } } });
    expect(await set.call("bad.add", { a: 1, b: 1 })).toMatchObject({ ok: true });
    await using without = new Neighbours({ bad: { ...bad, env: {} } });
    expect(await refusal(without, "bad.add")).toContain(
      "exited with code 1; its last words: Set SHOP_TOKEN first",
    );
  });

  test("prints garbage before the protocol: it is skipped", async () => {
    await beside(fixture("bad-start", "banner"), async (others) => {
      expect(await others.call("bad.add", { a: 1, b: 2 })).toEqual({ ok: true, value: { sum: 3 } });
    });
  });

  test("prints garbage without end", async () => {
    await beside(fixture("bad-start", "endless-banner"), async (others) => {
      expect(await refusal(others, "bad.add")).toMatch(/it sent more than 5000 messages or 16 MB within 5 s/);
    });
  });

  test("does not speak MCP", async () => {
    await beside({ ...fixture("bad-start", "not-mcp"), startTimeoutMs: 800 }, async (others) => {
      expect(await refusal(others, "bad.add")).toContain("it was not ready within 800 ms");
    });
  });

  test("is slow: the first call waits, and only one is started", async () => {
    const starts = join(folder, "slow");
    await beside({ ...fixture("good-server", "--slow"), env: { STARTS: starts } }, async (others) => {
      expect(await others.call("bad.add", { a: 1, b: 1 }, { timeoutMs: 300 })).toMatchObject({
        ok: false,
        error: { message: 'The tool "bad.add" was not called: its server was not ready within 300 ms' },
      });
      const calls = Array.from({ length: 5 }, () => others.call("bad.add", { a: 1, b: 1 }));
      expect(others.healthOf("bad").state).toBe("connecting");
      expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
      expect(await startsIn(starts)).toBe(1);
    });
  });

  test.each([
    ["dies when it is asked for the new era", "dies-of-question"],
    ["is silent when it is asked for the new era", "silent-to-question"],
  ])("%s: it is spoken to as of old", async (_, how) => {
    await beside({ ...fixture("raw-server", how), startTimeoutMs: 3_000 }, async (others) => {
      expect(await others.call("bad.draft7", {})).toEqual({ ok: true, value: { called: "draft7" } });
      expect(others.healthOf("bad")).toMatchObject({ state: "ready", protocolVersion: "2025-06-18" });
    });
  });
});

test("a server that is silent when it is asked for the new era is ready soon, whatever its start may take", async () => {
  await using others = new Neighbours({ bad: fixture("raw-server", "silent-to-question") });
  const asked = performance.now();
  expect(await others.call("bad.draft7", {})).toMatchObject({ ok: true });
  expect(performance.now() - asked).toBeLessThan(8_000);
});

describe("closing", () => {
  test("does not wait for a server that hangs at its start", async () => {
    const others = new Neighbours({ bad: fixture("bad-start", "hang") });
    const calling = refusal(others, "bad.add");
    await until(() => others.healthOf("bad").stderr.length > 0);
    const asked = performance.now();
    await others.close();
    expect(performance.now() - asked).toBeLessThan(10_000);
    expect(await calling).toBe('RUNNER_CLOSED: The server "bad" has been closed');
  });

  test.each([["SIGINT"], ["SIGTERM"], ["exit"], ["throw"]])(
    "is done for whoever ends without it (%s)",
    async (how) => {
      const { command, args } = fixture("abrupt-client", how);
      const client = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
      const exited = once(client, "exit");
      const [said] = (await once(client.stdout, "data")) as [Buffer];
      const pids = JSON.parse(said.toString()) as readonly number[];
      expect(pids.map(isAlive)).toEqual([true, true]);
      if (how.startsWith("SIG")) client.kill(how as NodeJS.Signals);
      const [, signal] = (await exited) as [unknown, unknown];
      if (how.startsWith("SIG")) expect(signal).toBe(how);
      await until(() => !pids.some(isAlive));
    },
  );
});
