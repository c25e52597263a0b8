import { spawn } from "node:child_process";
import { realpath } from "node:fs/promises";
import { dirname, relative, sep } from "node:path";
import { failure } from "../../core/error.ts";
import { isPathInside } from "../../catalog/folders/is-path-inside.ts";
import { fail, ok, type Result } from "../../core/result.ts";

/** A commit of the repository that holds some folders. */
export interface GitCommit {
  /** The repository's work tree, absolute. */
  readonly top: string;
  readonly id: string;
  /** The folders' paths in the repository, with slashes; empty for the repository itself. */
  readonly folders: readonly string[];
}

/** What a ref means in the repository of the given folders, which all have to be in the same one. */
export async function commitOf(ref: string, folders: readonly string[]): Promise<Result<GitCommit>> {
  const quoted = JSON.stringify(ref);
  const real = await Promise.all(folders.map(realFolder));
  const tops: string[] = [];
  for (const folder of real) {
    const top = await git(folder.existing, ["rev-parse", "--show-toplevel"]);
    if (!top.ok) return failed(`${quoted} is no file, and git knows no history of ${folder.path}`, top.error);
    tops.push(await realpath(top.value.toString().replace(/\r?\n$/, "")));
  }
  const [top = ""] = tops;
  const outside = real.find(({ path }, index) => tops[index] !== top || !isPathInside(path, top));
  if (outside) return failed(`The folder ${outside.path} is not in the repository ${top}`);
  const commit = await git(top, ["rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`]);
  if (!commit.ok)
    return failed(`${quoted} is no file, and no commit of ${top}, or not one that was fetched`, commit.error);
  const paths = real.map(({ path }) => relative(top, path).split(sep).join("/"));
  return ok({ top, id: commit.value.toString().trim(), folders: paths });
}

/** A file of a commit. */
export interface GitFile {
  /** With slashes, from the repository's top. */
  readonly path: string;
  readonly object: string;
  readonly bytes: number;
}

export interface GitListing {
  readonly files: readonly GitFile[];
  /** Symbolic links and submodules, which are not followed. */
  readonly links: readonly string[];
}

/** The files that a commit has at the given paths and below. What is not there is left out. */
export async function filesAt({ top, id }: GitCommit, paths: readonly string[]): Promise<Result<GitListing>> {
  const isWhole = paths.includes("");
  const listed = await git(top, [
    ...["ls-tree", "-r", "-z", "-l", "--full-tree", id],
    ...(isWhole ? [] : ["--", ...paths]),
  ]);
  if (!listed.ok) return failed(`The files of ${id} cannot be listed`, listed.error);
  const files = new Map<string, GitFile>();
  const links: string[] = [];
  for (const line of listed.value.toString().split("\0")) {
    const match = /^(\d+) (\w+) ([\da-f]+) +(\d+|-)\t([^]+)$/.exec(line);
    if (!match) continue;
    const [, mode = "", type, object = "", bytes, path = ""] = match;
    if (type === "blob" && mode.startsWith("100")) files.set(path, { path, object, bytes: Number(bytes) });
    else links.push(path);
  }
  return ok({ files: [...files.values()], links });
}

/** The contents of files, in their order. */
export async function contentsOf(
  { top, id }: GitCommit,
  files: readonly GitFile[],
): Promise<Result<readonly Buffer[]>> {
  if (files.length === 0) return ok([]);
  const wanted = files.map(({ object }) => `${object}\n`).join("");
  const batch = await git(top, ["cat-file", "--batch"], wanted);
  if (!batch.ok) return failed(`The files of ${id} cannot be read`, batch.error);
  const contents: Buffer[] = [];
  let at = 0;
  for (const { path } of files) {
    const end = batch.value.indexOf("\n", at);
    const [, size] = / blob (\d+)$/.exec(batch.value.toString("latin1", at, Math.max(at, end))) ?? [];
    if (size === undefined) return failed(`The file ${path} of ${id} cannot be read`);
    contents.push(batch.value.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return ok(contents);
}

interface RealFolder {
  readonly path: string;
  /** The nearest folder that is there. */
  readonly existing: string;
}

async function realFolder(path: string): Promise<RealFolder> {
  for (let existing = path; ; existing = dirname(existing)) {
    const real = await realpath(existing).catch(() => undefined);
    if (real !== undefined) return { path: `${real}${path.slice(existing.length)}`, existing: real };
    if (existing === dirname(existing)) return { path, existing };
  }
}

const MAX_OUTPUT = 256 * 2 ** 20;

/** What git prints, or what it says is wrong. */
async function git(folder: string, args: readonly string[], input = ""): Promise<Result<Buffer, string>> {
  return new Promise((resolve) => {
    const child = spawn("git", ["-C", folder, ...args], { env: gitEnvironment(), windowsHide: true });
    const out: Buffer[] = [];
    const words: Buffer[] = [];
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT) child.kill();
      else out.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => words.push(chunk));
    // It may end before it has read everything.
    child.stdin.on("error", () => undefined);
    child.on("error", (error: NodeJS.ErrnoException) => {
      resolve(fail(error.code === "ENOENT" ? "git is not installed, or not in the PATH" : error.message));
    });
    child.on("close", (code) => {
      const said = Buffer.concat(words)
        .toString()
        .trim()
        .replace(/^fatal: /, "");
      if (code === 0) resolve(ok(Buffer.concat(out)));
      else
        resolve(
          fail(bytes > MAX_OUTPUT ? "it prints more than can be held" : said || `git ended with ${code}`),
        );
    });
    child.stdin.end(input);
  });
}

/** Not what a hook was started for, but the repository of the folder; and git's words in English. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const {
    GIT_DIR: _dir,
    GIT_WORK_TREE: _tree,
    GIT_INDEX_FILE: _index,
    GIT_PREFIX: _prefix,
    ...rest
  } = process.env;
  return {
    ...rest,
    LC_ALL: "C",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
  };
}

function failed(
  message: string,
  why?: string,
): { readonly ok: false; readonly error: ReturnType<typeof failure> } {
  return fail(failure("GIT_FAILED", why === undefined ? message : `${message}: ${why}`));
}
