/** One line of the report. `ratio` is the value divided by that of what it is compared with, in the same run. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  /** The least and the most of its samples, where there are several. */
  readonly spread: readonly [number, number] | null;
  readonly unit: string;
  readonly versus: string;
  readonly ratio: number;
  /** What the ratio or, where it says so, the value has to keep; nothing where there is no goal yet. */
  readonly goal: string | null;
  readonly ok: boolean | null;
}

/** A figure and what it stands beside; of several samples of one the median. */
export function measured(
  name: string,
  values: number | readonly number[],
  unit: string,
  versus: string,
  floors: number | readonly number[],
): Measurement {
  const [value, floor] = [middle(values), middle(floors)];
  return {
    name,
    value: round(value),
    spread: spreadOf(values),
    unit,
    versus: `${versus}: ${round(floor)} ${unit}`,
    ratio: round(value / floor),
    goal: null,
    ok: null,
  };
}

function middle(values: number | readonly number[]): number {
  return typeof values === "number" ? values : median(values);
}

function spreadOf(values: number | readonly number[]): Measurement["spread"] {
  if (typeof values === "number" || values.length < 2) return null;
  return [round(Math.min(...values)), round(Math.max(...values))];
}

/** The order of variants in a round: each comes first as often as last. */
export function inTurn<Variant>(variants: readonly Variant[], round: number): readonly Variant[] {
  return round % 2 === 0 ? variants : variants.toReversed();
}

/** The measurement with its goal, and whether it is kept. */
export function keeps(
  measurement: Measurement,
  goal: string,
  isKept: (measurement: Measurement) => boolean,
): Measurement {
  return { ...measurement, goal, ok: isKept(measurement) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

export function table(measurements: readonly Measurement[]): string {
  const rows = measurements.map(({ name, value, spread, unit, versus, ratio, goal, ok }) => [
    name,
    `${value} ${unit}${spread ? ` (${spread.join("–")})` : ""}`,
    versus,
    `${ratio}×`,
    goal ?? "–",
    ok === null ? "" : ok ? "kept" : "MISSED",
  ]);
  const head = ["what", "measured", "beside", "ratio", "goal", ""];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [head, widths.map((width) => "-".repeat(width)), ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
