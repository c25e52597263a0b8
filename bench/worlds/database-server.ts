// A database over stdio, whose answers are text, as a terminal shows rows; its file is the only argument.
import { DatabaseSync } from "node:sqlite";
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
import { READS, refusal, text, WRITES } from "./answers.ts";

const file = process.argv[2] ?? "database.db";

function database(): McpServer {
  const mcp = new McpServer({ name: "database", version: "1.0.0" });
  mcp.registerTool(
    "list_tables",
    { description: "The tables and their columns.", inputSchema: z.object({}), annotations: READS },
    () =>
      within(true, (opened) => {
        const tables = opened
          .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
          .all();
        return tables
          .map(({ name }) => {
            const columns = opened.prepare("SELECT name FROM pragma_table_info(?)").all(String(name));
            return `${String(name)}(${columns.map((column) => String(column["name"])).join(", ")})`;
          })
          .join("\n");
      }),
  );
  mcp.registerTool(
    "query",
    {
      description: "The rows that a SELECT gives.",
      inputSchema: z.object({ sql: z.string() }),
      annotations: READS,
    },
    ({ sql }) =>
      within(true, (opened) => {
        const rows = opened.prepare(sql).all();
        const columns = Object.keys(rows[0] ?? {});
        const lines = rows.map((row) => columns.map((column) => String(row[column])).join(" | "));
        const count = `(${rows.length} ${rows.length === 1 ? "row" : "rows"})`;
        return [...(rows.length === 0 ? [] : [columns.join(" | ")]), ...lines, count].join("\n");
      }),
  );
  mcp.registerTool(
    "execute",
    {
      description: "Changes rows by INSERT, UPDATE or DELETE.",
      inputSchema: z.object({ sql: z.string() }),
      annotations: WRITES,
    },
    ({ sql }) =>
      within(false, (opened) => {
        const { changes } = opened.prepare(sql).run();
        return `${sql.split(" ", 1)[0]} ${changes}`;
      }),
  );
  return mcp;
}

function within(readOnly: boolean, work: (opened: DatabaseSync) => string): CallToolResult {
  try {
    using opened = new DatabaseSync(file, { readOnly });
    return text(work(opened));
  } catch (error) {
    return refusal(error instanceof Error ? error.message : String(error));
  }
}

serveStdio(database);
