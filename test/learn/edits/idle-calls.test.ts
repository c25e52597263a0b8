import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import { idleCalls, draftPlan } from "../../../src/learn/edits/idle-calls.ts";
import { draftInput } from "../../../src/learn/edits/recorded-run.ts";
import { mayWriteBy, type ToolEffect } from "../../../src/learn/plan/tool-effects.ts";
import { namedSteps } from "../../../src/learn/plan/steps.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import { learned, type Told, traceOf } from "../learned.ts";
import { revisedPlan } from "../../../src/learn/edits/revised-plan.ts";
import { RealDrafts } from "./real-drafts.ts";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { replayer, runner } from "../../shared-threads.ts";

let real: RealDrafts;
beforeAll(() => {
  real = new RealDrafts();
});
afterAll(async () => {
  await real.close();
});

function reads(...tools: readonly string[]): readonly ToolEffect[] {
  return tools.map((tool) => ({ tool, operation: "READ", by: "server" }));
}

const TASK = "The key of tenant T-4711 must go";
const LOOKED: readonly Told[] = [
  ["vault.list_kinds", {}, { kinds: ["key", "secret"] }],
  ["vault.tenant", { tenant: "T-4711" }, { tenant: "T-4711", mail: "a@b.example", key: "K-90210" }],
  ["vault.audit", { tenant: "T-4711", page: 1 }, { entries: ["E-1", "E-2"] }],
  ["vault.revoke", { key: "K-90210" }, { key: "K-90210", state: "revoked" }],
];

/** The calls that the draft of a run makes, after it has made exactly these against the record. */
async function callsOf(trace: RecordedTrace, effects: readonly ToolEffect[]): Promise<readonly number[]> {
  const { plan, sources } = draftPlan(learned([trace], { effects }).plan, [{ trace }]);
  const [source = { trace }] = sources;
  const made = source.calls ?? [...trace.calls.keys()];
  const rest = { ...trace, calls: made.flatMap((call) => trace.calls[call] ?? []) };
  const { fault } = await replayer.replay(skillCode(plan), draftInput(plan, source, trace), rest);
  expect(fault).toBeUndefined();
  expect(plan.questions?.map(({ step }) => step) ?? []).toSatisfy((steps: readonly string[]) =>
    steps.every((step) => namedSteps(plan.steps).some(({ name }) => name === step)),
  );
  return made;
}

test("what only reads and nothing uses is left out, with the inputs that it alone asked for", async () => {
  const trace = traceOf(TASK, LOOKED);
  const effects = reads("vault.list_kinds", "vault.tenant", "vault.audit");
  expect(await callsOf(trace, effects)).toEqual([1, 3]);
  const { plan } = draftPlan(learned([trace], { effects }).plan, [{ trace }]);
  expect(plan.params.map(({ name }) => name)).toEqual(["tenant"]);
  expect(idleCalls(trace, effects)).toEqual([0, 2]);
});

test.each<readonly [string, readonly ToolEffect[], readonly number[]]>([
  ["nobody vouches for", [], [0, 1, 2, 3]],
  ["only some are vouched for", reads("vault.audit"), [0, 1, 3]],
])("where %s, the others stay", async (_, effects, made) => {
  expect(await callsOf(traceOf(TASK, LOOKED), effects)).toEqual(made);
});

const LEDGER = reads("ledger.get", "ledger.peek");

describe("a read that is made again", () => {
  const get: Told = ["ledger.get", { account: "A-100", page: 1 }, { next: "B-2001", last: "B-3001" }];
  const close = (id: string): Told => ["ledger.close", { entry: id }, { done: true }];

  test("with nothing between that may write is the first one", async () => {
    const trace = traceOf("Close what is due in A-100", [get, get, close("B-2001")]);
    expect(await callsOf(trace, LEDGER)).toEqual([0, 2]);
  });

  test.each<readonly [string, readonly Told[], readonly ToolEffect[]]>([
    ["after a call that may write", [get, close("B-2001"), get, close("B-3001")], LEDGER],
    ["by a tool that may write", [get, get, close("B-2001")], []],
    [
      "and gives something else, which is used,",
      [
        ["ledger.get", { account: "A-100" }, { next: "B-2001" }],
        ["ledger.get", { account: "A-100" }, { next: "B-3001" }],
        close("B-2001"),
        close("B-3001"),
      ],
      LEDGER,
    ],
  ])("%s is made again", async (_, calls, effects) => {
    const trace = traceOf("Close what is due in A-100", calls);
    expect(await callsOf(trace, effects)).toEqual([...calls.keys()]);
  });
});

