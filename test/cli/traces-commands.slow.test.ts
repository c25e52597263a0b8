import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { timeOf } from "../../src/cli/run-filter.ts";
import { widthOf } from "../../src/core/text/display-text.ts";
import { traceTree, type TreeOptions } from "../../src/cli/output/trees/trace-tree.ts";
import { EVENT_TYPES, type Trace, type TraceEvent } from "../../src/core/trace-event.ts";
import { openStore } from "../../src/trace/store/open-store.ts";
import type { RunPage, TraceStore } from "../../src/trace/trace-store.ts";
import { CLI, Workplace } from "../server/connected-client.ts";
import { command } from "./in-process.ts";
import { FIXTURES } from "../trace/import/imported.ts";
import { call, DAY, file, NOON, part } from "../trace/traces.ts";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function traces(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", CLI, "traces", ...args],
      { cwd, env: { ...process.env, FORCE_COLOR: undefined, NO_COLOR: undefined, ...env } },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      },
    ).stdin?.end();
  });
}

async function traceWorkplace(settings: object = {}): Promise<Workplace> {
  return Workplace.create({}, { traces: { store: "traces.db", ...settings } });
}

async function withStore<Value>(
  { folder }: Workplace,
  work: (store: TraceStore) => Promise<Value>,
): Promise<Value> {
  const store = openStore(join(folder, "traces.db"));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const widest = (text: string): number => Math.max(...stripVTControlCharacters(text).split("\n").map(widthOf));

const TRIP_ID = "aaaa1111-0000-4000-8000-000000000001";
const LATER_ID = "aaaa2222-0000-4000-8000-000000000002";
const SESSION = { sessionId: "session-one" };

function trip(order: number, name: string, rest: Partial<TraceEvent>): TraceEvent {
  return call(TRIP_ID, order, name, { ...SESSION, id: `trip-${order}`, ...rest });
}

const TRIP = part(
  TRIP_ID,
  [
    trip(0, "plan-trip", { eventType: "skill_call", durationMs: 900, inputs: { city: "Oslo" } }),
    trip(1, "search", { parentEventId: "trip-0", timestamp: NOON + 10, durationMs: 400 }),
    trip(2, "book", {
      parentEventId: "trip-0",
      status: "failed",
      errorCode: "SKILL_TIMED_OUT",
      errorMessage: "It ran out of time",
      timestamp: NOON + 500,
    }),
    trip(3, "book", { parentEventId: "trip-0", eventSubtype: "retry", timestamp: NOON + 700 }),
    trip(4, "book", {
      parentEventId: "trip-3",
      eventType: "file_gen",
      eventSubtype: "created",
      timestamp: NOON + 710,
      inputTokens: 1200,
      outputTokens: 30,
      cost: 0.25,
    }),
  ],
  { ...SESSION, name: "plan-trip", files: [file(TRIP_ID, "trip-4", "out/ticket.txt", "A ticket")] },
);

const LATER = part(LATER_ID, [call(LATER_ID, 0, "search", { ...SESSION, timestamp: NOON + 60_000 })], {
  ...SESSION,
  name: "search",
  source: "session",
  startedAt: NOON + 60_000,
});

let workplace: Workplace;
beforeAll(async () => {
  workplace = await traceWorkplace();
  await withStore(workplace, async (store) => store.record([TRIP, LATER]));
});
afterAll(async () => workplace[Symbol.asyncDispose]());

describe("import", () => {
  test("where no file can be read, tells why, and not that nothing is in them", async () => {
    const { code, stdout, stderr } = await traces(workplace.folder, ["import", "missing.json"]);
    expect([code, stderr]).toEqual([
      2,
      "PATH_NOT_FOUND: missing.json cannot be read: there is no such file or folder\n",
    ]);
    expect(stdout).not.toContain("Not used");
  });

  test("records what the files hold, tells what was not used, and goes on where one is missing", async () => {
    await using fresh = await traceWorkplace();
    await writeFile(join(fresh.folder, "prose.txt"), "No transcript\n");
    const { code, stdout, stderr } = await traces(fresh.folder, [
      "import",
      join(FIXTURES, "plain-calls.orders.jsonl"),
      "missing.json",
      ".",
      "prose.txt",
      join(FIXTURES, "claude-code.branches.jsonl"),
      join(FIXTURES, "otlp.orders.json"),
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain("PATH_NOT_FOUND: missing.json cannot be read: there is no such file");
    expect(stderr).toContain("PATH_NOT_FOUND: . cannot be read: it is a folder");
    expect(stdout).toMatch(/^Imported 4 traces with \d+ events into .*traces\.db\n/);
    expect(stdout).toMatch(/ {2}plain-calls: 1 trace, 6 events\n/);
    expect(stdout).toContain("1 × not-json: It is not JSON\n      prose.txt, line 1\n");
    const page = await withStore(fresh, async (store) => store.runs());
    expect(page).toMatchObject({ ok: true, value: { runs: { length: 4 } } });
  });

  test("nothing that can be used is a failure", async () => {
    await using fresh = await traceWorkplace();
    await writeFile(join(fresh.folder, "other.json"), '{"hello": "world"}');
    const { code, stdout } = await traces(fresh.folder, ["import", "other.json", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      traces: 0,
      skipped: [{ reason: "unknown-format", count: 1, places: ["other.json, line 1"] }],
    });
  });
});

describe("ls", () => {
  test("lists sessions, each in a line that tells its calls, failures, and what was called", async () => {
    const { code, stdout } = await traces(workplace.folder, ["ls"]);
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ["id", "when", "calls", "failed", "took", "from", "task or calls"],
      ["session-one", expect.any(String), "5", "1", "1m 00s", "session", "plan-trip, search"],
      [""],
    ]);
  });

  test("--flat lists runs, newest first, by the beginnings of their ids, at most 80 columns wide", async () => {
    const { code, stdout } = await traces(workplace.folder, ["ls", "--flat"]);
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ["id", "when", "status", "events", "errors", "took", "task or name"],
      ["aaaa2222", expect.any(String), "completed", "1", "10 ms", "search"],
      ["aaaa1111", expect.any(String), "completed", "5", "1", expect.stringMatching(/ms|s$/), "plan-trip"],
      [""],
    ]);
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  test("--json prints a page, from which --after goes on", async () => {
    const { stdout } = await traces(workplace.folder, [
      "ls",
      "--json",
      "--limit",
      "1",
      "--session",
      "session-o",
    ]);
    const { runs, next } = JSON.parse(stdout) as RunPage;
    expect(runs).toMatchObject([{ runId: LATER.runId, events: 1, errors: 0 }]);
    const rest = await traces(workplace.folder, [
      "ls",
      "--json",
      "--after",
      next ?? "",
      "--until",
      "2026-02-01",
    ]);
    expect((JSON.parse(rest.stdout) as RunPage).runs).toMatchObject([{ runId: TRIP.runId, errors: 1 }]);
  });
});

describe("show", () => {
  test("draws a run that the beginning of its id tells, without colours where nobody looks", async () => {
    const { code, stdout } = await traces(workplace.folder, ["show", "aaaa1"]);
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(2, -1)).toEqual([
      "✓ plan-trip Oslo skill                                   ━━━━━━━━━━━━━━━━ 900 ms",
      "├─ ✓ search                                              ━━━━━━━          400 ms",
      "├─ ✗ book                                                        ━         10 ms",
      "│    SKILL_TIMED_OUT: It ran out of time",
      "└─ ✓ book ↻ retry                                                    ━     10 ms",
      "   └─ → out/ticket.txt 8 B                                           ━     10 ms",
      "",
      "4 calls · 1 failed · 1 tried again · 1 file · 1,200 tokens in, 30 out · $0.2500",
    ]);
  });

  test("draws a session's runs as one, coloured where that is forced, with inputs and outputs", async () => {
    const { stdout } = await traces(workplace.folder, ["show", "session-one", "--full"], {
      FORCE_COLOR: "1",
    });
    expect(stdout).toContain("\u001b[32m✓ \u001b[39m");
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    const plain = stripVTControlCharacters(stdout);
    expect(plain).toMatch(/✓ plan-trip Oslo {2}aaaa1111 skill[^]*✓ search {2}aaaa2222/);
    expect(plain).toContain('│ in  {"city":"Oslo"}\n');
    const json = await traces(workplace.folder, ["show", "session-one", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      runId: "session-one",
      events: [0, 1, 2, 3, 4, 5].map((executionOrder) => ({ executionOrder })),
      files: [{ path: "out/ticket.txt" }],
    });
  });

  test.each([
    ["of two runs", "aaaa", /More than one run or session .* \(aaaa2222, aaaa1111\); give more of it/],
    ["of none", "bbbb", /There is no run or session whose id begins with "bbbb"/],
  ])("the beginning %s is refused", async (_, given, message) => {
    const { code, stderr, stdout } = await traces(workplace.folder, ["show", given, "--json"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "RUN_NOT_FOUND" } });
  });
});

