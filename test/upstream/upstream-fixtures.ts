import { rename, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { mcpServersShape, upstreamServers } from "../../src/upstream/upstream-config.ts";
import type { UpstreamHealth } from "../../src/upstream/upstream-health.ts";
import { Upstreams, type UpstreamsOptions } from "../../src/upstream/upstreams.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/upstreams", import.meta.url));

/** The settings of a server that one of the fixtures plays. */
export function fixture(file: string, ...args: readonly string[]): { command: string; args: string[] } {
  return {
    command: process.execPath,
    args: ["--disable-warning=ExperimentalWarning", `${FIXTURES}/${file}.ts`, ...args],
  };
}

/** Other servers for a test, all of which have ended when it is over. */
export class Neighbours extends Upstreams implements AsyncDisposable {
  readonly stderr: string[];
  readonly pids = new Set<number>();

  constructor(servers: Readonly<Record<string, object>>, options: Partial<UpstreamsOptions> = {}) {
    const stderr: string[] = [];
    super({
      servers: upstreamServers(mcpServersShape.parse(withSharedCache(servers)), FIXTURES, {
        ...process.env,
        SET: "is set",
      }),
      backOffMs: { first: 50, most: 400 },
      onStderr: (server, line) => stderr.push(`[${server}] ${line}`),
      ...options,
    });
    this.stderr = stderr;
  }

  healthOf(name: string): UpstreamHealth {
    const found = this.health().find((each) => each.name === name);
    if (!found) throw new Error(`no server ${name}`);
    if (found.pid !== undefined) this.pids.add(found.pid);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { pid } of this.health()) if (pid !== undefined) this.pids.add(pid);
    await this.close();
    const left = [...this.pids].filter(isAlive);
    if (left.length > 0) throw new Error(`processes are left: ${left.join(", ")}`);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** What the changing server lists from now on; it never reads a half of it. */
export async function lists(file: string, tools: readonly object[]): Promise<void> {
  await writeFile(`${file}.next`, JSON.stringify(tools));
  await rename(`${file}.next`, file);
}

/** Waits until something holds; fails after `ms`. */
export async function until(holds: () => boolean, ms = 15_000): Promise<void> {
  for (const end = performance.now() + ms; !holds();) {
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${holds.toString()}`);
    await wait(10);
  }
}

// They start faster so; nothing of our environment reaches them by itself.
function withSharedCache(servers: Readonly<Record<string, object>>): object {
  const cache = process.env["NODE_COMPILE_CACHE"];
  if (cache === undefined) return servers;
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      const own = "env" in server && typeof server.env === "object" ? server.env : {};
      return [
        name,
        "command" in server
          ? Object.assign({}, server, { env: { NODE_COMPILE_CACHE: cache, ...own } })
          : server,
      ];
    }),
  );
}

/** A bad server beside one that goes on as if nothing were. */
export async function beside(
  bad: object,
  story: (others: Neighbours) => Promise<void>,
  options: ConstructorParameters<typeof Neighbours>[1] = {},
): Promise<void> {
  await using others = new Neighbours({ good: fixture("raw-server"), bad }, options);
  const good = async (): Promise<void> => {
    const asked = performance.now();
    expect(await others.call("good.draft7", {})).toEqual({ ok: true, value: { called: "draft7" } });
    expect(performance.now() - asked).toBeLessThan(10_000);
  };
  await good();
  const { pid } = others.healthOf("good");
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  const goingOn = (async () => {
    while (!isOver) {
      await good();
      await Promise.race([over, new Promise((tick) => setTimeout(tick, 50))]);
    }
  })();
  try {
    await story(others);
  } finally {
    isOver = true;
    resolve();
    await goingOn;
  }
  expect(others.healthOf("good")).toMatchObject({ state: "ready", restarts: 0, pid });
}

/** How a call fails; nothing where it does not. */
export async function refusal(others: Neighbours, name: string, args: Json = {}): Promise<string> {
  const result = await others.call(name, args);
  return result.ok ? "" : `${result.error.code}: ${result.error.message}`;
}
