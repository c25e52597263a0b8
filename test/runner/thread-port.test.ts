import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ToWorker } from "../../src/runner/threads/protocol.ts";
import { portPair, ThreadPort } from "../../src/runner/threads/thread-port.ts";

/** How long each end waits after a batch, in microseconds, the other one awake or asleep; what the batch's messages hold. */
const exchange = fc.record({
  here: fc.constantFrom(0, 20, 40, 80, 400),
  there: fc.constantFrom(0, 20, 40, 80, 400),
  isAwake: fc.boolean(),
  texts: fc.oneof(
    { weight: 5, arbitrary: fc.array(fc.json({ maxDepth: 1 }), { minLength: 1, maxLength: 1 }) },
    fc.constantFrom<string[]>(
      ["1", "2", "3"],
      [JSON.stringify("é\n\ud800".repeat(3))],
      [JSON.stringify("x".repeat(30_000))],
    ),
  ),
});

test.each([true, false])(
  "messages arrive whole and in the order in which they were sent, whoever waits when and how (waits awake: %s)",
  async (waitsAwake) => {
    const [own, others] = portPair(waitsAwake);
    const worker = new Worker(new URL("echo-thread.ts", import.meta.url), {
      workerData: others,
      transferList: [others.port],
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    const port = new ThreadPort<ToWorker>(own, true);
    const answers: { readonly id: number; readonly root: string }[] = [];
    const receive = (messages: readonly unknown[]): unknown => answers.push(...(messages as typeof answers));
    port.onMessages(receive);
    let id = 0;
    let mailed = 0;
    const property = fc.asyncProperty(
      fc.array(exchange, { minLength: 5, maxLength: 20 }),
      async (batches) => {
        const expected: typeof answers = [];
        answers.length = 0;
        for (const { here, there, isAwake, texts } of batches) {
          const messages = texts.map((text) => {
            expected.push({ id: ++id, root: text });
            return { kind: "answer", id, tool: there, ok: isAwake, text } as const;
          });
          if (port.send(messages)) mailed++;
          const got = port.listen(here / 1000);
          if (got !== undefined) receive(got);
          if (here === 0) await nextTurn();
        }
        await expect.poll(() => answers.length, { timeout: 20_000, interval: 1 }).toBe(expected.length);
        expect(answers.map((each) => ({ id: each.id, root: each.root }))).toEqual(expected);
      },
    );
    await fc.assert(property, { numRuns: 300, endOnFailure: true });
    // On a machine that runs one thread at a time nobody may ever be found awake.
    if (!waitsAwake) expect(mailed).toBe(0);
    await worker.terminate();
  },
);
