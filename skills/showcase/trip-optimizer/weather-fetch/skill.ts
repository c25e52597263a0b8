import { CLIMATE } from "./climate.ts";

export interface Input {
  /** IATA code of the destination's airport @pattern ^[A-Z]{3}$ @example LIS */
  destination: string;
  /** First day @format date */
  from: string;
  /** Last day, at most a year later @format date */
  to: string;
}

/** Probabilities that add up to 1. */
export interface Day {
  /** @format date */
  date: string;
  /** @minimum 0 @maximum 1 */
  sun: number;
  /** @minimum 0 @maximum 1 */
  cloud: number;
  /** @minimum 0 @maximum 1 */
  rain: number;
}

export interface Output {
  /** Every day of the period @minItems 1 */
  days: Day[];
  /** Mean probability of a sunny day @minimum 0 @maximum 1 */
  sun: number;
  /** Mean probability of a rainy day @minimum 0 @maximum 1 */
  rain: number;
  /** Mean temperature at noon, Celsius */
  high: number;
}

export default function weatherFetch({ destination, from, to }: Input): Output {
  const climate = CLIMATE[destination];
  if (!climate)
    throw new RangeError(`no climate known for ${destination}; known are ${Object.keys(CLIMATE).join(", ")}`);
  if (to < from) throw new RangeError(`the period ends on ${to}, before it begins on ${from}`);
  const dates = datesFrom(from, to);
  if (dates.length > 366) throw new RangeError(`the period has ${dates.length} days; ask for at most 366`);
  const months = dates.map((date) => climate[Number(date.slice(5, 7)) - 1] ?? { sun: 0, rain: 0, high: 0 });
  return {
    days: months.map(({ sun, rain }, index) => ({
      date: dates[index] ?? from,
      sun,
      cloud: hundredths(1 - sun - rain),
      rain,
    })),
    sun: hundredths(mean(months.map(({ sun }) => sun))),
    rain: hundredths(mean(months.map(({ rain }) => rain))),
    high: hundredths(mean(months.map(({ high }) => high))),
  };
}

function datesFrom(from: string, to: string): string[] {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
  return Array.from({ length: days + 1 }, (_, index) =>
    new Date(Date.parse(from) + index * 86_400_000).toISOString().slice(0, 10),
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
