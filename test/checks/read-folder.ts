import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { parseFrontmatter } from "../../src/catalog/frontmatter.ts";
import type { SkillFolder, SourceFile } from "../../src/core/skill.ts";

export const FIXTURES = fileURLToPath(new URL("../fixtures/compose", import.meta.url));

/** A skill's folder as the catalog would give it, read plainly: every code file in it is a source. */
export function readFolder(folder: string): SkillFolder {
  const file = path.join(folder, "SKILL.md");
  const sources = sourcesIn(folder);
  return folderOf({ path: folder, markdown: readFileSync(file, "utf8"), sources });
}

/** A skill that has no files: its code is given. */
export function skillFolder(
  name: string,
  code: string | Readonly<Record<string, string>>,
  frontmatter = "",
): SkillFolder {
  const folder = `/skills/${name}`;
  const files = typeof code === "string" ? { "skill.ts": code } : code;
  const sources = Object.entries(files).map(([file, text]) => ({ path: `${folder}/${file}`, text }));
  return folderOf({
    path: folder,
    markdown: `---\nname: ${name}\ndescription: A skill.\n${frontmatter}---\n`,
    sources,
  });
}

function folderOf(read: {
  readonly path: string;
  readonly markdown: string;
  readonly sources: readonly SourceFile[];
}): SkillFolder {
  const [, yaml = "", instructions = ""] = /^---\n([\s\S]*?)---\n([\s\S]*)$/.exec(read.markdown) ?? [];
  const frontmatter = parse(yaml) as { readonly name: string; readonly description: string };
  const file = path.join(read.path, "SKILL.md");
  return {
    name: frontmatter.name,
    kind: read.sources.length > 0 ? "code" : "instructions",
    description: frontmatter.description,
    path: read.path,
    file,
    frontmatter,
    instructions,
    sources: read.sources,
    fieldPositions: parseFrontmatter({ path: file, text: read.markdown }).frontmatter?.positions ?? new Map(),
    digest: createHash("sha256")
      .update(JSON.stringify([read.markdown, read.sources]))
      .digest("hex"),
  };
}

function sourcesIn(folder: string): readonly SourceFile[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(?:ts|js)$/.test(name),
  );
  const entry = files.find((name) => /^skill\.(?:ts|js)$/.test(name));
  const ordered = entry === undefined ? [] : [entry, ...files.filter((name) => name !== entry).toSorted()];
  return ordered
    .map((name) => path.join(folder, name))
    .filter((file) => existsSync(file))
    .map((file) => ({ path: file, text: readFileSync(file, "utf8") }));
}
