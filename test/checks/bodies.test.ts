import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Catalog } from "../../src/catalog/catalog.ts";
import { SkillCompiler } from "../../src/compiler/compile-skills.ts";
import type { Diagnostic } from "../../src/core/diagnostic.ts";
import type { SkillFolder } from "../../src/core/skill.ts";
import { skillFolder } from "./read-folder.ts";
import { compiler } from "../shared-threads.ts";

const CALLEES: readonly SkillFolder[] = [
  skillFolder(
    "flight-search",
    `interface Input {
  /** @pattern ^[A-Z]{3}$ */
  from: string;
  to: string;
  cabin?: "economy" | "business";
  /** @minimum 1 @maximum 9 @default 1 @asType integer */
  travellers: number;
}
interface Output { cheapest: number | null; flights: { number: string; price: number }[] }
export default (input: Input): Output => ({ cheapest: null, flights: [] });`,
  ),
  skillFolder(
    "hotel-search",
    `export default (input: { city: string }): { price: number } => ({ price: 1 });`,
  ),
  skillFolder("today", `export default (): string => "2026-01-01";`),
  skillFolder("loose", `export default (input: any) => input;`),
  skillFolder(
    "declared",
    `export default (input: any): any => input;`,
    "inputs:\n  - { name: city, type: string }\noutputs:\n  - { name: price, type: number }\n",
  ),
  skillFolder("reader", {}, "inputs:\n  - { name: city, type: string }\n"),
  skillFolder("broken", "export default"),
];

/** Findings in a skill \`trip\` with this body; it begins on line 2, after two spaces. */
async function findingsOf(body: string, file = "skill.ts"): Promise<readonly Diagnostic[]> {
  const head = file.endsWith(".ts")
    ? "export default async function run(input: { city: string; days: number }): Promise<unknown> {"
    : "/** @param {{ city: string, days: number }} input @returns {Promise<unknown>} */ export default async function run(input) {";
  const { findings } = await compiler.compile([
    ...CALLEES,
    skillFolder("trip", { [file]: `${head}\n  ${body}\n  return null;\n}\n` }),
  ]);
  return findings.filter(({ path }) => path === `/skills/trip/${file}`);
}

const FLIGHT = `{ from: "LHR", to: input.city }`;

describe("a call is right", () => {
  test.each([
    ["with all that is required", `await call_skill("flight-search", ${FLIGHT});`],
    [
      "with what is optional",
      `await call_skill("flight-search", { from: "LHR", to: "X", cabin: "business", travellers: 2 });`,
    ],
    ["without an input where none is needed", `const day: string = await call_skill("today"); void day;`],
    ["of a skill without types", `const any = await call_skill("loose", { a: 1 }); any.whatever.it.is;`],
    [
      "of a skill that the frontmatter types",
      `const { price } = await call_skill("declared", { city: "X" }); price.toFixed();`,
    ],
    ["of a skill that is broken now", `(await call_skill("broken", { a: 1 })).b;`],
    ["by a name that is known only at run time", `(await call_skill(input.city, { a: 1 })).b;`],
    ["by a pattern of names", "(await call_skill(`${input.city}-search`, { a: 1 })).b;"],
    [
      "in parallel",
      `const [a, b] = await Promise.all([call_skill("today"), call_skill("hotel-search", { city: "X" })]); a.length + b.price;`,
    ],
    [
      "with a value of a wider type",
      `const given = { city: input.city, more: 1 }; await call_skill("hotel-search", given);`,
    ],
    [
      "by one of two names with what both take",
      `await call_skill(input.days > 1 ? "hotel-search" : "declared", { city: "X" });`,
    ],
    ["of a tool", `const { rows } = await call_tool("db.query", { sql: "select 1" }); rows.length;`],
    [
      "behind a comment that says so",
      `// @ts-expect-error: the callee is to refuse it\n  await call_skill("hotel-search", { city: 1 });`,
    ],
    [
      "beside an implicit any and an exception's message",
      `function f(x) { return x; } try { f(1); } catch (error) { console.log(error.message); }`,
    ],
  ])("%s", async (_, body) => {
    const found = await findingsOf(body);
    expect(found.filter(({ severity }) => severity !== "info")).toEqual([]);
  });
});

