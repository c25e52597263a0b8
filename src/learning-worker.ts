// The thread in which a server learns: extraction with a runner, a compiler and a store of its own.
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { SkillCompiler } from "./compiler/compile-skills.ts";
import type { Config } from "./config.ts";
import { failure } from "./core/error.ts";
import { fail, type Result } from "./core/result.ts";
import type { Skill } from "./core/skill.ts";
import { learningIn } from "./learn/learning.ts";
import type { LearningRequest, LearningTool } from "./learn/learning-thread.ts";
import { openExtraction } from "./open-extraction.ts";
import { Runner } from "./runner/runner.ts";
import { openStore } from "./trace/store/open-store.ts";
import { showSourcePositions } from "./core/package/source-positions.ts";

showSourcePositions();

/** What of the configuration the thread works by. */
export interface LearningConfig extends Pick<
  Config,
  "data" | "drafts" | "limits" | "skillLimits" | "traces"
> {
  /** The names of the upstream servers that are configured. */
  readonly servers: ReadonlySet<string>;
}

const config = workerData as LearningConfig;
let skills = new Map<string, Skill>();
let tools = new Map<string, LearningTool>();
const { redaction, maxPayloadBytes } = config.traces;
const store = openStore(config.traces.store, {
  redaction,
  ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }),
});
const { limits, skillLimits } = config;
const learning = learningIn(
  openExtraction(config, {
    store,
    // Replays come one after another, and never reach a tool.
    runner: new Runner({ limits, skillLimits, workers: 1 }),
    compiler: new SkillCompiler({
      cacheFolder: join(config.data, "cache", "drafts"),
      tools: { all: async () => Promise.resolve(tools), onChange: () => () => {}, doubt: () => {} },
    }),
    servers: config.servers,
    skills: async () => Promise.resolve(skills),
    tools: async () => Promise.resolve([...tools.values()]),
  }),
  store,
);

parentPort?.on("message", (request: LearningRequest) => {
  switch (request.kind) {
    case "forget":
      if (request.what === "skills") skills = new Map();
      else tools = new Map();
      return;
    case "skills":
      for (const skill of request.entries) skills.set(skill.name, skill);
      return;
    case "tools":
      for (const tool of request.entries) tools.set(tool.name, tool);
      return;
    case "task":
      void answer(request).then((result) => parentPort?.postMessage(result));
  }
});

async function answer({
  method,
  args,
}: Extract<LearningRequest, { kind: "task" }>): Promise<Result<unknown>> {
  const work = learning[method] as (...given: readonly unknown[]) => Promise<Result<unknown>>;
  try {
    return await work(...args);
  } catch (error) {
    // A bug ends the task, not the thread; the whole of it stands in the log.
    console.error(error);
    return fail(failure("LEARNING_LOST", `Learning came to an unexpected end: ${String(error)}`));
  }
}
