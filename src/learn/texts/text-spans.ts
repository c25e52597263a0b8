/** A part of a text, with what stands around it. */
export interface TextSpan {
  readonly before: string;
  readonly part: string;
  readonly after: string;
}

const MAX_TOKENS = 40;

/** The parts of a text that begin and end where words and marks do, the longest first, without the whole text. */
export function textSpans(text: string): readonly TextSpan[] {
  const tokens = [...text.matchAll(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu)];
  if (tokens.length > MAX_TOKENS) return [];
  const spans: TextSpan[] = [];
  for (const [first, { index: start }] of tokens.entries())
    for (const last of tokens.slice(first)) {
      const end = last.index + last[0].length;
      const part = text.slice(start, end);
      if (part.length > 1 && part.length < text.length && /[\p{L}\p{N}]/u.test(part))
        spans.push({ before: text.slice(0, start), part, after: text.slice(end) });
    }
  return spans.sort((a, b) => b.part.length - a.part.length);
}
