import type { EngineName } from "../core/skill.ts";
import type { Engine } from "./engine.ts";
import { quickJsEngine } from "./quickjs.ts";
import { quickJsBinary } from "./quickjs-binding.ts";
import { quickJsWasiEngine } from "./quickjs-wasi.ts";
import { quickJsWasiBinary } from "./quickjs-wasi-binding.ts";

/** How an engine is had: its binary, compiled once, and the engine made of it in each worker. */
interface EngineSource {
  readonly compile: () => Promise<WebAssembly.Module>;
  readonly start: (binary: WebAssembly.Module) => Promise<Engine>;
}

export const ENGINES: Readonly<Record<EngineName, EngineSource>> = {
  quickjs: { compile: quickJsBinary, start: quickJsEngine },
  "quickjs-wasi": { compile: quickJsWasiBinary, start: quickJsWasiEngine },
};
