#!/usr/bin/env node
// Plain old JavaScript on purpose: it must run, and say what is wrong, on any Node.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";

const LEAST = [22, 18];
const root = fileURLToPath(new URL("..", import.meta.url));
// The package holds what was built and no source; where there is source, that is what runs.
const source = `${root}src/cli.ts`;
const cli = existsSync(source) ? source : `${root}dist/cli.js`;

if (isEnough(process.versions.node)) {
  silenceExperiments();
  // Keeps compiled code between starts.
  module.enableCompileCache();
  process.argv[1] = cli;
  await import(new URL(`file://${cli}`).href);
} else {
  startWithOwnNode();
}

function isEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
}

// That Node still calls SQLite or type stripping experimental is nothing that a user can act on; all else is printed.
function silenceExperiments() {
  const printers = process.listeners("warning");
  process.removeAllListeners("warning").on("warning", (warning) => {
    if (warning.name === "ExperimentalWarning") return;
    for (const print of printers) print(warning);
  });
}

// A checkout brings its own Node.
function startWithOwnNode() {
  const own = `${root}node_modules/node/bin/node`;
  if (!existsSync(own)) {
    console.error(
      `Repertoire needs Node ${LEAST.join(".")} or newer; this is ${process.versions.node} (${process.execPath}). In a checkout, run "npm ci" first: it brings its own Node.`,
    );
    process.exit(1);
  }
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    // What the configuration starts with "node" is to have the same Node.
    env: { ...process.env, PATH: `${dirname(own)}${delimiter}${process.env.PATH ?? ""}` },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => process.exit(code ?? 1));
}
