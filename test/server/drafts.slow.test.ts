import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CLI,
  ERAS,
  type Era,
  newClient,
  ROOT,
  stdioTransport,
  textOf,
  Workplace,
} from "./connected-client.ts";

const SHOP = {
  mcpServers: {
    shop: {
      command: process.execPath,
      args: ["--disable-warning=ExperimentalWarning", join(ROOT, "examples/shop-server.ts")],
      publish: true,
    },
  },
  traces: { store: "own/traces.db" },
  data: "own",
};

interface Asked {
  readonly client: Client;
  /** The questions that were put to the person. */
  readonly questions: string[];
  /** How often it was told that the tools have changed. */
  changes: number;
  answer: { readonly action: "accept" | "decline" | "cancel"; readonly content?: Record<string, string> };
}

function clientOf(era: Era, canAsk = true): Asked {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
      listChanged: { tools: { onChanged: () => void asked.changes++ } },
      ...(canAsk ? { capabilities: { elicitation: {} } } : {}),
    },
  );
  const asked: Asked = { client, questions: [], changes: 0, answer: { action: "decline" } };
  if (canAsk) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.questions.push(params.message);
      return { ...asked.answer };
    });
  }
  return asked;
}

/** What an agent does for a customer: finds the pending order, and sends it elsewhere. */
async function work(client: Client): Promise<void> {
  const call = async (name: string, input: object): Promise<unknown> => {
    const result = await client.callTool({ name: `shop__${name}`, arguments: { ...input } });
    expect(result.isError ? textOf(result) : "").toBe("");
    return result.structuredContent;
  };
  const { customers } = (await call("find_customer", { text: "ada@example.org" })) as {
    customers: { id: string }[];
  };
  const { orders } = (await call("list_orders", { customerId: customers[0]?.id })) as {
    orders: { id: string; status: string }[];
  };
  const pending = orders.find(({ status }) => status === "pending");
  const shipTo = { street: "Oak Road 1", city: "Lund", postcode: "22101", country: "SE" };
  await call("update_order_address", { id: pending?.id, shipTo });
}

async function tool(client: Client, name: string, input: object = {}): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: { ...input } });
  if (result.isError) return { failed: textOf(result) };
  return result.structuredContent as Record<string, unknown>;
}

async function hasTool(client: Client, name: string): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if ((await client.listTools()).tools.some((each) => each.name === name)) return true;
    await pause(50);
  }
  return false;
}

