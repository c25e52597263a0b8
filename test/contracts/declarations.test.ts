import { afterAll, describe, expect, test } from "vitest";
import { SkillCompiler } from "../../src/compiler/compile-skills.ts";
import { skillGraph } from "../../src/graph/skill-graph.ts";
import type { SkillFolder } from "../../src/core/skill.ts";
import { skillFolder } from "../checks/read-folder.ts";
import { compiler } from "../shared-threads.ts";

const calling = (...names: readonly string[]): string =>
  `export default async function run(): Promise<void> {\n${names.map((name) => `  await call_skill(${JSON.stringify(name)});`).join("\n")}\n}`;
const TOOL = `export default async (): Promise<void> => { await call_tool("files.write"); };`;
const LOOP = `export default async (): Promise<void> => {\n  for (let n = 0; n < 3; n++) await call_skill("leaf");\n};`;
const DYNAMIC = `export default async (name: string): Promise<void> => { await call_skill(name); };`;

/** Findings as `code severity file:line message`. */
async function findingsOf(...folders: readonly SkillFolder[]): Promise<readonly string[]> {
  const { diagnostics, findings } = await compiler.compile(folders);
  expect(diagnostics).toEqual([]);
  return findings.map(
    ({ code, severity, path, line, message }) =>
      `${code} ${severity} ${path.replace("/skills/", "")}:${line} ${message}`,
  );
}

const leaf = skillFolder("leaf", calling());
const writer = skillFolder("writer", TOOL);

describe("`composes`", () => {
  test("that names what the code calls is right, in any order", async () => {
    expect(
      await findingsOf(
        skillFolder("s", calling("leaf", "writer"), "composes: [writer, leaf]\n"),
        leaf,
        writer,
      ),
    ).toEqual([]);
  });

  test("that lists what is not there is an error that names what was meant", async () => {
    const [finding] = (
      await compiler.compile([skillFolder("s", calling("leaf"), "composes: [leaf, wirter]\n"), leaf, writer])
    ).findings;
    expect(finding).toMatchObject({
      code: "composes-unknown",
      severity: "error",
      path: "/skills/s/SKILL.md",
      line: 4,
      message: 'There is no skill "wirter"',
      fix: 'Did you mean "writer"?',
    });
  });

  test("that lists what the code does not call, or not all that it calls, is a warning", async () => {
    expect(await findingsOf(skillFolder("s", calling("leaf"), "composes: [writer]\n"), leaf, writer)).toEqual(
      [
        'composes-unused warning s/SKILL.md:4 `composes` lists "writer", but the code does not call it',
        'composes-undeclared warning s/skill.ts:2 The code calls "leaf", but `composes` does not list it',
      ],
    );
  });

  test("counts for all that the code does not tell, where names are known only at run time", async () => {
    expect(await findingsOf(skillFolder("s", DYNAMIC, "composes: [leaf, writer]\n"), leaf, writer)).toEqual(
      [],
    );
  });

  test("counts for a skill without code", async () => {
    expect(await findingsOf(skillFolder("s", {}, "composes: [leaf]\n"), leaf)).toEqual([]);
    expect(
      await findingsOf(skillFolder("s", {}, "composes: [t]\n"), skillFolder("t", {}, "composes: [s]\n")),
    ).toEqual(["call-cycle error t/SKILL.md:4 Circular dependency detected: s -> t -> s"]);
  });
});

