import { basename, dirname } from "node:path";
import { listed } from "../core/text/listed.ts";
import { compareTexts } from "../core/text/compare-texts.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { Position } from "../core/error.ts";
import { isSameName } from "../core/tools/name-keys.ts";
import type { Skill, SkillFolder } from "../core/skill.ts";
import { isPathInside } from "./folders/is-path-inside.ts";
import type { LoadedFolders } from "./folders/load-folders.ts";
import { OWNERS_FILE } from "./name-registry.ts";
import { deniedNames, givenNames, type NameDenial, type NameOwner } from "./name-owners.ts";

export interface CompiledFolders {
  readonly skills: readonly Skill[];
  /** What is wrong with single skills; an error here makes its skill broken. */
  readonly diagnostics: readonly Diagnostic[];
  /** What is wrong with how skills fit together: an error here makes a skill faulty, not broken. */
  readonly findings: readonly Diagnostic[];
  /** Ends when there may be more findings: then compiling again tells them. */
  readonly pending?: Promise<void> | undefined;
}

export interface AssembledSkills {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly diagnostics: readonly Diagnostic[];
  /** Errors of skills that are whole by themselves, but do not fit to the others; by name. */
  readonly faulty: ReadonlyMap<string, readonly Diagnostic[]>;
  /** By folder: the last version of its skill that had no errors. */
  readonly sound: ReadonlyMap<string, Skill>;
  /** Who owns names from now on. */
  readonly owners: readonly NameOwner[];
  readonly pending: Promise<void> | undefined;
}

/** What the catalog was before. */
export type PreviousSkills = Pick<AssembledSkills, "skills" | "sound" | "owners">;

/** Skills that cannot be compiled, but are not simply unknown. */
export interface AbsentSkills {
  /** Names of those whose folders do not load. */
  readonly broken: ReadonlySet<string>;
  /** Folders that the limits of the search have left out, which may be skills or hold some. */
  readonly leftOut: readonly string[];
}

/** Gives a skill for each folder that compiles, and what is wrong with all of them. */
export type CompileSkills = (
  folders: readonly SkillFolder[],
  absent: AbsentSkills,
) => Promise<CompiledFolders>;

/** From folders to skills. A skill that is broken now stays as it was when it last had no errors. */
export async function assembleSkills(
  loaded: LoadedFolders,
  before: PreviousSkills,
  compile: CompileSkills,
): Promise<AssembledSkills> {
  const slots = slotsOf(loaded, before);
  const { chosen, duplicates } = withoutDuplicates(slots, loaded.roots, before);
  const ownersOf = ownership(loaded);
  const absent = {
    broken: new Set(chosen.filter(({ fresh, lastGood }) => !fresh && !lastGood).map(nameOf)),
    leftOut: loaded.leftOut,
  };
  const compiled = await compileSlots(chosen, async (folders) => compile(folders, absent), ownersOf);

  const skills = new Map<string, Skill>();
  const kept: Diagnostic[] = [];
  for (const slot of chosen) {
    const fresh = compiled.skills.get(slot.path);
    const skill = fresh ?? slot.lastGood;
    if (!skill) continue;
    // Its last version may have had a name that is another's now.
    if (skill.name !== nameOf(slot) && isTaken(skill.name, slot, chosen)) continue;
    skills.set(skill.name, skill);
    if (!fresh) kept.push(keptFinding(slot, skill));
  }
  const { findings } = compiled;
  const { owners, standIns } = givenNames([...skills.values()], {
    owners: before.owners,
    roots: loaded.roots,
  });
  const faulty = faultsByName(skills, inOrder([...findings, ...compiled.untold]), ownersOf);
  return {
    skills,
    diagnostics: inOrder([
      ...loaded.diagnostics,
      ...duplicates,
      ...compiled.diagnostics,
      ...findings,
      ...kept,
      ...passedFindings(skills, standIns),
    ]),
    faulty,
    sound: soundByFolder(skills, faulty, before.sound),
    owners,
    pending: compiled.pending,
  };
}

function soundByFolder(
  skills: AssembledSkills["skills"],
  faulty: AssembledSkills["faulty"],
  before: AssembledSkills["sound"],
): ReadonlyMap<string, Skill> {
  const sound = new Map<string, Skill>();
  for (const [name, skill] of skills) {
    const last = faulty.has(name) ? before.get(skill.path) : skill;
    if (last) sound.set(skill.path, last);
  }
  return sound;
}

function faultsByName(
  skills: ReadonlyMap<string, Skill>,
  findings: readonly Diagnostic[],
  ownersOf: Ownership,
): ReadonlyMap<string, readonly Diagnostic[]> {
  const faulty = new Map<string, Diagnostic[]>();
  // A skill that is held stays in its place, and says so when it is called.
  const faults = findings.filter(({ severity, code }) => severity === "error" && code !== "tool-changed");
  if (faults.length === 0) return faulty;
  const names = new Map([...skills.values()].map(({ path, name }) => [path, name]));
  for (const finding of faults) {
    const owners = ownersOf(finding.path).flatMap((owner) => names.get(owner) ?? []);
    for (const name of new Set([...owners, ...(finding.affects ?? [])]))
      faulty.set(name, [...(faulty.get(name) ?? []), finding]);
  }
  return faulty;
}

