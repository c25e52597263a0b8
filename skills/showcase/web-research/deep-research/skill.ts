export interface Input {
  /** What is to be found out @minLength 3 @maxLength 400 */
  query: string;
  /** The confidence that is enough @minimum 0 @maximum 0.99 @default 0.9 */
  enough?: number;
  /** Levels of related questions below this one @minimum 0 @maximum 2 @default 2 */
  levels?: Integer;
  /** Related questions followed for each question, at most @minimum 1 @maximum 5 @default 3 */
  breadth?: Integer;
  /** Where to save the report, if it is to be saved @pattern \.pdf$ @example reports/tides.pdf */
  saveTo?: string;
  /** What the questions above this one have found: leave it out */
  known?: Known;
}

export interface Known {
  /** Questions asked */
  asked: string[];
  /** Sites that bear answers out */
  sites: string[];
}

export interface Finding {
  query: string;
  answer: string;
  /** How many questions it is away from the first @minimum 0 */
  distance: Integer;
  /** @format uri */
  sources: string[];
}

export interface Output {
  /** The question's own answer first */
  findings: Finding[];
  /** All that is known now */
  known: Known;
  /** Over all findings @minimum 0 @maximum 1 */
  confidence: number;
  /** Why it ended */
  ended: "confident" | "no more questions" | "no more levels";
  /** Where it was saved; null where it was not */
  savedTo: string | null;
}

interface Answer {
  answer: string;
  sources: { url: string; supports: boolean }[];
  sites: string[];
  related: string[];
}

export default async function deepResearch(input: Input): Promise<Output> {
  const {
    query,
    enough = 0.9,
    levels = 2,
    breadth = 3,
    saveTo,
    known: before = { asked: [], sites: [] },
  } = input;
  const own: Answer = await call_skill("research", { query });
  const sources = own.sources.filter(({ supports }) => supports).map(({ url }) => url);
  const findings: Finding[] = [{ query, answer: own.answer, distance: 0, sources }];
  let known: Known = { asked: [...before.asked, query], sites: union(before.sites, own.sites) };

  if (levels > 0) {
    for (const related of own.related.slice(0, breadth)) {
      if (confidenceIn(known) >= enough) break;
      if (known.asked.includes(related)) continue;
      const below: Output = await call_skill("deep-research", {
        query: related,
        enough,
        levels: levels - 1,
        breadth,
        known,
      });
      findings.push(...below.findings.map((finding) => ({ ...finding, distance: finding.distance + 1 })));
      known = below.known;
    }
  }

  if (saveTo !== undefined) {
    await call_skill("pdf-save", {
      path: saveTo,
      title: query,
      paragraphs: findings.map((finding) => `${finding.query}\n${finding.answer}`),
      sources: union(findings.flatMap((finding) => finding.sources)),
    });
  }
  const confidence = confidenceIn(known);
  const unasked = own.related.some((related) => !known.asked.includes(related));
  return {
    findings,
    known,
    confidence,
    ended:
      confidence >= enough ? "confident" : levels === 0 && unasked ? "no more levels" : "no more questions",
    savedTo: saveTo ?? null,
  };
}

function confidenceIn({ sites }: Known): number {
  return Math.round((1 - 0.5 ** sites.length) * 100) / 100;
}

function union(...lists: (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}
