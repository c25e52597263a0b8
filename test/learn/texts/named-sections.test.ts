import { expect, test } from "vitest";
import { extracted, paramsOf, provideFolder, writtenIn } from "../extracted.ts";

provideFolder();

const [path, told] = ["/etc/app.ini", "/mail/host.txt"];
const settings = (...lines: readonly string[]): string => `${lines.join("\n")}\n`;

test("a section is found by its name where a value in it has that as a part, too", async () => {
  const before = settings(
    "[web]",
    "host = www.lakeside.net",
    "",
    "[ftp]",
    "port = 21",
    "host = ftp.lakeside.net",
  );
  const draft = await extracted("section", `Set the ftp host in ${path} to the one in ${told}.`, [
    [
      ["desk.read_file", { path: told }, "New servers from May on:\n\nServer: files.hillside.net\nRoom: 4\n"],
      ["desk.read_file", { path }, before],
      [
        "desk.edit_file",
        { path, edits: [{ oldText: "host = ftp.lakeside.net", newText: "host = files.hillside.net" }] },
        "Edited",
      ],
    ],
  ]);
  expect(paramsOf(draft)).toContain("section");
  const other = {
    [told]: "New servers from May on:\n\nServer: a.example.net\nRoom: 5\n",
    [path]: settings("[ftp]", "host = data.old.net", "[web]", "host = ftp.old.net"),
  };
  expect(await writtenIn(draft, other)).toEqual([
    { path, edits: [{ oldText: "host = data.old.net", newText: "host = a.example.net" }] },
  ]);
  expect(await writtenIn(draft, { ...other, [path]: settings("[web]", "host = ftp.old.net") })).toBeTypeOf(
    "string",
  );
});
