import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const BENCH = fileURLToPath(new URL("../../bench/worlds.ts", import.meta.url));

interface Outcome {
  readonly name: string;
  readonly drafted: readonly { readonly kind: string; readonly why: string }[];
  readonly told: number;
  readonly asked: readonly string[];
}

test.each([
  ["1", "cancel-all-pending cancel-the-pending-order move-listed archive-from pay-invoice cancel-titled"],
  ["2", "cancel-or-note insert-or-update copy-own-or-common invite-who-is-not"],
])("what was learned from %s of the runs does no harm in another world", async (runs, only) => {
  const outcomes = await outcomesOf(runs, only);
  for (const name of only.split(" ")) expect(outcomes.map((each) => each.name)).toContain(name);
  const verdicts = outcomes.flatMap(({ name, drafted }) => drafted.map((each) => ({ name, ...each })));
  expect(verdicts.filter(({ kind }) => kind === "damage" || kind === "wrong")).toEqual([]);
  expect(verdicts.filter(({ kind }) => kind === "done").length).toBeGreaterThan(0);
});

/**
 * Each reads a text of another kind: lists, letters, tables, lists in one another, YAML, labels, JSON between words; or has
 * two lists side by side.
 */
const PAPERS = [
  "discard-modified answer-letter reorder-empty",
  "mahnungen cook-day page-on-call",
  "reservar-articulos report-tides seat-guests",
  "pay-at-rate payer-facture",
];

test.each(PAPERS)("what a text has told is not asked for, and is done in other worlds: %s", async (names) => {
  const outcomes = await outcomesOf("1", names);
  expect(outcomes.map(({ name, asked, drafted }) => [name, asked, drafted.map(({ kind }) => kind)])).toEqual(
    names.split(" ").map((name) => [name, [], Array.from({ length: 5 }, () => "done")]),
  );
  for (const { told } of outcomes) expect(told).toBeGreaterThan(0);
});

async function outcomesOf(runs: string, only: string): Promise<readonly Outcome[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", BENCH, "--runs", runs, "--only", only, "--json"],
    { maxBuffer: 2 ** 26 },
  );
  return (JSON.parse(stdout) as { readonly outcomes: readonly Outcome[] }).outcomes;
}
