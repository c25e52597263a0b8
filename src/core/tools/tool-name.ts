/** An upstream tool as skills and people call it: `server.tool`. */
export function qualifiedName({ server, name }: { readonly server: string; readonly name: string }): string {
  return `${server}.${name}`;
}

/** That the user's own settings, and not the server, leave a tool out. */
export function unchosenText(server: string, tool: string): string {
  return `The configuration leaves the tool "${server}.${tool}" out: "tools" of "mcpServers.${server}"`;
}

/** The server in `server.tool`; the name itself, where it has none. */
export function serverOf(tool: string): string {
  const dot = tool.indexOf(".");
  return dot < 0 ? tool : tool.slice(0, dot);
}
