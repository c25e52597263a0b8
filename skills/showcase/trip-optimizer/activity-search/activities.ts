export type Kind = "beach" | "culture" | "food" | "hiking" | "snow";
export type Weather = "sun" | "cloud" | "rain";

export interface Activity {
  readonly name: string;
  readonly kind: Kind;
  /** Of 5. */
  readonly rating: number;
  /** The weather in which it can be done. */
  readonly weather: readonly Weather[];
  /** The months (1 to 12) in which it can be done; all of them where it has none. */
  readonly months?: readonly number[];
}

const SUN: readonly Weather[] = ["sun"];
const DRY: readonly Weather[] = ["sun", "cloud"];
const ANY: readonly Weather[] = ["sun", "cloud", "rain"];

/** By the airport's code. */
export const ACTIVITIES: Readonly<Record<string, readonly Activity[]>> = {
  FNC: [
    { name: "Ridge walk between the peaks", kind: "hiking", rating: 4.9, weather: SUN },
    { name: "Levada walk", kind: "hiking", rating: 4.6, weather: DRY },
    { name: "Lava pools", kind: "beach", rating: 3.9, weather: SUN, months: [5, 6, 7, 8, 9, 10] },
    { name: "Wine lodge", kind: "food", rating: 4.2, weather: ANY },
    { name: "Embroidery museum", kind: "culture", rating: 3.4, weather: ANY },
  ],
  HER: [
    { name: "Lagoon beach", kind: "beach", rating: 4.8, weather: SUN, months: [4, 5, 6, 7, 8, 9, 10] },
    { name: "Gorge walk", kind: "hiking", rating: 4.5, weather: DRY, months: [5, 6, 7, 8, 9, 10] },
    { name: "Palace ruins", kind: "culture", rating: 4.4, weather: DRY },
    { name: "Archaeological museum", kind: "culture", rating: 4.5, weather: ANY },
    { name: "Village tavern", kind: "food", rating: 4.3, weather: ANY },
  ],
  INN: [
    { name: "Glacier slopes", kind: "snow", rating: 4.7, weather: DRY, months: [10, 11, 12, 1, 2, 3, 4, 5] },
    { name: "Toboggan run", kind: "snow", rating: 4.2, weather: DRY, months: [12, 1, 2, 3] },
    { name: "Ridge trail", kind: "hiking", rating: 4.7, weather: SUN, months: [6, 7, 8, 9, 10] },
    { name: "Court church", kind: "culture", rating: 4.1, weather: ANY },
    { name: "Dumpling kitchen", kind: "food", rating: 4, weather: ANY },
  ],
  LIS: [
    { name: "Hill quarters and viewpoints", kind: "culture", rating: 4.7, weather: DRY },
    { name: "Tile museum", kind: "culture", rating: 4.5, weather: ANY },
    { name: "Atlantic beach", kind: "beach", rating: 4.3, weather: SUN, months: [5, 6, 7, 8, 9] },
    { name: "Market hall", kind: "food", rating: 4.6, weather: ANY },
    { name: "Cliff path to the cape", kind: "hiking", rating: 4, weather: DRY },
  ],
  RAK: [
    { name: "Medina and souks", kind: "culture", rating: 4.7, weather: DRY },
    { name: "Palace of tiles", kind: "culture", rating: 4.3, weather: ANY },
    { name: "Cooking in a riad", kind: "food", rating: 4.8, weather: ANY },
    { name: "Day in the High Atlas", kind: "hiking", rating: 4.6, weather: DRY },
  ],
  ZNZ: [
    { name: "Reef and white sand", kind: "beach", rating: 5, weather: SUN },
    { name: "Spice farm", kind: "food", rating: 4.5, weather: DRY },
    { name: "Stone Town", kind: "culture", rating: 4.4, weather: ANY },
  ],
};
