/** What half a day of it at its best is worth to somebody, in euros; what is left out is worth nothing */
export interface Tastes {
  /** @minimum 0 */
  beach?: number;
  /** @minimum 0 */
  culture?: number;
  /** @minimum 0 */
  food?: number;
  /** @minimum 0 */
  hiking?: number;
  /** @minimum 0 */
  snow?: number;
}

export interface Input {
  /** IATA code of the airport to start from @pattern ^[A-Z]{3}$ @example BER */
  origin: string;
  /** IATA code of the destination's airport @pattern ^[A-Z]{3}$ @example LIS */
  destination: string;
  /** Days on which the trip may start, earliest first @format date @minItems 1 */
  departures: string[];
  /** @minimum 1 @maximum 28 */
  nights: Integer;
  tastes: Tastes;
  /**
   * What a night in a hotel rated 5 is worth more than one in a hotel rated 3, in euros
   * @minimum 0 @default 90
   */
  comfort?: number;
  /** What an hour of travel costs the traveller, in euros @minimum 0 @default 12 */
  hourCost?: number;
  /** Country of the passport, two letters (ISO 3166) @pattern ^[A-Z]{2}$ @default DE */
  passport?: string;
}

export interface Departure {
  /** @format date */
  date: string;
  /** Expected worth of the days of the trip, in euros */
  worth: number;
  /** No trip that starts on this day has a higher net value, in euros */
  promise: number;
}

export interface Output {
  /** The highest promise of all departures, in euros */
  promise: number;
  departures: Departure[];
  /** What to do there, the best for these tastes first @maxItems 3 */
  activities: string[];
  /** Mean probability of a sunny day @minimum 0 @maximum 1 */
  sun: number;
  /** What a visa costs, in euros */
  visaFee: Integer;
}

type Weather = "sun" | "cloud" | "rain";

interface Day extends Record<Weather, number> {
  date: string;
}

interface Activity {
  name: string;
  kind: keyof Tastes;
  rating: number;
  weather: Weather[];
  months?: number[];
}

interface Price {
  houses: { rating: number; price: number }[];
  fastestHours: number | null;
}

export default async function destinationEvaluate(input: Input): Promise<Output> {
  const {
    origin,
    destination,
    departures,
    nights,
    tastes,
    comfort = 90,
    hourCost = 12,
    passport = "DE",
  } = input;
  const first = departures[0] ?? "";
  const last = departures.at(-1) ?? first;
  const [weather, guide, visa, price]: [
    { days: Day[]; sun: number },
    { activities: Activity[] },
    { fee: number },
    Price,
  ] = await Promise.all([
    call_skill("weather-fetch", { destination, from: first, to: dayAfter(last, nights - 1) }),
    call_skill("activity-search", { destination }),
    call_skill("visa-check", { destination, passport }),
    call_skill("route-price", { origin, destination, departure: first, nights }),
  ]);
  if (price.fastestHours === null)
    throw new RangeError(`there are no flights from ${origin} to ${destination}`);

  const bestHouse = Math.max(
    ...price.houses.map((house) => ((house.rating - 3) / 2) * comfort * nights - house.price),
  );
  const besides = bestHouse - visa.fee - 2 * price.fastestHours * hourCost;
  const worthOn = new Map(weather.days.map((day) => [day.date, dayWorth(day, guide.activities, tastes)]));
  const promised = departures.map((date) => {
    const days = Array.from({ length: nights }, (_, index) => worthOn.get(dayAfter(date, index)) ?? 0);
    const worth = cents(days.reduce((sum, day) => sum + day, 0));
    return { date, worth, promise: cents(worth + besides) };
  });
  const months = new Set(weather.days.map(({ date }) => monthOf(date)));
  return {
    promise: Math.max(...promised.map(({ promise }) => promise)),
    departures: promised,
    activities: guide.activities
      .filter(
        (activity) => worth(activity, tastes) > 0 && [...months].some((month) => isInSeason(activity, month)),
      )
      .sort((a, b) => worth(b, tastes) - worth(a, tastes))
      .slice(0, 3)
      .map(({ name }) => name),
    sun: weather.sun,
    visaFee: visa.fee,
  };
}

/** Over sun, clouds and rain: their probability times what the day is worth then. */
function dayWorth(day: Day, activities: readonly Activity[], tastes: Tastes): number {
  const weathers: Weather[] = ["sun", "cloud", "rain"];
  return weathers.reduce((sum, weather) => {
    const possible = activities.filter(
      (activity) => activity.weather.includes(weather) && isInSeason(activity, monthOf(day.date)),
    );
    const [morning = 0, afternoon = 0] = possible
      .map((activity) => worth(activity, tastes))
      .sort((a, b) => b - a);
    return sum + day[weather] * (morning + afternoon);
  }, 0);
}

function worth({ kind, rating }: Activity, tastes: Tastes): number {
  return (tastes[kind] ?? 0) * (rating / 5);
}

function isInSeason({ months }: Activity, month: number): boolean {
  return months === undefined || months.includes(month);
}

function monthOf(date: string): number {
  return Number(date.slice(5, 7));
}

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

function cents(euros: number): number {
  return Math.round(euros * 100) / 100;
}
