interface Line {
  description: string;
  /** @minimum 1 */
  quantity: Integer;
  /** @minimum 0 */
  unitCents: Integer;
  /** @default 0 */
  taxPercent?: number;
}

export interface Input {
  currency: "EUR" | "USD" | "GBP";
  /** @minItems 2 */
  offers: { supplier: string; lines: Line[] }[];
}

export interface Output {
  cheapest: string;
  /** Cheapest first */
  ranking: { supplier: string; grossCents: Integer; aboveCheapestCents: Integer }[];
}

export default async function quoteCompare({ currency, offers }: Input): Promise<Output> {
  const totals: { grossCents: number }[] = await Promise.all(
    offers.map(({ lines }) => call_skill("invoice-total", { currency, lines })),
  );
  const ranked = offers
    .map(({ supplier }, index) => ({ supplier, grossCents: totals[index]?.grossCents ?? 0 }))
    .sort((a, b) => a.grossCents - b.grossCents);
  const [best = { supplier: "", grossCents: 0 }] = ranked;
  return {
    cheapest: best.supplier,
    ranking: ranked.map((offer) => ({ ...offer, aboveCheapestCents: offer.grossCents - best.grossCents })),
  };
}
