import { basename } from "node:path";
import { nameKeys } from "../core/tools/name-keys.ts";
import { isPathInside } from "./folders/is-path-inside.ts";

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

/** A folder that has, or had, a name. */
export interface NameOwner extends NameClaim {
  /** Of the skill as it last was. */
  readonly digest: string;
}

export interface NameContext {
  /** The configured folders, absolute. */
  readonly roots: readonly string[];
  /** Who was given names, the earliest first. */
  readonly owners: readonly NameOwner[];
  /** The folder that has each name now. */
  readonly holder: (name: string) => string | undefined;
}

/**
 * The claims that are denied, by folder. A name, and with it all that look like it, belongs to the folder that was given
 * it first, then to the one that has it while that one is away. Where there is neither, to a folder of that name; among
 * several, to the one in the first root, then to the one with a name that anybody can type. What decides does not depend
 * on the order of folders within a root.
 */
export function deniedNames(
  claims: readonly NameClaim[],
  context: NameContext,
): ReadonlyMap<string, NameDenial> {
  const denied = new Map<string, NameDenial>();
  if (areAllDifferent(claims)) return denied;
  const byClaimedKey = byNameKey(claims);
  const contested = claims.filter((claim) => allOf(byClaimedKey, claim).length > 1);
  if (contested.length === 0) return denied;
  const owners = new Map<string, NameClaim>();
  const undecided = new Map<string, readonly NameClaim[]>();
  const known = byNameKey(context.owners);
  const ages = new Map(context.owners.map((owner, age) => [owner, age]));
  const ageOf = (claim: NameClaim): number => {
    const owner = allOf(known, claim).find(({ path }) => path === claim.path);
    return (owner && ages.get(owner)) ?? ages.size;
  };
  const byRank = Map.groupBy(contested, (claim) => rankOf(claim, context, ageOf(claim)));
  for (const rank of [...byRank.keys()].toSorted()) {
    const waiting: NameClaim[] = [];
    for (const claim of byRank.get(rank) ?? []) {
      const owner = firstOf(owners, claim);
      const rivals = firstOf(undecided, claim);
      if (owner) denied.set(claim.path, { kind: "owned", owner });
      else if (rivals) denied.set(claim.path, { kind: "undecided", claims: [...rivals, claim] });
      else waiting.push(claim);
    }
    const byKey = byNameKey(waiting);
    for (const claim of waiting) {
      const rivals = allOf(byKey, claim);
      if (rivals.length > 1) denied.set(claim.path, { kind: "undecided", claims: rivals });
      for (const key of nameKeys(claim.name)) {
        if (rivals.length > 1) undecided.set(key, rivals);
        else owners.set(key, claim);
      }
    }
  }
  return denied;
}

function areAllDifferent(claims: readonly NameClaim[]): boolean {
  const seen = new Set<string>();
  return claims.every(({ name }) => nameKeys(name).every((key) => !seen.has(key) && seen.add(key)));
}

/** What sorts first goes first. */
function rankOf({ name, path }: NameClaim, { roots, holder }: NameContext, age: number): string {
  const bears = basename(path).normalize("NFKC") === name.normalize("NFKC");
  const root = roots.findIndex((each) => isPathInside(path, each));
  const digits = [
    age,
    holder(name) === path ? 0 : 1,
    bears ? 0 : 1,
    root === -1 ? roots.length : root,
    TYPED.test(name) ? 0 : 1,
  ];
  return digits.map((digit) => String(digit).padStart(MAX_DIGITS, "0")).join();
}

const MAX_DIGITS = 10;
const TYPED = /^[a-z0-9_-]+$/;

function firstOf<Value>(byKey: ReadonlyMap<string, Value>, { name }: NameClaim): Value | undefined {
  for (const key of nameKeys(name)) {
    const value = byKey.get(key);
    if (value !== undefined) return value;
  }
  return undefined;
}

function allOf<Claim>(
  byKey: ReadonlyMap<string, readonly Claim[]>,
  { name }: Pick<NameClaim, "name">,
): readonly Claim[] {
  const groups = nameKeys(name).flatMap((key) => [byKey.get(key) ?? []]);
  return groups.length === 1 ? (groups[0] ?? []) : [...new Set(groups.flat())];
}

function byNameKey<Claim extends NameClaim>(claims: readonly Claim[]): ReadonlyMap<string, readonly Claim[]> {
  const byKey = new Map<string, Claim[]>();
  for (const claim of claims) {
    for (const key of nameKeys(claim.name)) {
      const group = byKey.get(key);
      if (group) group.push(claim);
      else byKey.set(key, [claim]);
    }
  }
  return byKey;
}

export interface GivenNames {
  /** The owners from now on. */
  readonly owners: readonly NameOwner[];
  /** Skills that have a name whose owner is away, by folder, with the owner. */
  readonly standIns: ReadonlyMap<string, NameOwner>;
}

/**
 * Who owns the names that these skills have. A name that nobody had is given to its skill; so is one whose owner was the
 * same skill in another folder: it was moved. Any other has it until its owner, who may be away for a moment, is back.
 */
export function givenNames(
  holders: readonly NameOwner[],
  { owners, roots }: Pick<NameContext, "owners" | "roots">,
): GivenNames {
  const byPath = new Map<string, NameOwner>();
  for (const owner of owners) byPath.set(owner.path, owner);
  // What other folders hold is another catalog's.
  let known: ReadonlyMap<string, readonly NameOwner[]> | undefined;
  const ownersLike = (holder: NameOwner): readonly NameOwner[] => {
    known ??= byNameKey(owners.filter(({ path }) => roots.some((root) => isPathInside(path, root))));
    return allOf(known, holder);
  };
  const renewed = new Map<NameOwner, NameOwner>();
  const added: NameOwner[] = [];
  const standIns = new Map<string, NameOwner>();
  for (const { name, path, digest } of holders) {
    const before = byPath.get(path);
    if (before?.name === name && before.digest === digest) continue;
    const holder = { name, path, digest };
    const all = before?.name === name ? [before] : ownersLike(holder);
    const own = all.find((owner) => owner.path === path);
    const [first] = all;
    if (own) renewed.set(own, holder);
    else if (!first || all.some((owner) => owner.digest === digest)) added.push(holder);
    else standIns.set(path, first);
  }
  return { owners: [...owners.map((owner) => renewed.get(owner) ?? owner), ...added], standIns };
}
