import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { App } from "../../src/rooms.ts";
import type { ApprovalRequest, EngineAdapter } from "../../src/export/engine-adapter.ts";
import { runOnDurable } from "../../src/export/execution/durable-execution.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import { command } from "../cli/in-process.ts";
import { ROOT, Workplace } from "../server/connected-client.ts";
import { CANCEL, MOVE } from "./plans.ts";

let workplace: Workplace;
let app: App;
let langgraph: EngineAdapter;
beforeAll(async () => {
  const args = ["--disable-warning=ExperimentalWarning", join(ROOT, "examples/shop-server.ts")];
  workplace = await Workplace.create(
    {
      double:
        "export default function run({ n }: { n: number }): { twice: number } {\n  return { twice: 2 * n };\n}",
    },
    {
      data: "own",

      mcpServers: { shop: { command: process.execPath, args } },
    },
  );
  for (const plan of [MOVE, CANCEL]) {
    await workplace.write(plan.name, skillCode(plan), plan.description);
    writeFileSync(join(workplace.skills, plan.name, "provenance.json"), JSON.stringify({ plan }));
  }
  const config = await readConfig({ cwd: workplace.folder });
  if (!config.ok) throw new Error(config.error.message);
  app = openApp(config.value);
  const found = app.engines.get("langgraph");
  if (!found) throw new Error("There is no such engine");
  langgraph = found;
});
afterAll(async () => {
  await app.close();
  await workplace[Symbol.asyncDispose]();
});

afterEach(() => void vi.unstubAllEnvs());

const shipTo = { street: "Rue Neuve 2", city: "Annecy", postcode: "74000", country: "FR" };
const GIVEN = { email: "chloe@example.org", status: "pending", shipTo };

/** A program in the place of Python: it is given the program, the file for the outcome, and a folder. */
function interpreter(name: string, text: string): string {
  const file = join(workplace.folder, name);
  writeFileSync(file, `#!${text}`);
  chmodSync(file, 0o755);
  return file;
}

/** Makes the calls of a run as an export does, over MCP. */
const CALLER = `${process.execPath}
const [, , , outcome] = process.argv;
const fs = require("node:fs");
let session;
async function post(message) {
  const response = await fetch(process.env.REPERTOIRE_URL, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session ? { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  session ??= response.headers.get("mcp-session-id");
  const text = await response.text();
  const data = text.split("\\n").find((line) => line.startsWith("data: {"));
  return data ? JSON.parse(data.slice(6)).result : undefined;
}
(async () => {
  await post({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "caller", version: "1" } } });
  await post({ method: "notifications/initialized" });
  const call = (id, name, given) => post({ id, method: "tools/call", params: { name, arguments: given, _meta: { "repertoire/idempotencyKey": "key " + id } } });
  const found = await call(2, "shop__find_customer", { text: "chloe@example.org" });
  const written = await call(3, "shop__update_order_address", { id: "O-1004", shipTo: ${JSON.stringify(shipTo)} });
  const other = await call(4, "shop__cancel_order", { id: "O-1004" });
  const failed = [found, written, other].find((each) => each.isError);
  const [code] = failed.content[0].text.split(":");
  fs.writeFileSync(outcome, JSON.stringify({ error: { code, message: failed.content[0].text.slice(code.length + 2).split("\\n")[0] } }));
})();
`;

test("the calls that an engine makes are calls of the run, and of no other tools than the skill's", async () => {
  const python = interpreter("caller", CALLER);
  const run = await langgraph.execute(MOVE.name, GIVEN, { python });
  expect(run.root).toMatchObject({
    kind: "skill",
    name: MOVE.name,
    input: GIVEN,
    outcome: { ok: false, error: { code: "TOOL_NOT_FOUND" } },
    calls: [
      { kind: "tool", callPath: "0.0", name: "shop.find_customer", isRead: true, outcome: { ok: true } },
      { kind: "tool", callPath: "0.1", name: "shop.update_order_address", outcome: { ok: true } },
    ],
  });
  // It is there soon after it is answered.
  await expect
    .poll(async () => app.traces.trace(run.id), { timeout: 60_000 })
    .toMatchObject({ ok: true, value: { client: "langgraph", events: { length: 3 } } });
});

test("an engine has what finds its programs of the environment, and no credential", async () => {
  const told = join(workplace.folder, "environment.json");
  vi.stubEnv("SOME_API_KEY", "a credential");
  const text = `${process.execPath}\nrequire("node:fs").writeFileSync(${JSON.stringify(told)}, JSON.stringify(process.env));\n`;
  await langgraph.execute(MOVE.name, GIVEN, { python: interpreter("teller", text) });
  const env = JSON.parse(readFileSync(told, "utf8")) as Readonly<Record<string, string>>;
  expect(env).toMatchObject({
    PATH: process.env["PATH"],
    REPERTOIRE_URL: expect.stringContaining("127.0.0.1"),
  });
  expect(Object.keys(env)).not.toContain("SOME_API_KEY");
});

test("what a person does not agree to is not called", async () => {
  const python = interpreter("asker", CALLER);
  const asked: string[] = [];
  const run = await langgraph.execute(MOVE.name, GIVEN, {
    python,
    approve: async ({ name, callPath }) => {
      asked.push(`${callPath} ${name}`);
      return false;
    },
  });
  expect(asked).toEqual(["0.1 shop.update_order_address"]);
  expect(run.root.outcome).toMatchObject({ ok: false, error: { code: "RUN_UNAPPROVED", skill: MOVE.name } });
  expect(run.root.calls[1]).toMatchObject({ outcome: { ok: false, error: { code: "RUN_UNAPPROVED" } } });
});

