import { OPERATIONS, type Operation } from "../core/skill.ts";

/** What is known of a skill for telling what it does to the world. */
export interface OperationFacts {
  readonly declared: Operation | undefined;
  /** What the tools that it calls may do; `TRANSFORM` where it calls none. */
  readonly tools: Operation;
  /** Skills that it calls by name. */
  readonly callees: readonly string[];
  /** Whether it calls skills or tools by names that only running it tells. */
  readonly dynamic: boolean;
  readonly composes: readonly string[];
}

/** Who is asked what a skill does by itself. */
type OwnOperation = (
  name: string,
  facts: OperationFacts,
  skills: ReadonlyMap<string, OperationFacts>,
) => Operation;

/** For each skill the strongest of its own operation and those of all that it reaches. */
export function operationsOf(
  skills: ReadonlyMap<string, OperationFacts>,
  own: OwnOperation = ownOperation,
): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const [name, facts] of skills) operations.set(name, own(name, facts, skills));
  const callers = callersOf(skills);
  // The weakest makes no caller stronger.
  const changed = [...skills.keys()].filter((name) => operations.get(name) !== "TRANSFORM");
  for (let callee = changed.pop(); callee !== undefined; callee = changed.pop()) {
    const reached = operations.get(callee) ?? "TRANSFORM";
    for (const caller of callers.get(callee) ?? []) {
      if (!isStronger(reached, operations.get(caller) ?? "TRANSFORM")) continue;
      operations.set(caller, reached);
      changed.push(caller);
    }
  }
  return operations;
}

/** The operation as far as it does not depend on other skills. What is declared makes it stronger, never weaker. */
const ownOperation: OwnOperation = (name, facts, skills) => {
  const shown = shownOperation(name, facts, skills);
  return facts.declared !== undefined && isStronger(facts.declared, shown) ? facts.declared : shown;
};

/** The declared operation, as if it could be believed; without one, what the code may do. */
export const saidOperation: OwnOperation = (name, facts, skills) =>
  facts.declared ?? shownOperation(name, facts, skills);

/** What the code may do, as far as it does not depend on other skills. */
const shownOperation: OwnOperation = (name, facts, skills) => {
  // That it may call itself says nothing of what else it may.
  const composesSome = facts.composes.some((each) => each !== name && skills.has(each));
  return facts.dynamic && !composesSome ? "WRITE" : facts.tools;
};

function callersOf(skills: ReadonlyMap<string, OperationFacts>): ReadonlyMap<string, readonly string[]> {
  const callers = new Map<string, string[]>();
  for (const [name, facts] of skills) {
    if (facts.callees.length + facts.composes.length === 0) continue;
    for (const callee of reachOf(facts)) {
      const known = callers.get(callee);
      if (known) known.push(name);
      else callers.set(callee, [name]);
    }
  }
  return callers;
}

/** What a run may call: also what is declared alone. */
function reachOf({ callees, composes }: OperationFacts): ReadonlySet<string> {
  return new Set([...callees, ...composes]);
}

function isStronger(one: Operation, other: Operation): boolean {
  return OPERATIONS.indexOf(one) > OPERATIONS.indexOf(other);
}
