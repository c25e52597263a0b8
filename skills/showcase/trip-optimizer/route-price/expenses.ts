/** Euros a day for food and getting around, by the destination's airport. */
export const EXPENSES: Readonly<Record<string, number>> = {
  FNC: 42,
  HER: 38,
  INN: 46,
  LIS: 44,
  RAK: 31,
  ZNZ: 34,
};

export const ELSEWHERE = 50;
