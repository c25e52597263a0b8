// The main job, end to end: a folder of skills becomes tools of an MCP server, and skills call skills.
// Starts the real server as a child process and talks to it as any client does. Asserts what it shows.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const root = fileURLToPath(new URL("..", import.meta.url));
const server = join(root, "bin/repertoire.js");
const folder = await mkdtemp(join(tmpdir(), "repertoire-demo-"));
await cp(join(root, "skills"), join(folder, "skills"), { recursive: true });
await writeFile(join(folder, "mcp.config.json"), "{}");
await writeSkill("ping", "Calls pong.", `export default async (): Promise<unknown> => call_skill("pong");\n`);
await writeSkill("pong", "Calls ping.", `export default async (): Promise<unknown> => call_skill("ping");\n`);
for (let step = 1; step <= 7; step++) {
  const code =
    step === 7
      ? `(): string => "the bottom"`
      : `async (): Promise<unknown> => call_skill("step-${step + 1}")`;
  await writeSkill(`step-${step}`, `Step ${step} of a staircase.`, `export default ${code};\n`);
}

let tellChanged = (): void => undefined;
const client = new Client(
  { name: "demo", version: "1.0.0" },
  { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => tellChanged() } } },
);
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [server, "serve"],
  cwd: folder,
  stderr: "ignore",
});

try {
  await client.connect(transport);

  heading("The folder's skills are the server's tools");
  const { tools } = await client.listTools();
  for (const { name, description = "" } of tools)
    console.log(`  ${name.padEnd(22)}${description.slice(0, 80)}`);
  assert(tools.some(({ name, outputSchema }) => name === "compound-formula" && outputSchema !== undefined));

  heading("One call of a skill that calls skills: 2x + 3y + z for 5, 3 and 7");
  const formula = await client.callTool({ name: "compound-formula", arguments: { x: 5, y: 3, z: 7 } });
  console.log(`  ${textOf(formula)}`);
  assert.deepEqual(formula.structuredContent, { result: 26 });

  heading("The same on the command line, with its calls and their times");
  const tree = execFileSync(
    process.execPath,
    [server, "run", "compound-formula", "--input", '{"x": 5, "y": 3, "z": 7}'],
    { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  console.log(indented(tree.trimEnd()));
  assert.equal(tree.match(/─ calculator {2}[\d.]+ ms/g)?.length, 4);

  heading("A wrong argument: the answer tells how to mend the call");
  const wrong = await client.callTool({ name: "hypotenuse", arguments: { a: 3, c: 4 } });
  console.log(indented(textOf(wrong)));
  assert(wrong.isError);
  assert.match(textOf(wrong), /lacks the required property "b"/);

  heading("A cycle is refused before any of its code runs");
  const cycle = await client.callTool({ name: "ping", arguments: {} });
  console.log(indented(textOf(cycle)));
  assert.match(textOf(cycle), /Circular dependency detected: ping -> pong -> ping/);

  heading("So are calls nested too deeply: five skills below the first, not six");
  const deep = await client.callTool({ name: "step-1", arguments: {} });
  console.log(indented(textOf(deep)));
  assert.match(textOf(deep), /Max call depth \(5\) exceeded: step-1 -> step-2/);
  const fine = await client.callTool({ name: "step-2", arguments: {} });
  assert.deepEqual(fine.structuredContent, { result: "the bottom" });

  heading("A skill written while the client is connected is a tool at once");
  const changed = new Promise<void>((resolve) => {
    tellChanged = resolve;
  });
  await writeSkill(
    "shout",
    "Says it louder.",
    `export default ({ text }: { text: string }): { text: string } => ({ text: text.toUpperCase() + "!" });\n`,
  );
  await changed;
  const shout = await client.callTool({ name: "shout", arguments: { text: "it works" } });
  console.log(`  shout → ${JSON.stringify(shout.structuredContent)}`);
  assert.deepEqual(shout.structuredContent, { text: "IT WORKS!" });

  console.log("\nAll of this was asserted, not only shown.");
} finally {
  await client.close();
  await rm(folder, { recursive: true, force: true });
}

async function writeSkill(name: string, description: string, code: string): Promise<void> {
  const path = join(folder, "skills", name);
  await mkdir(path, { recursive: true });
  await writeFile(
    join(path, "SKILL.md"),
    `---\nname: ${name}\ndescription: ${description}\n---\n\n${description}\n`,
  );
  await writeFile(join(path, "skill.ts"), code);
}

function heading(text: string): void {
  console.log(`\n${text}`);
}

function textOf(result: { content: readonly unknown[] }): string {
  const [first] = result.content;
  return typeof first === "object" && first !== null && "text" in first ? String(first.text) : "";
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