describe("stats, chains and search", () => {
  test("stats shows how tools fare, and which files they make", async () => {
    const { stdout } = await traces(workplace.folder, ["stats", "--kind", "tool"]);
    expect(
      stdout
        .split("\n")[0]
        ?.trim()
        .split(/\s{2,}/),
    ).toEqual([...["name", "calls", "success", "p50", "p95", "last used"]]);
    expect(stdout).toMatch(/\nbook {2,}2 {2,}50 % \(9–91\) {2,}\d+ ms/);
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    const patterns = await traces(workplace.folder, ["stats", "--patterns", "--json"]);
    expect(JSON.parse(patterns.stdout)).toMatchObject({
      handOffs: [],
      codePatterns: [],
      fileTemplates: [{ extension: ".txt", madeBy: "book", latest: { path: "out/ticket.txt" } }],
    });
  });

  test("chains shows what is called one after the other", async () => {
    const { stdout } = await traces(workplace.folder, ["chains", "--including", "search", "--length", "2"]);
    expect(stdout).toMatch(/^times {2,}success {2,}calls\n[^]*\n {4}1 {2,}0 % \(0–79\) {2,}search → book\n/);
  });

  test("search marks the words that it finds", async () => {
    const { stdout } = await traces(workplace.folder, ["search", "boo", "ran"], { FORCE_COLOR: "1" });
    const word = (text: string): string => `\u001b[1m\u001b[33m${text}\u001b[39m\u001b[22m`;
    expect(stdout).toContain(
      `aaaa1111  error  ${word("boo")}k SKILL_TIMED_OUT It ${word("ran")} out of time\n`,
    );
    expect(await traces(workplace.folder, ["search", "nowhere"])).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("prune", () => {
  test("tells what it would delete, deletes it, and needs a limit", async () => {
    await using fresh = await traceWorkplace({ retention: { maxRuns: 2 } });
    const old = [0, 1, 2].map((days) =>
      part(`old-${days}`, [call(`old-${days}`, 0, "search")], { startedAt: NOON + days * DAY }),
    );
    const left = async (): Promise<readonly string[]> =>
      withStore(fresh, async (store) => {
        const page = await store.runs();
        return page.ok ? page.value.runs.map(({ runId }) => runId) : [];
      });
    await withStore(fresh, async (store) => store.record(old));
    const dry = await traces(fresh.folder, ["prune", "--dry-run"]);
    expect(dry.stdout).toMatch(/^Would delete 1 run with 1 event .* to keep at most 2 runs\n$/);
    expect(await left()).toEqual(["old-2", "old-1", "old-0"]);
    const done = await traces(fresh.folder, ["prune", "--max-runs", "1", "--json"]);
    expect(JSON.parse(done.stdout)).toMatchObject({
      dryRun: false,
      limits: { maxRuns: 1 },
      runs: 2,
      events: 2,
    });
    expect(await left()).toEqual(["old-2"]);
  });
});

describe("usage", () => {
  test.each([
    [["prune"], "INPUT_INVALID: Nothing says what is to be kept"],
    [["export"], "INPUT_INVALID: Nothing says which runs"],
    [["ls", "--since", "yesterday"], "it is neither a date"],
  ])("%j is refused with what to do", async (args, message) => {
    const { code, stdout, stderr } = await traces(workplace.folder, args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });
});

describe("a time", () => {
  test.each([
    ["2026-01-05", new Date(2026, 0, 5).getTime()],
    ["2026-01-05T10:30", new Date(2026, 0, 5, 10, 30).getTime()],
    ["2026-01-05 10:30:00Z", Date.UTC(2026, 0, 5, 10, 30)],
  ])("%s is a date", (given, at) => {
    expect(timeOf(given)).toBe(at);
  });

  test.each([
    ["90m", 5_400_000],
    ["24h", DAY],
    ["1.5d", 1.5 * DAY],
    ["2w", 14 * DAY],
  ])("%s is an age", (given, ms) => {
    const before = Date.now();
    const at = timeOf(given) + ms;
    expect([before <= at, at <= Date.now()]).toEqual([true, true]);
  });

  test.each(["yesterday", "7", "7y", "2026-02-30", "2026-13-01", "2026-01-05T25:00", "5", ""])(
    "%j is none",
    (given) => {
      expect(() => timeOf(given)).toThrow(/neither a date/);
    },
  );
});

describe("the tree", () => {
  const event = (id: string, rest: Partial<TraceEvent> = {}): TraceEvent => ({
    ...call("run", 0, id),
    id,
    ...rest,
  });
  const tree = (events: readonly TraceEvent[], options: Partial<TreeOptions> = {}): readonly string[] => {
    const trace: Trace = { runId: "run", source: "run", startedAt: NOON, events, files: [] };
    return traceTree(trace, { columns: 80, ...options })
      .split("\n")
      .slice(2, -2);
  };
  const untimed = (id: string, parentEventId?: string, rest: Partial<TraceEvent> = {}): TraceEvent => {
    const { durationMs: _, ...plain } = event(id, rest);
    return parentEventId === undefined ? plain : { ...plain, parentEventId };
  };

  test.each<[shown: string, inputs: TraceEvent["inputs"]]>([
    ["✓ read a.txt", { encoding: "utf-8", path: "a.txt" }],
    ["✓ read W1", { fields: ["total"], order_id: "W1" }],
    ["✓ read 17", { issue_number: 17, page: 2 }],
    ["✓ read short", { body: "long ".repeat(20), mode: "short" }],
    ["✓ read", { count: 3, deep: { path: "a" } }],
    ["✓ read", undefined],
  ])("a line tells what the call is about: %s", (shown, inputs) => {
    const { inputs: _, ...plain } = untimed("read");
    expect(tree([inputs === undefined ? plain : { ...plain, inputs }])).toEqual([shown]);
  });

  test("equal calls in a row are one line with the first and the last that they are about", () => {
    const reads = Array.from({ length: 5 }, (_, at) =>
      untimed(`read-${at}`, "root", { agentName: "read", inputs: { path: `${at}.txt` } }),
    );
    expect(tree([untimed("root"), ...reads])[1]).toBe("└─ ✓ read 0.txt … 4.txt × 5");
  });

  test("a time in which nothing happened is told in a line, and takes no room in the bars", () => {
    const hour = 3_600_000;
    const lines = tree([
      event("first", { timestamp: NOON, durationMs: 1000 }),
      event("second", { timestamp: NOON + 2000, durationMs: 1000 }),
      event("third", { timestamp: NOON + hour, durationMs: 1000 }),
    ]);
    expect(lines[2]).toBe("⋯ 59m 57s idle");
    expect(lines.filter((line) => line.includes("━")).map((line) => line.indexOf("━") - 57)).toEqual([
      0, 8, 12,
    ]);
    const { events, ...trace } = part("run", [
      event("agent", { eventType: "agent_call", timestamp: NOON, durationMs: hour }),
      event("a", { parentEventId: "agent", timestamp: NOON, durationMs: 0 }),
      event("b", { parentEventId: "agent", timestamp: NOON + hour }),
    ]);
    const drawn = traceTree({ ...trace, events }, { columns: 80 });
    expect(drawn).toContain("1h 00m, 1h 00m of it idle");
    expect(drawn).toContain("│  ⋯ 1h 00m idle\n└─ ✓ b");
  });

  test("draws equal calls in a row as one, unless all are asked for", () => {
    const calls = Array.from({ length: 12 }, (_, at) => untimed(`page-${at}`, "root", { agentName: "page" }));
    const events = [untimed("root"), ...calls, untimed("last", "root")];
    expect(tree(events)).toEqual(["✓ root", "├─ ✓ page × 12", "└─ ✓ last"]);
    expect(tree(events, { all: true })).toHaveLength(14);
    const [broken, ...others] = calls;
    const failing = { ...broken, status: "failed", errorMessage: "No page" } as TraceEvent;
    expect(tree([untimed("root"), ...others.slice(0, 6), failing, ...others.slice(6)])).toEqual([
      "✓ root",
      "├─ ✓ page × 6",
      "├─ ✗ page",
      "│    No page",
      "└─ ✓ page × 5",
    ]);
  });

  test("tells how much is deeper than what is drawn", () => {
    const events = [untimed("a"), untimed("b", "a"), untimed("c", "b"), untimed("d", "c")];
    expect(tree(events, { depth: 2 })).toEqual(["✓ a", "└─ ✓ b … 2 within"]);
  });

  test("names what is no tool's call", () => {
    const events = [
      untimed("a", undefined, { eventType: "skill_call" }),
      untimed("b", "a", {
        eventType: "agent_call",
        eventSubtype: "message",
        agentName: "gpt",
        outputs: "Hello\nyou",
      }),
      untimed("c", "a", { eventType: "agent_call", eventSubtype: "message", agentName: "gpt", outputs: "" }),
      untimed("d", "a", { eventType: "handoff", inputs: { from: "planner", to: "writer" } }),
      untimed("e", "a", { eventType: "code_exec", eventSubtype: "python" }),
      untimed("f", "a", { eventType: "error", status: "failed", errorMessage: "Away" }),
      untimed("g", "a", { status: "running" }),
      untimed("h", "a", { meta: { reused: true } }),
    ];
    expect(tree(events)).toEqual([
      "✓ a skill",
      "├─ gpt: Hello you",
      "├─ ⇢ planner → writer",
      "├─ ✓ e python",
      "├─ ✗ f",
      "│    Away",
      "├─ ◌ g running",
      "└─ ✓ h = reused",
    ]);
  });

  test("lets no text of a trace steer the terminal", () => {
    const evil = "\u001b[2Jred\u001b]0;title\u0007\r\u202egnp";
    const text = tree([event("a", { agentName: evil, status: "failed", errorMessage: evil, inputs: evil })], {
      full: 100,
    }).join("\n");
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(text).toContain("red");
  });

  const names = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.constantFrom(
      "注文を検索する".repeat(6),
      "👩‍👩‍👧 family 👍🏽".repeat(4),
      "a".repeat(300),
      "one two ".repeat(40),
      "\u001b[31mred",
    ),
  );
  const anyEvents = fc
    .array(
      fc.record({
        parent: fc.option(fc.nat(40)),
        eventType: fc.constantFrom(...EVENT_TYPES),
        eventSubtype: fc.constantFrom(undefined, "retry", "reused", "message", "python"),
        agentName: names,
        status: fc.constantFrom("running", "completed", "failed", "cancelled"),
        timestamp: fc.integer({ min: NOON, max: NOON + DAY }),
        durationMs: fc.option(fc.integer({ min: 0, max: DAY }), { nil: undefined }),
        errorMessage: fc.option(names, { nil: undefined }),
        inputs: fc.oneof(names, fc.dictionary(names, names, { maxKeys: 3 })),
        inputTokens: fc.option(fc.nat(1e9), { nil: undefined }),
      }),
      { maxLength: 40 },
    )
    .map((rows) =>
      rows.map(({ parent, ...rest }, at): TraceEvent => {
        const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
        return { ...untimed(`n${at}`, parent === null ? undefined : `n${parent}`), ...given };
      }),
    );

  test("is never wider than the terminal", () => {
    expect.hasAssertions();
    const options = fc.record({
      columns: fc.integer({ min: 20, max: 130 }),
      isColoured: fc.boolean(),
      all: fc.boolean(),
      depth: fc.integer({ min: 1, max: 50 }),
      full: fc.constantFrom(1, 50, 5000),
    });
    fc.assert(
      fc.property(anyEvents, names, options, (events, task, given) => {
        const files = events.slice(0, 3).map(({ id }) => file("run", id, task, "text"));
        const trace: Trace = { runId: task, source: "run", task, startedAt: NOON, events, files };
        expect(widest(traceTree(trace, given))).toBeLessThanOrEqual(given.columns);
      }),
      { numRuns: 300 },
    );
  });

  test("has each event once, whatever their parents are", () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(30)), { maxLength: 30 }), (parents) => {
        const events = parents.map((parent, at) =>
          untimed(`n${at}`, parent === null ? undefined : `n${parent}`),
        );
        const drawn = tree(events, { all: true, columns: 400 }).map((line) => /n\d+/.exec(line)?.[0] ?? "");
        expect(drawn.filter((name) => name !== "").toSorted()).toEqual(events.map(({ id }) => id).toSorted());
      }),
    );
  });

  test.each([
    ["注文", 4],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["ｱ", 1],
    ["Ａ", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["✓ a", 3],
    ["한글", 4],
  ])("%s takes %d columns", (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });
});

