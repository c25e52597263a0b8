import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { replay, type Replay, type ReplayOptions } from "../../../src/learn/verify/replay.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { EXCHANGE_INPUT, EXCHANGES, exchangeTrace, SHOP_TOOLS } from "./shop.ts";
import { runner } from "../../shared-threads.ts";

/** Replays the body of a skill whose input is `input`. */
async function replayed(
  body: string,
  trace: RecordedTrace,
  options: Partial<ReplayOptions> = {},
): Promise<Replay> {
  const text = `export default async function run(input) {${body}}`;
  const skills = skillSet({ tried: text }, { tried: { frontmatter: { "allowed-tools": "s.*" } } });
  return replay({ runner, skills, name: "tried" }, trace, { input: {}, ...options });
}

function traceOf(...calls: readonly (readonly [string, JsonObject, Json])[]): RecordedTrace {
  return { id: "t", calls: calls.map(([tool, args, result]) => ({ tool: `s.${tool}`, args, result })) };
}

test("a skill that makes the recorded calls replays the trace", async () => {
  const skills = skillSet(EXCHANGES, { derived: SHOP_TOOLS });
  const trace = exchangeTrace();
  const result = await replay({ runner, skills, name: "derived" }, trace, { input: EXCHANGE_INPUT });
  expect(result.difference).toBeUndefined();
  expect(result.calls.map(({ recorded }) => recorded)).toEqual([0, 1, 2, 3, 4]);
  expect(result.output).toEqual(trace.calls[4]?.result);
});

describe("matching", () => {
  const look = traceOf(["a", { x: 1, y: { p: 1, q: [1, 2] } }, "A"], ["b", {}, "B"]);

  test("the order of keys, and of calls that do not need each other, does not matter", async () => {
    const result = await replayed(
      `return Promise.all([call_tool("s.b", {}), call_tool("s.a", { y: { q: [1, 2], p: 1.0 }, x: 1 })])`,
      look,
    );
    expect(result.difference).toBeUndefined();
    expect(result.calls.map(({ recorded }) => recorded)).toEqual([1, 0]);
    expect(result.output).toEqual(["B", "A"]);
  });

  test("an argument that differs is shown with its place", async () => {
    const body = `return call_tool("s.a", { x: 1, y: { p: 1, q: [1, 3] } })`;
    expect((await replayed(body, look)).difference).toEqual({
      kind: "other-arguments",
      call: 0,
      recorded: 0,
      tool: "s.a",
      path: "/y/q/1",
      expected: 2,
      got: 3,
    });
  });

  test("the nearest call of the tool tells the difference", async () => {
    const trace = traceOf(["a", { x: 1, y: 2, z: 3 }, 1], ["a", { x: 7, y: 8, z: 9 }, 2]);
    const { difference } = await replayed(`return call_tool("s.a", { x: 7, y: 8, "a/b": 1, z: 9 })`, trace);
    expect(difference).toMatchObject({ kind: "other-arguments", recorded: 1, path: "/a~1b", got: 1 });
    expect(difference).not.toHaveProperty("expected");
  });

  test.each([
    [
      "a tool that the trace does not call",
      `return call_tool("s.c", {})`,
      { kind: "unexpected-call", tool: "s.c" },
    ],
    [
      "a call made once more",
      `await call_tool("s.b"); return call_tool("s.b")`,
      { kind: "unexpected-call", call: 1 },
    ],
    ["a call that is missing", `return call_tool("s.b")`, { kind: "missing-call", recorded: 0, tool: "s.a" }],
    ["the skill's own failure", `throw new Error("no")`, { kind: "failed", code: "SKILL_THREW" }],
    ["a tool that it may not call", `return call_tool("t.x")`, { kind: "failed", code: "TOOL_NOT_FOUND" }],
    ["a skill without an end", `for (;;);`, { kind: "failed" }],
  ])("shows %s", async (_, body, difference) => {
    expect((await replayed(body, look, { wallMs: 1000 })).difference).toMatchObject(difference);
  });

  test("a difference counts even where the skill goes on", async () => {
    const body = `try { await call_tool("s.c") } catch {} await call_tool("s.b"); return 1`;
    const result = await replayed(body, look);
    expect(result.difference).toMatchObject({ kind: "unexpected-call" });
    expect(result.calls).toHaveLength(1);
  });

  test("a call that is caught counts, but not one that the sandbox refuses: it reaches no tool", async () => {
    const body = (
      levels: number,
    ): string => `let deep = []; for (let i = 0; i < ${levels}; i++) deep = [deep];
      try { await call_tool("s.c", { deep }) } catch {} await call_tool("s.b"); return 1`;
    expect((await replayed(body(400), look, { calls: [1] })).difference).toMatchObject({
      kind: "unexpected-call",
      tool: "s.c",
    });
    expect((await replayed(body(3000), look, { calls: [1] })).difference).toBeUndefined();
  });

  test("the output is compared where it is known", async () => {
    const body = `await call_tool("s.a", { x: 1, y: { p: 1, q: [1, 2] } }); return { b: await call_tool("s.b") }`;
    expect((await replayed(body, look, { output: { b: "B" } })).difference).toBeUndefined();
    expect((await replayed(body, look, { output: { b: "C" } })).difference).toEqual({
      kind: "other-output",
      path: "/b",
      expected: "C",
      got: "B",
    });
  });

  test("keys with names of the language are keys like others", async () => {
    const trace = traceOf(["a", JSON.parse('{"__proto__": {"x": 1}}') as JsonObject, 1]);
    const body = (x: number): string => `return call_tool("s.a", JSON.parse('{"__proto__": {"x": ${x}}}'))`;
    expect((await replayed(body(1), trace)).difference).toBeUndefined();
    expect((await replayed(body(2), trace)).difference).toMatchObject({ path: "/__proto__/x" });
    expect((await replayed(`return call_tool("s.a", {})`, trace)).difference).toMatchObject({
      path: "/__proto__",
    });
  });
});

