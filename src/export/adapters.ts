import type { Result } from "../core/result.ts";
import type { EngineAdapter, ExportedSkill, Exporter, ExportOptions, ToolAccess } from "./engine-adapter.ts";
import { ENGINES } from "./engines.ts";
import { exportable, exportedSkill, type ExportSources } from "./exported-skill.ts";

export interface AdapterOptions {
  readonly sources: ExportSources;
  /** What a tool of another server is called by clients of this one. */
  readonly published: (tool: string) => string;
}

/** The engines, by name, for the skills of an app. */
export function engineAdapters(options: AdapterOptions): ReadonlyMap<string, EngineAdapter> {
  return new Map([...ENGINES].map(([name, exporter]) => [name, adapter(exporter, options)]));
}

function adapter(exporter: Exporter, { sources, published }: AdapterOptions): EngineAdapter {
  const told = async <Value>(
    name: string,
    { whole = false, direct = false }: ExportOptions,
    work: (skill: ExportedSkill, access: ToolAccess) => Result<Value>,
  ): Promise<Result<Value>> => {
    const found = await exportable(name, sources);
    const skill = found.ok ? await exportedSkill(name, found.value, { whole }) : found;
    return skill.ok ? work(skill.value, direct ? { kind: "direct" } : { kind: "served", published }) : skill;
  };
  return {
    name: exporter.name,
    canExecute: async (skill, options = {}) => told(skill, options, exporter.canExecute),
    export: async (skill, options = {}) => told(skill, options, exporter.export),
  };
}
