import { describe, expect, test } from "vitest";
import { fixture, isAlive, Neighbours, until } from "./upstream-fixtures.ts";

const ERAS = [
  { era: "the new era", GOOD: { good: fixture("good-server") }, version: "2026-07-28" },
  { era: "the old era", GOOD: { good: fixture("good-server", "--legacy") }, version: "2025-11-25" },
];

describe.each(ERAS)("a good server of $era", ({ GOOD, version }) => {
  test("is reached when it is first needed, in the newest revision that it knows", async () => {
    await using others = new Neighbours(GOOD);
    expect(others.healthOf("good")).toMatchObject({ state: "idle", restarts: 0, stderr: [] });
    expect(await others.call("good.add", { a: 1, b: 2 })).toEqual({ ok: true, value: { sum: 3 } });
    expect(others.healthOf("good")).toMatchObject({
      state: "ready",
      transport: "stdio",
      protocolVersion: version,
      server: { name: "good", version: "1.2.3" },
      tools: { allowed: 23, listed: 23 },
      findings: [],
    });
  });

  test("gives its tools with their schemas", async () => {
    await using others = new Neighbours(GOOD);
    const { tools, failures } = await others.tools();
    expect(failures).toEqual(new Map());
    expect(tools[0]).toEqual({
      server: "good",
      name: "add",
      title: "Add",
      description: "Adds two numbers.",
      inputSchema: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      },
      outputSchema: {
        type: "object",
        properties: { sum: { type: "number" } },
        required: ["sum"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true },
    });
  });

  test("answers as data, whichever way it says it", async () => {
    await using others = new Neighbours(GOOD);
    const give = async (name: string, args = {}): Promise<unknown> => {
      const result = await others.call(`good.${name}`, args);
      return result.ok ? result.value : result.error;
    };
    expect(await give("give", { a: [1, null] })).toEqual({ a: [1, null] });
    expect(await give("text", { text: ' {"a": 1}' })).toEqual({ a: 1 });
    expect(await give("text", { text: "[1, 2" })).toBe("[1, 2");
    expect(await give("text", { text: "42" })).toBe("42");
    expect(await give("texts", { texts: ['{"a":1}', '{"a":2}'] })).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await give("texts", { texts: ["one", "two"] })).toBe("one\ntwo");
    expect(await give("nothing")).toBe(null);
    expect(await give("mixed")).toEqual([
      { type: "text", text: "see:" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource", resource: { uri: "x://y", text: "hello", mimeType: "text/plain" } },
    ]);
    expect(await give("fail")).toEqual({ code: "TOOL_FAILED", message: "the shop is closed" });
  });

  test("is told of a call that was cancelled", async () => {
    await using others = new Neighbours(GOOD);
    await others.tools();
    const controller = new AbortController();
    const calling = others.call("good.slow", { ms: 20_000 }, { signal: controller.signal });
    await until(() => others.healthOf("good").inFlight === 1);
    controller.abort();
    expect(await calling).toMatchObject({ ok: false, error: { code: "CANCELLED" } });
    expect(await others.call("good.cancelled", {})).toEqual({ ok: true, value: { cancelled: 1 } });
    expect(await others.call("good.add", {}, { signal: controller.signal })).toMatchObject({
      ok: false,
      error: { code: "CANCELLED" },
    });
  });

  test("tells of changes, and its new tools can be called", async () => {
    await using others = new Neighbours(GOOD);
    await others.tools();
    let changes = 0;
    others.onChange(() => changes++);
    await others.call("good.change_tools", { title: "New" });
    await until(() => changes === 1);
    expect(await others.call("good.new_one", {})).toEqual({ ok: true, value: { isNew: true } });
    await others.call("good.tell_changes", { times: 300 });
    await others.call("good.change_tools", { title: "Newer" });
    await until(() => changes === 2);
    expect(others.known().find(({ name }) => name === "new_one")).toMatchObject({ title: "Newer" });
  });
});

const GOOD = { good: fixture("good-server") };

