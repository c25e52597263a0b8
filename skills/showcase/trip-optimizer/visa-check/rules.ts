export interface Rule {
  readonly kind: "none" | "on-arrival" | "electronic" | "embassy";
  /** Days until it is there. */
  readonly days: number;
  /** Euros. */
  readonly fee: number;
}

const NONE: Rule = { kind: "none", days: 0, fee: 0 };
const SCHENGEN: Rule = { kind: "embassy", days: 21, fee: 90 };

/** The country of each destination's airport. */
export const COUNTRIES: Readonly<Record<string, string>> = {
  FNC: "PT",
  HER: "GR",
  INN: "AT",
  LIS: "PT",
  RAK: "MA",
  ZNZ: "TZ",
};

/** By passport, then by country. Passports that are not here need what `OTHERS` says. */
export const RULES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  DE: { PT: NONE, GR: NONE, AT: NONE, MA: NONE, TZ: { kind: "electronic", days: 10, fee: 46 } },
  US: { PT: NONE, GR: NONE, AT: NONE, MA: NONE, TZ: { kind: "on-arrival", days: 0, fee: 92 } },
  IN: {
    PT: SCHENGEN,
    GR: SCHENGEN,
    AT: SCHENGEN,
    MA: { kind: "electronic", days: 3, fee: 72 },
    TZ: { kind: "electronic", days: 10, fee: 46 },
  },
};

export const OTHERS: Rule = { kind: "embassy", days: 30, fee: 100 };
