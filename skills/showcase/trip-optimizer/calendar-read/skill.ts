import { APPOINTMENTS } from "./appointments.ts";

export interface Input {
  /** First day @format date */
  from: string;
  /** Last day, at most a year later @format date */
  to: string;
  /** Only free periods of at least so many days @minimum 1 @default 1 */
  minDays?: Integer;
}

export interface Period {
  /** @format date */
  from: string;
  /** The last day that belongs to it @format date */
  to: string;
  /** @minimum 1 */
  days: Integer;
}

export interface Appointment {
  title: string;
  /** @format date */
  from: string;
  /** @format date */
  to: string;
}

export interface Output {
  /** Days in a row without an appointment, earliest first */
  free: Period[];
  /** Appointments that touch the period, earliest first */
  appointments: Appointment[];
}

export default function calendarRead({ from, to, minDays = 1 }: Input): Output {
  if (to < from) throw new RangeError(`the period ends on ${to}, before it begins on ${from}`);
  if (daysBetween(from, to) > 366) throw new RangeError("ask for at most a year");
  const appointments = APPOINTMENTS.filter((each) => each.from <= to && each.to >= from)
    .map((each) => ({ ...each }))
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const free: Period[] = [];
  let start = from;
  for (const { from: begins, to: ends } of [...appointments, { from: dayAfter(to, 1), to }]) {
    if (start < begins)
      free.push({ from: start, to: dayAfter(begins, -1), days: daysBetween(start, begins) });
    if (ends >= start) start = dayAfter(ends, 1);
  }
  return { free: free.filter(({ days }) => days >= minDays), appointments };
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}
