export interface Route {
  readonly from: string;
  readonly to: string;
  /** Euros there and back, before the season, the weekday and holidays change it. */
  readonly fare: number;
  /** Hours one way. */
  readonly hours: number;
  readonly stops: number;
}

/** An airport near another: what it takes to start from there instead, one way. */
export interface Nearby {
  readonly airport: string;
  readonly euros: number;
  readonly hours: number;
}

export const ROUTES: readonly Route[] = [
  { from: "BER", to: "FNC", fare: 252, hours: 4.9, stops: 0 },
  { from: "BER", to: "HER", fare: 229, hours: 3.3, stops: 0 },
  { from: "BER", to: "INN", fare: 134, hours: 3.9, stops: 1 },
  { from: "BER", to: "LIS", fare: 172, hours: 3.6, stops: 0 },
  { from: "BER", to: "RAK", fare: 279, hours: 4.6, stops: 0 },
  { from: "BER", to: "ZNZ", fare: 720, hours: 14.5, stops: 1 },
  { from: "HAM", to: "FNC", fare: 196, hours: 4.8, stops: 0 },
  { from: "HAM", to: "HER", fare: 239, hours: 3.6, stops: 0 },
  { from: "HAM", to: "LIS", fare: 117, hours: 3.5, stops: 0 },
  { from: "HAM", to: "RAK", fare: 259, hours: 6.9, stops: 1 },
  { from: "LEJ", to: "FNC", fare: 189, hours: 7.4, stops: 1 },
  { from: "LEJ", to: "HER", fare: 168, hours: 3.2, stops: 0 },
  { from: "LEJ", to: "LIS", fare: 129, hours: 5.9, stops: 1 },
  { from: "MUC", to: "FNC", fare: 239, hours: 4.5, stops: 0 },
  { from: "MUC", to: "HER", fare: 215, hours: 2.8, stops: 0 },
  { from: "MUC", to: "LIS", fare: 159, hours: 3.2, stops: 0 },
  { from: "MUC", to: "RAK", fare: 268, hours: 4, stops: 0 },
  { from: "MUC", to: "ZNZ", fare: 690, hours: 12.9, stops: 1 },
];

export const NEARBY: Readonly<Record<string, readonly Nearby[]>> = {
  BER: [
    { airport: "LEJ", euros: 19, hours: 1.4 },
    { airport: "HAM", euros: 24, hours: 2 },
  ],
};

/** What the fare is multiplied by, January first. */
export const SEASONS: Readonly<Record<string, readonly number[]>> = {
  FNC: [0.95, 1, 1.05, 1.1, 1.05, 1.05, 1.2, 1.25, 1.1, 1.05, 0.95, 1.2],
  HER: [0.9, 0.9, 0.95, 1, 1.1, 1.3, 1.5, 1.5, 1.2, 1, 0.9, 0.9],
  INN: [1.3, 1.4, 1.2, 0.95, 0.9, 0.95, 1.1, 1.1, 1, 0.9, 0.9, 1.35],
  LIS: [0.85, 0.85, 0.95, 1.05, 1.1, 1.2, 1.3, 1.35, 1.2, 1.05, 0.9, 1.05],
  RAK: [0.95, 1, 1.1, 1.15, 1.05, 0.9, 0.85, 0.85, 0.95, 1.1, 1.1, 1.15],
  ZNZ: [1.15, 1.1, 1, 0.9, 0.9, 1.05, 1.2, 1.2, 1.05, 1, 1, 1.25],
};

/** The same for the weekday, Sunday first; the mean of both journeys' counts. */
export const WEEKDAYS: readonly number[] = [1.16, 0.96, 0.84, 0.88, 0.98, 1.2, 1.1];

/** Holidays, in which a flight out costs more. */
export const HOLIDAYS: readonly { readonly first: string; readonly last: string; readonly factor: number }[] =
  [
    { first: "2027-03-19", last: "2027-04-03", factor: 1.35 },
    { first: "2027-05-05", last: "2027-05-08", factor: 1.25 },
    { first: "2027-05-14", last: "2027-05-17", factor: 1.3 },
  ];
