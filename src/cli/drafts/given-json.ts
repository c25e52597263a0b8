import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { failure } from "../../core/error.ts";
import type { Json } from "../../core/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";

/** JSON of the command line: itself, `@file`, or `-` for stdin. */
export async function givenJson(option: string, given: string): Promise<Result<Json>> {
  try {
    return ok(JSON.parse(await sourceOf(given)) as Json);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return error instanceof SyntaxError
      ? fail(failure("INPUT_INVALID", `What ${option} gives is not JSON: ${why}`))
      : fail(failure("PATH_NOT_FOUND", `The file of ${option} cannot be read: ${why}`));
  }
}

async function sourceOf(given: string): Promise<string> {
  if (given === "-") return text(process.stdin);
  return given.startsWith("@") ? readFile(given.slice(1), "utf8") : given;
}
