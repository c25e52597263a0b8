import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApp } from "../src/app.ts";
import type { App } from "../src/rooms.ts";
import { readConfig } from "../src/config.ts";
import { isJsonObject, type Json } from "../src/core/json/json.ts";
import type { CallRecord } from "../src/core/run.ts";
import { allTrips, type Trip, type Wish } from "./showcase-trips.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SHOWCASE = join(ROOT, "skills/showcase");
const execute = promisify(execFile);

interface Plan {
  readonly best: Trip | null;
  readonly frontier: readonly (Trip & { readonly worth: number })[];
  readonly search: {
    readonly rounds: number;
    readonly impossible: readonly { readonly destination: string; readonly failed: readonly string[] }[];
    readonly explored: readonly string[];
    readonly skipped: readonly { readonly destination: string; readonly promise: number }[];
    readonly pricedDepartures: number;
    readonly skippedDepartures: number;
    readonly gap: number;
  };
}

let folder: string;
let app: App;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "repertoire-showcase-"));
  const config = await readConfig({ cwd: folder, skills: [SHOWCASE] });
  if (!config.ok) throw new Error(config.error.message);
  app = openApp({ ...config.value, data: folder, workers: 1 });
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

async function planned(wish: Wish): Promise<{ readonly plan: Plan; readonly root: CallRecord }> {
  const { skills } = (await app.catalog).snapshot;
  const { root } = await app.runner.run(skills, "trip-optimize", { ...wish });
  if (!root.outcome.ok) throw new Error(JSON.stringify(root.outcome.error));
  return { plan: root.outcome.output as unknown as Plan, root };
}

function callsIn(call: CallRecord): readonly CallRecord[] {
  return call.calls.flatMap((below) => [below, ...callsIn(below)]);
}

const HIKER: Wish = {
  origin: "BER",
  today: "2027-01-10",
  from: "2027-04-01",
  to: "2027-05-20",
  nights: 5,
  budget: 1400,
  tastes: { hiking: 130, food: 70, culture: 40 },
  comfort: 90,
  hourCost: 12,
  maxFlightHours: 8,
  passport: "DE",
  searchCost: 25,
};

test("the showcase's skills declare level and operation, and nothing is wrong with them but servers that are to be added", async () => {
  const { skills, diagnostics } = (await app.catalog).snapshot;
  const tools = ["files.write", "web.search"];
  expect(diagnostics.map(({ code }) => code)).toEqual(tools.map(() => "tool-unserved"));
  expect(tools.filter((tool) => !diagnostics.some(({ message }) => message.includes(tool)))).toEqual([]);
  const declared = [...skills.values()].map(({ name, frontmatter, operation }) => [
    name,
    [frontmatter["level"], operation],
  ]);
  expect(Object.fromEntries(declared)).toEqual({
    "activity-search": [1, "READ"],
    "calendar-read": [1, "READ"],
    "daily-briefing": [3, "WRITE"],
    "deep-research": [3, "WRITE"],
    "destination-evaluate": [2, "READ"],
    "feasibility-check": [2, "READ"],
    "flight-search": [1, "READ"],
    "hotel-search": [1, "READ"],
    "option-explore": [3, "READ"],
    "pdf-save": [1, "WRITE"],
    research: [2, "WRITE"],
    "route-price": [2, "READ"],
    "trip-optimize": [3, "READ"],
    "visa-check": [1, "READ"],
    "weather-fetch": [1, "READ"],
    // Nobody says here that the tool that it calls only reads.
    "web-search": [1, "WRITE"],
  });
});

test("their cases pass on the command line", async () => {
  const { stdout } = await execute(process.execPath, [
    join(ROOT, "bin/repertoire.js"),
    "test",
    SHOWCASE,
    "--json",
  ]);
  const results = JSON.parse(stdout) as { readonly skill: string; readonly ok: boolean }[];
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
  expect(new Set(results.map(({ skill }) => skill)).size).toBe(13);
});

