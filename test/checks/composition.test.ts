import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/core/skill.ts";
import { skillFolder } from "./read-folder.ts";
import { compiler } from "../shared-threads.ts";

const calling = (...names: readonly string[]): string =>
  `export default async function run(): Promise<void> {\n${names.map((name) => `  await call_skill(${JSON.stringify(name)});`).join("\n")}\n}`;

describe("calls", () => {
  test.each<
    [
      string,
      string,
      { skills?: readonly string[]; tools?: readonly string[]; dynamic?: boolean; repeated?: boolean },
    ]
  >([
    ["a literal", `call_skill("a", {})`, { skills: ["a"] }],
    ["a template without anything in it", "call_skill(`a`)", { skills: ["a"] }],
    ["a const", `const name = "a"; call_skill(name)`, { skills: ["a"] }],
    [
      "a const with an assertion",
      `const name = ("a" as const); call_skill(name as string)`,
      { skills: ["a"] },
    ],
    ["one of two literals", `call_skill(Math.random() > 0.5 ? "a" : "b")`, { skills: ["a", "b"] }],
    ["by way of globalThis", `globalThis.call_skill("a")`, { skills: ["a"] }],
    ["a let", `let name = "a"; call_skill(name)`, { dynamic: true }],
    ["a template of constants", 'const end = "x"; call_skill(`a-${end}`)', { skills: ["a-x"] }],
    [
      "a template of choices",
      'const far = Math.random() > 0.5; call_skill(`${far ? "a" : "b"}-search`)',
      { skills: ["a-search", "b-search"] },
    ],
    [
      "a member of a constant record",
      `const all = { first: "a" } as const; call_skill(all.first)`,
      { skills: ["a"] },
    ],
    ["a parameter typed by literals", `((name: "a" | "b") => call_skill(name))("a")`, { skills: ["a", "b"] }],
    [
      "an argument of a local function",
      `const ask = async (name: string) => call_skill(name); void ask("a"); void ask("b")`,
      { skills: ["a", "b"] },
    ],
    [
      "an argument of a local function that is passed on",
      `const ask = async (name: string) => call_skill(name); void ["a"].map(ask)`,
      { dynamic: true, repeated: true },
    ],
    [
      "a member of a list that a loop goes over",
      `for (const name of ["a", "b"]) void call_skill(name)`,
      { skills: ["a", "b"], repeated: true },
    ],
    [
      "a member of a list that a callback goes over",
      `const names = ["a", "b"]; void Promise.all(names.map((name) => call_skill(name)))`,
      { skills: ["a", "b"], repeated: true },
    ],
    ["another name of the function", `const call = call_skill; call("a"); call("b")`, { skills: ["a", "b"] }],
    [
      "a computed name of the global object",
      `const g: any = globalThis; g["call_" + "skill"]("a")`,
      { dynamic: true },
    ],
    ["a part of the global object of any type", `(globalThis as any).call_skill("a")`, { dynamic: true }],
    [
      "a part that is taken out of the global object",
      `const { call_skill: call } = globalThis; call("a")`,
      { dynamic: true },
    ],
    [
      "other parts of the global object",
      `if (typeof globalThis !== "undefined") globalThis["Math"].abs(globalThis.Number("1"))`,
      {},
    ],
    ["a name that is made", "call_skill(`a-${Date.now()}`)", { dynamic: true }],
    ["a loop", `for (let n = 0; n < 2; n++) void call_skill("a")`, { skills: ["a"], repeated: true }],
    ["the head of a loop", `for (const x of [call_skill("a")]) x`, { skills: ["a"] }],
    ["a condition of a loop", `while (call_skill("a")) break`, { skills: ["a"], repeated: true }],
    ["a callback that runs once", `void Promise.resolve(1).then(() => call_skill("a"))`, { skills: ["a"] }],
    [
      "a function that a loop calls",
      `const ask = () => call_skill("a"); do { ask() } while (Math.random() > 0.5)`,
      { skills: ["a"], repeated: true },
    ],
    ["a function that is called once", `function ask() { return call_skill("a") } ask()`, { skills: ["a"] }],
    [
      "a function that calls itself",
      `function ask(n: number): void { void call_skill("a"); if (n > 0) ask(n - 1) } ask(2)`,
      { skills: ["a"], repeated: true },
    ],
    ["no name", `(call_skill as any)()`, { dynamic: true }],
    ["a call that is passed on", `["a"].map(call_skill as never)`, { dynamic: true }],
    ["a call in an object", `const tools = { call_skill }; tools`, { dynamic: true }],
    ["a function of the same name", `const call_skill = (a: string) => a; call_skill("a")`, {}],
    ["a parameter of the same name", `((call_skill: (a: string) => void) => call_skill("a"))(() => {})`, {}],
    ["a property of the same name", `const own = { call_skill: (a: string) => a }; own.call_skill("a")`, {}],
    ["a type", `let f: typeof call_skill | undefined; f`, {}],
    [
      "a tool",
      `call_tool("files.read", {}); call_tool("files.read"); call_tool(\`files.write\`)`,
      { tools: ["files.read", "files.write"] },
    ],
    ["a tool whose name is made", `call_tool("files." + "read")`, { dynamic: true }],
  ])("%s", async (_, body, expected) => {
    const callees = ["a", "b", "a-x", "a-search", "b-search"].map((name) => skillFolder(name, calling()));
    const { skills } = await compiler.compile([
      skillFolder("caller", `export default function run(): void { ${body} }`),
      ...callees,
    ]);
    const calls = skills[0]?.calls;
    expect({
      skills: calls?.skills.map(({ callee }) => callee),
      tools: calls?.tools,
      dynamic: calls?.dynamic,
      repeated: calls?.repeated,
    }).toEqual({ skills: [], tools: [], dynamic: false, repeated: false, ...expected });
  });

  test("of all files of a skill are found, those in JavaScript too", async () => {
    const { skills } = await compiler.compile([
      skillFolder("a", {
        "skill.js": `import { help } from "./help.js";\nexport default async () => { await call_skill("b"); return help(); }`,
        "help.js": `export const help = async () => (await call_skill("c")) + 1;`,
      }),
      skillFolder("b", calling()),
      skillFolder("c", calling()),
    ]);
    expect(skills[0]?.calls.skills).toEqual([
      { callee: "b", path: "/skills/a/skill.js", line: 2, column: 47 },
      { callee: "c", path: "/skills/a/help.js", line: 1, column: 51 },
    ]);
  });
});

