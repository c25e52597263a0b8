import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Folders for compiled code and contracts that all processes of one test run share: new with each, and removed after. */
export default async function sharedCaches(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "repertoire-tests-"));
  process.env["NODE_COMPILE_CACHE"] = join(folder, "code");
  process.env["REPERTOIRE_TEST_DATA"] = join(folder, "data");
  return async () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
