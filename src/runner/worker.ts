import { parentPort, workerData } from "node:worker_threads";
import type { FromWorker, ToWorker } from "./protocol.ts";
import { quickJsEngine } from "./quickjs.ts";
import { RunTree } from "./run-tree.ts";
import { Workbench } from "./workbench.ts";

/** How long the worker goes on before it looks for messages. */
const SLICE_MS = 4;

const port = parentPort;
if (!port) throw new Error("this file runs as a worker thread");
const { binary, shared } = workerData as { binary: WebAssembly.Module; shared: SharedArrayBuffer };
const post = (message: FromWorker): void => port.postMessage(message);

const bench = new Workbench(await quickJsEngine(binary), (library, name) => post({ kind: "wants", library, name }));
const slots = new Int32Array(shared);
const runs = new Map<number, RunTree>();
let ready: { run: RunTree; work: () => void }[] = [];
let scheduled = false;

port.on("message", (message: ToWorker) => {
  switch (message.kind) {
    case "run":
      startRun(message.job);
      break;
    case "cancel":
      runs.get(message.id)?.cancel();
      break;
    case "skill":
      bench.learn(message.library, message.name, message.skill);
      break;
    case "forget":
      bench.forget(message.library);
      break;
    case "answer":
      runs.get(message.id)?.answer(message.tool, message.ok, message.text);
      break;
  }
  if (!scheduled) workOff();
});
post({ kind: "ready" });

function startRun(job: Extract<ToWorker, { kind: "run" }>["job"]): void {
  const run = new RunTree({
    job,
    bench,
    shared: slots,
    post,
    enqueue: (work) => {
      ready.push({ run, work });
      if (!scheduled && !working) schedule();
    },
    onEnd: () => runs.delete(job.id),
  });
  runs.set(job.id, run);
  run.start();
}

let working = false;

function workOff(): void {
  const until = performance.now() + SLICE_MS;
  working = true;
  let at = 0;
  for (; at < ready.length; at++) {
    const task = ready[at];
    if (!task) break;
    try {
      task.work();
    } catch (error) {
      task.run.crash(error);
    }
    if (performance.now() >= until) {
      at++;
      break;
    }
  }
  ready = ready.slice(at);
  working = false;
  if (ready.length > 0) schedule();
}

function schedule(): void {
  scheduled = true;
  setImmediate(() => {
    scheduled = false;
    workOff();
  });
}