describe("the operation", () => {
  const tool = `export default async (): Promise<void> => { await call_tool("x.y"); }`;
  const dynamic = `export default async (input: string): Promise<void> => { await call_skill(input); }`;
  const declared = (operation: Operation): string => `operation: ${operation}\n`;

  test.each<[string, Operation, Parameters<typeof skillFolder>[]]>([
    ["of code that calls nothing is TRANSFORM", "TRANSFORM", [["s", calling()]]],
    ["of code that calls a tool is WRITE", "WRITE", [["s", tool]]],
    ["is what is declared", "READ", [["s", calling(), declared("READ")]]],
    ["is no weaker than that of the tools, whatever is declared", "WRITE", [["s", tool, declared("READ")]]],
    ["is inferred where what is declared is none", "WRITE", [["s", tool, "operation: read\n"]]],
    [
      "is the strongest of the callees",
      "READ",
      [
        ["s", calling("a", "b")],
        ["a", calling()],
        ["b", calling(), declared("READ")],
      ],
    ],
    [
      "reaches through callees",
      "WRITE",
      [
        ["s", calling("a")],
        ["a", calling("b")],
        ["b", tool],
      ],
    ],
    [
      "reaches around circles",
      "WRITE",
      [
        ["s", calling("a")],
        ["a", calling("b")],
        ["b", calling("a", "c")],
        ["c", tool],
      ],
    ],
    [
      "reaches through a callee that declares less",
      "WRITE",
      [
        ["s", calling("a")],
        ["a", calling("b"), declared("READ")],
        ["b", tool],
      ],
    ],
    ["of code that calls by made names is WRITE", "WRITE", [["s", dynamic]]],
    [
      "of such code is the strongest of what it composes",
      "READ",
      [
        ["s", dynamic, "composes: [a]\n"],
        ["a", calling(), declared("READ")],
      ],
    ],
    ["of such code that composes nothing known is WRITE", "WRITE", [["s", dynamic, "composes: [nowhere]\n"]]],
    ["of such code that may call itself is WRITE", "WRITE", [["s", dynamic, "composes: [s]\n"]]],
    [
      "counts what it composes beside what it calls",
      "WRITE",
      [
        ["s", calling("a"), "composes: [a, b]\n"],
        ["a", calling()],
        ["b", tool],
      ],
    ],
    [
      "of code with an unknown callee is the strongest of what it composes",
      "READ",
      [
        ["s", calling("nowhere"), "composes: [a]\n"],
        ["a", calling(), declared("READ")],
      ],
    ],
    [
      "of code with an unknown callee that composes nothing is TRANSFORM",
      "TRANSFORM",
      [["s", calling("nowhere")]],
    ],
    [
      "counts a callee that has errors",
      "WRITE",
      [
        ["s", calling("a")],
        ["a", tool.replace("void", "Date")],
      ],
    ],
  ])("%s", async (_, expected, folders) => {
    const { skills } = await compiler.compile(folders.map((each) => skillFolder(...each)));
    expect(skills.find(({ name }) => name === "s")?.operation).toBe(expected);
  });
});

