import { execFile } from "node:child_process";
import { join } from "node:path";
import { CLI, ROOT, Workplace } from "../server/connected-client.ts";

/** What an agent has done for a customer of the shop: it found an order and changed its address. */
export const TRANSCRIPT = join(ROOT, "examples/transcript.json");

/** What the draft that is made of it is called. */
export const DRAFT = "update-order-address";

/** A folder with the example's shop as upstream server, and with data of its own. */
export async function shopWorkplace(): Promise<Workplace> {
  const args = ["--disable-warning=ExperimentalWarning", join(ROOT, "examples/shop-server.ts")];
  return Workplace.create({}, { data: "data", mcpServers: { shop: { command: process.execPath, args } } });
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function repertoire({ folder }: Workplace, ...args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, FORCE_COLOR: undefined, NO_COLOR: undefined };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", CLI, ...args],
      { cwd: folder, env },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      },
    ).stdin?.end();
  });
}
