import { expect, test } from "vitest";
import { toolRefusal } from "../../src/core/tools/allowed-tools.ts";
import { failure } from "../../src/core/error.ts";
import { fail } from "../../src/core/result.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "../runner/skill-set.ts";
import { fixture, Neighbours, until } from "./upstream-fixtures.ts";

const CALLS_ADD = `export default async (input) => (await call_tool("good.add", input)).sum;`;
const CALLS_ANY = `export default async ({ tool, args }) => {
  try {
    return { gave: await call_tool(tool, args) };
  } catch (error) {
    return { code: error.code, message: error.message };
  }
};`;

test("skills call the tools that they declare, and no others; a run that is cancelled cancels its calls", async () => {
  await using others = new Neighbours({ good: fixture("good-server") });
  const skills = skillSet(
    { add: CALLS_ADD, any: CALLS_ANY, undeclared: CALLS_ANY },
    {
      add: { calls: { skills: [], tools: ["good.add"], dynamic: false, repeated: false } },
      any: { frontmatter: { "allowed-tools": "good.add mcp__good__slow good.cancelled good.exit" } },
    },
  );
  const runner = new Runner({
    limits: DEFAULT_LIMITS,
    workers: 1,
    callTool: async (name, args, { skill, signal }) => {
      const caller = skills.get(skill);
      const refused = caller ? toolRefusal(caller, name) : failure("SKILL_NOT_FOUND", skill);
      return refused ? fail(refused) : others.call(name, args, { signal });
    },
  });
  try {
    const outcome = async (name: string, input: object, signal?: AbortSignal): Promise<unknown> => {
      const run = await runner.run(skills, name, { ...input }, signal ? { signal } : {});
      return run.root.outcome.ok ? run.root.outcome.output : run.root.outcome.error.code;
    };
    expect(await outcome("add", { a: 1, b: 2 })).toBe(3);
    expect(await outcome("any", { tool: "good.add", args: { a: 1, b: 2 } })).toEqual({ gave: { sum: 3 } });
    for (const [name, tool] of [
      ["any", "good.env"],
      ["undeclared", "good.add"],
    ] as const) {
      expect(await outcome(name, { tool })).toEqual({
        code: "TOOL_NOT_FOUND",
        message: `The skill "${name}" may not call the upstream tool "${tool}": list it in its "allowed-tools"`,
      });
    }
    expect(await outcome("any", { tool: "good.exit" })).toMatchObject({
      code: "TOOL_FAILED",
      message: expect.stringContaining("it exited with code 3"),
    });

    const controller = new AbortController();
    const running = outcome("any", { tool: "good.slow", args: { ms: 20_000 } }, controller.signal);
    await until(() => others.healthOf("good").inFlight === 1);
    controller.abort();
    expect(await running).toBe("CANCELLED");
    await until(() => others.healthOf("good").inFlight === 0);
    expect(await outcome("any", { tool: "good.cancelled" })).toEqual({ gave: { cancelled: 1 } });
  } finally {
    await runner.close();
  }
});
