import type { Config } from "./config.ts";
import type { ExportSources } from "./export/exported-skill.ts";
import { openLearning } from "./learning-rooms.ts";
import { openEngines } from "./open-engines.ts";
import { type App, type AppOptions, openRooms } from "./rooms.ts";

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
  const engines = openEngines(config, { ...rooms.forEngines, sources: exports });
  return {
    ...rooms,
    ...learning,
    exports,
    engines: engines.adapters,
    close: async () => {
      await engines.close();
      await rooms.close();
    },
  };
}
