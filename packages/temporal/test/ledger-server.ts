// An upstream server over stdio whose processes share one file, in which each write that is applied stands in a line. A
// call that comes again under its key is recognised. Answers of writes take `LEDGER_MS`; where `LEDGER_EACH_MS` is set, each
// call takes so long, one after the other.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const file = process.env["LEDGER"] ?? "ledger.jsonl";
const answerMs = Number(process.env["LEDGER_MS"] ?? 0);
const eachMs = Number(process.env["LEDGER_EACH_MS"] ?? 0);

let turn = Promise.resolve();
/** Until those before it have had their time, and it has had its own. */
async function ownTurn(): Promise<void> {
  if (eachMs > 0) await (turn = turn.then(async () => wait(eachMs)));
}

/** The keys of the writes that are applied, by this process or another. */
function isApplied(key: string): boolean {
  return (
    existsSync(file) && readFileSync(file, "utf8").includes(`"kind":"applied","tool":"put","key":"${key}"`)
  );
}

function note(line: object): void {
  appendFileSync(file, `${JSON.stringify({ ...line, pid: process.ppid })}\n`);
}

const answer = (value: object) => ({
  content: [{ type: "text" as const, text: JSON.stringify(value) }],
  structuredContent: { ...value },
});

const entry = z.object({ text: z.string() });
const noted = z.object({ done: z.boolean(), text: z.string() });

serveStdio(() => {
  const server = new McpServer({ name: "ledger", version: "1.0.0" });
  server.registerTool(
    "read",
    { inputSchema: entry, outputSchema: noted, annotations: { readOnlyHint: true } },
    async ({ text }) => {
      await ownTurn();
      note({ kind: "read", text });
      return answer({ done: true, text });
    },
  );
  for (const [name, idempotentHint] of [
    ["put", true],
    ["pay", false],
  ] as const)
    server.registerTool(
      name,
      { inputSchema: entry, outputSchema: noted, annotations: { idempotentHint, readOnlyHint: false } },
      async ({ text }, { mcpReq }) => {
        await ownTurn();
        const key = String(mcpReq._meta?.["repertoire/idempotencyKey"]);
        const isKnown = idempotentHint && isApplied(key);
        note({ kind: isKnown ? "recognised" : "applied", tool: name, key, text });
        await wait(answerMs);
        return answer({ done: true, text });
      },
    );
  return server;
});
