import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const { TEMPORAL_ADDRESS: running, TEMPORAL_BIN: program } = process.env;

export interface TemporalServer extends AsyncDisposable {
  readonly address: string;
  /** What Temporal's own program says of it; undefined where it fails. */
  readonly told: (...args: readonly string[]) => Promise<string | undefined>;
}

/** A real server: the one at `TEMPORAL_ADDRESS`, else one in memory that the program at `TEMPORAL_BIN` is; or why there is none. */
export async function temporalServer(): Promise<TemporalServer | Error> {
  const toldAt =
    (address: string): TemporalServer["told"] =>
    async (...args) => {
      try {
        const said = promisify(execFile)(program ?? "temporal", [...args, "--address", address]);
        return (await said).stdout;
      } catch {
        return undefined;
      }
    };
  if (running !== undefined)
    return { address: running, told: toldAt(running), [Symbol.asyncDispose]: async () => {} };
  if (program === undefined)
    return new Error("neither TEMPORAL_BIN, the program of Temporal's CLI, nor TEMPORAL_ADDRESS is set");
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const told = toldAt(address);
  const args = ["server", "start-dev", "--ip", "127.0.0.1", "--port", String(port), "--headless"];
  const server = spawn(program, args, { stdio: "ignore" });
  while ((await told("operator", "cluster", "health")) === undefined) await pause(300);
  return {
    address,
    told,
    [Symbol.asyncDispose]: async () => {
      server.kill("SIGKILL");
      await once(server, "exit");
    },
  };
}

async function freePort(): Promise<number> {
  // Temporal keeps its own ports in a column for no more than 32,767.
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 17_000);
    const holder = createServer().listen(port, "127.0.0.1");
    const isFree = await once(holder, "listening").then(
      () => true,
      () => false,
    );
    holder.close();
    if (isFree) return port;
  }
}
