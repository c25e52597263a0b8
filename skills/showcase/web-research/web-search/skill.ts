export interface Input {
  /** What is to be found out @minLength 3 @maxLength 400 */
  query: string;
  /** Where to look @default web */
  focus?: "web" | "academic" | "news";
  /** Sources at most @minimum 1 @maximum 20 @default 5 */
  limit?: Integer;
}

export interface Source {
  /** @format uri */
  url: string;
  title: string;
  /** What of it bears on the question */
  excerpt: string;
}

export interface Output {
  answer: string;
  /** Most relevant first */
  sources: Source[];
  /** Questions that lead further */
  related: string[];
}

interface Found {
  answer: string;
  results: Source[];
  related?: string[];
}

export default async function webSearch({ query, focus = "web", limit = 5 }: Input): Promise<Output> {
  const { answer, results, related = [] }: Found = await call_tool("web.search", { query, focus, limit });
  return {
    answer,
    sources: results.slice(0, limit).map(({ url, title, excerpt }) => ({ url, title, excerpt })),
    related,
  };
}
