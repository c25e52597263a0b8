export interface Input {
  /** @exclusiveMinimum 0 */
  a: number;
  /** @exclusiveMinimum 0 */
  b: number;
}

export interface Output {
  hypotenuse: number;
  formula: string;
}

export default async function hypotenuse({ a, b }: Input): Promise<Output> {
  const sum: { result: number } = await call_skill("sum-of-squares", { a, b });
  return { hypotenuse: Math.sqrt(sum.result), formula: "√(a² + b²)" };
}
