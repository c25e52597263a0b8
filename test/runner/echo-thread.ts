// Sends each message back; between them it waits awake, asleep or not, for a time that the message tells.
import { workerData } from "node:worker_threads";
import type { FromWorker, ToWorker } from "../../src/runner/threads/protocol.ts";
import { type PortData, ThreadPort } from "../../src/runner/threads/thread-port.ts";

const port = new ThreadPort<FromWorker>(workerData as PortData, false);
port.onMessages((messages) => {
  for (let next: readonly unknown[] | undefined = messages; next !== undefined;) {
    const answers = next as readonly Extract<ToWorker, { kind: "answer" }>[];
    for (const { id, text } of answers)
      port.send([{ kind: "done", id, root: text, spentMs: 0, isOverspent: false, fault: undefined }]);
    const { tool = 0, ok = true } = answers[0] ?? {};
    next = port.listen(tool / 1000, ok ? "awake" : "asleep");
  }
});
