import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";
import { failure } from "../../src/core/error.ts";
import { isJsonObject, type Json } from "../../src/core/json/json.ts";
import { fail, ok, type Result } from "../../src/core/result.ts";
import { type Skill } from "../../src/core/skill.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { soundsReading } from "../../src/learn/plan/tool-effects.ts";
import type { RecordedCall, RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import { canonicalJson, isLeaf, leafText, jsonLeaves } from "../../src/learn/plan/values.ts";
import { Runner } from "../../src/runner/runner.ts";

export interface Replay {
  readonly replays: boolean;
  /** The first thing that was not as recorded. */
  readonly fault: string | undefined;
  /** The calls of the run that were made, in their order. */
  readonly made: readonly number[];
}

/** Runs drafts in the sandbox, where tools answer as they did in a recorded run. */
export class Replayer {
  #answer: ((tool: string, args: Json) => Result<Json>) | undefined;
  readonly #runner = new Runner({
    limits: { ...DEFAULT_LIMITS, calls: 1100, payloadBytes: 20_000_000, inFlight: 1100 },
    workers: 1,
    callTool: (tool, args) =>
      Promise.resolve(this.#answer?.(tool, args) ?? fail(failure("TOOL_NOT_FOUND", tool))),
  });

  /** Whether the code makes exactly the run's calls, in an order that respects its data flow. */
  async replay(code: string, input: Json, run: RecordedTrace): Promise<Replay> {
    const left = new Set(run.calls.keys());
    const made: number[] = [];
    let fault: string | undefined;
    this.#answer = (tool, args) => {
      const index = [...left].find((each) => isCall(run.calls[each], tool, args));
      const call = index === undefined ? undefined : run.calls[index];
      if (index === undefined || call === undefined) {
        fault ??= `called ${tool} with ${JSON.stringify(args).slice(0, 300)}`;
        return fail(failure("TOOL_FAILED", "The recorded run has no such call"));
      }
      left.delete(index);
      made.push(index);
      return call.error === undefined ? ok(call.result) : fail(failure("TOOL_FAILED", call.error));
    };
    const ended = await this.#runner.run(new Map([["draft", skillOf(code)]]), "draft", input);
    if (!ended.root.outcome.ok) fault ??= ended.root.outcome.error.message;
    if (left.size > 0) fault ??= `did not call ${[...left].map((each) => run.calls[each]?.tool).join(", ")}`;
    if (!respectsFlow(made, run)) fault ??= "made the calls in an order that the data flow forbids";
    return { replays: fault === undefined, fault, made };
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }
}

function isCall(call: RecordedCall | undefined, tool: string, args: Json): boolean {
  return call?.tool === tool && isJsonObject(args) && canonicalJson(call.args) === canonicalJson(args);
}

/** Calls that act keep their order; a call comes after one whose result it uses, where that came first in the run. */
function respectsFlow(made: readonly number[], { calls }: RecordedTrace): boolean {
  const acting = made.filter((index) => !soundsReading(calls[index]?.tool ?? ""));
  if (acting.some((index, nth) => nth > 0 && index < (acting[nth - 1] ?? 0))) return false;
  return made.every((index, position) => {
    const before = new Set(made.slice(0, position));
    return [...jsonLeaves(calls[index]?.args ?? {})].every(([, leaf]) => {
      const text = leafText(leaf);
      if (text === undefined || text.length < 3) return true;
      const sources = calls.slice(0, index).flatMap(({ result }, nth) => (tells(result, text) ? [nth] : []));
      const isEcho = calls.slice(0, index).some(({ args }) => tells(args, text));
      return sources.length === 0 || isEcho || sources.some((source) => before.has(source));
    });
  });
}

/** Whether a value has a leaf or a key with this text. */
export function tells(value: Json, text: string): boolean {
  if (isLeaf(value)) return leafText(value) === text;
  if (Array.isArray(value)) return (value as readonly Json[]).some((each) => tells(each, text));
  return Object.entries(value as object).some(
    ([key, each]) => leafText(key) === text || tells(each as Json, text),
  );
}

function skillOf(text: string): Skill {
  const path = "/skills/draft";
  const tools = [...text.matchAll(/call_tool\(("(?:[^"\\]|\\.)*")/g)].map(
    (match) => JSON.parse(match[1] ?? '""') as string,
  );
  return {
    name: "draft",
    kind: "code",
    description: "draft",
    path,
    file: `${path}/SKILL.md`,
    frontmatter: { name: "draft", description: "draft" },
    instructions: "",
    sources: [{ path: `${path}/skill.ts`, text }],
    fieldPositions: new Map(),
    digest: createHash("sha256").update(text).digest("hex"),
    contract: { input: { type: "object" }, output: {}, source: { input: "untyped", output: "untyped" } },
    scripts: [{ path: `${path}/skill.ts`, code: stripTypeScriptTypes(text) }],
    calls: { skills: [], tools, dynamic: false, repeated: false },
    operation: "WRITE",
    level: 1,
    declared: {},
    composes: [],
    limits: {},
  };
}
