import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApp } from "../../src/app.ts";
import type { App } from "../../src/rooms.ts";
import { keepTypesFresh } from "../../src/cli/commands/types.ts";
import { SkillCompiler } from "../../src/compiler/compile-skills.ts";
import { ToolListingCache, type ListedTool } from "../../src/checks/tool-listing-cache.ts";
import { type CallableTool, toolTypes } from "../../src/contracts/to-types/tool-types.ts";
import { readConfig } from "../../src/config.ts";
import type { Diagnostic } from "../../src/core/diagnostic.ts";
import type { JsonSchema } from "../../src/core/json/json-schema.ts";
import { Workplace } from "../server/connected-client.ts";
import { Neighbours } from "../upstream/upstream-fixtures.ts";
import { skillFolder } from "./read-folder.ts";

const SHOP = {
  command: process.execPath,
  args: [
    "--disable-warning=ExperimentalWarning",
    fileURLToPath(new URL("../../examples/shop-server.ts", import.meta.url)),
  ],
};

let folder: string;
let shop: readonly ListedTool[];
let known: ToolListingCache;
let compiler: SkillCompiler;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "repertoire-tools-"));
  await using others = new Neighbours({ shop: SHOP });
  shop = (await others.tools()).tools;
  known = knownTools("shared.json", ["shop", "down"]);
  known.take(shop);
  compiler = new SkillCompiler({ tools: known });
});
afterAll(async () => {
  await compiler.close();
  await known.close();
  await rm(folder, { recursive: true });
});

function knownTools(file: string, servers: readonly string[], settings: object = {}): ToolListingCache {
  return new ToolListingCache({
    file: join(folder, file),
    servers: new Map(servers.map((name) => [name, settings])),
  });
}

function tool(calls: string, inputSchema: JsonSchema, outputSchema?: JsonSchema): ListedTool {
  const [server = "", name = ""] = calls.split(".", 2);
  return { server, name, inputSchema, outputSchema };
}

/** Findings in a skill with this body; it begins on line 2, after two spaces. */
async function findingsOf(
  body: string,
  { file = "skill.ts", frontmatter = "" } = {},
): Promise<readonly Diagnostic[]> {
  const head = file.endsWith(".ts")
    ? "export default async function run(input: { id: string; count: number }): Promise<unknown> {"
    : "/** @param {{ id: string, count: number }} input @returns {Promise<unknown>} */ export default async function run(input) {";
  const code = `${head}\n  ${body}\n  return null;\n}\n`;
  const { diagnostics, findings } = await compiler.compile([
    skillFolder("clerk", { [file]: code }, frontmatter),
  ]);
  expect(diagnostics).toEqual([]);
  return findings;
}

describe("a call of an upstream tool is right", () => {
  test.each([
    ["with what the tool takes", `await call_tool("shop.get_order", { id: input.id });`],
    ["without arguments where none are needed", `await call_tool("shop.list_products");`],
    ["with one of the choices", `await call_tool("shop.list_products", { category: "tea" });`],
    [
      "where its result is used as it is",
      `const { order } = await call_tool("shop.get_order", { id: "O-1001" });
  const city: string = order.shipTo.city; const units: number[] = order.items.map(({ quantity }) => quantity);
  void [city, units];`,
    ],
    [
      "in a loop over names",
      `for (const name of ["shop.get_order", "shop.cancel_order"] as const) await call_tool(name, { id: "O-1" });`,
    ],
    ["by a pattern that some tool fits", "(await call_tool(`shop.${input.id}`, { any: 1 })).thing;"],
    ["by a name that is known only at run time", "(await call_tool(input.id, { any: 1 })).thing;"],
    ["of a server that has not been reached", `(await call_tool("down.anything", { any: 1 })).thing;`],
    ["of a server that nobody knows", `(await call_tool("nobody.anything", 7)).thing;`],
    [
      "behind a comment that says so",
      `// @ts-expect-error: the server is to refuse it\n  await call_tool("shop.get_order", { id: 7 });`,
    ],
  ])("%s", async (_, body) => {
    // That a name is known only at run time is told, and nothing is wrong with it.
    const wrong = (await findingsOf(body)).filter(({ severity }) => severity !== "info");
    expect(wrong).toEqual([]);
  });

  test("where the skill declares it", async () => {
    const body = `await call_tool("shop.get_order", { id: input.id });`;
    expect(await findingsOf(body, { frontmatter: "allowed-tools: shop.get_*\n" })).toEqual([]);
  });
});

