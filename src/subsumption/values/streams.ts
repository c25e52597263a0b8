/** At most so many, from the first on. */
export function firsts<T>(stream: Iterable<T>, count: number): IteratorObject<T> {
  return Iterator.from(stream).take(count);
}

/** All that each of them leads to. */
export function flatMapped<T>(stream: Iterable<T>, wrap: (each: T) => Iterable<T>): IteratorObject<T> {
  return Iterator.from(stream).flatMap(wrap);
}

/** One of each in turn. */
export function* interleaved<T>(streams: readonly Iterator<T>[]): Generator<T> {
  let open = streams;
  while (open.length > 0) {
    const next: Iterator<T>[] = [];
    for (const stream of open) {
      const { value, done } = stream.next();
      if (done) continue;
      next.push(stream);
      yield value;
    }
    open = next;
  }
}
