import { pdfOf } from "./pdf.ts";

export interface Input {
  /**
   * Where to save it, as the file server counts paths
   * @pattern ^[^\\:*?"<>|]+\.pdf$ @example reports/tides.pdf
   */
  path: string;
  /** @minLength 1 @maxLength 200 */
  title: string;
  /** @minItems 1 */
  paragraphs: string[];
  /** Where the text comes from; listed at its end @format uri @default [] */
  sources?: string[];
}

export interface Output {
  path: string;
  pages: Integer;
  bytes: Integer;
  /** @format date-time */
  savedAt: string;
}

export default async function pdfSave({ path, title, paragraphs, sources = [] }: Input): Promise<Output> {
  const savedAt = new Date().toISOString();
  const list = sources.length === 0 ? [] : [`Sources\n${sources.join("\n")}`];
  const { content, pages } = pdfOf({
    title,
    savedAt,
    paragraphs: [title, ...paragraphs, ...list, `Saved ${savedAt}`],
  });
  await call_tool("files.write", { path, content });
  return { path, pages, bytes: content.length, savedAt };
}
