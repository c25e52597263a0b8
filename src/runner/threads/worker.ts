import { workerData } from "node:worker_threads";
import { type FromWorker, SHARED, type ToWorker, type WorkerData } from "./protocol.ts";
import { quickJsEngine } from "../sandbox/quickjs.ts";
import { RunTree } from "../run-tree.ts";
import { systemThreadId } from "../cpu-slice.ts";
import { ThreadPort } from "./thread-port.ts";
import { WorkerCache } from "./worker-cache.ts";
import { DEFAULT_LIMITS } from "../../core/limits.ts";
import { TransientMap } from "../../core/transient-map.ts";
import { payloadOf } from "../sandbox/payload.ts";
import { validatedPayload } from "../validated-payload.ts";
import { showSourcePositions } from "../../core/package/source-positions.ts";

showSourcePositions();

/** How long the worker goes on before it looks for messages. */
const SLICE_MS = 4;

/** How long it waits awake for the next message; and where runs come one by one, each soon after the last. */
const LISTEN_MS = 0.05;
const LISTEN_LONG_MS = 0.4;
/** A run comes soon after the last where it would come in time if nobody had to be woken for it. */
const SOON_MS = 2;
/** How long it sleeps until the next of these, where it does not wait awake: the core may be the client's. */
const SLEEP_MS = 2;
/** Where none came in time, so many messages pass, at most, before it waits awake for long again. */
const MAX_PASSED = 16;

/** So many messages do not wait for more. */
const MAX_UNSENT = 4;

const { port: portData, binary, prelude, shared, isForLater } = workerData as WorkerData;
const port = new ThreadPort<FromWorker>(portData, false);
const post = (message: FromWorker): void => {
  outbox.push(message);
  if (!working) schedule();
};
/** Messages leave together: to wake the other thread costs more than to make one. */
let outbox: FromWorker[] = [];

const cache = new WorkerCache(await quickJsEngine(binary, prelude), (library, name) =>
  post({ kind: "wants", library, name }),
);
const sharedWords = new Int32Array(shared);
Atomics.store(sharedWords, SHARED.thread, systemThreadId());
const runs = new TransientMap<RunTree>();
/** Runs under way come first, so that few instances are open at once. */
const ready: Task[] = [];
const waiting: RunTree[] = [];
let scheduled = false;
let working = true;

/** When it had nothing more to do. */
let idleSince = Number.NEGATIVE_INFINITY;
/** Whether the last message came soon after the one before. */
let isInRow = false;
/** How many messages pass before it waits awake for one, and how many will the next time that it does so in vain. */
const patience = { pass: 0, next: 1 };

port.onMessages((messages) => {
  isInRow = performance.now() - idleSince <= SOON_MS;
  receiveAll(messages);
  listen();
});

const prepare = (): void => cache.prepare();

/** The next message of a row, waited for awake, or asleep where that has been in vain. */
function nextInRow(): readonly unknown[] | undefined {
  if (patience.pass > 0) patience.pass--;
  else {
    const messages = port.listen(LISTEN_LONG_MS, "awake", prepare);
    if (messages) {
      patience.next = 1;
      return messages;
    }
    patience.pass = patience.next;
    patience.next = Math.min(MAX_PASSED, patience.next * 2);
  }
  return port.listen(SLEEP_MS, "asleep", prepare);
}

function receiveAll(messages: readonly unknown[]): void {
  (messages as readonly ToWorker[]).forEach(receive);
  runTasks();
}

function receive(message: ToWorker): void {
  working = true;
  try {
    handle(message);
  } catch (error) {
    if (!("id" in message)) throw error;
    reportLost(message.id, error);
  }
}

function handle(message: ToWorker): void {
  switch (message.kind) {
    case "run":
      startRun(message.job);
      break;
    case "cancel":
      runs.get(message.id)?.cancel();
      break;
    case "skill":
      cache.learn(message.library, message.name, message.skill);
      break;
    case "forget":
      cache.forget(message.library);
      break;
    case "answer":
      runs.get(message.id)?.answer(message.tool, message.ok, message.text, message);
      break;
  }
}

// Waking a thread that sleeps costs more than most runs, and the next message often comes at once.
function listen(): void {
  const last = performance.now() + SLICE_MS;
  while (ready.length + waiting.length === 0 && !cache.isAwaited) {
    idleSince = performance.now();
    // Timers and what the system says have their turn, too.
    if (idleSince > last) return void setImmediate(listen);
    const isAlone = runs.size === 0 && Atomics.load(sharedWords, SHARED.alone) === 1;
    const messages = isAlone && isInRow ? nextInRow() : port.listen(LISTEN_MS, "awake", prepare);
    if (messages === undefined) return;
    receiveAll(messages);
  }
}

if (isForLater) {
  validatedPayload(payloadOf("{}"), { type: "object" });
  await cache.warmUp(DEFAULT_LIMITS.memoryMb);
}
working = false;
post({ kind: "ready" });
send();

function send(): void {
  if (outbox.length === 0) return;
  const messages = outbox;
  outbox = [];
  port.send(messages);
}

function startRun(job: Extract<ToWorker, { kind: "run" }>["job"]): void {
  const run = new RunTree({
    job,
    cache,
    shared: sharedWords,
    post,
    enqueue: (work) => {
      ready.push({ run, work });
      if (!working) schedule();
    },
    onEnd: () => runs.delete(job.id),
  });
  runs.set(job.id, run);
  waiting.push(run);
}

interface Task {
  readonly run: RunTree;
  readonly work: () => void;
}

function runTasks(): void {
  const until = performance.now() + SLICE_MS;
  working = true;
  while (performance.now() < until) {
    const task = nextTask();
    if (!task) break;
    try {
      task.work();
    } catch (error) {
      crash(task.run, error);
    }
    if (outbox.length >= MAX_UNSENT) send();
  }
  working = false;
  send();
  if (ready.length + waiting.length > 0) schedule();
}

function crash(run: RunTree, error: unknown): void {
  try {
    run.crash(error);
  } catch (again) {
    reportLost(run.id, again);
  }
}

// What should never happen costs its own run, not those beside it.
function reportLost(id: number, error: unknown): void {
  runs.delete(id);
  post({ kind: "lost", id, fault: (error instanceof Error && error.stack) || "a fault in the runner" });
}

function nextTask(): Task | undefined {
  const task = ready.shift();
  if (task) return task;
  const run = cache.isAwaited ? undefined : waiting.shift();
  return run && { run, work: () => run.start() };
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(() => {
    scheduled = false;
    runTasks();
  });
}
