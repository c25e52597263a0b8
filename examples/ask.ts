// A task in words, done with the skills of this folder. Without an argument no model is asked: a server on loopback speaks
// the protocol of one and says what stands here. With a configuration that has a model, that one does the task:
//   npm run demo:ask -- mcp.config.json
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const task = "How long is the longest side of a right triangle whose other sides are 3 and 4? Double it.";
const [given] = process.argv.slice(2);

const SCRIPT = [
  { run: { skill: "hypotenuse", input: '{"x": 3, "y": 4}' } },
  { run: { skill: "hypotenuse", input: '{"a": 3, "b": 4}' } },
  { run: { skill: "multiply", input: '{"a": 5, "b": 2}' } },
  { done: { text: "The longest side is 5; twice that is 10." } },
];
let turn = 0;
const model = createServer((request, response) => {
  request.resume().on("end", () => {
    const content = JSON.stringify({ run: null, ask: null, done: null, missing: null, ...SCRIPT[turn++] });
    const choice = {
      index: 0,
      finish_reason: "stop",
      message: { role: "assistant", content, refusal: null },
    };
    const usage = { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ id: "1", object: "chat.completion", model: "scripted", choices: [choice], usage }),
    );
  });
});

const folder = await mkdtemp(join(tmpdir(), "repertoire-ask-"));
try {
  let config = given;
  if (config === undefined) {
    await new Promise<void>((resolve) => void model.listen(0, "127.0.0.1", resolve));
    const { port } = model.address() as AddressInfo;
    config = join(folder, "mcp.config.json");
    const settings = {
      skills: join(root, "skills"),
      model: { baseUrl: `http://127.0.0.1:${port}/v1`, name: "scripted" },
    };
    await writeFile(config, JSON.stringify(settings));
    console.log(
      "The model here is scripted: its turns stand in examples/ask.ts. Its first call has wrong names on purpose, so that it " +
        "is not made: the model is told why, and calls again. Below stand the calls that are made.\n",
    );
  }
  console.log(`Task: ${task}\n`);
  const asking = spawn(process.execPath, [join(root, "bin/repertoire.js"), "ask", task, "--config", config], {
    stdio: ["inherit", "pipe", "pipe"],
  });
  let said = "";
  asking.stdout.on("data", (part: Buffer) => {
    said += part.toString("utf8");
  });
  let calls = "";
  asking.stderr.on("data", (part: Buffer) => {
    calls += part.toString("utf8");
    process.stderr.write(part);
  });
  const [code] = (await once(asking, "close")) as [number];
  console.log(said);
  assert.equal(code, 0);
  if (given === undefined) {
    assert.equal(said.trim(), "The longest side is 5; twice that is 10.");
    assert.match(calls, /^hypotenuse \{"a":3,"b":4\}\nmultiply \{"a":5,"b":2\}$/m);
  }
} finally {
  model.closeAllConnections();
  model.close();
  await rm(folder, { recursive: true });
}
