import type { Rate } from "../trace-store.ts";

/** The share of successes with the interval in which it lies with 95 % confidence; 0 to 1 where nothing was tried. */
export function successRate(successes: number, trials: number): Rate {
  if (trials === 0) return { rate: 0, low: 0, high: 1 };
  const z = 1.959963984540054;
  const rate = successes / trials;
  const scale = 1 + (z * z) / trials;
  const middle = (rate + (z * z) / (2 * trials)) / scale;
  const reach = (z / scale) * Math.sqrt((rate * (1 - rate)) / trials + (z * z) / (4 * trials * trials));
  return { rate, low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}
