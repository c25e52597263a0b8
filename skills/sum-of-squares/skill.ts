interface Result {
  result: number;
}

export default async function sumOfSquares({ a, b }: { a: number; b: number }): Promise<Result> {
  const squares: Result[] = await Promise.all([
    call_skill("square", { x: a }),
    call_skill("square", { x: b }),
  ]);
  const [first = { result: 0 }, second = { result: 0 }] = squares;
  const sum: Result = await call_skill("add", { a: first.result, b: second.result });
  return { result: sum.result };
}
