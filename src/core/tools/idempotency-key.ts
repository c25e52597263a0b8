/** Under which name in `_meta` of a call a text travels that is the same for each attempt of the same call. */
export const IDEMPOTENCY_KEY = "repertoire/idempotencyKey";
