import { basename } from "node:path";
import { nameKeys } from "../core/name-keys.ts";
import { isWithin } from "./is-within.ts";

/** A folder that wants a name. */
export interface NameClaim {
  readonly name: string;
  /** The folder, absolute. */
  readonly path: string;
}

/** Who keeps a folder from its name: the owner, or all that want it where nothing decides between them. */
export type NameDenial =
  | { readonly kind: "owned"; readonly owner: NameClaim }
  | { readonly kind: "undecided"; readonly claims: readonly NameClaim[] };

export interface NameContext {
  /** The configured folders, absolute. */
  readonly roots: readonly string[];
  /** The folder that has each name now. */
  readonly ownerBefore: (name: string) => string | undefined;
}

/**
 * The claims that are denied, by folder. A name, and with it all that look like it, belongs to a folder of that name;
 * among several, to the one in the first root, then to the one that has it already, then to the one with a name that
 * anybody can type. What decides does not depend on the order of folders within a root.
 */
export function deniedNames(
  claims: readonly NameClaim[],
  context: NameContext,
): ReadonlyMap<string, NameDenial> {
  const denied = new Map<string, NameDenial>();
  const owners = new Map<string, NameClaim>();
  const undecided = new Map<string, readonly NameClaim[]>();
  const byRank = Map.groupBy(claims, (claim) => rankOf(claim, context));
  for (const rank of [...byRank.keys()].toSorted((a, b) => a - b)) {
    const waiting: NameClaim[] = [];
    for (const claim of byRank.get(rank) ?? []) {
      const owner = firstOf(owners, claim);
      const rivals = firstOf(undecided, claim);
      if (owner) denied.set(claim.path, { kind: "owned", owner });
      else if (rivals) denied.set(claim.path, { kind: "undecided", claims: [...rivals, claim] });
      else waiting.push(claim);
    }
    const byKey = claimsByKey(waiting);
    for (const claim of waiting) {
      const groups = nameKeys(claim.name).flatMap((key) => [byKey.get(key) ?? []]);
      const rivals = groups.length === 1 ? (groups[0] ?? []) : [...new Set(groups.flat())];
      if (rivals.length > 1) denied.set(claim.path, { kind: "undecided", claims: rivals });
      for (const key of nameKeys(claim.name)) {
        if (rivals.length > 1) undecided.set(key, rivals);
        else owners.set(key, claim);
      }
    }
  }
  return denied;
}

/** The lower, the better. */
function rankOf({ name, path }: NameClaim, { roots, ownerBefore }: NameContext): number {
  const bears = basename(path).normalize("NFKC") === name.normalize("NFKC");
  const root = roots.findIndex((each) => isWithin(path, each));
  const has = ownerBefore(name) === path;
  const digits = [bears ? 0 : 1, root === -1 ? roots.length : root, has ? 0 : 1, TYPED.test(name) ? 0 : 1];
  return digits.reduce((rank, digit) => rank * (roots.length + 2) + digit, 0);
}

const TYPED = /^[a-z0-9_-]+$/;

function firstOf<Value>(byKey: ReadonlyMap<string, Value>, { name }: NameClaim): Value | undefined {
  for (const key of nameKeys(name)) {
    const value = byKey.get(key);
    if (value !== undefined) return value;
  }
  return undefined;
}

function claimsByKey(claims: readonly NameClaim[]): ReadonlyMap<string, readonly NameClaim[]> {
  const byKey = new Map<string, NameClaim[]>();
  for (const claim of claims) {
    for (const key of nameKeys(claim.name)) {
      const group = byKey.get(key);
      if (group) group.push(claim);
      else byKey.set(key, [claim]);
    }
  }
  return byKey;
}
