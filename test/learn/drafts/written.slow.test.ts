import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApp } from "../../../src/app.ts";
import type { App } from "../../../src/rooms.ts";
import { readConfig } from "../../../src/config.ts";
import { draftReview } from "../../../src/learn/review/draft-review.ts";
import { Workplace } from "../../server/connected-client.ts";
import { value } from "../edits/real-drafts.ts";

const SHOUT = `export interface Input { text: string }
export interface Output { loud: string }
export default function shout(input: Input): Output {
  return { loud: input.text.toUpperCase() };
}
`;
const SHOUT_CASES = `- name: shouts
  input: { text: hey }
  output: { loud: HEY }
`;

let workplace: Workplace;
let app: App;
beforeAll(async () => {
  workplace = await Workplace.create(
    {},
    {
      data: "own",
      drafts: { review: "automatic", above: "own" },
      limits: { cpuMs: 500 },
    },
  );
  app = openApp(value(await readConfig({ cwd: workplace.folder })));
});
afterAll(async () => {
  await app.close();
  await workplace[Symbol.asyncDispose]();
});

async function written(
  name: string,
  { code = SHOUT, cases = SHOUT_CASES, tools = [] as readonly string[] },
): Promise<string> {
  const allowed = tools.length === 0 ? "" : `allowed-tools: ${tools.join(" ")}\n`;
  const draft = value(
    await app.extraction.drafts.write({
      name,
      filesOf: (given) =>
        new Map([
          ["SKILL.md", `---\nname: ${given}\ndescription: Shouts.\n${allowed}---\n\n# ${given}\n`],
          ["skill.ts", code],
          ["tests.yaml", cases],
        ]),
      written: { wish: "shout a text", model: "a-model", tools },
      by: "ada",
    }),
  );
  return draft.name;
}

test("a written draft is verified by its cases, waits for a person whatever the policy, and becomes a skill", async () => {
  const name = await written("shout", {});
  const draft = value(await app.extraction.verify(name, { by: "ada" }));
  expect(draft.evidence?.rungs).toMatchObject([
    { name: "types", passed: 1, of: 1 },
    { name: "cases", passed: 1, of: 1 },
  ]);
  const early = await app.extraction.promotions.promote(name, { by: "policy" });
  expect(early).toMatchObject({
    error: { code: "DRAFT_UNREVIEWED", details: { reason: "written" } },
  });
  const { text } = draftReview(draft);
  expect(text).toContain("written by a model");
  expect(text).toContain("return { loud: input.text.toUpperCase() };");
  const { digest } = draft;
  value(await app.extraction.review(name, { verdict: "approve", by: "ada", digest }));
  value(await app.extraction.promotions.promote(name, { by: "ada", digest }));
  await (await app.catalog).reload();
  const { root } = await app.call(name, { text: "now" });
  expect(root.outcome).toEqual({ ok: true, output: { loud: "NOW" } });
});

const CALLS = `export default async function save(input: { text: string }): Promise<{ done: boolean }> {
  await call_tool("files.write", { path: "a", text: input.text });
  return { done: true };
}
`;
const FIXED = `- name: saves
  input: { text: x }
  tools: [{ tool: files.write, input: { path: a, text: x }, output: {} }]
  output: { done: true }
`;

test.each([
  ["code that does not fit its types", { code: SHOUT.replace("toUpperCase", "toUperCase") }, "types"],
  ["code that does another thing than its cases say", { code: SHOUT.replace("Upper", "Lower") }, "cases"],
  ["code that never ends", { code: SHOUT.replace("return", "for (;;);\n  return") }, "cases"],
  ["no case that tells what it gives", { cases: "- input: {}\n  error: INPUT_INVALID\n" }, "cases"],
  ["cases that cannot be read", { cases: "- name: [" }, "cases"],
  [
    "a call of which its cases tell no answer",
    { code: CALLS, tools: ["files.write"], cases: FIXED.replace(/ {2}tools.*\n/, "") },
    "cases",
  ],
  [
    "a call with another input than its cases tell",
    { code: CALLS.replace('"a"', '"b"'), tools: ["files.write"], cases: FIXED },
    "cases",
  ],
  ["a call of a tool that it may not call", { code: CALLS, tools: ["files.read"], cases: FIXED }, "types"],
  [
    "an answer for a call that it does not make",
    { cases: `${SHOUT_CASES}  tools: [{ tool: files.write, output: {} }]\n` },
    "cases",
  ],
])("%s keeps a written draft from being approved", async (_, files, rung) => {
  const name = await written("wrong", files);
  const draft = value(await app.extraction.verify(name, { by: "ada" }));
  const failing = draft.evidence?.rungs.filter(({ passed, of }) => passed < of) ?? [];
  expect(failing.map((each) => each.name)).toEqual([rung]);
  const { digest } = draft;
  const approved = await app.extraction.review(name, { verdict: "approve", by: "ada", digest });
  expect(approved).toMatchObject({ error: { code: "DRAFT_UNVERIFIED" } });
});

test("made-up answers stand for tools in cases, and no tool is called", async () => {
  const name = await written("save", { code: CALLS, tools: ["files.write"], cases: FIXED });
  const draft = value(await app.extraction.verify(name, { by: "ada" }));
  expect(draft.evidence?.rungs.map(({ passed, of }) => passed === of)).toEqual([true, true]);
  const approved = await app.extraction.review(name, { verdict: "approve", by: "ada", digest: draft.digest });
  expect(approved).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
});

test("a written draft has no plan to be revised, and what was verified does not hold for edited files", async () => {
  const name = await written("edited", {});
  value(await app.extraction.verify(name, { by: "ada" }));
  const revised = await app.extraction.revise(name, [], { by: "ada" });
  expect(revised).toMatchObject({ error: { code: "DRAFT_STATE" } });
  const { folder } = value(await app.extraction.drafts.readAny(name));
  await writeFile(join(folder, "skill.ts"), `${SHOUT}// more\n`);
  expect(value(await app.extraction.drafts.readAny(name))).toMatchObject({
    isStale: true,
    isEdited: true,
    evidence: undefined,
  });
});
