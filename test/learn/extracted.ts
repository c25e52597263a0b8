import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { stripTypes } from "../../src/core/strip-types.ts";
import { failure } from "../../src/core/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import { fail, ok } from "../../src/core/result.ts";
import type { Trace } from "../../src/core/trace-event.ts";
import type { Draft } from "../../src/learn/drafts/draft.ts";
import { Extraction } from "../../src/learn/extraction.ts";
import { importTraces } from "../../src/trace/import/import-traces.ts";
import { openStore } from "../../src/trace/store/open-store.ts";
import type { TraceStore } from "../../src/trace/trace-store.ts";
import { skillSet } from "../runner/skill-set.ts";
import { runner } from "../shared-threads.ts";

/** A call as a transcript tells it: with a result, or with an error. */
export type Told = readonly [tool: string, args: JsonObject, result: Json | Error];

let folder: string;
let store: TraceStore;

/** Each file that extracts calls this at its top: files may share this module, and none closes what another uses. */
export function provideFolder(): void {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "repertoire-failures-"));
    // Its thread costs more than an extraction.
    store = openStore(join(folder, "traces.db"));
  });
  afterAll(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
}

/** The draft that is extracted from transcripts and verified. */
export async function extracted(
  name: string,
  task: string,
  runs: readonly (readonly Told[])[],
  reads: readonly string[] = [],
): Promise<Draft> {
  return (await extractedIn(name, task, runs, reads)).draft;
}

/** The same, with the extraction that knows the draft, and the runs. */
export async function extractedIn(
  name: string,
  task: string,
  runs: readonly (readonly Told[])[],
  reads: readonly string[] = [],
): Promise<{ readonly extraction: Extraction; readonly draft: Draft; readonly traces: readonly Trace[] }> {
  const root = join(folder, name);
  await mkdir(join(root, "skills"), { recursive: true });
  const extraction = new Extraction({
    data: join(root, "data"),
    skillsFolder: join(root, "skills"),
    policy: { review: "always" },
    store,
    runner,
    skills: () => Promise.resolve(new Map()),
    tools: () => Promise.resolve([]),
    derive: async (path) => {
      const text = await readFile(join(path, "skill.ts"), "utf8");
      return ok({ name, skills: skillSet({ [name]: text }), faults: [] });
    },
    stripTypes,
  });
  const traces = await Promise.all(runs.map(async (calls) => imported(task, calls)));
  const made = await extraction.extract(traces, { by: "ada", name, reads });
  if (!made.ok || made.value.kind !== "draft") throw new Error(JSON.stringify(made));
  return { extraction, draft: made.value.draft, traces };
}

async function imported(task: string, calls: readonly Told[]): Promise<Trace> {
  const messages = [
    { role: "user", content: task },
    ...calls.flatMap(([name, input, result], index) => [
      { role: "assistant", content: [{ type: "tool_use", id: `toolu_${index}`, name, input }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: `toolu_${index}`,
            content: result instanceof Error ? result.message : JSON.stringify(result),
            ...(result instanceof Error ? { is_error: true } : {}),
          },
        ],
      },
    ]),
    { role: "assistant", content: [{ type: "text", text: "It is done." }] },
  ];
  for await (const item of importTraces([Buffer.from(JSON.stringify({ messages }))]))
    if (item.kind === "trace") return item.trace;
  throw new Error("the transcript holds no trace");
}

export interface Ran {
  readonly called: readonly string[];
  /** What the skill ended with; undefined: it succeeded. */
  readonly error: string | undefined;
}

/** Runs the draft's code where tools answer in their turn; after the last answer they all succeed. */
export async function ran(
  { name, code }: Draft,
  input: JsonObject,
  answers: readonly (Json | Error)[],
): Promise<Ran> {
  const called: string[] = [];
  const { root } = await runner.run(skillSet({ [name]: code }), name, input, {
    callTool: (tool) => {
      const answer = answers[called.push(tool) - 1] ?? {};
      return Promise.resolve(
        answer instanceof Error ? fail(failure("TOOL_FAILED", answer.message)) : ok(answer),
      );
    },
  });
  return { called, error: root.outcome.ok ? undefined : root.outcome.error.message };
}

/** What tools that read answer, by the path that they are asked for. */
export type Files = Readonly<Record<string, Json>>;

/**
 * What the draft's skill writes where files are these, with what the caller gave and then with what else is given: the
 * arguments of its calls of other tools, or with what it stopped.
 */
export async function writtenIn(
  draft: Draft,
  files: Files,
  given: JsonObject = {},
): Promise<readonly JsonObject[] | string> {
  const { name, code } = draft;
  const written: JsonObject[] = [];
  const { root } = await runner.run(
    skillSet({ [name]: code }),
    name,
    { ...examples(draft), ...given },
    {
      callTool: (tool, args) => {
        if (!isJsonObject(args)) throw new Error("arguments are an object");
        if (!/[._](?:read|list|fetch|search)(?:_\w+)?$/.test(tool)) {
          written.push(args);
          return Promise.resolve(ok("Done"));
        }
        const asked = args["path"] ?? args["url"];
        const answer = Object.entries(files).find(([path]) => path === asked)?.[1];
        return Promise.resolve(answer === undefined ? fail(failure("TOOL_FAILED", "none")) : ok(answer));
      },
    },
  );
  return root.outcome.ok ? written : root.outcome.error.message;
}

/** What the caller gave in the run that the draft was learned from. */
export function examples({ plan }: Draft): JsonObject {
  return Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
}

/** What a draft's caller is asked for. */
export function paramsOf({ plan }: Draft): readonly string[] {
  return plan.params.map(({ name }) => name);
}

/** Of what kinds its open questions are. */
export function questionsOf({ plan }: Draft): readonly string[] {
  return (plan.questions ?? []).map(({ kind }) => kind);
}

/** Whether it holds wherever it was tried. */
export function isVerified({ evidence }: Draft): boolean {
  return evidence?.rungs.every(({ passed, of }) => passed === of) === true;
}
