let last = { at: 0, text: "" };

/** The current time as ISO 8601 has it, in UTC and milliseconds. To write it takes longer than to know that it is still the same. */
export function isoNow(): string {
  const at = Date.now();
  if (at !== last.at) last = { at, text: new Date(at).toISOString() };
  return last.text;
}
