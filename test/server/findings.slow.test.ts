import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ERAS, newClient, stdioTransport, textOf, Workplace } from "./connected-client.ts";

const SKILLS = {
  price: `export default ({ city }: { city: string }): { total: number } => ({ total: city.length })`,
  trip: `export default async ({ city }: { city: string }): Promise<number> => {
  const { totl } = await call_skill("price", { city });
  return totl;
}`,
  plan: `export default async (): Promise<number> => (await call_skill("price", { city: "Rome" })).total`,
  ping: `export default async (): Promise<unknown> => call_skill("pong")`,
  pong: `export default async (): Promise<unknown> => call_skill("ping")`,
};

describe.each(ERAS)("to a client of the %s era", (era) => {
  let workplace: Workplace;
  let client: Client;
  let changed: () => Promise<void>;
  beforeAll(async () => {
    workplace = await Workplace.create(SKILLS);
    const connected = newClient(era);
    ({ client, changed } = connected);
    await client.connect(stdioTransport(workplace));
  });
  afterAll(async () => {
    await client.close();
    await workplace[Symbol.asyncDispose]();
  });
  const skillTools = async (): Promise<readonly string[]> => {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    return names.filter((name) => Object.hasOwn(SKILLS, name));
  };

  test("skills with errors are no tools, the others are", async () => {
    expect(await skillTools()).toEqual(["plan", "price"]);
  });

  test("a skill with errors says at its call what is wrong, where, and how to mend it", async () => {
    for (const [name, input] of [
      ["trip", { city: "Rome" }],
      ["run_skill", { name: "trip", input: { city: "Rome" } }],
    ] as const) {
      const result = await client.callTool({ name, arguments: input });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(
        /trip.skill\.ts:2:11 Property 'totl' does not exist on type 'PriceOutput'/,
      );
    }
    const circle = await client.callTool({ name: "pong", arguments: {} });
    expect(textOf(circle)).toContain("Circular dependency detected: ping -> pong -> ping");
  });

  test("describe_skill tells the findings, level and operation", async () => {
    const { structuredContent } = await client.callTool({
      name: "describe_skill",
      arguments: { name: "trip" },
    });
    expect(structuredContent).toMatchObject({
      level: 2,
      operation: "TRANSFORM",
      calls: ["price"],
      findings: [{ file: "skill.ts", code: "call-type", severity: "error", line: 2, column: 11 }],
    });
  });

  test("all findings are a resource", async () => {
    const { resources } = await client.listResources();
    expect(resources[0]).toMatchObject({ uri: "repertoire://findings", mimeType: "application/json" });
    const { contents } = await client.readResource({ uri: "repertoire://findings" });
    const [content] = contents;
    const { faulty, findings } = JSON.parse(content && "text" in content ? content.text : "") as {
      faulty: readonly string[];
      findings: readonly { readonly code: string }[];
    };
    expect(faulty).toEqual(["ping", "pong", "trip"]);
    expect(findings.map(({ code }) => code)).toEqual(["call-cycle", "call-type"]);
    await expect(client.readResource({ uri: "repertoire://finding" })).rejects.toThrow(
      "repertoire://finding",
    );
  });

  test("a skill becomes a tool when it is mended, and its callers are none when it changes its contract", async () => {
    await workplace.write("trip", SKILLS.trip.replaceAll("totl", "total"));
    await changed();
    expect(await skillTools()).toEqual(["plan", "price", "trip"]);
    await workplace.write("price", SKILLS.price.replaceAll("total", "sum"));
    await changed();
    expect(await skillTools()).toEqual(["price"]);
    await workplace.write("price", SKILLS.price);
    await changed();
    expect(await skillTools()).toEqual(["plan", "price", "trip"]);
  });
});

test("with `publish: all` skills with errors are tools, too", async () => {
  const workplace = await Workplace.create(SKILLS, { publish: "all" });
  const { client } = newClient("modern");
  await client.connect(stdioTransport(workplace));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(SKILLS)));
  await client.close();
  await workplace[Symbol.asyncDispose]();
});
