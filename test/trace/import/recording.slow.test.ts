import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Result } from "../../../src/core/result.ts";
import type { Trace } from "../../../src/core/trace-event.ts";
import { exportTraces } from "../../../src/trace/export/export-traces.ts";
import { ImportRecorder, type RecordedSums } from "../../../src/trace/import/import-recorder.ts";
import { importAll } from "../../../src/trace/import/import-traces.ts";
import { runTrace } from "../../../src/trace/record/run-trace.ts";
import { sqliteStore } from "../../../src/trace/store/sqlite/sqlite-store.ts";
import type { TraceStore } from "../../../src/trace/trace-store.ts";
import { ClaudeSession, sessionWithAgents } from "./claude-session.ts";
import { nestedRun } from "../nested-run.ts";
import { callsOf, FIXTURES, fixture, outline } from "./imported.ts";

let folder: string;
let store: TraceStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "repertoire-imports-"));
  store = value(sqliteStore(join(folder, "traces.db")));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function value<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

interface Told extends RecordedSums {
  readonly skipped: Readonly<Record<string, number>>;
}

/** One command that imports these files. */
async function imports(...files: readonly string[]): Promise<Told> {
  const recorder = new ImportRecorder(store);
  const skipped: Record<string, number> = {};
  const inputs = files.map((text, index) => ({ chunks: [Buffer.from(text)], name: `file ${index}`, now: 0 }));
  for await (const item of importAll(inputs))
    if (item.kind === "trace") value(await recorder.add(item));
    else skipped[item.reason] = item.count;
  value(await recorder.flush());
  const none = { traces: 0, events: 0, alreadyThere: { traces: 0, events: 0 } };
  const total = [...recorder.sums.values()].reduce(
    (sum, { traces, events, alreadyThere }) => ({
      traces: sum.traces + traces,
      events: sum.events + events,
      alreadyThere: {
        traces: sum.alreadyThere.traces + alreadyThere.traces,
        events: sum.alreadyThere.events + alreadyThere.events,
      },
    }),
    none,
  );
  return { ...total, skipped };
}

async function stored(): Promise<readonly Trace[]> {
  const { runs } = value(await store.runs({ limit: 500 }));
  const traces = await Promise.all(runs.map(async ({ runId }) => value(await store.trace(runId))));
  return traces.flatMap((trace) => trace ?? []).toSorted((a, b) => a.startedAt - b.startedAt);
}

/** The ids that the source gives its calls, of all that is stored. */
const callIds = (traces: readonly Trace[]): readonly string[] =>
  traces.flatMap(({ events }) => events.flatMap(({ id }) => /\/(toolu_\d+)$/.exec(id)?.[1] ?? []));

const eventsIn = (traces: readonly Trace[]): number =>
  traces.reduce((sum, { events }) => sum + events.length, 0);

const NESTED = [
  "agent_call/transcript claude-code",
  "  agent_call/subagent Task",
  "    code_exec/shell Bash",
  "    agent_call/message assistant",
  "  agent_call/subagent Agent",
  "    agent_call/subagent Agent",
  "      code_exec/shell Bash",
  "      agent_call/message assistant",
  "    agent_call/message assistant",
  "  tool_call shop.get_order",
  "  agent_call/message assistant",
];

const withoutUsage = (lines: readonly string[]): readonly string[] => lines.map((line) => line.trimEnd());

/** What the session and each agent runs itself. */
const COMMANDS: Readonly<Record<string, unknown>> = {
  '"main"': [],
  '"a1f03c2"': [{ command: "ls a" }],
  '"b77e9d4"': [],
  '"c5512aa"': [{ command: "ls b/c" }],
};

function permutations<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item].concat(rest)),
  );
}

