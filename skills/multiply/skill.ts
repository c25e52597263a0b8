export default function multiply({ a, b }: { a: number; b: number }): { result: number } {
  return { result: a * b };
}
