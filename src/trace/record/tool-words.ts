/**
 * The words of a tool's name: `mcp__files__writeFile` and `files.write_file` are both `write`, `file`. A leading `api`, as of
 * tools that were made of an HTTP interface, tells nothing.
 */
export function toolWords(tool: string): readonly string[] {
  const known = KNOWN.get(tool);
  if (known) return known;
  const words = wordsOf(tool);
  // Few tools are called again and again.
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  KNOWN.set(tool, words);
  return words;
}

const MAX_KNOWN = 500;
const KNOWN = new Map<string, readonly string[]>();

function wordsOf(tool: string): readonly string[] {
  const words = localName(tool)
    .slice(0, 200)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  return words.length > 1 && words[0] === "api" ? words.slice(1) : words;
}

/** The name without the server that offers the tool. */
function localName(tool: string): string {
  const afterServer = tool.startsWith("mcp__") ? tool.slice(tool.indexOf("__", 5) + 2) : tool;
  return afterServer.slice(Math.max(afterServer.lastIndexOf("."), afterServer.lastIndexOf("/")) + 1);
}
