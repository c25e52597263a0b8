import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT, Workplace } from "../server/connected-client.ts";
import { repertoire } from "./shop-workplace.ts";

const args = ["--disable-warning=ExperimentalWarning", join(ROOT, "examples/shop-server.ts")];
const config = (flows: object, trusted: readonly string[] = []): object => ({
  data: "data",
  flows,
  mcpServers: { shop: { command: process.execPath, args, trusted } },
});

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.create({
    "customer-name": `export default async function run({ email }: { email: string }): Promise<{ name: string }> {
  const { name } = await call_tool("shop.find_customer", { email });
  return { name };
}`,
    "order-cancel": `export default async function run({ id, reason }: { id: string; reason: string }): Promise<void> {
  await call_tool("shop.cancel_order", { id, reason });
}`,
    "cancel-by-name": `export default async function run({ email }: { email: string }): Promise<void> {
  const { name } = await call_skill("customer-name", { email });
  await call_skill("order-cancel", { id: "O-1", reason: \`asked by \${name}\` });
}`,
  });
  await configured({});
});
afterAll(async () => workplace[Symbol.asyncDispose]());

async function configured(flows: object, trusted?: readonly string[]): Promise<void> {
  await writeFile(join(workplace.folder, "mcp.config.json"), JSON.stringify(config(flows, trusted)));
}

describe("check --flows", () => {
  test("tells each flow with its steps and their places", async () => {
    const { stdout } = await repertoire(workplace, "check", "--flows");
    expect(stdout)
      .toContain(`cancel-by-name: shop.find_customer -> shop.cancel_order \`reason\`: its text goes there
    skills/customer-name/skill.ts:2:26 customer-name takes what shop.find_customer answers
    skills/customer-name/skill.ts:3:12 customer-name gives it as \`name\` back
    skills/cancel-by-name/skill.ts:2:26 cancel-by-name takes what customer-name gives
    skills/cancel-by-name/skill.ts:3:49 cancel-by-name gives it as \`reason\` to order-cancel
    skills/order-cancel/skill.ts:2:46 order-cancel gives it as \`reason\` to shop.cancel_order`);
  });

  test("gives the same as JSON", async () => {
    const { stdout } = await repertoire(workplace, "check", "--flows", "--json");
    const { flows } = JSON.parse(stdout) as { flows: readonly { path: readonly object[] }[] };
    expect(flows).toMatchObject([
      {
        skill: "cancel-by-name",
        source: "shop.find_customer",
        write: "shop.cancel_order",
        argument: "reason",
      },
    ]);
    expect(flows[0]?.path).toHaveLength(5);
  });

  test("leaves aside what the settings trust", async () => {
    await configured({}, ["find_*"]);
    const { stdout } = await repertoire(workplace, "check", "--flows");
    await configured({});
    expect(stdout).toContain("No answer of an untrusted tool goes into a call that writes.");
  });
});

describe("a run that can write what an untrusted tool answers", () => {
  const run = ["run", "cancel-by-name", "--input", '{"email": "ada@example.org"}'];

  test("begins where the settings want it told only", async () => {
    const { stderr } = await repertoire(workplace, ...run);
    expect(stderr).not.toContain("RUN_UNAPPROVED");
  });

  test("does not begin without consent where the settings want it", async () => {
    await configured({ untrustedIntoWrites: "ask" });
    const refused = await repertoire(workplace, ...run);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("RUN_UNAPPROVED");
    expect(refused.stdout).toBe("");
    const agreed = await repertoire(workplace, ...run, "--yes");
    expect(agreed.stderr).not.toContain("RUN_UNAPPROVED");
    expect(agreed.stdout).toContain("cancel-by-name");
    await configured({});
  });
});
