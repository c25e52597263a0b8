// Makes dist of src, as it is published: declarations by tsc, and code in few files, since a start loads each by itself.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = `${root}dist/`;

/** What is loaded together shares files; a thread has its own, so that it loads nothing of what others need. */
const PROGRAMS = [
  ["cli", "index", "learn", "traces"],
  ["learning-worker"],
  ["compiler/compile-worker"],
  ["runner/threads/worker"],
  ["trace/store/store-worker"],
];

/** What a start needs is in few files, whatever else is made of parts of it; what stands first goes first. */
const FILES = [
  // It tells other files' places by its own.
  { name: "package-files", test: /src\/core\/package\/package-files\.ts$/, priority: 4 },
  { name: "start", test: /src\/cli\/program\.ts$/, priority: 3 },
  { name: "serve", test: /src\/cli\/commands\/serve\.ts$/, priority: 2 },
  { name: "rooms", test: /src\/rooms\.ts$/, priority: 1 },
];

/** Large, and needed by few starts or loaded by its place. */
const OUTSIDE = [/^@jitl\/quickjs/, /^elkjs/, /^openai/, /^pg$/, /^re2js$/, /^typescript$/];

rmSync(dist, { recursive: true, force: true });
const tsc = [`${root}node_modules/typescript/bin/tsc`, "-p", "tsconfig.build.json"];
const { status } = spawnSync(process.execPath, tsc, { cwd: root, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
for (const entries of PROGRAMS)
  await build({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [entry, `${root}src/${entry}.ts`])),
    platform: "node",
    // The other form of some packages requires files in ways that cannot be followed.
    resolve: { mainFields: ["module", "main"] },
    external: OUTSIDE,
    output: {
      dir: dist,
      format: "esm",
      sourcemap: true,
      // Positions alone are read, in stack traces.
      sourcemapExcludeSources: true,
      // Less to read and to compile; names stay, so that stack traces say the same.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
      codeSplitting: { groups: FILES },
    },
  });
// The sandbox is given its text.
const prelude = readFileSync(`${root}src/runner/sandbox/prelude.ts`, "utf8");
writeFileSync(`${dist}runner/sandbox/prelude.js`, stripTypeScriptTypes(prelude));