describe("circles", () => {
  test("are found once each, told from the smallest name, at the call that closes them; all skills stay", async () => {
    const { skills, diagnostics, findings } = await compiler.compile([
      skillFolder("zero", calling("b", "own")),
      skillFolder("b", calling("leaf", "c")),
      skillFolder("c", calling("d", "a")),
      skillFolder("d", calling("b")),
      skillFolder("a", calling("b")),
      skillFolder("leaf", calling()),
      skillFolder("own", calling("leaf", "own")),
      skillFolder("recursive", calling("recursive"), "composes: [recursive]\n"),
    ]);
    expect(skills.length).toBe(8);
    expect(diagnostics).toEqual([]);
    expect(findings).toEqual([
      {
        code: "call-cycle",
        severity: "error",
        path: "/skills/c/skill.ts",
        line: 3,
        column: 20,
        message: "Circular dependency detected: a -> b -> c -> a",
        fix: "Remove one of the calls, or move what they share into a skill that both call",
        related: [
          { path: "/skills/a/skill.ts", line: 2, column: 20, message: "a calls b" },
          { path: "/skills/b/skill.ts", line: 3, column: 20, message: "b calls c" },
        ],
        affects: ["a", "b", "c"],
      },
      {
        code: "call-cycle",
        severity: "error",
        path: "/skills/own/skill.ts",
        line: 3,
        column: 20,
        message: "Circular dependency detected: own -> own",
        fix: "Remove the call, or list the skill in its own `composes` if it is meant to call itself",
        affects: ["own"],
      },
    ]);
  });

  test("are told the same in whatever order the skills come", async () => {
    const folders = ["a", "b", "c"].map((name, index, all) =>
      skillFolder(name, calling(all[(index + 1) % 3] ?? "", all[(index + 2) % 3] ?? "")),
    );
    const [forwards, backwards] = [
      await compiler.compile(folders),
      await compiler.compile(folders.toReversed()),
    ];
    expect(forwards.findings).toEqual(backwards.findings);
    expect(forwards.findings.map(({ message }) => message)).toEqual([
      "Circular dependency detected: a -> b -> a",
    ]);
  });
});

test("a callee that is not there is an error with the name that was meant; the skill stays", async () => {
  const { skills, findings } = await compiler.compile([
    skillFolder("flight-search", calling()),
    skillFolder("trip", calling("flight-serach", "hotel")),
  ]);
  expect(skills.length).toBe(2);
  expect(findings).toMatchObject([
    {
      code: "call-unknown",
      severity: "error",
      path: "/skills/trip/skill.ts",
      line: 2,
      column: 20,
      message: 'There is no skill "flight-serach"',
      fix: 'Did you mean "flight-search"?',
    },
    {
      code: "call-unknown",
      line: 3,
      message: 'There is no skill "hotel"',
      fix: "Add the skill, or correct the name",
    },
  ]);
});

test("a callee that a limit has left out is no unknown one; nor is one whose folder does not load", async () => {
  const { skills, findings } = await compiler.compile(
    [skillFolder("trip", calling("hotel", "renamed", "broken"), "composes: [hotel, renamed, broken]\n")],
    { broken: new Set(["broken"]), leftOut: ["/skills/deep/hotel", "/skills/other"] },
  );
  expect(skills.length).toBe(1);
  const told = findings.map(({ code, severity, path, message }) => [code, severity, path, message]);
  const left = 'The skill "hotel" is left out, for a limit of the search: calls of it fail';
  const perhaps =
    'There is no skill "renamed" among those that were read; a limit of the search has left out 2 folders';
  expect(told).toEqual(
    ["skill.ts", "SKILL.md"].flatMap((file) =>
      [left, perhaps].map((message) => ["call-left-out", "warning", `/skills/trip/${file}`, message]),
    ),
  );
});

test("a callee that has errors is there", async () => {
  const { skills, findings } = await compiler.compile([
    skillFolder("broken", "export default"),
    skillFolder("trip", calling("broken")),
  ]);
  expect(skills.map(({ name }) => name)).toEqual(["trip"]);
  expect(findings).toEqual([]);
});
