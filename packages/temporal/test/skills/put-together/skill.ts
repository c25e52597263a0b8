export default async ({ texts, width }: { texts: string[]; width: number }): Promise<{ put: number }> => {
  let put = 0;
  for (let from = 0; from < texts.length; from += width) {
    const group = texts.slice(from, from + width);
    await Promise.all(group.map((text) => call_tool("ledger.put", { text })));
    put += group.length;
  }
  return { put };
};
