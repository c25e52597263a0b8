import { Worker } from "node:worker_threads";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { ok } from "../../src/core/result.ts";
import type { CallRecord } from "../../src/core/run.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { Runner, type RunnerOptions } from "../../src/runner/runner.ts";
import { ThreadPort } from "../../src/runner/threads/thread-port.ts";
import { skillSet } from "./skill-set.ts";

// A guest that owns its memory has the host's own function, and calls it past the prelude.
vi.mock("../../src/runner/sandbox/prelude-source.ts", async (original) => {
  const { preludeSource } = await original<typeof import("../../src/runner/sandbox/prelude-source.ts")>();
  const prelude = preludeSource();
  return {
    preludeSource: () =>
      `((host) => { globalThis.raw = host; const setUp = ${prelude.trim()}\nreturn setUp(host); })`,
  };
});

const sent = vi.spyOn(ThreadPort.prototype, "send");
type Receive = (messages: readonly unknown[]) => void;
/** How the worker at the other end of a port would speak. */
const speech = new Map<unknown, Receive>();
const onMessages: (this: unknown, receive: Receive) => void = Reflect.get(ThreadPort.prototype, "onMessages");
vi.spyOn(ThreadPort.prototype, "onMessages").mockImplementation(function (this: unknown, receive) {
  speech.set(this, receive);
  onMessages.call(this, receive);
});
const atWork = vi.spyOn(Worker.prototype, "ref");
const faults: unknown[] = [];
const hear = (fault: unknown): unknown => faults.push(fault);

beforeAll(() => {
  process.on("uncaughtException", hear).on("unhandledRejection", hear);
});
afterAll(() => {
  process.off("uncaughtException", hear).off("unhandledRejection", hear);
});
afterEach(() => {
  if (faults.length > 0) throw new AggregateError(faults, "faults that nobody caught");
});

const LIMIT = 20_000;
const warnings: string[] = [];
let callTool: NonNullable<RunnerOptions["callTool"]>;
let runner: Runner;
beforeAll(async () => {
  runner = new Runner({
    limits: { ...DEFAULT_LIMITS, payloadBytes: LIMIT, cpuMs: 4_000, wallMs: 20_000 },
    workers: 1,
    onWarning: (message) => warnings.push(message),
    callTool: (...asked) => callTool(...asked),
  });
  await runner.warm();
});
beforeEach(() => {
  callTool = async () => ok("seen");
  warnings.length = 0;
});
afterAll(async () => runner.close());

/** The value that a test's input stands for: some cannot travel as JSON. */
const VALUE = `
const value = (given) => {
  if (typeof given !== "object" || given === null) return given;
  if (given.number !== undefined) return Number(given.number);
  if (given.times !== undefined) return given.text.repeat(given.times);
  if (given.deep !== undefined) return "[".repeat(given.deep) + "]".repeat(given.deep);
  if (given.object === "throws") return { toString() { throw new Error("no"); }, valueOf() { throw new Error("no"); } };
  if (given.object === "asks") return { toString() { raw(1, '"inner"'); return "{"; } };
  if (given.object === "loops") return new Proxy({}, { get() { throw 1; } });
  return Symbol("x");
};`;
const skills = skillSet({
  raw: `${VALUE}
export default ({ calls, waits }) => {
  for (const [operation, ...values] of calls) raw(value(operation), ...values.map(value));
  return waits ? new Promise(() => {}) : "honest";
};`,
  honest: `export default ({ n }) => n * 2;`,
  tool: `export default ({ n }) => call_tool("world.see", { n });`,
});

let turn = 0;
async function expectHonest(): Promise<void> {
  const n = turn++;
  const { root } = await runner.run(skills, "honest", { n });
  expect(root.outcome).toEqual({ ok: true, output: n * 2 });
}

function codeOf({ outcome }: CallRecord): string {
  return outcome.ok ? "ok" : outcome.error.code;
}

