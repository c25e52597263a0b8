import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { extracted, provideFolder, writtenIn } from "../extracted.ts";

provideFolder();

describe("a name of several words that stands at several places", () => {
  const table = (...rows: readonly string[]): string =>
    `project,manager\n${rows.map((row) => `${row}\n`).join("")}`;
  const changed = async (name: string, to: string, seen: string): Promise<Draft> =>
    extracted(name, `Put ${to} in place of Ann Lee everywhere in /p.csv.`, [
      [
        ["desk.read_file", { path: "/p.csv" }, seen],
        ["desk.write_file", { path: "/p.csv", content: seen.replaceAll("Ann Lee", to) }, "Written"],
      ],
    ]);

  test.each(["Bo Xu", "Ann Po"])("is not changed word by word, to %s", async (to) => {
    const seen = table("Alpha,Ann Lee", "Beta,Cy Day", "Gamma,Ann Lee");
    const draft = await changed(to.toLowerCase().replace(" ", "-"), to, seen);
    const found = table("Roof,Ann Ek", "Door,Ann Lee", "Wall,Cy Lee", "Lee,Ann Lee");
    expect(await writtenIn(draft, { "/p.csv": found })).toEqual([
      { path: "/p.csv", content: found.replaceAll("Ann Lee", to) },
    ]);
  });
});
