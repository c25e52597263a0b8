import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { type Told, traceOf } from "../learned.ts";
import { callsIn } from "../live.ts";
import { runner } from "../../shared-threads.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const order: Told = [
  "shop.get_order",
  { id: "A-4711" },
  { id: "A-4711", customer: "Bo Hu", mail: "bo.hu@example.org", total: 87 },
];
const written = (content: string): Told => [
  "files.write_file",
  { path: "out/note.txt", content },
  { content: "written" },
];

async function draftOf(task: string, content: string) {
  const draft = await real.of([traceOf(`${task} It goes to out/note.txt.`, [order, written(content)])]);
  const verified = await real.verified(draft.name);
  return {
    code: draft.code.replaceAll(/\s+/g, " "),
    said: draft.plan.params.map(({ name, example }) => [name, example]),
    open: (draft.plan.questions ?? []).map(({ kind, path }) => [kind, ...path].join(" ")),
    failing: failing(verified),
  };
}

const ID = ["order_id", "A-4711"];
const PATH = ["path", "out/note.txt"];

describe("a text that the task dictates in pieces", () => {
  test("has what answers tell behind its labels, and lines that the caller says", async () => {
    const draft = await draftOf(
      'Write a note about order A-4711: "To:" and the mail address, an empty line, "For:" and the name, and below it: Please call before you come.',
      "To: bo.hu@example.org\n\nFor: Bo Hu\nPlease call before you come.\n",
    );
    expect(draft).toMatchObject({
      said: [ID, PATH, ["content", "Please call before you come."]],
      open: ["text content"],
      failing: [],
    });
  });

  test("has the words of a sentence with gaps, and what the caller says in it", async () => {
    const draft = await draftOf(
      'Write about order A-4711: "For", the name and a comma, an empty line, and "You have to pay … EUR until 2026-04-03."',
      "For Bo Hu,\n\nYou have to pay 87 EUR until 2026-04-03.\n",
    );
    expect(draft).toMatchObject({
      said: [ID, PATH, ["content", "For"], ["secondContent", "2026-04-03"]],
      open: ["text content"],
      failing: [],
    });
  });

  test("has as the caller's what is dictated and neither a label nor a sentence with gaps", async () => {
    const draft = await draftOf(
      'Write "Ask in spring" about order A-4711, and then the name.',
      "Ask in spring Bo Hu\n",
    );
    expect(draft.said).toEqual([ID, PATH, ["content", "Ask in spring"]]);
    expect(draft.failing).toEqual([]);
  });

  test("is the caller's as a whole where a name stands inside of a sentence with gaps", async () => {
    const text = "To: bo.hu@example.org\n\nAsk Nora for your 87 EUR.\n";
    const draft = await draftOf(
      'Write about order A-4711: "To:" and the mail address, an empty line, and "Ask Nora for your … EUR."',
      text,
    );
    expect(draft.said).toEqual([ID, PATH, ["content", text]]);
  });

  test("is the caller's as a whole where words are in it that the task does not say", async () => {
    const text = "To: bo.hu@example.org\n\nAs agreed with Bo Hu.\n";
    const draft = await draftOf('Write about order A-4711: "To:" and the mail address, and as agreed.', text);
    expect(draft.said).toEqual([ID, PATH, ["content", text]]);
  });

  test("is made for another", async () => {
    const { plan } = await real.of([
      traceOf(
        'Write "Customer:" and the name, and below it "soon", about order A-4711. It goes to out/note.txt.',
        [order, written("Customer: Bo Hu\nsoon\n")],
      ),
    ]);
    const tools = { "shop.get_order": () => ({ id: "A-5", customer: "Cy Ek", mail: "", total: 1 }) };
    const calls = await callsIn(runner, plan, tools, { order_id: "A-5", path: "b.txt", content: "late" });
    expect(calls.at(-1)).toBe('files.write_file {"path":"b.txt","content":"Customer: Cy Ek\\nlate\\n"}');
  });
});

test("a heading that the task has in quotes is the caller's, above lines that are made of what files say", async () => {
  const sheet = (name: string, hours: number): string => `Name: ${name}\nMonday: 7\nTotal: ${hours}\n`;
  const read = (file: string, text: string): Told => [
    "files.read_file",
    { path: `/srv/sheets/${file}` },
    { content: text },
  ];
  const content = "# Hours\n\n- Ada Lind: 38\n- Bo Hu: 31\n- Mina Sato: 27\n\nTogether: 96\n";
  const draft = await real.of([
    traceOf(
      'Write a report of the sheets in /srv/sheets to /srv/hours.md: a heading "Hours", a bullet for each person with the total, and the total of all at the end.',
      [
        [
          "files.list_directory",
          { path: "/srv/sheets" },
          { content: "[FILE] ada-lind.txt\n[FILE] bo-hu.txt\n[FILE] mina-sato.txt" },
        ],
        read("ada-lind.txt", sheet("Ada Lind", 38)),
        read("bo-hu.txt", sheet("Bo Hu", 31)),
        read("mina-sato.txt", sheet("Mina Sato", 27)),
        ["files.write_file", { path: "/srv/hours.md", content }, { content: "written" }],
      ],
    ),
  ]);
  expect(draft.plan.params.map(({ name, example }) => [name, example])).toEqual([
    ["listPath", "/srv/sheets"],
    ["writePath", "/srv/hours.md"],
    ["heading", "Hours"],
  ]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
});
