export type Tier = "budget" | "mid" | "luxury";

export interface Hotel {
  readonly name: string;
  readonly tier: Tier;
  /** Of 5. */
  readonly rating: number;
  /** Euros a night, before the season and the weekday change it. */
  readonly rate: number;
}

/** By the airport's code. */
export const HOTELS: Readonly<Record<string, readonly Hotel[]>> = {
  FNC: [
    { name: "Levada Rooms", tier: "budget", rating: 3.4, rate: 46 },
    { name: "Quinta do Vale", tier: "mid", rating: 4.3, rate: 81 },
    { name: "Cliff House Funchal", tier: "luxury", rating: 4.8, rate: 158 },
  ],
  HER: [
    { name: "Harbour Pension", tier: "budget", rating: 3.2, rate: 41 },
    { name: "Olive Court", tier: "mid", rating: 4.2, rate: 71 },
    { name: "Minos Bay Resort", tier: "luxury", rating: 4.7, rate: 139 },
  ],
  INN: [
    { name: "Hut above the Inn", tier: "budget", rating: 3.6, rate: 52 },
    { name: "Goldener Steg", tier: "mid", rating: 4.1, rate: 89 },
    { name: "Nordkette Palace", tier: "luxury", rating: 4.9, rate: 265 },
  ],
  LIS: [
    { name: "Graça Guesthouse", tier: "budget", rating: 3.5, rate: 52 },
    { name: "Hotel Azulejo", tier: "mid", rating: 4.2, rate: 82 },
    { name: "Tejo Grand", tier: "luxury", rating: 4.7, rate: 171 },
  ],
  RAK: [
    { name: "Riad Safran", tier: "budget", rating: 3.8, rate: 47 },
    { name: "Riad of the Two Lemons", tier: "mid", rating: 4.4, rate: 86 },
    { name: "Atlas Gardens", tier: "luxury", rating: 4.8, rate: 156 },
  ],
  ZNZ: [
    { name: "Stone Town Inn", tier: "budget", rating: 3.3, rate: 44 },
    { name: "Coral Lodge", tier: "mid", rating: 4.4, rate: 98 },
    { name: "Spice Island Retreat", tier: "luxury", rating: 4.9, rate: 245 },
  ],
};

/** What the rate is multiplied by, January first. */
export const SEASONS: Readonly<Record<string, readonly number[]>> = {
  FNC: [0.95, 1, 1, 1.05, 1.05, 1.05, 1.15, 1.2, 1.1, 1, 0.95, 1.15],
  HER: [0.8, 0.8, 0.85, 0.95, 1.05, 1.25, 1.5, 1.5, 1.2, 0.95, 0.8, 0.8],
  INN: [1.3, 1.4, 1.2, 0.9, 0.85, 0.95, 1.1, 1.15, 1, 0.85, 0.85, 1.35],
  LIS: [0.8, 0.8, 0.95, 1.05, 1.15, 1.2, 1.25, 1.3, 1.2, 1.05, 0.85, 0.95],
  RAK: [0.9, 0.95, 1.1, 1.15, 1.05, 0.85, 0.8, 0.8, 0.95, 1.1, 1.1, 1.15],
  ZNZ: [1.1, 1.1, 0.95, 0.8, 0.8, 1, 1.2, 1.2, 1.05, 1, 1, 1.2],
};

/** The nights from Friday and from Saturday cost so many times as much. */
export const WEEKEND = 1.2;
