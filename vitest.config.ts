import { defineConfig } from "vitest/config";

// Tests that start, kill or flood many processes, or need much time, are run by `npm run test:slow`.
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === "slow" ? ["test/**/*.slow.test.ts"] : ["test/**/*.test.ts"],
    exclude: mode === "slow" ? [] : ["test/**/*.slow.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    globalSetup: "test/shared-caches.ts",
    pool: "forks",
    maxWorkers: 2,
    env: { NODE_OPTIONS: "--disable-warning=ExperimentalWarning" },
  },
}));