describe("a call of an upstream tool is wrong", () => {
  type Case = readonly [string, string, string, Diagnostic["code"], RegExp];
  test.each<Case>([
    [
      "when an argument has another type",
      `await call_tool("shop.get_order", { id: input.count });`,
      "2:39",
      "call-type",
      /Type 'number' is not assignable to type 'string' \(TS2322\)/,
    ],
    [
      "when an argument is missing",
      `await call_tool("shop.update_order_address", { id: input.id });`,
      "2:48",
      "call-type",
      /Property 'shipTo' is missing .* 'ShopUpdateOrderAddressInput' \(TS2345\)/,
    ],
    [
      "when all of them are",
      `await call_tool("shop.get_order");`,
      "2:9",
      "call-type",
      /Expected 2 arguments, but got 1/,
    ],
    [
      "when an argument is misspelt",
      `await call_tool("shop.find_customer", { txt: "Ada" });`,
      "2:43",
      "call-type",
      /did you mean.*'text'/i,
    ],
    [
      "when a literal is none of the choices",
      `await call_tool("shop.list_products", { category: "cocoa" });`,
      "2:43",
      "call-type",
      /"cocoa".*"tea" \| "coffee" \| "dishes"/,
    ],
    [
      "when a nested argument is missing",
      `await call_tool("shop.update_order_address", { id: "O-1", shipTo: { city: "Lund" } });`,
      "2:61",
      "call-type",
      /missing the following properties.*street.*postcode/,
    ],
    [
      "when the result's property is misspelt",
      `(await call_tool("shop.get_order", { id: "O-1" })).order.totl;`,
      "2:60",
      "call-type",
      /Did you mean 'total'/,
    ],
    [
      "when the result goes where it does not fit",
      `const id: string = (await call_tool("shop.get_order", { id: "O-1" })).order.total; void id;`,
      "2:9",
      "call-type",
      /'number' is not assignable to type 'string'/,
    ],
    [
      "when one of several tools takes something else",
      `await call_tool(input.count > 1 ? "shop.get_order" : "shop.find_customer", { id: "O-1" });`,
      "2:78",
      "call-type",
      /'text' is missing/,
    ],
    [
      "when its name is misspelt",
      `await call_tool("shop.get_ordr", { id: input.id });`,
      "2:19",
      "call-unknown",
      /The server "shop" has no tool "get_ordr"/,
    ],
    [
      "when it names a server alone",
      `await call_tool("shop", { id: input.id });`,
      "2:19",
      "call-unknown",
      /"shop" is a server; a tool is named "shop\.tool"/,
    ],
    [
      "when a name made of constants is",
      'const what = "ordr"; await call_tool(`shop.get_${what}`, { id: input.id });',
      "2:40",
      "call-unknown",
      /has no tool "get_ordr"/,
    ],
  ])("%s", async (_, body, place, code, message) => {
    const findings = await findingsOf(body);
    expect(
      findings.map(({ line, column, ...rest }) => [`${line}:${column}`, rest.code, rest.severity]),
    ).toEqual([[place, code, "error"]]);
    expect(findings[0]?.message).toMatch(message);
  });

  test("and what was meant is told", async () => {
    const [near] = await findingsOf(`await call_tool("shop.get_ordr", { id: input.id });`);
    expect(near?.fix).toBe('Did you mean "shop.get_order"?');
    const [far] = await findingsOf(`await call_tool("shop.refund", { id: input.id });`);
    expect(far?.fix).toContain("bin/repertoire.js upstream` asks the servers again");
  });

  test("when the skill's `allowed-tools` does not list it", async () => {
    const body = `await call_tool("shop.get_order", { id: input.id }); await call_tool("down.any");`;
    const findings = await findingsOf(body, { frontmatter: "allowed-tools: shop.list_*\n" });
    expect(findings.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`)).toEqual(
      ["shop.get_order", "down.any"].map(
        (name, index) =>
          `2:${index === 0 ? 19 : 72} call-unknown The skill may not call the upstream tool "${name}": its \`allowed-tools\` does not list it`,
      ),
    );
  });

  test("in JavaScript as in TypeScript", async () => {
    const body = `const o = {}; o.more = 1; const { order } = await call_tool("shop.get_order", { id: 7 }); order.totl;`;
    expect((await findingsOf(body, { file: "skill.js" })).map(({ message }) => message)).toEqual([
      expect.stringContaining("'number' is not assignable to type 'string'"),
      expect.stringContaining("Did you mean 'total'?"),
    ]);
  });
});

