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
  /**
   * IATA code of the airport to start from; those nearby are tried as well
   * @pattern ^[A-Z]{3}$ @example BER
   */
  origin: string;
  /** The day of planning, from which on a visa can be had @format date */
  today: string;
  /** First day on which the trip may start @format date */
  from: string;
  /** Day on which one must be back @format date */
  to: string;
  /** @minimum 1 @maximum 28 */
  nights: Integer;
  /** What all of it may cost, in euros @minimum 1 */
  budget: Integer;
  tastes: Tastes;
  /**
   * What a night in a hotel rated 5 is worth more than one in a hotel rated 3, in euros
   * @minimum 0 @default 90
   */
  comfort?: number;
  /** What an hour of travel costs the traveller, in euros @minimum 0 @default 12 */
  hourCost?: number;
  /** Hours of travel one way, at most @exclusiveMinimum 0 @default 8 */
  maxFlightHours?: number;
  /** Country of the passport, two letters (ISO 3166) @pattern ^[A-Z]{2}$ @default DE */
  passport?: string;
  /**
   * IATA codes of the destinations to weigh
   * @pattern ^[A-Z]{3}$ @minItems 1 @maxItems 6 @uniqueItems @default ["FNC","HER","INN","LIS","RAK","ZNZ"]
   */
  destinations?: string[];
  /** What looking further must gain at least to be worth it, in euros @minimum 0 @default 25 */
  searchCost?: number;
  /**
   * The round that explores all that are left; more than 2 nest calls deeper than the default limit
   * @minimum 1 @maximum 6 @default 2
   */
  rounds?: Integer;
  /** What earlier rounds found: leave it out */
  progress?: Progress;
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
  /** What to do there, the best for these tastes first */
  activities: string[];
}

export interface Output {
  /** The trip with the highest net value; null where none is possible */
  best: Option | null;
  /** The best trips of explored destinations, cheapest first, without those beaten in both price and worth */
  frontier: Option[];
  search: {
    /** @minimum 1 */
    rounds: Integer;
    /** Destinations that dropped out before anything was worked out for them */
    impossible: Impossible[];
    /** Destinations that were explored, most promising first */
    explored: string[];
    /** Destinations that were not, since they could not gain enough */
    skipped: { destination: string; promise: number }[];
    /** Departures of the explored destinations that were priced */
    pricedDepartures: Integer;
    /** And those that were not, since they could not gain enough */
    skippedDepartures: Integer;
    /** No trip is better than the best by more than this, in euros @minimum 0 */
    gap: number;
  };
}

export interface Progress {
  /** The round that comes */
  round: Integer;
  /** What is still to be explored, most promising first */
  open: Candidate[];
  /** The best trip of each destination explored, best first */
  found: Option[];
  impossible: Impossible[];
  explored: Explored[];
  skipped: { destination: string; promise: number }[];
}

interface Impossible {
  destination: string;
  failed: ("visa" | "budget" | "dates" | "flight")[];
}

interface Candidate {
  destination: string;
  promise: number;
  departures: { date: string; worth: number; promise: number }[];
  activities: string[];
  visaFee: Integer;
}

interface Explored {
  destination: string;
  bound: number | null;
  priced: Integer;
  skipped: Integer;
}

const ALL = ["FNC", "HER", "INN", "LIS", "RAK", "ZNZ"];
const EXPLORED_AT_ONCE = 2;
const MOST_DEPARTURES = 49;

export default async function tripOptimize(input: Input): Promise<Output> {
  const { rounds = 2, searchCost = 25 } = input;
  const before = input.progress ?? (await survey(input));
  const chosen = before.round < rounds ? before.open.slice(0, EXPLORED_AT_ONCE) : before.open;
  const beat = before.found[0] && before.found[0].net + searchCost;
  const results = await Promise.all(chosen.map((candidate) => explore(input, candidate, beat)));

  const found = [...before.found, ...results.flatMap(({ option }) => option ?? [])].sort(
    (a, b) => b.net - a.net,
  );
  const rest = before.open.slice(chosen.length);
  const enough = (found[0]?.net ?? Number.NEGATIVE_INFINITY) + searchCost;
  const after: Progress = {
    round: before.round + 1,
    open: rest.filter(({ promise }) => promise > enough),
    found,
    impossible: before.impossible,
    explored: [...before.explored, ...results.map(({ explored }) => explored)],
    skipped: [
      ...before.skipped,
      ...rest
        .filter(({ promise }) => promise <= enough)
        .map(({ destination, promise }) => ({ destination, promise })),
    ],
  };
  return after.open.length === 0 ? report(after) : call_skill("trip-optimize", { ...input, progress: after });
}

