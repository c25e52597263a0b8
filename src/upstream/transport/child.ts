import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { safeEnvironment } from "../../core/package/safe-environment.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { TransportConfig } from "../upstream-config.ts";

type Command = Extract<TransportConfig, { kind: "stdio" }>;

/** A running process and all that it starts. */
export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** Settles with how it ended, for example `it exited with code 1`; nothing of it is left then. */
  readonly ended: Promise<string>;
  /** Ends it: first its input, then SIGTERM, then SIGKILL. Resolves when it is gone. */
  stop(patience?: StopTimeouts): Promise<void>;
}

export interface StopTimeouts {
  readonly inputEndMs: number;
  readonly termMs: number;
}

const STOP_TIMEOUTS: StopTimeouts = { inputEndMs: 300, termMs: 1_500 };
/** For one that does harm while it runs. */
export const NO_STOP_TIMEOUTS: StopTimeouts = { inputEndMs: 0, termMs: 0 };

/** Starts a command in a process group of its own. The failure is a text that says what to mend. */
export async function startChild(command: Command): Promise<Result<Child, string>> {
  const folder = await stat(command.cwd).catch(() => undefined);
  if (!folder?.isDirectory()) return fail(`its "cwd" ${command.cwd} is not a folder`);
  return new Promise((resolve) => {
    let process: ChildProcessWithoutNullStreams;
    try {
      process = spawn(command.command, command.args, {
        cwd: command.cwd,
        env: { ...safeEnvironment(), ...command.env },
        stdio: "pipe",
        windowsHide: true,
        detached: OWN_GROUP,
      });
    } catch (error) {
      resolve(fail(startFault(command, error)));
      return;
    }
    process.once("error", (error) => resolve(fail(startFault(command, error))));
    process.once("spawn", () => resolve(ok(watched(process))));
  });
}

const OWN_GROUP = process.platform !== "win32";

function startFault({ command }: Command, error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  const inShell =
    process.platform === "win32" ? `; on Windows give "command": "cmd", "args": ["/c", "${command}", …]` : "";
  switch (code) {
    case "ENOENT":
      return `its command "${command}" was not found${inShell}`;
    case "EACCES":
      return `its command "${command}" may not be run`;
    case undefined:
    default:
      return `its command "${command}" does not start: ${error instanceof Error ? error.message : String(error)}${inShell}`;
  }
}

const running = new Set<ChildProcessWithoutNullStreams>();
let isWatching = false;

// Whatever ends this process, short of SIGKILL, ends those that it has started: in groups of their own they do not get
// the signals of its terminal.
function endAllAtExit(): void {
  if (isWatching) return;
  isWatching = true;
  const endAll = (): void => {
    for (const child of running) signalGroup(child, "SIGKILL");
  };
  process.once("exit", endAll);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const onSignal = (): void => {
      // Whoever else listens closes in good order.
      if (process.listenerCount(signal) > 1) return;
      endAll();
      process.removeListener(signal, onSignal);
      process.kill(process.pid, signal);
    };
    // First, before those who listen once have gone.
    process.prependListener(signal, onSignal);
  }
}

function watched(child: ChildProcessWithoutNullStreams): Child {
  endAllAtExit();
  running.add(child);
  child.stdin.on("error", () => undefined);
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      // What it has started must not outlive it.
      signalGroup(child, "SIGKILL");
      running.delete(child);
      resolve(signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`);
    });
  });
  const drained = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const ended = exited.then(async (how) => {
    await Promise.race([drained, wait(500, undefined, { ref: false })]);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    return how;
  });
  const over = async (ms: number): Promise<boolean> =>
    Promise.race([exited.then(() => true), wait(ms, false)]);
  let stopping: Promise<void> | undefined;
  const stop = async ({ inputEndMs, termMs }: StopTimeouts): Promise<void> => {
    child.stdin.end();
    // A child that nobody reads from any more could wait for ever to be rid of its last words.
    child.stdout.resume();
    child.stderr.resume();
    if (inputEndMs > 0 && (await over(inputEndMs))) return;
    if (termMs > 0) {
      signalGroup(child, "SIGTERM");
      if (await over(termMs)) return;
    }
    signalGroup(child, "SIGKILL");
    await exited;
  };
  return {
    process: child,
    ended,
    stop: async (patience = STOP_TIMEOUTS) => {
      if (patience === NO_STOP_TIMEOUTS) signalGroup(child, "SIGKILL");
      stopping ??= stop(patience);
      await stopping;
      await ended;
    },
  };
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    if (OWN_GROUP) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // There is nothing left of it.
  }
}