describe("a read of which the task speaks as a check", () => {
  const bank: WorldTools = {
    "bank.get_account": ({ account }) => ({
      account: account ?? null,
      status: account === "AC-1" ? "active" : "frozen",
      locked: account === "AC-3",
    }),
    "bank.rate_risk": ({ account }) => ({ account: account ?? null, level: 3 }),
    "bank.refund": () => ({ done: true }),
  };
  const effects = reads("bank.get_account", "bank.rate_risk");
  const planOf = (task: string, check: string): Plan => {
    const trace = recordedIn(bank, task, (call) => {
      call(check, { account: "AC-1" });
      call("bank.refund", { account: "AC-1", sum: 40 });
    });
    return draftPlan(learned([trace], { effects }).plan, [{ trace }]).plan;
  };
  const inputFor = ({ params }: Plan, account: string) =>
    Object.fromEntries(params.map(({ name, example }) => [name, typeof example === "string" ? account : 40]));

  test.each([
    "Verify that the account AC-1 is active before refunding 40",
    "Wenn das Konto AC-1 active ist, erstatte 40",
    "Refund 40 to AC-1, unless it is locked.",
    "Refund 40 to AC-1, an active account",
  ])("must tell the same again: %s", async (task) => {
    const plan = planOf(task, "bank.get_account");
    const there = async (account: string) =>
      (await callsIn(runner, plan, bank, inputFor(plan, account))).slice(1);
    expect(await there("AC-1")).toEqual(['bank.refund {"account":"AC-1","sum":40}']);
    expect(await there("AC-3")).toEqual([expect.stringContaining("stops:")]);
  });

  test("is made again, where its answer is nothing that the task says", () => {
    const plan = planOf("Check the risk of AC-1, then refund 40", "bank.rate_risk");
    expect(namedSteps(plan.steps)).toHaveLength(2);
  });

  test("is no check of what the caller gives, whose words the answer has by chance", async () => {
    const ward: WorldTools = {
      "shop.get_order": ({ id }) => ({
        id: id ?? null,
        state: "open",
        city: id === "O-1" ? "Lund" : "Ghent",
      }),
      "shop.send": () => ({ done: true }),
    };
    const trace = recordedIn(ward, "If order O-1 is open, it should go to Oak Road 1 in Lund", (call) => {
      call("shop.get_order", { id: "O-1" });
      call("shop.send", { id: "O-1", to: { street: "Oak Road 1", city: "Lund" } });
    });
    const { plan } = draftPlan(learned([trace], { effects: reads("shop.get_order") }).plan, [{ trace }]);
    const guards = plan.steps.filter(({ kind }) => kind === "guard");
    expect(guards).toMatchObject([{ equals: { kind: "constant", value: "open" } }]);
    const input = { id: "O-7", to: { street: "Rue 2", city: "Paris" } };
    expect((await callsIn(runner, plan, ward, input)).at(-1)).toContain("Paris");
  });

  test("is left out where the task speaks of nothing that it tells", () => {
    expect(namedSteps(planOf("Refund 40 to AC-1", "bank.get_account").steps)).toHaveLength(1);
  });
});

