import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CatalogVersions } from "../../changes/catalog-contracts.ts";
import { semverOf } from "../../changes/next-version.ts";
import { isJsonObject } from "../../core/json/json.ts";
import type { Skill } from "../../core/skill.ts";

/** The versions that package.json files tell: of skills, in their own folders, and of the package around the roots. */
export async function catalogVersions(
  skills: readonly Skill[],
  roots: readonly string[],
  top?: string,
): Promise<CatalogVersions> {
  const own = new Map<string, string>();
  for (const { name, path } of skills) {
    const version = await versionIn(path);
    if (version !== undefined) own.set(name, version);
  }
  const around = await Promise.all(roots.map(async (root) => packageAround(root, top)));
  const [first] = around;
  const isOne = around.every((each) => each?.folder === first?.folder);
  return { package: isOne ? first?.version : undefined, skills: own };
}

interface Package {
  readonly folder: string;
  readonly version: string;
}

/** The nearest package with a version, not above the repository. */
async function packageAround(root: string, top: string | undefined): Promise<Package | undefined> {
  for (let folder = root; ; folder = dirname(folder)) {
    const version = await versionIn(folder);
    if (version !== undefined) return { folder, version };
    const isTop = folder === top || (top === undefined && (await isRepository(folder)));
    if (isTop || folder === dirname(folder)) return undefined;
  }
}

async function isRepository(folder: string): Promise<boolean> {
  return stat(join(folder, ".git")).then(
    () => true,
    () => false,
  );
}

async function versionIn(folder: string): Promise<string | undefined> {
  try {
    const read: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const version = isJsonObject(read) ? read["version"] : undefined;
    return typeof version === "string" && semverOf(version) ? version : undefined;
  } catch {
    return undefined;
  }
}
