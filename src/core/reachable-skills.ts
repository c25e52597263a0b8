import type { Durability, Skill } from "./skill.ts";

/** A skill and those that it calls by literal name or lists in `composes`, all levels; also names that no skill has. */
export function reachableSkills(
  skills: ReadonlyMap<string, Pick<Skill, "calls" | "composes">>,
  name: string,
): ReadonlySet<string> {
  const reached = new Set([name]);
  for (const each of reached) {
    const { calls, composes = [] } = skills.get(each) ?? {};
    for (const { callee } of calls?.skills ?? []) reached.add(callee);
    for (const callee of composes) reached.add(callee);
  }
  return reached;
}

/** Name and digest of all that a run of a skill may reach, by name: where a callee's name is made up at run time, of every skill. */
export function digestsBelow(
  name: string,
  skills: ReadonlyMap<string, Skill>,
): readonly (readonly [name: string, digest: string])[] {
  const reached = reachableSkills(skills, name);
  const isOpen = [...reached].some((each) => skills.get(each)?.calls.dynamic);
  return [...(isOpen ? skills.keys() : reached)]
    .toSorted()
    .map((each) => [each, skills.get(each)?.digest ?? ""]);
}

/** The strongest durability that a skill or one that it may call asks for: all may be called by one that makes names up. */
export function durabilityOf(
  skills: ReadonlyMap<string, DurableSkill>,
  name: string,
): Durability | undefined {
  const known = durabilities.get(skills) ?? new Map<string, Durability | undefined>();
  durabilities.set(skills, known);
  if (!known.has(name)) known.set(name, strongestBelow(skills, name));
  return known.get(name);
}

type DurableSkill = Pick<Skill, "calls" | "composes" | "durable">;

/** By set of skills, which does not change: every call asks. */
const durabilities = new WeakMap<ReadonlyMap<string, DurableSkill>, Map<string, Durability | undefined>>();

function strongestBelow(skills: ReadonlyMap<string, DurableSkill>, name: string): Durability | undefined {
  const reached = [...reachableSkills(skills, name)].flatMap((each) => skills.get(each) ?? []);
  const callable = reached.some(({ calls }) => calls.dynamic) ? [...skills.values()] : reached;
  if (callable.some(({ durable }) => durable === "confirms")) return "confirms";
  return reached.some(({ durable }) => durable === "resumes") ? "resumes" : undefined;
}

/**
 * The chain of static calls from a skill to the first name that it meets again, such as `["a", "b", "a"]` or
 * `["root", "a", "b", "a"]`; nothing where no chain from it comes back. Calls are followed in the order of the code.
 * A skill that lists itself in `composes` may call itself.
 */
export function staticCycleFrom(
  skills: ReadonlyMap<string, Skill>,
  root: string,
): readonly string[] | undefined {
  const chain = new Set<string>();
  const finished = new Set<string>();
  const open: { readonly name: string; readonly callees: Iterator<string> }[] = [];
  const enter = (name: string): void => {
    chain.add(name);
    open.push({ name, callees: calleesOf(skills.get(name)).values() });
  };
  enter(root);
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const next = last.callees.next();
    if (next.done) {
      open.pop();
      chain.delete(last.name);
      finished.add(last.name);
    } else if (chain.has(next.value)) {
      return [...chain, next.value];
    } else if (!finished.has(next.value)) {
      enter(next.value);
    }
  }
  return undefined;
}

function calleesOf(skill: Skill | undefined): ReadonlySet<string> {
  const callees = new Set(skill?.calls.skills.map(({ callee }) => callee));
  if (skill?.composes.includes(skill.name)) callees.delete(skill.name);
  return callees;
}
