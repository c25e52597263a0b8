import { defineConfig } from "vitest/config";

const shared = {
  testTimeout: 30_000,
  hookTimeout: 30_000,
  // A machine that does other work, too, may miss a deadline once; what is wrong is wrong each time.
  retry: process.env["CI"] ? 2 : 0,
  pool: "forks" as const,
  // A property whose every case is passed over, or a loop over nothing, would pass.
  expect: { requireAssertions: true },
  env: { NODE_OPTIONS: "--disable-warning=ExperimentalWarning" },
};
// What starts many processes, one after another, waits long for each on a machine that does other work, too.
const slow = { ...shared, testTimeout: 120_000, hookTimeout: 120_000 };
const ENGINES = "test/engines/*.engines.test.ts";
const SLOW = "test/**/*.slow.test.ts";
const HOSTILE = "test/hostile/*.slow.test.ts";
// Long series of sessions, each learned and run in other worlds.
const SESSIONS = ["test/learn/*.slow.test.ts", "test/learn/texts/*.slow.test.ts"];
// Other workflow engines, which are installed when they are first needed: run by `npm run test:engines`.
const engines = {
  ...slow,
  name: "engines",
  include: [ENGINES],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  maxWorkers: 1,
  tags: [
    {
      name: "quick",
      description: "What of an engine is shown in the least time: the automatic checks run it.",
    },
  ],
};
const FAST = {
  ...shared,
  name: "fast",
  include: ["test/**/*.test.ts"],
  exclude: [SLOW, ENGINES],
  maxWorkers: 2,
  // A process of its own for each file would load the program for each file: a quarter of the time.
  isolate: false,
};

// For `scripts/mutants.ts`: the fast tests of one room, whose threads and processes hold mutants, too.
const room = process.env["REPERTOIRE_MUTANTS_ROOM"];
const OBSERVER = new URL("test/mutants/note-mutants.js", import.meta.url).href;
const fast =
  room === undefined
    ? FAST
    : {
        ...FAST,
        isolate: true,
        // What a busy machine does to a test is no mutant's deed.
        retry: 2,
        include: [`test/${room}/**/*.test.ts`],
        setupFiles: ["test/mutants/reach-threads.ts"],
        env: { NODE_OPTIONS: `${FAST.env.NODE_OPTIONS} --import ${OBSERVER}` },
      };

// Tests that start, kill or flood many processes, or need much time, are run by `npm run test:slow`.
// The hostile suite asserts deadlines, so nothing else runs beside it.
export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: "test/shared-caches.ts",
    // Ours first: the summary of the tests comes last.
    reporters: ["./test/second-tries.ts", "default"],
    projects:
      mode === "engines"
        ? [{ test: engines }]
        : mode === "slow"
          ? [
              {
                test: {
                  ...slow,
                  name: "slow",
                  include: [SLOW],
                  exclude: [HOSTILE, ...SESSIONS],
                  maxWorkers: 2,
                  sequence: { groupOrder: 0 },
                },
              },
              {
                test: {
                  ...slow,
                  name: "sessions",
                  include: SESSIONS,
                  maxWorkers: 2,
                  isolate: false,
                  sequence: { groupOrder: 0 },
                },
              },
              {
                test: {
                  ...slow,
                  name: "hostile",
                  include: [HOSTILE],
                  maxWorkers: 1,
                  sequence: { groupOrder: 1 },
                },
              },
            ]
          : [{ test: fast }],
  },
}));
