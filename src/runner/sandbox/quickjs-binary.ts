import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** The engine's compiled binary; it can be posted to worker threads, so that each need not compile it again. */
export function quickJsBinary(): WebAssembly.Module {
  const require = createRequire(import.meta.url);
  // Compiled here and now: what V8 compiles in the background does not keep a process alive.
  return new WebAssembly.Module(readFileSync(require.resolve("@jitl/quickjs-wasmfile-release-sync/wasm")));
}