describe.each(ERAS)("to a client of the %s era", (era) => {
  let workplace: Workplace;
  let asked: Asked;
  beforeAll(async () => {
    workplace = await Workplace.create({}, SHOP);
    asked = clientOf(era);
    await asked.client.connect(stdioTransport(workplace, ["--no-watch"]));
    await hasTool(asked.client, "shop__list_orders");
    await work(asked.client);
  });
  afterAll(async () => {
    await asked.client.close();
    await workplace[Symbol.asyncDispose]();
  });

  let digest = "";

  test("what was done in the session becomes a verified draft", async () => {
    const { draft, kind, code, revision } = await extracted(asked.client, { name: "move-pending-order" });
    expect(kind).toBe("draft");
    expect(code).toContain('call_tool("shop.update_order_address"');
    expect(draft).toMatchObject({ name: "move-pending-order", state: "draft", isStale: false });
    // Whoever made it is told by the name that the client gives itself.
    expect(draft.history).toMatchObject([
      { kind: "created", by: expect.stringMatching(/^test 1\.0\.0 \(session [0-9a-f]{8}\)$/) },
      { kind: "verified" },
    ]);
    const { rungs } = draft.evidence;
    expect(rungs.map(({ name, passed, of }) => [name, passed === of])).toEqual([
      ["types", true],
      ["own", true],
      ["twin", true],
      ["faults", true],
    ]);
    ({ digest } = draft);
    expect(revision.answer).toMatchObject({ tool: "revise_draft", name: "move-pending-order" });
    expect(JSON.stringify(revision.answer.edits)).toContain('"flow"');
    expect(revision.context).toMatch(/^## task[^]*## execution_flow\n.*update_order_address/m);
    expect(revision.context).not.toContain("## draft");
  });

  test("a draft is revised, and verified again", async () => {
    const edit = {
      kind: "describe",
      target: { kind: "skill" },
      text: "Sends a customer's pending order elsewhere.",
    };
    const { draft } = (await tool(asked.client, "revise_draft", {
      name: "move-pending-order",
      edits: [edit],
    })) as unknown as Extracted;
    expect(draft).toMatchObject({ description: edit.text, isStale: false, state: "draft" });
    expect(draft.digest).not.toBe(digest);
    const late = await tool(asked.client, "review_draft", {
      name: "move-pending-order",
      action: "approve",
      digest,
    });
    expect(late["failed"]).toContain("DRAFT_CHANGED");
    ({ digest } = draft);
  });

  test("what may write is not left out by a client's word", async () => {
    const { draft } = (await tool(asked.client, "review_draft", {
      name: "move-pending-order",
    })) as unknown as {
      readonly draft: {
        readonly digest: string;
        readonly steps: readonly { readonly name: string; readonly writes: boolean }[];
      };
    };
    const step = draft.steps.find(({ writes }) => writes)?.name;
    const input = { name: "move-pending-order", edits: [{ kind: "drop", step }] };
    expect((await tool(asked.client, "revise_draft", input))["failed"]).toContain(
      "only a person leaves it out",
    );
    const read = { kind: "effect", tool: "shop.update_order_address", operation: "READ" };
    const trusting = await tool(asked.client, "revise_draft", { ...input, edits: [read] });
    expect(trusting["failed"]).toContain("only reads");
  });

  test("no person's word, no skill", async () => {
    asked.answer = { action: "cancel" };
    const input = { name: "move-pending-order", action: "approve", digest };
    expect((await tool(asked.client, "review_draft", input))["failed"]).toContain("DRAFT_UNREVIEWED");
    expect(asked.questions.at(-1)).toContain('Shall the draft "move-pending-order" become a skill?');
    expect(asked.questions.at(-1)).toContain("update_order_address");
    const mute = clientOf(era, false);
    await mute.client.connect(stdioTransport(workplace));
    expect((await tool(mute.client, "review_draft", input))["failed"]).toContain("DRAFT_UNREVIEWED");
    await mute.client.close();
  });

  test("with it the draft is a tool at once, which does the same for others in one call", async () => {
    asked.answer = { action: "accept", content: { verdict: "approve", comment: "looks right" } };
    const input = { name: "move-pending-order", action: "approve", digest };
    const { changes } = asked;
    expect(await tool(asked.client, "review_draft", input)).toMatchObject({
      promoted: { skill: "move-pending-order", version: 1 },
    });
    // No change of the disk is followed here: the promoting server knows what it has done.
    const { tools } = await asked.client.listTools();
    await expect.poll(() => asked.changes, { timeout: 20_000 }).toBeGreaterThan(changes);
    const made = tools.find(({ name }) => name === "move-pending-order");
    const given = inputFor(made?.inputSchema ?? {});
    const answer = await tool(asked.client, "move-pending-order", given);
    expect(answer).toMatchObject({ order: { shipTo: { city: "Annecy", street: "Rue Neuve 2" } } });
  });

  test("done again, the work is known", async () => {
    await work(asked.client);
    const { structuredContent } = await asked.client.callTool({ name: "list_runs", arguments: { limit: 3 } });
    expect(structuredContent).toBeDefined();
    const again = clientOf(era);
    await again.client.connect(stdioTransport(workplace));
    expect(await hasTool(again.client, "shop__list_orders")).toBe(true);
    await work(again.client);
    const found = await settled(again.client);
    expect(found).toMatchObject({ kind: "reuse", skill: "move-pending-order" });
    await again.client.close();
  });

  test("a skill is taken out of use again", async () => {
    asked.answer = { action: "accept", content: { verdict: "revoke" } };
    const { changes } = asked;
    const revoked = await tool(asked.client, "review_draft", {
      name: "move-pending-order",
      action: "revoke",
    });
    expect(revoked).toMatchObject({ revoked: { skill: "move-pending-order" } });
    const { tools } = await asked.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("move-pending-order");
    await expect.poll(() => asked.changes, { timeout: 20_000 }).toBeGreaterThan(changes);
  });

  test("what another process brings back is a tool of a server that follows its folders", async () => {
    const { client, changed } = newClient(era);
    await client.connect(stdioTransport(workplace));
    expect(await hasTool(client, "shop__list_orders")).toBe(true);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", CLI, "revoke", "move-pending-order", "--to", "1"],
      { cwd: workplace.folder },
    );
    expect(stdout).toContain("move-pending-order");
    const isListed = async (): Promise<boolean> =>
      (await client.listTools()).tools.some(({ name }) => name === "move-pending-order");
    while (!(await isListed())) await changed();
    await client.close();
  });

  test("runs of others, and drafts that are not there, are not found", async () => {
    const other = clientOf(era);
    await other.client.connect(stdioTransport(workplace));
    const { runs } = (await tool(asked.client, "list_runs")) as {
      runs: { runId: string; session: string; durationMs?: number }[];
    };
    expect(new Set(runs.map(({ session }) => session)).size).toBe(1);
    expect(runs.every(({ session, durationMs = 0 }) => session !== "" && Number.isInteger(durationMs))).toBe(
      true,
    );
    const failed = await tool(other.client, "extract_skill", { runs: [runs[0]?.runId] });
    expect(failed["failed"]).toContain("RUN_NOT_FOUND");
    expect((await tool(other.client, "review_draft", { name: "nothing" }))["failed"]).toContain(
      "DRAFT_NOT_FOUND",
    );
    await other.client.close();
  });
});

