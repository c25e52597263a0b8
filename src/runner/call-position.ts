import { SourceMap } from "node:module";
import type { Position } from "../core/error.ts";
import type { Script } from "../core/skill.ts";

/** The name under which a skill's module appears in stack traces inside the sandbox. */
export function moduleName(skill: string, folder: string, script: Script): string {
  return `${skill}/${script.path.slice(folder.length + 1).replaceAll("\\", "/")}`;
}

const MAX_FRAMES = 8;

/** The places in the author's own files that a sandbox's stack trace names, innermost first. */
export function positionsIn(stack: string, scripts: ReadonlyMap<string, Script>): readonly Position[] {
  const positions: Position[] = [];
  for (const [, module = "", line = "", column = ""] of stack.matchAll(/([^\s()]+):(\d+):(\d+)\)?$/gm)) {
    const script = scripts.get(module);
    if (!script) continue;
    const position = inSource(script, Number(line), Number(column));
    const last = positions.at(-1);
    const isSame = script.map !== undefined && position?.path === last?.path && position?.line === last?.line;
    // Several lines of made code are one of the document.
    if (position && !(isSame && position.column === last?.column)) positions.push(position);
    if (positions.length === MAX_FRAMES) break;
  }
  return positions;
}

/** Nothing where a map tells of no place in the author's file. */
function inSource(script: Script, line: number, column: number): Position | undefined {
  if (script.map === undefined) return { path: script.path, line, column };
  const map = new SourceMap(JSON.parse(script.map) as ConstructorParameters<typeof SourceMap>[0]);
  const entry = map.findEntry(line - 1, column - 1);
  if ("generatedLine" in entry && (entry.originalLine as number | undefined) === undefined) return undefined;
  return "originalLine" in entry
    ? { path: script.path, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
    : { path: script.path, line, column };
}
