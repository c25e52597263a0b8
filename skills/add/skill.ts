export default function add({ a, b }: { a: number; b: number }): { result: number } {
  return { result: a + b };
}
