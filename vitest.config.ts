import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    globalSetup: "test/shared-caches.ts",
    pool: "forks",
    maxWorkers: 2,
    env: { NODE_OPTIONS: "--disable-warning=ExperimentalWarning" },
  },
});
