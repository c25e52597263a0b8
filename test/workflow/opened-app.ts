import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { openApp } from "../../src/app.ts";
import type { App } from "../../src/rooms.ts";
import { readConfig } from "../../src/config.ts";
import type { TraceEvent } from "../../src/core/trace-event.ts";
import { MODEL } from "../model/openai-server.ts";
import { Workplace } from "../server/connected-client.ts";

/** An app over files of skills, by their paths in the skills folder; it ends with the test. */
export async function appOver(
  files: Readonly<Record<string, string>>,
  config: object = {},
): Promise<App & { readonly folder: string }> {
  const workplace = await Workplace.create(
    {},
    { data: "own", traces: { durability: "answered" }, ...config },
  );
  onTestFinished(() => workplace[Symbol.asyncDispose]());
  await writeSkills(workplace, files);
  return { ...(await reopened(workplace.folder)), folder: workplace.folder };
}

/** Files of skills, by their paths in the skills folder. */
export async function writeSkills(
  { skills }: Workplace,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(skills, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Another app over the same folder, as after a restart. */
export async function reopened(folder: string): Promise<App> {
  const read = await readConfig({ cwd: folder });
  if (!read.ok) throw new Error(read.error.message);
  const app = openApp(read.value);
  onTestFinished(() => app.close());
  return app;
}

export function modelAt(baseUrl: string): object {
  return { baseUrl, name: MODEL, prices: { input: 1, output: 10 } };
}

/** What the trace of a run has. */
export async function eventsOf(app: App, runId: string): Promise<readonly TraceEvent[]> {
  const trace = await app.traces.trace(runId);
  if (!trace.ok || !trace.value) throw new Error(`no trace of ${runId}`);
  return trace.value.events;
}
