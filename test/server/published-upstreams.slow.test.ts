import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixture, until } from "../upstream/upstream-fixtures.ts";
import { textOf, Workplace } from "./connected-client.ts";
import { clientOf, servedApp } from "./served-app.ts";

const TOOL = {
  name: "price",
  description: "Gives a price.",
  inputSchema: { type: "object", properties: { of: { type: "string" } } },
};
const SKILLS = { greet: `export default (): string => "hello"` };

let workplace: Workplace;
let tools: string;
beforeEach(async () => {
  workplace = await Workplace.create(SKILLS);
  tools = join(workplace.folder, "tools.json");
  await writeFile(tools, JSON.stringify([TOOL, { ...TOOL, name: "hidden" }]));
});
afterEach(async () => workplace[Symbol.asyncDispose]());

/** Configures servers; data of its own, so that what was listed last is this workplace's. */
async function configure(servers: Readonly<Record<string, object>>): Promise<void> {
  const config = { data: join(workplace.folder, "data"), mcpServers: servers };
  await writeFile(join(workplace.folder, "mcp.config.json"), JSON.stringify(config));
}

const shop = (more: object = {}): object => ({
  ...fixture("changing-server", tools),
  publish: ["price"],
  ...more,
});

describe("tools of other servers", () => {
  test("are in the first list, though nothing was known of them", async () => {
    const { command, args } = fixture("changing-server", tools, "--http");
    const server = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
    const [line] = (await once(createInterface(server.stdout), "line")) as [string];
    const { port } = JSON.parse(line) as { port: number };
    await configure({ shop: { url: `http://127.0.0.1:${port}/mcp`, publish: ["price"] } });
    await using served = await servedApp(workplace);
    const client = await clientOf(served.url, "modern");
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name)).toContain("shop__price");
    expect(listed.map(({ name }) => name)).not.toContain("shop__hidden");
    await client.close();
    server.kill();
  });

  test("are listed as they were last while their server does not answer, and a call says how it is", async () => {
    await configure({ shop: shop() });
    {
      await using served = await servedApp(workplace);
      const client = await clientOf(served.url, "legacy");
      const { tools: listed } = await client.listTools();
      expect(listed.some(({ name }) => name === "shop__price")).toBe(true);
      await client.close();
    }
    // It starts as before, and ends at once: its list of tools is gone.
    await writeFile(tools, "gone");
    await using served = await servedApp(workplace);
    const client = await clientOf(served.url, "legacy");
    const { tools: listed } = await client.listTools();
    expect(listed.find(({ name }) => name === "shop__price")).toMatchObject({
      description: "Gives a price.",
    });
    const failed = await client.callTool({ name: "shop__price", arguments: {} });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toContain('The server "shop" cannot be used: ');

    await writeFile(tools, JSON.stringify([TOOL]));
    await until(() => served.app.upstreams.health()[0]?.state !== "backing-off");
    const called = await client.callTool({ name: "shop__price", arguments: { of: "tea" } });
    expect(called.structuredContent).toEqual({ called: "price", args: { of: "tea" } });
    await client.close();
  });

  test("that cannot be called are told apart from tools that are not there", async () => {
    await configure({
      shop: shop(),
      off: shop({ disabled: true }),
      silent: shop({ publish: [] }),
      broken: { command: join(workplace.folder, "nothing"), publish: ["*"] },
    });
    await using served = await servedApp(workplace);
    const client = await clientOf(served.url, "modern");
    const answer = async (name: string): Promise<string> =>
      textOf(await client.callTool({ name, arguments: {} }));
    expect(await answer("off__price")).toContain('the server "off" is disabled in the configuration');
    expect(await answer("silent__price")).toContain('the server "silent" publishes no tools');
    expect(await answer("broken__price")).toContain('The server "broken" cannot be used: ');
    expect(await answer("shop__hidden")).toContain('its "publish" does not name it');
    expect(await answer("shop__prise")).toContain('Did you mean "shop__price"?');
    await expect(answer("elsewhere__price")).rejects.toThrow("There is no tool named");
    await client.close();
  });

  test("that nobody has listed yet are called as soon as their server is reached", async () => {
    await configure({ shop: shop() });
    await using served = await servedApp(workplace);
    const client = await clientOf(served.url, "legacy");
    const called = await client.callTool({ name: "shop__price", arguments: { of: "tea" } });
    expect(called.structuredContent).toEqual({ called: "price", args: { of: "tea" } });
    await client.close();
  });

  test("answer clients with the texts that their server gives, beside the value", async () => {
    await configure({ good: { ...fixture("good-server"), publish: ["add", "text", "nothing", "mixed"] } });
    await using served = await servedApp(workplace);
    const client = await clientOf(served.url, "modern");
    const answer = async (name: string, args: Record<string, unknown> = {}) => {
      const { content, structuredContent } = await client.callTool({ name, arguments: args });
      return { content, structuredContent };
    };
    expect(await answer("good__add", { a: 1, b: 2 })).toEqual({
      content: [{ type: "text", text: "as data" }],
      structuredContent: { sum: 3 },
    });
    expect(await answer("good__text", { text: "two\nlines" })).toEqual({
      content: [{ type: "text", text: "two\nlines" }],
      structuredContent: { result: "two\nlines" },
    });
    expect((await answer("good__nothing")).content).toEqual([{ type: "text", text: '{"result":null}' }]);
    expect((await answer("good__mixed")).content).toEqual([
      { type: "text", text: expect.stringContaining("image/png") },
    ]);
    await client.close();
  });
});
