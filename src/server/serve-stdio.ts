import { Readable, Writable } from "node:stream";
import type { McpServer } from "@modelcontextprotocol/server";
import { serveStdio as serveSdkStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { linesWithinLimits, type RefusedLine } from "./line-limits.ts";
import type { McpFront } from "./mcp-server.ts";
import { sparingly } from "./sparingly.ts";

const PARENT_CHECK_MS = 2000;

/**
 * Serves MCP on this process's stdin and stdout until the client goes: it closes stdin, it ends, or it sends a signal.
 * From here on stdout carries nothing but the protocol; what anything else prints goes to stderr.
 */
export async function serveStdio(front: McpFront): Promise<void> {
  const complain = sparingly(console.error);
  const stdout = protocolOnlyStdout();
  const refuse = (line: RefusedLine): void => {
    complain(`A message ${line.excess}`);
    const error = { code: -32_600, message: `The message ${line.excess}: send less at a time` };
    stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: line.id, error })}\n`);
  };
  const transport = new StdioServerTransport(Readable.from(linesWithinLimits(process.stdin, refuse)), stdout);
  const closed = new Promise<void>((resolve) => {
    const close = transport.close.bind(transport);
    transport.close = async () => {
      await close();
      resolve();
    };
  });
  const live = new Set<McpServer>();
  const handle = serveSdkStdio(
    (context) => {
      const made = front.factory(context) as McpServer;
      live.add(made);
      made.server.onclose = () => live.delete(made);
      return made;
    },
    { transport, onerror: ({ message }) => complain(message) },
  );
  front.onToolsChange(() => {
    for (const server of live) if (server.isConnected()) server.sendToolListChanged();
  });
  await Promise.race([clientGone(), closed]);
  await handle.close();
}

function protocolOnlyStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(chunk, (error) => done(error ?? null));
    },
  });
}

async function clientGone(): Promise<void> {
  const parent = process.ppid;
  await new Promise<void>((resolve) => {
    const gone = (): void => resolve();
    process.stdin.once("end", gone).once("close", gone);
    process.stdout.once("error", gone);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, gone);
    setInterval(() => {
      if (process.ppid !== parent) gone();
    }, PARENT_CHECK_MS).unref();
  });
}