describe("what servers say cannot break the declarations", () => {
  const HOSTILE = [
    "*/",
    "/*",
    "`",
    '"',
    "'",
    "\\",
    "\n",
    "\u2028",
    "${x}",
    "__proto__",
    "constructor",
    "new",
    "}",
    "//",
    "#",
    "/",
  ];
  const words = fc
    .array(fc.oneof(fc.string(), fc.constantFrom(...HOSTILE)), { maxLength: 4 })
    .map((parts) => parts.join(""));
  const pointer = fc.oneof(
    words,
    fc.constantFrom("#", "#/$defs/a", "#/definitions/a", "#/properties/a", "#/%", "#/$defs/__proto__"),
  );
  const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
    const parts = fc.dictionary(fc.oneof(fc.constant("a"), words), tie("schema"));
    return {
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.record({ type: fc.constantFrom("string", "integer", "any"), description: words, default: words }),
        fc.record({ $ref: pointer, description: words }),
        fc.record({ enum: fc.array(words) }),
        fc.record({ const: fc.dictionary(words, words) }),
        fc.record({ type: fc.constant("object"), properties: parts, required: fc.array(words) }),
        fc.record({
          patternProperties: parts,
          additionalProperties: fc.boolean(),
          type: fc.constant("object"),
        }),
        fc.record({ type: fc.constant("array"), items: tie("schema") }),
        fc.record({ anyOf: fc.array(tie("schema")) }),
        fc.record({ allOf: fc.array(tie("schema")), $defs: parts, definitions: parts, $ref: pointer }),
      ),
    };
  });
  const hostileTool: fc.Arbitrary<CallableTool> = fc.record({
    description: words,
    inputSchema: schema,
    outputSchema: fc.option(schema, { nil: undefined }),
  });

  test("whatever it is", () => {
    const name = fc.tuple(fc.constantFrom("shop", "web"), words).map((parts) => parts.join("."));
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(name, hostileTool), { selector: ([each]) => each, maxLength: 4 }),
        (tools) => {
          const file = ts.createSourceFile("tools.d.ts", toolTypes(new Map(tools)), ts.ScriptTarget.ES2023);
          const { parseDiagnostics } = file as unknown as { parseDiagnostics: readonly ts.Diagnostic[] };
          expect(parseDiagnostics.map(({ messageText }) => messageText)).toEqual([]);
          const declared = file.statements.map((statement) =>
            ts.isModuleDeclaration(statement) ||
            ts.isInterfaceDeclaration(statement) ||
            ts.isTypeAliasDeclaration(statement) ||
            ts.isFunctionDeclaration(statement)
              ? statement.name?.text
              : "",
          );
          expect(declared).toEqual([
            "Tools",
            "ToolMap",
            "ToolServer",
            "ToolName",
            "KnownToolName",
            "ToolInput",
            "ToolArguments",
            "ToolOutput",
            "call_tool",
          ]);
          const map = file.statements[1];
          const names =
            map && ts.isInterfaceDeclaration(map)
              ? map.members.map(
                  (member) => member.name && ts.isStringLiteral(member.name) && member.name.text,
                )
              : [];
          expect(names).toEqual(tools.map(([each]) => each).toSorted());
        },
      ),
      { numRuns: 300 },
    );
  });

  const choices = (key: string): JsonSchema => ({
    anyOf: Array.from({ length: 60 }, (_, index) => ({
      type: "object",
      properties: { [key]: { const: `${key}-${index}` } },
      required: [key],
    })),
  });
  test("and calls that it cannot type are left open", async () => {
    const hostile: Readonly<Record<string, JsonSchema>> = {
      "nothing-but-itself": { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } },
      "leads-nowhere": { $ref: "https://example.org/schema.json" },
      "product-of-choices": { type: "object", allOf: ["a", "b", "c", "d", "e"].map(choices) },
      "too-long": {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 5_000 }, (_, index) => [`property_${index}`, { type: "string" }]),
        ),
        required: ["property_1"],
      },
      "patterns-of-names": {
        type: "object",
        patternProperties: { "^a": { type: "number" } },
        additionalProperties: false,
      },
      nonsense: { type: "object", unknown: 1, properties: 7, required: { a: 1 } },
    };
    const own = knownTools("hostile.json", ["evil"]);
    own.take(Object.entries(hostile).map(([name, each]) => tool(`evil.${name}`, each, each)));
    const checking = new SkillCompiler({ tools: own });
    const { skills, findings } = await checking.compile(
      Object.keys(hostile).map((name) =>
        skillFolder(
          name,
          `interface Given { any: number }
export default async (input: Given): Promise<unknown> => {
  const { what } = await call_tool("evil.${name}", input);
  return what;
};`,
        ),
      ),
    );
    await checking.close();
    await own.close();
    expect(findings).toEqual([]);
    expect(skills.length).toBe(Object.keys(hostile).length);
  });

  test("but what leads back to itself is typed at every depth", async () => {
    const own = knownTools("recursive.json", ["tree"]);
    const node = (pointer: string): JsonSchema => ({
      type: "object",
      properties: { name: { type: "string" }, inner: { type: "array", items: { $ref: pointer } } },
      required: ["name"],
    });
    own.take([
      tool("tree.root", node("#")),
      tool("tree.named", {
        ...node("#/definitions/Node"),
        definitions: { Node: node("#/definitions/Node") },
      }),
      tool("tree.path", node("#/properties/inner/items/x")),
    ]);
    const checking = new SkillCompiler({ tools: own });
    const call = (name: string): string =>
      `  await call_tool("tree.${name}", { name: "a", inner: [{ name: "b", inner: [{ name: 1 }] }] });`;
    const code = [
      "export default async (): Promise<void> => {",
      ...["root", "named", "path"].map(call),
      "};",
    ];
    const { findings } = await checking.compile([skillFolder("grower", code.join("\n"))]);
    await checking.close();
    await own.close();
    expect(findings.map(({ line, message }) => `${line} ${message}`)).toEqual([
      "2 Type 'number' is not assignable to type 'string' (TS2322)",
      "3 Type 'number' is not assignable to type 'string' (TS2322)",
    ]);
  });
});

