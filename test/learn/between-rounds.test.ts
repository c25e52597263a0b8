import { expect, test } from "vitest";
import { learned } from "./learned.ts";
import { recordedIn, type WorldTools } from "./live.ts";

const FILES: Readonly<Record<string, string>> = { "ash.md": "Tall.\n", "fir.md": "Green.\n" };

/** What is asked where the texts of files were written below their names, with a text in place of one that is missing. */
function asked(missing: string): readonly unknown[] {
  const tools: WorldTools = {
    "fs.list": () => "[FILE] ash.md\n[FILE] elm.md\n[FILE] fir.md",
    "fs.read": ({ path }) => {
      const text = FILES[(path as string).slice("/in/".length)];
      if (text === undefined) throw new Error("ENOENT: there is no such file");
      return text;
    },
    "fs.write": () => "ok",
  };
  const task = "Put all files of /in in /out.md, each below its name; some cannot be opened.";
  const run = recordedIn(tools, task, (call) => {
    call("fs.list", { path: "/in" });
    for (const name of ["ash.md", "elm.md", "fir.md"]) call("fs.read", { path: `/in/${name}` });
    const content = `## ash.md\n\nTall.\n\n## elm.md\n\n${missing}\n\n## fir.md\n\nGreen.\n`;
    call("fs.write", { path: "/out.md", content });
  });
  return learned([run]).plan.params.map(({ example }) => example);
}

test("what is written for one that is missing is nothing that stands between the others", () => {
  expect(asked("Nothing yet").join("\n")).toContain("Nothing yet");
});
