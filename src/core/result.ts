/** What an operation that may fail in an expected way gives back. Bugs are thrown instead. */
export type Result<Value, Failed = import("./error.ts").Failure> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Failed };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function fail<Failed>(error: Failed): { readonly ok: false; readonly error: Failed } {
  return { ok: false, error };
}
