import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { MODULES } from "./package-files.ts";

const maps = new Map<string, SourceMap | undefined>();

/**
 * From now on stack traces in this thread tell positions in the source, also where something else was made of it. Maps are
 * read when a trace is: at the start that would take as long as loading the code.
 */
export function showSourcePositions(): void {
  if (import.meta.url.endsWith(".ts")) return;
  Error.prepareStackTrace = (error, sites) =>
    [headOf(error), ...sites.map((site) => `    at ${shownSite(site)}`)].join("\n");
}

interface WrittenSite extends NodeJS.CallSite {
  toString(): string;
}

function headOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return "Error";
  }
}

function shownSite(site: WrittenSite): string {
  const text = site.toString();
  const file = site.getFileName();
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  if (typeof file !== "string" || line === null || column === null) return text;
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (!entry || !("originalSource" in entry)) return text;
  const source = fileURLToPath(new URL(entry.originalSource, file));
  return text.replace(
    `${file}:${line}:${column}`,
    `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`,
  );
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, file.startsWith(MODULES.href) ? readMap(file) : undefined);
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), "utf8")) as SourceMap["payload"]);
  } catch {
    return undefined;
  }
}
