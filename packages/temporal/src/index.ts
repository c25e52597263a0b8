/** What `repertoire worker` and the setting `execute` load, where this package is installed. */
export { temporalRuns } from "./runs.ts";
export { startWorker } from "./worker.ts";
