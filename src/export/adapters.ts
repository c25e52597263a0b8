import { failure, type Failure } from "../core/error.ts";
import { commandLine } from "../core/text/command-line.ts";
import type { Json } from "../core/json/json.ts";
import { fail, type Result } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import type { DurableEngine } from "../durable/durable-engine.ts";
import { unbegunRun } from "../durable/durable-runs.ts";
import type {
  EngineAdapter,
  ExecuteOptions,
  ExportedSkill,
  Exporter,
  ExportOptions,
  ToolAccess,
} from "./engine-adapter.ts";
import { ENGINES } from "./engines.ts";
import { estimateOf, type EstimateRooms } from "./execution/estimate.ts";
import { executedRun, type ExecutionRooms } from "./execution/execution.ts";
import { runOnDurable } from "./execution/durable-execution.ts";
import { exportable, exportedSkill, type ExportSources } from "./exported-skill.ts";

export interface AdapterOptions extends ExecutionRooms {
  readonly traces: EstimateRooms["traces"];
  readonly sources: ExportSources;
  /** Why a skill is not run, as here, or nothing. */
  readonly refusalOf: (skill: string, options: ExecuteOptions) => Promise<Failure | undefined>;
  /** Does the work of a run on an engine, which gets an id and the signal that ends it, and records it. */
  readonly record: (
    run: { readonly engine: string; readonly skill: string; readonly input: Json },
    work: (id: string, ended: AbortSignal) => Promise<Run>,
  ) => Promise<Run>;
  /** Where runs on Temporal are kept. */
  readonly temporal: Pick<DurableEngine, "run" | "decide" | "resume">;
}

const TEMPORAL = "temporal";

/** What nobody has looked at runs nowhere: an engine is no way past who promotes. */
function draftText(name: string): string {
  return `"${name}" is a draft, and drafts run neither here nor on an engine: "${commandLine("drafts show")} ${name}" shows it, "${commandLine("promote")} ${name}" makes it a skill`;
}

/** The engines on which skills are run from here. */
export const EXECUTING: readonly string[] = [
  ...[...ENGINES].flatMap(([name, { program }]) => (program && name !== TEMPORAL ? [name] : [])),
  TEMPORAL,
];

/** The engines, by name, for the skills of an app. */
export function engineAdapters(options: AdapterOptions): ReadonlyMap<string, EngineAdapter> {
  const names = new Set([...ENGINES.keys(), TEMPORAL]);
  return new Map([...names].map((name) => [name, adapter({ name, all: names }, ENGINES.get(name), options)]));
}

function adapter(
  { name, all }: { readonly name: string; readonly all: ReadonlySet<string> },
  exporter: Exporter | undefined,
  options: AdapterOptions,
): EngineAdapter {
  const { sources, published, refusalOf, record, temporal } = options;
  const found = async (skill: string, whole = false): Promise<Result<ExportedSkill>> => {
    const given = await exportable(skill, sources);
    return given.ok ? exportedSkill(skill, given.value, { whole }) : given;
  };
  const accessBy = (direct: boolean): ToolAccess =>
    direct ? { kind: "direct" } : { kind: "served", published };
  const told = async <Value>(
    skill: string,
    { whole, direct = false }: ExportOptions,
    work: (skill: ExportedSkill, access: ToolAccess) => Result<Value>,
  ): Promise<Result<Value>> => {
    const given = await found(skill, whole);
    return given.ok ? work(given.value, accessBy(direct)) : given;
  };
  const unwritten = ({ name: skill }: ExportedSkill): Result<never> =>
    fail(
      failure(
        "EXPORT_REFUSED",
        `${skill}: nothing is written for ${name}, whose workers run skills as they are`,
      ),
    );
  return {
    name,
    estimate: async (skill, { whole, direct = false } = {}) => {
      const given = await found(skill, whole);
      if (!given.ok) return given;
      const can = exporter?.canExecute(given.value, accessBy(direct));
      if (can?.ok === false) return can;
      const digest = (await sources.skills()).get(skill)?.digest;
      const isRead = async (tool: string): Promise<boolean> => options.isRead(tool, "tool");
      return estimateOf({ name, all, isRunHere: EXECUTING.includes(name) }, given.value, digest, {
        traces: options.traces,
        isRead,
      });
    },
    canExecute: async (skill, given = {}) => told(skill, given, exporter?.canExecute ?? unwritten),
    export: async (skill, given = {}) => told(skill, given, exporter?.export ?? unwritten),
    execute: async (skill, input, given = {}) =>
      record({ engine: name, skill, input }, async (id, ended) => {
        const unbegun = (error: Failure): Run =>
          unbegunRun({ skill, input, runId: id }, { ...error, callPath: "0" });
        const digest = (await sources.skills()).get(skill)?.digest;
        const exported = await found(skill, given.whole);
        if (!exported.ok) return unbegun(exported.error);
        if (digest === undefined) return unbegun(failure("SKILL_NOT_FOUND", draftText(skill)));
        const refusal = await refusalOf(skill, given);
        if (refusal) return unbegun(refusal);
        const signal = given.signal ? AbortSignal.any([ended, given.signal]) : ended;
        const run = { id, skill: exported.value, digest, input, signal };
        if (name === TEMPORAL) return runOnDurable(temporal, run, { ...options.settings, ...given });
        return exporter
          ? executedRun(exporter, run, given, options)
          : unbegun(failure("EXPORT_REFUSED", `${skill}: nothing is written for ${name}`));
      }),
  };
}
