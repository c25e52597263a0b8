import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Workplace } from "../server/connected-client.ts";
import { DRAFT, repertoire, shopWorkplace, TRANSCRIPT } from "./shop-workplace.ts";

let workplace: Workplace;
beforeAll(async () => {
  workplace = await shopWorkplace();
  await writeFile(join(workplace.folder, "moves.jsonl"), moves(6));
});
afterAll(async () => workplace[Symbol.asyncDispose]());

/** Transcripts, one a line: an order is looked at, and gets its customer's new street. */
function moves(count: number): string {
  const lines = Array.from({ length: count }, (_, nth) => {
    const id = `O-${2000 + nth}`;
    const street = `${nth + 3} ${["Mill Lane", "Hill Road", "Bay Street"][nth % 3] ?? ""}`;
    const order = (shipTo: object) => ({
      order: { id, customerId: `C-${40 + nth}`, status: "paid", shipTo },
    });
    const [home, shipTo] = [
      { street: "Elm Street 3", city: "Lund", postcode: `${22100 + nth}`, country: "SE" },
      { street, city: "Lund", postcode: `${22100 + nth}`, country: "SE" },
    ];
    return JSON.stringify({
      id: `move-${nth}`,
      task: `The order ${id} shall go to ${street}, in the same city.`,
      calls: [
        { tool: "shop.get_order", args: { id }, result: order(home) },
        { tool: "shop.update_order_address", args: { id, shipTo }, result: order(shipTo) },
      ],
    });
  });
  return `${lines.join("\n")}\n`;
}

interface Listed {
  readonly name: string;
  readonly state: string;
  readonly isStale: boolean;
  readonly isEdited: boolean;
  readonly evidence: readonly { readonly name: string; readonly passed: number; readonly of: number }[];
}

async function listed(name: string): Promise<Listed | undefined> {
  const { stdout } = await repertoire(workplace, "drafts", "--json");
  return (JSON.parse(stdout) as { readonly drafts: readonly Listed[] }).drafts.find(
    (draft) => draft.name === name,
  );
}

async function edit(name: string, from: string, to: string): Promise<void> {
  const file = join(workplace.folder, "data/drafts", name, "skill.ts");
  const code = await readFile(file, "utf8");
  expect(code).toContain(from);
  await writeFile(file, code.replace(from, to));
}

describe("a draft that is edited by hand", () => {
  test("loses its evidence, and is promoted only when it is verified again", async () => {
    expect(await repertoire(workplace, "extract", TRANSCRIPT)).toMatchObject({ code: 0 });
    await edit(DRAFT, "What the caller decides", "What whoever calls decides");
    expect(await listed(DRAFT)).toMatchObject({ isStale: true, isEdited: true, evidence: [] });
    expect(await repertoire(workplace, "promote", DRAFT, "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DRAFT_UNVERIFIED: .*has changed since it was verified/),
    });
    const verified = await repertoire(workplace, "drafts", "verify", DRAFT);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("edited by hand") });
    expect(await repertoire(workplace, "promote", DRAFT, "--yes")).toMatchObject({ code: 0 });
  });

  test("differs from what was promoted by what diff shows, and cannot be promoted when it fails its twins", async () => {
    await edit(DRAFT, `{ customerId: ofKind(customer2.id, "numbered", "id") }`, '{ customerId: "C-1" }');
    const { stdout } = await repertoire(workplace, "drafts", "diff", DRAFT);
    expect(stdout.split("\n").filter((line) => /^[-+]/.test(line))).toEqual([
      "--- a/skill.ts",
      "+++ b/skill.ts",
      expect.stringMatching(/^-.*customerId: ofKind\(customer2\.id/),
      expect.stringMatching(/^\+.*customerId: "C-1"/),
    ]);
    const verified = await repertoire(workplace, "drafts", "verify", DRAFT);
    expect(verified.code).toBe(1);
    expect(verified.stdout).toContain("own runs replayed: 1 of 1");
    expect(verified.stdout).toContain("twins replayed: 0 of 3");
    expect(await repertoire(workplace, "promote", DRAFT, "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DRAFT_UNVERIFIED: .*replay of their twins: 0 of 3 hold/),
    });
  });

  test("is rejected, and its first version brought back after it was taken out", async () => {
    const rejected = await repertoire(workplace, "reject", DRAFT, "--why", "It knows one customer only");
    expect(rejected).toMatchObject({ code: 0, stdout: `Rejected the draft "${DRAFT}"\n` });
    expect(await repertoire(workplace, "promote", DRAFT, "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DRAFT_STATE: .* was rejected as it is by /),
    });
    expect(await repertoire(workplace, "revoke", DRAFT)).toMatchObject({ code: 0 });
    expect(existsSync(join(workplace.skills, DRAFT))).toBe(false);
    expect(await repertoire(workplace, "revoke", DRAFT, "--to", "7")).toMatchObject({
      code: 1,
      stderr: `DRAFT_NOT_FOUND: There is no version 7 of "${DRAFT}"; kept are 1\n`,
    });
    expect(await repertoire(workplace, "revoke", DRAFT, "--to", "1")).toMatchObject({ code: 0 });
    expect(await readFile(join(workplace.skills, DRAFT, "skill.ts"), "utf8")).toContain("customer2.id");
  });
});