describe("a call is wrong", () => {
  type Case = readonly [string, string, string, Diagnostic["code"], RegExp];
  test.each<Case>([
    [
      "a property is missing",
      `await call_skill("flight-search", { from: "LHR" });`,
      "2:37",
      "call-type",
      /'to' is missing.*FlightSearchInput.*TS2345/,
    ],
    [
      "all of them are missing",
      `await call_skill("flight-search");`,
      "2:9",
      "call-type",
      /Expected 2 arguments, but got 1/,
    ],
    [
      "a property has another type",
      `await call_skill("flight-search", { from: "LHR", to: input.days });`,
      "2:52",
      "call-type",
      /'number' is not assignable to type 'string'/,
    ],
    [
      "a property is not known",
      `await call_skill("hotel-search", { city: "X", stars: 3 });`,
      "2:49",
      "call-type",
      /'stars' does not exist in type 'HotelSearchInput'/,
    ],
    [
      "a property is misspelt",
      `await call_skill("hotel-search", { cty: "X" });`,
      "2:38",
      "call-type",
      /did you mean.*'city'/i,
    ],
    [
      "a literal is none of the choices",
      `await call_skill("flight-search", { from: "LHR", to: "X", cabin: "first" });`,
      "2:61",
      "call-type",
      /"first".*"economy" \| "business"/,
    ],
    [
      "what the frontmatter declares is missing",
      `await call_skill("declared", { town: "X" });`,
      "2:34",
      "call-type",
      /'town' does not exist/,
    ],
    [
      "a result's property is misspelt",
      `(await call_skill("flight-search", ${FLIGHT})).cheepest;`,
      "2:72",
      "call-type",
      /Did you mean 'cheapest'/,
    ],
    [
      "a nested one is",
      `(await call_skill("flight-search", ${FLIGHT})).flights[0].prise;`,
      "2:83",
      "call-type",
      /Did you mean 'price'/,
    ],
    [
      "a result may be null",
      `const f = await call_skill("flight-search", ${FLIGHT}); f.cheapest + 1;`,
      "2:81",
      "call-type",
      /possibly 'null'/,
    ],
    [
      "a result is not awaited",
      `call_skill("today").length;`,
      "2:23",
      "call-type",
      /'length' does not exist on type 'Promise<string>'/,
    ],
    [
      "a result goes where it does not fit",
      `const day: number = await call_skill("today"); void day;`,
      "2:9",
      "call-type",
      /'string' is not assignable to type 'number'/,
    ],
    [
      "a result goes into another call where it does not fit",
      `await call_skill("hotel-search", { city: await call_skill("hotel-search", { city: "X" }) });`,
      "2:38",
      "call-type",
      /HotelSearchOutput' is not assignable to type 'string'/,
    ],
    [
      "one of two callees takes something else",
      `await call_skill(input.days > 1 ? "hotel-search" : "flight-search", { city: "X" });`,
      "2:71",
      "call-type",
      /FlightSearchInput/,
    ],
    [
      "the name is misspelt",
      `await call_skill("flight-serach", ${FLIGHT});`,
      "2:20",
      "call-unknown",
      /There is no skill "flight-serach"/,
    ],
    [
      "a name made of constants is misspelt",
      'const what = "flights"; await call_skill(`${what}-search`, 1);',
      "2:44",
      "call-unknown",
      /"flights-search"/,
    ],
    [
      "the callee has no code",
      `await call_skill("reader", { city: "X" });`,
      "2:20",
      "call-unknown",
      /instructions but no code/,
    ],
    [
      "a written value breaks a pattern",
      `await call_skill("flight-search", { from: "lhr", to: "X" });`,
      "2:45",
      "call-argument",
      /`input\.from` of "flight-search" must match pattern/,
    ],
    [
      "a written number is out of range",
      `await call_skill("flight-search", { from: "LHR", to: "X", travellers: 10 });`,
      "2:73",
      "call-argument",
      /must be <= 9/,
    ],
    [
      "a written number is no integer",
      `await call_skill("flight-search", { from: "LHR", to: "X", travellers: 1.5 });`,
      "2:73",
      "call-argument",
      /must be integer/,
    ],
    [
      "a constant breaks a pattern",
      `const from = "lhr"; await call_skill("flight-search", { from: from, to: "X" });`,
      "2:65",
      "call-argument",
      /must match pattern/,
    ],
    [
      "the world has no timers",
      `setTimeout(() => undefined, 1);`,
      "2:3",
      "call-type",
      /Cannot find name 'setTimeout'/,
    ],
    [
      "the world has no network",
      `await fetch("https://example.org");`,
      "2:9",
      "call-type",
      /Cannot find name 'fetch'/,
    ],
    ["the world has no process", `process.exit();`, "2:3", "call-type", /Cannot find name 'process'/],
  ])("when %s", async (_, body, place, code, message) => {
    const findings = await findingsOf(body);
    expect(
      findings.map(({ line, column, ...rest }) => [`${line}:${column}`, rest.code, rest.severity]),
    ).toEqual([[place, code, "error"]]);
    expect(findings[0]?.message).toMatch(message);
  });

  test("in JavaScript as in TypeScript, but other guesses about types are not told", async () => {
    const body = `const o = {}; o.more = 1; const list = []; list.push(1); ((a = {}) => a.b)({}); const f = await call_skill("flight-search", { from: 1, to: input.city }); f.cheepest; fetch("x");`;
    const findings = await findingsOf(body, "skill.js");
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringContaining("'number' is not assignable to type 'string'"),
      expect.stringContaining("Did you mean 'cheapest'?"),
      expect.stringContaining("Cannot find name 'fetch'"),
    ]);
  });

  test("in every file of a skill", async () => {
    const { findings } = await compiler.compile([
      ...CALLEES,
      skillFolder("trip", {
        "skill.ts": `import { help } from "./help.ts";\nexport default async (): Promise<string> => help();`,
        "help.ts": `\nexport const help = async () => (await call_skill("hotel-search", { city: "X" })).price;`,
      }),
    ]);
    expect(findings.map(({ path, line, column }) => `${path}:${line}:${column}`)).toEqual([
      "/skills/trip/skill.ts:2:45",
    ]);
  });
});

