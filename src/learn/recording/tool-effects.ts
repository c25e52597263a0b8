import { words } from "../plan/names.ts";

/** Whether a tool, by its name, only looks at the world. */
export function isRead(tool: string): boolean {
  const [verb = ""] = words(tool.slice(tool.lastIndexOf(".") + 1));
  return READS.has(verb);
}

const READS: ReadonlySet<string> = new Set(
  (
    "get find search list read fetch query look lookup show view describe check count calculate compute estimate " +
    "compare diff cat ls grep head tail stat think retrieve load resolve validate verify convert mean max min"
  ).split(" "),
);