describe("several runs", () => {
  const NAME = "move-order";

  test("are learned from and held out; a run of a file is taken by its number", async () => {
    const args = ["extract", "moves.jsonl", "--name", NAME, "--hold-out", "2", "--json"];
    const { code, stdout } = await repertoire(workplace, ...args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "draft", draft: { name: NAME, state: "draft" } });
    expect((await listed(NAME))?.evidence).toMatchObject([
      { name: "types", passed: 1, of: 1 },
      { name: "own", passed: 4, of: 4 },
      { name: "twin", passed: 12, of: 12 },
      { name: "faults", passed: 20, of: 20 },
      { name: "heldOut", passed: 2, of: 2 },
    ]);
    const replayed = await repertoire(workplace, "replay", NAME, "--trace", "moves.jsonl#5", "--json");
    expect(replayed.code).toBe(0);
    expect(JSON.parse(replayed.stdout)).toMatchObject({
      kind: "draft",
      matched: true,
      calls: [{ recorded: 0 }, { recorded: 1, args: { id: "O-2004" } }],
    });
    const many = await repertoire(workplace, "replay", NAME, "--trace", "moves.jsonl");
    expect(many).toMatchObject({ code: 2, stderr: expect.stringContaining("has 6 traces: take one") });
    const none = await repertoire(workplace, "extract", "moves.jsonl", "--only", "9");
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("there is no number 9") });
  });

  test("a draft is revised by edits, which are refused as a whole where one is wrong", async () => {
    const describe_ = { kind: "describe", target: { kind: "skill" }, text: "Has an order go elsewhere." };
    const wrong = JSON.stringify([describe_, { kind: "drop", step: "nothing" }]);
    const refused = await repertoire(workplace, "drafts", "revise", NAME, "--edits", wrong);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^INPUT_INVALID: Edit 2 \(drop\)/),
    });
    await writeFile(join(workplace.folder, "edits.json"), JSON.stringify([describe_]));
    const revised = await repertoire(workplace, "drafts", "revise", NAME, "--edits", "@edits.json");
    expect(revised).toMatchObject({ code: 0, stdout: expect.stringContaining("Has an order go elsewhere.") });
    const invalid = await repertoire(workplace, "drafts", "revise", NAME, "--edits", "[1]");
    expect(invalid).toMatchObject({ code: 2, stderr: expect.stringMatching(/^INPUT_INVALID: The edits/) });
  });

  test("what a draft's view proposes is taken at once, and then nothing more is proposed", async () => {
    const calls = [
      {
        tool: "desk.list_orders",
        args: { customerId: "C-1" },
        result: [{ id: "O-2001", status: "pending" }],
      },
      { tool: "desk.cancel_order", args: { id: "O-2001", notify: false }, result: { id: "O-2001" } },
    ];
    const run = { id: "quiet", task: "Cancel the pending order of C-1", calls };
    await writeFile(join(workplace.folder, "quiet.json"), JSON.stringify(run));
    expect(await repertoire(workplace, "extract", "quiet.json", "--name", "quiet", "--anew")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/drafts revise\s+quiet\s+--proposed/),
    });
    const revised = await repertoire(workplace, "drafts", "revise", "quiet", "--proposed");
    expect(revised).toMatchObject({ code: 0, stdout: expect.not.stringContaining("input.notify") });
    const again = await repertoire(workplace, "drafts", "revise", "quiet", "--proposed");
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("Nothing is proposed") });
  });

  test("feedback is kept with a draft", async () => {
    const args = ["--rating", "-0.5", "--text", "It should ask for a reason"];
    expect(await repertoire(workplace, "drafts", "feedback", NAME, ...args)).toMatchObject({ code: 0 });
    const { stdout } = await repertoire(workplace, "drafts", "show", NAME);
    expect(stdout).toMatch(/feedback by .*: rating -0\.5; It should ask for a reason/);
  });
});

