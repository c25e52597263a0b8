import { expect, test } from "vitest";
import { extracted, provideFolder, writtenIn } from "../extracted.ts";

provideFolder();

test("no round writes to the place to which another has written", async () => {
  const people = (...rows: readonly string[]): string =>
    `name,room\n${rows.map((row) => `${row}\n`).join("")}`;
  const card = (name: string, room: string) => ({
    path: `/cards/${name}.md`,
    content: `# ${name}\n\nRoom ${room}\n`,
  });
  const draft = await extracted(
    "cards",
    "Write a card for each person of /p.csv to /cards, named after them.",
    [
      [
        ["desk.read_file", { path: "/p.csv" }, people("Ann,12", "Bo,14")],
        ["desk.write_file", card("Ann", "12"), "Written"],
        ["desk.write_file", card("Bo", "14"), "Written"],
      ],
    ],
  );
  const wrote = (...rows: readonly string[]) => writtenIn(draft, { "/p.csv": people(...rows) });
  expect(await wrote("Cy,1", "Dee,2", "Ed,2")).toEqual([card("Cy", "1"), card("Dee", "2"), card("Ed", "2")]);
  expect(await wrote("Cy,1", "Dee,2", "Cy,3")).toEqual(expect.any(String));
  expect(await wrote("Cyd,1", "cyd,2")).toEqual(expect.any(String));
  expect(await wrote()).toEqual([]);
});
