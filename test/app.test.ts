import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApp } from "../src/app.ts";
import type { App } from "../src/rooms.ts";
import { readConfig } from "../src/config.ts";
import { ROOT, Workplace } from "./server/connected-client.ts";

const SKILLS = {
  double: `export default function run({ n }: { n: number }): { twice: number } {
  return { twice: 2 * n };
}`,
  quadruple: `export default async function run({ n }: { n: number }): Promise<{ n: number }> {
  const { twice } = await call_skill("double", { n: String(n) });
  return { n: 2 * twice };
}`,
  endless: "export default function run(): void {\n  for (;;);\n}",
  "name-as-city": `export default async function run({ email }: { email: string }): Promise<void> {
  const { customers } = await call_tool("shop.find_customer", { text: email });
  const [customer] = customers;
  const shipTo = { street: "S 1", city: customer?.name ?? "Lund", postcode: "1", country: "SE" };
  await call_tool("shop.update_order_address", { id: "O-1005", shipTo });
}`,
};

let workplace: Workplace;
let app: App;
beforeAll(async () => {
  const args = ["--disable-warning=ExperimentalWarning", join(ROOT, "examples/shop-server.ts")];
  workplace = await Workplace.create(SKILLS, {
    data: "own",
    flows: { untrustedIntoWrites: "ask" },
    traces: { durability: "answered" },
    mcpServers: { shop: { command: process.execPath, args } },
  });
  const config = await readConfig({ cwd: workplace.folder });
  if (!config.ok) throw new Error(config.error.message);
  app = openApp(config.value);
});
afterAll(async () => {
  await app.close();
  await workplace[Symbol.asyncDispose]();
});

test("a call runs a skill, and is recorded when it is answered", async () => {
  const run = await app.call("double", { n: 21 });
  expect(run.root.outcome).toEqual({ ok: true, output: { twice: 42 } });
  const trace = await app.traces.trace(run.id);
  expect(trace.ok && trace.value?.events).toMatchObject([{ agentName: "double", outputs: { twice: 42 } }]);
});

test.each([
  ["no skill", "triple", {}, "SKILL_NOT_FOUND"],
  ["a skill that does not fit to one it calls", "quadruple", { n: 1 }, "SKILL_BROKEN"],
  ["an input that does not fit", "double", { n: "1" }, "INPUT_INVALID"],
  ["a run that takes a person's consent", "name-as-city", { email: "ada@example.org" }, "RUN_UNAPPROVED"],
])("%s is the outcome of a call", async (_, name, input, code) => {
  const run = await app.call(name, input);
  expect(run.root.outcome).toMatchObject({ ok: false, error: { code } });
  expect(run.root.calls).toEqual([]);
});

test("a run to which a person has agreed begins", async () => {
  const run = await app.call("name-as-city", { email: "ada@example.org" }, { isApproved: true });
  expect(run.root.calls).toMatchObject([
    { name: "shop.find_customer" },
    { name: "shop.update_order_address" },
  ]);
  expect(run.root.outcome.ok).toBe(true);
});

test("a call ends when it is cancelled", async () => {
  const stop = new AbortController();
  const run = await app.call("endless", {}, { signal: stop.signal, onEvent: () => stop.abort() });
  expect(run.root.outcome).toMatchObject({ ok: false, error: { code: "CANCELLED" } });
});
