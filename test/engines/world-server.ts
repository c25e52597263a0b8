// What the bundled skills call of other servers: a search service that knows a little of whatever it is asked, and whose
// answers are the same each time, and files that nobody keeps.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const answer = (value: object) => ({
  content: [{ type: "text" as const, text: JSON.stringify(value) }],
  structuredContent: { ...value },
});

function found(query: string): object {
  const source = (host: string, excerpt: string): object => ({
    url: `https://${host}.example/${encodeURIComponent(query)}`,
    title: query,
    excerpt,
  });
  const said = `Whoever asks about ${query} finds plenty of sources`;
  return {
    answer: said,
    results: [source("library", said), source("archive", said), source("shop", "Everything for sale.")],
    related: query.startsWith("more ") ? [] : [`more about ${query}`, `more sources on ${query}`],
  };
}

serveStdio(() => {
  const server = new McpServer({ name: "world", version: "1.0.0" });
  server.registerTool(
    "search",
    {
      inputSchema: z.object({ query: z.string(), focus: z.string(), limit: z.number() }),
      annotations: { readOnlyHint: true },
    },
    async ({ query }) => {
      if (query.includes("unheard")) throw new Error("the service knows nothing of it");
      return answer(found(query));
    },
  );
  for (const name of ["write", "write_file"])
    server.registerTool(
      name,
      { inputSchema: z.object({ path: z.string(), content: z.string() }) },
      async ({ content }) => answer({ bytes: content.length }),
    );
  return server;
});
