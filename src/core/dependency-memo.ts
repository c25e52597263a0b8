/** A result for each subject, made again only where something that it depends on is another than it was. */
export class DependencyMemo<Subject extends object, Result> {
  readonly #kept = new WeakMap<Subject, Kept<Result>>();

  /** `make` may depend on the subject, which never changes, and on these alone. */
  of(subject: Subject, dependencies: readonly unknown[], make: () => Result): Result {
    const kept = this.#kept.get(subject);
    const isSame =
      kept?.dependencies.length === dependencies.length &&
      kept.dependencies.every((each, index) => each === dependencies[index]);
    if (isSame) return kept.result;
    const result = make();
    this.#kept.set(subject, { dependencies, result });
    return result;
  }
}

interface Kept<Result> {
  readonly dependencies: readonly unknown[];
  readonly result: Result;
}