describe("the level", () => {
  test.each<[string, number, SkillFolder]>([
    ["of code that calls no skill is 1", 1, skillFolder("s", TOOL)],
    ["of code that calls skills is 2", 2, skillFolder("s", calling("leaf"))],
    ["of code that loops over calls is 3", 3, skillFolder("s", LOOP)],
    ["of code that chooses names at run time is 3", 3, skillFolder("s", DYNAMIC)],
    ["of code that calls itself is 3", 3, skillFolder("s", calling("s"), "composes: [s]\n")],
    ["of instructions is what they declare", 3, skillFolder("s", {}, "level: 3\ncomposes: [leaf]\n")],
    [
      "of instructions that declare none is what `composes` tells",
      2,
      skillFolder("s", {}, "composes: [leaf]\n"),
    ],
  ])("%s", async (_, level, folder) => {
    const { skills } = await compiler.compile([folder, leaf]);
    expect(skills.find(({ name }) => name === "s")?.level).toBe(level);
  });

  test.each<[string, readonly string[], SkillFolder]>([
    ["that is right is no finding", [], skillFolder("s", calling("leaf"), "level: 2\n")],
    [
      "1 of what calls skills is an error",
      [
        "level-declared error s/SKILL.md:4 The skill declares level 1 (atomic), but is of level 2 (composite): it calls leaf",
      ],
      skillFolder("s", calling("leaf"), "level: 1\n"),
    ],
    [
      "1 of instructions that compose is an error",
      [
        "level-declared error s/SKILL.md:4 The skill declares level 1 (atomic), but is of level 2 (composite): it calls leaf",
      ],
      skillFolder("s", {}, "level: 1\ncomposes: [leaf]\n"),
    ],
    [
      "2 of what loops over calls is an error",
      [
        "level-declared error s/SKILL.md:4 The skill declares level 2 (composite), but is of level 3 (workflow): it calls skills in a loop",
      ],
      skillFolder("s", LOOP, "level: 2\n"),
    ],
    [
      "3 of what calls once is a warning",
      [
        "level-declared warning s/SKILL.md:4 The skill declares level 3 (workflow), but is of level 2 (composite): it calls leaf",
      ],
      skillFolder("s", calling("leaf"), "level: 3\n"),
    ],
    [
      "of a callee that is higher is a warning at the call",
      [
        'level-order warning s/skill.ts:2 A skill of level 2 (composite) calls "loop", which is of level 3 (workflow)',
      ],
      skillFolder("s", calling("loop"), "level: 2\n"),
    ],
    [
      "of a callee that is higher is no finding where none is declared",
      [],
      skillFolder("s", calling("loop")),
    ],
  ])("%s", async (_, expected, folder) => {
    expect(await findingsOf(folder, skillFolder("loop", LOOP), leaf)).toEqual(expected);
  });
});

describe("a declared operation", () => {
  const middle = skillFolder("middle", calling("leaf", "writer"));

  test("that is weaker than what the skill reaches is an error with the path that reaches it", async () => {
    const { findings, skills } = await compiler.compile([
      skillFolder("s", calling("leaf", "middle"), "operation: READ\n"),
      middle,
      leaf,
      writer,
    ]);
    expect(findings).toEqual([
      {
        code: "operation-declared",
        severity: "error",
        path: "/skills/s/SKILL.md",
        line: 4,
        column: 1,
        message: "The skill declares READ, but reaches WRITE: s -> middle -> writer",
        fix: 'Write operation: WRITE, or do not call "middle"',
        related: [
          { path: "/skills/s/skill.ts", line: 3, column: 20, message: "s calls middle" },
          { path: "/skills/middle/skill.ts", line: 3, column: 20, message: "middle calls writer" },
        ],
      },
    ]);
    expect(skills[0]?.operation).toBe("WRITE");
  });

  test("is checked for instructions, too", async () => {
    expect(await findingsOf(skillFolder("s", {}, "operation: READ\ncomposes: [writer]\n"), writer)).toEqual([
      "operation-declared error s/SKILL.md:4 The skill declares READ, but reaches WRITE: s -> writer",
    ]);
  });

  test.each([
    ["as strong as what it reaches", "WRITE"],
    ["left out", undefined],
  ])("that is %s is no finding", async (_, operation) => {
    const declared = operation === undefined ? "" : `operation: ${operation}\n`;
    expect(await findingsOf(skillFolder("s", calling("middle"), declared), middle, leaf, writer)).toEqual([]);
  });

  describe("of a skill that calls tools", () => {
    const folder = skillFolder("s", TOOL, "operation: READ\n");
    const caller = skillFolder("caller", calling("s"), "operation: READ\n");
    let isReadOnly: boolean | undefined;
    const knowing = new SkillCompiler({
      tools: {
        all: async () => Promise.resolve(new Map()),
        onChange: () => () => false,
        doubt: () => undefined,
        isReadOnly: () => isReadOnly,
      },
    });
    afterAll(() => knowing.close());

    test.each([undefined, false])("is not believed where they are read-only: %s", async (isSaid) => {
      isReadOnly = isSaid;
      const { findings, skills } = await knowing.compile([folder, caller]);
      expect(findings).toEqual([
        {
          code: "operation-declared",
          severity: "warning",
          path: "/skills/s/SKILL.md",
          line: 4,
          column: 1,
          message:
            'The skill declares READ, but calls "files.write", of which nobody says that it only reads: it counts as one that writes',
          fix: 'Write operation: WRITE; or, where they do only read, "operations": {"tool": "READ"} in the settings of their server',
        },
      ]);
      expect(skills.map(({ operation }) => operation)).toEqual(["WRITE", "WRITE"]);
    });

    test.each([
      ["READ", "READ", []],
      ["WRITE", "WRITE", []],
      [
        "TRANSFORM",
        "READ",
        ["The skill declares TRANSFORM, but calls upstream tools, which look at the world"],
      ],
    ])("that only read: %s counts as %s", async (declared, expected, messages) => {
      isReadOnly = true;
      const { findings, skills } = await knowing.compile([
        skillFolder("s", TOOL, `operation: ${declared}\n`),
      ]);
      expect(skills[0]?.operation).toBe(expected);
      expect(findings.map(({ message }) => message)).toEqual(messages);
    });

    test.each([
      ["taken from the global object", '(globalThis as any)["call_" + "tool"]("shop.cancel", {})'],
      [
        "made of text",
        '((() => 1) as any)["constr" + "uctor"]("return call_" + "tool(\'shop.cancel\', {})")()',
      ],
    ])("is not believed of tools that it lists, which it can call by a function %s", async (_, call) => {
      isReadOnly = undefined;
      const declared = "operation: READ\ncomposes: [leaf]\nallowed-tools: shop.cancel\n";
      const { skills } = await knowing.compile([
        skillFolder("s", { "skill.ts": `export default async () => ${call};` }, declared),
        leaf,
      ]);
      expect(skills.find(({ name }) => name === "s")?.operation).toBe("WRITE");
    });

    test("or skills, by names that only running it tells, is not believed", async () => {
      const { findings, skills } = await compiler.compile([
        skillFolder(
          "s",
          { "skill.ts": "export default ({ name }: { name: string }) => call_skill(name, {});" },
          "operation: READ\n",
        ),
        leaf,
      ]);
      expect(skills[0]?.operation).toBe("WRITE");
      expect(findings.map(({ code, severity }) => `${code} ${severity}`)).toContain(
        "operation-declared warning",
      );
    });
  });

  test("reaches through a circle", async () => {
    const findings = await findingsOf(
      skillFolder("a", calling("b"), "operation: TRANSFORM\n"),
      skillFolder("b", calling("a", "writer")),
      writer,
    );
    expect(findings).toContain(
      "operation-declared error a/SKILL.md:4 The skill declares TRANSFORM, but reaches WRITE: a -> b -> writer",
    );
  });
});