describe("a good server", () => {
  test("is found by its name, and so are its tools", async () => {
    await using others = new Neighbours({ ...GOOD, off: { ...fixture("good-server"), disabled: true } });
    const refusal = async (name: string, args: never = {} as never): Promise<string> => {
      const result = await others.call(name, args);
      return result.ok ? "" : `${result.error.code}: ${result.error.message}`;
    };
    expect(await refusal("goood.add")).toBe(
      'TOOL_NOT_FOUND: There is no upstream server "goood" for the tool "goood.add". Did you mean "good"?',
    );
    expect(await refusal("good.ad")).toBe(
      'TOOL_NOT_FOUND: The server "good" has no tool "ad". Did you mean "good.add"?',
    );
    expect(await refusal("good")).toBe('TOOL_NOT_FOUND: "good" is a server; a tool is named "good.tool"');
    expect(await refusal("off.add")).toBe(
      'TOOL_NOT_FOUND: The server "off" is disabled in the configuration',
    );
    expect(await refusal("good.add", [1] as never)).toBe(
      'INPUT_INVALID: The tool "good.add" takes an object of arguments',
    );
  });

  test("gives only the tools that are allowed and not denied", async () => {
    await using others = new Neighbours({
      good: { ...fixture("good-server"), tools: { allow: ["a*", "e*"], deny: ["exi*", "*_*"] } },
    });
    const { tools } = await others.tools("good");
    expect(tools.map(({ name }) => name)).toEqual(["add", "env"]);
    expect(await others.call("good.exit", {})).toMatchObject({
      ok: false,
      error: {
        code: "TOOL_NOT_FOUND",
        message: 'The configuration leaves the tool "good.exit" out: "tools" of "mcpServers.good"',
      },
    });
    expect(others.healthOf("good").tools).toEqual({ allowed: 2, listed: 23 });
  });

  test("sees of our environment only what is configured and what programs need", async () => {
    process.env["OUR_SECRET"] = "secret";
    await using others = new Neighbours({
      good: { ...fixture("good-server"), env: { A: "${SET}", B: "${NOT_SET:-b}" }, cwd: "." },
    });
    const result = await others.call("good.env", {});
    const { env, cwd } = (result.ok ? result.value : {}) as { env: object; cwd: string };
    expect(env).toMatchObject({ A: "is set", B: "b", PATH: process.env["PATH"] });
    expect(env).not.toHaveProperty("OUR_SECRET");
    expect(cwd).toMatch(/fixtures\/upstreams$/);
  });

  test("works on so many calls at once, and the rest wait", async () => {
    await using others = new Neighbours(GOOD, { mostInFlight: 3 });
    await others.tools();
    let most = 0;
    const calls = Array.from({ length: 9 }, () => others.call("good.slow", { ms: 60 }));
    const watch = setInterval(() => (most = Math.max(most, others.healthOf("good").inFlight)), 5);
    const results = await Promise.all(calls);
    clearInterval(watch);
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(most).toBe(3);
    const late = await Promise.all([
      ...Array.from({ length: 3 }, () => others.call("good.slow", { ms: 1_000 })),
      others.call("good.add", { a: 1, b: 1 }, { timeoutMs: 100 }),
    ]);
    expect(late[3]).toMatchObject({
      ok: false,
      error: {
        code: "TOOL_FAILED",
        message: 'The tool "good.add" was not called: no turn came within 100 ms',
      },
    });
  });

  test("passes on its stderr, and keeps the last of it", async () => {
    await using others = new Neighbours(GOOD);
    await others.call("good.shout", { text: "one\n\u001b[31mtwo\u001b[0m\nthree" });
    await until(() => others.stderr.length === 2);
    expect(others.stderr).toEqual(["[good] one", "[good] two"]);
    expect(others.healthOf("good").stderr).toEqual(["one", "two", "three"]);
  });

  test("is gone when all is closed, with what it started", async () => {
    const others = new Neighbours({ good: fixture("good-server"), stays: fixture("good-server", "--stay") });
    await others.tools();
    const started = await others.call("stays.grandchild", {});
    const { pid } = (started.ok ? started.value : {}) as { pid: number };
    const pids = [others.healthOf("good").pid ?? 0, others.healthOf("stays").pid ?? 0, pid];
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    await others.close();
    expect(pids.slice(0, 2).map(isAlive)).toEqual([false, false]);
    await until(() => !isAlive(pid));
    expect(await others.call("good.add", {})).toMatchObject({ ok: false, error: { code: "RUNNER_CLOSED" } });
  });
});
