import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve as absolute } from "node:path";
import { type ErrorCode, ERRORS, failure, type Failure } from "../../core/error.ts";
import type { Json } from "../../core/json/json.ts";
import { safeEnvironment } from "../../core/package/safe-environment.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { EngineProgram, ExportFile, ProgramOutcome, ProgramTimes } from "../engine-adapter.ts";

export interface EngineProcessOptions {
  readonly engine: string;
  readonly program: Pick<EngineProgram, "language" | "requirements"> & { readonly text: string };
  readonly files: readonly ExportFile[];
  readonly input: Json;
  /** Where the tools are called. */
  readonly url: string;
  /** The interpreter of Python, whose packages it uses. */
  readonly python: string;
  /** What the engine needs each time is kept there. */
  readonly kept: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** How a run on an engine has ended. */
export interface EngineOutcome {
  readonly outcome: Result<Json>;
  readonly times?: ProgramTimes;
}

/**
 * Runs what was exported in a process, from files in a folder of its own, and leaves neither. Failures: those of the skill;
 * `ENGINE_UNAVAILABLE` where the engine is not installed, or ends without a result; `SKILL_TIMED_OUT`, `CANCELLED`.
 */
export async function engineProcess(options: EngineProcessOptions): Promise<EngineOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "repertoire-engine-"));
  try {
    return await ranIn(folder, options);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function ranIn(folder: string, options: EngineProcessOptions): Promise<EngineOutcome> {
  const { program, files, input, url, python, kept } = options;
  for (const { path, text } of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const isPython = program.language === "python";
  const script = join(folder, isPython ? "run_once.py" : "run-once.ts");
  await writeFile(script, program.text);
  // Packages of JavaScript are looked for beside what imports them.
  if (!isPython) await symlink(join(process.cwd(), "node_modules"), join(folder, "node_modules"), "junction");
  const ended = join(folder, "outcome.json");
  const command = isPython ? interpreterOf(python) : process.execPath;
  const child = spawn(command, [script, ended, kept], {
    cwd: folder,
    // A group of its own, which is ended as a whole.
    detached: process.platform !== "win32",
    env: { ...safeEnvironment(), ...LOCAL_ONLY, REPERTOIRE_URL: url },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // Who does not read its input has ended, which is told below.
  child.stdin.on("error", () => undefined);
  child.stdin.write(`${JSON.stringify(input)}\n`);
  const stopped = await untilEnded(child, options);
  if (stopped) return { outcome: fail(stopped) };
  return outcomeOf(await readFile(ended, "utf8").catch(() => undefined), child, options);
}

/** A path is the caller's, who is not in the folder in which it runs; a name alone is looked for in `PATH`. */
function interpreterOf(python: string): string {
  return /[/\\]/.test(python) ? absolute(python) : python;
}

/** The tools' address is here, whatever proxies a system has. */
const LOCAL_ONLY = { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };

/** What it said last, by process. */
const lastWords = new WeakMap<ChildProcess, string>();

/** Resolves when it has ended, with all that it has started: with the reason where that is ours. */
async function untilEnded(
  child: ChildProcess,
  { engine, program, python, signal, timeoutMs }: EngineProcessOptions,
): Promise<Failure | undefined> {
  const hear = (text: unknown): unknown =>
    lastWords.set(child, `${lastWords.get(child) ?? ""}${String(text)}`.slice(-MAX_WORDS));
  child.stdout?.on("data", hear);
  child.stderr?.on("data", hear);
  let stopped: Failure | undefined;
  let killing: NodeJS.Timeout | undefined;
  const stop = (why: Failure): void => {
    stopped ??= why;
    end(child, "SIGTERM");
    killing ??= setTimeout(() => end(child, "SIGKILL"), KILL_AFTER_MS);
  };
  const cancel = (): void => stop(failure("CANCELLED", "The run was cancelled"));
  const timer = setTimeout(() => {
    const message = `The run on ${engine} took longer than ${timeoutMs} ms`;
    stop(failure("SKILL_TIMED_OUT", message));
  }, timeoutMs);
  const kill = (): void => end(child, "SIGKILL");
  process.once("exit", kill);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  return new Promise((resolve) => {
    const settle = (why: Failure | undefined): void => {
      clearTimeout(timer);
      clearTimeout(killing);
      process.off("exit", kill);
      signal.removeEventListener("abort", cancel);
      resolve(why);
    };
    child.once("error", ({ message }) => {
      const what =
        program.language === "python"
          ? `"${interpreterOf(python)}" does not start as Python`
          : "Node does not start";
      settle(stopped ?? failure("ENGINE_UNAVAILABLE", `${what}: ${message}`));
    });
    child.once("close", () => settle(stopped));
    // What it has started may hold on to its output.
    child.once("exit", () => {
      kill();
      setTimeout(() => settle(stopped), LAST_WORDS_MS).unref();
    });
  });
}

function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-pid, signal);
  } catch {
    // There is none of it left.
  }
}

function outcomeOf(
  text: string | undefined,
  child: ChildProcess,
  { engine, program }: EngineProcessOptions,
): EngineOutcome {
  if (text === undefined) {
    const said = (lastWords.get(child) ?? "").trim().split("\n").slice(-MAX_LINES).join("\n");
    const message = `The run on ${engine} has ended without a result${said === "" ? "" : `:\n${said}`}`;
    return { outcome: fail(failure("ENGINE_UNAVAILABLE", message)) };
  }
  const ended = JSON.parse(text) as ProgramOutcome;
  const times = ended.times === undefined ? {} : { times: ended.times };
  if ("output" in ended) return { outcome: ok(ended.output), ...times };
  if ("missing" in ended) {
    const packages = program.requirements
      .map((each) => (/[<>@^ ]/.test(each) ? `'${each}'` : each))
      .join(" ");
    const install =
      program.language === "python"
        ? `into a virtual environment ("python3 -m venv .venv"), ".venv/bin/python -m pip install ${packages}" installs them; then name it: "--python .venv/bin/python", or the setting engines.python`
        : `"npm install ${packages}" installs them`;
    const message = `${engine} takes packages that are not installed (${ended.missing.join(", ")}): ${install}`;
    return { outcome: fail(failure("ENGINE_UNAVAILABLE", message)) };
  }
  const { code, message } = ended.error;
  const known = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : "SKILL_THREW";
  return { outcome: fail(failure(known, message)), ...times };
}

const MAX_WORDS = 8000;
const MAX_LINES = 12;
const LAST_WORDS_MS = 1000;
/** So long an engine may put its things in order when it is stopped. */
const KILL_AFTER_MS = 2000;
