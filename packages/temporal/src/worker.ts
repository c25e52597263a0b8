import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DefaultLogger, NativeConnection, Runtime, Worker } from "@temporalio/worker";
import type { Result, TemporalWorker, TemporalWorkerOptions } from "repertoire";
import { activitiesOf } from "./activities.ts";
import { connected, connectOptions, registerAttributes, unreachable } from "./connection.ts";

const BUNDLE = fileURLToPath(new URL("workflow-bundle.js", import.meta.url));

/** Works on runs until it is stopped; then what is at work has `graceMs` to end, and goes on elsewhere after that. */
export async function startWorker(options: TemporalWorkerOptions): Promise<Result<TemporalWorker>> {
  const { namespace, taskQueue, steps, graceMs, onNotice } = options;
  if (!existsSync(BUNDLE)) throw new Error(`${BUNDLE} is not there: "npm run build" in its package makes it`);
  const logger = new DefaultLogger("WARN", ({ level, message, meta }) =>
    onNotice(`Temporal: ${level} ${message}${reasonOf(meta)}`),
  );
  // Signals are the program's to heed.
  Runtime.install({ logger, shutdownSignals: [] });
  let connection: NativeConnection;
  let worker: Worker;
  try {
    // A worker's own connection tells after 20 seconds that nobody answers, in the words of a library.
    await (await connected(options)).close();
    connection = await NativeConnection.connect(connectOptions(options));
    worker = await Worker.create({
      connection,
      namespace,
      taskQueue,
      workflowBundle: { codePath: BUNDLE },
      activities: activitiesOf(steps),
      shutdownGraceTime: graceMs,
      // A run whose worker has died goes on elsewhere after so long.
      stickyQueueScheduleToStartTimeout: "1s",
      maxHeartbeatThrottleInterval: "1s",
      defaultHeartbeatThrottleInterval: "1s",
    });
  } catch (error) {
    return { ok: false, error: unreachable(options, error) };
  }
  await registerAttributes(connection, namespace, onNotice);
  const work = async (): Promise<void> => {
    try {
      await worker.run();
    } finally {
      await connection.close();
    }
  };
  return { ok: true, value: { ended: work(), stop: () => worker.shutdown() } };
}

function reasonOf(meta: Readonly<Record<string, unknown>> | undefined): string {
  const { error, activityType } = meta ?? {};
  const of = typeof activityType === "string" ? ` (${activityType})` : "";
  return error instanceof Error ? `${of}: ${error.message}` : of;
}
