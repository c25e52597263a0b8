import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import type { CallRecord } from "../../src/core/run.ts";
import { codeFacts } from "../../src/trace/record/code-in.ts";
import { filesIn } from "../../src/trace/record/files-in.ts";
import { runTrace } from "../../src/trace/record/run-trace.ts";

test.each<[string, Json, readonly (readonly [path: string, content?: string])[]]>([
  ["write_file", { path: "a/b.md", content: "# B" }, [["a/b.md", "# B"]]],
  ["mcp__files__writeFile", { filePath: "b.txt", contents: "" }, [["b.txt", ""]]],
  ["Edit", { file_path: "/src/a.ts", old_string: "a", new_string: "b" }, [["/src/a.ts"]]],
  ["NotebookEdit", { notebook_path: "/a.ipynb", new_source: "1" }, [["/a.ipynb"]]],
  ["files.append", { path: "logs/a.log", content: "more" }, [["logs/a.log"]]],
  [
    "apply_patch",
    { input: "*** Begin Patch\n*** Add File: src/new.py\n+1\n*** End Patch" },
    [["src/new.py"]],
  ],
  ["render", { output_path: "out.svg", text: "<svg/>" }, [["out.svg", "<svg/>"]]],
  // Nothing shows that these wrote a file.
  ["render", { output_path: "out.svg" }, []],
  ["create_directory", { path: "a/b" }, []],
  ["export_report", { filename: "report.pdf" }, []],
  ["download", { path: "a/b.zip" }, []],
  ["str_replace_editor", { command: "view", path: "a.ts", file_text: "" }, []],
  ["read_file", { path: "a.md", content: "x" }, []],
  ["Bash", { command: "python plot.py > out/log.txt" }, []],
  ["Read", "saved to a.md", []],
])("%s with %j has made %j", (tool, args, files) => {
  expect(filesIn(tool, args)).toEqual(
    files.map(([path, content]) => ({
      path,
      foundBy: "argument",
      ...(content === undefined ? {} : { content }),
    })),
  );
});

test.each([
  ["sort a > 'out file.txt' 2>&1 >> log.txt", ["out file.txt", "log.txt"]],
  ["node -e 'xs.map(s => s.length)'; find . -name '*.ts'", []],
  ['grep "a > b.txt" c | tee -a all.log', ["all.log"]],
  ["test $x -ge 3 && echo '=>' > =", []],
  ["curl -o page.html https://example.org > /dev/null", ["page.html"]],
  ["tee -name", []],
])("%s writes %j as its text shows", (command, paths) => {
  expect(codeFacts("shell", command).filesWritten).toEqual(paths);
});

const call = (name: string, input: Json, output: Json): CallRecord => ({
  kind: "tool",
  name,
  input,
  callPath: "0",
  outcome: { ok: true, output },
  startMs: 0,
  durationMs: 5,
  console: [],
  calls: [],
});

test("what a call names is a file that it made where the disk shows that it was written meanwhile", async () => {
  const folder = await mkdtemp(join(tmpdir(), "repertoire-files-"));
  try {
    const [before, made] = [join(folder, "before.csv"), join(folder, "made.png")];
    await writeFile(before, "a,b");
    await utimes(before, new Date(0), new Date(0));
    const startedAt = new Date().toISOString();
    await writeFile(made, "PNG");
    const command = `plot > ${made}; cat ${before} > ${before}; touch ${folder}/x; echo > ${folder}/missing.txt`;
    const root = call("Bash", { command }, `Saved to ${folder}/said.txt, file: handler.go line 3`);
    const { files, events } = runTrace({ id: "r", startedAt, root });
    expect(files).toEqual([
      {
        id: "r:1:file",
        runId: "r",
        eventId: "r:1",
        path: made,
        foundBy: "disk",
        size: 3,
        sha256: "796120837694d3f3f29259cfeb25091698c2a0aa87873658d840b4993ee889b3",
      },
    ]);
    expect(events.map(({ eventType, meta }) => [eventType, meta?.["foundBy"]])).toEqual([
      ["code_exec", undefined],
      ["file_gen", "disk"],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