test("a read in a loop whose answer nothing uses is left out of each round, and the loop stays", async () => {
  const ids = ["F-1001", "F-1002", "F-1003"];
  const trace = traceOf("Close all open faults", [
    ["desk.faults", { state: "open" }, { faults: ids.map((id) => ({ id })) }],
    ...ids.flatMap((id): readonly Told[] => [
      ["desk.look", { id }, { id, text: "no light" }],
      ["desk.close", { id }, { done: true }],
    ]),
  ]);
  expect(await callsOf(trace, reads("desk.faults", "desk.look"))).toEqual([0, 2, 4, 6]);
  expect(await callsOf(trace, reads("desk.faults"))).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("a read that failed in the run stays: what followed was done because of it", async () => {
  const trace = traceOf("Make the file notes.txt", [
    ["disk.read", { path: "notes.txt" }, null, "ENOENT: no such file"],
    ["disk.write", { path: "notes.txt" }, { done: true }],
  ]);
  expect(await callsOf(trace, reads("disk.read"))).toEqual([0, 1]);
});

test("a read whose answer says whether to go on stays", async () => {
  const trace = traceOf("Ship parcel P-5001", [
    ["post.check", { parcel: "P-5001" }, { success: true }],
    ["post.ship", { parcel: "P-5001" }, { done: true }],
  ]);
  expect(await callsOf(trace, reads("post.check"))).toEqual([0, 1]);
});

describe("in a review", () => {
  const THOUGHT = "The customer wants it gone, so I look first and revoke then.";
  const AGENT: readonly Told[] = [
    ["vault.think", { thought: THOUGHT }, ""],
    ["vault.get_kinds", {}, { kinds: ["key"] }],
    LOOKED[1] ?? ["", {}, null],
    LOOKED[3] ?? ["", {}, null],
    ["vault.transfer_to_human_agents", { summary: "All is done now." }, "Transfer successful"],
  ];
  const draftOf = async (calls: readonly Told[]) => {
    const trace = traceOf(TASK, calls);
    const { plan } = learned([trace], { effects: [] });
    const made = await real.drafts.create({ plan, traces: [{ trace }], by: "test" });
    if (!made.ok) throw new Error(made.error.message);
    return made.value;
  };

  test("what looks as if it changed nothing stays until a person takes the edits that the view proposes", async () => {
    const draft = await draftOf(AGENT);
    const view = draftView(draft);
    expect(view.idle?.steps.map(({ looksLike }) => looksLike)).toEqual(["thinking", "reading", "ending"]);
    expect(view.steps).toHaveLength(5);
    expect(view.steps.every(({ isUnused }) => !isUnused)).toBe(true);
    expect(draftText(view, { columns: 2000 })).toContain(JSON.stringify(view.idle?.edits));
    const revised = await real.revised(draft, view.idle?.edits ?? []);
    expect(namedSteps(revised.plan.steps).map((step) => step.kind === "call" && step.tool)).toEqual([
      "vault.tenant",
      "vault.revoke",
    ]);
    expect(revised.plan.params.map(({ name }) => name)).toEqual(["tenant"]);
    expect(revised.evidence?.rungs.every(({ passed, of }) => passed === of)).toBe(true);
    expect(draftView(revised).idle).toBeUndefined();
    const back = await real.revised(revised, [{ kind: "keep", call: 1 }]);
    expect(draftView(back).steps.map(({ tool }) => tool)).toContain("vault.get_kinds");
  });

  const FILED: Told = ["desk.file", { form: { title: "Broken crane" } }, { id: "F-20771" }];
  const refused = (error: string): Told => ["desk.file", { form: "crane" }, null, error];

  test("so does a statement that only asks, and a call that was refused before its tool did it", async () => {
    const draft = await draftOf([
      [
        "books.run",
        { sql: "-- who is here\nSELECT name FROM desks WHERE note = 'update me'" },
        [{ name: "x" }],
      ],
      refused("Invalid arguments"),
      FILED,
    ]);
    const view = draftView(draft);
    expect(view.idle?.steps.map(({ looksLike }) => looksLike)).toEqual(["asking", "mistaken"]);
    const revised = await real.revised(draft, view.idle?.edits ?? []);
    expect(namedSteps(revised.plan.steps).map((step) => step.kind === "call" && step.tool)).toEqual([
      "desk.file",
    ]);
    expect(revised.evidence?.rungs.every(({ passed, of }) => passed === of)).toBe(true);
  });

  test("a call that was refused for its form is left out at once, and the view says why", async () => {
    const draft = await draftOf([refused("Invalid arguments: form must be an object"), FILED]);
    expect(namedSteps(draft.plan.steps)).toHaveLength(1);
    const view = draftView(draft);
    const reason = "it was refused for its form, and its tool took another";
    expect(view.dropped).toEqual([{ trace: 0, call: 0, tool: "desk.file", writes: true, reason }]);
    expect(view.attention.map(({ kind }) => kind)).not.toContain("not-written");
    const kept = revisedPlan(draft, [{ kind: "keep", call: 0 }]);
    expect(kept).toMatchObject({ ok: false, error: { message: expect.stringContaining("for its form") } });
  });

  test.each<readonly [string, readonly Told[]]>([
    [
      "a statement that may change something",
      [["books.run", { sql: "WITH a AS (DELETE FROM b) SELECT 1" }, []], FILED],
    ],
    [
      "a refusal after which nothing did it",
      [refused("Validation failed"), ["desk.close", { id: "F-1" }, {}]],
    ],
    ["a failure of the world", [refused("The drawer is full"), FILED]],
  ])("%s is not proposed", async (_, calls) => {
    expect(draftView(await draftOf(calls)).idle).toBeUndefined();
  });

  test.each<readonly [string, Told]>([
    ["a message that says what nothing else says", ["chat.post", { text: "It is all done now." }, ""]],
    ["a thought that another call repeats", ["vault.think", { thought: TASK }, { key: "K-90210" }]],
    ["a call to a person before the end", ["desk.transfer_to_agent", { id: "T-4711" }, { done: true }]],
  ])("%s is not proposed", async (_, call) => {
    const view = draftView(await draftOf([call, ["vault.note", { text: TASK }, {}], ...LOOKED.slice(3)]));
    expect(view.idle?.steps.filter(({ looksLike }) => looksLike !== "reading") ?? []).toEqual([]);
  });

  test("who says that a tool only reads leaves out its calls that nothing uses, and can have them again", async () => {
    const told = await real.revised(await draftOf(LOOKED), [
      { kind: "effect", tool: "vault.audit", operation: "READ" },
    ]);
    expect(namedSteps(told.plan.steps)).toHaveLength(3);
    expect(draftView(told).dropped).toEqual([
      { trace: 0, call: 2, tool: "vault.audit", writes: false, reason: expect.any(String) },
    ]);
    const again = await real.revised(told, [{ kind: "keep", call: 2 }]);
    expect(namedSteps(again.plan.steps)).toHaveLength(4);
    expect(mayWriteBy(again.plan.effects)("vault.audit")).toBe(false);
  });
});

const BUDGET: readonly Told[] = [
  ["travel.get_fare", { from: "RMS", to: "SBK" }, { fares: [220, 240] }],
  ["travel.exchange", { base: "GBP", value: 15_400 }, { exchanged: 22_000 }],
  ["travel.set_limit", { limit: 22_000 }, { limit: 22_000 }],
];

test.each([
  ["asks for something", "What coin must I trade for a seat?", true],
  ["says something", "I travel soon.", false],
])("a skill gives what a turn ended with that %s", (_, first, isGiven) => {
  const turns = [
    { text: first, after: 0 },
    { text: "Set my limit to 15400 GBP.", after: 1 },
  ];
  const trace = { ...traceOf(turns.map(({ text }) => text).join("\n"), BUDGET), turns };
  const { plan } = draftPlan(
    learned([trace], { effects: reads("travel.get_fare", "travel.exchange") }).plan,
    [{ trace }],
  );
  const given = plan.output.value.kind === "object" ? plan.output.value.fields.map(({ name }) => name) : [];
  expect(given.length).toBe(isGiven ? 2 : 0);
  expect(namedSteps(plan.steps).some((step) => step.kind === "call" && step.tool === "travel.get_fare")).toBe(
    isGiven,
  );
});

test("of a long answer that the user heard, and that is used, the skill gives what is used", () => {
  const turns = [
    { text: "How far is it from Crescent Hollow to Autumnville?", after: 0 },
    { text: "Write the distance into the log.", after: 1 },
  ];
  const cities = Array.from({ length: 12 }, (_, nth) => `Town ${nth}`);
  const trace = {
    ...traceOf(turns.map(({ text }) => text).join("\n"), [
      ["maps.route", { from: "Crescent Hollow", to: "Autumnville" }, { length: 630, cities }],
      ["log.write", { value: 630 }, { entry: 77_812 }],
    ]),
    turns,
  };
  const { plan } = draftPlan(learned([trace], { effects: reads("maps.route") }).plan, [{ trace }]);
  expect(skillCode(plan)).toMatch(/return \{ \w+: [^}]*\.length[^}]* \}/);
});

test("to leave out what a turn that asks ended with is not proposed", async () => {
  const turns = [
    { text: "What coin must I trade for a seat?", after: 0 },
    { text: "Set my limit to 15400 GBP.", after: 1 },
  ];
  const task = turns.map(({ text }) => text).join("\n");
  for (const [trace, isIdle] of [
    [traceOf(task, BUDGET), true],
    [{ ...traceOf(task, BUDGET), turns }, false],
  ] as const) {
    const { plan } = draftPlan(learned([trace], { effects: [] }).plan, [{ trace }]);
    const made = await real.drafts.create({ plan, traces: [{ trace }], by: "test" });
    if (!made.ok) throw new Error(made.error.message);
    expect(draftView(made.value).idle !== undefined).toBe(isIdle);
  }
});
