import { createHash } from "node:crypto";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { isPathInside } from "../../catalog/folders/is-path-inside.ts";
import { DIAGNOSTICS, type Diagnostic, type DiagnosticCode, type Severity } from "../../core/diagnostic.ts";
import type { Position } from "../../core/error.ts";
import { PACKAGE_VERSION } from "../../core/package/package-version.ts";

/** Findings as a SARIF 2.1.0 log, which code hosts and editors show at their lines. Paths in `base` are relative to it. */
export function sarifLog(diagnostics: readonly Diagnostic[], base: string): object {
  const fingerprintOf = fingerprints(base);
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "repertoire", version: PACKAGE_VERSION, rules: RULES } },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { [ROOT]: { uri: pathToFileURL(join(base, sep)).href } },
        results: diagnostics.map((diagnostic) => ({
          ruleId: diagnostic.code,
          ruleIndex: CODES.indexOf(diagnostic.code),
          level: LEVELS[diagnostic.severity],
          message: { text: plain(textOf(diagnostic)) },
          locations: [{ physicalLocation: physicalLocation(diagnostic, base) }],
          ...relatedLocations(diagnostic, base),
          // GitHub knows a finding again by this key, wherever its line has moved to.
          partialFingerprints: { primaryLocationLineHash: fingerprintOf(diagnostic) },
        })),
      },
    ],
  };
}

const ROOT = "%SRCROOT%";

const CODES = Object.keys(DIAGNOSTICS) as readonly DiagnosticCode[];

const RULES = CODES.map((id) => ({ id, shortDescription: { text: plain(DIAGNOSTICS[id]) } }));

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  error: "error",
  warning: "warning",
  info: "note",
};

function textOf({ message, fix }: Diagnostic): string {
  return fix === "" ? message : `${message}. ${fix}`;
}

/** What looks like a link in a message is one to SARIF, unless its bracket is escaped. */
function plain(text: string): string {
  return text.replaceAll(/\[(?=[^\]]*\]\()/g, "\\[");
}

function physicalLocation(place: Position, base: string): object {
  const { line, column } = place;
  return {
    artifactLocation: artifactLocation(place.path, base),
    region: { startLine: Math.max(1, line), startColumn: Math.max(1, column) },
  };
}

function artifactLocation(path: string, base: string): { readonly uri: string; readonly uriBaseId?: string } {
  if (!isPathInside(path, base)) return { uri: pathToFileURL(path).href };
  const parts = relative(base, path).split(sep);
  return { uri: parts.map(encodeURIComponent).join("/") || ".", uriBaseId: ROOT };
}

function relatedLocations({ related = [] }: Diagnostic, base: string): object {
  if (related.length === 0) return {};
  return {
    relatedLocations: related.map((place, id) => ({
      id,
      physicalLocation: physicalLocation(place, base),
      message: { text: plain(place.message) },
    })),
  };
}

/** What a finding says and of which file; equal ones are told apart by their order. */
function fingerprints(base: string): (diagnostic: Diagnostic) => string {
  const counts = new Map<string, number>();
  return ({ code, path, message }) => {
    const said = JSON.stringify([code, artifactLocation(path, base).uri, message]);
    const count = (counts.get(said) ?? 0) + 1;
    counts.set(said, count);
    return `${createHash("sha256").update(said).digest("hex").slice(0, 16)}:${count}`;
  };
}
