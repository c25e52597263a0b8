import { join } from "node:path";
import type { Catalog, CatalogSnapshot } from "./catalog/catalog.ts";
import type { Config } from "./config.ts";
import { failure, type Failure } from "./core/error.ts";
import { PACKAGE_VERSION } from "./core/package/package-version.ts";
import { durabilityOf, reachableSkills } from "./core/reachable-skills.ts";
import type { Run } from "./core/run.ts";
import { serverOf } from "./core/tools/tool-name.ts";
import type { ToolPolicy } from "./durable/run-attempt.ts";
import type { RunSteps } from "./durable/run-steps.ts";
import { runsOnTemporal } from "./durable/temporal.ts";
import { type AdapterOptions, engineAdapters } from "./export/adapters.ts";
import type { EngineAdapter } from "./export/engine-adapter.ts";
import type { Runner, RunnerOptions } from "./runner/runner.ts";
import { serveCalls } from "./server/transport/serve-calls.ts";
import type { RunRecorder } from "./trace/record/run-recorder.ts";
import { clientName } from "./upstream/tools/published-tools.ts";

/** What runs on other engines have of the rooms. */
export interface EngineRooms extends Pick<AdapterOptions, "sources" | "callTool" | "traces"> {
  readonly catalog: Promise<Catalog>;
  readonly runner: Runner;
  readonly recorder: RunRecorder;
  readonly steps: RunSteps;
  readonly policyOf: (tool: string) => Promise<ToolPolicy>;
  readonly heldBy: NonNullable<RunnerOptions["heldBy"]>;
  /** Skills that are not run, with the reason. */
  readonly refusals: (snapshot: CatalogSnapshot) => ReadonlyMap<string, Failure>;
  /** Why a run takes a person's consent. */
  readonly unapproved: (skill: string, snapshot: CatalogSnapshot) => Promise<Failure | undefined>;
}

/** Other engines, with what their runs have of the rooms here. */
export function openEngines(
  config: Config,
  { catalog, runner, recorder, policyOf, heldBy, refusals, unapproved, steps, ...rooms }: EngineRooms,
): { readonly adapters: ReadonlyMap<string, EngineAdapter>; readonly close: () => Promise<void> } {
  const atWork = new Set<Promise<Run>>();
  const ending = new AbortController();
  const temporal = runsOnTemporal(config.temporal, steps);
  const adapters = engineAdapters({
    ...rooms,
    temporal,
    published: publishedName,
    settings: config.engines,
    kept: join(config.data, "engines"),
    isRead: async (called, kind) =>
      kind === "skill"
        ? (await catalog).snapshot.skills.get(called)?.operation !== "WRITE"
        : (await policyOf(called)) === "read",
    runSkill: async (called, input, options) => {
      const { snapshot } = await catalog;
      return runner.run(snapshot.skills, called, input, { ...options, refusals: refusals(snapshot) });
    },
    mostCalls: async (skill) => {
      const own = (await catalog).snapshot.skills.get(skill)?.limits?.calls ?? Number.POSITIVE_INFINITY;
      return Math.min(config.skillLimits[skill]?.calls ?? config.limits.calls, own);
    },
    serve: async (answerTo) => serveCalls({ name: config.name, version: PACKAGE_VERSION }, answerTo),
    refusalOf: async (skill, { isApproved = false, approve }) => {
      const { snapshot } = await catalog;
      const { skills } = snapshot;
      const withheld = refusals(snapshot).get(skill);
      if (withheld) return withheld;
      if (!approve && durabilityOf(skills, skill) === "confirms") {
        const message = `"${skill}" waits for a person before it writes, and there is none to ask`;
        return failure("RUN_UNAPPROVED", message);
      }
      const reached = [...reachableSkills(skills, skill)];
      const called = new Set(reached.flatMap((each) => skills.get(each)?.calls.tools ?? []));
      return (
        (await heldBy(called, { canWait: false })) ?? (isApproved ? undefined : unapproved(skill, snapshot))
      );
    },
    record: async ({ engine, skill, input }, work) => {
      const run = recorder.run(skill, input, { client: engine }, async (id) => work(id, ending.signal));
      atWork.add(run);
      return run.finally(() => atWork.delete(run));
    },
  });
  return {
    adapters,
    close: async () => {
      ending.abort();
      await Promise.allSettled(atWork);
      await temporal.close();
    },
  };
}

/** What clients call a tool of an upstream. */
function publishedName(tool: string): string {
  const server = serverOf(tool);
  return clientName({ server, name: tool.slice(server.length + 1) });
}
