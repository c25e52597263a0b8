import { ACTIVITIES } from "./activities.ts";

type Kind = "beach" | "culture" | "food" | "hiking" | "snow";

export interface Input {
  /** IATA code of the destination's airport @pattern ^[A-Z]{3}$ @example LIS */
  destination: string;
  /** Only activities of these kinds; all of them unless told @uniqueItems @minItems 1 */
  kinds?: Kind[];
}

export interface Activity {
  name: string;
  kind: Kind;
  /** Of 5 @minimum 0 @maximum 5 */
  rating: number;
  /** The weather in which it can be done */
  weather: ("sun" | "cloud" | "rain")[];
  /** The months in which it can be done, January being 1; all of them where absent */
  months?: Integer[];
}

export interface Output {
  /** Best rated first */
  activities: Activity[];
  /** Which part of the kinds asked for there is @minimum 0 @maximum 1 */
  match: number;
}

export default function activitySearch({ destination, kinds }: Input): Output {
  const known = ACTIVITIES[destination];
  if (!known) {
    throw new RangeError(
      `no activities known in ${destination}; known are ${Object.keys(ACTIVITIES).join(", ")}`,
    );
  }
  const found = known.filter(({ kind }) => !kinds || kinds.includes(kind));
  const there = new Set(found.map(({ kind }) => kind));
  return {
    activities: found
      .map((activity) => ({
        ...activity,
        weather: [...activity.weather],
        months: activity.months && [...activity.months],
      }))
      .sort((a, b) => b.rating - a.rating),
    match: kinds ? Math.round((there.size / kinds.length) * 100) / 100 : 1,
  };
}