describe("what is recorded", () => {
  test("runs are meant by the beginnings of their ids", async () => {
    const imported = await repertoire(workplace, "traces", "import", "moves.jsonl", "--json");
    const { runIds } = JSON.parse(imported.stdout) as { readonly runIds: readonly string[] };
    const given = runIds.slice(0, 2).map((id) => id.slice(0, 16));
    const { stdout } = await repertoire(workplace, "extract", ...given, "--anew", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ kind: "draft" });
    const misnamed = await repertoire(workplace, "extract", "x", "--name", "Big Name");
    expect(misnamed).toMatchObject({ code: 2, stderr: expect.stringContaining("lower-case words") });
    const unknown = await repertoire(workplace, "extract", "ffffffff");
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringMatching(/^RUN_NOT_FOUND: /) });
  });

  test("--mine finds what recurs, and makes a draft of it", async () => {
    const { code, stdout } = await repertoire(workplace, "extract", "--mine");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ 1\. saves 6 calls: 6 times, a skill would do \d of \d .*\n +shop\.get_order shop\.update_order_address\n/,
    );
    const made = await repertoire(workplace, "extract", "--mine", "--draft", "1", "--json");
    expect(JSON.parse(made.stdout)).toMatchObject([{ kind: "draft", draft: { state: "draft" } }]);
    const none = await repertoire(workplace, "extract", "--mine", "--draft", "9");
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("There is no proposal 9") });
  });
});

test("tools are called as the server's, however the client has named them", async () => {
  const transcript = await readFile(TRANSCRIPT, "utf8");
  await writeFile(join(workplace.folder, "client.json"), transcript.replaceAll('"shop.', '"mcp__shop__'));
  const { stdout } = await repertoire(workplace, "extract", "client.json", "--anew", "--json");
  const { draft } = JSON.parse(stdout) as { readonly draft: { readonly code: string } };
  expect(draft.code).toContain('call_tool("shop.update_order_address"');
  expect(draft.code).not.toContain("mcp__");
});

test("credentials of a transcript that is not recorded stay out of the draft", async () => {
  const secret = `sk-proj-${"Ab3dEf6h".repeat(6)}`;
  const call = { tool: "mail.send", args: { apiKey: secret, to: "a@example.org" }, result: { sent: true } };
  const line = JSON.stringify({ id: "s", task: `Use ${secret} to write to a@example.org`, calls: [call] });
  await writeFile(join(workplace.folder, "secret.jsonl"), `${line}\n`);
  const { code, stdout } = await repertoire(workplace, "extract", "secret.jsonl", "--json");
  expect(code).toBe(0);
  const { draft } = JSON.parse(stdout) as { readonly draft: { readonly folder: string } };
  const texts = await Promise.all(
    ["skill.ts", "plan.json", "provenance.json"].map(async (file) =>
      readFile(join(draft.folder, file), "utf8"),
    ),
  );
  expect(texts.join("\n")).not.toContain(secret);
});
