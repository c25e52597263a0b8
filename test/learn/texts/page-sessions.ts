import { expect } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { soundsReading } from "../../../src/learn/plan/tool-effects.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { runner } from "../../shared-threads.ts";

/** What whoever wants the work done says, and what the page says there. */
export type World = readonly [told: Readonly<Record<string, string>>, page: string];

export interface Session {
  readonly task: (told: Readonly<Record<string, string>>) => string;
  /** The acts of somebody who knows how; undefined: it cannot be done. */
  readonly acts: (page: string, told: Readonly<Record<string, string>>) => readonly JsonObject[] | undefined;
  /** The first is learned from. */
  readonly worlds: readonly World[];
  /** What of it the page is asked for by; undefined: by all. */
  readonly asks?: readonly string[];
}

function toolsOf(page: string): WorldTools {
  return { "t.get_page": () => page, "t.act": () => "ok" };
}

export function recordOf({ task, acts, asks }: Session, [told, page]: World) {
  return recordedIn(toolsOf(page), task(told), (call) => {
    const asked = Object.entries(told).filter(([name]) => asks?.includes(name) ?? true);
    call("t.get_page", Object.fromEntries(asked));
    for (const args of acts(page, told) ?? []) call("t.act", args);
  });
}

/** A run that gets a page and acts by it. */
export function runOn(
  page: string,
  task: string,
  acts: readonly JsonObject[],
  told: World[0] = { page: "p" },
) {
  return recordOf({ task: () => task, acts: () => acts, worlds: [] }, [told, page]);
}

/** The run that a session is learned from. */
export function firstRun(sessions: Readonly<Record<string, Session>>, name: string) {
  const session = sessions[name];
  const [world] = session?.worlds ?? [];
  if (!session || !world) throw new Error(name);
  return recordOf(session, world);
}

/** What the skill does in each world, and what is to be done there. */
export async function outcomes(session: Session) {
  const [first, ...others] = session.worlds;
  if (!first) throw new Error("nothing to learn from");
  const trace = recordOf(session, first);
  const { plan } = learned([trace]);
  const made = await Promise.all(
    [first, ...others].map(async ([told, page]) => {
      // A parameter is what the caller had said that was equal to its example.
      const names = plan.params.map(
        ({ example }) =>
          Object.entries(first[0]).find(
            ([, value]) => value === (typeof example === "string" ? example : JSON.stringify(example)),
          )?.[0],
      );
      expect(names).not.toContain(undefined);
      const input = Object.fromEntries(
        plan.params.map(({ name, example }, nth) => {
          const value = told[names[nth] ?? ""] ?? null;
          return [name, typeof example === "number" ? Number(value) : value];
        }),
      );
      const calls = await callsIn(runner, plan, toolsOf(page), input);
      const own = calls.filter((call) => !soundsReading(call.split(" ")[0] ?? ""));
      return own.map((call) => call.replace(/^stops: .*/s, "stops"));
    }),
  );
  const wanted = session.worlds.map(
    ([told, page]) => session.acts(page, told)?.map((args) => `t.act ${JSON.stringify(args)}`) ?? ["stops"],
  );
  return { made, wanted, trace };
}
