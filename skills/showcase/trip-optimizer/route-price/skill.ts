import { ELSEWHERE, EXPENSES } from "./expenses.ts";

export interface Input {
  /**
   * IATA code of the airport to start from; those nearby are priced as well
   * @pattern ^[A-Z]{3}$ @example BER
   */
  origin: string;
  /** IATA code of the destination's airport @pattern ^[A-Z]{3}$ @example LIS */
  destination: string;
  /** @format date */
  departure: string;
  /** @minimum 1 @maximum 28 */
  nights: Integer;
  /** Departures up to so many days earlier or later are priced as well @minimum 0 @maximum 3 @default 0 */
  flexDays?: Integer;
}

export interface Quote {
  /** IATA code of the airport to leave from */
  airport: string;
  /** @format date */
  departure: string;
  /** @format date */
  return: string;
  /** Hours of travel one way */
  hours: number;
  hotel: string;
  tier: "budget" | "mid" | "luxury";
  /** The hotel's, of 5 */
  rating: number;
  /** Euros for all of it */
  price: Integer;
  /** What the price is made of, in euros */
  parts: { flight: Integer; hotel: Integer; expenses: Integer };
}

export interface House {
  hotel: string;
  /** Of 5 */
  rating: number;
  /** No trip of so many nights to this house is cheaper, on any day, in euros */
  price: Integer;
}

export interface Output {
  /** Cheapest first; none where there is no route */
  quotes: Quote[];
  /** What a trip to each house costs at least, best rated first; none where there is no route */
  houses: House[];
  /** No trip of so many nights is cheaper, on any day, in euros; null where there is no route */
  lowest: Integer | null;
  /** Hours one way on the fastest way there; null where there is no route */
  fastestHours: number | null;
}

interface Flights {
  flights: { airport: string; departure: string; return: string; price: number; hours: number }[];
  lowestFare: number | null;
  fastestHours: number | null;
}

interface Hotels {
  stays: { hotel: string; tier: Quote["tier"]; rating: number; checkIn: string; price: number }[];
  houses: { hotel: string; rating: number; lowestRate: number }[];
}

export default async function routePrice(input: Input): Promise<Output> {
  const { origin, destination, departure, nights, flexDays = 0 } = input;
  const [air, bed]: [Flights, Hotels] = await Promise.all([
    call_skill("flight-search", { from: origin, to: destination, departure, nights, flexDays }),
    call_skill("hotel-search", { destination, checkIn: departure, nights, flexDays }),
  ]);
  const expenses = nights * (EXPENSES[destination] ?? ELSEWHERE);
  const quotes = air.flights.flatMap((flight) =>
    bed.stays
      .filter(({ checkIn }) => checkIn === flight.departure)
      .map((stay) => ({
        airport: flight.airport,
        departure: flight.departure,
        return: flight.return,
        hours: flight.hours,
        hotel: stay.hotel,
        tier: stay.tier,
        rating: stay.rating,
        price: flight.price + stay.price + expenses,
        parts: { flight: flight.price, hotel: stay.price, expenses },
      })),
  );
  const { lowestFare, fastestHours } = air;
  const houses =
    lowestFare === null
      ? []
      : bed.houses.map(({ hotel, rating, lowestRate }) => ({
          hotel,
          rating,
          price: lowestFare + nights * lowestRate + expenses,
        }));
  return {
    quotes: quotes.sort((a, b) => a.price - b.price),
    houses,
    lowest: houses.length === 0 ? null : Math.min(...houses.map(({ price }) => price)),
    fastestHours,
  };
}
