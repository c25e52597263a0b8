export default async ({
  texts,
}: {
  texts: string[];
}): Promise<{ put: number; at: number; chance: number }> => {
  let put = 0;
  for (const text of texts) {
    await call_tool("ledger.read", { text });
    await call_tool("ledger.put", { text });
    put++;
  }
  return { put, at: Date.now(), chance: Math.random() };
};
