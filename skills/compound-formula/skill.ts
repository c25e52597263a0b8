export interface Input {
  x: number;
  y: number;
  z: number;
}

export default async function compoundFormula({ x, y, z }: Input): Promise<{ result: number }> {
  const [twice, thrice] = await Promise.all([calculated("multiply", x, 2), calculated("multiply", y, 3)]);
  const sum = await calculated("add", twice, thrice);
  return { result: await calculated("add", sum, z) };
}

async function calculated(operation: "add" | "multiply", a: number, b: number): Promise<number> {
  const { result } = await call_skill("calculator", { operation, a, b });
  return result;
}
