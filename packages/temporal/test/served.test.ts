import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasServer, type TemporalServer, temporalServer } from "./temporal-server.ts";
import { Workplace } from "./workplace.ts";

const PROGRAM = join(import.meta.dirname, "../../../bin/repertoire.js");

interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
  readonly content: readonly { readonly text?: string }[];
}

describe.runIf(hasServer)("a server whose runs are on Temporal", () => {
  let server: TemporalServer;
  let place: Workplace;
  const client = new Client({ name: "tester", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  const questions: string[] = [];
  beforeAll(async () => {
    server = await temporalServer();
    place = await Workplace.open(server.address);
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      questions.push(params.message);
      return { action: "accept", content: { verdict: "call" } };
    });
    const args = ["--disable-warning=ExperimentalWarning", PROGRAM, "serve"];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: place.folder, stderr: "ignore" }),
    );
  });
  afterAll(async () => {
    await client.close();
    await place.close();
    await server.close();
  });
  const call = async (name: string, given: object): Promise<Answer> =>
    (await client.callTool({ name, arguments: { ...given } }, { timeout: 100_000 })) as Answer;

  test("without a worker a run that writes is told to wait for one, and goes on when it comes", async () => {
    const answer = await call("put-all", { texts: ["patient"] });
    expect(answer).toMatchObject({ isError: true });
    expect(JSON.stringify(answer.content)).toMatch(/No worker.*goes on then/);
    expect(await call("square", { n: 3 })).toMatchObject({ structuredContent: { result: 9 } });
    await place.worker();
    await place.applied(1);
  });

  test("a skill that writes, as a tool or by run_skill, is a workflow of the client's session", async () => {
    const before = place.of("applied").length;
    const [asTool, byName] = [
      await call("put-all", { texts: ["tool"] }),
      await call("run_skill", { name: "put-all", input: { texts: ["name"] } }),
    ];
    for (const answer of [asTool, byName]) expect(answer).toMatchObject({ structuredContent: { put: 1 } });
    expect(place.of("applied")).toHaveLength(before + 2);
    const { stdout } = await place.command("runs", "ls", "--json");
    const runs = JSON.parse(stdout) as readonly { runId: string; skill: string }[];
    const [last] = runs;
    const runId = last?.runId ?? "";
    const { memo } = await place.client.workflow.getHandle(runId).describe();
    expect(memo).toMatchObject({ skill: "put-all", session: expect.stringMatching(/./) });
    // Its trace is that of any run.
    const { stdout: trace } = await place.command("traces", "show", runId, "--json");
    expect(trace).toContain("ledger.put");
  });

  test("what writes is approved by the person behind the client, and made once", async () => {
    const waiting = await call("pay-asked", { text: "rent" });
    expect(JSON.stringify(waiting.content)).toContain("RUN_WAITING");
    const [, run = ""] = /The run ([0-9a-f-]{36}) waits/.exec(JSON.stringify(waiting.content)) ?? [];
    const done = await call("review_run", { run, action: "approve" });
    expect(done).toMatchObject({ structuredContent: { text: "rent" } });
    expect(questions).toEqual([expect.stringContaining('Shall "ledger.pay" be called?')]);
    expect(place.of("applied").filter(({ tool }) => tool === "pay")).toHaveLength(1);
  });
});
