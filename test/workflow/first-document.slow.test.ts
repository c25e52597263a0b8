import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { serveHttp } from "../../src/server/transport/serve-http.ts";
import { openAiServer } from "../model/openai-server.ts";
import { textOf } from "../server/connected-client.ts";
import { appOver, eventsOf, modelAt } from "./opened-app.ts";

const SEEDS = resolve(import.meta.dirname, "../../../shared/seeds");

/** The document that the format was first described with, where it is at hand. */
const DOCUMENT = firstDocument();

function firstDocument(): string | undefined {
  try {
    const file = readdirSync(SEEDS).find((name) => name.startsWith("000")) ?? "";
    const text = readFileSync(join(SEEDS, file), "utf8");
    const start = text.indexOf('{\n  "skill_schema_version"');
    return text.slice(start, text.indexOf("\n```", start));
  } catch {
    return undefined;
  }
}

/** What a model has said once to each question of the document, by the task. */
const RECORDED: Readonly<Record<string, Json>> = {
  understand_context: {
    context_summary: "Power spectra of the microwave background",
    relevant_papers: ["Planck 2018 V", "Planck 2018 VI", "ACT DR6"],
    methodology_notes: "Bin by multipole, sample the likelihood.",
  },
  validate_data: {
    validation_status: true,
    data_schema: { columns: ["ell", "cl"] },
    quality_report: { rows: 1 },
  },
  preprocess_data: { preprocessed_data_path: "out/binned.csv", preprocessing_log: { bins: 10 } },
  run_analysis: {
    parameter_estimates: { h0: 67.4 },
    posterior_samples: [[67.3], [67.5]],
    convergence_metrics: { gelman_rubin: 1.02 },
  },
  generate_plots: { plot_files: ["a.png", "b.png"] },
  generate_report: { report: "# Results\n\n".padEnd(140, "The Hubble constant is 67.4. ") },
  outputs: {
    analysis_results: {
      parameters: { h0: 67.4 },
      uncertainties: { h0: 0.5 },
      convergence_metrics: { gelman_rubin: 1.02 },
    },
    visualization_files: ["a.png", "b.png"],
  },
};

const INPUT = { input_file_path: "data/spectrum.csv" };
const OUTPUT = {
  ...(RECORDED["outputs"] as JsonObject),
  report: (RECORDED["generate_report"] as JsonObject)["report"],
};

const SKILL = "---\nname: skill-name\ndescription: Analyses a power spectrum.\ndurable: true\n---\n";

describe.skipIf(DOCUMENT === undefined)("the document that the format was first described with", () => {
  test("loads, tells what it asks a model, and runs with the answers of one", async () => {
    const model = await openAiServer({
      replies: ({ data, system }) => ({ kind: "answer", value: RECORDED[taskOf(system)] ?? { no: data } }),
    });
    const app = await appOver(
      { "skill-name/workflow.json": DOCUMENT ?? "" },
      { model: modelAt(model.baseUrl) },
    );
    const { snapshot } = await app.catalog;
    expect(snapshot.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const skill = snapshot.skills.get("skill-name");
    expect(skill).toMatchObject({
      kind: "workflow",
      operation: "READ",
      calls: { tools: expect.arrayContaining(["repertoire.ask_model"]) },
    });
    const run = await app.call("skill-name", INPUT);
    expect(run.root.outcome).toEqual({ ok: true, output: OUTPUT });
    const asked = run.root.calls.map(({ input }) => (input as JsonObject)["task"]);
    expect(asked).toEqual(Object.keys(RECORDED));
    const [analysis, plots] = run.root.calls.slice(3, 5);
    // Both are of a parallel group, and were out at the same time.
    expect(plots?.startMs ?? Infinity).toBeLessThan((analysis?.startMs ?? 0) + (analysis?.durationMs ?? 0));
    const events = await eventsOf(app, run.id);
    expect(events.filter(({ cost }) => (cost ?? 0) > 0)).toHaveLength(7);
  });

  test("ends where a critical criterion of it does not hold, in words that name its task and place", async () => {
    const model = await openAiServer({
      replies: ({ system }) => {
        const recorded = RECORDED[taskOf(system)] as JsonObject;
        return { kind: "answer", value: { ...recorded, relevant_papers: ["one"] } };
      },
    });
    const app = await appOver(
      { "skill-name/workflow.json": DOCUMENT ?? "" },
      { model: modelAt(model.baseUrl) },
    );
    const { outcome } = (await app.call("skill-name", INPUT)).root;
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        code: "POSTCONDITION_FAILED",
        message:
          "task understand_context: this does not hold: outputs.relevant_papers.length >= 3 (outputs.relevant_papers.length is 1)",
        positions: [expect.objectContaining({ path: expect.stringMatching(/workflow\.json$/) })],
      },
    });
  });

  test("durable and without a model, it is answered by the client's own, question by question", async () => {
    const app = await appOver({ "skill-name/workflow.json": DOCUMENT ?? "", "skill-name/SKILL.md": SKILL });
    const running = await serveHttp(app.front, 0);
    if (!running.ok) throw new Error(running.error.message);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(running.value.url)));
    let told = await client.callTool({ name: "skill-name", arguments: INPUT });
    const run = /The run ([\w-]+) waits/.exec(textOf(told))?.[1] ?? "";
    const questions: string[] = [];
    for (let rounds = 0; rounds < 12 && told.isError === true; rounds++) {
      const shown = await client.callTool({ name: "review_run", arguments: { run } });
      const { calls } = shown.structuredContent as {
        calls: { callPath: string; state: string; input: { task?: string } }[];
      };
      const next = calls.find(({ state }) => state === "asked");
      const task = next?.input.task ?? "";
      questions.push(task);
      told = await client.callTool({
        name: "review_run",
        arguments: { run, action: "answer", call: next?.callPath, answer: RECORDED[task] },
      });
    }
    expect(questions.toSorted()).toEqual(Object.keys(RECORDED).toSorted());
    expect(told.structuredContent).toEqual(OUTPUT);
    await client.close();
    await running.value.close();
  });
});

/** The task that a question is of, by the words that the document has for it. */
function taskOf(instructions: string): string {
  const words: Readonly<Record<string, string>> = {
    understand_context: "Query domain knowledge",
    validate_data: "Validate input data",
    preprocess_data: "Bin, normalize",
    run_analysis: "Run statistical analysis",
    generate_plots: "Create plots",
    generate_report: "Compile results",
    outputs: "Put together",
  };
  return Object.keys(words).find((task) => instructions.includes(words[task] ?? "?")) ?? "";
}