test("what a callee's contract becomes is seen at once in its callers, and nowhere else", async () => {
  const callers = ["one", "two"].map((name) =>
    skillFolder(name, `export default async (): Promise<number> => (await call_skill("callee")).total;`),
  );
  const other = skillFolder("other", `export default async (): Promise<string> => call_skill("today");`);
  const callee = (output: string): SkillFolder =>
    skillFolder("callee", `export default (): ${output} => null as never;`);
  const findings = async (output: string): Promise<readonly string[]> =>
    (await compiler.compile([callee(output), ...callers, other, ...CALLEES])).findings.map(
      ({ path, message }) => `${path} ${message}`,
    );
  expect(await findings("{ total: number }")).toEqual([]);
  expect(await findings("{ sum: number }")).toEqual([
    expect.stringMatching(/one.*'total' does not exist on type 'CalleeOutput'/),
    expect.stringMatching(/two.*'total' does not exist on type 'CalleeOutput'/),
  ]);
  expect(await findings("{ total: number }")).toEqual([]);
});

test("types that would keep the compiler busy for ever are cut off, and only their own skill is told", async () => {
  const own = new SkillCompiler({ deadlines: { skillMs: 1_500 } });
  const slow = `type Add<N extends 0[], M extends 0[]> = [...N, ...M];
type Many<N extends number, T extends 0[] = []> = T["length"] extends N ? T : Many<N, Add<T, [0]>>;
type Grid<N extends number> = { [A in keyof Many<N>]: { [B in keyof Many<N>]: { [C in keyof Many<N>]: [A, B, C] } } };
function slow(): void {
  const a: Grid<400> = null as never;
  const b: Grid<401> = a;
  void b;
}
export default async (): Promise<string> => { void slow; return call_skill("today"); };`;
  const { skills, findings } = await own.compile([...CALLEES, skillFolder("slow", slow)]);
  await own.close();
  expect(skills.map(({ name }) => name)).toContain("today");
  const told = findings.filter(({ path }) => path.startsWith("/skills/slow/"));
  expect(told.length).toBeGreaterThan(0);
  expect(findings.filter(({ path }) => !path.startsWith("/skills/slow/"))).toEqual([]);
});

test("skills are there before their bodies are checked, where patience is short; what is found comes later", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bodies-"));
  for (const [name, code] of [
    ["callee", "export default (): string => 'x';"],
    ["caller", "export default async (): Promise<number> => call_skill('callee');"],
  ] as const) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "SKILL.md"), `---\nname: ${name}\ndescription: A skill.\n---\n`);
    await writeFile(join(folder, name, "skill.ts"), code);
  }
  const own = new SkillCompiler({ patienceMs: 0 });
  const looked = Promise.withResolvers<void>();
  const catalog = await Catalog.open({
    roots: [folder],
    compile: async (folders) => {
      const { pending, ...compiled } = await own.compile(folders);
      return { ...compiled, pending: pending && looked.promise.then(() => pending) };
    },
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  catalog.onChange(() => resolve());
  expect([[...catalog.snapshot.skills.keys()], [...catalog.snapshot.faulty.keys()]]).toEqual([
    ["callee", "caller"],
    [],
  ]);
  looked.resolve();
  await promise;
  expect(catalog.snapshot.faulty.get("caller")).toMatchObject([{ code: "call-type", line: 1 }]);
  await own.close();
  await catalog.close();
  await rm(folder, { recursive: true });
});
