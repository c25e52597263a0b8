export default async ({ text, looks = 3 }: { text: string; looks?: number }): Promise<{ text: string }> => {
  for (let nth = 0; nth < looks; nth++) await call_tool("ledger.read", { text });
  const put = await call_tool("ledger.put", { text });
  return { text: put.text };
};
