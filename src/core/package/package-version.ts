import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_FOLDER } from "./package-files.ts";

/** This package's version. */
export const PACKAGE_VERSION: string = (
  JSON.parse(readFileSync(join(PACKAGE_FOLDER, "package.json"), "utf8")) as { version: string }
).version;
