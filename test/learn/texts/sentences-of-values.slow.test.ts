import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { ok } from "../../../src/core/result.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { runner } from "../../shared-threads.ts";
import { examples, extracted, paramsOf, provideFolder, questionsOf, type Told } from "../extracted.ts";

provideFolder();

/** What a draft's code remembers where the mail is another one, or the error with which it ends. */
async function remembered({ name, code, ...draft }: Draft, content: string): Promise<unknown> {
  const made: Json[] = [];
  const { root } = await runner.run(skillSet({ [name]: code }), name, examples({ name, code, ...draft }), {
    callTool: (tool, args) => {
      if (tool !== "desk.read_file") made.push(args);
      return Promise.resolve(ok(tool === "desk.read_file" ? { content } : { id: 1 }));
    },
  });
  return root.outcome.ok ? made : `stops after ${made.length} calls`;
}

function mail(sentence: string): string {
  return `From: Lena Fischer\nSubject: News\n\nDear all,\n\n${sentence}\n\nCake is at ten.\n\nLena\n`;
}

const seen = mail(
  "On 2026-11-07 Dario Rossi joins the team Finance as accountant. The extension will be 2417.",
);
const path = "/desk/mail.txt";
const task = `Remember who is new, see ${path}: with the job ("Job: …"), the day ("Started on …") and the extension ("Extension: …").`;

function run(content: string, facts: JsonObject): readonly Told[] {
  return [
    ["desk.read_file", { path }, { content }],
    ["desk.remember", facts, { id: 1 }],
  ];
}

const facts = {
  name: "Dario Rossi",
  team: "Finance",
  observations: ["Job: accountant", "Started on 2026-11-07", "Extension: 2417"],
};

describe("several values of one sentence", () => {
  test("are told by the words between them, and stand in what the task dictates with gaps", async () => {
    const draft = await extracted("news", task, [run(seen, facts)]);
    expect(paramsOf(draft)).toEqual(["path"]);
    expect(questionsOf(draft)).toEqual(["source", "text", "text", "text"]);
    const other =
      "On 2026-12-01 Mina Sato joins the team Human Resources as trainer. The extension will be 2001.";
    expect(await remembered(draft, mail(other))).toEqual([
      {
        name: "Mina Sato",
        team: "Human Resources",
        observations: ["Job: trainer", "Started on 2026-12-01", "Extension: 2001"],
      },
    ]);
  });

  test("stop where the sentence says something else, is missing, or there are two", async () => {
    const draft = await extracted("news2", task, [run(seen, facts)]);
    const ada = "On 2026-12-01 Ada Lind joins the team Legal as clerk. The extension will be 2002.";
    for (const sentence of [
      "On 2026-12-01 Ada Lind no longer joins the team Legal as clerk.",
      "Ada Lind will be with us from December on.",
      `${ada}\n${ada.replace("Ada Lind", "Bo Hu")}`,
    ])
      expect(await remembered(draft, mail(sentence))).toBe("stops after 0 calls");
  });

  test("are the caller's where a name stands between them that was of no use", async () => {
    const { team: _, ...others } = facts;
    const draft = await extracted("news6", task, [run(seen, others)]);
    expect(paramsOf(draft)).toEqual(["path", "name", "observations", "secondObservations"]);
  });

  test("are the caller's where few are of use, or the words that frame them are not the task's", async () => {
    const few = await extracted("news3", `Remember who is new, see ${path}, with "Job: …".`, [
      run(seen, { name: "Dario Rossi", observations: ["Job: accountant"] }),
    ]);
    expect(paramsOf(few)).toContain("observations");
    const worded = await extracted("news4", `Remember who is new, see ${path}.`, [
      run(seen, { name: "Dario Rossi", observations: ["keeps the books as accountant", "new in 2026"] }),
    ]);
    expect(paramsOf(worded)).toContain("observations");
  });

  test("are the caller's where they are a list", async () => {
    const names = { holder: "Tomas Weld", tenant: "Petra Holm", keeper: "Jon Aske" };
    const text = mail("Those who look after it are Tomas Weld, Petra Holm and Jon Aske from now on.");
    const draft = await extracted("news7", `Remember who has to do with it, see ${path}.`, [
      run(text, names),
    ]);
    expect(paramsOf(draft)).toEqual(["path", "tenant", "keeper"]);
  });

  test("are not of a word that stands in other places, too", async () => {
    const twice = seen.replace("Cake", "The accountant asks: Cake");
    const draft = await extracted("news5", task, [
      run(`${twice}Role: accountant\nJob before: accountant\n`, facts),
    ]);
    expect(paramsOf(draft)).toContain("observations");
  });
});

test("a value that is called by its name in another form is told there, in words of which nothing is said it is not", async () => {
  const [front, kept] = [
    "---\nname: Ida Roth\nstart: 2026-04-01\nroom: B 204\n---\n\nLaptop ordered.\n",
    "/new/roth.md",
  ];
  for (const [text, isTold] of [
    ["starts on 2026-04-01", true],
    ["starting 2026-04-01", true],
    ["on leave until 2026-04-01", false],
  ] as const) {
    const draft = await extracted(`starts-${isTold}-${text.length}`, `Remember our colleague of ${kept}.`, [
      [
        ["desk.read_file", { path: kept }, { content: front }],
        ["desk.remember", { name: "Ida Roth", observations: ["room B 204", text] }, { id: 1 }],
      ],
    ]);
    expect(questionsOf(draft).includes("text")).toBe(!isTold);
    if (isTold)
      expect(await remembered(draft, front.replace("2026-04-01", "2026-06-15"))).toEqual([
        { name: "Ida Roth", observations: ["room B 204", text.replace("2026-04-01", "2026-06-15")] },
      ]);
  }
});
