export interface Input {
  /** @minLength 1 @maxLength 80 */
  title: string;
  text: string;
  /** @uniqueItems true @default [] */
  tags?: string[];
}

export interface Output {
  path: string;
  bytes: Integer;
}

export default async function noteSave({ title, text, tags = [] }: Input): Promise<Output> {
  const slug = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const path = `${slug || "note"}.md`;
  const content = `# ${title}\n\n${tags.map((tag) => `#${tag}`).join(" ")}\n\n${text}\n`;
  await call_tool("notes.write_file", { path, content });
  return { path, bytes: content.length };
}
