// The loop, end to end: an agent does a piece of work with another server's tools, through Repertoire. The session
// becomes a skill, without a model; a person approves it; from then on the work is one tool call, for other inputs too.
// Starts the real servers as child processes and talks to them as any client does. Asserts what it shows.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "repertoire-learn-"));
await mkdir(join(folder, "skills"));
const shop = {
  command: process.execPath,
  args: ["--disable-warning=ExperimentalWarning", join(root, "examples/shop-server.ts")],
  publish: true,
};
await writeFile(join(folder, "mcp.config.json"), JSON.stringify({ mcpServers: { shop } }));

const client = new Client({ name: "demo", version: "1.0.0" }, { capabilities: { elicitation: {} } });
client.setRequestHandler("elicitation/create", ({ params }) => {
  console.log(indented(params.message));
  console.log("\n  > approve");
  return { action: "accept", content: { verdict: "approve", comment: "It does what I wanted." } };
});
let calls = 0;

try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(root, "bin/repertoire.js"), "serve"],
      cwd: folder,
      stderr: "ignore",
    }),
  );
  await listed("shop__list_orders");

  heading("An agent looks up a customer, finds the order that is pending, and sends it elsewhere");
  await movedByHand("ada@example.org", "Storgata 7", "0155", "Oslo", "NO");
  const byHand = calls;

  heading("The session becomes a draft, verified by replay against what was recorded");
  await recorded(byHand);
  const { draft, code } = await called("extract_skill", { name: "move-pending-order" });
  console.log(indented(code.trimEnd()));
  for (const { name, passed, of } of draft.evidence.rungs) {
    console.log(`  ${name.padEnd(8)}${passed} of ${of}`);
    assert.equal(passed, of);
  }

  heading("A person looks at it");
  const promoted = await called("review_draft", {
    name: "move-pending-order",
    action: "approve",
    digest: draft.digest,
  });
  assert.deepEqual(promoted.promoted, { skill: "move-pending-order", version: 1 });

  heading("It is a tool, and does the work for someone else");
  const tool = await listed("move-pending-order");
  const input = filled(tool.inputSchema.properties ?? {}, {
    email: "chloe@example.org",
    street: "Rue Neuve 2",
    postcode: "74000",
    city: "Annecy",
    country: "FR",
    status: "pending",
  });
  calls = 0;
  const moved = await called("move-pending-order", input);
  console.log(`  ${JSON.stringify(input)}\n  → ${JSON.stringify(moved.order.shipTo)}`);
  assert.equal(moved.order.customerId, "C-3");
  assert.equal(moved.order.shipTo.street, "Rue Neuve 2");

  console.log(`\nBy hand: ${byHand} calls of an agent that reads each answer. As a skill: ${calls} call.`);
  assert(calls < byHand);
  console.log("All of this was asserted, not only shown.");
} finally {
  await client.close();
  await rm(folder, { recursive: true, force: true });
}

// What comes over the wire is looked at, not typed: each use below is asserted or fails.
// oxlint-disable-next-line typescript/no-explicit-any
async function called(name: string, input: object): Promise<any> {
  calls++;
  const result = await client.callTool({ name, arguments: { ...input } });
  const [first] = result.content;
  assert(!result.isError, first?.type === "text" ? first.text : name);
  return result.structuredContent;
}

async function movedByHand(
  email: string,
  street: string,
  postcode: string,
  city: string,
  country: string,
): Promise<void> {
  const { customers } = await called("shop__find_customer", { text: email });
  console.log(`  find_customer → ${customers[0].id}`);
  const { orders } = await called("shop__list_orders", { customerId: customers[0].id });
  const pending = orders.find(({ status }: { status: string }) => status === "pending");
  console.log(`  list_orders → ${orders.length} orders, ${pending.id} is pending`);
  const { order } = await called("shop__get_order", { id: pending.id });
  console.log(`  get_order → it goes to ${order.shipTo.street}`);
  const shipTo = { street, city, postcode, country };
  const moved = await called("shop__update_order_address", { id: order.id, shipTo });
  console.log(`  update_order_address → it goes to ${moved.order.shipTo.street}`);
}

/** Waits until a tool is there. */
async function listed(name: string): Promise<Awaited<ReturnType<typeof client.listTools>>["tools"][number]> {
  for (let tries = 0; tries < 200; tries++) {
    const { tools } = await client.listTools();
    const found = tools.find((tool) => tool.name === name);
    if (found) return found;
    await pause(50);
  }
  throw new Error(`there is no tool ${name}`);
}

/** Recording never holds up a call, so what was just done may still be on its way. */
async function recorded(least: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { runs } = await called("list_runs", {});
    if (runs.length >= least) return;
    await pause(50);
  }
}

/** The values for a tool's parameters, by what these are called. */
function filled(properties: object, values: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(properties as Record<string, { type?: string; properties?: object }>).map(
      ([name, schema]) => [
        name,
        schema.type === "object" ? filled(schema.properties ?? {}, values) : values[name],
      ],
    ),
  );
}

function heading(text: string): void {
  console.log(`\n${text}`);
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
