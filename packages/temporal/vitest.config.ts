import { defineConfig } from "vitest/config";

// Each test starts workers, and kills some: they take turns, so that one has the machine.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["test/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    expect: { requireAssertions: true },
    env: { NODE_OPTIONS: "--disable-warning=ExperimentalWarning" },
  },
});
