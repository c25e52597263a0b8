export default async ({ ms }: { ms: number }): Promise<{ waited: boolean }> => {
  const before = Date.now();
  await call_tool("repertoire.wait", { ms });
  await call_tool("ledger.put", { text: "later" });
  return { waited: Date.now() - before >= ms };
};