interface Extracted {
  readonly kind: string;
  readonly code: string;
  readonly revision: { readonly answer: { readonly edits: object }; readonly context: string };
  readonly draft: {
    readonly digest: string;
    readonly history: readonly { readonly kind: string; readonly by: string }[];
    readonly evidence: {
      readonly rungs: readonly { readonly name: string; readonly passed: number; readonly of: number }[];
    };
  };
}

/** Recording never holds up a call, so what was just done may still be on its way. */
async function settled(client: Client, input: object = {}): Promise<Record<string, unknown>> {
  for (let tries = 0; tries < 40; tries++) {
    const { runs } = (await tool(client, "list_runs")) as { runs: { name: string; status: string }[] };
    if (runs.filter(({ name, status }) => name.startsWith("shop.") && status === "completed").length >= 3)
      break;
    await pause(50);
  }
  return tool(client, "extract_skill", input);
}

async function extracted(client: Client, input: object): Promise<Extracted> {
  return (await settled(client, input)) as unknown as Extracted;
}

/** Chloe's order goes to another street, whatever the parameters are called. */
function inputFor(schema: object): object {
  const { properties = {} } = schema as {
    properties?: Record<string, { type?: string; properties?: object }>;
  };
  const value = (
    name: string,
    { type, properties: inner }: { type?: string; properties?: object },
  ): unknown => {
    if (type === "object")
      return Object.fromEntries(
        Object.entries(inner ?? {}).map(([key, each]) => [key, value(key, each as object)]),
      );
    const known: [RegExp, string][] = [
      [/street/i, "Rue Neuve 2"],
      [/city/i, "Annecy"],
      [/postcode/i, "74000"],
      [/country/i, "FR"],
      [/status/i, "pending"],
      [/text|mail/i, "chloe@example.org"],
    ];
    return known.find(([pattern]) => pattern.test(name))?.[1];
  };
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, value(name, each)]));
}