test.each([
  ["is cancelled", "CANCELLED", {}],
  ["takes too long", "SKILL_TIMED_OUT", { timeoutMs: 1000 }],
] as const)("a run that %s ends with all its processes", async (name, code, options) => {
  const pids = join(workplace.folder, `${code}.pids`);
  const text = `/bin/sh\nsleep 300 &\necho $$ $! > ${pids}.made\nmv ${pids}.made ${pids}\ntrap '' TERM\nwait\nsleep 300\n`;
  const cancel = new AbortController();
  const running = langgraph.execute(MOVE.name, GIVEN, {
    python: interpreter(`waits-${name}`.replaceAll(" ", "-"), text),
    signal: cancel.signal,
    ...options,
  });
  while (!existsSync(pids)) await pause(20);
  if (code === "CANCELLED") cancel.abort();
  expect((await running).root.outcome).toMatchObject({ ok: false, error: { code } });
  const started = readFileSync(pids, "utf8").trim().split(" ").map(Number);
  expect(started).toHaveLength(2);
  while (started.some(isAlive)) await pause(20);
});

test.each(["SIGTERM", "SIGHUP"] as const)("a command that gets a %s ends the engine, too", async (stop) => {
  const pids = join(workplace.folder, `${stop}.pids`);
  const text = `/bin/sh\necho $$ $PWD > ${pids}.made\nmv ${pids}.made ${pids}\nexec sleep 300\n`;
  const python = interpreter(`waits-${stop}`, text);
  const args = ["run", "double", "--input", '{"n": 1}', "--on", "langgraph", "--python", python];
  const command = spawn(process.execPath, [join(ROOT, "bin/repertoire.js"), ...args], {
    cwd: workplace.folder,
    stdio: "ignore",
  });
  const ended = once(command, "exit");
  while (!existsSync(pids)) await pause(20);
  command.kill(stop);
  expect(await ended).toEqual([1, null]);
  const [pid, folder = ""] = readFileSync(pids, "utf8").trim().split(" ");
  while (isAlive(Number(pid))) await pause(20);
  expect(existsSync(folder)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.each([
  [
    "there is no Python",
    MOVE.name,
    GIVEN,
    { python: "/none/python" },
    "ENGINE_UNAVAILABLE",
    "does not start",
  ],
  ["a skill is not there", "triple", {}, {}, "SKILL_NOT_FOUND", "triple"],
  ["the input does not fit", MOVE.name, { email: 7 }, {}, "INPUT_INVALID", "email must be string"],
])("where %s, nothing is called: %s", async (_, name, input, options, code, message) => {
  const run = await langgraph.execute(name, input, options);
  expect(run.root).toMatchObject({ calls: [], outcome: { ok: false, error: { code } } });
  expect(JSON.stringify(run.root.outcome)).toContain(message);
});

test("a draft is written for engines, and runs on none before somebody has promoted it", async () => {
  const transcript = join(ROOT, "examples/transcript.json");
  const extracted = await command(workplace.folder, "extract", transcript, "--name", "move-order", "--anew");
  expect(extracted).toMatchObject({ code: 0 });
  expect(await langgraph.canExecute("move-order")).toEqual({ ok: true, value: null });
  for (const engine of ["langgraph", "temporal"]) {
    const run = await app.engines.get(engine)?.execute("move-order", GIVEN, { isApproved: true });
    expect(run?.root).toMatchObject({ calls: [], outcome: { error: { code: "SKILL_NOT_FOUND" } } });
    expect(JSON.stringify(run?.root.outcome)).toMatch(/is a draft, .* promote/);
  }
});

test("a relative path of Python is the caller's", async () => {
  const path = join("test", "no", "python");
  const run = await langgraph.execute(MOVE.name, GIVEN, { python: path });
  expect(JSON.stringify(run.root.outcome)).toContain(JSON.stringify(resolve(path)).slice(1, -1));
});

test("an engine that is not installed is told with what installs it", async ({ skip }) => {
  const run = await langgraph.execute(MOVE.name, GIVEN, { python: "python3" });
  const { outcome } = run.root;
  if (outcome.ok || outcome.error.message.includes("does not start"))
    return skip("there is no python3 without LangGraph");
  expect(outcome.error).toMatchObject({ code: "ENGINE_UNAVAILABLE" });
  expect(outcome.error.message).toContain(".venv/bin/python -m pip install");
  expect(outcome.error.message).toContain("langgraph==");
});

test.each([
  [true, { ok: true }],
  [false, { ok: false, error: { code: "RUN_UNAPPROVED" } }],
])("calls of a run that is kept elsewhere are settled as the caller says: %s", async (isAgreed, outcome) => {
  const asked: ApprovalRequest[] = [];
  const skill = {
    name: MOVE.name,
    input: {},
    output: {},
    cases: [],
    work: { kind: "call", mayWrite: true },
  } as const;
  const about = {
    id: `kept ${isAgreed}`,
    skill,
    digest: "",
    input: GIVEN,
    signal: new AbortController().signal,
  };
  const run = await runOnDurable(app.durable, about, {
    timeoutMs: 60_000,
    approve: async (call) => {
      asked.push(call);
      return isAgreed;
    },
  });
  expect(run.root.outcome).toMatchObject(outcome);
  const input = { id: "O-1004", shipTo };
  expect(asked).toEqual([{ name: "shop.update_order_address", callPath: expect.any(String), input }]);
});