describe("order", () => {
  const flow = traceOf(["find", {}, { id: "K-4711" }], ["get", { id: "K-4711" }, "got"]);

  test("a call whose value came from another comes after it", async () => {
    const early = `await call_tool("s.get", { id: "K-4711" }); return call_tool("s.find", {})`;
    expect((await replayed(early, flow)).difference).toEqual({
      kind: "too-early",
      call: 0,
      recorded: 1,
      tool: "s.get",
      needs: 0,
    });
  });

  test("a value that the caller supplies waits for nothing", async () => {
    const early = `await call_tool("s.get", { id: input.id }); return call_tool("s.find", {})`;
    expect((await replayed(early, flow, { input: { id: "K-4711" } })).difference).toBeUndefined();
  });

  test("what has changed an answer comes before it", async () => {
    const trace = traceOf(
      ["get", { id: 1 }, "old"],
      ["set", { id: 1, to: "new" }, null],
      ["get", { id: 1 }, "new"],
    );
    const inOrder = `await call_tool("s.get", { id: 1 }); await call_tool("s.set", { id: 1, to: "new" }); return call_tool("s.get", { id: 1 })`;
    const early = `await call_tool("s.get", { id: 1 }); const seen = await call_tool("s.get", { id: 1 }); await call_tool("s.set", { id: 1, to: "new" }); return seen`;
    expect(await replayed(inOrder, trace)).toMatchObject({
      output: "new",
      calls: [{ recorded: 0 }, {}, { recorded: 2 }],
    });
    expect((await replayed(early, trace)).difference).toMatchObject({ kind: "too-early", needs: 1 });
  });
});

describe("failed calls", () => {
  const trace: RecordedTrace = {
    id: "failing",
    calls: [
      { tool: "s.a", args: { x: 1 }, result: null, error: "there is no x" },
      { tool: "s.b", args: {}, result: "B" },
    ],
  };

  test("fail with the recorded error", async () => {
    const body = `let said; try { await call_tool("s.a", { x: 1 }) } catch (error) { said = error.message } await call_tool("s.b"); return said`;
    expect(await replayed(body, trace, { output: "there is no x" })).not.toHaveProperty("difference");
  });

  test("a failed call that was tried again need not be made", async () => {
    const [first, second] = trace.calls;
    if (!first || !second) throw new Error("the trace has two calls");
    const retried = { ...trace, calls: [{ ...first, retriedBy: 1 }, second] };
    expect((await replayed(`return call_tool("s.b")`, retried)).difference).toBeUndefined();
  });

  test("only the calls asked for are expected", async () => {
    const result = await replayed(`return call_tool("s.b")`, trace, { calls: [1] });
    expect(result.difference).toBeUndefined();
  });
});

test("what a skill gave before is not given again without its calls", async () => {
  const trace = traceOf(["a", {}, 1]);
  const skills = skillSet(
    { fresh: `export default async () => call_tool("s.a", {})` },
    { fresh: { operation: "READ", ttlMs: 60_000 } },
  );
  for (const _ of [1, 2]) {
    const result = await replay({ runner, skills, name: "fresh" }, trace, { input: {} });
    expect(result.difference).toBeUndefined();
  }
});
