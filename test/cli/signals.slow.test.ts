import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { MODEL, openAiServer } from "../model/openai-server.ts";
import { CLI, Workplace } from "../server/connected-client.ts";

const ASKS = `export default async (): Promise<unknown> =>
  call_tool("repertoire.ask_model", { prompt: "Say something.", schema: { type: "object" } });`;

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.create({ asks: ASKS }, { data: "own" });
});
afterAll(async () => workplace[Symbol.asyncDispose]());

test.each(
  (["SIGINT", "SIGTERM", "SIGHUP"] as const).flatMap((signal) => [
    { signal, work: "a task that a model does", args: ["ask", "add 1 and 2"] },
    { signal, work: "a skill that a model writes", args: ["new", "--from", "add two numbers"] },
    { signal, work: "a run", args: ["run", "asks"] },
  ]),
)("$work ends in good order at a $signal", async ({ signal, args }) => {
  const { code, stderr } = await stopped(signal, await hangingModel(), args);
  expect([code, stderr]).toEqual([1, expect.stringContaining("CANCELLED")]);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "a run that goes on after a crash ends in good order at a %s",
  async (signal) => {
    const model = await hangingModel();
    const crashed = await stopped("SIGKILL", model, ["run", "asks", "--durable"]);
    const [, id = ""] = /The run is (\S+)/.exec(crashed.stderr) ?? [];
    const { code, stderr } = await stopped(signal, model, ["runs", "resume", id]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("CANCELLED")]);
  },
);

/** A model that never answers. */
async function hangingModel() {
  const model = await openAiServer({ replies: [{ kind: "hang" }] });
  const config = { data: "own", model: { baseUrl: model.baseUrl, name: MODEL } };
  await writeFile(join(workplace.folder, "mcp.config.json"), JSON.stringify(config));
  return model;
}

/** A command that got a signal while the model was asked. */
async function stopped(
  signal: NodeJS.Signals,
  model: { readonly calls: readonly unknown[] },
  args: readonly string[],
) {
  const before = model.calls.length;
  const running = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", CLI, ...args], {
    cwd: workplace.folder,
  });
  onTestFinished(() => void running.kill("SIGKILL"));
  const stderr = text(running.stderr);
  const ended = once(running, "exit");
  await expect.poll(() => model.calls.length, { timeout: 60_000 }).toBeGreaterThan(before);
  running.kill(signal);
  const [code] = (await ended) as [number | null];
  return { code, stderr: await stderr };
}
