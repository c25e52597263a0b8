/** Opens an app and calls its skills. What it learns from is in `repertoire/traces`, what it learns in `repertoire/learn`. */
export { openApp } from "./app.ts";
export type { App, AppOptions, SkillCallOptions } from "./rooms.ts";
export type { DiscoveryLimits } from "./catalog/folders/discover.ts";
export type { Catalog, CatalogSnapshot } from "./catalog/catalog.ts";
export {
  type Config,
  type ConfigOptions,
  type DraftSettings,
  readConfig,
  type TraceSettings,
} from "./config.ts";
export type { ConditionTime, SkillCondition, UnmetCondition } from "./core/conditions/skill-condition.ts";
export type { Diagnostic, DiagnosticCode, RelatedPlace, Severity } from "./core/diagnostic.ts";
export { type ErrorCode, ERRORS, type Failure, type Position } from "./core/error.ts";
export type { Json, JsonObject } from "./core/json/json.ts";
export type { JsonSchema } from "./core/json/json-schema.ts";
export type { Limits } from "./core/limits.ts";
export type { Result } from "./core/result.ts";
export type { CallRecord, ClockAndRandomReadings, ConsoleLine, ModelUse, Run, RunEvent } from "./core/run.ts";
export type {
  Contract,
  ContractSource,
  Level,
  Durability,
  DynamicCall,
  GeneratedCode,
  Operation,
  Skill,
  SkillFolder,
  SkillKind,
  IntentMatch,
  SkillMatching,
  SourceFile,
  StaticCall,
  StaticCalls,
} from "./core/skill.ts";
export type { CallDecision } from "./durable/call-decision.ts";
export type { DurableEngine } from "./durable/durable-engine.ts";
export type { DurableRunOptions, DurableRunView, ResumeOptions } from "./durable/durable-runs.ts";
export type { ToolPolicy } from "./durable/run-attempt.ts";
export type { DurableRun, DurableRunState, JournalCall, ListedRun } from "./durable/run-journal.ts";
export type { KeptCalls, KeptRun, MadeCall, RunStep, RunSteps, WaitingCall } from "./durable/run-steps.ts";
export type {
  TemporalPackage,
  TemporalSettings,
  TemporalWorker,
  TemporalWorkerOptions,
} from "./durable/temporal.ts";
export type {
  ApprovalRequest,
  EngineAdapter,
  Estimate,
  Estimated,
  ExecuteOptions,
  ExportFile,
  ExportOptions,
} from "./export/engine-adapter.ts";
export type { EngineSettings } from "./export/execution/execution.ts";
export type { ModelSettings } from "./model/model-config.ts";
export type { ToolChangePolicy } from "./upstream/tools/tool-changes.ts";
export type { TransportConfig, UpstreamServer } from "./upstream/upstream-config.ts";
