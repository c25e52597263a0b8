import { isDeepStrictEqual } from "node:util";
import { failure } from "../core/error.ts";
import { fail, ok } from "../core/result.ts";
import type { CallRecord } from "../core/run.ts";
import type { Skill, SkillCase, ToolFixture } from "../core/skill.ts";
import type { CallTool, Runner, RunOptions } from "./runner.ts";

/** How a case went: what the skill did, and what of it is not as the case says, if anything. */
export interface CaseRun {
  readonly record: CallRecord;
  readonly fault?: CaseFault;
}

type CaseFault =
  /** The outcome is another one. */
  | { readonly kind: "outcome" }
  /** A call of a tool of which the case tells an answer too much, or none; in words. */
  | { readonly kind: "tool-call"; readonly message: string };

export interface CaseOptions extends Pick<RunOptions, "signal" | "refusals"> {
  /** Whether upstream tools answer nothing but what the case tells; by default only where it tells some answers. */
  readonly isClosed?: boolean;
}

/** Runs a case of a skill of the set. */
export async function runCase(
  runner: Pick<Runner, "run">,
  skills: ReadonlyMap<string, Skill>,
  name: string,
  { input, expected, tools }: SkillCase,
  { isClosed = tools !== undefined, ...rest }: CaseOptions = {},
): Promise<CaseRun> {
  const fixtures = new FixtureAnswers(tools ?? []);
  const { root } = await runner.run(skills, name, input, {
    ...rest,
    ...(isClosed ? { callTool: fixtures.callTool } : {}),
  });
  const fault =
    fixtures.fault ?? (isAsExpected(expected, root) ? fixtures.missing : ({ kind: "outcome" } as const));
  return { record: root, ...(fault ? { fault } : {}) };
}

function isAsExpected(expected: SkillCase["expected"], { outcome }: CallRecord): boolean {
  switch (expected.kind) {
    case "output":
      return outcome.ok && isDeepStrictEqual(outcome.output, expected.output);
    case "error": {
      const { code, message = "" } = expected;
      if (outcome.ok) return false;
      return (code === undefined || outcome.error.code === code) && outcome.error.message.includes(message);
    }
  }
}

/** Answers calls of tools with what a case tells of them, each once. */
class FixtureAnswers {
  readonly #left: ToolFixture[];
  fault: CaseFault | undefined;

  constructor(fixtures: readonly ToolFixture[]) {
    this.#left = [...fixtures];
  }

  get missing(): CaseFault | undefined {
    const [first] = this.#left;
    return (
      first && { kind: "tool-call", message: `The tool "${first.tool}" is not called as the case tells it` }
    );
  }

  readonly callTool: CallTool = (tool, input) => {
    const found = this.#left.findIndex(
      (each) => each.tool === tool && (each.input === undefined || isDeepStrictEqual(each.input, input)),
    );
    const [fixture] = found === -1 ? [] : this.#left.splice(found, 1);
    if (!fixture) {
      const message = `The case tells no answer of the tool "${tool}" to ${JSON.stringify(input).slice(0, MAX_SHOWN)}`;
      this.fault ??= { kind: "tool-call", message };
      return Promise.resolve(fail(failure("TOOL_FAILED", message)));
    }
    const { answer } = fixture;
    return Promise.resolve(
      answer.kind === "output" ? ok(answer.output) : fail(failure("TOOL_FAILED", answer.message)),
    );
  };
}

const MAX_SHOWN = 500;
