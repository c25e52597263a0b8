/** One line of the report. `ratio` is the value divided by that of what it is compared with, in the same run. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly versus: string;
  readonly ratio: number;
  /** What the ratio or, where it says so, the value has to keep; nothing where there is no goal yet. */
  readonly goal: string | null;
  readonly ok: boolean | null;
}

export function measured(
  name: string,
  value: number,
  unit: string,
  versus: string,
  floor: number,
): Measurement {
  return {
    name,
    value: round(value),
    unit,
    versus: `${versus}: ${round(floor)} ${unit}`,
    ratio: round(value / floor),
    goal: null,
    ok: null,
  };
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
  const rows = measurements.map(({ name, value, unit, versus, ratio, goal, ok }) => [
    name,
    `${value} ${unit}`,
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
