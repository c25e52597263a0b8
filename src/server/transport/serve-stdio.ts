import type { McpServer } from "@modelcontextprotocol/server";
import { serveStdio as serveSdkStdio } from "@modelcontextprotocol/server/stdio";
import type { McpFront } from "../mcp-server.ts";
import { LAST_ANSWERS_MS } from "./open-requests.ts";
import { rateLimited } from "./rate-limited.ts";
import { ServedStdio } from "./served-stdio.ts";

const PARENT_CHECK_MS = 2000;

export interface StdioOptions {
  /** Resolves when the server is asked to end. */
  readonly stop: Promise<void>;
  /** How long what runs then may go on, in milliseconds. */
  readonly graceMs: number;
}

/**
 * Serves MCP on this process's stdin and stdout until it is asked to end or its client is gone. What came in before is
 * answered: where stdin has ended, as long as one answer follows another within `graceMs`; where it is asked to end,
 * within `graceMs` in all, and no new requests are taken. What runs then is cancelled, and that is its answer. From here
 * on stdout carries nothing but the protocol; what anything else prints goes to stderr.
 */
export async function serveStdio(front: McpFront, { stop, graceMs }: StdioOptions): Promise<void> {
  const complain = rateLimited(console.error);
  const gone = clientGone();
  const live = new Set<McpServer>();
  const transport = new ServedStdio({
    stdin: process.stdin,
    write: protocolOnlyStdout(),
    complain,
    directCall: (params) => {
      for (const server of live) {
        const call = front.directCall(server, params);
        if (call) return call;
      }
      return undefined;
    },
  });
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
  front.onResourcesChange(() => {
    for (const server of live) if (server.isConnected()) server.sendResourceListChanged();
  });

  const over = Promise.race([gone, transport.closed]);
  const why = await Promise.race([
    transport.ended.then(() => "ended" as const),
    stop.then(() => "stop" as const),
    over.then(() => "over" as const),
  ]);
  if (why === "ended") {
    const answered = front.ready.then(async () => transport.requests.settled(graceMs, "latest"));
    await Promise.race([answered, stop, over]);
  } else if (why === "stop") {
    transport.isStopping = true;
    await Promise.race([transport.requests.settled(graceMs), over]);
  }
  transport.isStopping = true;
  front.stop();
  await Promise.race([transport.requests.settled(LAST_ANSWERS_MS), over]);
  await transport.giveUp();
  await handle.close();
}

function protocolOnlyStdout(): typeof process.stdout.write {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return write;
}

async function clientGone(): Promise<void> {
  const parent = process.ppid;
  await new Promise<void>((resolve) => {
    const gone = (): void => resolve();
    process.stdout.once("error", gone);
    setInterval(() => {
      if (process.ppid !== parent) gone();
    }, PARENT_CHECK_MS).unref();
  });
}
