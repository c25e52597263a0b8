import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { readContracts } from "../../changes/catalog-contracts.ts";
import type { Config } from "../../config.ts";
import { failure } from "../../core/error.ts";
import { jsonFaultText, parseJson } from "../../core/json/json-text.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { contractsAtRef, type ContractsAtRef } from "./skills-at-ref.ts";

/** Contracts of an earlier time: of a file that was saved, if there is one of that name, else of a commit in git. */
export async function contractsBefore(against: string, config: Config): Promise<Result<ContractsAtRef>> {
  const file = resolve(against);
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile ? savedContracts(file) : contractsAtRef(against, config);
}

async function savedContracts(file: string): Promise<Result<ContractsAtRef>> {
  const value = await readFile(file, "utf8")
    .then(parseJson)
    .then(
      (json) => (json.ok ? json : fail(failure("SNAPSHOT_INVALID", jsonFaultText(json.error)))),
      (error: Error) => fail(failure("SNAPSHOT_INVALID", error.message)),
    );
  const contracts = value.ok ? readContracts(value.value) : value;
  if (contracts.ok) return ok({ contracts: contracts.value, links: [] });
  const { message, ...rest } = contracts.error;
  return fail({ ...rest, message: `${file} holds no saved contracts: ${message}` });
}
