import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "../runner/skill-set.ts";
import { BORDER_ATTACKS, BORDER_SKILLS } from "./border-attacks.ts";
import { DEADLINE_MS, STOPPED, stopped } from "./stopped.ts";

// The guests of this suite own their memory: they have the host's own function.
vi.mock("../../src/runner/sandbox/prelude-source.ts", async (original) => {
  const { preludeSource } = await original<typeof import("../../src/runner/sandbox/prelude-source.ts")>();
  const prelude = preludeSource();
  return {
    preludeSource: () =>
      `((host) => { globalThis.raw = host; const setUp = ${prelude.trim()}\nreturn setUp(host); })`,
  };
});

let runner: Runner;
beforeAll(async () => {
  const limits = { ...DEFAULT_LIMITS, wallMs: DEADLINE_MS, cpuMs: DEADLINE_MS };
  // What is honest has time enough on a busy machine, too.
  const honest = { wallMs: 5_000, cpuMs: 5_000 };
  const skillLimits = { honest, price: honest, mixed: honest };
  runner = new Runner({ limits, skillLimits, workers: 2, onWarning: () => undefined });
  await runner.warm();
});
afterAll(async () => runner.close());

vi.setConfig({ testTimeout: 60_000 });

let sets = 0;

test.each(Object.entries(BORDER_ATTACKS))("%s", async (_, { attack, limits = {} }) => {
  // What is kept of a skill is by its text: each attack comes first.
  const own = `\n// ${sets++}`;
  const sources = Object.entries(BORDER_SKILLS).map(([name, source]) => [name, source + own] as const);
  const hostile = `const attack = ${attack};\nexport default (input) => input.honest ? "honest" : attack(input);`;
  const skills = skillSet({ ...Object.fromEntries(sources), attack: hostile }, { attack: { limits } });
  const isFree = limits.payloadBytes === undefined;
  const after = [
    ["price", { n: 21 }, 42] as const,
    ["mixed", { n: 4 }, 8] as const,
    ...(isFree ? ([["attack", { honest: true }, "honest"]] as const) : []),
  ];
  expect(await stopped({ runner, skills, name: "attack", after })).toEqual(STOPPED);
});

test("there are attacks of each kind", () => {
  const kinds = Object.groupBy(Object.keys(BORDER_ATTACKS), (name) => name.split(":", 1)[0] ?? "");
  expect(Object.keys(kinds)).toEqual(["budgets", "texts", "watchdog", "quarantine"]);
  expect(Object.keys(BORDER_ATTACKS).length).toBeGreaterThan(40);
});
