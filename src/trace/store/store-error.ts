import type { Failure } from "../../core/error.ts";

/** Carries a failure through code that only knows exceptions. */
export class StoreError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}
