import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseFrontmatter, type FrontmatterReading } from "../../src/catalog/frontmatter.ts";

const read = (text: string): FrontmatterReading => parseFrontmatter({ path: "/skills/x/SKILL.md", text });
const readYaml = (...lines: readonly string[]): FrontmatterReading =>
  read(["---", ...lines, "---", "body"].join("\n"));
const codes = ({ diagnostics }: FrontmatterReading): readonly string[] => diagnostics.map(({ code }) => code);

test("fields keep their YAML 1.2 values, their order and their places", () => {
  const { frontmatter, diagnostics } = readYaml(
    "name: yes",
    "date: 2026-01-02",
    "count: 3",
    "on: true",
    "metadata:",
    "  a: [1, x]",
  );
  expect(frontmatter?.fields).toEqual({
    name: "yes",
    date: "2026-01-02",
    count: 3,
    on: true,
    metadata: { a: [1, "x"] },
  });
  expect(Object.keys(frontmatter?.fields ?? {})).toEqual(["name", "date", "count", "on", "metadata"]);
  expect(frontmatter?.positions.get("metadata")).toEqual({ path: "/skills/x/SKILL.md", line: 6, column: 1 });
  expect(diagnostics).toEqual([]);
});

test("a line --- closes the frontmatter, --- within a line does not", () => {
  const { frontmatter } = read(
    "---\nname: x\ndescription: use --- as separator\n---\n\nText\n\n---\n\nMore\n",
  );
  expect(frontmatter?.fields["description"]).toBe("use --- as separator");
  expect(frontmatter?.body).toBe("Text\n\n---\n\nMore");
});

test("lines may end in CRLF", () => {
  const { frontmatter, diagnostics } = read(
    "---\r\nname: x\r\ndescription: |\r\n  one\r\n  two\r\n---\r\nText\r\n",
  );
  expect(frontmatter?.fields).toEqual({ name: "x", description: "one\ntwo\n" });
  expect(frontmatter?.body).toBe("Text");
  expect(diagnostics).toEqual([]);
});

test("a byte order mark is a warning", () => {
  const reading = read("\uFEFF---\nname: x\n---\n");
  expect(reading.frontmatter?.fields).toEqual({ name: "x" });
  expect(codes(reading)).toEqual(["frontmatter-bom"]);
});

