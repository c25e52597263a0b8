// Starts the server whose module is named second, and notes each call of a tool in the file that is named first: with the
// tool, the arguments, and the key of the call. A call with a key that it knows is answered as it was, and not made again.
// While there is a file beside the log with the ending `.hold`, answers wait: of the tool that it names, or all.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , log, module] = process.argv;
const server = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", module], {
  stdio: ["pipe", "pipe", "inherit"],
});
const keys = new Map();
const answers = new Map();
const tools = new Map();
let last = Promise.resolve();
function isHeld(tool) {
  if (!existsSync(`${log}.hold`)) return false;
  const held = readFileSync(`${log}.hold`, "utf8");
  return held === "" || held === tool;
}
function say(line, tool) {
  last = last.then(async () => {
    while (isHeld(tool)) await new Promise((resolve) => setTimeout(resolve, 50));
    process.stdout.write(`${line}\n`);
  });
}
createInterface(process.stdin)
  .on("line", (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    const key = params._meta?.["repertoire/idempotencyKey"];
    const known = method === "tools/call" ? answers.get(key) : undefined;
    if (method === "tools/call") {
      const call = { tool: params.name, args: params.arguments, key, isKnown: known !== undefined };
      appendFileSync(log, `${JSON.stringify(call)}\n`);
      if (key !== undefined) keys.set(id, key);
      tools.set(id, params.name);
    }
    if (known) say(JSON.stringify({ jsonrpc: "2.0", id, result: known }), params.name);
    else server.stdin.write(`${line}\n`);
  })
  .on("close", () => server.stdin.end());
createInterface(server.stdout).on("line", (line) => {
  const { id, result } = JSON.parse(line);
  if (result && keys.has(id)) answers.set(keys.get(id), result);
  say(line, tools.get(id));
});
server.on("exit", () => process.exit());
