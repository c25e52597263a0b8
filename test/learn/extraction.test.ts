import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadFolders } from "../../src/catalog/folders/load-folders.ts";
import { stripTypes } from "../../src/core/strip-types.ts";
import { ok, type Result } from "../../src/core/result.ts";
import { type Skill } from "../../src/core/skill.ts";
import type { Json } from "../../src/core/json/json.ts";
import type { Trace, TraceEvent } from "../../src/core/trace-event.ts";
import type { DerivedDraft } from "../../src/learn/verify/verification.ts";
import { Extraction } from "../../src/learn/extraction.ts";
import { draftText, draftView } from "../../src/learn/review/draft-view.ts";
import { importTraces } from "../../src/trace/import/import-traces.ts";
import { openStore } from "../../src/trace/store/open-store.ts";
import { compiler, runner } from "../shared-threads.ts";

const TRANSCRIPT = fileURLToPath(new URL("../../examples/transcript.json", import.meta.url));
const ORDERS_OF = `export interface Input { email: string }
export default async ({ email }: Input) => {
  const { customers } = await call_tool("shop.find_customer", { text: email });
  const { orders } = await call_tool("shop.list_orders", { customerId: customers[0].id });
  return { orders };
};
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "repertoire-extraction-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Skills in a folder of their own, and extraction over them. */
async function extractionOver(name: string, skills: Readonly<Record<string, string>>): Promise<Extraction> {
  const root = join(folder, name);
  const skillsFolder = join(root, "skills");
  for (const [skill, code] of Object.entries(skills)) {
    await mkdir(join(skillsFolder, skill), { recursive: true });
    await writeFile(
      join(skillsFolder, skill, "SKILL.md"),
      `---\nname: ${skill}\ndescription: Does it.\n---\n`,
    );
    await writeFile(join(skillsFolder, skill, "skill.ts"), code);
  }
  await mkdir(skillsFolder, { recursive: true });
  const inFolders = async (paths: readonly string[]): Promise<ReadonlyMap<string, Skill>> => {
    const compiled = await compiler.compile((await loadFolders(paths)).folders);
    return new Map(compiled.skills.map((skill) => [skill.name, skill]));
  };
  return new Extraction({
    data: join(root, "data"),
    skillsFolder,
    policy: { review: "always" },
    store: openStore(join(root, "traces.db")),
    runner,
    skills: async () => inFolders([skillsFolder]),
    tools: async () => Promise.resolve([]),
    derive: async (path): Promise<Result<DerivedDraft>> =>
      ok({ name: basename(path), skills: await inFolders([path, skillsFolder]), faults: [] }),
    stripTypes,
  });
}

async function transcript(): Promise<Trace> {
  return traceIn(await readFile(TRANSCRIPT));
}

async function traceIn(file: Buffer): Promise<Trace> {
  for await (const item of importTraces([file])) if (item.kind === "trace") return item.trace;
  throw new Error("the transcript holds no trace");
}

test("what a skill does already becomes a call of that skill", async () => {
  const extraction = await extractionOver("composed", { "orders-of": ORDERS_OF });
  const extracted = await extraction.extract([await transcript()], { by: "ada", name: "move-order" });
  if (!extracted.ok || extracted.value.kind !== "draft") throw new Error(JSON.stringify(extracted));
  const { draft } = extracted.value;
  expect(draft.code).toContain('await call_skill("orders-of", ');
  expect(draft.code).not.toContain("shop.find_customer");
  expect(draft.provenance.parents).toContainEqual({ kind: "skill", id: "orders-of", how: "composed" });
  expect(draftText(draftView(draft))).toContain("calls the skill orders-of");
  expect(draft.evidence?.rungs.map(({ name, passed, of }) => [name, passed, of])).toEqual([
    ["types", 1, 1],
    ["own", 1, 1],
    ["twin", 3, 3],
    ["faults", 10, 10],
  ]);
});

test("where a skill does all of it, there is nothing to make", async () => {
  const extraction = await extractionOver("reused", {});
  const trace = await transcript();
  const first = await extraction.extract([trace], { by: "ada", name: "move-order" });
  if (!first.ok || first.value.kind !== "draft") throw new Error(JSON.stringify(first));
  const { digest } = first.value.draft;
  await extraction.review("move-order", { verdict: "approve", by: "ada", digest });
  expect(await extraction.promotions.promote("move-order", { by: "ada" })).toMatchObject({ ok: true });
  expect(await extraction.extract([trace], { by: "ada" })).toMatchObject({
    ok: true,
    value: { kind: "reuse", skill: "move-order" },
  });
});

test.each(["move-order", "Move-0rder"])(
  "a draft does not take the name of a skill %s that another folder has",
  async (name) => {
    const extraction = await extractionOver(`named-${name}`, {});
    const trace = await transcript();
    const made = await extraction.extract([trace], { by: "ada", name: "move-order" });
    if (!made.ok || made.value.kind !== "draft") throw new Error(JSON.stringify(made));
    const { digest } = made.value.draft;
    await extraction.review("move-order", { verdict: "approve", by: "ada", digest });
    const owner = join(folder, `named-${name}`, "skills/elsewhere");
    await mkdir(owner);
    await writeFile(join(owner, "SKILL.md"), `---\nname: ${name}\ndescription: Does it.\n---\n`);
    const promoted = await extraction.promotions.promote("move-order", { by: "ada" });
    expect(promoted).toMatchObject({
      ok: false,
      error: { code: "ALREADY_EXISTS", message: expect.stringContaining(owner) },
    });
    const another = await extraction.extract([trace], { by: "ada", name: "move-order", anew: true });
    expect(another).toMatchObject({ ok: true, value: { kind: "draft", draft: { name: "move-order-2" } } });
  },
);

test("what was asked for is told where a run does not tell it, and chooses what is meant", async () => {
  const orders = [
    ["W-1001", "pending"],
    ["W-1002", "shipped"],
    ["W-1003", "pending"],
    ["W-1004", "delivered"],
  ].map(([id = "", status = ""]) => ({ id, status }));
  const cancel = (order_id: string) => ({ tool: "shop.cancel", args: { order_id }, result: { ok: true } });
  const calls = [
    { tool: "shop.list_orders", args: { user: "ada" }, result: { orders } },
    cancel("W-1001"),
    cancel("W-1003"),
  ];
  const run = await traceIn(Buffer.from(JSON.stringify({ id: "run", calls })));
  const learned = async (name: string, task?: string): Promise<string> => {
    const extraction = await extractionOver(name, {});
    const made = await extraction.extract([run], { by: "ada", anew: true, task });
    return made.ok && made.value.kind === "draft" ? made.value.draft.code : JSON.stringify(made);
  };
  const inputOf = (code: string): string => /interface Input \{[^}]*\}/.exec(code)?.[0] ?? code;
  expect(inputOf(await learned("untold"))).toContain("order_ids");
  expect(inputOf(await learned("told", "Cancel all pending orders of ada."))).toContain("status");
});

test("a run of which events are lost is learned from where that is asked", async () => {
  const extraction = await extractionOver("incomplete", {});
  const trace = { ...(await transcript()), lost: 1 };
  expect(await extraction.extract([trace], { by: "ada" })).toMatchObject({
    ok: false,
    error: { code: "TRACE_INCOMPLETE", message: expect.stringContaining("incomplete") },
  });
  expect(await extraction.extract([trace], { by: "ada", incomplete: true })).toMatchObject({ ok: true });
});

test("who extracts may say beforehand what only reads: runs that read otherwise are then still the same work", async () => {
  const extraction = await extractionOver("reads", {});
  const run = (id: string, looks: number): object => ({
    id,
    calls: [
      ...Array.from({ length: looks }, (_, nth) => ({ tool: "desk.peek", args: { nth }, result: { nth } })),
      ...(looks === 0 ? [{ tool: "desk.glance", args: {}, result: {} }] : []),
      { tool: "desk.close", args: { ticket: `K-${id}-1` }, result: { done: true } },
    ],
  });
  const traces: Trace[] = [];
  const lines = [run("a", 0), run("b", 2)].map((each) => JSON.stringify(each)).join("\n");
  for await (const item of importTraces([Buffer.from(lines)]))
    if (item.kind === "trace") traces.push(item.trace);
  const extracted = async (reads: readonly string[]) => {
    const made = await extraction.extract(traces, { by: "ada", anew: true, reads });
    if (!made.ok || made.value.kind !== "draft") throw new Error(JSON.stringify(made));
    return draftView(made.value.draft);
  };
  const unknown = await extracted([]);
  expect(unknown.runs.map(({ wentAnotherWay }) => wentAnotherWay)).toEqual([false, true]);
  expect(unknown.attention.map(({ kind }) => kind)).toContain("another-way");
  const told = await extracted(["*.peek", "*.glance"]);
  expect(told.runs.map(({ wentAnotherWay }) => wentAnotherWay)).toEqual([false, false]);
  expect(told.effects).toEqual([
    { tool: "desk.glance", operation: "READ", by: "reviewer" },
    { tool: "desk.peek", operation: "READ", by: "reviewer" },
  ]);
});

test("a run that was judged to have failed its task is learned from where that is asked, and its draft says so", async () => {
  const extraction = await extractionOver("judged", {});
  const messages = JSON.parse(await readFile(TRANSCRIPT, "utf8")) as readonly object[];
  const judged = async (reward: number): Promise<Trace> => {
    for await (const item of importTraces([Buffer.from(JSON.stringify({ messages, reward }))]))
      if (item.kind === "trace") return item.trace;
    throw new Error("the transcript holds no trace");
  };
  const failed = await judged(0);
  expect(await extraction.extract([failed], { by: "ada" })).toMatchObject({
    ok: false,
    error: {
      code: "TRACE_UNSUCCESSFUL",
      details: { reason: "failed-task" },
      message: expect.stringContaining("reward 0"),
    },
  });
  const asked = await extraction.extract([failed], { by: "ada", failed: true });
  if (!asked.ok || asked.value.kind !== "draft") throw new Error(JSON.stringify(asked));
  const view = draftView(asked.value.draft);
  expect(view.runs).toMatchObject([{ outcome: "failed", by: "reward 0" }]);
  expect(view.attention).toContainEqual({ kind: "failed-task", text: expect.stringContaining("reward 0") });
  expect(draftText(view)).toContain("failed (reward 0)");
  const good = await extraction.extract([await judged(1)], { by: "ada", anew: true });
  if (!good.ok || good.value.kind !== "draft") throw new Error(JSON.stringify(good));
  expect(draftView(good.value.draft).runs).toMatchObject([{ outcome: "succeeded" }]);
  const criteria = ["success", "writes"] as const;
  const best = await extraction.extract([failed, await judged(1)], { by: "ada", best: criteria, anew: true });
  expect(best).toMatchObject({
    ok: true,
    value: {
      draft: {
        provenance: {
          comparison: {
            criteria,
            branches: [{ success: false }, { success: true, writes: expect.any(Number) }],
          },
          sources: [{ source: "import", startedAt: expect.stringMatching(/^\d{4}-/) }],
          estimates: { runs: 1, calls: { n: 1 } },
        },
      },
    },
  });
  const { confidence } = view;
  expect(confidence).toMatchObject({ runs: { passed: 1, of: 1 }, questions: view.questions.length });
  expect(confidence?.value).toBeLessThan(0.21);
  expect(draftText(view)).toContain(`${confidence?.value}: 1 of 1 runs with different inputs`);
});

test("nothing is learned from a run that failed", async () => {
  const extraction = await extractionOver("failed", {});
  const trace = await transcript();
  const events = trace.events.map((event) =>
    event.agentName === "shop.update_order_address"
      ? Object.assign({}, event, { status: "failed" as const })
      : event,
  );
  expect(await extraction.extract([{ ...trace, events }], { by: "ada" })).toMatchObject({
    ok: false,
    error: { code: "TRACE_UNSUCCESSFUL" },
  });
  const best = await extraction.extract([{ ...trace, events }, trace], { by: "ada", best: true });
  expect(best).toMatchObject({ ok: true, value: { kind: "draft" } });
});

describe("of runs that also read what nothing needs", () => {
  const run = (id: string, between: readonly string[]): Trace => {
    const event = (nth: number, agentName: string, inputs: Json, outputs: Json): TraceEvent => ({
      id: `${id}-${nth}`,
      runId: id,
      executionOrder: nth,
      timestamp: nth,
      eventType: "tool_call",
      agentName,
      inputs,
      outputs,
      status: "completed",
    });
    const calls: readonly (readonly [string, Json, Json])[] = [
      ["post.parcel", { code: `P-${id}` }, { code: `P-${id}`, depot: `D-${id}9` }],
      ...between.map((tool) => [tool, { page: 1 }, { entries: ["x"] }] as const),
      ["post.hold", { depot: `D-${id}9` }, { held: true }],
    ];
    return {
      runId: id,
      source: "run",
      startedAt: 0,
      files: [],
      task: `Hold parcel P-${id}`,
      events: calls.map(([tool, inputs, outputs], nth) => event(nth, tool, inputs, outputs)),
    };
  };
  const reads = ["post.parcel", "post.news", "post.rates"];

  test("the skill does not read it; runs that read other things hold for it, and are its work", async () => {
    const extraction = await extractionOver("idle", {});
    const runs = [run("1001", ["post.news"]), run("2002", ["post.news", "post.news"])];
    const made = await extraction.extract(runs, { by: "test", name: "hold", reads, holdOut: 1 });
    if (!made.ok || made.value.kind !== "draft") throw new Error("no draft");
    const { draft } = made.value;
    expect(draft.plan.steps.map((step) => step.kind === "call" && step.tool)).toEqual([
      "post.parcel",
      "post.hold",
    ]);
    expect(draft.evidence?.rungs.map(({ name, passed, of }) => [name, passed, of])).toContainEqual([
      "heldOut",
      1,
      1,
    ]);
    const view = draftView(draft);
    expect(view.dropped.map(({ tool }) => tool)).toEqual(["post.news"]);
    expect(draftText(view)).toContain("call 1, post.news: it only reads, and nothing needs its answer");
    const reviewed = await extraction.review("hold", { verdict: "approve", by: "ada", digest: draft.digest });
    expect(reviewed.ok).toBe(true);
    const promoted = await extraction.promotions.promote("hold", { by: "ada" });
    expect(promoted.ok).toBe(true);
    const again = await extraction.extract([run("3003", ["post.rates"])], { by: "test", reads });
    expect(again).toMatchObject({
      ok: true,
      value: { kind: "reuse", skill: "hold", inputs: [{ code: "P-3003" }] },
    });
  });
});
