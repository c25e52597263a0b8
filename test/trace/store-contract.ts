import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Result } from "../../src/core/result.ts";
import type { Json } from "../../src/core/json/json.ts";
import type { TraceEvent } from "../../src/core/trace-event.ts";
import type { StoreOptions, TracePart, TraceStore } from "../../src/trace/trace-store.ts";
import { call, DAY, file, NOON, part, run } from "./traces.ts";

/** An empty database that is opened as often as a test likes; `dump` shows its summaries, `recounted` anew counted. */
export interface Ground {
  readonly open: (options?: StoreOptions) => TraceStore;
  readonly summaries: () => Promise<unknown>;
  /** Goes back to version 1, which had no summaries. */
  readonly backToFirstVersion: () => Promise<void>;
  readonly sql: (text: string) => Promise<readonly object[]>;
  readonly payloads: () => Promise<
    readonly { readonly refs: number; readonly bytes: number; readonly stored: number }[]
  >;
  readonly stored: () => Promise<string>;
  readonly remove: () => Promise<void>;
}

export function storeContract(name: string, ground: () => Promise<Ground>): void {
  describe(`${name}: a store of traces`, () => {
    let place: Ground;
    let store: TraceStore;
    beforeEach(async () => {
      place = await ground();
      store = place.open();
    });
    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    const recorded = async (...parts: Parameters<TraceStore["record"]>[0]): Promise<void> => {
      expect(await store.record(parts)).toMatchObject({ ok: true });
    };

    test("tells how many events of each run are new", async () => {
      const counts = async (...parts: TracePart[]) => Object.fromEntries(await value(store.record(parts)));
      const started = run("a", ["x", "y"]);
      expect(await counts(started, run("b", ["x"]))).toEqual({
        a: started.events.length,
        b: run("b", ["x"]).events.length,
      });
      expect(await counts(started)).toEqual({ a: 0 });
      expect(await counts(run("a", ["x", "y", "z"]))).toEqual({ a: 1 });
    });

    test("gives back a run as it was recorded, with all that events and files carry", async () => {
      const full = call("run", 1, "fetch", {
        sessionId: "session",
        nodeId: "node",
        stepId: "step",
        parentEventId: "run-0",
        eventSubtype: "retry",
        status: "failed",
        callPath: "0.1",
        skillDigest: "d1",
        inputTokens: 5,
        outputTokens: 7,
        cost: 0.25,
        errorCode: "TOOL_FAILED",
        errorMessage: "It is away",
        inputs: ["ünï", null, 1.5, { deep: { "": false } }, "nul \0 and half \ud800"],
        outputs: null,
        meta: { note: "x" },
      });
      const events = [call("run", 0, "plan", { eventType: "skill_call", sessionId: "session" }), full];
      const files = [file("run", "run-1", "out/a.py", "print(1)\0"), file("run", "run-1", "b")];
      await recorded(part("run", events, { sessionId: "session", task: "Fetch it", files }));
      expect(await value(store.trace("run"))).toEqual({
        runId: "run",
        sessionId: "session",
        source: "run",
        task: "Fetch it",
        startedAt: NOON,
        events,
        files,
      });
      expect(await value(store.trace("other"))).toBeUndefined();
    });

    test("what was recorded is there for another that opens it", async () => {
      await recorded(run("a", ["x"]));
      const other = place.open();
      expect((await value(other.runs())).runs).toHaveLength(1);
      await other.close();
    });

    test("text that a database cannot hold is mended, not refused", async () => {
      await recorded(
        part("nul\0", [call("nul\0", 0, "to\0ol", { errorMessage: "half \ud800 pair" })], { task: "a\0b" }),
      );
      const { runs } = await value(store.runs());
      expect(runs[0]).toMatchObject({ runId: "nul�", task: "a�b" });
      const trace = await value(store.trace("nul�"));
      expect(trace?.events[0]).toMatchObject({ agentName: "to�ol", errorMessage: "half � pair" });
    });

    test("a text that is cut is whole up to the cut, and a list of imports stays a list", async () => {
      const message = "x".repeat(8191);
      const imports = ["nul\0", ...Array.from({ length: 49 }, (_, index) => `${index}-`.padEnd(900, "a"))];
      const code = { eventType: "code_exec", errorMessage: `${message}😀`, meta: { imports } } as const;
      await recorded(part("r", [call("r", 0, "x", code)], { task: `${"t".repeat(299)}😀` }));
      expect((await value(store.trace("r")))?.events[0]).toMatchObject({ errorMessage: `${message}�` });
      expect((await value(store.search("ttt"))).map(({ text }) => text)).toEqual([`${"t".repeat(299)}�`]);
      const [pattern] = await value(store.codePatterns());
      expect(pattern?.imports).toContain("nul�");
      expect(pattern?.imports).toHaveLength(50);
    });

    test("names, sessions and patterns of any length are recorded and counted, and stay apart", async () => {
      const long = (seed: string, times = 120): string =>
        Array.from({ length: times }, (_, index) => digestOf(`${seed}${index}`)).join("");
      const tools = ["a", "b", "c"].map((end) => long("tool") + end);
      const sessions = ["a", "b"].map((end) => long("session") + end);
      const imports = Array.from({ length: 50 }, (_, index) => long(`module${index}`, 2));
      await recorded(
        ...sessions.map((sessionId, which) =>
          part(
            `r${which}`,
            [
              ...tools.map((tool, order) => call(`r${which}`, order, tool, { nodeId: long("node") })),
              call(`r${which}`, 3, long("agent"), {
                eventType: "code_exec",
                meta: { imports, agent: long("agent") },
              }),
            ],
            { sessionId, name: long("name"), files: [file(`r${which}`, `r${which}-0`, `a.${long("end")}`)] },
          ),
        ),
      );
      expect((await value(store.usage())).map(({ calls }) => calls)).toEqual([2, 2, 2]);
      expect(await value(store.chains({ length: 3 }))).toMatchObject([{ count: 2 }]);
      expect(await value(store.codePatterns())).toMatchObject([{ imports: imports.toSorted(), count: 2 }]);
      expect(await value(store.fileTemplates())).toMatchObject([{ count: 2 }]);
      const { runs } = await value(store.runs());
      expect(new Set(runs.map(({ sessionId }) => sessionId)).size).toBe(2);
    });

    test("values that look like what the store writes in place of large ones come back as they were", async () => {
      const inputs = { "[payload]": "a".repeat(64) };
      const outputs = `{"[payload]":"${"a".repeat(64)}"}`;
      await recorded(part("r", [call("r", 0, "x", { inputs, outputs })]));
      expect((await value(store.trace("r")))?.events[0]).toMatchObject({ inputs, outputs });
    });

    test("a value that JSON cannot carry is a failure, and what comes with it is not there", async () => {
      const circle: { self?: unknown } = {};
      circle.self = circle;
      const bad = part("bad", [call("bad", 0, "x", { inputs: circle as never })]);
      const result = await store.record([run("good", ["x"]), bad]);
      expect(result).toMatchObject({ ok: false, error: { code: "NOT_JSON" } });
      expect((await value(store.runs())).runs).toEqual([]);
    });

    test("a run comes in parts; an event that had begun is completed by a later part", async () => {
      const begun = call("r", 0, "root", { eventType: "skill_call", status: "running", inputs: { a: 1 } });
      const { durationMs: _, outputs: __, ...started } = begun;
      await recorded(part("r", [started], { status: "running", task: "t" }));
      expect((await value(store.runs())).runs[0]).toMatchObject({ status: "running", events: 1, task: "t" });
      expect(await value(store.usage())).toEqual([]);
      await recorded(part("r", [call("r", 1, "x")], { status: "running" }));
      const { inputs: ___, ...ended } = {
        ...begun,
        status: "completed" as const,
        durationMs: 30,
        outputs: 3,
      };
      await recorded(part("r", [ended], { status: "completed", durationMs: 30 }));
      const trace = await value(store.trace("r"));
      expect(trace?.events).toEqual([{ ...ended, inputs: { a: 1 } }, call("r", 1, "x")]);
      expect((await value(store.runs())).runs[0]).toMatchObject({
        status: "completed",
        events: 2,
        durationMs: 30,
        name: "root",
      });
      expect((await value(store.usage())).map(({ name, calls }) => [name, calls])).toEqual([
        ["root", 1],
        ["x", 1],
      ]);
    });

    test("to record the same again changes nothing", async () => {
      const big = "x".repeat(10_000);
      const same = part("r", [call("r", 0, "a", { inputs: big }), call("r", 1, "b", { status: "failed" })], {
        files: [file("r", "r-0", "f.md", big)],
        task: "once",
        sessionId: "s",
      });
      await recorded(same);
      const before = [
        await place.summaries(),
        await value(store.runs()),
        await value(store.trace("r")),
        await place.payloads(),
      ];
      await recorded(same, same);
      await recorded(same);
      const after = [
        await place.summaries(),
        await value(store.runs()),
        await value(store.trace("r")),
        await place.payloads(),
      ];
      expect(after).toEqual(before);
      expect(await value(store.search("once"))).toHaveLength(1);
    });

    test("many that record at once are each answered", async () => {
      const results = await Promise.all(
        Array.from({ length: 200 }, async (_, index) => store.record([run(`r${index}`, ["a", "b"])])),
      );
      expect(results.every(({ ok }) => ok)).toBe(true);
      expect(await value(store.usage({ name: "a" }))).toMatchObject([{ calls: 200 }]);
    });

    test("large values are kept once, compressed, and come back whole", async () => {
      const large = { text: "0123456789 ".repeat(2000) };
      await recorded(
        part("a", [call("a", 0, "x", { inputs: large, outputs: large })]),
        part("b", [call("b", 0, "x", { meta: large })]),
      );
      const payloads = await place.payloads();
      expect(payloads).toMatchObject([{ refs: 3, bytes: JSON.stringify(large).length }]);
      expect(payloads[0]?.stored).toBeLessThan(1000);
      expect((await value(store.trace("a")))?.events[0]?.outputs).toEqual(large);
      expect((await value(store.trace("b")))?.events[0]?.meta).toEqual(large);
    });

    test("values above the cap are cut, and tell their size and digest", async () => {
      const capped = place.open({ maxPayloadBytes: 6000 });
      const content = "é".repeat(5000);
      const cutPart = part("r", [call("r", 0, "x", { inputs: content })], {
        files: [file("r", "r-0", "f", content)],
      });
      expect(await capped.record([cutPart])).toMatchObject({ ok: true });
      const trace = await value(capped.trace("r"));
      expect(trace?.events[0]?.inputs).toEqual({
        "[cut]": {
          bytes: 10_002,
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          start: JSON.stringify(content).slice(0, 1000),
        },
      });
      expect(trace?.files[0]?.content).toMatch(/\n\[cut: 10000 bytes, sha256 [0-9a-f]{64}\]$/);
      await capped.close();
    });

    test("credentials are in no table, wherever they came in", async () => {
      const key = `ghp_${"a1B2".repeat(9)}`;
      await recorded(
        part(
          "r",
          [
            call("r", 0, "x", {
              inputs: { text: `use ${key}`, [key]: 1, password: "correct horse" },
              outputs: [`{"token": "${key}"}`, { long: `${"y ".repeat(4000)}${key}` }],
              meta: { header: { Authorization: "Basic aHVudGVyMjpodW50ZXIy" } },
              status: "failed",
              errorMessage: `no access with ${key}`,
            }),
          ],
          { task: `take ${key}`, files: [file("r", "r-0", `k/${key}`, `export GH=${key}`)] },
        ),
      );
      const stored = await place.stored();
      expect(stored.includes("[redacted:github]")).toBe(true);
      for (const secret of [key, "correct horse", "aHVudGVyMjpodW50ZXIy"])
        expect(stored).not.toContain(secret);
      const trace = JSON.stringify(await value(store.trace("r")));
      for (const secret of [key, "correct horse", "aHVudGVyMjpodW50ZXIy"])
        expect(trace).not.toContain(secret);
    });

    test("runs are listed newest first, filtered, page by page", async () => {
      await recorded(
        ...Array.from({ length: 25 }, (_, index) =>
          run(`r${String(index).padStart(2, "0")}`, [index % 2 === 0 ? "even" : "odd"], {
            // Pairs begin at the same time.
            startedAt: NOON + Math.floor(index / 2),
            task: `task number${index}`,
            status: index % 5 === 0 ? "failed" : "completed",
            source: index < 3 ? "import" : "run",
            ...(index < 4 ? { sessionId: "s" } : {}),
          }),
        ),
      );
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await value(store.runs({ limit: 7, ...(after === undefined ? {} : { after }) }));
        seen.push(...page.runs.map(({ runId }) => runId));
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual(
        Array.from({ length: 25 }, (_, index) => `r${String(24 - index).padStart(2, "0")}`),
      );
      const ids = async (filter: Parameters<TraceStore["runs"]>[0]): Promise<readonly string[]> =>
        (await value(store.runs(filter))).runs.map(({ runId }) => runId);
      expect(await ids({ status: "failed" })).toEqual(["r20", "r15", "r10", "r05", "r00"]);
      expect(await ids({ source: "import" })).toEqual(["r02", "r01", "r00"]);
      expect(await ids({ sessionId: "s", name: "odd" })).toEqual(["r03", "r01"]);
      expect(await ids({ since: NOON + 2, until: NOON + 3 })).toEqual(["r05", "r04"]);
      expect(await ids({ text: "NUMBER17" })).toEqual(["r17"]);
      expect(await ids({ text: "number17 number18" })).toEqual([]);
      expect(await ids({ text: "  " })).toEqual([]);
      expect(await store.runs({ after: "nonsense" })).toMatchObject({
        ok: false,
        error: { code: "INPUT_INVALID" },
      });
    });

    test("runs of a session are one line, with all their calls, their first task and who called", async () => {
      const inSession = (id: string, minute: number, rest: Partial<TracePart> = {}): TracePart =>
        run(id, [`tool-${id}`], {
          sessionId: "s",
          startedAt: NOON + minute * 60_000,
          source: "session",
          ...rest,
        });
      await recorded(
        inSession("a", 0, { client: "editor 1.2" }),
        inSession("b", 1, { task: "Find it" }),
        part("c", [call("c", 0, "find", { sessionId: "s", status: "failed" }), call("c", 1, "find")], {
          sessionId: "s",
          startedAt: NOON + 120_000,
          durationMs: 5000,
          status: "failed",
          name: "find",
          lost: 2,
        }),
        run("alone", ["x", "y"], { startedAt: NOON + 30_000 }),
        run("submitted-1", ["z"], { sessionId: "s", source: "import", startedAt: NOON - 1 }),
      );
      const lines = async (filter: Parameters<TraceStore["sessions"]>[0] = {}) =>
        (await value(store.sessions(filter))).sessions;
      expect(await lines()).toEqual([
        {
          id: "s",
          source: "run",
          client: "editor 1.2",
          task: "Find it",
          names: ["tool-a", "tool-b", "find"],
          runs: 3,
          calls: 4,
          failures: 1,
          startedAt: NOON,
          durationMs: 125_000,
          status: "failed",
          lost: 2,
        },
        expect.objectContaining({ id: "alone", runs: 1, calls: 2, failures: 0, names: ["x"] }),
        expect.objectContaining({ id: "submitted-1", runs: 1, calls: 1 }),
      ]);
      expect((await lines({ status: "failed" })).map(({ id, runs }) => [id, runs])).toEqual([["s", 3]]);
      expect((await lines({ text: "find" })).map(({ id }) => id)).toEqual(["s"]);
      expect(await lines({ text: " " })).toEqual([]);
      const first = await value(store.sessions({ limit: 1 }));
      const rest = await value(
        store.sessions({ ...(first.next === undefined ? {} : { after: first.next }) }),
      );
      expect([first, rest].map(({ sessions }) => sessions.map(({ id }) => id))).toEqual([
        ["s"],
        ["alone", "submitted-1"],
      ]);
      expect(await store.sessions({ after: "nonsense" })).toMatchObject({
        ok: false,
        error: { code: "INPUT_INVALID" },
      });
    });

    test("usage tells success with its interval, percentiles, the last use, and each version", async () => {
      const events = Array.from({ length: 100 }, (_, order) =>
        call("r", order, "price", {
          eventType: "skill_call",
          skillDigest: order < 40 ? "old" : "new",
          status: order % 10 === 0 ? "failed" : "completed",
          durationMs: order + 1,
          timestamp: NOON + order,
          inputTokens: 1,
          outputTokens: 2,
          cost: 0.5,
        }),
      );
      await recorded(part("r", [...events, call("r", 100, "fetch", { timestamp: NOON - 3 * DAY })]));
      const [price, fetched] = await value(store.usage());
      expect(price).toMatchObject({
        kind: "skill",
        name: "price",
        calls: 100,
        completed: 90,
        failed: 10,
        lastUsed: NOON + 99,
        inputTokens: 100,
        outputTokens: 200,
        cost: 50,
      });
      expect(price?.successRate.rate).toBe(0.9);
      expect(price?.successRate.low).toBeCloseTo(0.8256, 4);
      expect(price?.successRate.high).toBeCloseTo(0.9448, 4);
      expect(Math.abs((price?.p50Ms ?? 0) / 50 - 1)).toBeLessThan(0.06);
      expect(Math.abs((price?.p95Ms ?? 0) / 95 - 1)).toBeLessThan(0.06);
      expect(fetched).toMatchObject({ kind: "tool", name: "fetch", calls: 1 });
      expect(
        (await value(store.usage({ byVersion: true, kind: "skill" }))).map(
          ({ skillDigest, calls, failed }) => [skillDigest, calls, failed],
        ),
      ).toEqual([
        ["new", 60, 6],
        ["old", 40, 4],
      ]);
      expect((await value(store.usage({ since: NOON - DAY }))).map(({ name }) => name)).toEqual(["price"]);
      expect(await value(store.usage({ name: "none" }))).toEqual([]);
    });

    test("chains are calls of the same caller in order, in whatever parts they came", async () => {
      await recorded(run("a", ["search", "fetch", "save"]), run("b", ["search", "fetch", "mail"]));
      await recorded(part("c", [call("c", 0, "search")], { status: "running" }));
      await recorded(
        part("c", [call("c", 1, "fetch", { status: "failed" }), call("c", 2, "save")], {
          status: "completed",
        }),
      );
      const nested = [
        call("d", 0, "outer", { eventType: "skill_call" }),
        call("d", 1, "think", { eventType: "agent_call", parentEventId: "d-0" }),
        call("d", 2, "search", { parentEventId: "d-1" }),
        call("d", 3, "deep", { parentEventId: "d-2" }),
        call("d", 4, "fetch", { parentEventId: "d-0" }),
        call("d", 5, "after"),
      ];
      await recorded(part("d", nested));
      const chains = await value(store.chains());
      expect(chains.map(({ names, count, completed }) => [names.join(" > "), count, completed])).toEqual([
        ["search > fetch", 4, 3],
        ["fetch > save", 2, 1],
        ["search > fetch > save", 2, 1],
        ["fetch > mail", 1, 1],
        ["outer > after", 1, 1],
        ["search > fetch > mail", 1, 1],
      ]);
      expect((await value(store.chains({ length: 3, atLeast: 2 }))).map(({ names }) => names)).toEqual([
        ["search", "fetch", "save"],
      ]);
      expect(await value(store.chains({ including: "mail" }))).toHaveLength(2);
      expect(await value(store.chains({ including: "mai_" }))).toHaveLength(0);
    });

    test("chains go across the runs of a session, whatever the order in which runs end", async () => {
      const of = (id: string, at: number, ...tools: string[]) =>
        run(id, tools, { sessionId: "s", source: "session", startedAt: NOON + at });
      await recorded(of("r1", 1, "a"), of("r4", 4, "d"));
      await recorded(of("r3", 3, "c"));
      await recorded(of("r2", 2, "b"), run("other", ["x"], { sessionId: "t" }));
      const chains = await value(store.chains());
      expect(new Map(chains.map(({ names, count }) => [names.join(""), count]))).toEqual(
        new Map(["ab", "abc", "abcd", "bc", "bcd", "cd"].map((chain) => [chain, 1])),
      );
    });

    test("of calls that were tried again the last one stands in a chain, within a run and across a session", async () => {
      const again = (id: string): Partial<TraceEvent> => ({ eventSubtype: "retry", meta: { retryOf: id } });
      const failed = { status: "failed" } as const;
      await recorded(
        part("r", [
          call("r", 0, "find"),
          call("r", 1, "flaky", failed),
          call("r", 2, "flaky", { ...failed, ...again("r-1") }),
          call("r", 3, "flaky", again("r-2")),
          call("r", 4, "save"),
        ]),
      );
      const names = async () =>
        (await value(store.chains()))
          .map(({ names: each, count, completed }) => `${each.join(" > ")}: ${completed} of ${count}`)
          .toSorted();
      const all = ["find > flaky > save: 1 of 1", "find > flaky: 1 of 1", "flaky > save: 1 of 1"];
      expect(await names()).toEqual(all);
      await value(store.prune({ maxRuns: 0 }));
      const of = (id: string, at: number, tool: string, rest: Partial<TraceEvent> = {}): TracePart =>
        part(id, [call(id, 0, tool, rest)], { sessionId: "s", source: "session", startedAt: NOON + at });
      // The retry is recorded before what it tries again, and before what was there first.
      await recorded(of("c", 3, "flaky", again("b-0")), of("d", 4, "save"));
      await recorded(of("b", 2, "flaky", failed));
      await recorded(of("a", 1, "find"));
      expect(await names()).toEqual(all);
      await recorded(of("own", 2.5, "search_skills", { eventSubtype: "server" }));
      expect(await names()).toEqual(all);
    });

    test("what failed since its input was not valid is the caller's mistake", async () => {
      const invalid = { status: "failed", errorCode: "INPUT_INVALID", callPath: "0" } as const;
      const passedOn = { ...invalid, meta: { failure: { code: "INPUT_INVALID", callPath: "0.1" } } };
      await recorded(
        part("a", [call("a", 0, "x", invalid)]),
        part("b", [call("b", 0, "x")]),
        part("c", [call("c", 0, "x", { status: "failed", errorCode: "SKILL_THREW" })]),
        part("d", [call("d", 0, "x", passedOn)]),
        part("e", [call("e", 0, "x", { status: "cancelled" })]),
      );
      expect(await value(store.usage())).toMatchObject([
        { calls: 5, completed: 1, failed: 2, invalid: 1, successRate: { rate: 1 / 3 } },
      ]);
      await value(store.prune({ maxRuns: 0 }));
      expect(await value(store.usage())).toEqual([]);
    });

    test("usage by agent tells who calls what, and how large the results are", async () => {
      const by = (agent: string, rest: Partial<TraceEvent> = {}) => ({ meta: { agent }, ...rest });
      await recorded(
        part("r", [
          call("r", 0, "plan", { eventType: "skill_call" }),
          call("r", 1, "find", { parentEventId: "r-0", outputs: "1234" }),
          call("r", 2, "find", by("writer", { outputs: "12" })),
          call("r", 3, "find", by("writer", { outputs: "x".repeat(30_000) })),
          call("r", 4, "find", by("writer", { status: "failed", outputs: "ignored" })),
          call("r", 5, "find", by("writer", { status: "failed", errorCode: "INPUT_INVALID" })),
        ]),
      );
      const lines = (await value(store.usage({ byAgent: true }))).map(
        ({ name, agent, calls, completed, failed, invalid, resultSize }) =>
          [name, agent, calls, completed, failed, invalid, resultSize] as const,
      );
      expect(lines).toEqual([
        ["find", "writer", 4, 2, 1, 1, 15_001],
        ["find", "plan", 1, 1, 0, 0, 4],
        ["plan", "", 1, 1, 0, 0, 11],
      ]);
      expect(await value(store.usage({ byAgent: true, kind: "skill" }))).toHaveLength(1);
      expect(await value(store.usage({ byAgent: true, since: NOON + DAY }))).toEqual([]);
    });

    test("code that a tool executes is a call of it; code of an agent itself is none", async () => {
      const code = { eventType: "code_exec", meta: { agent: "claude" } } as const;
      await recorded(
        part("r", [
          call("r", 0, "Read", { meta: { agent: "claude" } }),
          call("r", 1, "Bash", { ...code, outputs: "12345" }),
          call("r", 2, "Bash", { ...code, status: "failed" }),
          call("r", 3, "claude", code),
        ]),
      );
      const bash = { kind: "tool", name: "Bash", calls: 2, completed: 1, failed: 1 };
      const read = { kind: "tool", name: "Read", calls: 1, completed: 1, failed: 0 };
      expect(await value(store.usage())).toMatchObject([bash, read]);
      expect(await value(store.usage({ byAgent: true }))).toMatchObject([
        { ...bash, agent: "claude", resultSize: 5 },
        { ...read, agent: "claude" },
      ]);
      expect(await value(store.usage({ byAgent: true, kind: "skill" }))).toEqual([]);
      expect((await value(store.chains())).map(({ names }) => names.join(" "))).toEqual([
        "Bash Bash",
        "Read Bash Bash",
        "Read Bash",
      ]);
    });

    test("hand-offs are counted once, told or seen", async () => {
      const agent = (order: number, name: string) => call("r", order, name, { eventType: "agent_call" });
      await recorded(
        part("r", [
          // A transcript's format hands nothing over.
          { ...agent(0, "claude-code"), eventSubtype: "transcript" },
          agent(1, "planner"),
          call("r", 2, "planner", { eventType: "handoff", meta: { to: "engineer" } }),
          agent(3, "engineer"),
          agent(4, "engineer"),
          agent(5, "planner"),
          agent(6, "engineer"),
        ]),
      );
      expect(await value(store.handOffs())).toEqual([
        { from: "planner", to: "engineer", count: 2 },
        { from: "engineer", to: "planner", count: 1 },
      ]);
    });

    test("code is grouped by what it imports, files by extension and maker", async () => {
      const code = (
        order: number,
        imports: readonly string[],
        status: "completed" | "failed" = "completed",
      ) => call("r", order, "engineer", { eventType: "code_exec", status, meta: { imports } });
      await recorded(
        part("r", [code(0, ["numpy", "csv"]), code(1, ["csv", "numpy"], "failed"), code(2, [])], {
          files: [
            file("r", "r-0", "out/first.PNG"),
            file("r", "r-1", "out/second.png", "latest content"),
            file("r", "r-2", "Makefile"),
          ],
        }),
      );
      expect(await value(store.codePatterns())).toMatchObject([
        { imports: ["csv", "numpy"], agent: "engineer", count: 2, completed: 1 },
      ]);
      expect(await value(store.fileTemplates())).toMatchObject([
        {
          extension: ".png",
          madeBy: "engineer",
          count: 2,
          latest: { path: "out/second.png", runId: "r", content: "latest content" },
        },
        { extension: "", madeBy: "engineer", count: 1, latest: { path: "Makefile" } },
      ]);
    });

    test("search finds tasks, names, errors and files by the beginnings of words", async () => {
      await recorded(
        part(
          "r",
          [call("r", 0, "fetch_page", { status: "failed", errorMessage: "Connection refused: ECONN" })],
          {
            task: "Preise für Zürich vergleichen",
            name: "compare-prices",
            files: [file("r", "r-0", "reports/summary_2026.md")],
          },
        ),
        run("s", ["x"], { task: "Something else entirely" }),
      );
      const kinds = async (text: string) => (await value(store.search(text))).map(({ kind }) => kind);
      expect(await kinds("zürich PREIS")).toEqual(["task"]);
      expect(await kinds("compare")).toEqual(["name"]);
      expect(await kinds("refus fetch")).toEqual(["error"]);
      expect(await kinds("summary 2026")).toEqual(["file"]);
      expect(await kinds("nothing")).toEqual([]);
      expect(await kinds("' \" * & | ! ( :")).toEqual([]);
      expect(await kinds("e")).toEqual(["task", "error"]);
      expect(await value(store.search("e", { kinds: ["error"], limit: 1 }))).toEqual([
        { kind: "error", runId: "r", eventId: "r-0", text: "fetch_page Connection refused: ECONN" },
      ]);
    });

    test("pruning tells, then deletes whole runs, oldest first, with all that was theirs alone", async () => {
      const shared = "s".repeat(20_000);
      const now = Date.now();
      const at = (days: number) => now - days * DAY;
      const of = (id: string, days: number, more: string) =>
        part(
          id,
          [
            call(id, 0, "a", { inputs: shared, timestamp: at(days) }),
            call(id, 1, "b", { inputs: more.repeat(24_000), timestamp: at(days) }),
          ],
          {
            startedAt: at(days),
            task: `task ${id}`,
            sessionId: "s",
            files: [file(id, `${id}-0`, `${id}.txt`, shared)],
          },
        );
      await recorded(of("old", 30, "1"), of("mid", 10, "2"), of("new", 1, "3"));
      await recorded(part("going", [call("going", 0, "a")], { status: "running", startedAt: now - 1000 }));
      expect(await value(store.prune({}))).toEqual({ runs: 0, events: 0, bytes: 0 });
      const dry = await value(store.prune({ maxAgeDays: 20 }, { dryRun: true }));
      expect(dry).toMatchObject({ runs: 1, events: 2, upTo: at(30) });
      expect((await value(store.runs())).runs).toHaveLength(4);
      expect(await value(store.prune({ maxAgeDays: 20 }))).toEqual(dry);
      expect(await value(store.trace("old"))).toBeUndefined();
      expect(await value(store.search("old"))).toEqual([]);
      expect((await place.payloads()).map(({ refs }) => refs).toSorted((a, b) => a - b)).toEqual([1, 1, 4]);
      expect(await value(store.chains({ length: 4 }))).toHaveLength(1);
      expect(await value(store.prune({ maxRuns: 2 }))).toMatchObject({ runs: 1 });
      expect((await value(store.runs())).runs.map(({ runId }) => runId)).toEqual(["going", "new"]);
      expect(await value(store.prune({ maxBytes: 0 }))).toMatchObject({ runs: 1 });
      expect((await value(store.runs())).runs.map(({ runId }) => runId)).toEqual(["going"]);
      expect(await place.payloads()).toEqual([]);
    });

    test("two that prune at once tell what each has deleted itself", async () => {
      const ids = Array.from({ length: 120 }, (_, index) => `r${index}`);
      await recorded(...ids.map((id) => run(id, ["a", "b"])));
      const other = place.open();
      await value(other.runs());
      const pruned = await Promise.all(
        [store, other].map(async (each) => value(each.prune({ maxRuns: 20 }))),
      );
      await other.close();
      expect(pruned.reduce((sum, { runs }) => sum + runs, 0)).toBe(100);
      expect(pruned.reduce((sum, { events }) => sum + events, 0)).toBe(200);
      expect((await value(store.runs({ limit: 200 }))).runs).toHaveLength(20);
      expect(await value(store.usage())).toMatchObject([{ calls: 20 }, { calls: 20 }]);
    });

    test("a run tells how many of its events were lost; the largest number counts", async () => {
      await recorded(part("r", [], { name: "a", lost: 3 }), run("whole", ["a"]));
      await recorded(part("r", [], { lost: 5 }));
      await recorded(part("r", [], { lost: 5 }), part("r", [call("r", 0, "a")]));
      expect((await value(store.runs({ name: "a" }))).runs).toMatchObject([
        { runId: "whole" },
        { runId: "r", lost: 5, events: 1 },
      ]);
      expect(await value(store.trace("r"))).toMatchObject({ lost: 5 });
      expect(await value(store.trace("whole"))).not.toHaveProperty("lost");
    });

    test("the summaries are what a fresh count of all runs gives, after parts, repeats and pruning", async () => {
      const tools = ["a", "b", "c", "d"];
      const now = Date.now();
      for (let index = 0; index < 40; index++) {
        const id = `r${index}`;
        const startedAt = now - ((index * 7) % 40) * DAY;
        const events = Array.from({ length: 1 + (index % 12) }, (_, order) =>
          call(id, order, tools[(index * order + order) % 4] ?? "", {
            timestamp: startedAt + order,
            status: (index + order) % 7 === 0 ? "failed" : "completed",
            durationMs: (index * 13 + order * 5) % 900,
            ...(order % 3 === 0 ? { eventType: "skill_call", skillDigest: `d${index % 3}` } : {}),
            ...(order % 4 === 3 ? { parentEventId: `${id}-${order - 1}` } : {}),
            ...(order % 3 === 2 && index % 2 === 0 ? { meta: { retryOf: `${id}-${order - 1}` } } : {}),
            ...((index + order) % 7 === 0 && index % 5 === 0
              ? { errorCode: "INPUT_INVALID", callPath: "0" }
              : {}),
            ...(order % 5 === 4
              ? { eventType: "code_exec", meta: { imports: [tools[index % 4] ?? ""] } }
              : {}),
          }),
        );
        const rest = { startedAt, ...(index % 2 === 0 ? { sessionId: `s${index % 3}` } : {}) };
        const files = [file(id, `${id}-0`, `f${index}.md`)];
        const half = Math.floor(events.length / 2);
        if (index % 3 === 0) await recorded(part(id, events.slice(0, half), { ...rest, status: "running" }));
        await recorded(part(id, events, { ...rest, files }));
        if (index % 4 === 0) await recorded(part(id, [call(id, 99, "late", { timestamp: startedAt })], rest));
      }
      const one = (index: number, tool: string): TracePart => {
        const id = `s${index}`;
        const retried = { meta: { retryOf: `s${index - 1 - (index % 3)}-0` } };
        const rest = {
          status: index % 4 === 0 ? "completed" : "failed",
          ...(index % 3 === 1 ? retried : {}),
        } as const;
        return part(id, [call(id, 0, tool, { timestamp: now + index, ...rest })], {
          sessionId: "long",
          startedAt: now + index,
        });
      };
      for (let index = 0; index < 40; index++)
        await recorded(one((index * 11) % 40, tools[((index * 11) % 40) % 3] ?? ""));
      await value(store.prune({ maxRuns: 60 }));
      const kept = await place.summaries();
      await store.close();
      await place.backToFirstVersion();
      store = place.open();
      expect(await value(store.usage())).not.toEqual([]);
      expect(await place.summaries()).toEqual(kept);
      expect((await value(store.runs({ limit: 100 }))).runs).toHaveLength(60);
    });

    test("a store of the first version keeps its values, and all of them can then be read by SQL", async () => {
      const large = { text: "0123456789 ".repeat(2000) };
      const deep = JSON.parse("[".repeat(1500) + "]".repeat(1500)) as Json;
      const texts = [
        { a: "plain ü \u{1f600}", b: String.raw`C:\udata` },
        { a: "nul \0" },
        ["half \ud800", large],
        large,
        deep,
        null,
      ];
      const events = texts.map((inputs, order) =>
        call("r", order, "x", { inputs, outputs: order === 2 ? "\0" : { ok: true } }),
      );
      const files = ["a", "nul \0", large.text].map((content, index) =>
        file("r", `r-${index}`, `${index}.txt`, content),
      );
      await recorded(part("r", events, { files }));
      const before = await value(store.trace("r"));
      const payloads = await place.payloads();
      await store.close();
      await place.backToFirstVersion();
      // The first version had all that is short in the rows.
      for (const [order, inputs] of texts.entries())
        if (order !== 2 && order !== 3)
          await place.sql(
            `update execution_events set inputs = '${JSON.stringify(inputs)}' where execution_order = ${order}`,
          );
      await place.sql(`update files set content = '"nul \\u0000"' where path = '1.txt'`);
      await place.sql(`delete from payloads where bytes < 4000`);
      await place.sql(`update execution_events set outputs = '"\\u0000"' where execution_order = 2`);
      store = place.open();
      expect(await value(store.trace("r"))).toEqual(before);
      expect(before?.events.map(({ inputs }) => inputs)).toEqual(texts);
      expect(before?.files.map(({ content }) => content)).toEqual(["a", "nul \0", large.text]);
      expect(await place.payloads()).toHaveLength(payloads.length);
      expect(
        await place.sql(
          "select inputs ->> 'a' as a, outputs ->> 'ok' as ok from execution_events order by execution_order",
        ),
      ).toMatchObject([{ a: "plain ü \u{1f600}" }, ...Array.from({ length: 5 }, () => ({ a: null }))]);
      expect(await value(store.prune({ maxRuns: 0 }))).toMatchObject({ runs: 1 });
      expect(await place.payloads()).toEqual([]);
    });

    test("a rule for redaction that is not safe is refused when the store is made", () => {
      expect(() => place.open({ redaction: { rules: [{ name: "bad", pattern: "(a+)+$" }] } })).toThrow("bad");
    });
  });
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export async function value<Value>(result: Promise<Result<Value>>): Promise<Value> {
  const settled = await result;
  if (!settled.ok) throw new Error(`${settled.error.code}: ${settled.error.message}`);
  return settled.value;
}
