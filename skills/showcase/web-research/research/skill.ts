export interface Input {
  /** What is to be found out @minLength 3 @maxLength 400 */
  query: string;
  /** Where to look @default web */
  focus?: "web" | "academic" | "news";
  /** Where to save the answer, if it is to be saved @pattern \.pdf$ @example reports/tides.pdf */
  saveTo?: string;
}

export interface Source {
  /** @format uri */
  url: string;
  title: string;
  /** The host's name */
  site: string;
  /** Whether it bears the answer out */
  supports: boolean;
}

export interface Output {
  answer: string;
  sources: Source[];
  /** Independent sites that bear the answer out, in order of the alphabet @uniqueItems */
  sites: string[];
  /** How well the answer is supported @minimum 0 @maximum 1 */
  confidence: number;
  /** Questions that lead further */
  related: string[];
  /** Where it was saved; null where it was not */
  savedTo: string | null;
}

interface Found {
  answer: string;
  sources: { url: string; title: string; excerpt: string }[];
  related: string[];
}

export default async function research({ query, focus = "web", saveTo }: Input): Promise<Output> {
  const { answer, sources: found, related }: Found = await call_skill("web-search", { query, focus });
  const words = longWords(answer);
  const sources = found.map(({ url, title, excerpt }) => {
    const shared = longWords(`${title} ${excerpt}`);
    const supports = [...words].filter((word) => shared.has(word)).length * 3 >= words.size;
    return { url, title, site: siteOf(url), supports: supports && words.size > 0 };
  });
  const sites = [...new Set(sources.filter(({ supports }) => supports).map(({ site }) => site))].sort();
  if (saveTo !== undefined) {
    await call_skill("pdf-save", {
      path: saveTo,
      title: query,
      paragraphs: [answer],
      sources: found.map(({ url }) => url),
    });
  }
  const confidence = Math.round((1 - 0.5 ** sites.length) * 100) / 100;
  return { answer, sources, sites, confidence, related, savedTo: saveTo ?? null };
}

function longWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []);
}

function siteOf(url: string): string {
  return (/^[a-z]+:\/\/(?:www\.)?([^/:?#]+)/i.exec(url)?.[1] ?? url).toLowerCase();
}
