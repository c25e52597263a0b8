import { execFile } from "node:child_process";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./server/connected-client.ts";

const run = promisify(execFile);

/** A copy of the project as it is in Git, without what was built or recorded. */
export async function checkoutIn(place: string): Promise<string> {
  const checkout = join(place, "checkout");
  const left = new Set(["node_modules", "dist", ".git", ".repertoire"].map((name) => join(ROOT, name)));
  await cp(ROOT, checkout, { recursive: true, filter: (path) => !left.has(path) });
  await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  return checkout;
}

/** Builds and packs a checkout: the package's file, and what is in it. */
export async function packed(
  checkout: string,
  place: string,
): Promise<{ readonly file: string; readonly files: readonly string[] }> {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", place], { cwd: checkout });
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [
    { filename: string; files: { path: string }[] },
  ];
  return { file: join(place, filename), files: files.map(({ path }) => path) };
}

/** A project in which a package is installed. */
export async function projectWith(folder: string, what: string): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), "{}");
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", what], { cwd: folder });
  return folder;
}