describe("a session of Claude Code and the files of its sub-agents", () => {
  const session = sessionWithAgents();
  const names = [...session.files.keys()];
  const orders = permutations(names)
    .filter((_, index) => index % 5 === 0)
    .map((order) => [order.join(", "), order] as const);
  const textOf = (name: string): string => session.files.get(name) ?? "";

  test("are written as the program writes them", () => {
    expect(names).toEqual(["main", "a1f03c2", "b77e9d4", "c5512aa"]);
    expect(session.calls).toHaveLength(6);
  });

  test.each(orders)(
    "imported together as %s are one run, with each agent within its call",
    async (_, order) => {
      const told = await imports(...order.map(textOf));
      const traces = await stored();
      expect(told).toMatchObject({ traces: 1, events: eventsIn(traces), skipped: {} });
      const [trace] = traces;
      if (!trace) throw new Error("no trace");
      expect(trace.startedAt).toBe(Date.UTC(2026, 0, 5, 10, 0, 1));
      const lines = withoutUsage(outline(trace));
      expect(lines.filter((line) => !line.includes("message"))).toEqual(
        NESTED.filter((line) => !line.includes("message")),
      );
      expect(callIds(traces).toSorted()).toEqual(session.calls.toSorted());
      expect(callsOf(trace).filter(({ tool }) => tool === "Bash")).toMatchObject([
        { args: { command: "ls a" }, result: { stdout: "ran ls a" } },
        { args: { command: "ls b/c" }, result: { stdout: "ran ls b/c" } },
      ]);
    },
  );

  test.each(orders)(
    "imported one after the other as %s have each call once, agents alone as runs of the same session",
    async (_, order) => {
      const told: Told[] = [];
      for (const name of order) told.push(await imports(textOf(name)));
      const traces = await stored();
      expect(callIds(traces).toSorted()).toEqual(session.calls.toSorted());
      expect(told.reduce((sum, { events }) => sum + events, 0)).toBe(eventsIn(traces));
      expect(told.reduce((sum, each) => sum + each.traces, 0)).toBe(traces.length);
      expect(new Set(traces.map(({ sessionId }) => sessionId))).toEqual(new Set([session.id]));
      for (const trace of traces)
        expect(callsOf(trace).flatMap(({ tool, args }) => (tool === "Bash" ? [args] : []))).toEqual(
          COMMANDS[JSON.stringify(trace.events[0]?.meta?.["agentId"] ?? "main")],
        );
    },
  );

  test("imported again, together or one by one, change nothing", async () => {
    await imports(...names.map(textOf));
    const before = await stored();
    expect(await imports(...names.map(textOf))).toMatchObject({
      traces: 0,
      events: 0,
      alreadyThere: { traces: 1, events: eventsIn(before) },
    });
    for (const name of names)
      expect(await imports(textOf(name))).toMatchObject({
        traces: 0,
        events: 0,
        alreadyThere: { traces: 1 },
      });
    expect(await stored()).toEqual(before);
  });

  test("of which the agents' came first lose nothing when all come together", async () => {
    await imports(textOf("b77e9d4"), textOf("c5512aa"));
    await imports(...names.map(textOf));
    const traces = await stored();
    expect(callIds(traces).toSorted()).toEqual(session.calls.toSorted());
    expect(traces).toHaveLength(2);
  });
});

test("a transcript's format is no agent: it hands nothing over, and calls nothing", async () => {
  const session = sessionWithAgents();
  await imports(...session.files.values());
  const handOffs = value(await store.handOffs());
  const usage = value(await store.usage({ byAgent: true }));
  expect(handOffs.flatMap(({ from, to }) => [from, to])).not.toContain("claude-code");
  expect(usage.map(({ name, agent }) => [name, agent])).toEqual(
    expect.arrayContaining([
      ["Bash", "Task"],
      ["shop.get_order", ""],
    ]),
  );
  expect(usage.map(({ agent }) => agent)).not.toContain("claude-code");
});

test("a session that went on is the same run, with what is new behind what was there", async () => {
  const session = new ClaudeSession();
  session.user("Count the lines.");
  const [first = ""] = session.call([{ tool: "Bash", input: { command: "wc -l a" } }]);
  await imports(session.files.get("main") ?? "");
  expect((await stored()).flatMap(callsOf)).toMatchObject([{ tool: "Bash", result: undefined }]);
  session.answer(first, "3 a", "3 a");
  session.call([{ tool: "Read", input: { file_path: "a" } }]);
  // The answer of the first call, the second, and what it took in tokens.
  expect(await imports(session.files.get("main") ?? "")).toMatchObject({ traces: 0, events: 3 });
  const [trace, ...others] = await stored();
  expect(others).toEqual([]);
  expect(trace && callsOf(trace)).toMatchObject([
    { tool: "Bash", result: "3 a" },
    { tool: "Read", result: undefined },
  ]);
});

const conversation = (id: string, ...cities: readonly string[]): string =>
  `${JSON.stringify({ id, task: "Weather", calls: cities.map((city) => ({ tool: "weather", args: { city }, result: `sun in ${city}` })) })}\n`;

describe("transcripts of other formats with the same id", () => {
  test("are the same run where one goes on", async () => {
    expect(await imports(conversation("1", "Rome"))).toMatchObject({ traces: 1, events: 2 });
    expect(await imports(conversation("1", "Rome", "Paris"))).toMatchObject({
      traces: 0,
      events: 1,
      alreadyThere: { traces: 1, events: 2 },
    });
    expect(await imports(conversation("1", "Rome"))).toMatchObject({
      events: 0,
      alreadyThere: { events: 2 },
    });
    expect((await stored()).map(callsOf)).toMatchObject([
      [{ args: { city: "Rome" } }, { args: { city: "Paris" } }],
    ]);
  });

  test("are runs of their own where they differ, in one command or in several", async () => {
    const files = [
      conversation("1", "Rome", "Oslo"),
      conversation("1", "Rome", "Paris"),
      conversation("1", "Bonn"),
    ];
    expect(await imports(...files)).toMatchObject({ traces: 3, events: 8 });
    for (const file of files) expect(await imports(file)).toMatchObject({ traces: 0, events: 0 });
    expect(
      (await stored())
        .flatMap(callsOf)
        .map(({ result }) => JSON.stringify(result))
        .toSorted(),
    ).toEqual(["Rome", "Oslo", "Rome", "Paris", "Bonn"].map((city) => `"sun in ${city}"`).toSorted());
  });

  test("and with credentials, which are not kept, are told from each other by the rest", async () => {
    const secret = (text: string): string => conversation("1", "Rome").replaceAll("sun in Rome", text);
    await imports(secret("password=hunter2hunter2 sun"));
    expect(await imports(secret("password=hunter2hunter2 sun"))).toMatchObject({ traces: 0, events: 0 });
  });
});

