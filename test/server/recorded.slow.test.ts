import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createInterface } from "node:readline";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { CLI, newClient, Workplace } from "./connected-client.ts";

const NUMBERED = `export default ({ n }: { n: number }): { n: number } => ({ n });`;

test(
  "where answers wait for the record, kill -9 under load loses none of what was answered",
  { timeout: 120_000 },
  async () => {
    await using workplace = await Workplace.create(
      { numbered: NUMBERED },
      { data: "data", traces: { durability: "answered" } },
    );
    const answered = new Set<number>();
    for (let round = 0; round < 2; round++) {
      const server = await serve(workplace);
      const call = await caller(server.url);
      let next = round * 1_000_000;
      let isOver = false;
      const lane = async (): Promise<void> => {
        while (!isOver) {
          const n = next++;
          await call("numbered", { n });
          if (!isOver) answered.add(n);
        }
      };
      // A call that is under way when the server is killed may never be answered.
      for (let each = 0; each < 4; each++) lane().catch(() => {});
      const before = answered.size;
      await expect.poll(() => answered.size - before, { timeout: 60_000 }).toBeGreaterThan(60);
      isOver = true;
      server.process.kill("SIGKILL");
      await once(server.process, "exit");
    }
    const recorded = new Set(inputs(workplace).map((input) => (JSON.parse(input) as { n: number }).n));
    expect([...answered].filter((n) => !recorded.has(n))).toEqual([]);
  },
);

/** Outputs that are made to keep those busy who look for credentials, of as many kinds as a line has. */
const COSTLY: Readonly<Record<string, string>> = {
  "headers of keys": "-----BEGIN PRIVATE KEY-----",
  "names without values": "token ",
  "names in another script": "密码:a1",
  "beginnings of tokens": "-eyJ eyJaaaaaaaa.",
  addresses: "://a:b ",
  options: " -p -u a: --password ",
  "values in values": 'password="password=',
  "escaped quotes": String.raw`\"token\": \"\\\"`,
};

test(
  "outputs made to be slow to redact stop neither the record of others nor the end of the server",
  { timeout: 180_000 },
  async () => {
    await using workplace = await Workplace.create(
      {
        numbered: NUMBERED,
        costly: `export default ({ piece, times }: { piece: string; times: number }): string => piece.repeat(times);`,
      },
      { data: "data" },
    );
    const server = await serve(workplace);
    const [hostile, honest] = [await caller(server.url), await caller(server.url)];
    const costly = Object.values(COSTLY).map((piece) => ({
      piece,
      times: Math.floor(800_000 / (Buffer.byteLength(JSON.stringify(piece)) - 2)),
    }));
    for (const input of costly) {
      await Promise.all([hostile("costly", input), hostile("costly", input)]);
      for (let n = 0; n < 3; n++) await honest("numbered", { n });
    }
    await expect
      .poll(() => inputs(workplace).filter((input) => input.startsWith('{"n":')).length, { timeout: 60_000 })
      .toBe(3 * Object.keys(COSTLY).length);
    // And again, with an end while much of it waits.
    await Promise.all(costly.map(async (input) => hostile("costly", input)));
    const before = performance.now();
    server.process.kill("SIGTERM");
    await once(server.process, "exit");
    expect(performance.now() - before).toBeLessThan(20_000);
  },
);

async function serve(
  workplace: Workplace,
): Promise<{ readonly process: ChildProcess; readonly url: string }> {
  const server = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", CLI, "serve", "--http", "0", "--json", "--no-watch"],
    { cwd: workplace.folder, stdio: ["ignore", "pipe", "ignore"] },
  );
  onTestFinished(() => void server.kill("SIGKILL"));
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  return { process: server, url: (JSON.parse(line) as { url: string }).url };
}

async function caller(
  url: string,
): Promise<(name: string, input: Readonly<Record<string, unknown>>) => Promise<void>> {
  const { client } = newClient("legacy");
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close().catch(() => {}));
  return async (name, input) => {
    const given = await client.callTool({ name, arguments: input });
    if (given.isError === true) throw new Error(JSON.stringify(given.content));
  };
}

function inputs({ folder }: Workplace): readonly string[] {
  const database = new DatabaseSync(join(folder, "data", "traces.db"), { timeout: 5000 });
  try {
    const rows = database.prepare("select inputs from execution_events where status = 'completed'").all();
    return rows.map(({ inputs: input }) => String(input));
  } finally {
    database.close();
  }
}
