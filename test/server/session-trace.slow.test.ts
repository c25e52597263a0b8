import { afterEach, beforeEach, expect, test } from "vitest";
import type { Client } from "@modelcontextprotocol/client";
import type { TraceEvent } from "../../src/core/trace-event.ts";
import { sessionTrace } from "../../src/trace/record/session-trace.ts";
import { recordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import { textOf, Workplace } from "./connected-client.ts";
import { clientOf, servedApp } from "./served-app.ts";

const SKILLS = {
  halve: `/** Halves an even number. */
export default ({ x }: { x: number }): number => {
  if (x % 2 !== 0) throw new Error("x is odd");
  return x / 2;
}`,
  careless: `export default async (): Promise<number> => call_skill("halve", { x: "four" } as never)`,
};

let workplace: Workplace;
let served: Awaited<ReturnType<typeof servedApp>>;
let client: Client;
beforeEach(async () => {
  workplace = await Workplace.create(SKILLS, { traces: { visible: "all", store: "own/traces.db" } });
  served = await servedApp(workplace);
  client = await clientOf(served.url, "legacy");
});
afterEach(async () => {
  await client.close();
  await served[Symbol.asyncDispose]();
  await workplace[Symbol.asyncDispose]();
});

/** The events of all runs, in the order in which they began, once there are so many runs. */
async function events(runs: number): Promise<readonly TraceEvent[]> {
  const { traces } = served.app;
  await expect
    .poll(
      async () => {
        const page = await traces.runs();
        return page.ok
          ? page.value.runs.filter(({ status }) => status !== "running").length
          : page.error.message;
      },
      { timeout: 10_000 },
    )
    .toBe(runs);
  const page = await traces.runs({ limit: 1 });
  const sessionId = page.ok ? page.value.runs[0]?.sessionId : undefined;
  const trace = await sessionTrace(traces, sessionId ?? "");
  if (!trace.ok || !trace.value) throw new Error("there is no session");
  expect(recordedTrace(trace.value).calls).toEqual([]);
  return trace.value.events;
}

function line({ eventType, eventSubtype, agentName, status, errorCode }: TraceEvent): string {
  return [eventType, eventSubtype, agentName, status, errorCode]
    .filter((part) => part !== undefined)
    .join(" ");
}

test("a session's trace holds the calls of our own tools and of what is not there; only work is learned from", async () => {
  const call = async (name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args });
  await call("search_skills", { query: "halve a number" });
  await call("describe_skill", { nome: "halve" });
  await call("run_skill", { name: "halve", input: { x: 4 } });
  await call("run_skill", { name: "haIve" });
  await expect(call("no_such_tool", { secret: "x".repeat(50_000) })).rejects.toThrow("no_such_tool");
  expect(textOf(await call("halve", { x: "four" }))).toContain("INPUT_INVALID");
  await call("halve", { x: 3 });
  await call("halve", { x: 3 });
  await call("halve", { x: 5 });
  await call("submit_trace", { trace: "y".repeat(50_000) });
  const told = await events(11);
  expect(told.map(line)).toEqual([
    "tool_call server search_skills completed",
    "tool_call server describe_skill failed INPUT_INVALID",
    "tool_call server run_skill completed",
    "skill_call halve completed",
    "tool_call server run_skill failed SKILL_NOT_FOUND",
    "error no_such_tool failed TOOL_NOT_FOUND",
    "skill_call halve failed INPUT_INVALID",
    "skill_call halve failed SKILL_THREW",
    "skill_call retry halve failed SKILL_THREW",
    "skill_call halve failed SKILL_THREW",
    "tool_call server submit_trace failed INPUT_INVALID",
  ]);
  expect(told[0]).toMatchObject({
    inputs: { query: "halve a number" },
    outputs: { skills: [{ name: "halve" }] },
  });
  expect(JSON.stringify(told)).not.toContain("xxxx");
  expect(JSON.stringify(told)).not.toContain("yyyy");
});

test("mistakes of callers are told apart from failures of the skill", async () => {
  for (const x of [4, 3, 5, "four"]) await client.callTool({ name: "halve", arguments: { x } });
  await client.callTool({ name: "careless", arguments: {} });
  const trace = await events(5);
  expect(trace.slice(-2).map(line)).toEqual([
    "skill_call careless failed INPUT_INVALID",
    "skill_call halve failed INPUT_INVALID",
  ]);
  const usage = async (name: string) => {
    const { structuredContent } = await client.callTool({ name: "describe_skill", arguments: { name } });
    return (structuredContent as { usage: unknown }).usage;
  };
  expect(await usage("halve")).toMatchObject({
    calls: 5,
    invalid: 2,
    successRate: { rate: expect.closeTo(1 / 3, 2) },
  });
  // What it gave to another was not valid: its own failure.
  expect(await usage("careless")).toMatchObject({ calls: 1, invalid: 0, successRate: { rate: 0 } });
  const found = await client.callTool({ name: "search_skills", arguments: { query: "halve" } });
  expect(found.structuredContent).toMatchObject({ skills: [{ name: "halve", usage: { invalid: 2 } }] });
});

test("list_runs lists work, and the calls of our own tools where they are asked for", async () => {
  await client.callTool({ name: "search_skills", arguments: { query: "halve" } });
  await client.callTool({ name: "halve", arguments: { x: 4 } });
  await expect(client.callTool({ name: "no_such_tool", arguments: {} })).rejects.toThrow("no_such_tool");
  await events(3);
  const names = async (filter: object) => {
    const { structuredContent } = await client.callTool({ name: "list_runs", arguments: { ...filter } });
    return (structuredContent as { runs: { name: string }[] }).runs.map(({ name }) => name);
  };
  expect(new Set(await names({}))).toEqual(new Set(["halve", "no_such_tool"]));
  expect(await names({ source: "server", name: "search_skills" })).toContain("search_skills");
});
