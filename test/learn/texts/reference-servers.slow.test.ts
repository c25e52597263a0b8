import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { appendFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, describe, expect, test } from "vitest";
import { failure } from "../../../src/core/error.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { fail, ok } from "../../../src/core/result.ts";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { type Call, folderServer, ran, recorded, type TextServer } from "./text-sessions.ts";

const real = new RealDrafts();
const folders: string[] = [];
afterAll(async () => {
  await real.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

const hasGitServer = (() => {
  try {
    execFileSync("mcp-server-git", ["--help"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();
if (!hasGitServer)
  console.log("mcp-server-git is not installed (uv tool install mcp-server-git): its sessions are left out");

function git(folder: string, ...args: readonly string[]): string {
  const own = ["-c", "user.name=Ada Lind", "-c", "user.email=ada@example.org"];
  return execFileSync("git", ["-C", folder, ...own, ...args], { encoding: "utf8" }).trim();
}

/** A repository with a file and a commit for each message, and changes in some of the files. */
async function repository(messages: readonly string[], changed: readonly number[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "git-"));
  folders.push(folder);
  git(folder, "init", "-q", "-b", "main");
  for (const [nth, message] of messages.entries()) {
    await writeFile(join(folder, `file-${nth}.txt`), message);
    git(folder, "add", "-A");
    git(folder, "commit", "-q", "-m", message);
  }
  for (const nth of changed) await appendFile(join(folder, `file-${nth}.txt`), "more\n");
  await writeFile(join(folder, "new.txt"), "new");
  return folder;
}

async function gitServer(): Promise<TextServer> {
  const client = new Client({ name: "agent", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: "mcp-server-git", stderr: "ignore" }));
  return {
    call: async (tool, args) => {
      const { content, isError } = await client.callTool({ name: tool, arguments: args });
      const [said] = Array.isArray(content) ? content : [];
      const text = said?.type === "text" ? said.text : "";
      return isError === true ? fail(failure("TOOL_FAILED", text)) : ok(text);
    },
    close: async () => client.close(),
  };
}

/** What is learned from a session: its code, and how the caller gives what the session was told. */
async function learnedFrom(
  server: TextServer,
  told: readonly string[],
  task: string,
  work: (call: Call) => Promise<void>,
) {
  const draft = await real.of([await recorded(server, "server", task, work)]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
  const examples = draft.plan.params.map(({ example }) => (typeof example === "string" ? example : ""));
  expect(new Set(examples)).toEqual(new Set(told));
  const inputOf = (other: readonly string[]): JsonObject =>
    Object.fromEntries(
      draft.plan.params.map(({ name }, nth) => [name, other[told.indexOf(examples[nth] ?? "")] ?? ""]),
    );
  return { code: draft.code, inputOf };
}

describe.skipIf(!hasGitServer)(
  "what was done with the reference git server is done in another repository",
  () => {
    test("the commit with a message is checked out", async () => {
      const server = await gitServer();
      const [first, other] = await Promise.all([
        repository(["Begin", "Mend the lock", "Paint the quay"], []),
        repository(["Drop it", "Sow the field", "Keep it", "End"], []),
      ]);
      const told = [first, "Mend the lock"];
      const { code, inputOf } = await learnedFrom(
        server,
        told,
        `Check out "Mend the lock" in ${first}`,
        async (call) => {
          const text = await call("git_log", { repo_path: first });
          const [, sha = ""] = /Commit: (\w+)\nAuthor: .*\nDate: .*\nMessage: Mend the lock/.exec(text) ?? [];
          await call("git_checkout", { repo_path: first, branch_name: sha });
        },
      );
      expect(await ran(code, inputOf([other, "Sow the field"]), server)).toMatchObject({ ok: true });
      expect(git(other, "log", "-1", "--format=%s")).toBe("Sow the field");
      expect(await ran(code, inputOf([first, "Never made"]), server)).toMatchObject({ ok: false });
      await server.close();
    });

    test("the files that are changed are staged, and no others", async () => {
      const server = await gitServer();
      const [first, other] = await Promise.all([
        repository(["Begin", "Go on", "End"], [0, 2]),
        repository(["Drop it", "Sow the field", "Keep it", "End"], [1, 2, 3]),
      ]);
      const { code, inputOf } = await learnedFrom(
        server,
        [first],
        `Stage all changed files in ${first}`,
        async (call) => {
          const text = await call("git_status", { repo_path: first });
          for (const [, file = ""] of text.matchAll(/^\tmodified: +(.+)$/gm))
            await call("git_add", { repo_path: first, files: [file] });
        },
      );
      expect(await ran(code, inputOf([other]), server)).toMatchObject({ ok: true });
      expect(git(other, "diff", "--cached", "--name-only").split("\n")).toEqual([
        "file-1.txt",
        "file-2.txt",
        "file-3.txt",
      ]);
      await server.close();
    });
  },
);

describe("what was done with the reference filesystem server is done in another folder", () => {
  test("what is told of a file is written down", async () => {
    const first = await folderServer({ "a/plan.txt": "x".repeat(1234) });
    const other = await folderServer({ "b/map.txt": "y".repeat(4321) });
    const told = [`${first.root}/a/plan.txt`, `${first.root}/size.txt`];
    const { code, inputOf } = await learnedFrom(
      first,
      told,
      `Write how large ${told[0] ?? ""} is to ${told[1] ?? ""}`,
      async (call) => {
        const text = await call("get_file_info", { path: told[0] ?? "" });
        await call("write_file", { path: told[1] ?? "", content: /size: (\d+)/.exec(text)?.[1] ?? "" });
      },
    );
    expect(await ran(code, inputOf([`${other.root}/b/map.txt`, `${other.root}/n.txt`]), other)).toMatchObject(
      { ok: true },
    );
    expect((await other.files())["n.txt"]).toBe("4321");
    await Promise.all([first.close(), other.close()]);
  });

  test("each file of a listing with sizes is moved", async () => {
    const first = await folderServer({
      "in/a.txt": "1",
      "in/report.txt": "22",
      "in/c.csv": "333",
      "out/keep": "",
    });
    const other = await folderServer({ "new/x.md": "4", "new/yy.txt": "5", "old/keep": "" });
    const told = [`${first.root}/in`, `${first.root}/out`];
    const { code, inputOf } = await learnedFrom(
      first,
      told,
      `Move all files in ${told[0] ?? ""} to ${told[1] ?? ""}`,
      async (call) => {
        const text = await call("list_directory_with_sizes", { path: told[0] ?? "" });
        for (const [, name = ""] of text.matchAll(/^\[FILE\] (\S+)/gm))
          await call("move_file", {
            source: `${told[0] ?? ""}/${name}`,
            destination: `${told[1] ?? ""}/${name}`,
          });
      },
    );
    expect(await ran(code, inputOf([`${other.root}/new`, `${other.root}/old`]), other)).toMatchObject({
      ok: true,
    });
    expect(Object.keys(await other.files()).toSorted()).toEqual(["old/keep", "old/x.md", "old/yy.txt"]);
    await Promise.all([first.close(), other.close()]);
  });
});
