import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { toolTypes } from "../../src/contracts/to-types/tool-types.ts";
import { allowedTools } from "../../src/core/tools/allowed-tools.ts";
import { matchesGlob } from "../../src/core/tools/glob.ts";
import type { Json } from "../../src/core/json/json.ts";
import { publishedTools } from "../../src/upstream/tools/published-tools.ts";
import { mcpServersShape, upstreamServers } from "../../src/upstream/upstream-config.ts";
import type { UpstreamTool } from "../../src/upstream/tools/upstream-tool.ts";

const CLIENTS_ACCEPT = /^[a-zA-Z0-9_-]{1,64}$/;

function tool(calls: string, more: Partial<UpstreamTool> = {}): UpstreamTool {
  const [server = "", ...name] = calls.split(".");
  return { server, name: name.join("."), inputSchema: { type: "object" }, annotations: {}, ...more };
}

describe("the settings of servers", () => {
  test.each([
    ["neither a command nor a url", {}, 'a server has either a "command" or a "url"'],
    ["both", { command: "a", url: "http://b" }, 'a server has either a "command" or a "url"'],
    ["headers of a command", { command: "a", headers: {} }, 'does not go with a "command"'],
    ["args of a url", { url: "http://a", args: [] }, 'does not go with a "url"'],
    ["the other's type", { url: "http://a", type: "stdio" }, '"stdio" does not go with a "url"'],
    ["an unknown setting", { command: "a", comand: "b" }, 'Unrecognized key: "comand"'],
    ["no time", { command: "a", timeoutMs: 0 }, "Too small"],
    ["a glob in tools", { command: "a", tools: { alow: [] } }, 'Unrecognized key: "alow"'],
  ])("with %s are refused", (_, server, message) => {
    const checked = mcpServersShape.safeParse({ a: server });
    expect(checked.error?.issues.map((issue) => issue.message).join("\n")).toContain(message);
  });

  test("have names that fit into the names of tools", () => {
    for (const name of ["a.b", "a b", "", "-a", "x".repeat(65)])
      expect(mcpServersShape.safeParse({ [name]: { command: "a" } }).error?.issues).toMatchObject([
        { path: [name], message: "the name of a server consists of up to 64 letters, digits, - and _" },
      ]);
  });

  test.each([
    [{ url: "not a url" }, '"url" is not an http or https address'],
    [{ url: "file:///etc" }, '"url" is not an http or https address'],
    [{ url: "http://a", type: "sse" }, '"type" is "sse", an old transport that is not spoken'],
    [{ url: "http://a", headers: { "a b": "c" } }, '"headers.a b" cannot be sent as a header'],
    [
      { command: "a", args: ["${A}", "${B}"] },
      '"args[1]" needs the environment variable B, which is not set',
    ],
  ])("may make one server unusable: %j", (server, message) => {
    const [bad, good] = upstreamServers(mcpServersShape.parse({ bad: server, good: { command: "b" } }), "/", {
      A: "",
    });
    expect(bad?.way).toMatchObject({
      kind: "unusable",
      error: {
        code: "CONFIG_INVALID",
        message: expect.stringContaining(`The server "bad" cannot be used: ${message}`),
      },
    });
    expect(good?.way).toEqual({ kind: "stdio", command: "b", args: [], env: {}, cwd: "/" });
  });

  test("have their variables expanded in every string", () => {
    const [server] = upstreamServers(
      mcpServersShape.parse({
        a: { url: "${URL:-http://a}/${PATH_}", headers: { k: "x${EMPTY:-y}${EMPTY}$HOME${1}" } },
      }),
      "/",
      { PATH_: "b", EMPTY: "", HOME: "/home" },
    );
    expect(server?.way).toEqual({ kind: "http", url: new URL("http://a/b"), headers: { k: "xy$HOME${1}" } });
  });
});

describe("globs", () => {
  test.each([
    ["get_order", "get_*", true],
    ["get_order", "*", true],
    ["get_order", "*order", true],
    ["get_order", "g*_*er", true],
    ["get_order", "get", false],
    ["a", "a*a", false],
    ["abcab", "ab*ab", true],
    ["aXbX", "a*X*b", false],
    ["a.b", "a?b", false],
  ])("%s fits %s: %s", (name, pattern, fits) => {
    expect(matchesGlob(name, [pattern])).toBe(fits);
  });

  test("take no time for the worst of patterns", () => {
    expect(matchesGlob("a".repeat(10_000), [`${"a*".repeat(1_000)}b`])).toBe(false);
  });
});

