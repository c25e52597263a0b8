import { COUNTRIES, OTHERS, RULES } from "./rules.ts";

export interface Input {
  /** IATA code of the destination's airport @pattern ^[A-Z]{3}$ @example ZNZ */
  destination: string;
  /** Country of the passport, two letters (ISO 3166) @pattern ^[A-Z]{2}$ @example DE */
  passport: string;
}

export interface Output {
  /** Where the destination is, two letters (ISO 3166) */
  country: string;
  required: boolean;
  kind: "none" | "on-arrival" | "electronic" | "embassy";
  /** Days until it is there @minimum 0 */
  processingDays: Integer;
  /** Euros @minimum 0 */
  fee: Integer;
}

export default function visaCheck({ destination, passport }: Input): Output {
  const country = COUNTRIES[destination];
  if (country === undefined) {
    throw new RangeError(`no rules known for ${destination}; known are ${Object.keys(COUNTRIES).join(", ")}`);
  }
  const { kind, days, fee } = RULES[passport]?.[country] ?? OTHERS;
  return { country, required: kind !== "none", kind, processingDays: days, fee };
}
