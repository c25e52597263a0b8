import { AG2_AGENT } from "./ag2/agent.ts";
import { AG2_CHANNEL } from "./ag2/channel.ts";
import { AG2_GROUPCHAT } from "./ag2/groupchat.ts";
import { AIRFLOW } from "./airflow.ts";
import { ARAZZO } from "./documents/arazzo.ts";
import { OPEN_WORKFLOW } from "./documents/open-workflow.ts";
import type { Exporter } from "./engine-adapter.ts";
import { LANGGRAPH } from "./langgraph.ts";
import { LANGGRAPH_JS } from "./langgraph-js/langgraph-js.ts";
import { TEMPORAL } from "./temporal/temporal.ts";

/** The engines that skills can be written for, by name. */
export const ENGINES: ReadonlyMap<string, Exporter> = new Map(
  [
    LANGGRAPH,
    LANGGRAPH_JS,
    AIRFLOW,
    AG2_AGENT,
    AG2_CHANNEL,
    AG2_GROUPCHAT,
    OPEN_WORKFLOW,
    ARAZZO,
    TEMPORAL,
  ].map((engine) => [engine.name, engine]),
);
