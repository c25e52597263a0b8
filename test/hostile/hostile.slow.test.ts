import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "../runner/skill-set.ts";
import { ATTACKS } from "./attacks.ts";
import { OWN_ATTACKS, OWN_SOURCES } from "./own-attacks.ts";
import { DEADLINE_MS, STOPPED, stopped } from "./stopped.ts";

let runner: Runner;
let residentMb = 0;
beforeAll(async () => {
  const limits = { ...DEFAULT_LIMITS, wallMs: DEADLINE_MS, cpuMs: DEADLINE_MS };
  runner = new Runner({ limits, workers: 2 });
  await runner.warm();
  await runner.run(skillsWith(`() => 1`), "attack", { honest: true });
  residentMb = process.memoryUsage().rss / 2 ** 20;
});
afterAll(() => runner.close());

describe.each([
  ["known", ATTACKS],
  ["own", OWN_ATTACKS],
])("the %s attack", (_, attacks) => {
  test.each(Object.entries(attacks))("%s", async (__, attack) => {
    const skills = skillsWith(attack);
    const after = [["attack", { honest: true }, "honest"]] as const;
    expect(await stopped({ runner, skills, name: "attack", after })).toEqual(STOPPED);
  });
});

test.each(Object.entries(OWN_SOURCES))("the hostile source: %s", async (_, source) => {
  const skills = skillSet({ hostile: source, honest: `export default ({ n }) => n * 2` });
  expect(await stopped({ runner, skills, name: "hostile", after: [] })).toEqual(STOPPED);
});

test("there are 140 known attacks and more than 30 of our own", () => {
  expect(Object.keys(ATTACKS)).toHaveLength(140);
  expect(Object.keys(OWN_ATTACKS).length).toBeGreaterThan(30);
});

test("the memory comes back", () => {
  expect(process.memoryUsage().rss / 2 ** 20 - residentMb).toBeLessThan(400);
});

test("nothing was polluted on our side", () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

function skillsWith(attack: string): ReturnType<typeof skillSet> {
  return skillSet({
    attack: `const host_call = (name, text) => call_skill("honest", { n: 1, name, text });
const attack = ${attack};
export default (input) => input.honest ? "honest" : attack(input);`,
    honest: `export default ({ n }) => n * 2`,
    slow: `export default () => { const end = Date.now() + 40; while (Date.now() < end) {} return 1; }`,
    hungry: `export default () => new Uint8Array(3e7).fill(1).length`,
  });
}
