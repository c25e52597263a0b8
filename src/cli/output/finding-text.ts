import { styleText } from "node:util";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { withHangingIndent, oneLine } from "../../core/text/display-text.ts";
import { shownPath } from "./shown-path.ts";

/** A finding for people: place, message, and how to mend it. */
export function findingText({ severity, path, line, column, code, message, fix }: Diagnostic): string {
  const color = severity === "error" ? "red" : severity === "warning" ? "yellow" : "dim";
  const head = `${shownPath(path)}:${line}:${column} ${styleText(color, severity, { stream: process.stderr })} ${withHangingIndent(message)} [${code}]`;
  return fix === "" ? head : `${head}\n    ${oneLine(fix)}`;
}

export function countText(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.filter(({ severity }) => severity === "warning").length;
  return `${errors} ${errors === 1 ? "error" : "errors"}, ${warnings} ${warnings === 1 ? "warning" : "warnings"}`;
}
