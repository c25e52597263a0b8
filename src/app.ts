import type { Config } from "./config.ts";
import { serverOf } from "./core/tools/tool-name.ts";
import { engineAdapters } from "./export/adapters.ts";
import type { ExportSources } from "./export/exported-skill.ts";
import { openLearning } from "./learning-rooms.ts";
import { type App, type AppOptions, openRooms } from "./rooms.ts";
import { clientName } from "./upstream/tools/published-tools.ts";

/**
 * Opens what a configuration describes. Nothing throws or is refused here: a folder that is not there is a finding of the
 * catalog, a store that cannot be opened answers with `STORE_UNAVAILABLE`, a server that cannot be reached fails the
 * calls of its tools. Notices go to stderr. Threads keep the process alive until `close`.
 */
export function openApp(config: Config, options: AppOptions = {}): App {
  const rooms = openRooms(config, options, () => learning);
  const learning = openLearning(config, rooms.forExtraction, rooms.forWriter);
  const exports: ExportSources = {
    skills: async () => (await rooms.catalog).snapshot.skills,
    draftPlan: async (draft) => {
      const read = await learning.extraction.drafts.readAny(draft);
      return read.ok && read.value.kind === "learned" ? read.value.plan : undefined;
    },
  };
  const engines = engineAdapters({ sources: exports, published: publishedName });
  return { ...rooms, ...learning, exports, engines };
}

/** What clients call a tool of an upstream. */
function publishedName(tool: string): string {
  const server = serverOf(tool);
  return clientName({ server, name: tool.slice(server.length + 1) });
}
