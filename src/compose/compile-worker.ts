import { parentPort } from "node:worker_threads";
import { compileCode } from "./compile-code.ts";
import type { CodeUnit, CompiledCode } from "./compiled-code.ts";

/** What the thread that compiles tells while it works through a batch. */
export type CompileReport =
  | { readonly kind: "ready" }
  /** The work on one skill begins. */
  | { readonly kind: "at"; readonly key: string }
  | { readonly kind: "done"; readonly key: string; readonly code: CompiledCode }
  | { readonly kind: "finished" };

const port = parentPort;
if (!port) throw new Error("This file is a worker thread's");
const tell = (report: CompileReport): void => port.postMessage(report);

port.on("message", (units: readonly CodeUnit[]) => {
  compileCode(units, {
    at: ({ key }) => tell({ kind: "at", key }),
    done: ({ key }, code) => tell({ kind: "done", key, code }),
  });
  tell({ kind: "finished" });
});
tell({ kind: "ready" });
