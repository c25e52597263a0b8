import { HOTELS, SEASONS, WEEKEND } from "./hotels.ts";

export interface Input {
  /** IATA code of the destination's airport @pattern ^[A-Z]{3}$ @example LIS */
  destination: string;
  /** Day of arrival @format date */
  checkIn: string;
  /** @minimum 1 @maximum 28 */
  nights: Integer;
  /**
   * Stays that begin up to so many days earlier or later are found as well
   * @minimum 0 @maximum 3 @default 0
   */
  flexDays?: Integer;
  /** Only houses of this kind */
  tier?: "budget" | "mid" | "luxury";
}

export interface Stay {
  hotel: string;
  tier: "budget" | "mid" | "luxury";
  /** Of 5 @minimum 0 @maximum 5 */
  rating: number;
  /** @format date */
  checkIn: string;
  /** Euros for all nights */
  price: Integer;
}

export interface House {
  hotel: string;
  tier: "budget" | "mid" | "luxury";
  /** Of 5 @minimum 0 @maximum 5 */
  rating: number;
  /** No night of the year is cheaper, in euros */
  lowestRate: Integer;
}

export interface Output {
  /** Cheapest first */
  stays: Stay[];
  /** The houses that the stays are in, best rated first */
  houses: House[];
}

export default function hotelSearch({ destination, checkIn, nights, flexDays = 0, tier }: Input): Output {
  const known = HOTELS[destination];
  if (!known) {
    throw new RangeError(
      `no hotels known in ${destination}; there are some in ${Object.keys(HOTELS).join(", ")}`,
    );
  }
  const seasons = SEASONS[destination] ?? [1];
  const hotels = known.filter((hotel) => tier === undefined || hotel.tier === tier);
  const days = Array.from({ length: 2 * flexDays + 1 }, (_, index) => dayAfter(checkIn, index - flexDays));
  const stays = hotels.flatMap(({ name, tier, rating, rate }) =>
    days.map((day) => {
      const all = Array.from({ length: nights }, (_, night) => nightly(rate, seasons, dayAfter(day, night)));
      return { hotel: name, tier, rating, checkIn: day, price: all.reduce((sum, price) => sum + price, 0) };
    }),
  );
  return {
    stays: stays.sort((a, b) => a.price - b.price),
    houses: hotels
      .map(({ name, tier, rating, rate }) => ({
        hotel: name,
        tier,
        rating,
        lowestRate: lowest(rate, seasons),
      }))
      .sort((a, b) => b.rating - a.rating),
  };
}

function nightly(rate: number, seasons: readonly number[], date: string): number {
  const season = seasons[Number(date.slice(5, 7)) - 1] ?? 1;
  const weekday = new Date(date).getUTCDay();
  return Math.round(rate * season * (weekday === 5 || weekday === 6 ? WEEKEND : 1));
}

function lowest(rate: number, seasons: readonly number[]): number {
  return Math.round(rate * Math.min(...seasons));
}

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}
