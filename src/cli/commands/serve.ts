import { stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import type { Rooms } from "../../rooms.ts";
import type { Config } from "../../config.ts";
import type { CatalogSnapshot } from "../../catalog/catalog.ts";
import { commandLine } from "../../core/text/command-line.ts";
import { failure } from "../../core/error.ts";
import { boundYoungGeneration } from "../../core/package/young-generation.ts";
import { oneLine } from "../../core/text/display-text.ts";
import { startFirstWorker } from "../../runner/threads/worker-thread.ts";
import { serveStdio } from "../../server/transport/serve-stdio.ts";
import { findingText } from "../output/finding-text.ts";
import { type CommonOptions, configOf, endWith, examples, EXIT, withCommonOptions } from "../session.ts";
import { stopSignal } from "../stop-signal.ts";

const DEFAULT_PORT = 3333;
/** Clients wait for their first list of tools; a check that takes longer may take tools back later. */
const PATIENCE_MS = 3_000;

export function serveCommand(): Command {
  return withCommonOptions(new Command("serve"))
    .description("serve the skills as MCP tools, on stdio or as Streamable HTTP")
    .argument("[folders...]", "skill folders (default: the configuration's, else ./skills)")
    .option("--http [port]", `serve Streamable HTTP on 127.0.0.1 (default port: ${DEFAULT_PORT})`, portOf)
    .option(
      "--watch",
      "follow changes of the skill folders, and write skills.d.ts anew with each (see `types`)",
    )
    .option("--no-watch", "do not follow changes of the skill folders")
    .option("--wait", "serve although a skills folder is not there yet, and follow what comes there")
    .addHelpText("after", examples("\nExample:\n  $ repertoire serve ./skills --http 3333"))
    .action(async (folders: string[], options: ServeOptions) => {
      boundYoungGeneration();
      const config = await configOf(folders, options);
      // Beside all that is loaded now; the others would take time from loading skills, and from the first call.
      const firstWorker = startFirstWorker(config.waitAwake);
      const { openRooms } = await import("../../rooms.ts");
      const watch = options.watch ?? true;
      const rooms = openRooms(config, { watch, patienceMs: PATIENCE_MS, firstWorker });
      try {
        await serve(rooms, options);
      } finally {
        await rooms.close();
      }
      process.exit(EXIT.ok);
    });
}

const WARM_LATER_MS = 1000;
const RETENTION_MS = 3_600_000;

interface ServeOptions extends CommonOptions {
  readonly http?: number | true;
  readonly watch?: boolean;
  readonly wait?: boolean;
}

async function serve(app: Rooms, { http, watch, wait, json = false }: ServeOptions): Promise<void> {
  if (wait !== true) await needFolders(app.config, json);
  outliveFaults();
  const { graceMs } = app.config;
  void followCatalog(app, wait === true);
  void app.upstreams.openPublished();
  keepRetention(app);
  void resumeInterrupted(app);
  if (watch !== false)
    void import("./types.ts").then(async ({ keepTypesFresh }) =>
      keepTypesFresh(app, { create: watch === true }),
    );
  if (http === undefined) {
    await serveStdio(app.front, { stop: stopSignal(), graceMs });
    return;
  }
  const { serveHttp } = await import("../../server/transport/serve-http.ts");
  const running = await serveHttp(app.front, http === true ? DEFAULT_PORT : http);
  if (!running.ok) endWith(running.error, json, EXIT.usage);
  console.log(json ? JSON.stringify({ url: running.value.url }) : `Serving MCP at ${running.value.url}`);
  await stopSignal();
  await running.value.close(graceMs);
}

/** A folder that is not there is more often a slip than a plan. */
async function needFolders({ skills, file }: Config, json: boolean): Promise<void> {
  for (const folder of skills) {
    const fault = await stat(folder).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (fault !== "ENOENT") continue;
    const message = `There is no skills folder ${folder}: make its first skill with "${commandLine(file === undefined ? "new <name>" : `new <name> --config ${file}`)}", name another folder, or give --wait to serve what comes there`;
    endWith(failure("PATH_NOT_FOUND", message), json, EXIT.usage);
  }
}

// The last resort: what comes here is a bug, and has cost the request that it belongs to. Others have done nothing to
// be cut off for it.
function outliveFaults(): void {
  const tell = (fault: unknown): void =>
    console.error(`A fault in the server: ${(fault instanceof Error && fault.stack) || String(fault)}`);
  process.on("uncaughtException", tell).on("unhandledRejection", tell);
}

/** Goes on with the durable runs that an earlier process has left, and tells how each went. */
async function resumeInterrupted({ durable, recorder }: Rooms): Promise<void> {
  const ids = await durable.interrupted();
  if (!ids.ok) return console.error(`Durable runs are not looked at: ${ids.error.message}`);
  for (const runId of ids.value) {
    const resumed = await durable.resume(runId, {
      record: async ({ skill, input }, work) => recorder.run(skill, input, {}, work, runId),
    });
    const outcome = resumed.ok ? resumed.value.root.outcome : resumed;
    const how = outcome.ok ? "has completed" : `${outcome.error.code}: ${outcome.error.message}`;
    console.error(oneLine(`The interrupted run ${runId} went on: ${how}`));
  }
}

/** Deletes what the configuration does not keep, now and from time to time. */
function keepRetention({ config, traces }: Rooms): void {
  const { retention } = config.traces;
  if (Object.keys(retention).length === 0) return;
  const prune = async (): Promise<void> => {
    const pruned = await traces.prune(retention);
    if (!pruned.ok) console.error(`Old traces are not deleted: ${pruned.error.message}`);
  };
  void prune();
  setInterval(() => void prune(), RETENTION_MS).unref();
}

// Each finding is told once, when it appears.
/** With `isWaiting`, a folder that is not there yet is waited for. */
async function followCatalog(app: Rooms, isWaiting: boolean): Promise<void> {
  const catalog = await app.catalog;
  let told: ReadonlySet<string> = new Set();
  const tell = ({ diagnostics }: CatalogSnapshot): void => {
    const texts = new Set(
      diagnostics
        .filter(({ severity }) => severity !== "info")
        .map((each) =>
          isWaiting && each.code === "folder-missing"
            ? `${each.message} yet: waiting for it`
            : findingText(each),
        ),
    );
    for (const text of texts.difference(told)) console.error(text);
    told = texts;
  };
  tell(catalog.snapshot);
  catalog.onChange(tell);
  await delay(WARM_LATER_MS, undefined, { ref: false });
  await app.runner.warm();
}

function portOf(given: string): number {
  const port = Number(given);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError("a port is 0 to 65535");
  return port;
}