test("a run that waits for somebody is told as waiting, with the call that it waits with, until it goes on", async () => {
  const asks = `export default async (): Promise<unknown> => call_tool("repertoire.ask_model", {
    prompt: "Which number?", schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  });`;
  await using place = await Workplace.create(
    { asks, outer: `export default async (): Promise<unknown> => call_skill("asks", {});` },
    { data: "data" },
  );
  const ran = await command(place.folder, "run", "outer", "--durable");
  const lines = `${ran.stdout}${ran.stderr}`.split("\n");
  const marked = lines.flatMap((line) => (line.includes("◌ waiting") ? [line.trim().split(" ")[0]] : []));
  expect(marked).toHaveLength(3);
  expect(lines.join("\n")).not.toContain("CANCELLED");

  const statuses = async (): Promise<readonly unknown[]> => {
    const json = JSON.parse((await command(place.folder, "traces", "ls", "--json")).stdout) as RunPage;
    return json.runs.map(({ status }) => status);
  };
  expect(await statuses()).toEqual(["waiting"]);
  expect((await command(place.folder, "traces", "ls")).stdout).toContain("waiting");
  const listed = JSON.parse((await command(place.folder, "runs", "ls", "--json")).stdout) as RunPage["runs"];
  const runId = listed[0]?.runId ?? "";
  expect((await command(place.folder, "traces", "show", runId)).stdout).toContain("outer waiting");

  const approve = ["runs", "approve", runId, "--call", "0.0.0", "--skip", '{"n": 3}'];
  expect((await command(place.folder, ...approve)).stdout).toContain('"n": 3');
  expect(await statuses()).toEqual(["completed"]);
});

test("where nobody looks, tables are printed whole", async () => {
  await using place = await traceWorkplace();
  const task = `Plan a trip ${"from one town to the next ".repeat(5)}and back`;
  const tool = `towns.${"look_for_a_train_".repeat(6)}on_a_day`;
  const messages = [
    { role: "user", content: task },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: tool, input: { to: "Oslo" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "{}" }] },
  ];
  await writeFile(join(place.folder, "long.json"), JSON.stringify({ messages }));
  expect((await traces(place.folder, ["import", "long.json"])).code).toBe(0);
  expect((await traces(place.folder, ["ls"])).stdout).toContain(task);
  expect((await traces(place.folder, ["ls", "--flat"])).stdout).toContain(task);
  expect((await traces(place.folder, ["stats"])).stdout).toContain(tool);
});