/** A place in the catalog: a folder as it is now, if it loads, and the last sound skill that it was. */
interface Slot {
  readonly path: string;
  readonly file: string;
  readonly fresh: SkillFolder | undefined;
  readonly lastGood: Skill | undefined;
  /** The name that a folder which does not load was given. */
  readonly owned: string | undefined;
}

function slotsOf(loaded: LoadedFolders, before: PreviousSkills): Slot[] {
  let owned: ReadonlyMap<string, string> | undefined;
  const ownedName = (path: string): string | undefined =>
    (owned ??= new Map(before.owners.map((owner) => [owner.path, owner.name]))).get(path);
  const slots = loaded.loaded.map(({ found, folder, diagnostics }): Slot => {
    const broken = diagnostics.some(({ severity }) => severity === "error");
    const { path, file } = found;
    const fresh = broken ? undefined : folder;
    return {
      path,
      file,
      fresh,
      lastGood: before.sound.get(path),
      owned: fresh ? undefined : ownedName(path),
    };
  });
  if (loaded.unsearched.length === 0) return slots;
  // A folder that cannot be searched at the moment may still hold what it held.
  const known = new Set(slots.map(({ path }) => path));
  for (const skill of before.sound.values()) {
    if (known.has(skill.path) || !loaded.unsearched.some((folder) => isPathInside(skill.path, folder)))
      continue;
    const { path, file, name } = skill;
    slots.push({ path, file, fresh: undefined, lastGood: skill, owned: name });
  }
  return slots;
}

/** The slots that have their names, and findings at those that are denied theirs and at who has it. */
function withoutDuplicates(
  slots: readonly Slot[],
  roots: readonly string[],
  { skills, owners }: PreviousSkills,
): {
  chosen: readonly Slot[];
  duplicates: readonly Diagnostic[];
} {
  const claims = slots.map((slot) => ({ name: nameOf(slot), path: slot.path }));
  const denied = deniedNames(claims, { roots, owners, holder: (name) => skills.get(name)?.path });
  const chosen: Slot[] = [];
  const duplicates: Diagnostic[] = [];
  const claimants = new Map<string, string[]>();
  for (const slot of slots) {
    const denial = denied.get(slot.path);
    if (!denial) chosen.push(slot);
    else {
      duplicates.push(denialFinding(slot, denial));
      if (denial.kind === "owned")
        claimants.set(denial.owner.path, [...(claimants.get(denial.owner.path) ?? []), slot.path]);
    }
  }
  for (const slot of chosen) {
    const others = claimants.get(slot.path);
    if (others) duplicates.push(claimedFinding(slot, others));
  }
  return { chosen, duplicates };
}

/** A folder that does not load keeps its own name from others. */
function nameOf({ fresh, lastGood, owned, path }: Slot): string {
  return fresh?.name ?? lastGood?.name ?? owned ?? basename(path);
}

function isTaken(name: string, own: Slot, slots: readonly Slot[]): boolean {
  return slots.some((slot) => slot !== own && isSameName(nameOf(slot), name));
}

function denialFinding(slot: Slot, denial: NameDenial): Diagnostic {
  const name = JSON.stringify(nameOf(slot));
  const at = { code: "name-duplicate", severity: "error", ...namePlace(slot) } as const;
  switch (denial.kind) {
    case "owned": {
      const { owner } = denial;
      const whose =
        owner.name === nameOf(slot)
          ? `The name ${name} is that of the skill in ${owner.path}`
          : `The name ${name} looks like ${JSON.stringify(owner.name)}, the name of the skill in ${owner.path}`;
      return { ...at, message: `${whose}; this one is not used`, fix: "Give it a name of its own" };
    }
    case "undecided":
      return {
        ...at,
        message: `Several skills have the name ${name}, or one that looks like it: ${listed(
          denial.claims.map(({ path }) => path),
          MAX_LISTED,
        )}. None of them is used`,
        fix: "Leave the name to the one whose folder is named like it, and rename the others",
        affects: [nameOf(slot)],
      };
  }
}

function claimedFinding(slot: Slot, claimants: readonly string[]): Diagnostic {
  return {
    code: "name-duplicate",
    severity: "info",
    ...namePlace(slot),
    message: `The name ${JSON.stringify(nameOf(slot))}, or one that looks like it, is also wanted by ${listed(claimants, MAX_LISTED)}, not used for that`,
    fix: "",
  };
}

function namePlace({ fresh, file }: Slot): Position {
  return fresh?.fieldPositions.get("name") ?? { path: file, line: 1, column: 1 };
}