test("spans of one trace that come in two exports are one run", async () => {
  const span = (spanId: string, parentSpanId: string, tool: string): unknown => ({
    traceId: "5b8efff798038103d269b633813fc60c",
    spanId,
    parentSpanId,
    name: `execute_tool ${tool}`,
    startTimeUnixNano: "1767607200000000000",
    endTimeUnixNano: "1767607201000000000",
    attributes: [{ key: "gen_ai.tool.call.arguments", value: { stringValue: `{"of":"${tool}"}` } }],
  });
  const document = (...spans: unknown[]): string =>
    JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  await imports(document(span("00f067aa0ba902b7", "", "outer")));
  expect(await imports(document(span("00f067aa0ba902b8", "00f067aa0ba902b7", "inner")))).toMatchObject({
    traces: 0,
    events: 1,
  });
  expect((await stored()).map((trace) => callsOf(trace).map(({ tool }) => tool))).toEqual([
    ["outer", "inner"],
  ]);
});

test("rows that have the ids of others, but other results, are another run", async () => {
  const row = (result: string): string =>
    `${JSON.stringify({ id: "1", run_id: "r", event_type: "tool_call", execution_order: 0, agent_name: "a", status: "completed", inputs: { tool: "look", args: {} }, outputs: { result } })}\n`;
  await imports(row("one"));
  expect(await imports(row("other"))).toMatchObject({ traces: 1, events: 2 });
  expect(
    (await stored())
      .flatMap(callsOf)
      .map(({ result }) => JSON.stringify(result))
      .toSorted(),
  ).toEqual(['"one"', '"other"']);
});

test("rows of one run that come in two files are one run", async () => {
  const row = (id: string, execution_order: number): string =>
    `${JSON.stringify({ id, run_id: "r", event_type: "tool_call", execution_order, agent_name: "a", status: "completed", inputs: { tool: "look", args: { id } }, outputs: { result: id } })}\n`;
  await imports(row("u1", 0));
  await imports(row("u2", 1) + row("u3", 2));
  expect((await stored()).map((trace) => callsOf(trace).map(({ args }) => args))).toEqual([
    [{ id: "u1" }, { id: "u2" }, { id: "u3" }],
  ]);
});

describe("all that is recorded", () => {
  test("is exported, and imported as the same runs", async () => {
    const live = { ...runTrace(nestedRun("r-1"), { sessionId: "s-1" }), lost: 3 };
    value(await store.record([live]));
    await imports(...readdirSync(FIXTURES).map((name) => fixture(name).toString("utf8")));
    const [traces, summaries] = [await stored(), value(await store.runs({ limit: 500 }))];
    await store.close();
    store = value(sqliteStore(join(folder, "again.db")));
    const told = await imports(exportTraces(traces, "repertoire"));
    expect(told).toMatchObject({ traces: traces.length, events: eventsIn(traces), skipped: {} });
    expect(await stored()).toEqual(traces);
    expect(value(await store.runs({ limit: 500 }))).toEqual(summaries);
    expect(await imports(exportTraces(traces, "repertoire"))).toMatchObject({ traces: 0, events: 0 });
  });

  test("is told apart from another run with its id", async () => {
    const [one, other] = [runTrace(nestedRun("r-1")), runTrace(nestedRun("r-1"))];
    const changed = {
      ...other,
      events: other.events.map((event) => ({ ...event, agentName: `x.${event.agentName}` })),
    };
    await imports(exportTraces([one], "repertoire"));
    expect(await imports(exportTraces([changed], "repertoire"))).toMatchObject({
      traces: 1,
      events: other.events.length,
    });
    expect(await stored()).toHaveLength(2);
  });

  test("is told where a line of it cannot be used", async () => {
    const lines = exportTraces([runTrace(nestedRun("r-1"))], "repertoire").replace(
      '"status":"failed"',
      '"status":"odd"',
    );
    expect(await imports(lines)).toMatchObject({ traces: 1, skipped: { "not-understood": 1 } });
  });
});
