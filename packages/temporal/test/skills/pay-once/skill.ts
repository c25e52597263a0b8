export default async ({ text }: { text: string }): Promise<{ text: string }> => {
  const paid = await call_tool("ledger.pay", { text });
  return { text: paid.text };
};
