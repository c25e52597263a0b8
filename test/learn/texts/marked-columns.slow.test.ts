import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { examples, extracted, isVerified, provideFolder, questionsOf, writtenIn } from "../extracted.ts";

provideFolder();

const TASK =
  "Which helpers can come on Saturday? They are in /desk/helpers. Write their names to /desk/list.";

async function draftOf(task: string, text: string, content: string): Promise<Draft> {
  return extracted(`helpers-${task.length}-${text.length}-${content.length}`, task, [
    [
      ["desk.read_file", { path: "/desk/helpers" }, text],
      ["desk.write_file", { path: "/desk/list", content }, "Written"],
    ],
  ]);
}

async function written(draft: Draft, text: string): Promise<Json | undefined> {
  const done = await writtenIn(draft, { "/desk/helpers": text });
  return typeof done === "string" ? done : done[0]?.["content"];
}

const table = (...rows: readonly string[]): string =>
  ["| Helper | Friday | Saturday |", "| --- | --- | --- |", ...rows.map((row) => `| ${row} |`), ""].join(
    "\n",
  );

describe("a column that says yes or no of each, or how many", () => {
  test.each([
    ["yes", "no"],
    ["yes", ""],
    ["2", "0"],
  ])("tells which are meant where the task names it: %s and %j", async (yes, no) => {
    const rows = [
      `Ines | ${yes} | ${no}`,
      `Omar | ${yes} | ${yes}`,
      `Pia | ${no} | ${yes}`,
      `Tom | ${yes} | ${no}`,
    ];
    const draft = await draftOf(TASK, table(...rows), "Omar\nPia\n");
    expect([isVerified(draft), Object.keys(examples(draft)).length]).toEqual([true, 2]);
    expect(questionsOf(draft)).toHaveLength(1);
    expect(await written(draft, table(`Ada | ${no} | ${yes}`, `Bo | ${yes} | ${no}`))).toBe("Ada\n");
    expect(await written(draft, table(`Ada | ${yes} | ${no}`, `Bo | ${yes} | ${no}`))).toMatch(/missing/);
    expect(await written(draft, table(`Ada | ${yes} | ${yes} (late)`, `Bo | ${yes} | ${yes}`))).toMatch(
      /meant|no number|nearly|otherwise/,
    );
    const renamed = table(`Ada | ${no} | ${yes}`, `Bo | ${yes} | ${no}`).replace("Saturday", "Sunday");
    expect(await written(draft, renamed)).toMatch(/no Saturday/);
  });

  const rows = ["Ines | yes | no", "Omar | yes | yes", "Pia | no | yes", "Tom | yes | no"];

  test.each([
    ["the task names another column", TASK.replace("Saturday", "Sunday"), "Omar\nPia\n"],
    ["others are chosen", TASK, "Ines\nPia\n"],
    ["those are chosen for whom it says no", TASK, "Ines\nTom\n"],
  ])("tells nothing where %s", async (_, task, content) => {
    expect(examples(await draftOf(task, table(...rows), content))["content"]).toBe(content);
  });
});
