import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Workplace } from "../server/connected-client.ts";
import { repertoire } from "./shop-workplace.ts";

/** What steers a terminal, in every way there is: ESC, OSC, CSI of one character, bells, returns, turned text, tags. */
const STEERS =
  "\u001b]0;owned\u0007\u001b[2J\u009b31m\u0090q\u009c\u007f\b\r\u202e\u2066\u200f\u{e0041}\u2028\nFORGED line";
const FORBIDDEN = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

const SKILL = JSON.stringify;
/** As YAML writes it in double quotes. */
const yaml = (text: string): string =>
  `"${Array.from(text)
    .map((each) =>
      /[\w -]/.test(each) ? each : `\\U${(each.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`,
    )
    .join("")}"`;

const hostile = (text: string): string => `${text}${STEERS}`;

async function hostileSkills(workplace: Workplace): Promise<void> {
  const write = async (folder: string, name: string, code: string): Promise<void> => {
    const path = join(workplace.skills, folder);
    await mkdir(path, { recursive: true });
    await writeFile(
      join(path, "SKILL.md"),
      `---\nname: ${yaml(name)}\ndescription: ${yaml(hostile("Does it."))}\ntitle: ${yaml(hostile("t"))}\ncomposes: [${yaml(hostile("gone"))}]\n${yaml(hostile("field"))}: 1\n---\n${STEERS}`,
    );
    await writeFile(join(path, "skill.ts"), code);
    await writeFile(
      join(path, "tests.yaml"),
      `- name: ${yaml(hostile("case"))}\n  input: {}\n  output: ${yaml(hostile("other"))}\n`,
    );
  };
  const text = SKILL(hostile("said"));
  await write(
    "prints",
    "prints",
    `export default (): string => { console.log(${text}); console.error(${text}); return ${text}; }`,
  );
  await write(
    "writes",
    "writes",
    `export default async (): Promise<unknown> => call_tool("odd.find", { text: ${text} })`,
  );
  await write("throws", "throws", `export default (): string => { throw new Error(${text}); }`);
  await write(hostile("folder").replaceAll("/", ""), hostile("name"), `export default (): string => ${text}`);
  await write(
    "calls",
    hostile("calls"),
    `/** ${STEERS.replaceAll("*/", "")} */\nexport default async (): Promise<unknown> => call_skill(${SKILL(hostile("nobody"))});`,
  );
  await write(
    "types",
    "types",
    `export default (input: { ${SKILL(hostile("key"))}: Date }): ${text} => ${text} as never`,
  );
  await write("syntax", hostile("syntax"), `export default (${STEERS}`);
  await mkdir(join(workplace.skills, hostile("bad")), { recursive: true });
  await writeFile(join(workplace.skills, hostile("bad"), "SKILL.md"), `---\nname: [${STEERS}\n---\n`);
}

/** A transcript in which every text is hostile. */
function transcript(): string {
  const tool = (id: string, args: object): object => ({
    id,
    type: "function",
    function: { name: hostile("find"), arguments: JSON.stringify(args) },
  });
  return JSON.stringify([
    { role: "user", content: hostile("Find the customer") },
    { role: "assistant", content: null, tool_calls: [tool("1", { [hostile("id")]: hostile("C-1") })] },
    { role: "tool", tool_call_id: "1", content: JSON.stringify({ [hostile("order")]: hostile("O-1") }) },
    { role: "assistant", content: null, tool_calls: [tool("2", { order: hostile("O-1") })] },
    { role: "tool", tool_call_id: "2", content: JSON.stringify({ ok: hostile("yes") }) },
    { role: "assistant", content: hostile("Done") },
  ]);
}

/** An upstream server whose every text is hostile; on stderr, too. */
const UPSTREAM = `
import { createInterface } from "node:readline";
const bad = ${SKILL(STEERS)};
process.stderr.write("started" + bad + "\\n");
const answers = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "n" + bad, version: "v" + bad } },
  "tools/list": { tools: [{ name: "odd" + bad, title: bad, description: "d" + bad, inputSchema: { type: "object" } }, { name: "find", description: "d" + bad, inputSchema: { type: "object" } }] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method];
  process.stdout.write(JSON.stringify(result ? { jsonrpc: "2.0", id, result } : { jsonrpc: "2.0", id, error: { code: -32601, message: "no" + bad } }) + "\\n");
});
`;

/** How each command is called; `RUN` and `WAITING` stand for the runs that were made before. */
const CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  list: [[], ["--json"]],
  check: [
    [],
    ["--json"],
    ["--format", "sarif"],
    ["--strict"],
    ["--save", "contracts.json"],
    ["--against", "contracts.json"],
    ["--against", hostile("ref")],
  ],
  graph: [[], ["-f", "mermaid"], ["-f", "svg"], ["--json"]],
  run: [
    ["prints"],
    ["throws"],

    [hostile("name")],
    [hostile("calls")],
    [hostile("nobody")],
    ["prints", "--input", hostile("{")],
  ],
  worker: [
    ["--temporal", hostile("host")],
    ["--temporal", "127.0.0.1:1", "--json"],
  ],
  ask: [[hostile("task")], [hostile("task"), "--json"]],
  "runs ls": [[], ["--json"]],
  "runs show": [["WAITING"], ["WAITING", "--json"], [hostile("nobody")]],
  "runs approve": [
    ["WAITING", "--call", hostile("0.1")],
    [hostile("nobody"), "--call", "0.0", "--skip", hostile("{")],
    ["WAITING", "--call", "0.0", "--refuse"],
  ],
  "runs resume": [[], [hostile("nobody")], ["WAITING"]],
  "runs cancel": [[hostile("nobody")], ["WAITING"]],
  test: [[], ["--json"], ["--skill", hostile("nobody")]],
  new: [[hostile("skill")], ["fresh", "elsewhere"]],
  typecheck: [[], ["-v"], ["--json"]],
  types: [["--print"], ["-o", "skills.d.ts"]],
  upstream: [[], ["--json"], [hostile("nobody")]],
  validate: [["skills"], ["skills", "--json"]],
  schema: [[]],
  "read-properties": [["skills/prints"], [`skills/${hostile("bad")}`], [hostile("nowhere")]],
  export: [
    [hostile("nobody"), "--to", "workflow"],
    ["prints", "--to", "workflow"],
    ["prints", "--to", "workflow", "--json"],
    ["prints", "--to", "python"],
  ],
  "to-prompt": [["skills/prints"], [hostile("nowhere")]],
  "traces import": [["transcript.json"], [hostile("nowhere")], ["broken.json"]],
  "traces ls": [[], ["--json"], ["--text", hostile("no")]],
  "traces show": [["RUN"], ["RUN", "--full"], [hostile("nobody")]],
  "traces stats": [[], ["--patterns"], ["--json"]],
  "traces chains": [["--at-least", "1"], ["--json"]],
  "traces search": [["Find"], ["Find", "--json"], [hostile("nothing")]],
  "traces export": [["--all"], ["--all", "--format", "chat"]],
  "traces prune": [["--max-runs", "1000"]],
  extract: [
    ["transcript.json", "--name", "draft", "--anew"],
    [hostile("nobody")],
    ["--mine"],
    ["--mine", "--json"],
  ],
  "drafts ls": [[], ["--json"]],
  "drafts show": [["draft"], [hostile("nobody")]],
  "drafts verify": [["draft"]],
  "drafts revise": [
    ["draft", "--edits", hostile("[")],
    ["draft", "--proposed"],
    ["draft", "--edits", JSON.stringify([{ edit: hostile("no") }])],
  ],
  "drafts feedback": [["draft", "--rating", "1", "--text", hostile("bad")]],
  "drafts diff": [["draft"]],
  replay: [
    ["draft", "--trace", "transcript.json"],
    ["prints", "--trace", "RUN"],
  ],
  promote: [["draft"], ["draft", "--yes", "--why", hostile("why")], [hostile("nobody"), "--yes"]],
  revoke: [["draft"], [hostile("nobody")], ["draft", "--to", "7"]],
  reject: [["draft", "--why", hostile("why")], [hostile("nobody")]],
  serve: [["--http", hostile("port")], ["--http", "TAKEN"], []],
};

async function commandsOf(workplace: Workplace, group: readonly string[] = []): Promise<readonly string[]> {
  const { stdout } = await repertoire(workplace, ...group, "--help");
  const listed = stdout.slice(stdout.indexOf("Commands:"));
  const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)(?= )/gm)].map(([, name = ""]) => name);
  const found: string[] = [];
  for (const name of names.filter((each) => each !== "help")) {
    const path = [...group, name];
    const below = group.length === 0 ? await repertoire(workplace, ...path, "--help") : undefined;
    if (below?.stdout.includes("Commands:")) found.push(...(await commandsOf(workplace, path)));
    else found.push(path.join(" "));
  }
  return found;
}

