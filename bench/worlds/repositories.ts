import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Json } from "../../src/core/json/json.ts";
import { addressOf, PEOPLE } from "./dice.ts";
import { found } from "./papers.ts";

/** A repository of git, whose commits have the same names each time that it is made. */
export interface Repository {
  readonly name: string;
  /** The oldest first, all on the branch `main`. */
  readonly commits: Commit[];
  /** What other branches are at: how many of the commits they have. */
  readonly branches: Record<string, number>;
  /** What has changed since in the folder, not yet added. */
  readonly changed: Record<string, string>;
}

interface Commit {
  readonly author: string;
  readonly message: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Who commits, and no configuration but this. */
export const GIT_ENVIRONMENT = {
  GIT_AUTHOR_NAME: PEOPLE[0],
  GIT_AUTHOR_EMAIL: addressOf(PEOPLE[0]),
  GIT_COMMITTER_NAME: PEOPLE[0],
  GIT_COMMITTER_EMAIL: addressOf(PEOPLE[0]),
  GIT_CONFIG_GLOBAL: "/dev/null",
};

const BEGUN = Date.UTC(2026, 4, 4, 9, 12, 40) / 1000;
const BETWEEN = 31 * 3600 + 47;

export function writeRepository(root: string, { name, commits, branches, changed }: Repository): void {
  const folder = join(root, name);
  mkdirSync(folder);
  git(folder, "init", "--quiet", "--initial-branch=main");
  const stream = commits.map(({ author, message, files }, nth) => {
    const by = `${author} <${addressOf(author)}> ${BEGUN + nth * BETWEEN} +0000`;
    const entries = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${sized(text)}`);
    return `commit refs/heads/main\nmark :${nth + 1}\nauthor ${by}\ncommitter ${by}\n${sized(message)}${entries.join("")}`;
  });
  for (const [branch, count] of Object.entries(branches))
    stream.push(`reset refs/heads/${branch}\nfrom :${count}\n\n`);
  execFileSync("git", ["fast-import", "--quiet"], { cwd: folder, input: stream.join("") });
  git(folder, "reset", "--quiet", "--hard");
  for (const [path, text] of Object.entries(changed)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function sized(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

/** Where its head and its branches are, and what is in its index. */
export function thingsOfRepository(root: string, name: string): readonly (readonly [string, Json])[] {
  const folder = join(root, name);
  const refs = git(folder, "for-each-ref", "--format=%(refname) %(tree) %(parent) %(subject)");
  const index = git(folder, "ls-files", "--stage");
  return [
    [`${name}: HEAD`, readFileSync(join(folder, ".git/HEAD"), "utf8")],
    ...found(refs, /^(\S+) (.*)$/gm).map(([ref, at = ""]) => [`${name}: ${ref}`, at] as const),
    ...found(index, /^(.*)\t(.*)$/gm).map(([at = "", path]) => [`${name}: index ${path}`, at] as const),
  ];
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", env: { ...process.env, ...GIT_ENVIRONMENT } });
}
