import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { ROOT, Workplace } from "./connected-client.ts";

const SLOW = { timeout: 120_000 };
const SKILLS = {
  add: await readFile(join(ROOT, "skills/add/skill.ts"), "utf8"),
  brief: `export default (): string => { const until = Date.now() + 1500; while (Date.now() < until); return "done"; }`,
  loop: `export default (): number => { for (;;); }`,
};

interface Message {
  readonly id?: number;
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

class Server {
  readonly process: ChildProcessWithoutNullStreams;
  readonly stderr: Promise<string>;
  readonly messages: Message[] = [];
  readonly #lines: Interface;
  readonly #ended: Promise<unknown>;

  constructor({ folder }: Workplace, args: readonly string[] = []) {
    this.process = spawn(process.execPath, [join(ROOT, "bin/repertoire.js"), "serve", ...args], {
      cwd: folder,
    });
    onTestFinished(() => void this.process.kill("SIGKILL"));
    this.stderr = text(this.process.stderr);
    this.#lines = createInterface(this.process.stdout);
    this.#lines.on("line", (line) => this.messages.push(JSON.parse(line) as Message));
    this.#ended = Promise.all([once(this.process, "exit"), once(this.#lines, "close")]);
  }

  call(id: number, name: string, args: object = {}): void {
    this.write(rpc(id, "tools/call", { name, arguments: args }));
  }

  write(line: string): void {
    this.process.stdin.write(`${line}\n`);
  }

  async answer(id: number): Promise<Message> {
    for (;;) {
      const found = this.messages.find((each) => each.id === id);
      if (found) return found;
      await Promise.race([once(this.#lines, "line"), this.#ended]);
      if (this.process.exitCode !== null) throw new Error(`The server has ended without an answer to ${id}`);
    }
  }

  /** The exit code, and what was answered in all. */
  async ended(): Promise<{ readonly code: number | null; readonly answers: ReadonlyMap<number, string> }> {
    await this.#ended;
    const answers = this.messages.flatMap(({ id, result, error }) =>
      id === undefined ? [] : [[id, error?.message ?? result?.content?.[0]?.text ?? "answered"] as const],
    );
    return { code: this.process.exitCode, answers: new Map(answers) };
  }
}

function rpc(id: number, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

const HELLO = rpc(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
});

test(
  "all that stood on stdin is answered when it ends, the last line too that no newline ends",
  SLOW,
  async () => {
    await using workplace = await Workplace.create(SKILLS);
    const server = new Server(workplace);
    server.process.stdin.end(
      [
        HELLO,
        rpc(2, "tools/list"),
        ...Array.from({ length: 50 }, (_, n) =>
          rpc(100 + n, "tools/call", { name: "add", arguments: { a: n, b: 1 } }),
        ),
        rpc(3, "tools/call", { name: "brief", arguments: {} }),
        rpc(4, "ping"),
      ].join("\n"),
    );
    const { code, answers } = await server.ended();
    expect(code).toBe(0);
    expect(answers.size).toBe(54);
    expect(answers.get(3)).toBe('{"result":"done"}');
    expect(answers.get(149)).toBe('{"result":50}');
    expect(await server.stderr).toBe("");
  },
);

test("what does not end after the end of stdin is cancelled, and told so", SLOW, async () => {
  await using workplace = await Workplace.create(SKILLS, { graceMs: 300 });
  const server = new Server(workplace);
  server.process.stdin.end(`${HELLO}\n${rpc(2, "tools/call", { name: "loop", arguments: {} })}\n`);
  const { code, answers } = await server.ended();
  expect(code).toBe(0);
  expect(answers.get(2)).toBe("CANCELLED: The run was cancelled: the server is shutting down");
  expect(await server.stderr).toBe("");
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "after %s what runs is answered, what is new refused, and what was done recorded",
  SLOW,
  async (signal) => {
    await using workplace = await Workplace.create(SKILLS, { data: "data", graceMs: 60_000 });
    const server = new Server(workplace);
    server.write(HELLO);
    server.call(2, "add", { a: 1, b: 2 });
    await server.answer(2);
    server.call(3, "brief");
    // It is at work when another one, sent after it, has its answer.
    server.call(4, "search_skills", { query: "add" });
    await server.answer(4);
    server.process.kill(signal);
    await new Promise((resolve) => setTimeout(resolve, 100));
    server.call(5, "add", { a: 1, b: 2 });
    const { code, answers } = await server.ended();
    expect(code).toBe(0);
    expect(answers.get(3)).toBe('{"result":"done"}');
    expect(answers.get(5)).toBe("The server is shutting down and takes no more requests");
    expect(await server.stderr).toBe("");

    const listed = spawn(process.execPath, [join(ROOT, "bin/repertoire.js"), "traces", "ls", "--json"], {
      cwd: workplace.folder,
    });
    const { runs } = JSON.parse(await text(listed.stdout)) as { runs: { name: string; status: string }[] };
    expect(runs.map(({ name, status }) => `${name} ${status}`).toSorted()).toEqual([
      "add completed",
      "brief completed",
    ]);
  },
);

test("a second signal ends the server at once", SLOW, async () => {
  await using workplace = await Workplace.create(SKILLS, { graceMs: 600_000 });
  const server = new Server(workplace);
  server.write(HELLO);
  server.call(2, "loop");
  server.call(3, "search_skills", { query: "add" });
  await server.answer(3);
  server.process.kill("SIGTERM");
  await new Promise((resolve) => setTimeout(resolve, 400));
  server.process.kill("SIGTERM");
  expect((await server.ended()).code).toBe(143);
});

test("a skills folder that is not there ends the server, unless it is told to wait", SLOW, async () => {
  await using workplace = await Workplace.create();
  const missing = new Server(workplace, ["later"]);
  expect((await missing.ended()).code).toBe(2);
  expect(await missing.stderr).toContain(`There is no skills folder ${join(workplace.folder, "later")}`);
  await writeFile(join(workplace.folder, "own.json"), JSON.stringify({ mcpServers: {}, skills: ["later"] }));
  const configured = new Server(workplace, ["--config", "own.json"]);
  expect((await configured.ended()).code).toBe(2);
  expect(await configured.stderr).toContain(`new <name> --config ${join(workplace.folder, "own.json")}`);

  const waiting = new Server(workplace, ["later", "--wait"]);
  waiting.write(HELLO);
  waiting.write(rpc(2, "tools/list"));
  expect(JSON.stringify(await waiting.answer(2))).not.toContain('"name":"add"');
  const later = new Workplace(workplace.folder, "later");
  await later.write("add", SKILLS.add);
  let id = 10;
  await expect
    .poll(
      async () => {
        waiting.write(rpc(++id, "tools/list"));
        return JSON.stringify(await waiting.answer(id));
      },
      { timeout: 60_000, interval: 500 },
    )
    .toContain('"name":"add"');
  waiting.process.kill("SIGTERM");
  await waiting.ended();
  const told = await waiting.stderr;
  expect(told).toContain(`There is no folder ${later.skills} yet`);
  expect(told).not.toContain("error");
});

test("a port that is taken is named, and no server starts", SLOW, async () => {
  await using workplace = await Workplace.create(SKILLS);
  const holder = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void holder.close());
  await once(holder, "listening");
  const address = holder.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const server = new Server(workplace, ["--http", `${port}`]);
  expect((await server.ended()).code).toBe(2);
  expect(await server.stderr).toContain(`port ${port} is in use; choose another with --http <port>`);
});
