import { expect, test } from "vitest";
import { extracted, provideFolder, writtenIn } from "../extracted.ts";

provideFolder();

test("what is said of one is not all where it is said of one with another, too", async () => {
  const hours = (...lines: readonly string[]): string =>
    `# Hours\n\n${lines.map((each) => `- ${each}\n`).join("")}`;
  const draft = await extracted("hours", "Write the sum of Ann's hours in /h.md to /ann.txt.", [
    [
      ["desk.read_file", { path: "/h.md" }, hours("Ann: 4", "Bo: 3", "Ann: 2", "Cy: 5")],
      ["desk.write_file", { path: "/ann.txt", content: "6\n" }, "Written"],
    ],
  ]);
  const summed = (...lines: readonly string[]) => writtenIn(draft, { "/h.md": hours(...lines) });
  expect(await summed("Ann: 1", "Anna: 7", "Ann: 2", "Anna and Bo: 5")).toEqual([
    { path: "/ann.txt", content: "3\n" },
  ]);
  for (const line of ["Ann and Bo: 4", "Bo, Ann: 4", "Ann/Bo: 4", "Ann (on Sunday): 4"])
    expect(await summed("Ann: 1", line, "Ann: 2")).toEqual(expect.stringContaining("Whether"));
});
