import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { WorkflowFailedError } from "@temporalio/client";
import { describe, expect, onTestFinished } from "vitest";
import { VIEW, type View } from "../src/protocol.ts";
import { ended, hasServer } from "./temporal-server.ts";
import { testOnServer } from "./test-on-server.ts";
import { Workplace } from "./workplace.ts";

// So that a run of a few dozen calls has a history that Temporal takes for long.
const test = testOnServer(["--dynamic-config-value", "limit.historyCount.suggestContinueAsNew=60"]);
const texts = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `text ${at}`);

describe.runIf(hasServer)("runs on a real server", () => {
  test("a skill that writes gives what it gives directly, and its run is started once however often", async ({
    place,
  }) => {
    const directly = place.command("run", "put-all", "--input", '{"texts": ["a", "b"]}', "--json");
    const run = JSON.parse((await directly).stdout) as { id: string; root: { calls: unknown[] } };
    expect(run).toMatchObject({ root: { outcome: { ok: true, output: { put: 2 } } } });
    expect(run.root.calls).toHaveLength(4);
    const given = { texts: ["once"] };
    await place.start("put-all", given, "twice");
    await place.client.workflow.result("twice");
    await expect(place.start("put-all", given, "twice")).rejects.toThrow(/already/i);
    expect(place.of("applied").filter(({ text }) => text === "once")).toHaveLength(1);
  });

  test("what only calculates is done where it is called", async ({ place }) => {
    const { stdout } = await place.command("run", "square", "--input", '{"n": 7}', "--json");
    const { id } = JSON.parse(stdout) as { id: string };
    expect(JSON.parse(stdout)).toMatchObject({ root: { outcome: { output: 49 } } });
    await expect(place.client.workflow.getHandle(id).describe()).rejects.toThrow(/not found/i);
  });

  test("a run is found by its skill, and tells its digest", async ({ place }) => {
    await place.start("put-all", { texts: [] }, "found");
    await place.client.workflow.result("found");
    const { stdout } = await place.command("runs", "ls", "--json");
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ runId: "twice", state: "completed" }),
    );
    const { stdout: made } = await place.command("run", "put-all", "--input", '{"texts": []}', "--json");
    const { id } = JSON.parse(made) as { id: string };
    const { memo } = await place.client.workflow.getHandle(id).describe();
    expect(memo).toEqual({ skill: "put-all", digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test("a person approves what writes: the run waits, shows the call, and makes it once", async ({
    place,
  }) => {
    const asked = await place.command("run", "pay-asked", "--input", '{"text": "rent"}', "--json");
    const { id, root } = JSON.parse(asked.stdout) as { id: string; root: unknown };
    expect(root).toMatchObject({ outcome: { error: { code: "RUN_WAITING" } } });
    expect(place.of("applied").filter(({ tool }) => tool === "pay")).toEqual([]);
    const { stdout: waiting } = await place.command("runs", "ls", "--state", "waiting", "--json");
    expect(JSON.parse(waiting)).toEqual([expect.objectContaining({ runId: id, skill: "pay-asked" })]);
    const { stdout: shown } = await place.command("runs", "show", id.slice(0, 8), "--json");
    expect(JSON.parse(shown)).toMatchObject({
      calls: [{ callPath: "0.0", tool: "ledger.pay", input: '{"text":"rent"}', state: "unapproved" }],
    });
    const approved = await place.command("runs", "approve", id, "--call", "0.0", "--json");
    expect(JSON.parse(approved.stdout)).toMatchObject({
      id,
      root: { outcome: { output: { text: "rent" } } },
    });
    expect(place.of("applied").filter(({ tool }) => tool === "pay")).toHaveLength(1);
    const again = await place.command("runs", "approve", id, "--call", "0.0");
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("RUN_STATE") });
  });

  test("of two signals the first counts; one that is no decision changes nothing", async ({ place }) => {
    await place.start("pay-once", { text: "refused" }, "refused", { confirms: true });
    const handle = place.client.workflow.getHandle("refused");
    const isWaiting = async () =>
      (await handle.query<View>(VIEW)).calls.some(({ state }) => state === "unapproved");
    while (!(await isWaiting())) await wait(100);
    for (const nothing of [null, { callPath: "0.9", state: "approved" }, { callPath: "0.0", state: "begun" }])
      await handle.signal("decide", nothing);
    const result = { ok: true, value: { done: true, text: "said" } };
    await handle.signal("decide", { callPath: "0.0", state: "answered", result, by: "ada" });
    await handle.signal("decide", { callPath: "0.0", state: "approved", by: "eve" });
    expect(await handle.result()).toEqual({ text: "said" });
    expect(place.of("applied").some(({ text }) => text === "refused")).toBe(false);
  });

  test("failures have the codes that they have directly", async ({ place }) => {
    const codes: string[] = [];
    for (const [id, skill, input] of [
      ["bad-input", "put-all", { texts: 7 }],
      ["no-skill", "nobody", {}],
    ] as const) {
      await place.start(skill, input, id);
      const error: unknown = await place.client.workflow.result(id).catch((fault: unknown) => fault);
      if (error instanceof WorkflowFailedError) codes.push((error.cause as unknown as { type: string }).type);
    }
    const bad = await place.command("run", "put-all", "--input", '{"texts": 7}', "--json");
    expect(JSON.parse(bad.stdout)).toMatchObject({ root: { outcome: { error: { code: codes[0] } } } });
    expect(codes).toEqual(["INPUT_INVALID", "SKILL_NOT_FOUND"]);
  });

  test("a run of many calls goes on in new histories, one after another and side by side", async ({
    place,
  }) => {
    await place.start("put-all", { texts: texts(30) }, "long");
    await place.start("put-together", { texts: texts(60), width: 12 }, "wide");
    expect(await place.client.workflow.result("long")).toMatchObject({ put: 30 });
    expect(await place.client.workflow.result("wide")).toEqual({ put: 60 });
    for (const [id, count] of [
      ["long", 30],
      ["wide", 60],
    ] as const) {
      const keys = place.of("applied").filter(({ key = "" }) => key.startsWith(`${id}/`));
      expect(new Set(keys.map(({ key }) => key)).size).toBe(count);
      expect(keys).toHaveLength(count);
      const history = await place.client.workflow.getHandle(id).fetchHistory();
      const begun = history.events?.[0]?.workflowExecutionStartedEventAttributes;
      expect(begun?.continuedExecutionRunId).toMatch(/\w/);
    }
    expect(place.of("recognised")).toEqual([]);
  });

  test("waiting is a timer of the server, and outlives the worker", async ({ server }) => {
    const own = await Workplace.open(server.address);
    onTestFinished(async () => own.close());
    const first = await own.worker();
    await own.start("wait-and-put", { ms: 3000 }, "waiting");
    const handle = own.client.workflow.getHandle("waiting");
    const isTimed = async () =>
      (await handle.fetchHistory()).events?.some(({ timerStartedEventAttributes: timer }) => timer) === true;
    while (!(await isTimed())) await wait(100);
    await ended(first, "SIGTERM");
    await own.worker();
    expect(await handle.result()).toEqual({ waited: true });
    expect(own.of("applied")).toHaveLength(1);
  });

  test("a run ends with the skill that it began with: another is held back until it is there again", async ({
    server,
  }) => {
    const own = await Workplace.open(server.address);
    onTestFinished(async () => own.close());
    const file = join(own.folder, "skills/pay-once/skill.ts");
    const first = await own.worker();
    await own.start("pay-once", { text: "held" }, "held", { confirms: true });
    const handle = own.client.workflow.getHandle("held");
    const view = async (): Promise<View> => handle.query<View>(VIEW);
    while ((await view()).calls.length === 0) await wait(100);
    await ended(first, "SIGTERM");
    const before = `export default async ({ text }: { text: string }) => (await call_tool("ledger.pay", { text }), "new");`;
    await writeFile(file, before);
    const second = await own.worker();
    await handle.signal("decide", { callPath: "0.0", state: "approved", by: "ada" });
    while ((await view()).held === undefined) await wait(100);
    expect((await view()).held).toContain("RUN_CHANGED");
    await ended(second, "SIGTERM");
    await own.restore("pay-once");
    await own.worker();
    expect(await handle.result()).toEqual({ text: "held" });
    expect(own.of("applied")).toHaveLength(1);
  });

  test("a cancelled run cancels what is out, which has been done or not, and nothing more is called", async ({
    server,
  }) => {
    const own = await Workplace.open(server.address, { answerMs: 30_000 });
    onTestFinished(async () => own.close());
    await own.worker();
    await own.start("put-all", { texts: texts(5) }, "cancelled");
    await own.applied(1);
    const { stdout } = await own.command("runs", "cancel", "cancelled", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ runId: "cancelled", state: "cancelled" });
    await expect(own.client.workflow.result("cancelled")).rejects.toThrow(/cancel/i);
    expect(own.of("applied")).toHaveLength(1);
  });
});
