import { readFileSync } from "node:fs";
import * as z from "zod";
import { isJsonObject, type Json } from "../../src/core/json/json.ts";
import type { RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";

const CALL = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.json()),
  result: z.json().optional(),
  error: z.union([z.boolean(), z.string()]).nullish(),
});

const PLACE = z.object({ call: z.int(), path: z.array(z.union([z.string(), z.int()])) });

const ROW = z.object({
  id: z.string(),
  task: z.union([z.string(), z.array(z.string())]).optional(),
  signature: z.string(),
  n_errors: z.int().optional(),
  twin_of: z.string().optional(),
  kind: z.string().optional(),
  gold: z.object({ interventional_edges: z.array(z.object({ to: PLACE, from: z.array(PLACE) })) }).optional(),
  calls: z.array(CALL),
});

/** A recorded run of a file, ready to learn from or to be replayed. */
export interface RecordedRun {
  readonly trace: RecordedTrace;
  readonly signature: string;
  readonly hasErrors: boolean;
  readonly twinOf: string | undefined;
  readonly kind: string | undefined;
  readonly gold: readonly Edge[] | undefined;
}

interface Edge {
  readonly to: { readonly call: number; readonly path: readonly (string | number)[] };
  readonly from: readonly { readonly call: number; readonly path: readonly (string | number)[] }[];
}

export function runsOf(file: string): readonly RecordedRun[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => runOf(JSON.parse(line)));
}

function runOf(line: unknown): RecordedRun {
  const { id, task, calls, ...row } = ROW.parse(line);
  const text = Array.isArray(task) ? task.join("\n") : task;
  return {
    trace: {
      id,
      ...(text === undefined ? {} : { task: text }),
      calls: calls.map(({ tool, args, result = null, error }) => ({
        tool,
        args: isJsonObject(args) ? args : {},
        result: result as Json,
        ...(error ? { error: typeof error === "string" ? error : "failed" } : {}),
      })),
    },
    signature: row.signature,
    hasErrors: (row.n_errors ?? 0) > 0 || calls.some(({ error }) => Boolean(error)),
    twinOf: row.twin_of,
    kind: row.kind,
    gold: row.gold?.interventional_edges,
  };
}
