import unhomoglyph from "unhomoglyph";

/**
 * What a name is compared by: names of which any keys are equal look like one name. They may differ in case, width,
 * invisible characters, and look-alikes (the confusables of Unicode's UTS #39).
 */
export function nameKeys(name: string): readonly string[] {
  const known = keysOf.get(name);
  if (known) return known;
  const visible = name.toWellFormed().replaceAll(INVISIBLE, "");
  const plain = visible.normalize("NFKC");
  // Which letter looks like which changes with case: capital I looks like a small l, its small letter does not.
  const keys = [...new Set([folded(folded(plain)), folded(skeleton(plain)), folded(skeleton(visible))])];
  if (keysOf.size >= MAX_KNOWN) keysOf.clear();
  keysOf.set(name, keys);
  return keys;
}

/** Whether two names look like one. */
export function isSameName(a: string, b: string): boolean {
  const keys = nameKeys(a);
  return nameKeys(b).some((key) => keys.includes(key));
}

const keysOf = new Map<string, readonly string[]>();
const MAX_KNOWN = 100_000;

/** Spaces, too: nobody can tell the thin ones from none. */
const INVISIBLE = /[\p{C}\p{Z}\s\p{Default_Ignorable_Code_Point}\u2800]/gu;

function folded(text: string): string {
  return skeleton(text.toLowerCase());
}

function skeleton(text: string): string {
  return unhomoglyph(text.normalize("NFD")).normalize("NFD");
}