describe("what is known of tools", () => {
  const order: JsonSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
  const names = async (tools: ToolListingCache): Promise<readonly string[]> => [
    ...(await tools.all()).keys(),
  ];

  test("is kept for processes to come, by the settings of the servers", async () => {
    const first = knownTools("kept.json", ["a", "b"]);
    first.take([tool("a.one", order, order), tool("b.two", order)]);
    await first.close();
    const second = knownTools("kept.json", ["a", "c"]);
    expect(await names(second)).toEqual(["a.one"]);
    expect((await second.all()).get("a.one")).toEqual({ inputSchema: order, outputSchema: order });
    expect(await names(knownTools("kept.json", ["a"], { command: "another" }))).toEqual([]);
    second.take([tool("c.three", order)]);
    await second.close();
    expect((await names(knownTools("kept.json", ["a", "b", "c"]))).toSorted()).toEqual([
      "a.one",
      "b.two",
      "c.three",
    ]);
  });

  test.each([
    ["nonsense", "{ nonsense"],
    ["another form", '{"servers":{"a":{"settings":1}}}'],
  ])("is nothing where the file holds %s", async (_, text) => {
    await writeFile(join(folder, "broken.json"), text);
    const tools = knownTools("broken.json", ["a"]);
    expect(await names(tools)).toEqual([]);
    tools.take([tool("a.one", order)]);
    await tools.close();
    expect(JSON.parse(await readFile(join(folder, "broken.json"), "utf8"))).toMatchObject({
      servers: { a: { tools: [{ name: "one" }] } },
    });
  });

  test("changes with a server's list, also when nothing is left of it; the same list is no change", async () => {
    const tools = knownTools("changes.json", ["a", "b"]);
    let changes = 0;
    tools.onChange(() => (changes += 1));
    const steps: [readonly ListedTool[], number][] = [
      [[tool("a.one", order), tool("b.two", order)], 1],
      [[tool("a.one", order), tool("b.two", order)], 1],
      [[tool("b.two", order)], 2],
      [[tool("b.two", {})], 3],
    ];
    for (const [listed, count] of steps) {
      tools.take(listed);
      expect((await names(tools)).toSorted()).toEqual(
        listed.map((each) => `${each.server}.${each.name}`).toSorted(),
      );
      expect(changes).toBe(count);
    }
    await tools.close();
  });

  test("is part of what results of checks are kept by; its words are not", async () => {
    const code = `export default async (): Promise<unknown> => call_tool("a.one", { id: 1 });`;
    const check = async (listed: ListedTool): Promise<[count: number, threads: number]> => {
      const tools = knownTools("keys.json", ["a"]);
      tools.take([listed]);
      let threads = 0;
      const onWorker = (): void => void (threads += 1);
      process.on("worker", onWorker);
      const checking = new SkillCompiler({ tools, cacheFolder: join(folder, "cache") });
      const { findings } = await checking.compile([skillFolder("caller", code)]);
      await checking.close();
      await tools.close();
      process.off("worker", onWorker);
      return [findings.length, threads];
    };
    expect(await check(tool("a.one", order))).toEqual([1, 1]);
    expect(await check({ ...tool("a.one", order), description: "Other words" })).toEqual([1, 0]);
    expect(await check(tool("a.one", { type: "object", properties: { id: { type: "number" } } }))).toEqual([
      0, 1,
    ]);
    expect(await check(tool("a.one", order))).toEqual([1, 0]);
  });
});

