import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { Connection } from "@temporalio/client";

/** A real server: the one at `TEMPORAL_ADDRESS`, else one that the program at `TEMPORAL_BIN` is, in memory. */
export interface TemporalServer {
  readonly address: string;
  close(): Promise<void>;
}

const { TEMPORAL_ADDRESS: address, TEMPORAL_BIN: program } = process.env;

/** Whether there is one; it is told once what is left out otherwise. */
export const hasServer = address !== undefined || program !== undefined;
if (!hasServer)
  console.log(
    "Left out: all that needs a server. TEMPORAL_BIN names the program of Temporal's CLI, or TEMPORAL_ADDRESS a server",
  );

export async function temporalServer(options: readonly string[] = []): Promise<TemporalServer> {
  if (address !== undefined) return { address, close: async () => {} };
  const port = await freePort();
  const args = ["server", "start-dev", "--ip", "127.0.0.1", "--port", String(port), "--headless"];
  const server = spawn(program ?? "temporal", [...args, "--log-level", "error", ...options], {
    stdio: "ignore",
  });
  await answers(`127.0.0.1:${port}`);
  return { address: `127.0.0.1:${port}`, close: async () => ended(server, "SIGKILL") };
}

export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

/** Until the server's default namespace is there. */
export async function answers(at: string): Promise<void> {
  for (const until = Date.now() + 60_000; ;) {
    try {
      const connection = await Connection.connect({ address: at, connectTimeout: "1s" });
      await connection.workflowService.describeNamespace({ namespace: "default" });
      await connection.close();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await wait(200);
    }
  }
}

/** Below 32,768: Temporal keeps its own ports in a column for no more. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createServer();
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
      server.close();
      return port;
    } catch {
      // Somebody has it.
    }
  }
}