test("a key __proto__ is data", () => {
  const { frontmatter } = readYaml(
    "__proto__: {polluted: true}",
    "constructor: 1",
    "m:",
    "  __proto__: {polluted: true}",
  );
  expect(Object.keys(frontmatter?.fields ?? {})).toEqual(["__proto__", "constructor", "m"]);
  expect(Object.getPrototypeOf(frontmatter?.fields)).toBe(Object.prototype);
  expect(Object.getPrototypeOf(frontmatter?.fields["m"])).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("what JSON cannot carry stays as it is written", () => {
  const { frontmatter } = readYaml("a: .nan", "b: -.inf", "1: one", "? [x, y]", ": list", "~: nothing");
  expect(frontmatter?.fields).toEqual({
    a: ".nan",
    b: "-.inf",
    1: "one",
    '["x","y"]': "list",
    "~": "nothing",
  });
});

describe("a file without frontmatter to read", () => {
  test.each([
    ["an empty file", "", "frontmatter-missing", "Begin the file"],
    ["plain Markdown", "# Title\n", "frontmatter-missing", "Begin the file"],
    [
      "a line before it",
      "<!-- made -->\n---\nname: x\n---\n",
      "frontmatter-missing",
      "before the --- on line 2",
    ],
    ["four dashes", "----\nname: x\n----\n", "frontmatter-missing", "Begin the file"],
    ["no closing line", "---\nname: x\n", "frontmatter-unclosed", "Add a line ---"],
    [
      "a closing --- after text",
      "---\nname: x\ndescription: a---\n\n# T\n",
      "frontmatter-unclosed",
      "at the end of line 3",
    ],
    ["an indented closing line", "---\nname: x\n ---\n", "frontmatter-unclosed", "on line 3"],
    ["nothing", "---\n---\n", "frontmatter-not-mapping", "fields"],
    ["a list", "---\n- a\n---\n", "frontmatter-not-mapping", "fields"],
    ["a text", "---\njust text\n---\n", "frontmatter-not-mapping", "fields"],
  ])("%s", (_, text, code, fix) => {
    const { frontmatter, diagnostics } = read(text);
    expect(frontmatter).toBeUndefined();
    expect(diagnostics).toEqual([
      expect.objectContaining({ code, severity: "error", fix: expect.stringContaining(fix) }),
    ]);
  });
});

describe("a frontmatter whose edges are not right is read where it is one without doubt", () => {
  const FIELDS = "name: x\ndescription: Does it.";
  test.each([
    ["blank lines before it", `\n\n---\n${FIELDS}\n---\nbody`, "frontmatter-missing", "line 3", 4],
    [
      "a comment before it",
      `<!-- made\nby hand -->\n---\n${FIELDS}\n---\nbody`,
      "frontmatter-missing",
      "line 3",
      4,
    ],
    ["a title before it", `# x\r\n---\n${FIELDS}\n---\nbody`, "frontmatter-missing", "line 2", 3],
    ["no closing line, then a blank one", `---\n${FIELDS}\n\nbody`, "frontmatter-unclosed", "line 4", 2],
    ["no closing line, then a title", `---\n${FIELDS}\n# body`, "frontmatter-unclosed", "line 4", 2],
    ["an end of another form", `---\n${FIELDS}\n...\nbody`, "frontmatter-unclosed", "line 4", 2],
    ["no end at all", `---\n${FIELDS}`, "frontmatter-unclosed", "line 4", 2],
  ])("%s", (_, text, code, place, line) => {
    const { frontmatter, diagnostics } = read(text);
    expect(frontmatter?.fields).toEqual({ name: "x", description: "Does it." });
    expect(frontmatter?.positions.get("name")).toMatchObject({ line, column: 1 });
    expect(frontmatter?.body).toBe(
      { "no end at all": "", "no closing line, then a title": "# body" }[_] ?? "body",
    );
    expect(diagnostics).toMatchObject([{ code, severity: "warning", line: 1 }]);
    expect(`${diagnostics[0]?.message} ${diagnostics[0]?.fix}`).toContain(place);
  });

  test.each([
    ["text before it", `Hello\n---\n${FIELDS}\n---\n`],
    ["a rule after a title, and no fields", "# x\n---\nNote: that\n---\n"],
    ["fields after a blank line", `---\nname: x\n\ndescription: Does it.\n`],
    ["a field of the format in what would be the body", `---\n${FIELDS}\n\nlicense: MIT\n`],
  ])("but not with %s", (_, text) => {
    const { frontmatter, diagnostics } = read(text);
    expect(frontmatter).toBeUndefined();
    expect(diagnostics).toMatchObject([{ severity: "error" }]);
  });
});

describe("what YAML hides of a text is told", () => {
  test.each<[string, string, string, string, number]>([
    ["a tag", "description: !important to count", "!important to count", "yaml-repaired", 14],
    ["a comment", "description: C# and F # sharp", "C# and F", "yaml-comment", 23],
    ["a character that rings", "description: one\u0007two", "one two", "yaml-repaired", 17],
    ["a character that ends texts", "description: one\u0000two", "one two", "yaml-repaired", 17],
  ])("%s", (_, line, value, code, column) => {
    const { frontmatter, diagnostics } = readYaml("name: x", line);
    expect(frontmatter?.fields["description"]).toBe(value);
    expect(diagnostics).toMatchObject([{ code, severity: "warning", line: 3, column }]);
    expect(diagnostics[0]?.fix).not.toBe("");
  });

  test.each([
    ['a text in quotes: "C# and F # sharp"', 'description: "C# and F # sharp"', "C# and F # sharp"],
    ["a # within a word", "description: C#, F#", "C#, F#"],
    ["an exclamation mark within it", "description: do it! now", "do it! now"],
    ["a block of text", "description: |\n  C # sharp", "C # sharp\n"],
  ])("%s hides nothing", (_, line, value) => {
    const { frontmatter, diagnostics } = readYaml("name: x", line);
    expect([frontmatter?.fields["description"], diagnostics]).toEqual([value, []]);
  });
});

describe("invalid YAML is read as its author meant it", () => {
  test.each<[string, readonly string[], unknown]>([
    ["a colon", ["description: Use when: asked"], "Use when: asked"],
    ["a colon on a further line", ["description: Use it", "  when: asked"], "Use it when: asked"],
    [
      "text on the next line",
      ["description:", '  Errors with "type": "module"', "  and others"],
      'Errors with "type": "module" and others',
    ],
    ["an at sign", ["description: @scope/name helps"], "@scope/name helps"],
    ["a backtick", ["description: `run` it"], "`run` it"],
    ["a percent sign", ["description: %s is filled in"], "%s is filled in"],
    ["an asterisk", ["description: *Important* notes"], "*Important* notes"],
    ["a dash", ["description: - one: two"], "- one: two"],
    ["a bracket", ["description: [WIP] does things"], "[WIP] does things"],
    ["a brace", ["description: {{name}} is filled in"], "{{name}} is filled in"],
    ["a quoted word", ['description: "Fast" and small'], '"Fast" and small'],
    ["quoted words", ['description: "Fast" and "small"'], '"Fast" and "small"'],
    ["quotes in quotes", ['description: "Say "hello" when: asked"'], 'Say "hello" when: asked'],
    ["an apostrophe in quotes", ["description: 'It's good'"], "It's good"],
    ["an unknown escape", ['description: "Matches \\d+ and \\"x\\""'], 'Matches \\d+ and "x"'],
    ["an unclosed quote", ['description: "Use when asked'], "Use when asked"],
    ["a comma after the quote", ['description: "Use when asked",'], "Use when asked"],
    [
      "quotes around the first line only",
      ['description: "Use when', '  asked" twice', "  or: more"],
      '"Use when asked" twice or: more',
    ],
    [
      "quotes that end with the line",
      ['description: "Use when asked, and"', "  at other times."],
      "Use when asked, and at other times.",
    ],
    ["a quoted block sign", ['description: "|"', "  One.", '  Two: "three".'], 'One.\nTwo: "three".\n'],
    ["text after a block sign", ["description: > Use when: asked", "  or not"], "Use when: asked or not"],
    ["a badly indented block", ["description: |", "   One.", " Two: three."], "One.\nTwo: three."],
    ["lines at the margin", ["description: Use when", "asked"], "Use when asked"],
    ["quoted lines at the margin", ['description: "Use when', 'asked"'], "Use when asked"],
    ["an empty line", ["description: Note: one", "", "  Two"], "Note: one\nTwo"],
    ["no space after the colon", ["description:Use when asked"], "Use when asked"],
    ["a wide colon", ["description：Use when asked"], "Use when asked"],
    ["an indented field", ["  description: Use when asked"], "Use when asked"],
    ["two of them", ["description: Old", "description: New"], "New"],
  ])("%s", (_, lines, description) => {
    const { frontmatter, diagnostics } = readYaml("name: x", ...lines, "license: MIT");
    expect(frontmatter?.fields).toEqual({ name: "x", description, license: "MIT" });
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: "yaml-repaired",
        severity: "warning",
        fix: expect.stringMatching(/./),
      }),
    ]);
  });

  test("a repair tells its line and what to write", () => {
    expect(readYaml("name: x", "description: Use when: asked").diagnostics).toEqual([
      {
        code: "yaml-repaired",
        severity: "warning",
        path: "/skills/x/SKILL.md",
        line: 3,
        column: 14,
        message: expect.stringContaining('The field "description": one line holds one name with its value'),
        fix: 'Write description: "Use when: asked"',
      },
    ]);
  });

  test("only the broken value in a mapping or a list is read as text", () => {
    const { frontmatter, diagnostics } = readYaml(
      "name: x",
      "metadata:",
      "  author: @me",
      "  count: 3",
      "  steps:",
      "    - do: this: now",
      "    - `that`",
      "    - {ok: true}",
      'tags: [a, @b, 3, "c, d"]',
    );
    expect(frontmatter?.fields).toEqual({
      name: "x",
      metadata: { author: "@me", count: 3, steps: [{ do: "this: now" }, "`that`", { ok: true }] },
      tags: ["a", "@b", 3, "c, d"],
    });
    expect(diagnostics.map(({ line, column }) => [line, column])).toEqual([
      [4, 11],
      [7, 11],
      [8, 5],
      [10, 11],
    ]);
  });

  test("a key may have two words, and other text at the margin goes on", () => {
    const { frontmatter } = readYaml(
      "name: x",
      "description: Use it: often",
      "for A. Examples: b",
      "Allowed Tools: Read",
    );
    expect(frontmatter?.fields).toEqual({
      name: "x",
      description: "Use it: often for A. Examples: b",
      "Allowed Tools": "Read",
    });
  });

  test("tabs indent", () => {
    const reading = readYaml("name: x", "metadata:", "\tauthor: me", "\t\t# who", "\tcount: 3");
    expect(reading.frontmatter?.fields["metadata"]).toEqual({ author: "me", count: 3 });
    expect(codes(reading)).toEqual(["yaml-repaired"]);
  });

  test("of a merge conflict the first side is used", () => {
    const reading = readYaml(
      "name: x",
      "<<<<<<< HEAD",
      "description: Ours",
      "=======",
      "description: Theirs",
      "extra: 1",
      ">>>>>>> topic",
      "license: MIT",
    );
    expect(reading.frontmatter?.fields).toEqual({ name: "x", description: "Ours", license: "MIT" });
    expect(reading.diagnostics).toEqual([expect.objectContaining({ code: "yaml-repaired", line: 3 })]);
  });

  test("a line that ends the YAML document is left out", () => {
    const reading = readYaml("name: x", "--- Apache-2.0", "metadata:", "  a: b");
    expect(reading.frontmatter?.fields).toEqual({ name: "x", metadata: { a: "b" } });
    expect(reading.diagnostics).toEqual([expect.objectContaining({ code: "yaml-repaired", line: 3 })]);
  });

  test("text that belongs to no field is an error where YAML's own is", () => {
    const { frontmatter, diagnostics } = readYaml("name: x", "", "stray text", "license: MIT");
    expect(frontmatter).toBeUndefined();
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: "yaml-invalid", severity: "error", line: 4, column: 1 }),
    ]);
  });
});

