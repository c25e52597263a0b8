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

test("nor does one that has its name from a text and its ending from the file's own name", async () => {
  const letter = (day: string): string => `Letter\nDate: ${day}\nDear all\n`;
  const days = { "s1.txt": "2026-01-03", "s2.txt": "2026-02-07", "s3.txt": "2026-03-09" };
  const named = (name: string, day: string) => ({
    source: `/scans/${name}`,
    destination: `/scans/${day}.txt`,
  });
  const list = (...names: readonly string[]): string => names.map((name) => `[FILE] ${name}`).join("\n");
  const draft = await extracted("scans", "Rename the files in /scans to the date inside of them.", [
    [
      ["desk.list", { path: "/scans" }, list(...Object.keys(days))],
      ...Object.entries(days).map(
        ([name, day]) => ["desk.read_file", { path: `/scans/${name}` }, letter(day)] as const,
      ),
      ...Object.entries(days).map(([name, day]) => ["desk.move_file", named(name, day), "Moved"] as const),
    ],
  ]);
  const moved = (first: string, second: string) =>
    writtenIn(draft, {
      "/scans": list("p.txt", "q.txt"),
      "/scans/p.txt": letter(first),
      "/scans/q.txt": letter(second),
    });
  expect(await moved("2026-01-03", "2026-01-04")).toEqual([
    named("p.txt", "2026-01-03"),
    named("q.txt", "2026-01-04"),
  ]);
  expect(await moved("2026-01-03", "2026-01-03")).toEqual(expect.any(String));
});
