import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { loadFolders } from "../../src/catalog/folders/load-folders.ts";

interface ExpectedSkill {
  readonly path: string;
  readonly name: string;
  readonly descSha: string;
  readonly keys: readonly string[];
  readonly dirMatches: boolean;
}

interface MalformedSkill {
  readonly dir: string;
  readonly why: string;
}

const skillsets = resolve(import.meta.dirname, "../../../shared/data/skillsets");
const isAbsent = !existsSync(skillsets);
if (isAbsent) console.log("Skipped: the collections of real skills are not beside this checkout");

function textOf(name: string): string {
  return readFileSync(join(skillsets, name), "utf8");
}

describe.skipIf(isAbsent)("skills that others wrote", () => {
  test("all load, and say what an independent reading says", async () => {
    const expected: readonly ExpectedSkill[] = JSON.parse(textOf("expected.json"));
    const { folders, diagnostics } = await loadFolders([join(skillsets, "valid")]);
    const byFile = new Map(folders.map((folder) => [folder.file, folder]));
    const mismatched = new Set(
      diagnostics.filter(({ code }) => code === "name-mismatch").map(({ path }) => path),
    );
    const read = expected.map(({ path }) => {
      const folder = byFile.get(join(skillsets, path));
      return {
        path,
        name: folder?.name,
        descSha: createHash("sha256")
          .update(folder?.description ?? "")
          .digest("hex")
          .slice(0, 16),
        keys: Object.keys(folder?.frontmatter ?? {}),
        dirMatches: !mismatched.has(join(skillsets, path)),
      };
    });
    expect(read).toEqual(
      expected.map(({ path, name, descSha, keys, dirMatches }) => ({
        path,
        name,
        descSha,
        keys,
        dirMatches,
      })),
    );
    expect(folders).toHaveLength(expected.length);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("those that some reader rejects are all reported, and invalid YAML is repaired", async () => {
    const malformed: readonly MalformedSkill[] = JSON.parse(textOf("malformed/manifest.json"));
    const { loaded } = await loadFolders([join(skillsets, "malformed")]);
    const byPath = new Map(loaded.map((each) => [each.found.path, each]));
    const read = malformed.map(({ dir, why }) => {
      const each = byPath.get(join(skillsets, "malformed", dir));
      const codes = new Set(each?.diagnostics.map(({ code }) => code));
      return { dir, why, codes, description: each?.folder?.description ?? "" };
    });
    expect(read.filter(({ codes }) => codes.size === 0)).toEqual([]);
    expect(read.filter(({ why, codes }) => why === "BOM" && !codes.has("frontmatter-bom"))).toEqual([]);
    const yaml = read.filter(({ why }) => why.startsWith("yaml:"));
    const repaired = yaml.filter(
      ({ codes, description }) => codes.has("yaml-repaired") && description.trim() !== "",
    );
    expect(repaired.length).toBe(yaml.length);
  });
});
