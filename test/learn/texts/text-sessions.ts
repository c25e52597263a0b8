import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { failure } from "../../../src/core/error.ts";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { DEFAULT_LIMITS } from "../../../src/core/limits.ts";
import { fail, ok, type Result } from "../../../src/core/result.ts";
import type { RecordedCall, RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import { Runner } from "../../../src/runner/runner.ts";
import { skillSet } from "../../runner/skill-set.ts";

/** Calls a tool as a scripted agent does: gives what it answered. */
export type Call = (tool: string, args: JsonObject) => Promise<string>;

/** A server, as the agent's and the skill's calls reach it. */
export interface TextServer {
  readonly call: (tool: string, args: JsonObject) => Promise<Result<Json>>;
  readonly close: () => Promise<void>;
}

/** A folder with these files, under the reference filesystem server. */
export async function folderServer(
  files: Readonly<Record<string, string>>,
): Promise<TextServer & { readonly root: string; readonly files: () => Promise<Record<string, string>> }> {
  const root = await mkdtemp(join(tmpdir(), "texts-"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const client = new Client({ name: "agent", version: "1.0.0" });
  const program = createRequire(import.meta.url).resolve(
    "@modelcontextprotocol/server-filesystem/dist/index.js",
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, root],
    stderr: "ignore",
  });
  await client.connect(transport);
  return {
    root,
    files: async () => filesIn(root),
    call: async (tool, args) => {
      const answer = await client.callTool({ name: tool, arguments: args });
      const [said] = Array.isArray(answer.content) ? answer.content : [];
      const text = said?.type === "text" ? said.text : "";
      if (answer.isError === true) return fail(failure("TOOL_FAILED", text));
      return ok((answer.structuredContent as Json | undefined) ?? text);
    },
    close: async () => {
      await client.close();
      await rm(root, { recursive: true });
    },
  };
}

async function filesIn(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [file.slice(root.length + 1), await readFile(file, "utf8")]),
  );
  return Object.fromEntries(texts) as Record<string, string>;
}

/** What an agent did with a server, as it is recorded. */
export async function recorded(
  server: TextServer,
  name: string,
  task: string,
  work: (call: Call) => Promise<void>,
): Promise<RecordedTrace> {
  const calls: RecordedCall[] = [];
  await work(async (tool, args) => {
    const answer = await server.call(tool, args);
    calls.push({
      tool: `${name}.${tool}`,
      args,
      result: answer.ok ? answer.value : null,
      ...(answer.ok ? {} : { error: answer.error.message }),
    });
    return answer.ok ? textOf(answer.value) : "";
  });
  return { id: "run", task, calls };
}

function textOf(value: Json): string {
  if (typeof value === "string") return value;
  const [only] = Object.values(value ?? {});
  return typeof only === "string" ? only : JSON.stringify(value);
}

/** Runs a skill's code, whose calls reach the server. */
export async function ran(code: string, input: JsonObject, server: TextServer): Promise<Result<Json>> {
  const runner = new Runner({
    limits: DEFAULT_LIMITS,
    workers: 1,
    callTool: async (tool, args) => server.call(tool.slice(tool.indexOf(".") + 1), args as JsonObject),
  });
  const { root } = await runner.run(skillSet({ skill: code }), "skill", input);
  await runner.close();
  return root.outcome.ok ? ok(root.outcome.output) : fail(root.outcome.error);
}
