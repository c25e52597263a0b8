import { HOLIDAYS, NEARBY, ROUTES, SEASONS, WEEKDAYS, type Nearby, type Route } from "./routes.ts";

export interface Input {
  /**
   * IATA code of the airport to start from; those nearby are searched as well
   * @pattern ^[A-Z]{3}$ @example BER
   */
  from: string;
  /** IATA code of the destination @pattern ^[A-Z]{3}$ @example LIS */
  to: string;
  /** Day of the flight out @format date */
  departure: string;
  /** Nights until the flight back @minimum 1 @maximum 28 */
  nights: Integer;
  /** Departures up to so many days earlier or later are found as well @minimum 0 @maximum 3 @default 0 */
  flexDays?: Integer;
}

export interface Flight {
  /** IATA code of the airport that it leaves from */
  airport: string;
  /** @format date */
  departure: string;
  /** @format date */
  return: string;
  /** Euros there and back, with the way to a nearby airport */
  price: Integer;
  /** Hours one way, with the way to a nearby airport */
  hours: number;
  stops: Integer;
}

export interface Output {
  /** Cheapest first; none where there is no route */
  flights: Flight[];
  /** No flight on this route is cheaper, on any day; null where there is no route */
  lowestFare: Integer | null;
  /** No flight on this route is faster, in hours one way; null where there is no route */
  fastestHours: number | null;
}

export default function flightSearch({ from, to, departure, nights, flexDays = 0 }: Input): Output {
  const origins = new Set(ROUTES.map((route) => route.from));
  if (!origins.has(from)) {
    throw new RangeError(`no flights known from ${from}; there are some from ${[...origins].join(", ")}`);
  }
  const starts: Nearby[] = [{ airport: from, euros: 0, hours: 0 }, ...(NEARBY[from] ?? [])];
  const ways = starts.flatMap((start) =>
    ROUTES.filter((route) => route.from === start.airport && route.to === to).map((route) => ({
      start,
      route,
    })),
  );
  const departures = Array.from({ length: 2 * flexDays + 1 }, (_, index) =>
    dayAfter(departure, index - flexDays),
  );
  const flights = ways.flatMap(({ start, route }) =>
    departures.map((day) => ({
      airport: start.airport,
      departure: day,
      return: dayAfter(day, nights),
      price: fare(route, day, dayAfter(day, nights)) + 2 * start.euros,
      hours: tenths(route.hours + start.hours),
      stops: route.stops,
    })),
  );
  return {
    flights: flights.sort((a, b) => a.price - b.price || a.hours - b.hours),
    lowestFare: least(ways.map(({ start, route }) => lowest(route) + 2 * start.euros)),
    fastestHours: least(ways.map(({ start, route }) => tenths(route.hours + start.hours))),
  };
}

function fare(route: Route, out: string, back: string): number {
  const season = SEASONS[route.to]?.[monthOf(out)] ?? 1;
  const holiday = HOLIDAYS.find(({ first, last }) => first <= out && out <= last)?.factor ?? 1;
  return Math.round(route.fare * season * holiday * ((weekdayFactor(out) + weekdayFactor(back)) / 2));
}

function lowest(route: Route): number {
  return Math.round(route.fare * Math.min(...(SEASONS[route.to] ?? [1])) * Math.min(...WEEKDAYS));
}

function least(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}

function weekdayFactor(date: string): number {
  return WEEKDAYS[new Date(date).getUTCDay()] ?? 1;
}

function monthOf(date: string): number {
  return Number(date.slice(5, 7)) - 1;
}

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

function tenths(hours: number): number {
  return Math.round(hours * 10) / 10;
}
