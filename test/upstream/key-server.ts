/** Answers each call with what stood in its `_meta`. */
export const KEY_SERVER = `
const { createInterface } = require("node:readline");
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
createInterface(process.stdin).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
  else if (method === "tools/list") say({ id, result: { tools: [{ name: "write", inputSchema: { type: "object" } }] } });
  else if (method === "tools/call") say({ id, result: { content: [{ type: "text", text: JSON.stringify({ key: params._meta?.["repertoire/idempotencyKey"] ?? null }) }] } });
  else if (id !== undefined) say({ id, error: { code: -32601, message: "unknown" } });
});`;
