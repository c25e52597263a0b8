// Tools that look texts up and note what they are asked to do, over stdio: which there are is the first argument, as a JSON
// list, and their state is the JSON file that is the second.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
import type { JsonObject } from "../../src/core/json/json.ts";
import { READS, refusal, StateFile, text, WRITES } from "./answers.ts";
import { noted, type PapersState, type PapersTool } from "./papers.ts";

const tools = JSON.parse(process.argv[2] ?? "[]") as readonly PapersTool[];
const file = new StateFile<PapersState>(process.argv[3] ?? "papers.json");

serveStdio(() => {
  const mcp = new McpServer({ name: "papers", version: "1.0.0" });
  for (const { name, about, takes, reads } of tools)
    mcp.registerTool(
      name,
      {
        description: about,
        inputSchema: z.object(
          Object.fromEntries(
            takes
              .split(" ")
              .filter((each) => each !== "")
              .map(argumentOf),
          ),
        ),
        annotations: reads ? READS : WRITES,
      },
      (args) => {
        const asked = noted(name, args as JsonObject);
        const { answers, refusals } = file.read();
        const [said, why] = [answers[asked], refusals[asked]];
        if (why !== undefined) return refusal(why);
        if (reads) return said === undefined ? refusal("There is no such thing") : text(said);
        return file.change((state) => {
          state.acts.push(asked);
          return text(said ?? "ok");
        });
      },
    );
  return mcp;
});

function argumentOf(taken: string): readonly [name: string, form: z.ZodType] {
  if (taken.endsWith("#")) return [taken.slice(0, -1), z.number()];
  if (taken.endsWith("[]")) return [taken.slice(0, -2), z.array(z.json())];
  if (taken.endsWith("{}")) return [taken.slice(0, -2), z.record(z.string(), z.json())];
  return [taken, z.string()];
}
