export { type App, type AppOptions, openApp } from "./app.ts";
export { Catalog, type CatalogOptions, type CatalogSnapshot } from "./catalog/catalog.ts";
export { type Config, CONFIG_FILE, type ConfigOptions, readConfig } from "./config.ts";
export { SkillCompiler } from "./compiler/compile-skills.ts";
export { type Fit, fitOf, type FitOptions } from "./subsumption/subsumption.ts";
export { type GraphEdge, type GraphNode, type SkillGraph, skillGraph } from "./graph/skill-graph.ts";
export { type Diagnostic, type DiagnosticCode, DIAGNOSTICS, type Severity } from "./core/diagnostic.ts";
export { type ErrorCode, ERRORS, type Failure, type Position } from "./core/error.ts";
export type { Json, JsonObject } from "./core/json/json.ts";
export type { Result } from "./core/result.ts";
export type { CallRecord, ConsoleLine, Run, RunEvent } from "./core/run.ts";
export type { JsonSchema } from "./core/json/json-schema.ts";
export {
  type Contract,
  type Level,
  type Operation,
  OPERATIONS,
  type Skill,
  type SkillFolder,
  type SkillKind,
} from "./core/skill.ts";
export { DEFAULT_LIMITS, type Limits } from "./core/limits.ts";
export { type CallTool, Runner, type RunnerOptions, type RunOptions } from "./runner/runner.ts";
export { type McpFront, mcpFront, type ServerOptions } from "./server/mcp-server.ts";
export { type HttpFront, serveHttp } from "./server/transport/serve-http.ts";
export { serveStdio } from "./server/transport/serve-stdio.ts";
export { openStore } from "./trace/store/open-store.ts";
export { RunRecorder } from "./trace/record/run-recorder.ts";
export {
  type ImportItem,
  type ImportOptions,
  importTraces,
  TRACE_FORMATS,
} from "./trace/import/import-traces.ts";
export { exportTraces } from "./trace/import/export-traces.ts";
export { sessionTrace } from "./trace/record/session-trace.ts";
export type { StoreOptions, TracePart, TraceStore } from "./trace/trace-store.ts";
export type { Trace, TraceEvent, TraceFile } from "./core/trace-event.ts";