describe("one optimization", () => {
  let plan: Plan;
  let root: CallRecord;
  let calls: readonly CallRecord[];
  beforeAll(async () => {
    ({ plan, root } = await planned(HIKER));
    calls = callsIn(root);
  });

  test("finds the best of all trips", () => {
    const [best] = allTrips(HIKER);
    expect(plan.best).toMatchObject({ ...best, net: expect.closeTo(best?.net ?? 0, 1) as unknown });
    expect(plan.best).toMatchObject({ destination: "FNC", departure: "2027-05-13", price: 910 });
  });

  test("gives the same on the command line", async () => {
    const { stdout } = await execute(process.execPath, [
      join(ROOT, "bin/repertoire.js"),
      "run",
      "trip-optimize",
      SHOWCASE,
      "--json",
      "--input",
      JSON.stringify(HIKER),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ root: { outcome: { ok: true, output: plan } } });
  });

  test("looks at all destinations at once", () => {
    const checks = root.calls.filter(({ name }) => name === "feasibility-check");
    expect(checks.map(({ callPath }) => callPath)).toEqual(["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
    const firstEnd = Math.min(...checks.map(({ startMs, durationMs }) => startMs + durationMs));
    expect(Math.max(...checks.map(({ startMs }) => startMs))).toBeLessThan(firstEnd);
  });

  test("drops what is impossible before anything is worked out for it", () => {
    expect(plan.search.impossible).toEqual([{ destination: "ZNZ", failed: ["flight"] }]);
    const evaluated = calls.filter(({ name }) => name === "destination-evaluate");
    expect(new Set(evaluated.map(destinationOf))).toEqual(new Set(["FNC", "HER", "INN", "LIS", "RAK"]));
    expect(evaluated).toHaveLength(5);
  });

  test("calls itself for the destinations that remain", () => {
    const rounds = calls.filter(({ name }) => name === "trip-optimize");
    expect(rounds).toHaveLength(1);
    expect(root.calls).toContain(rounds[0]);
    expect(rounds[0]?.input).toMatchObject({ progress: { round: 2, open: [{ destination: "HER" }] } });
    expect(plan.search.rounds).toBe(2);
  });

  test("ends early: destinations and weeks that could not gain enough are never priced", () => {
    const { explored, skipped, pricedDepartures, skippedDepartures } = plan.search;
    expect(explored).toEqual(["RAK", "FNC", "HER"]);
    expect(skipped.map(({ destination }) => destination)).toEqual(["LIS", "INN"]);
    expect([pricedDepartures, skippedDepartures]).toEqual([68, 19]);
    const optionExplores = calls.filter(({ name }) => name === "option-explore");
    expect(new Set(optionExplores.map(destinationOf))).toEqual(new Set(explored));
  });

  test("uses every level of nesting that the default limits allow, and half of the calls", () => {
    expect(calls).toHaveLength(135);
    const deepest = calls.find(({ callPath }) => callPath.split(".").length === 6);
    expect(calls.every(({ callPath }) => callPath.split(".").length <= 6)).toBe(true);
    expect(chainTo(root, deepest?.callPath ?? "")).toEqual([
      "trip-optimize",
      "trip-optimize",
      "option-explore",
      "option-explore",
      "route-price",
      "flight-search",
    ]);
  });

  test("asks the same of no search twice", () => {
    for (const name of ["flight-search", "hotel-search", "weather-fetch", "activity-search", "visa-check"]) {
      const asked = calls.filter((call) => call.name === name && !call.reused);
      const different = new Set(asked.map(({ input }) => JSON.stringify(input)));
      expect([name, different.size]).toEqual([name, asked.length]);
    }
    const visas = calls.filter(({ name }) => name === "visa-check");
    expect([visas.length, visas.filter(({ reused }) => reused).length]).toEqual([11, 5]);
  });

  test("recommends only trips that no other beats in both price and worth", () => {
    const prices = plan.frontier.map(({ price }) => price);
    const worths = plan.frontier.map(({ worth }) => worth);
    expect(prices).toEqual([687, 822, 910]);
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    expect(worths).toEqual(worths.toSorted((a, b) => a - b));
  });
});

const taste = fc.integer({ min: 10, max: 200 });
const wishes: fc.Arbitrary<Wish> = fc
  .record({
    origin: fc.constantFrom("BER", "MUC", "HAM"),
    first: fc.integer({ min: 0, max: 330 }),
    window: fc.integer({ min: 1, max: 48 }),
    nights: fc.integer({ min: 1, max: 14 }),
    budget: fc.integer({ min: 600, max: 3500 }),
    tastes: fc.record(
      { beach: taste, culture: taste, food: taste, hiking: taste, snow: taste },
      { requiredKeys: [] },
    ),
    comfort: fc.integer({ min: 0, max: 200 }),
    hourCost: fc.integer({ min: 0, max: 30 }),
    maxFlightHours: fc.integer({ min: 4, max: 20 }),
    passport: fc.constantFrom("DE", "US", "IN", "ZZ"),
    searchCost: fc.constantFrom(0, 10, 60),
  })
  .map(({ first, window, ...wish }) =>
    Object.assign(wish, {
      today: "2026-12-20",
      from: dateAt(first),
      to: dateAt(first + window + wish.nights),
    }),
  );

test(
  "whatever is wished, no trip is better than the plan by more than the gap that it tells",
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(wishes, async (wish) => {
        const { plan } = await planned(wish);
        const trips = allTrips(wish);
        const { best } = plan;
        if (best === null) {
          expect(trips).toEqual([]);
          return;
        }
        const same = trips.find((trip) =>
          (["destination", "airport", "departure", "hotel", "price"] as const).every(
            (field) => trip[field] === best[field],
          ),
        );
        expect(same?.net).toBeCloseTo(best.net, 1);
        expect(plan.search.gap).toBeLessThanOrEqual(wish.searchCost);
        expect((trips[0]?.net ?? 0) - best.net).toBeLessThanOrEqual(plan.search.gap + 0.02);
      }),
      { numRuns: 30, seed: 2027 },
    );
  },
);

test("without a cost of searching the plan is the very best", async () => {
  for (const nights of [2, 5, 9]) {
    const wish = { ...HIKER, nights, searchCost: 0, origin: "MUC", budget: 2500 };
    const { plan } = await planned(wish);
    expect(plan.best?.net).toBeCloseTo(allTrips(wish)[0]?.net ?? 0, 1);
    expect(plan.search.gap).toBe(0);
  }
});

test("a nearby airport is taken where time costs nothing", async () => {
  const { plan } = await planned({ ...HIKER, hourCost: 0 });
  expect(plan.best?.airport).toBe(allTrips({ ...HIKER, hourCost: 0 })[0]?.airport);
  expect(plan.best?.airport).not.toBe("BER");
});

function destinationOf({ input }: CallRecord): Json | undefined {
  return isJsonObject(input) ? input["destination"] : undefined;
}

function chainTo(call: CallRecord, callPath: string): readonly string[] {
  const below = call.calls.find(
    (each) => callPath === each.callPath || callPath.startsWith(`${each.callPath}.`),
  );
  return [call.name, ...(below ? chainTo(below, callPath) : [])];
}

function dateAt(day: number): string {
  return new Date(Date.UTC(2027, 0, 1) + day * 86_400_000).toISOString().slice(0, 10);
}
