export default async ({
  text,
  how,
}: {
  text: string;
  how: "throw" | "refused" | "output";
}): Promise<{ text: string }> => {
  const put = await call_tool("ledger.put", { text });
  if (how === "throw") throw new Error("no more");
  if (how === "refused") await call_tool("ledger.read", { text: 7 });
  return how === "output" ? ({} as { text: string }) : put;
};
