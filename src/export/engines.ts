import { AG2_AGENT } from "./ag2.ts";
import { AIRFLOW } from "./airflow.ts";
import type { Exporter } from "./engine-adapter.ts";
import { LANGGRAPH } from "./langgraph.ts";

/** The engines that skills can be written for, by name. */
export const ENGINES: ReadonlyMap<string, Exporter> = new Map(
  [LANGGRAPH, AIRFLOW, AG2_AGENT].map((engine) => [engine.name, engine]),
);
