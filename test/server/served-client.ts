import { type Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Era,
  newClient,
  servedOverHttp,
  stdioTransport,
  textOf,
  Workplace,
} from "./connected-client.ts";

const SKILLS = {
  greet: `export default function greet({ name }: {
  /** Whom to greet @minLength 1 */
  name: string;
}): { text: string } {
  return { text: "Hello, " + name };
}`,
  noisy: `export default () => { console.log("from a skill"); return 1; }`,
  numbers: `export default ({ count }: { count: Integer }): number[] => Array.from({ length: count }, (_, i) => i)`,
  shapes: `type Shape = { kind: "circle"; radius: number } | { kind: "square"; side: number };
export default function area(shape: Shape): { area: number } {
  return { area: shape.kind === "circle" ? Math.PI * shape.radius ** 2 : shape.side ** 2 };
}`,
  loop: `export default () => { for (;;) {} }`,
  ping: `export default async (): Promise<unknown> => call_skill("pong")`,
  pong: `export default async (): Promise<unknown> => call_skill("ping")`,
  add: `export default ({ a, b }: { a: number; b: number }): number => a + b`,
  multiply: `export default ({ a, b }: { a: number; b: number }): number => a * b`,
  square: `export default async ({ x }: { x: number }): Promise<number> => call_skill("multiply", { a: x, b: x })`,
  "sum-of-squares": `export default async ({ a, b }: { a: number; b: number }): Promise<number> => {
  const [x, y]: number[] = await Promise.all([call_skill("square", { x: a }), call_skill("square", { x: b })]);
  return call_skill("add", { a: x, b: y });
}`,
  shout: `export default (text: string): string => text.toUpperCase()`,
  unloadable: `export const nothing = 1;`,
  fails: `export default (): never[] => {
  throw new Error("out of paper");
}`,
  "fails-below": `export default async (): Promise<unknown> => call_skill("fails")`,
  steps: `export default async (): Promise<string> => { for (const name of ["A", "B"]) await call_skill("greet", { name }); return "done"; }`,
};

export interface Served {
  readonly workplace: Workplace;
  readonly transport: () => Transport;
  readonly port?: number;
  readonly close: () => Promise<void>;
}

async function overStdio(): Promise<Served> {
  const workplace = await Workplace.create(SKILLS, { limits: { cpuMs: 10_000 } });
  return {
    workplace,
    transport: () => stdioTransport(workplace),
    close: async () => workplace[Symbol.asyncDispose](),
  };
}

export async function overHttp(): Promise<Served> {
  const workplace = await Workplace.create(SKILLS, { limits: { cpuMs: 10_000 } });
  const served = await servedOverHttp(workplace);
  return {
    workplace,
    transport: () => new StreamableHTTPClientTransport(new URL(served.url)),
    port: Number(new URL(served.url).port),
    close: async () => {
      await served[Symbol.asyncDispose]();
      await workplace[Symbol.asyncDispose]();
    },
  };
}

const CARRIERS = { stdio: overStdio, "Streamable HTTP": overHttp } as const;

