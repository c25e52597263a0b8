import type { Skill } from "../../core/skill.ts";
import { contractTypes } from "./contract-types.ts";
import { WORLD } from "./sandbox-globals.ts";
import { type CallableTools, toolTypes } from "./tool-types.ts";

/** The first line of each file that is written; a file without it is somebody's own. */
export const EDITOR_TYPES_MARK = "// Written by `repertoire types`; changes are overwritten.";

/**
 * The world of skill code as ambient declarations for an editor: `call_skill` typed for every skill that has code,
 * `call_tool` for every upstream tool that is known.
 */
export function editorTypes(skills: readonly Skill[], tools: CallableTools = new Map()): string {
  const callable = skills
    .filter(({ kind }) => kind === "code")
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, description, contract }) => [name, { ...contract, description }] as const);
  return `${EDITOR_TYPES_MARK}\n${contractTypes(new Map(callable))}${toolTypes(tools)}${WORLD}\n`;
}

/** Settings under which an editor sees skills as the checks do. */
export const EDITOR_SETTINGS = {
  compilerOptions: {
    target: "ESNext",
    // The language is what the library that is written beside declares.
    noLib: true,
    module: "ESNext",
    moduleResolution: "Bundler",
    moduleDetection: "force",
    types: [],
    strict: true,
    noImplicitAny: false,
    useUnknownInCatchVariables: false,
    allowJs: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ["**/*.ts", "**/skill.js"],
} as const;
