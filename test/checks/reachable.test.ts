import { afterAll, describe, expect, test } from "vitest";
import { SkillCompiler } from "../../src/compiler/compile-skills.ts";
import type { SkillFolder } from "../../src/core/skill.ts";
import { skillFolder } from "./read-folder.ts";

const DEPTHS: Readonly<Record<string, number>> = { patient: 9 };
const compiler = new SkillCompiler({
  servers: new Set(["market", "bank"]),
  depthOf: (name) => DEPTHS[name] ?? 2,
});
afterAll(() => compiler.close());

async function findingsOf(...folders: readonly SkillFolder[]): Promise<readonly string[]> {
  const { findings } = await compiler.compile(folders);
  return findings.map(({ severity, code, path, message }) => `${severity} ${code} ${path} ${message}`);
}

const body = (text: string, parameters = ""): string =>
  `export default async (${parameters}): Promise<unknown> => ${text};`;
const caller = (name: string, callee: string, frontmatter = ""): SkillFolder =>
  skillFolder(name, body(`call_skill(${JSON.stringify(callee)})`), frontmatter);
const leaf = (name: string): SkillFolder => skillFolder(name, body("Promise.resolve(1)"));

describe("tools", () => {
  test("of a server that is not configured are told, with the server that was meant", async () => {
    const { findings } = await compiler.compile([
      skillFolder("a", body(`call_tool("executor", {})`)),
      skillFolder("b", body(`call_tool("markt.get_order", {})`)),
      skillFolder("c", body(`call_tool("market.get_order", {})`)),
    ]);
    expect(findings).toMatchObject([
      {
        code: "tool-unserved",
        severity: "warning",
        path: "/skills/a/skill.ts",
        line: 1,
        message: 'No configured server has the upstream tool "executor": there is no server "executor"',
      },
      { code: "tool-unserved", path: "/skills/b/skill.ts", fix: 'Did you mean "market.get_order"?' },
    ]);
  });

  test("that the configuration leaves out are told so, and not as the server's doing", async () => {
    const choosing = new SkillCompiler({
      servers: new Set(["market"]),
      isLeftOut: (tool) => tool === "market.set_price",
      configFile: "/work/mcp.config.json",
    });
    const { findings } = await choosing.compile([
      skillFolder("a", body(`call_tool("market.set_price", {})`)),
      skillFolder("b", body(`call_tool("market.get_price", {})`)),
    ]);
    await choosing.close();
    expect(findings).toMatchObject([
      {
        code: "call-unknown",
        severity: "error",
        path: "/skills/a/skill.ts",
        message: 'The configuration leaves the tool "market.set_price" out: "tools" of "mcpServers.market"',
        fix: "Choose it there in /work/mcp.config.json, or do not call it",
      },
    ]);
  });

  test("of a server that the skill says it needs are a note", async () => {
    const needs = "compatibility: Needs the upstream server `notes`, for `search` too\n";
    expect(
      await findingsOf(
        skillFolder("a", body(`call_tool("notes.write", {})`), needs),
        skillFolder("b", body(`call_tool("note.write", {})`), needs),
      ),
    ).toEqual([
      expect.stringContaining("info tool-unserved /skills/a/skill.ts"),
      expect.stringContaining("warning tool-unserved /skills/b/skill.ts"),
    ]);
  });

  test("of a server whose name only running tells are told", async () => {
    const dynamic = skillFolder("a", body("call_tool(name, {})", "{ name }: { name: string }"));
    expect(await findingsOf(dynamic)).toEqual([
      expect.stringContaining("info call-dynamic /skills/a/skill.ts"),
    ]);
  });
});

describe("a tool's name that only running tells", () => {
  const NAMED = "{ x }: { x: string }";
  const knowing = new SkillCompiler({
    servers: new Set(["market", "bank"]),
    tools: {
      all: async () =>
        new Map(["get_order", "get_price"].map((name) => [`market.${name}`, { inputSchema: {} }])),
      onChange: () => () => {},
      doubt: () => {},
    },
  });
  afterAll(() => knowing.close());

  test.each([
    ["a server that is not configured", "`shop.${x}`", "warning tool-unserved"],
    ["a server's name that is cut off", "`mark.${x}`", "warning tool-unserved"],
    ["no tool of its server", "`market.set_${x}`", "error call-unknown"],
    ["a tool of its server", "`market.get_${x}`", "info call-dynamic"],
    ["a server whose tools are not known", "`bank.${x}`", "info call-dynamic"],
    ["any server", "`${x}.get_order`", "info call-dynamic"],
    ["a server whose name is told in part", "`ba${x}`", "info call-dynamic"],
  ])("is of %s: %s", async (_, name, told) => {
    const { findings } = await knowing.compile([skillFolder("a", body(`call_tool(${name}, {})`, NAMED))]);
    expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([told]);
  });
});

describe("a chain of calls", () => {
  test("that is longer than the limit of its root is told there, with the whole chain", async () => {
    expect(
      await findingsOf(
        caller("a", "b"),
        caller("b", "c"),
        caller("c", "d"),
        caller("patient", "b"),
        leaf("d"),
      ),
    ).toEqual([
      'warning call-too-deep /skills/a/skill.ts Calls are nested 3 deep below "a", the limit is 2: a -> b -> c -> d',
    ]);
  });

  test("is held to a limit that the skill asks for itself", async () => {
    expect(await findingsOf(caller("a", "b", "limits: { depth: 1 }\n"), caller("b", "c"), leaf("c"))).toEqual(
      [expect.stringContaining('nested 2 deep below "a", the limit is 1: a -> b -> c')],
    );
  });
});

describe("a name that only running tells", () => {
  const NAMED = "{ x }: { x: string }";
  test.each([
    ["a template", "call_skill(`train-${x}`)"],
    ["a template with its end", "call_skill(`${x}-train`)"],
    ["a sum", `call_skill("train-" + x)`],
    ["a template in a constant", "{ const name = `train-${x}`; return call_skill(name); }"],
    ["a template of choices", 'call_skill(`${x === "" ? "car" : "train"}-${x}`)'],
  ])("is an error where no skill's name fits: %s", async (_, text) => {
    const [found, ...others] = await findingsOf(
      skillFolder("a", body(text, NAMED)),
      leaf("flight-search"),
      leaf("trains-search"),
    );
    expect(found).toMatch(/^error call-unknown \/skills\/a\/skill\.ts No skill has a name of the form /);
    expect(others).toEqual([]);
  });

  test.each([
    ["a template", "call_skill(`flight-${x}`)"],
    ["a template with its end", "call_skill(`${x}-search`)"],
    ["a sum", `call_skill("flight-" + x)`],
    ["a template of choices", 'call_skill(`${x === "" ? "flight" : "train"}-${x}`)'],
  ])("is right where one fits: %s", async (_, text) => {
    expect(await findingsOf(skillFolder("a", body(text, NAMED)), leaf("flight-search"))).toEqual([]);
  });

  test("is told where the text says nothing, unless `composes` says what may be called", async () => {
    const text = body("call_skill(x)", NAMED);
    expect(await findingsOf(skillFolder("a", text), leaf("b"))).toEqual([
      expect.stringContaining(
        "info call-dynamic /skills/a/skill.ts Which skill is called here is known only",
      ),
    ]);
    expect(await findingsOf(skillFolder("a", text, "composes: [b]\n"), leaf("b"))).toEqual([]);
  });
});
