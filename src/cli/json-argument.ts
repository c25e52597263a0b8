import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { failure } from "../core/error.ts";
import { fileFault } from "../core/files/file-fault.ts";
import type { Json } from "../core/json/json.ts";
import { jsonFaultText, parseJson } from "../core/json/parse-json.ts";
import { fail, type Result } from "../core/result.ts";
import { oneLine } from "../core/text/display-text.ts";

/** JSON of the command line: itself, `@file`, or `-` for stdin. The example is told where it is none of these. */
export async function jsonArgument(
  option: string,
  given: string,
  example = '{"x": 5}',
): Promise<Result<Json>> {
  const source = await sourceOf(given).catch((error: unknown) => error as Error);
  if (typeof source !== "string")
    return fail(
      failure(
        "PATH_NOT_FOUND",
        `The file ${oneLine(given.slice(1))} of ${option} cannot be read: ${fileFault(source)}`,
      ),
    );
  const json = parseJson(source);
  if (json.ok) return json;
  return fail(
    failure(
      "INPUT_INVALID",
      `What ${option} gives is not JSON: ${jsonFaultText(json.error)}${hintFor(option, given, example)}`,
    ),
  );
}

function hintFor(option: string, given: string, example: string): string {
  if (given === "-" || given.startsWith("@")) return "";
  return existsSync(given)
    ? `. There is a file of this name: ${option} @${given} reads it`
    : `. Put it in single quotes, as in ${option} '${example}'`;
}

async function sourceOf(given: string): Promise<string> {
  if (given === "-") return text(process.stdin);
  return given.startsWith("@") ? readFile(given.slice(1), "utf8") : given;
}