describe("a guest with the host's function", () => {
  test.each([
    ["an output that is not JSON", [[1, "{{{"]]],
    ["no output where one is announced", [[2]]],
    ["an error that is not JSON", [[2, "{{{"]]],
    ["an error that is none", [[2, "7"]]],
    ["a failed loading that is not JSON", [[0, "{{{"]]],
    ["an input of a skill that is not JSON", [[3, 5, '"honest"', "{{{", ""]]],
    ["an input of a tool that is not JSON", [[4, 5, '"world.see"', "{{{", ""]]],
    ["a name that is not JSON", [[3, 5, "honest", "{}", ""]]],
    ["a name that is no text", [[3, 5, "[1]", "{}", ""]]],
    ["a name of 20 MB", [[3, 5, { text: "n", times: 2e7 }, "{}", ""]]],
    ["a stack of 20 MB", [[3, 5, '"honest"', "{}", { text: "s", times: 2e7 }]]],
    [
      "a number of a call used twice",
      [
        [3, 5, '"honest"', "{}", ""],
        [3, 5, '"honest"', "{}", ""],
      ],
    ],
    ["a call without a number", [[3, { number: "NaN" }, '"honest"', "{}", ""]]],
    ["a call with a huge number", [[3, 1e300, '"honest"', "{}", ""]]],
    ["a call without the rest", [[3, 5]]],
    ["a line that is no text", [[5, '"log"', "{}"]]],
    ["a line of 20 MB", [[5, '"log"', { text: "x", times: 2e7 }]]],
    ["an error of 20 MB", [[2, { text: " ", times: 2e7 }]]],
    ["an unknown operation", [[99]]],
    ["no operation", [[{ number: "NaN" }]]],
  ] as const)("that says %s loses its run, and no other", async (_, calls) => {
    const beside = runner.run(skills, "honest", { n: 21 });
    const { root } = await runner.run(skills, "raw", { calls, waits: true });
    expect(root.outcome).toMatchObject({ ok: false, error: { code: "RUNNER_LOST" } });
    expect(warnings.join()).toContain('the sandbox of a skill below "raw" is broken');
    expect((await beside).root.outcome).toEqual({ ok: true, output: 42 });
    await expectHonest();
  });

  test.each([
    ["an output", [[1, { text: "7", times: LIMIT + 1 }]], "OUTPUT_TOO_LARGE"],
    ["an output of 20 MB", [[1, { text: "7", times: 2e7 }]], "OUTPUT_TOO_LARGE"],
    ["an output that is not even JSON", [[1, { text: "{", times: 2e7 }]], "OUTPUT_TOO_LARGE"],
    ["the input of a call", [[3, 1, '"honest"', { text: "7", times: LIMIT + 1 }, ""]], "SKILL_NEVER_SETTLES"],
    ["an output that is too deep", [[1, { deep: 5000 }]], "OUTPUT_INVALID"],
    [
      "the input of a call that is too deep",
      [[4, 1, '"world.see"', { deep: 5000 }, ""]],
      "SKILL_NEVER_SETTLES",
    ],
  ] as const)("cannot give more than the limit: %s", async (_, calls, code) => {
    const { root } = await runner.run(skills, "raw", { calls, waits: true });
    expect(codeOf(root)).toBe(code);
    expect(JSON.stringify(root).length).toBeLessThan(5 * LIMIT);
    expect(warnings).toEqual([]);
    await expectHonest();
  });

  test("sees none of the prelude's functions, whatever it makes of stacks", async () => {
    const seen = skillSet({
      look: `
        const found = [];
        const keep = (_, sites) => { found.push(sites); return { toString() { found.push(this); return "x"; } }; };
        try { Error.prepareStackTrace = keep; } catch {}
        try { Object.defineProperty(Error, "prepareStackTrace", { get: () => keep, configurable: true }); } catch {}
        Object.prototype.prepareStackTrace = keep;
        Object.defineProperty(Error.prototype, "stack", { get() { found.push(this); return "x"; }, set(x) { found.push(x); }, configurable: true });
        Function.prototype.toString = function () { found.push(this); return "x"; };
        export default async () => {
          try { await call_skill("nobody", { a: 1 }); } catch (error) { found.push(error.stack); }
          try { await call_skill(Symbol("x")); } catch (error) { found.push(error.stack); }
          console.log(new Error("x"));
          const inner = found.flat(9).filter((each) => typeof each === "function" || typeof each?.getFunction === "function");
          return inner.length;
        };`,
    });
    expect((await runner.run(seen, "look", {})).root.outcome).toEqual({ ok: true, output: 0 });
  });

  // Numbers, texts and objects for any operation, in any number and order.
  const rubbish = fc.oneof(
    fc.constantFrom<Json>(
      "",
      "null",
      '"honest"',
      '{"kind":"passed","request":1}',
      '{"kind":"passed","request":null}',
      '{"__proto__":1}',
      "\ud800",
      '"\udc00"',
      '"\\ud800"',
      "\u0000",
      { number: "NaN" },
      { number: "Infinity" },
      { number: "-0" },
      { deep: 100_000 },
      { text: "[", times: 300_000 },
      { text: '"\u2028', times: 10 },
      { object: "throws" },
      { object: "asks" },
      { object: "loops" },
      { symbol: true },
      null,
      true,
    ),
    fc.integer({ min: -3, max: 12 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.json({ maxDepth: 3 }),
  );
  const call = fc
    .tuple(fc.oneof(fc.integer({ min: 0, max: 7 }), rubbish), fc.array(rubbish, { maxLength: 5 }))
    .map(([operation, values]) => [operation].concat(values));

  test("says what it likes: the process lives, and the next run is right", async () => {
    const property = fc.asyncProperty(
      fc.array(call, { maxLength: 4 }),
      fc.boolean(),
      async (calls, waits) => {
        const { root } = await runner.run(skills, "raw", { calls, waits });
        const { outcome } = root;
        if (outcome.ok) expect(Buffer.byteLength(JSON.stringify(outcome.output))).toBeLessThanOrEqual(LIMIT);
        else expect(outcome.error.code).toMatch(/^(SKILL|OUTPUT|INPUT|NOT_JSON|RUNNER_LOST|TOO_MANY)/);
        await expectHonest();
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });
});

describe("the main thread", () => {
  /** A run that waits for a tool, the worker that it is in, how it would speak, and the run's number there. */
  async function openRun(): Promise<{
    readonly worker: Worker;
    readonly say: Receive;
    readonly id: number;
    readonly root: Promise<CallRecord>;
    readonly answer: () => void;
  }> {
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let toldTool = (): void => undefined;
    const isOpen = new Promise<void>((resolve) => {
      toldTool = resolve;
    });
    callTool = async () => {
      toldTool();
      await asked;
      return ok("seen");
    };
    sent.mockClear();
    const root = runner.run(skills, "tool", {}).then((run) => run.root);
    await isOpen;
    const index = sent.mock.calls.findLastIndex(([messages]) => messages.some(({ kind }) => kind === "run"));
    const run = sent.mock.calls[index]?.[0].find((message) => message.kind === "run");
    const say = speech.get(sent.mock.contexts[index]);
    if (!say) throw new Error("nobody listens to the worker");
    const worker = atWork.mock.contexts.at(-1) as Worker;
    return { worker, say, id: run?.kind === "run" ? run.job.id : 0, root, answer };
  }

  test.each([
    ["nothing", () => [undefined]],
    ["a text", () => ["x"]],
    ["no kind", () => [{}]],
    ["an unknown kind", () => [{ kind: "constructor" }]],
    ["a tool without an input", (id: number) => [{ kind: "tool", id, tool: 1, skill: "tool", name: "x" }]],
    ["an end without a record", (id: number) => [{ kind: "done", id, spentMs: 0, isOverspent: false }]],
    [
      "a time that is none",
      (id: number) => [{ kind: "done", id, root: "{}", spentMs: Number.NaN, isOverspent: false }],
    ],
    ["numbers that are none", () => [{ kind: "wants", library: "1", name: "x" }]],
  ] as const)("replaces a worker that says %s", async (_, said) => {
    const { say, id, root } = await openRun();
    say(said(id));
    expect(codeOf(await root)).toBe("RUNNER_LOST");
    expect(warnings).toEqual([expect.stringContaining("A worker is replaced: it sent what is no message")]);
    await expectHonest();
  });

  test.each([
    ["is not JSON", (id: number) => ({ kind: "done", id, root: "{{{", spentMs: 0, isOverspent: false })],
    ["could not be written", (id: number) => ({ kind: "lost", id, fault: "a fault" })],
  ] as const)("ends the run whose record %s, and goes on", async (_, said) => {
    const { say, id, root } = await openRun();
    say([said(id)]);
    expect(codeOf(await root)).toBe("RUNNER_LOST");
    expect(warnings).toHaveLength(1);
    await expectHonest();
  });

  test("hears nothing of runs that there are not", async () => {
    const { say, root, answer } = await openRun();
    say([
      { kind: "done", id: 12_345, root: "{{{", spentMs: 1e9, isOverspent: true },
      { kind: "lost", id: 12_345, fault: "a fault" },
      { kind: "started", id: -1, callPath: "0", name: "x" },
      { kind: "wants", library: 99, name: "x" },
      {
        kind: "tool",
        id: 12_345,
        tool: 1,
        skill: "x",
        name: "x",
        callPath: "0.0",
        answered: [],
        input: "{{{",
      },
    ]);
    answer();
    expect((await root).outcome).toEqual({ ok: true, output: "seen" });
    expect(warnings).toEqual([]);
  });

  test("survives the input of a tool that is not JSON", async () => {
    const { say, id, root, answer } = await openRun();
    say([
      { kind: "tool", id, tool: 99, skill: "tool", name: "x", callPath: "0.0", answered: [], input: "{{{" },
    ]);
    answer();
    expect((await root).outcome).toEqual({ ok: true, output: "seen" });
  });

  test("begins a run again elsewhere whose worker dies, unless it has called a tool", async () => {
    const { worker, root } = await openRun();
    const beside = runner.run(skills, "honest", { n: 4 });
    await worker.terminate();
    expect(codeOf(await root)).toBe("RUNNER_LOST");
    expect((await beside).root.outcome).toEqual({ ok: true, output: 8 });
    expect(warnings).toEqual([expect.stringContaining("the worker ended")]);
    await expectHonest();
  });

  test.each<[string, () => unknown]>([
    ["rejects", () => Promise.reject(new Error("no"))],
    ["rejects with nothing", () => Promise.reject(Object.create(null) as Error)],
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["gives nothing", () => undefined],
    ["gives what JSON cannot carry", () => ok(1n)],
    ["gives what is too deep to write", () => ok(JSON.parse("[".repeat(1e5) + "]".repeat(1e5)))],
  ])("tells a skill of a tool that %s", async (_, answered) => {
    callTool = answered as unknown as typeof callTool;
    expect(codeOf((await runner.run(skills, "tool", {})).root)).toBe("TOOL_FAILED");
    await expectHonest();
  });

  test("goes on after a listener that throws", async () => {
    const onEvent = (): void => {
      throw new Error("deaf");
    };
    const { root } = await runner.run(skills, "honest", { n: 2 }, { onEvent });
    expect(root.outcome).toEqual({ ok: true, output: 4 });
    expect(warnings.join()).toContain("deaf");
  });

  test("takes no record for a replay that is none", async () => {
    const run = await runner.run(skills, "honest", { n: 3 });
    const broken = { ...run, root: { ...run.root, calls: 7 } } as unknown as typeof run;
    expect(codeOf((await runner.replay(skills, broken)).root)).toBe("RUNNER_LOST");
    await expectHonest();
  });
});
