import { AIRFLOW } from "./airflow.ts";
import type { EngineAdapter } from "./engine-adapter.ts";
import { LANGGRAPH } from "./langgraph.ts";

/** The engines that skills can be written for, by name. */
export const ENGINES: ReadonlyMap<string, EngineAdapter> = new Map(
  [LANGGRAPH, AIRFLOW].map((engine) => [engine.name, engine]),
);
