export default async function square({ x }: { x: number }): Promise<{ result: number }> {
  const product: { result: number } = await call_skill("multiply", { a: x, b: x });
  return { result: product.result };
}
