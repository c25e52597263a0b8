import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const BENCH = fileURLToPath(new URL("../../bench/worlds.ts", import.meta.url));

interface Outcome {
  readonly name: string;
  readonly drafted: readonly { readonly kind: string; readonly why: string }[];
}

test.each([
  ["1", "cancel-all-pending cancel-the-pending-order move-listed archive-from pay-invoice cancel-titled"],
  ["2", "cancel-or-note insert-or-update copy-own-or-common invite-who-is-not"],
])("what was learned from %s of the runs does no harm in another world", async (runs, only) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", BENCH, "--runs", runs, "--only", only, "--json"],
    { maxBuffer: 2 ** 26 },
  );
  const { outcomes } = JSON.parse(stdout) as { readonly outcomes: readonly Outcome[] };
  for (const name of only.split(" ")) expect(outcomes.map((each) => each.name)).toContain(name);
  const verdicts = outcomes.flatMap(({ name, drafted }) => drafted.map((each) => ({ name, ...each })));
  expect(verdicts.filter(({ kind }) => kind === "damage" || kind === "wrong")).toEqual([]);
  expect(verdicts.filter(({ kind }) => kind === "done").length).toBeGreaterThan(0);
});
