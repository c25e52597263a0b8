export interface Input {
  /** The day, as in 2031-12-24 @format date */
  date: string;
}

export interface Output {
  today: string;
  /** Negative for a day that is past */
  days: Integer;
}

const DAY_MS = 86_400_000;

export default function daysUntil({ date }: Input): Output {
  const today = new Date().toISOString().slice(0, 10);
  return { today, days: Math.round((Date.parse(date) - Date.parse(today)) / DAY_MS) };
}
