import { expect, test } from "vitest";
import { examples, extracted, provideFolder, writtenIn } from "../extracted.ts";

provideFolder();

const LOG = "# Log\n\n## 2026-03-01\n\nOil changed.\n\n## 2026-04-02\n\nTyres changed.\nNew lamp.\n";
const wrote = (task: string, name: string, content: string) =>
  extracted(name, task, [
    [
      ["desk.read_file", { path: "/log.md" }, LOG],
      ["desk.write_file", { path: "/last.txt", content }, "Written"],
    ],
  ]);

test("a day as a heading that the task does not say is none that every text has", async () => {
  const draft = await wrote(
    "Write the last entry of /log.md to /last.txt.",
    "last",
    "Tyres changed.\nNew lamp.\n",
  );
  expect(Object.values(examples(draft))).toContain("Tyres changed.\nNew lamp.\n");
  const first = await wrote("Write the first entry of /log.md to /last.txt.", "first", "Oil changed.\n");
  expect(first.code).not.toContain("2026-03-01");
});

test("one that the task says is the caller's", async () => {
  const notes = (...versions: readonly string[]): string =>
    `# Changelog\n\n${versions.map((each) => `## ${each}\n\n- New in ${each}\n- Faster\n\n`).join("")}`;
  const draft = await extracted("said", "Send the notes of version 2.1.0 in /log.md to ann@x.org.", [
    [
      ["desk.read_file", { path: "/log.md" }, notes("2.1.0", "2.0.0")],
      ["mail.send", { to: "ann@x.org", body: "- New in 2.1.0\n- Faster\n" }, "Sent"],
    ],
  ]);
  const [section = ""] = Object.entries(examples(draft)).find(([, value]) => value === "2.1.0") ?? [];
  expect(await writtenIn(draft, { "/log.md": notes("3.0.0", "2.1.0") }, { [section]: "3.0.0" })).toEqual([
    { to: "ann@x.org", body: "- New in 3.0.0\n- Faster\n" },
  ]);
});
