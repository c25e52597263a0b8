import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { failure } from "../../src/core/error.ts";
import type { Json } from "../../src/core/json/json.ts";
import { fail } from "../../src/core/result.ts";
import { DurableRuns } from "../../src/durable/durable-runs.ts";

const PROCESS = fileURLToPath(new URL("interrupted-process.ts", import.meta.url));

export interface ShopAnswer {
  readonly answer?: Json;
  /** Why the call fails. */
  readonly refusal?: string;
}

/** What the tools of a run act on, outside of the processes that work on it; `key` is the same for the same call. */
export interface Shop {
  answer(tool: string, input: Json, key: string): ShopAnswer;
}

type Message =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly tool: string;
      readonly input: Json;
      readonly key: string;
    }
  | {
      readonly kind: "ended";
      readonly outcome: {
        readonly ok: boolean;
        readonly output?: Json;
        readonly error?: { readonly code: string; readonly message: string };
      };
    };

interface Ended {
  readonly isKilled: boolean;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly output?: Json | undefined;
}

/** One process that works on the run, killed when so many messages have come from it, before or after it is answered. */
export async function processOn(
  args: readonly string[],
  shop: Shop,
  kill: { readonly after: number; readonly isAnswered: boolean } | undefined,
): Promise<Ended> {
  const child: ChildProcess = fork(PROCESS, args, {
    execPath: process.execPath,
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  let messages = 0;
  let ended: Ended = { isKilled: true };
  child.on("message", (message: Message) => {
    if (message.kind === "ended") {
      ended = { isKilled: false, output: message.outcome.output, ...message.outcome.error };
      return;
    }
    messages++;
    const { id, tool, input, key } = message;
    const answered = shop.answer(tool, input, key);
    const isLast = messages === kill?.after;
    if (!isLast || kill.isAnswered) child.send({ id, ...answered });
    if (isLast) void wait(kill.isAnswered ? messages % 4 : 0).then(() => child.kill("SIGKILL"));
  });
  const [, signal] = await once(child, "exit");
  if (ended.isKilled && signal !== "SIGKILL") throw new Error("The process has ended by itself");
  return ended;
}

/** The runs of a folder in a process that does not work on them. */
export function decidableRuns(folder: string): DurableRuns {
  return new DurableRuns({
    folder,
    runner: { run: () => Promise.reject(new Error("it only decides")) },
    callTool: async () => Promise.resolve(fail(failure("TOOL_FAILED", "it only decides"))),
    policyOf: async () => Promise.resolve("write"),
    skills: async () => Promise.resolve({ skills: new Map(), refusals: new Map() }),
  });
}
