import { describe, expect, test } from "vitest";
import { type Skill } from "../../src/core/skill.ts";
import { skillFolder } from "./read-folder.ts";
import { compiler, runner } from "../shared-threads.ts";

const ECHO = "export default (input: any) => input.gives;";
const DECLARED = `inputs:
  - { name: gives, type: any }
  - { name: guess, type: number, required: false, requires_rationale: true }
outputs:
  - { name: price, type: number, range: [0, 100], requires_source: true, requires_rationale: "true" }
  - { name: title, type: string, required: false, min_length: 3, requires_source: true }
  - { name: tags, type: "string[]", required: false, min_items: 1 }
`;
const GROUNDED = { price: 5, price_source: "https://example.org", price_rationale: "It is the list price" };

async function skillsOf(...folder: Parameters<typeof skillFolder>): Promise<ReadonlyMap<string, Skill>> {
  const { skills, diagnostics, findings } = await compiler.compile([skillFolder(...folder)]);
  expect([...diagnostics, ...findings].filter(({ severity }) => severity === "error")).toEqual([]);
  return new Map(skills.map((skill) => [skill.name, skill]));
}

describe("what the frontmatter requires of values is checked when a skill runs", () => {
  test.each<[string, object, string | undefined]>([
    ["all that is required", { gives: GROUNDED }, undefined],
    ["no source", { gives: { ...GROUNDED, price_source: undefined } }, "price_source"],
    ["an empty source", { gives: { ...GROUNDED, price_source: "" } }, "price_source"],
    ["no rationale", { gives: { ...GROUNDED, price_rationale: undefined } }, "price_rationale"],
    ["a value out of range", { gives: { ...GROUNDED, price: 101 } }, "price must be <= 100"],
    [
      "a text too short",
      { gives: { ...GROUNDED, title: "ab", title_source: "a" } },
      "title must NOT have fewer",
    ],
    ["an optional value without its source", { gives: { ...GROUNDED, title: "abc" } }, "title_source"],
    [
      "an optional value with its source",
      { gives: { ...GROUNDED, title: "abc", title_source: "a" } },
      undefined,
    ],
    ["a list too short", { gives: { ...GROUNDED, tags: [] } }, "tags must NOT have fewer"],
    ["an input without its rationale", { gives: GROUNDED, guess: 1 }, "guess_rationale"],
    ["an input with its rationale", { gives: GROUNDED, guess: 1, guess_rationale: "It fits" }, undefined],
  ])("%s", async (_, input, fault) => {
    const skills = await skillsOf("quote", ECHO, DECLARED);
    const { outcome } = (await runner.run(skills, "quote", JSON.parse(JSON.stringify(input)))).root;
    if (fault === undefined) expect(outcome).toEqual({ ok: true, output: expect.objectContaining(GROUNDED) });
    else {
      expect(outcome).toMatchObject({
        ok: false,
        error: { code: expect.stringMatching(/^(IN|OUT)PUT_INVALID$/) },
      });
      expect(JSON.stringify(outcome)).toContain(fault);
    }
  });
});

test("bounds of the frontmatter tighten those of types; of two the stricter holds", async () => {
  const code = `interface Output { /** @minimum 1 @maximum 500 */ price: number; price_source: string }
export default ({ price }: { price: number }): Output => ({ price, price_source: "list" });`;
  const skills = await skillsOf(
    "quote",
    code,
    `inputs:\n  - { name: price, type: number, range: [-10, 1000] }\noutputs:\n  - { name: price, type: number, range: [0, 100], requires_source: true }\n`,
  );
  expect(skills.get("quote")?.contract).toMatchObject({
    input: { properties: { price: { minimum: -10, maximum: 1000 } } },
    output: { properties: { price: { minimum: 1, maximum: 100 } }, required: ["price", "price_source"] },
  });
  const outcomes = await Promise.all(
    [0, 1, 100, 101].map(async (price) => (await runner.run(skills, "quote", { price })).root.outcome.ok),
  );
  expect(outcomes).toEqual([false, true, true, false]);
});

test("code whose type leaves out a required source disagrees with its frontmatter", async () => {
  const code = "export default (): { price: number } => ({ price: 1 });";
  const { diagnostics } = await compiler.compile([
    skillFolder("quote", code, "outputs:\n  - { name: price, type: number, requires_source: true }\n"),
  ]);
  expect(diagnostics).toMatchObject([
    {
      code: "contract-disagrees",
      severity: "error",
      message: expect.stringContaining("`price_source` does not exist") as string,
    },
  ]);
});
