import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MODEL, openAiServer, type OpenAiServerOptions, type Reply } from "../model/openai-server.ts";
import { Workplace } from "../server/connected-client.ts";
import { repertoire } from "./shop-workplace.ts";

const TRANSCRIPT = {
  id: "review-1",
  task: "Book the review of P-1001, two weeks before the contract ends.",
  calls: [
    { tool: "hr.get_contract", args: { person: "P-1001" }, result: { person: "P-1001", ends: "2026-03-01" } },
    { tool: "hr.book_review", args: { person: "P-1001", day: "2026-02-15" }, result: { booked: true } },
  ],
};
const TEXT = "Books the review of a person before the contract ends.";
const EDITS: Reply = {
  kind: "answer",
  value: {
    edits: [
      { kind: "flow", leaf: { step: "bookReviewResult", path: ["day"] }, choose: 2 },
      { kind: "describe", target: { kind: "skill" }, text: TEXT },
    ],
    why: "The task says so.",
  },
};

/** A folder with a transcript, whose configuration has a model that answers as told. */
async function modelWorkplace(replies: OpenAiServerOptions["replies"], key = "sk-right-0123456789") {
  const server = await openAiServer({ replies, key: "sk-right-0123456789" });
  const prices = { input: 1, output: 4 };
  const model = { baseUrl: server.baseUrl, name: MODEL, key, prices };
  const workplace = await Workplace.create({}, { data: "data", model });
  await writeFile(join(workplace.folder, "review.jsonl"), JSON.stringify(TRANSCRIPT));
  return { server, workplace };
}

test("extract --model has the model revise the draft, and shows what it decided and what it took", async () => {
  const { server, workplace } = await modelWorkplace([EDITS]);
  const args = ["extract", "review.jsonl", "--name", "book-review", "--model"];
  const { code, stdout } = await repertoire(workplace, ...args);
  expect([code, server.calls.length]).toEqual([0, 1]);
  expect(stdout).toContain(TEXT);
  expect(stdout).toMatch(/Decided by a model[^]*model scripted-1\s+says 2/);
  expect(stdout).toContain(`Round 1, ${MODEL}: kept (1,100 tokens, $0.0014). 2 of 2 edits are done`);
  const { stdout: shown } = await repertoire(workplace, "drafts", "show", "book-review", "--json");
  expect(JSON.parse(shown)).toMatchObject({
    isStale: false,
    params: [{ name: "person" }],
    questions: [{ decidedBy: `model ${MODEL}` }],
  });
  await workplace[Symbol.asyncDispose]();
});

test("where the model fails the draft is there, and says nothing of the model but its failure", async () => {
  const { workplace } = await modelWorkplace([EDITS], "sk-wrong-0123456789");
  const made = await repertoire(workplace, "extract", "review.jsonl", "--name", "book-review", "--model");
  expect(made).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("Open questions"),
    stderr: expect.stringMatching(/^MODEL_REJECTED: .*model\.key/),
  });
  expect(made.stdout + made.stderr).not.toContain("0123456789");
  const again = await repertoire(workplace, "drafts", "revise", "book-review", "--model", "--json");
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("MODEL_REJECTED") });
  await workplace[Symbol.asyncDispose]();
});

test("a draft is revised by edits or by a model, and by none where none is configured", async () => {
  const workplace = await Workplace.create({}, { data: "data" });
  await writeFile(join(workplace.folder, "review.jsonl"), JSON.stringify(TRANSCRIPT));
  await repertoire(workplace, "extract", "review.jsonl", "--name", "book-review");
  const none = await repertoire(workplace, "drafts", "revise", "book-review", "--model");
  expect(none).toMatchObject({ code: 1, stderr: expect.stringMatching(/^MODEL_NEEDED: /) });
  for (const given of [[], ["--model", "--edits", "[]"]]) {
    const refused = await repertoire(workplace, "drafts", "revise", "book-review", ...given);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("one of --edits, --proposed and --model"),
    });
  }
  await workplace[Symbol.asyncDispose]();
});
