import { Command } from "commander";
import type { App } from "../../rooms.ts";
import { oneLine } from "../../core/text/display-text.ts";
import { type TemporalSettings, temporalPackage } from "../../durable/temporal.ts";
import { type CommonOptions, endWith, examples, EXIT, withApp, withCommonOptions } from "../session.ts";
import { stopSignal } from "../stop-signal.ts";

interface WorkerOptions extends CommonOptions {
  readonly temporal?: string;
  readonly namespace?: string;
  readonly taskQueue?: string;
}

export function workerCommand(): Command {
  return withCommonOptions(new Command("worker"))
    .description("work on runs of the skills that a Temporal server keeps")
    .argument("[folders...]", "skill folders (default: the configuration's, else ./skills)")
    .option("--temporal <host:port>", "the server (default: the configuration's, else 127.0.0.1:7233)")
    .option("--namespace <name>", "its namespace (default: the configuration's, else default)")
    .option("--task-queue <name>", "where runs wait (default: the configuration's, else repertoire)")
    .addHelpText(
      "after",
      examples("\nExample:\n  $ repertoire worker ./skills --temporal 127.0.0.1:7233 --task-queue shop"),
    )
    .action(async (folders: string[], options: WorkerOptions) => {
      await withApp(folders, options, async (app) => work(app, options));
      process.exit(process.exitCode ?? EXIT.ok);
    });
}

async function work(app: App, { json = false, ...given }: WorkerOptions): Promise<void> {
  const loaded = await temporalPackage();
  if (!loaded.ok) return endWith(loaded.error, json, EXIT.failed);
  const { config, steps, runner } = app;
  const settings: TemporalSettings = {
    address: given.temporal ?? config.temporal.address,
    namespace: given.namespace ?? config.temporal.namespace,
    taskQueue: given.taskQueue ?? config.temporal.taskQueue,
  };
  await Promise.all([app.catalog, runner.warm()]);
  const started = await loaded.value.startWorker({
    ...settings,
    steps,
    graceMs: config.graceMs,
    onNotice: (line) => console.error(oneLine(line)),
  });
  if (!started.ok) return endWith(started.error, json, EXIT.failed);
  const worker = started.value;
  const { address, namespace, taskQueue } = settings;
  console.log(
    json
      ? JSON.stringify(settings)
      : `Working on runs of the queue "${taskQueue}" of ${address}, namespace "${namespace}"`,
  );
  void stopSignal().then(worker.stop);
  await worker.ended;
}
