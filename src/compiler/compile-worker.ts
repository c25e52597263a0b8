import { parentPort } from "node:worker_threads";
import { type Callables, checkBodies } from "../checks/body-checker.ts";
import { compileCode } from "./compile-code.ts";
import type { CodeFinding, CodeUnit, CompiledCode } from "./program/compiled-code.ts";
import { threadCpuMs } from "../core/time/thread-cpu.ts";
import { showSourcePositions } from "../core/package/source-positions.ts";

showSourcePositions();

/** A batch for the thread that compiles. */
export type CompileRequest =
  | { readonly kind: "compile"; readonly units: readonly CodeUnit[] }
  | {
      readonly kind: "check";
      readonly units: readonly CodeUnit[];
      readonly callable: Callables;
    };

/** What the thread tells while it works through a batch. */
export type CompileReport =
  | { readonly kind: "ready" }
  /** The work on one skill begins. */
  | { readonly kind: "at"; readonly key: string }
  | { readonly kind: "done"; readonly key: string; readonly result: CompiledCode | readonly CodeFinding[] }
  | { readonly kind: "finished" };

const port = parentPort;
if (!port) throw new Error("This file is a worker thread's");
const tell = (report: CompileReport): void => port.postMessage({ ...report, cpuMs: threadCpuMs() });

port.on("message", (request: CompileRequest) => {
  const progress = {
    at: ({ key }: CodeUnit) => tell({ kind: "at", key }),
    done: ({ key }: CodeUnit, result: CompiledCode | readonly CodeFinding[]) =>
      tell({ kind: "done", key, result }),
  };
  switch (request.kind) {
    case "compile":
      compileCode(request.units, progress);
      break;
    case "check":
      checkBodies(request.units, request.callable, progress);
      break;
  }
  tell({ kind: "finished" });
});
tell({ kind: "ready" });