describe("where every name and text is hostile", () => {
  let workplace: Workplace;
  let run: string;
  let waiting: string;
  const taken = createServer();
  beforeAll(async () => {
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const args = ["upstream.mjs"];
    workplace = await Workplace.create(
      {},
      {
        data: "data",
        // What does not check is run all the same, so that its output is seen, too.
        publish: "all",
        mcpServers: {
          odd: { command: process.execPath, args, publish: true },
          dead: { command: hostile("nothing") },
        },
      },
    );
    await writeFile(join(workplace.folder, "upstream.mjs"), UPSTREAM);
    await writeFile(join(workplace.folder, "transcript.json"), transcript());
    await writeFile(join(workplace.folder, "broken.json"), `{"${STEERS}`);
    await hostileSkills(workplace);
    await repertoire(workplace, "run", "prints");
    const { stdout } = await repertoire(workplace, "traces", "ls", "--json");
    run = (JSON.parse(stdout) as { runs: readonly { runId: string }[] }).runs[0]?.runId ?? "";
    await repertoire(workplace, "run", "writes", "--confirm");
    const durable = await repertoire(workplace, "runs", "ls", "--json");
    waiting = (JSON.parse(durable.stdout) as readonly { runId: string }[])[0]?.runId ?? "";
  }, 240_000);
  afterAll(async () => {
    taken.close();
    await workplace[Symbol.asyncDispose]();
  });

  const placed = (arg: string): string => {
    const address = taken.address();
    if (arg === "TAKEN") return String(typeof address === "object" ? address?.port : "");
    if (arg === "WAITING") return waiting;
    return arg === "RUN" ? run : arg;
  };

  test("every command of the program is called", { timeout: 240_000 }, async () => {
    expect((await commandsOf(workplace)).toSorted()).toEqual(Object.keys(CALLS).toSorted());
    expect([run, waiting]).not.toContain("");
  });

  test.each(Object.entries(CALLS))(
    "%s prints nothing that steers a terminal",
    { timeout: 240_000 },
    async (command, calls) => {
      for (const call of calls) {
        const args = [...command.split(" "), ...call.map(placed)];
        const { stdout, stderr } = await repertoire(workplace, ...args);
        for (const output of [stdout, stderr]) {
          const found = FORBIDDEN.exec(output);
          expect([args, found && output.slice(Math.max(0, found.index - 80), found.index + 20)]).toEqual([
            args,
            null,
          ]);
          // What the reference prints for prompts has the lines of the descriptions.
          if (command !== "to-prompt")
            expect([args, /^FORGED.*$/m.exec(output)?.[0]]).toEqual([args, undefined]);
        }
        expect(stdout.length + stderr.length).toBeGreaterThan(0);
        if (args.includes("--json") && stdout !== "")
          expect(() => JSON.parse(stdout) as unknown).not.toThrow();
      }
    },
  );
});
