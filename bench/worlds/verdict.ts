import type { Json } from "../../src/core/json/json.ts";
import { isSame } from "../../src/learn/plan/values.ts";
import type { Things } from "./job.ts";

/**
 * `done`: the world is as the agent would have left it; `stopped`: the skill has failed and done nothing that the agent
 * would not; `wrong`: something that the agent would do is done otherwise, or left undone without a word; `damage`:
 * something is changed that the agent would have left alone.
 */
export const VERDICTS = ["done", "stopped", "wrong", "damage"] as const;

export interface Verdict {
  readonly kind: (typeof VERDICTS)[number];
  readonly why: string;
}

export interface Course {
  readonly start: Things;
  /** As it was after each call of the agent; the last is how the agent has left it. */
  readonly byAgent: readonly Things[];
  readonly bySkill: Things;
}

/** `failed` tells with what the skill has ended, if it has failed. */
export function verdictOn({ start, byAgent, bySkill }: Course, failed: string | undefined): Verdict {
  const [wanted, made] = [changes(start, byAgent.at(-1) ?? start), changes(start, bySkill)];
  const excess = [...made.keys()].filter((thing) => !wanted.has(thing));
  if (excess.length > 0) return { kind: "damage", why: `changed ${excess.join(", ")}` };
  const isOnTheWay = (thing: string, value: Json): boolean =>
    failed !== undefined && byAgent.some((things) => isSame(things.get(thing) ?? null, value));
  const other = [...made].filter(
    ([thing, value]) => !isSame(value, wanted.get(thing) ?? null) && !isOnTheWay(thing, value),
  );
  if (other.length > 0)
    return { kind: "wrong", why: other.map(([thing, value]) => `${thing} is ${shown(value)}`).join(", ") };
  const isAll = [...wanted].every(([thing, value]) => isSame(made.get(thing), value));
  if (isAll) return { kind: "done", why: failed ?? "" };
  if (failed !== undefined) return { kind: "stopped", why: failed };
  const left = [...wanted.keys()].filter((thing) => !made.has(thing));
  return { kind: "wrong", why: `left ${left.join(", ")} as it was` };
}

/** What things have become; one that is gone is null. */
function changes(before: Things, after: Things): ReadonlyMap<string, Json> {
  const names = new Set([...before.keys(), ...after.keys()]);
  return new Map(
    [...names].flatMap((name) => {
      const [old, now] = [before.get(name) ?? null, after.get(name) ?? null];
      return isSame(old, now) ? [] : [[name, now] as const];
    }),
  );
}

function shown(value: Json): string {
  return JSON.stringify(value).slice(0, 200);
}