async function survey(input: Input): Promise<Progress> {
  const { from, to, nights, destinations = ALL } = input;
  if (daysBetween(from, to) - nights >= MOST_DEPARTURES) {
    throw new RangeError(
      `more than ${MOST_DEPARTURES} days on which the trip could start; narrow the period`,
    );
  }
  const assessed = await Promise.all(destinations.map((destination) => assess(input, destination)));
  return {
    round: 1,
    open: assessed.flatMap((each) => ("promise" in each ? each : [])).sort((a, b) => b.promise - a.promise),
    found: [],
    impossible: assessed.flatMap((each) => ("failed" in each ? each : [])),
    explored: [],
    skipped: [],
  };
}

async function assess(input: Input, destination: string): Promise<Candidate | Impossible> {
  const { origin, today, from, to, nights, budget, maxFlightHours, passport } = input;
  const { feasible, failed, departures }: Feasibility = await call_skill("feasibility-check", {
    origin,
    destination,
    from,
    to,
    nights,
    budget,
    maxFlightHours,
    passport,
    today,
  });
  if (!feasible) return { destination, failed };
  const { tastes, comfort, hourCost } = input;
  const value: Evaluation = await call_skill("destination-evaluate", {
    origin,
    destination,
    departures,
    nights,
    tastes,
    comfort,
    hourCost,
    passport,
  });
  const { promise, activities, visaFee } = value;
  return { destination, promise, departures: value.departures, activities, visaFee };
}

async function explore(
  input: Input,
  { destination, departures, visaFee, activities }: Candidate,
  beat: number | undefined,
): Promise<{ explored: Explored; option: Option | undefined }> {
  const { origin, nights, budget, maxFlightHours, comfort, hourCost, searchCost } = input;
  const { best, bound, priced, skipped }: Exploration = await call_skill("option-explore", {
    origin,
    destination,
    departures,
    nights,
    budget,
    visaFee,
    maxFlightHours,
    comfort,
    hourCost,
    searchCost,
    beat,
  });
  return {
    explored: { destination, bound, priced, skipped },
    option: best === null ? undefined : { ...best, activities },
  };
}

function report({ round, found, impossible, explored, skipped }: Progress): Output {
  const [best = null] = found;
  const bounds = [...explored.flatMap(({ bound }) => bound ?? []), ...skipped.map(({ promise }) => promise)];
  return {
    best,
    frontier: found
      .filter((option) => !found.some((other) => isBeaten(option, other)))
      .sort((a, b) => a.price - b.price),
    search: {
      rounds: round - 1,
      impossible,
      explored: explored.map(({ destination }) => destination),
      skipped,
      pricedDepartures: explored.reduce((sum, { priced }) => sum + priced, 0),
      skippedDepartures: explored.reduce((sum, each) => sum + each.skipped, 0),
      gap: best === null ? 0 : Math.max(0, ...bounds.map((bound) => cents(bound - best.net))),
    },
  };
}

function isBeaten(option: Option, other: Option): boolean {
  const isAsGood = other.price <= option.price && other.worth >= option.worth;
  return isAsGood && (other.price < option.price || other.worth > option.worth);
}

interface Feasibility {
  feasible: boolean;
  failed: Impossible["failed"];
  departures: string[];
}

interface Evaluation {
  promise: number;
  departures: Candidate["departures"];
  activities: string[];
  visaFee: number;
}

interface Exploration {
  best: Omit<Option, "activities"> | null;
  bound: number | null;
  priced: number;
  skipped: number;
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

function cents(euros: number): number {
  return Math.round(euros * 100) / 100;
}