describe("a skill may call", () => {
  const may = (declared: Json | undefined, tools: readonly string[] = []) =>
    allowedTools({
      frontmatter: declared === undefined ? {} : { "allowed-tools": declared },
      calls: { tools },
    });

  test.each([
    ["shop.get_order", "shop.get_order", true],
    ["shop.get_order", "shop.get_orders", false],
    ["shop.*", "shop.cancel_order", true],
    ["shop.*", "shops.cancel_order", false],
    ["shop.get_* shop.list_*", "shop.list_orders", true],
    ["Read, shop.get_order, Bash(git add:*)", "shop.get_order", true],
    ["Read Bash(cat shop.get_order)", "shop.get_order", false],
    ["mcp__shop__get_order", "shop.get_order", true],
    ["mcp__shop__get_order", "shop.cancel_order", false],
    ["mcp__shop", "shop.cancel_order", true],
    ["mcp__shop__*", "shop.cancel_order", true],
    ["mcp__shop", "shopping.cancel_order", false],
    [["shop.get_order", 7], "shop.get_order", true],
    [["shop.get_order", 7], "web.search", false],
  ] as const)("what %j lists: %s is %s", (declared, name, allowed) => {
    expect(may(declared)(name)).toBe(allowed);
  });

  test("what it calls by literal name, where nothing is listed", () => {
    for (const declared of [undefined, "Read Bash(npm run test.unit)", 7, {}]) {
      expect(may(declared, ["shop.get_order"])("shop.get_order")).toBe(true);
      expect(may(declared, ["shop.get_order"])("shop.cancel_order")).toBe(false);
    }
    expect(may("web.*", ["shop.get_order"])("shop.get_order")).toBe(false);
  });
});

describe("tools that are published", () => {
  const ALL = { allow: ["*"], deny: [] };

  test("are those that are allowed and not denied, in a stable order", () => {
    const tools = ["shop.list", "shop.cancel", "web.search", "off.a"].map((name) => tool(name));
    const chosen = new Map([
      ["shop", { allow: ["*"], deny: ["can*"] }],
      ["web", { allow: ["sea*"], deny: [] }],
    ]);
    expect(publishedTools(tools, chosen).map(({ name, calls }) => [name, calls])).toEqual([
      ["shop__list", "shop.list"],
      ["web__search", "web.search"],
    ]);
    expect(publishedTools(tools.toReversed(), chosen)).toEqual(publishedTools(tools, chosen));
  });

  test("have names that are accepted everywhere, each its own", () => {
    const odd = [
      "a.b.c",
      "a.b/c",
      `a.${"x".repeat(100)}`,
      `a.${"x".repeat(101)}`,
      "a.ü",
      "a__b.c",
      "a.b__c",
      "a.ok",
    ];
    const names = publishedTools(
      odd.map((name) => tool(name)),
      new Map([
        ["a", ALL],
        ["a__b", ALL],
      ]),
      new Set(["a__ok"]),
    ).map(({ name }) => name);
    expect(new Set(names).size).toBe(odd.length);
    for (const name of names) expect(name).toMatch(CLIENTS_ACCEPT);
    expect(names.filter((name) => name === "a__ok")).toEqual([]);
  });

  test("say all four hints, the alarming way where their server says none", () => {
    const [silent, reads] = publishedTools(
      [tool("a.a"), tool("a.b", { title: "B", description: "Bs.", annotations: { readOnlyHint: true } })],
      new Map([["a", ALL]]),
    );
    expect(silent).toMatchObject({
      title: "a",
      description: "The tool a of the server a.",
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    });
    expect(reads).toMatchObject({
      title: "B",
      description: "Bs.",
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
  });
});

describe("types for the authors of skills", () => {
  const declarations = toolTypes(
    new Map([
      [
        "shop.get_order",
        {
          description: "One order */ by its number.",
          inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
          outputSchema: {
            type: "object",
            properties: { order: { $ref: "#/$defs/Order" } },
            required: ["order"],
            $defs: {
              Order: {
                type: "object",
                properties: {
                  total: { type: "number" },
                  parts: { type: "array", items: { $ref: "#/$defs/Order" } },
                },
                required: ["total", "parts"],
              },
            },
          },
        },
      ],
      ["shop.list", { inputSchema: { type: "object", properties: { top: { type: "integer" } } } }],
    ]),
  );

  async function faults(code: string): Promise<readonly string[]> {
    const folder = await mkdtemp(join(tmpdir(), "repertoire-types-"));
    try {
      const file = join(folder, "skill.ts");
      await writeFile(file, `${declarations}\n${code}\nexport {};\n`);
      const program = ts.createProgram([file], {
        strict: true,
        noEmit: true,
        target: ts.ScriptTarget.ES2023,
        lib: ["lib.es2023.d.ts"],
        types: [],
        moduleDetection: ts.ModuleDetectionKind.Force,
      });
      return ts
        .getPreEmitDiagnostics(program)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n").split("\n")[0] ?? "");
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  test("know what a tool takes and gives, and leave unknown tools open", async () => {
    const sound = `
      const { order } = await call_tool("shop.get_order", { id: "O-1" });
      const total: number = order.parts[0]!.total;
      await call_tool("shop.list");
      const anything: string = (await call_tool("shop.list", { top: 3 })).whatever;
      const other: number = await call_tool("web.search", { text: "tea" });
      const nothing: number = await call_tool("web.any");
      const name = "shop.get_order" as string;
      await call_tool(name, { id: 7 });
      export const all = { total, anything, other, nothing };`;
    expect(await faults(sound)).toEqual([]);
    const wrong = `
      await call_tool("shop.get_order", { id: 7 });
      await call_tool("shop.get_order");
      const { order } = await call_tool("shop.get_order", { id: "O-1" });
      export const total: string = order.total;`;
    expect(await faults(wrong)).toEqual([
      "Type 'number' is not assignable to type 'string'.",
      expect.stringMatching(/^Expected 2 arguments, but got 1/),
      "Type 'number' is not assignable to type 'string'.",
    ]);
  });
});
