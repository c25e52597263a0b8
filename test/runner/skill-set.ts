import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";
import type { Skill } from "../../src/core/skill.ts";

const OPEN = { input: { type: "object" }, output: {} } as const;

/** Skills from source text, with the contract of anything unless told; calls are found by a pattern. */
export function skillSet(
  sources: Readonly<Record<string, string>>,
  rest: Readonly<Record<string, Partial<Skill>>> = {},
): ReadonlyMap<string, Skill> {
  return new Map(
    Object.entries(sources).map(([name, text]) => [name, skillOf(name, text, rest[name] ?? {})]),
  );
}

function skillOf(name: string, text: string, rest: Partial<Skill>): Skill {
  const path = `/skills/${name}`;
  const entry = `${path}/skill.ts`;
  const callees = [...text.matchAll(/call_skill\("([^"]+)"/g)].map((match) => match[1] ?? "");
  return {
    name,
    kind: "code",
    description: name,
    path,
    file: `${path}/SKILL.md`,
    frontmatter: { name, description: name },
    instructions: "",
    sources: [{ path: entry, text }],
    fieldPositions: new Map(),
    digest: createHash("sha256")
      .update(JSON.stringify([name, text, rest]))
      .digest("hex"),
    contract: { ...OPEN, source: { input: "untyped", output: "untyped" } },
    scripts: [{ path: entry, code: stripTypeScriptTypes(text) }],
    calls: {
      skills: callees.map((callee) => ({ callee, path: entry, line: 1, column: 1 })),
      tools: [...text.matchAll(/call_tool\("([^"]+)"/g)].map((match) => match[1] ?? ""),
      dynamic: /call_skill(?!\(")/.test(text),
      repeated: false,
    },
    operation: "TRANSFORM",
    level: callees.length > 0 ? 2 : 1,
    declared: {},
    composes: [],
    limits: {},
    ...rest,
  };
}
