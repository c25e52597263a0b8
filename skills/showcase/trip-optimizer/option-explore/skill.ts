export interface Departure {
  /** @format date */
  date: string;
  /** Expected worth of the days of the trip, in euros */
  worth: number;
  /** No trip that starts on this day has a higher net value, in euros */
  promise: number;
}

export interface Input {
  /** IATA code of the airport to start from @pattern ^[A-Z]{3}$ @example BER */
  origin: string;
  /** IATA code of the destination's airport @pattern ^[A-Z]{3}$ @example LIS */
  destination: string;
  /** Days on which the trip may start, earliest first, as destination-evaluate gives them @minItems 1 */
  departures: Departure[];
  /** @minimum 1 @maximum 28 */
  nights: Integer;
  /** What all of it may cost, in euros @minimum 1 */
  budget: Integer;
  /** What is paid besides, such as for a visa, in euros @minimum 0 @default 0 */
  visaFee?: Integer;
  /** Hours of travel one way, at most @exclusiveMinimum 0 @default 8 */
  maxFlightHours?: number;
  /**
   * What a night in a hotel rated 5 is worth more than one in a hotel rated 3, in euros
   * @minimum 0 @default 90
   */
  comfort?: number;
  /** What an hour of travel costs the traveller, in euros @minimum 0 @default 12 */
  hourCost?: number;
  /** What looking further must gain at least to be worth it, in euros @minimum 0 @default 25 */
  searchCost?: number;
  /** Only trips with a higher net value are of interest, in euros */
  beat?: number;
}

export interface Option {
  destination: string;
  /** IATA code of the airport to leave from */
  airport: string;
  /** @format date */
  departure: string;
  /** @format date */
  return: string;
  hotel: string;
  tier: "budget" | "mid" | "luxury";
  /** Hours of travel one way */
  hours: number;
  /** Euros for all of it */
  price: Integer;
  /** Expected worth of days and nights, in euros */
  worth: number;
  /** Worth less price and travel time, in euros */
  net: number;
}

export interface Output {
  /** The trip with the highest net value; null where none that was looked at fits budget and hours */
  best: Option | null;
  /** No trip among the departures has a higher net value; null where none is possible */
  bound: number | null;
  /** Departures that were priced */
  priced: Integer;
  /** Departures that were not, since their promise was too low */
  skipped: Integer;
}

export default async function optionExplore(input: Input): Promise<Output> {
  const weeks = weeksOf(input.departures).sort((a, b) => promiseOf(b) - promiseOf(a));
  const [onlyWeek] = weeks;
  return weeks.length === 1 && onlyWeek ? bestInWeek(input, onlyWeek) : bestOfWeeks(input, weeks);
}

async function bestOfWeeks(input: Input, weeks: readonly Departure[][]): Promise<Output> {
  const { beat = Number.NEGATIVE_INFINITY, searchCost = 25 } = input;
  const all: Output = { best: null, bound: null, priced: 0, skipped: 0 };
  for (const week of weeks) {
    const promise = promiseOf(week);
    if (promise <= Math.max(beat, netOf(all.best) + searchCost)) {
      all.bound = higher(all.bound, promise);
      all.skipped += week.length;
      continue;
    }
    const found: Output = await call_skill("option-explore", { ...input, departures: week });
    if (netOf(found.best) > netOf(all.best)) all.best = found.best;
    all.bound = higher(all.bound, found.bound);
    all.priced += found.priced;
    all.skipped += found.skipped;
  }
  return all;
}

async function bestInWeek(input: Input, week: readonly Departure[]): Promise<Output> {
  const { origin, destination, nights, budget, visaFee = 0, maxFlightHours = 8 } = input;
  const { comfort = 90, hourCost = 12 } = input;
  const first = week[0]?.date ?? "";
  const flexDays = Math.ceil(daysBetween(first, week.at(-1)?.date ?? first) / 2);
  const { quotes }: { quotes: Quote[] } = await call_skill("route-price", {
    origin,
    destination,
    departure: dayAfter(first, flexDays),
    nights,
    flexDays,
  });
  const worthOn = new Map(week.map(({ date, worth }) => [date, worth]));
  const options = quotes.flatMap(({ airport, departure, hotel, tier, rating, hours, ...quote }): Option[] => {
    const days = worthOn.get(departure);
    const price = quote.price + visaFee;
    if (days === undefined || price > budget || hours > maxFlightHours) return [];
    const worth = cents(days + ((rating - 3) / 2) * comfort * nights);
    const net = cents(worth - price - 2 * hours * hourCost);
    return [{ destination, airport, departure, return: quote.return, hotel, tier, hours, price, worth, net }];
  });
  const [best = null] = options.sort((a, b) => b.net - a.net || a.price - b.price);
  return { best, bound: best?.net ?? null, priced: week.length, skipped: 0 };
}

interface Quote {
  airport: string;
  departure: string;
  return: string;
  hours: number;
  hotel: string;
  tier: Option["tier"];
  rating: number;
  price: number;
}

/** Runs of at most seven days. */
function weeksOf(departures: readonly Departure[]): Departure[][] {
  const weeks: Departure[][] = [];
  for (const departure of departures) {
    const week = weeks.at(-1);
    if (week?.[0] && daysBetween(week[0].date, departure.date) < 7) week.push(departure);
    else weeks.push([departure]);
  }
  return weeks;
}

function promiseOf(week: readonly Departure[]): number {
  return Math.max(...week.map(({ promise }) => promise));
}

function netOf(option: Option | null): number {
  return option?.net ?? Number.NEGATIVE_INFINITY;
}

function higher(one: number | null, other: number | null): number | null {
  return one === null || (other !== null && other > one) ? other : one;
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

function cents(euros: number): number {
  return Math.round(euros * 100) / 100;
}