describe("the graph", () => {
  test("has skills, tools, what is missing and what only running tells, in a stable order", async () => {
    const folders = [
      skillFolder("top", calling("middle", "nowhere"), "composes: [middle, nowhere, extra]\n"),
      skillFolder("middle", LOOP),
      skillFolder("leaf", TOOL),
      skillFolder("any", DYNAMIC),
      skillFolder("some", DYNAMIC, "composes: [leaf]\n"),
      skillFolder("self", calling("self"), "composes: [self]\n"),
      skillFolder("extra", calling()),
    ];
    const { skills } = await compiler.compile(folders);
    const graph = skillGraph(skills);
    expect(
      graph.nodes.map((node) => [
        node.kind,
        node.name,
        node.kind === "skill" ? [node.level, node.depth] : [],
      ]),
    ).toEqual([
      ["any", "?", []],
      ["skill", "any", [3, 0]],
      ["skill", "extra", [1, 0]],
      ["tool", "files.write", []],
      ["skill", "leaf", [1, 0]],
      ["skill", "middle", [3, 1]],
      ["missing", "nowhere", []],
      ["skill", "self", [3, 0]],
      ["skill", "some", [3, 1]],
      ["skill", "top", [2, 2]],
    ]);
    expect(
      graph.edges.map(
        ({ from, to, kind, places }) => `${from} ${kind} ${to} ${places.map(({ line }) => line).join()}`,
      ),
    ).toEqual([
      "any dynamic ? ",
      "leaf call files.write ",
      "middle call leaf 2",
      "self call self 2",
      "some dynamic leaf 4",
      "top declared extra 4",
      "top call middle 2",
      "top call nowhere 3",
    ]);
    expect(graph.cycles).toEqual([]);
    expect(skillGraph(skills.toReversed())).toEqual(graph);
  });

  test("has each group of skills that call each other once", async () => {
    const { skills } = await compiler.compile([
      skillFolder("a", calling("b")),
      skillFolder("b", calling("c")),
      skillFolder("c", calling("a", "b")),
      skillFolder("x", calling("y")),
      skillFolder("y", calling("x")),
    ]);
    expect(skillGraph(skills).cycles).toEqual([
      ["a", "b", "c", "a"],
      ["x", "y", "x"],
    ]);
  });
});
