// Amounts and dates as people write them; printed code has the same as `amountIn` and `dateIn`.

/** How amounts are written. */
export interface AmountForm {
  /** Undefined: no amount tells. */
  readonly decimal?: "." | "," | undefined;
  /** The currency, `%` or unit that stands before or behind. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

const BEFORE = /^(?:\p{Lu}{0,3}\p{Sc} ?|\p{Lu}{3} )?$/u;
const AFTER = /^(?: ?\p{Sc}| ?\p{Lu}{3}| ?%)?$/u;
/** A unit in words: `kg`, `square metres`, `euros a month`, `km/h`. */
const UNIT =
  /^ (?:square |cubic )?(?!(?:am|pm|uhr)$)\p{Ll}{1,15}(?:(?: (?:a|an|each|per) |\/)\p{Ll}{1,15})?$/u;

/**
 * The number that an amount says; undefined where it is written in another form, or where it cannot be told whether a sign
 * stands between thousands or before decimals.
 */
export function amountIn(said: string, { decimal, before = "", after = "" }: AmountForm): number | undefined {
  const [, sign = "", rest = ""] = /^(-?)(.*)$/.exec(said) ?? [];
  if (!rest.startsWith(before) || !rest.endsWith(after)) return undefined;
  const written = rest.slice(before.length, rest.length - after.length);
  const found = new Set(
    (decimal === undefined ? [".", ","] : [decimal]).flatMap((point) => plainNumeral(written, point) ?? []),
  );
  const [numeral, ...others] = found;
  const isOpen = decimal === undefined && /^\d{1,3}[.,]\d{3}$/.test(written);
  return numeral === undefined || others.length > 0 || isOpen ? undefined : Number(sign + numeral);
}

/** Digits with at most a point, of digits with signs between thousands; never with three decimals, which could be thousands. */
function plainNumeral(written: string, point: string): string | undefined {
  const signs = `${point === "." ? "," : "."}'’ \u00A0\u202F`;
  const whole = String.raw`(?:0|[1-9]\d{0,2}(?:([${signs}])\d{3})(?:\1\d{3}){0,3}|[1-9]\d{0,14})`;
  const form = new RegExp(String.raw`^${whole}(?:[${point}](?:\d{1,2}|\d{4,12}))?$`);
  if (!form.test(written)) return undefined;
  return written.replaceAll(new RegExp(`[${signs}]`, "g"), "").replace(point, ".");
}

/** How amounts are all written; undefined where they are not, or are plain numerals. */
export function amountForm(amounts: readonly string[]): AmountForm | undefined {
  const [first = ""] = amounts;
  const [, before = "", after = ""] = /^-?(\D*)\d(?:.*\d)?(\D*)$/u.exec(first) ?? [];
  if (!BEFORE.test(before) || !(AFTER.test(after) || isUnit(after))) return undefined;
  const unit = { ...(before === "" ? {} : { before }), ...(after === "" ? {} : { after }) };
  const isWritten = (form: AmountForm): boolean =>
    amounts.every((amount) => amountIn(amount, form) !== undefined);
  const points = ([".", ","] as const).filter((decimal) => isWritten({ decimal, ...unit }));
  const isMarked =
    before !== "" || after !== "" || amounts.some((amount) => !/^-?\d+(?:\.\d+)?$/.test(amount));
  if (points.length === 0 || !isMarked) return undefined;
  const [decimal] = points;
  return points.length > 1 ? unit : { decimal, ...unit };
}

function isUnit(after: string): boolean {
  return UNIT.test(after) && !MONTHS.some((names) => names.split(" ").includes(after.trim()));
}

const MONTHS: readonly string[] = [
  "january jan januar jänner janvier enero ene gennaio gen januari janeiro",
  "february feb februar febr février févr fév febrero febbraio februari fevereiro fev",
  "march mar märz mär mrz mars marzo maart março",
  "april apr avril avr abril abr aprile",
  "may mai mayo maggio mag mei maio maj",
  "june jun juni juin junio giugno giu junho",
  "july jul juli juillet juil julio luglio lug julho",
  "august aug août agosto ago augustus augusti",
  "september sep sept septembre septiembre settembre set setembro",
  "october oct oktober okt octobre octubre ottobre ott outubro out",
  "november nov novembre noviembre novembro",
  "december dec dezember dez décembre déc diciembre dic dicembre dezembro",
];

/** The day that a text says with the month in words, as `2026-03-03`: `3 March 2026`, `3. März 2026`, `March 3rd, 2026`. */
export function dateIn(said: string): string | undefined {
  const plain = said.trim().replace(/^\p{L}+,?\s+(?=\d)/u, "");
  const [, day = "", word = "", year = ""] =
    /^(\d{1,2})(?:\.|st|nd|rd|th|er|º)?[\s-](?:of |de )?(\p{L}{3,})\.?,?[\s-](?:de )?(\d{4})$/u.exec(plain) ??
    [];
  const [, month = "", second = "", later = ""] =
    /^(\p{L}{3,})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/u.exec(
      said.trim().replace(/^\p{L}+, (?=\p{L})/u, ""),
    ) ?? [];
  const name = (word || month).toLowerCase();
  const at = MONTHS.findIndex((names) => names.split(" ").includes(name));
  if (at < 0) return undefined;
  const time = new Date(Date.UTC(Number(year || later), at, Number(day || second)));
  const isReal = time.getUTCDate() === Number(day || second) && time.getUTCFullYear() > 1900;
  return isReal ? time.toISOString().slice(0, 10) : undefined;
}

const WEEKDAYS: readonly string[] = [
  "monday mon montag lundi lunes lunedì maandag segunda-feira",
  "tuesday tue tues dienstag mardi martes martedì dinsdag terça-feira",
  "wednesday wed mittwoch mercredi miércoles mercoledì woensdag quarta-feira",
  "thursday thu thur thurs donnerstag jeudi jueves giovedì donderdag quinta-feira",
  "friday fri freitag vendredi viernes venerdì vrijdag sexta-feira",
  "saturday sat samstag sonnabend samedi sábado sabato zaterdag",
  "sunday sun sonntag dimanche domingo domenica zondag",
];

/** Whether words are all names of weekdays, or of months. */
export function areDayNames(words: readonly string[]): boolean {
  return [WEEKDAYS, MONTHS].some((names) => {
    const known = new Set(names.join(" ").split(" "));
    return words.every((word) => known.has(word.toLowerCase()));
  });
}

/** Printed code knows the same months. */
export const MONTH_NAMES: readonly string[] = MONTHS;
