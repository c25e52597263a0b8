import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { command } from "../cli/in-process.ts";
import { MODEL, openAiServer, type Reply } from "../model/openai-server.ts";
import { ROOT, Workplace } from "../server/connected-client.ts";

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.create({}, { data: "own" });
  for (const name of ["square", "add", "multiply", "note-save"]) await workplace.copy(name);
  for (const [name, code] of Object.entries(SHOP_SKILLS)) await workplace.write(name, code);
  await writeFile(
    join(workplace.skills, "order-confirmed/SKILL.md"),
    "---\nname: order-confirmed\ndescription: Cancels an order.\ndurable: confirm\n---\n",
  );
});
afterAll(async () => workplace[Symbol.asyncDispose]());

const CANCEL = `export default async ({ id }: { id: string }): Promise<unknown> => call_tool("shop.cancel_order", { id, reason: "asked" });`;
const SHOP_SKILLS = {
  "order-confirmed": CANCEL,
  "order-note": `export default async ({ email }: { email: string }): Promise<unknown> => {
  const found = await call_tool("shop.find_customer", { text: email });
  return call_tool("shop.cancel_order", { id: "O-1", reason: \`asked by \${JSON.stringify(found)}\` });
};`,
  "login-find": `export default async ({ user }: { user: string }): Promise<{ user: string; password: string; token: string }> =>
  ({ user, password: "hunter2horse", token: "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789" });`,
};

function run(skill: string, input: Json): Reply {
  return { kind: "answer", value: { run: { skill, input: JSON.stringify(input) } } };
}
function done(text: string): Reply {
  return { kind: "answer", value: { done: { text } } };
}

async function asked(replies: readonly Reply[], task: string, ...more: readonly string[]) {
  const server = await openAiServer({ replies });
  const shop = { command: process.execPath, args: [join(ROOT, "examples/shop-server.ts")] };
  const config = {
    data: "own",
    model: { baseUrl: server.baseUrl, name: MODEL },
    mcpServers: { shop },
    flows: { untrustedIntoWrites: "ask" },
  };
  await writeFile(join(workplace.folder, "mcp.config.json"), JSON.stringify(config));
  return { server, ...(await command(workplace.folder, "ask", task, ...more)) };
}

const TASK = "square 3, and add 4 to that number";

test("several skills do a task, each seeing what was given before, as runs of one session", async () => {
  const { stdout, code, server } = await asked(
    [run("square", { number: 3 }), run("square", { x: 3 }), run("add", { a: 9, b: 4 }), done("It is 13.")],
    TASK,
    "--json",
  );
  expect(code).toBe(0);
  const told = JSON.parse(stdout) as {
    readonly kind: string;
    readonly session: string;
    readonly calls: readonly { skill: string }[];
  };
  expect(told).toMatchObject({ kind: "done", text: "It is 13." });
  expect(server.calls[1]?.data).toContain("The call of square was not made: the input does not fit");
  const runs = await command(workplace.folder, "traces", "ls", "--session", told.session, "--json");
  expect(runs.stdout).toContain('"name": "square"');
  expect(runs.stdout).toContain('"name": "add"');
});

test("what may write is not run where nobody can be asked", async () => {
  const input = { title: "Rome", text: "Day one" };
  const { code, stderr } = await asked([run("note-save", input), done("Saved.")], "save a note as a file");
  expect([code, stderr]).toEqual([1, expect.stringContaining("RUN_UNAPPROVED")]);
});

test("a skill that waits for a person before it writes waits, whoever chose it, and the task ends there", async () => {
  const { code, stdout, stderr } = await asked(
    [run("order-confirmed", { id: "O-1002" }), done("Cancelled.")],
    "cancel the order O-1002",
    "--yes",
    "--json",
  );
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    { kind: "waiting", text: expect.stringContaining("runs show") as string },
  ]);
  const [, id = ""] = /The run is (\S+)/.exec(stderr) ?? [];
  const shown = await command(workplace.folder, "runs", "show", id, "--json");
  expect(shown.stdout).toContain('"shop.cancel_order"');
});

test("what untrusted tools answer goes into no call that writes, where the settings want consent", async () => {
  const { code, stderr } = await asked(
    [run("order-note", { email: "ada@example.org" }), done("Noted.")],
    "note who asked for the order of ada@example.org",
  );
  expect([code, stderr]).toEqual([1, expect.stringMatching(/RUN_UNAPPROVED.*untrusted tools/s)]);
});

test("credentials of a task and of what calls give are not sent", async () => {
  const key = ["ghp", "0123456789abcdefghijklmnopqrstuvwxyz"].join("_");
  const { server, code } = await asked(
    [run("login-find", { user: "ada" }), done("Found.")],
    `find the login of ada by the token ${key}`,
  );
  expect(code).toBe(0);
  const sent = server.calls.map(({ system, user }) => system + user).join("\n");
  expect(sent).toContain('"password":"[redacted:password]"');
  expect(sent).toContain("by the token [redacted:github]");
  expect(sent).not.toMatch(/hunter2horse|ghp_[a-z0-9]{20}/);
});

test.each<[string, Reply, number, string]>([
  [
    "an input that is missing is told",
    { kind: "answer", value: { ask: { question: "Which number?" } } },
    2,
    "Which number?",
  ],
  [
    "where no skill fits, one may be written",
    { kind: "answer", value: { missing: { text: "Draw a cube." } } },
    1,
    "new --from",
  ],
  ["a model that comes to no end is stopped", run("no-such-skill", {}), 1, "MODEL_ANSWER_INVALID"],
])("%s", async (_, reply, expected, words) => {
  const { code, stderr } = await asked([reply], TASK);
  expect([code, stderr]).toEqual([expected, expect.stringContaining(words)]);
});