/** What a client of either protocol era finds in a server, over either transport. */
export function describeServed(pairs: readonly (readonly [Era, keyof typeof CARRIERS])[]): void {
  describe.each(pairs)("a client of the %s era over %s", (era, carrier) => {
    const serve = CARRIERS[carrier];
    let served: Served;
    let client: Client;
    let changed: () => Promise<void>;
    beforeAll(async () => {
      served = await serve();
      ({ client, changed } = newClient(era));
      await client.connect(served.transport());
    });
    afterAll(async () => {
      await client.close();
      await served.close();
    });

    test("sees a tool for each skill, with title, description, schemas and all four annotations", async () => {
      const { tools } = await client.listTools();
      expect(tools.find(({ name }) => name === "greet")).toMatchObject({
        title: "Greet",
        description: "Does greet.",
        inputSchema: {
          type: "object",
          properties: { name: { type: "string", description: "Whom to greet", minLength: 1 } },
          required: ["name"],
          additionalProperties: false,
        },
        outputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      });
      for (const { inputSchema } of tools) {
        expect(inputSchema.type).toBe("object");
        for (const combination of ["anyOf", "oneOf", "allOf", "$ref"])
          expect(inputSchema).not.toHaveProperty(combination);
      }
      for (const { name } of tools) expect(name).toMatch(/^[a-z][a-z0-9_-]{0,39}$/);
    });

    test("gets an answer that is whole in both its parts", async () => {
      const result = await client.callTool({ name: "greet", arguments: { name: "Ada" } });
      expect(result.structuredContent).toEqual({ text: "Hello, Ada" });
      expect(JSON.parse(textOf(result))).toEqual({ text: "Hello, Ada" });
    });

    test("gets a list inside an object, and calls with a union as it is", async () => {
      const list = await client.callTool({ name: "numbers", arguments: { count: 3 } });
      expect(list.structuredContent).toEqual({ result: [0, 1, 2] });
      const square = await client.callTool({ name: "shapes", arguments: { kind: "square", side: 3 } });
      expect(square.structuredContent).toEqual({ area: 9 });
      const neither = await client.callTool({ name: "shapes", arguments: { kind: "circle", side: 3 } });
      expect(neither.isError).toBe(true);
    });

    test("is told of the one property in which an input travels that is no object", async () => {
      const right = await client.callTool({ name: "shout", arguments: { input: "hey" } });
      expect(right.structuredContent).toEqual({ result: "HEY" });
      const wrong = await client.callTool({ name: "shout", arguments: { text: "hey" } });
      expect(textOf(wrong)).toContain('travels as the one property "input"');
      expect(textOf(wrong)).toContain('"properties":{"input":{"type":"string"}}');
      const byName = await client.callTool({ name: "run_skill", arguments: { name: "shout", input: "hey" } });
      expect(byName.structuredContent).toEqual({ result: "HEY" });
    });

    test("is told why a skill is not there", async () => {
      const result = await client.callTool({ name: "describe_skill", arguments: { name: "unloadable" } });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain('The skill "unloadable" does not load');
      expect(textOf(result)).toContain("skill.ts:1:");
    });

    test("is told how to mend wrong arguments", async () => {
      const result = await client.callTool({ name: "greet", arguments: { nam: "Ada" } });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain('lacks the required property "name"');
      expect(textOf(result)).toContain('has an unknown property "nam"');
      expect(textOf(result)).toContain('"minLength":1');
    });

    test("calls a skill that calls skills that call skills", async () => {
      const result = await client.callTool({ name: "sum-of-squares", arguments: { a: 2, b: 3 } });
      expect(result.structuredContent).toEqual({ result: 13 });
    });

    test("is told where in which skill a nested call failed", async () => {
      const result = await client.callTool({ name: "fails-below", arguments: {} });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toBe(
        'SKILL_THREW: out of paper\nIn skill "fails" (call 0.0) at fails/skill.ts:2:18, called from fails-below/skill.ts:1:56',
      );
    });

    test("is told of a circle", async () => {
      const result = await client.callTool({ name: "ping", arguments: {} });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain("Circular dependency detected: ping -> pong -> ping");
    });

    test("gets a protocol error for a tool that is not there", async () => {
      await expect(client.callTool({ name: "gret", arguments: {} })).rejects.toThrow('Did you mean "greet"?');
    });

    test("sees the progress of nested calls, before the answer", async () => {
      // Read where messages arrive: the client's SDK drops progress that it reads together with the answer.
      const { transport } = client;
      const deliver = transport?.onmessage;
      if (transport === undefined || deliver === undefined) throw new Error("The client is not connected.");
      const arrived: unknown[] = [];
      transport.onmessage = (message, extra) => {
        if ("method" in message) arrived.push(message.params?.["message"]);
        else if ("result" in message) arrived.push(message.result["structuredContent"]);
        deliver.call(transport, message, extra);
      };
      await client.callTool({ name: "steps", arguments: {} }, { onprogress: () => undefined });
      transport.onmessage = deliver;
      expect(arrived).toEqual([
        "steps started (0)",
        "greet started (0.0)",
        "greet done (0.0)",
        "greet started (0.1)",
        "greet done (0.1)",
        "steps done (0)",
        { result: "done" },
      ]);
    });

    test("stops a run that it cancels", async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 200);
      await expect(
        client.callTool({ name: "loop", arguments: {} }, { signal: stop.signal }),
      ).rejects.toThrow();
      const started = performance.now();
      await Promise.all([1, 2, 3].map(async () => client.callTool({ name: "noisy", arguments: {} })));
      expect(performance.now() - started).toBeLessThan(5000);
    });

    test("finds, reads and runs skills through the tools that are always there", async () => {
      const found = await client.callTool({ name: "search_skills", arguments: { query: "greet somebody" } });
      expect(found.structuredContent).toMatchObject({ skills: [{ name: "greet", kind: "code" }] });
      const described = await client.callTool({ name: "describe_skill", arguments: { name: "steps" } });
      expect(described.structuredContent).toMatchObject({
        name: "steps",
        calls: ["greet"],
        operation: "TRANSFORM",
      });
      const read = await client.callTool({ name: "activate_skill", arguments: { name: "greet" } });
      expect(textOf(read)).toContain('<skill_content name="greet">\nRead me.\n</skill_content>');
      expect(read.structuredContent).toMatchObject({ files: ["skill.ts"] });
      const run = await client.callTool({
        name: "run_skill",
        arguments: { name: "greet", input: { name: "Bo" } },
      });
      expect(run.structuredContent).toEqual({ text: "Hello, Bo" });
    });

    test("follows the folder: a skill added, edited, broken, mended and deleted", async () => {
      const { workplace } = served;
      const call = async (): Promise<unknown> =>
        (await client.callTool({ name: "fresh", arguments: {} })).structuredContent;
      const names = async (): Promise<readonly string[]> =>
        (await client.listTools()).tools.map(({ name }) => name);

      await workplace.write("fresh", `export default (): { version: number } => ({ version: 1 })`);
      await changed();
      expect(await names()).toContain("fresh");
      expect(await call()).toEqual({ version: 1 });

      await workplace.write(
        "fresh",
        `export default (): { version: number; edited: boolean } => ({ version: 2, edited: true })`,
      );
      await changed();
      expect(await call()).toEqual({ version: 2, edited: true });

      await workplace.write("fresh", `export default (): { version: number => ({ version: 3 })`);
      await expect
        .poll(
          async () =>
            JSON.stringify(
              (await client.callTool({ name: "describe_skill", arguments: { name: "fresh" } }))
                .structuredContent,
            ),
          { timeout: 10_000 },
        )
        .toContain("kept-last-good");
      expect(await call()).toEqual({ version: 2, edited: true });

      await workplace.write("fresh", `export default (): { version: string } => ({ version: "4" })`);
      await changed();
      expect(await call()).toEqual({ version: "4" });

      await workplace.remove("fresh");
      await changed();
      expect(await names()).not.toContain("fresh");
    });
  });
}
