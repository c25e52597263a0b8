// The floor: a bare SDK server of the same kind, whose tools do nothing but answer.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const count = Number(process.argv[2] ?? 1);
const number = { type: "number" } as const;
const tools = Array.from({ length: count }, (_, index) => ({
  name: count === 1 ? "add" : `skill-${index}`,
  title: "Add",
  description: "Adds two numbers.",
  inputSchema: { type: "object" as const, properties: { a: number, b: number }, required: ["a", "b"] },
  outputSchema: { type: "object" as const, properties: { result: number }, required: ["result"] },
}));

function bareServer(): McpServer {
  const mcp = new McpServer(
    { name: "echo", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } } },
  );
  mcp.server.setRequestHandler("tools/list", () => ({ tools }));
  mcp.server.setRequestHandler("tools/call", ({ params }) => {
    const { a, b } = params.arguments as { a: number; b: number };
    const structuredContent = { result: a + b };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  });
  return mcp;
}

if (process.argv.includes("--http")) {
  const handle = toNodeHandler(createMcpHandler(bareServer));
  const http = createServer(
    (request, response) => void handle(request as Parameters<typeof handle>[0], response),
  );
  http.listen(0, "127.0.0.1", () => {
    const address = http.address();
    console.log(
      JSON.stringify({
        url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/mcp`,
      }),
    );
  });
} else {
  serveStdio(bareServer);
}
