export interface Line {
  description: string;
  /** @minimum 1 */
  quantity: Integer;
  /** Price of one, in cents @minimum 0 */
  unitCents: Integer;
  /** Tax in percent @minimum 0 @maximum 100 @default 0 */
  taxPercent?: number;
}

export interface Input {
  currency: "EUR" | "USD" | "GBP";
  /** @minItems 1 */
  lines: Line[];
  discount?: { kind: "percent"; percent: number } | { kind: "amount"; cents: Integer };
}

export interface Output {
  currency: string;
  netCents: Integer;
  taxes: { percent: number; cents: Integer }[];
  grossCents: Integer;
}

export default function invoiceTotal({ currency, lines, discount }: Input): Output {
  const full = lines.reduce((sum, line) => sum + line.quantity * line.unitCents, 0);
  const netCents = full - discountOn(full, discount);
  const share = full === 0 ? 0 : netCents / full;

  const byRate = new Map<number, number>();
  for (const { quantity, unitCents, taxPercent = 0 } of lines) {
    if (taxPercent > 0) byRate.set(taxPercent, (byRate.get(taxPercent) ?? 0) + quantity * unitCents * share);
  }
  const taxes = [...byRate]
    .sort(([a], [b]) => a - b)
    .map(([percent, base]) => ({ percent, cents: Math.round((base * percent) / 100) }));
  return { currency, netCents, taxes, grossCents: netCents + taxes.reduce((sum, tax) => sum + tax.cents, 0) };
}

function discountOn(full: number, discount: Input["discount"]): number {
  if (discount === undefined) return 0;
  const cents = discount.kind === "percent" ? Math.round((full * discount.percent) / 100) : discount.cents;
  if (cents < 0 || cents > full)
    throw new RangeError(`a discount of ${cents} cents does not fit a total of ${full}`);
  return cents;
}