describe("hostile YAML is refused", () => {
  const bomb = [
    "a: &a [x,x,x,x,x,x,x,x,x,x]",
    ..."bcdefgh".split("").map((key, index) => `${key}: &${key} [${`*${"abcdefg"[index]},`.repeat(10)}]`),
  ];
  test.each([
    ["aliases that multiply", bomb.join("\n"), "yaml-invalid"],
    ["an alias to itself", "a: &a [*a]", "yaml-invalid"],
    ["lists nested too deep", `a: ${"[".repeat(5000)}${"]".repeat(5000)}`, "yaml-invalid"],
    [
      "mappings nested too deep",
      Array.from({ length: 100 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"),
      "yaml-invalid",
    ],
    ["a frontmatter that is too large", `a: ${"x".repeat(300_000)}`, "file-too-large"],
  ])("%s", (_, yaml, code) => {
    const reading = readYaml(yaml);
    expect(reading.frontmatter).toBeUndefined();
    expect(codes(reading)).toEqual([code]);
  });
});

test("any text gives a frontmatter or an error, and every finding lies in the file", () => {
  const yamlish = array(
    constantFrom(
      "name",
      "description",
      ":",
      " ",
      "\n",
      "- ",
      '"',
      "'",
      "|",
      ">",
      "[",
      "]",
      "{",
      "}",
      "#",
      "&a",
      "*a",
      "\t",
      "  ",
      "x",
      "---",
      "%",
      "@",
      "!",
      "?",
      ",",
      "\r\n",
      "<<<<<<< a",
      "=======",
      ">>>>>>> b",
    ),
  ).map((parts) => parts.join(""));
  const text = oneof(
    string({ unit: "binary" }),
    yamlish,
    yamlish.map((yaml) => `---\n${yaml}\n---\nbody`),
  );
  assert(
    property(text, (given) => {
      const { frontmatter, diagnostics } = read(given);
      expect(frontmatter !== undefined || diagnostics.some(({ severity }) => severity === "error")).toBe(
        true,
      );
      const lines = given.split("\n");
      for (const { line, column } of [...diagnostics, ...(frontmatter?.positions.values() ?? [])]) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(column).toBeLessThanOrEqual((lines[line - 1] ?? "").length + 1);
      }
    }),
    { numRuns: 3000 },
  );
});

test("any description survives being written as YAML", () => {
  assert(
    property(string({ unit: "grapheme" }), (description) => {
      const { frontmatter, diagnostics } = read(`---\n${stringify({ name: "x", description })}---\n`);
      expect(frontmatter?.fields["description"]).toBe(description);
      expect(diagnostics).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
