import { nameWords } from "../plan/names.ts";

/** Whether a tool, by its name, only looks at the world. */
export function isReadOnlyByName(tool: string): boolean {
  const [verb = ""] = nameWords(tool.slice(tool.lastIndexOf(".") + 1));
  return READ_VERBS.has(verb);
}

const READ_VERBS: ReadonlySet<string> = new Set(
  (
    "get find search list read fetch query look lookup show view describe check count calculate compute estimate " +
    "compare diff cat ls grep head tail stat think retrieve load resolve validate verify convert mean max min"
  ).split(" "),
);
