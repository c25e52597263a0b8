/** A date that a text says, and the form in which it does. */
export interface ParsedDate {
  /** Milliseconds since 1970 of the day's begin. */
  readonly day: number;
  readonly format: string;
}

const FORMS: readonly (readonly [
  RegExp,
  string,
  order: readonly [year: number, month: number, day: number],
])[] = [
  [/^(\d{4})-(\d{2})-(\d{2})$/, "YYYY-MM-DD", [1, 2, 3]],
  [/^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}$/, "YYYY-MM-DDThh:mm:ss", [1, 2, 3]],
  [/^(\d{4})-(\d{2})-(\d{2}) \d{2}:\d{2}:\d{2}$/, "YYYY-MM-DD hh:mm:ss", [1, 2, 3]],
  [/^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}Z$/, "YYYY-MM-DDThh:mm:ssZ", [1, 2, 3]],
  [/^(\d{4})\/(\d{2})\/(\d{2})$/, "YYYY/MM/DD", [1, 2, 3]],
  [/^(\d{2})\/(\d{2})\/(\d{4})$/, "MM/DD/YYYY", [3, 1, 2]],
  [/^(\d{2})\.(\d{2})\.(\d{4})$/, "DD.MM.YYYY", [3, 2, 1]],
  [/^(\d{4})(\d{2})(\d{2})$/, "YYYYMMDD", [1, 2, 3]],
];

export function parseDate(text: string): ParsedDate | undefined {
  for (const [form, format, [year, month, day]] of FORMS) {
    const parts = form.exec(text);
    if (!parts) continue;
    const time = Date.UTC(Number(parts[year]), Number(parts[month]) - 1, Number(parts[day]));
    const isReal = new Date(time).getUTCDate() === Number(parts[day]);
    return isReal && Number(parts[year]) > 1900 && Number(parts[year]) < 2200
      ? { day: time, format }
      : undefined;
  }
  return undefined;
}

/** What a day with its time says by itself: the time, or the day. */
export function partsOfTime(text: string): readonly { readonly text: string; readonly format: string }[] {
  const [, day = "", time = "", seconds = ""] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(?!\d)/.exec(text) ?? [];
  if (day === "") return [];
  return [
    { text: time, format: "hh:mm" },
    { text: day, format: "YYYY-MM-DD" },
    ...(seconds === "" ? [] : [{ text: time + seconds, format: "hh:mm:ss" }]),
  ];
}

/** A day with its time, of which the parts may be told apart. */
interface PartedTime {
  readonly day: string;
  /** Between the two. */
  readonly sign: string;
  /** How the time may be written. */
  readonly times: readonly string[];
  readonly format: string;
}

export function partedTime(text: string): PartedTime | undefined {
  const [, day, sign, time, seconds = "", zone = ""] =
    /^(\d{4}-\d{2}-\d{2})([T ])(\d{2}:\d{2})(:\d{2})?(Z?)$/.exec(text) ?? [];
  if (day === undefined || sign === undefined || time === undefined) return undefined;
  // Seconds that are none need not be told, and an hour may have one digit.
  const long = seconds === "" || seconds === ":00" ? [time, `${time}:00`] : [time + seconds];
  return {
    day,
    sign,
    times: long.flatMap((each) => (each.startsWith("0") ? [each, each.slice(1)] : [each])),
    format: `YYYY-MM-DD${sign}hh:mm${seconds === "" ? "" : ":ss"}${zone}`,
  };
}

/** What printed code gives for a date that is written from the year to the day. */
export function formattedDate(text: string, days: number, format: string): string | undefined {
  const parts = DAY_WITH_TIME.exec(text);
  // A time is told by what has one; midnight is that of a day alone.
  const isTimed = format.includes("hh") && (text.length > 10 || !format.includes("YYYY"));
  if (!parts || (parts[4] === undefined && isTimed)) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const iso = new Date(Date.UTC(year, month - 1, day + days, hour, minute, second)).toISOString();
  if (iso.length > 24) return undefined;
  const signs: Readonly<Record<string, string>> = {
    YYYY: iso.slice(0, 4),
    MM: iso.slice(5, 7),
    DD: iso.slice(8, 10),
    hh: iso.slice(11, 13),
    mm: iso.slice(14, 16),
    ss: iso.slice(17, 19),
  };
  return format.replaceAll(/YYYY|MM|DD|hh|mm|ss/g, (sign) => signs[sign] ?? sign);
}

const DAY_WITH_TIME =
  /^(?!00)(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?(?![\d:]|\s*[AaPp]\.?[Mm]))?/;