function passedFindings(
  skills: ReadonlyMap<string, Skill>,
  standIns: ReadonlyMap<string, NameOwner>,
): readonly Diagnostic[] {
  if (standIns.size === 0) return [];
  return [...skills].flatMap(([name, skill]): readonly Diagnostic[] => {
    const owner = standIns.get(skill.path);
    if (!owner) return [];
    const which = owner.name === name ? "" : `, or ${JSON.stringify(owner.name)}, which looks like it,`;
    return [
      {
        code: "name-passed",
        severity: "warning",
        ...(skill.fieldPositions.get("name") ?? { path: skill.file, line: 1, column: 1 }),
        message: `The name ${JSON.stringify(name)}${which} was that of another skill, in ${owner.path}, which is gone or has lost it, and gets it back when it returns`,
        fix: `See that its callers want this skill; if so, take the line of the other out of ${OWNERS_FILE} in the data folder`,
      },
    ];
  });
}

type CompileFolders = (folders: readonly SkillFolder[]) => Promise<CompiledFolders>;

interface CompiledSlots {
  /** By folder; only those that are whole now. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly diagnostics: readonly Diagnostic[];
  readonly findings: readonly Diagnostic[];
  /** Findings at versions that are no longer on the disk: they are not told, but count. */
  readonly untold: readonly Diagnostic[];
  readonly pending: Promise<void> | undefined;
}

async function compileSlots(
  slots: readonly Slot[],
  compile: CompileFolders,
  ownersOf: Ownership,
): Promise<CompiledSlots> {
  // Those that do not load take part as they last were, so that the skills that call them stay whole.
  const current = new Map<string, SkillFolder>();
  for (const { path, fresh } of slots) if (fresh) current.set(path, fresh);
  const first = await compileFolders(slots, current, compile, ownersOf);
  const stepBack = slots.filter(
    (slot) =>
      slot.fresh &&
      slot.lastGood &&
      !first.skills.has(slot.path) &&
      slot.fresh.digest !== slot.lastGood.digest,
  );
  if (stepBack.length === 0) return first;

  // So do those that do not compile.
  const steppedBack = new Set(stepBack.map(({ path }) => path));
  for (const path of steppedBack) current.delete(path);
  const second = await compileFolders(slots, current, compile, ownersOf);
  const ofSteppedBack = first.diagnostics.filter(({ path }) =>
    ownersOf(path).some((owner) => steppedBack.has(owner)),
  );
  return { ...second, diagnostics: [...ofSteppedBack, ...second.diagnostics] };
}

/** Compiles the current folders, and with them the last good versions of the others, of which nothing is told. */
async function compileFolders(
  slots: readonly Slot[],
  current: ReadonlyMap<string, SkillFolder>,
  compile: CompileFolders,
  ownersOf: Ownership,
): Promise<CompiledSlots> {
  const { skills, diagnostics, findings, pending } = await compile(
    slots.map((slot) => current.get(slot.path) ?? slot.lastGood).filter((folder) => folder !== undefined),
  );
  const stale = new Set(slots.filter((slot) => !current.has(slot.path)).map(({ path }) => path));
  const isTold = ({ path }: Diagnostic): boolean => {
    const owners = ownersOf(path);
    return owners.length === 0 || owners.some((owner) => !stale.has(owner));
  };
  const told = diagnostics.filter(isTold);
  const broken = new Set(
    told.filter(({ severity }) => severity === "error").flatMap(({ path }) => ownersOf(path)),
  );
  const fresh = new Map<string, Skill>();
  for (const skill of skills)
    if (current.has(skill.path) && !broken.has(skill.path)) fresh.set(skill.path, skill);
  const untold = findings.filter((finding) => !isTold(finding));
  return { skills: fresh, diagnostics: told, findings: findings.filter(isTold), untold, pending };
}

/** The skill folders that a finding at this path is about. */
type Ownership = (path: string) => readonly string[];

function ownership({ loaded }: LoadedFolders): Ownership {
  let known: { readonly folders: ReadonlySet<string>; readonly bySource: ReadonlyMap<string, string[]> };
  return (path) => {
    known ??= { folders: new Set(loaded.map(({ found }) => found.path)), bySource: foldersBySource(loaded) };
    return known.bySource.get(path) ?? innermost(path, known.folders);
  };
}

function foldersBySource(loaded: LoadedFolders["loaded"]): ReadonlyMap<string, string[]> {
  const bySource = new Map<string, string[]>();
  for (const { found, folder } of loaded) {
    for (const source of folder?.sources ?? []) {
      const known = bySource.get(source.path);
      if (known) known.push(found.path);
      else bySource.set(source.path, [found.path]);
    }
  }
  return bySource;
}

function innermost(path: string, folders: ReadonlySet<string>): readonly string[] {
  for (let at = path; ; at = dirname(at)) {
    if (folders.has(at)) return [at];
    if (at === dirname(at)) return [];
  }
}

function keptFinding(slot: Slot, skill: Skill): Diagnostic {
  return {
    code: "kept-last-good",
    severity: "warning",
    path: slot.file,
    line: 1,
    column: 1,
    message: `The skill ${JSON.stringify(skill.name)} is broken now; its last good version stays in use`,
    fix: "Mend the errors reported for its folder",
  };
}

function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) =>
      compareTexts(a.path, b.path) || a.line - b.line || a.column - b.column || compareTexts(a.code, b.code),
  );
}

const MAX_LISTED = 5;
