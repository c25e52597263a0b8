/** What happened, as plain data: transcripts of other programs come in, traces go out, a store keeps them. */
export type {
  EventStatus,
  EventType,
  Trace,
  TraceEvent,
  TraceFile,
  TraceSource,
} from "./core/trace-event.ts";
export { type ExportFormat, exportTraces } from "./trace/export/export-traces.ts";
export {
  type ImportInput,
  type ImportItem,
  type ImportOptions,
  importTraces,
} from "./trace/import/import-traces.ts";
export { TRACE_FORMATS } from "./trace/import/format.ts";
export type { ImportLimits, SkipReason } from "./trace/import/reading/limits.ts";
export type { Judgement } from "./trace/record/judgement.ts";
export { openStore } from "./trace/store/open-store.ts";
export type {
  Chain,
  ChainFilter,
  CodePattern,
  FileTemplate,
  HandOff,
  PatternFilter,
  PruneResult,
  Rate,
  RedactionOptions,
  RedactionRule,
  Retention,
  RunFilter,
  RunPage,
  RunSummary,
  SessionPage,
  SessionSummary,
  SearchFilter,
  SearchHit,
  SearchHitKind,
  StoreOptions,
  TracePart,
  TraceStore,
  Usage,
  UsageFilter,
} from "./trace/trace-store.ts";
