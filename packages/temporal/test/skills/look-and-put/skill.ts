export default async ({ text }: { text: string }): Promise<{ text: string }> => {
  for (const _ of [1, 2, 3]) await call_tool("ledger.read", { text });
  const put = await call_tool("ledger.put", { text });
  return { text: put.text };
};