describe("a server", () => {
  const CLERK = `export default async (): Promise<string> => {
  const { order } = await call_tool("shop.get_order", { id: "O-1001" });
  return order.total;
};`;
  const config = { data: "data", mcpServers: { shop: SHOP, gone: { command: "no-such-command" } } };

  async function opened(workplace: Workplace): Promise<App & AsyncDisposable> {
    const read = await readConfig({ cwd: workplace.folder });
    if (!read.ok) throw new Error(read.error.message);
    const app = openApp(read.value, { patienceMs: 60_000 });
    return Object.assign(app, { [Symbol.asyncDispose]: async () => app.close() });
  }

  async function settled(app: App, holds: (faulty: readonly string[]) => boolean): Promise<void> {
    const catalog = await app.catalog;
    await expect
      .poll(() => holds([...catalog.snapshot.faulty.keys()]), { timeout: 20_000, interval: 50 })
      .toBe(true);
  }

  test("shows skills before their tools are known, and checks them when they are; later at once", async () => {
    await using workplace = await Workplace.create({ clerk: CLERK }, config);
    {
      await using app = await opened(workplace);
      const catalog = await app.catalog;
      expect([...catalog.snapshot.skills.keys()]).toEqual(["clerk"]);
      expect(catalog.snapshot.diagnostics).toEqual([]);
      await keepTypesFresh(app, { create: true });
      expect(app.upstreams.health().map(({ state }) => state)).toEqual(["idle", "idle"]);
      const { failures } = await app.upstreams.tools();
      expect([...failures.keys()]).toEqual(["gone"]);
      await settled(app, (faulty) => faulty.includes("clerk"));
      const types = join(workplace.skills, "skills.d.ts");
      await expect
        .poll(async () => readFile(types, "utf8"), { timeout: 20_000 })
        .toContain('"shop.get_order": {');
      expect(catalog.snapshot.diagnostics).toMatchObject([
        { code: "call-type", line: 3, column: 3, message: expect.stringContaining("TS2322") },
      ]);
    }
    await using app = await opened(workplace);
    expect([...(await app.catalog).snapshot.faulty.keys()]).toEqual(["clerk"]);
  });

  test.each([
    ["wrong", "call-unknown", false],
    ["held", "tool-changed", true],
  ])("asks again where what was kept makes a skill look %s", async (_, code, isPinned) => {
    const sound = CLERK.replace("order.total", "order.id");
    await using workplace = await Workplace.create({ clerk: sound }, config);
    const kept = join(workplace.folder, "data/cache/upstream-tools.json");
    {
      await using app = await opened(workplace);
      await app.catalog;
      await app.upstreams.tools("shop");
    }
    await writeFile(kept, (await readFile(kept, "utf8")).replace('"get_order"', '"get_orders"'));
    if (!isPinned) await rm(join(workplace.folder, "data/upstream-pins.json"));
    await using app = await opened(workplace);
    const catalog = await app.catalog;
    expect(catalog.snapshot.diagnostics).toMatchObject([{ code }]);
    await expect.poll(() => catalog.snapshot.diagnostics, { timeout: 20_000, interval: 50 }).toEqual([]);
    expect(await readFile(kept, "utf8")).toContain('"get_order"');
  });
});
