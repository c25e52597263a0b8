import { ACTIVITIES } from "../skills/showcase/trip-optimizer/activity-search/activities.ts";
import { APPOINTMENTS } from "../skills/showcase/trip-optimizer/calendar-read/appointments.ts";
import * as flights from "../skills/showcase/trip-optimizer/flight-search/routes.ts";
import * as hotels from "../skills/showcase/trip-optimizer/hotel-search/hotels.ts";
import { EXPENSES } from "../skills/showcase/trip-optimizer/route-price/expenses.ts";
import { COUNTRIES, OTHERS, RULES } from "../skills/showcase/trip-optimizer/visa-check/rules.ts";
import { CLIMATE } from "../skills/showcase/trip-optimizer/weather-fetch/climate.ts";

export interface Wish {
  readonly origin: string;
  readonly today: string;
  readonly from: string;
  readonly to: string;
  readonly nights: number;
  readonly budget: number;
  readonly tastes: Readonly<Partial<Record<"beach" | "culture" | "food" | "hiking" | "snow", number>>>;
  readonly comfort: number;
  readonly hourCost: number;
  readonly maxFlightHours: number;
  readonly passport: string;
  readonly searchCost: number;
}

export interface Trip {
  readonly destination: string;
  readonly airport: string;
  readonly departure: string;
  readonly hotel: string;
  readonly price: number;
  readonly net: number;
}

/**
 * Every trip that the showcase's data allow, best first, worked out one by one: no bounds, no rounds, nothing
 * left out. It shares the data with the skills and none of their code.
 */
export function allTrips(wish: Wish): readonly Trip[] {
  const trips: Trip[] = [];
  for (const destination of Object.keys(COUNTRIES)) {
    const visa = RULES[wish.passport]?.[at(COUNTRIES, destination)] ?? OTHERS;
    for (let day = dayOf(wish.from); day + wish.nights <= dayOf(wish.to); day++) {
      if (day < dayOf(wish.today) + visa.days || isBusy(day, day + wish.nights)) continue;
      const days = Array.from({ length: wish.nights }, (_, index) => day + index);
      const pleasure = days.reduce((sum, each) => sum + worthOfDay(destination, each, wish.tastes), 0);
      for (const start of [
        { airport: wish.origin, euros: 0, hours: 0 },
        ...(flights.NEARBY[wish.origin] ?? []),
      ]) {
        const route = flights.ROUTES.find((each) => each.from === start.airport && each.to === destination);
        if (!route || route.hours + start.hours > wish.maxFlightHours + 1e-9) continue;
        const fare = fareOf(route, day, day + wish.nights) + 2 * start.euros;
        for (const hotel of at(hotels.HOTELS, destination)) {
          const beds = days.reduce((sum, night) => sum + rateOf(destination, hotel.rate, night), 0);
          const price = fare + beds + wish.nights * at(EXPENSES, destination) + visa.fee;
          if (price > wish.budget) continue;
          const comfort = ((hotel.rating - 3) / 2) * wish.comfort * wish.nights;
          const net = pleasure + comfort - price - 2 * (route.hours + start.hours) * wish.hourCost;
          const { airport } = start;
          trips.push({ destination, airport, departure: dateOf(day), hotel: hotel.name, price, net });
        }
      }
    }
  }
  return trips.toSorted((a, b) => b.net - a.net);
}

function worthOfDay(destination: string, day: number, tastes: Wish["tastes"]): number {
  const climate = nth(at(CLIMATE, destination), monthOf(day));
  const chances = { sun: climate.sun, rain: climate.rain, cloud: 1 - climate.sun - climate.rain };
  let expected = 0;
  for (const weather of ["sun", "cloud", "rain"] as const) {
    const values = at(ACTIVITIES, destination)
      .filter((activity) => activity.weather.includes(weather))
      .filter((activity) => activity.months === undefined || activity.months.includes(monthOf(day) + 1))
      .map((activity) => ((tastes[activity.kind] ?? 0) * activity.rating) / 5)
      .toSorted((a, b) => b - a);
    expected += chances[weather] * ((values[0] ?? 0) + (values[1] ?? 0));
  }
  return expected;
}

function fareOf(route: flights.Route, out: number, back: number): number {
  const weekdays = (nth(flights.WEEKDAYS, weekdayOf(out)) + nth(flights.WEEKDAYS, weekdayOf(back))) / 2;
  const holiday = flights.HOLIDAYS.find(({ first, last }) => dayOf(first) <= out && out <= dayOf(last));
  return Math.round(
    route.fare * nth(at(flights.SEASONS, route.to), monthOf(out)) * (holiday?.factor ?? 1) * weekdays,
  );
}

function rateOf(destination: string, rate: number, night: number): number {
  const weekend = [5, 6].includes(weekdayOf(night)) ? hotels.WEEKEND : 1;
  return Math.round(rate * nth(at(hotels.SEASONS, destination), monthOf(night)) * weekend);
}

function isBusy(first: number, last: number): boolean {
  return APPOINTMENTS.some(({ from, to }) => dayOf(from) <= last && dayOf(to) >= first);
}

/** Days since 1970, a Thursday. */
function dayOf(date: string): number {
  return Date.parse(date) / 86_400_000;
}

function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

function weekdayOf(day: number): number {
  return (day + 4) % 7;
}

function monthOf(day: number): number {
  return new Date(day * 86_400_000).getUTCMonth();
}

function at<Value>(values: Readonly<Record<string, Value>>, key: string): Value {
  const value = values[key];
  if (value === undefined) throw new Error(`there is nothing for ${key}`);
  return value;
}

function nth<Value>(values: readonly Value[], index: number): Value {
  const value = values[index];
  if (value === undefined) throw new Error(`there is no number ${index}`);
  return value;
}
