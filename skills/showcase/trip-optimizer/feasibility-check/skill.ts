export interface Input {
  /** IATA code of the airport to start from @pattern ^[A-Z]{3}$ @example BER */
  origin: string;
  /** IATA code of the destination's airport @pattern ^[A-Z]{3}$ @example LIS */
  destination: string;
  /** First day on which the trip may start @format date */
  from: string;
  /** Day on which one must be back @format date */
  to: string;
  /** @minimum 1 @maximum 28 */
  nights: Integer;
  /** What all of it may cost, in euros @minimum 1 */
  budget: Integer;
  /** Hours of travel one way, at most @exclusiveMinimum 0 @default 8 */
  maxFlightHours?: number;
  /** Country of the passport, two letters (ISO 3166) @pattern ^[A-Z]{2}$ @default DE */
  passport?: string;
  /** The day of planning, from which on a visa can be had @format date */
  today: string;
}

export type Constraint = "visa" | "budget" | "dates" | "flight";

export interface Output {
  feasible: boolean;
  /** The constraints that are not met */
  failed: Constraint[];
  /** What was found for each constraint */
  why: Record<Constraint, string>;
  /** Days on which the trip can start, earliest first @format date */
  departures: string[];
}

interface Visa {
  kind: string;
  processingDays: number;
  fee: number;
}

interface Calendar {
  free: { from: string; to: string }[];
}

interface Price {
  lowest: number | null;
  fastestHours: number | null;
}

export default async function feasibilityCheck(input: Input): Promise<Output> {
  const { origin, destination, from, to, nights, budget, maxFlightHours = 8, passport = "DE", today } = input;
  const [visa, calendar, price]: [Visa, Calendar, Price] = await Promise.all([
    call_skill("visa-check", { destination, passport }),
    call_skill("calendar-read", { from, to, minDays: nights + 1 }),
    call_skill("route-price", { origin, destination, departure: from, nights }),
  ]);
  const free = calendar.free.flatMap((period) => datesFrom(period.from, dayAfter(period.to, -nights)));
  const visaBy = dayAfter(today, visa.processingDays);
  const departures = free.filter((date) => date >= visaBy);
  const lowest = price.lowest === null ? null : price.lowest + visa.fee;

  const isMet: Record<Constraint, boolean> = {
    visa: free.length === 0 || departures.length > 0,
    budget: lowest === null || lowest <= budget,
    dates: free.length > 0,
    flight: price.fastestHours !== null && price.fastestHours <= maxFlightHours,
  };
  const constraints: Constraint[] = ["visa", "budget", "dates", "flight"];
  const failed = constraints.filter((constraint) => !isMet[constraint]);
  return {
    feasible: failed.length === 0,
    failed,
    why: {
      visa: visa.kind === "none" ? "none is needed" : `${visa.kind}, there by ${visaBy}`,
      budget: lowest === null ? "nothing to price" : `at least ${lowest} of ${budget} euros`,
      dates: `${free.length} days on which ${nights} nights are free`,
      flight:
        price.fastestHours === null
          ? `none from ${origin} to ${destination}`
          : `${price.fastestHours} of ${maxFlightHours} hours`,
    },
    departures,
  };
}

function datesFrom(first: string, last: string): string[] {
  const dates: string[] = [];
  for (let date = first; date <= last; date = dayAfter(date, 1)) dates.push(date);
  return dates;
}

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}
