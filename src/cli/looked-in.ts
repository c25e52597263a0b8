import { existsSync } from "node:fs";
import type { Config } from "../config.ts";
import type { Failure } from "../core/error.ts";
import { shownPath } from "./output/shown-path.ts";

/** The failure; where there is no such skill, with the folders that it was looked for in, and the configuration. */
export function lookedIn(error: Failure, { skills, file }: Config): Failure {
  if (error.code !== "SKILL_NOT_FOUND") return error;
  const folders = skills.map(
    (each) => `${shownPath(each)}${existsSync(each) ? "" : " (which is not there)"}`,
  );
  const by = file === undefined ? "there is no configuration" : `the configuration is ${shownPath(file)}`;
  const end = /[.?]$/.test(error.message) ? "" : ".";
  return { ...error, message: `${error.message}${end} Looked in ${folders.join(", ")}; ${by}` };
}
