import * as z from "zod";
import { isDeeperThan, type JsonObject } from "../../../core/json/json.ts";
import type { TraceEvent, TraceFile } from "../../../core/trace-event.ts";
import { EVENT_TYPES } from "../../../core/trace-event.ts";
import type { TracePart } from "../../trace-store.ts";
import type { ImportContext, TraceFormat } from "../format.ts";
import { OpenTraces } from "../open-traces.ts";
import { label } from "../reading/fields.ts";
import { roughSize } from "../reading/bounded-value.ts";

/** Runs as `traces export --format repertoire` writes them: a line for the run and for each of its events and files. */
export const REPERTOIRE: TraceFormat = {
  name: "repertoire",
  likeness: (record) => (KINDS.has(record["repertoire"]) && typeof record["runId"] === "string" ? 2 : 0),
  open: (importing) => {
    const runs = importing.shared(
      REPERTOIRE.name,
      () =>
        new OpenTraces(
          importing,
          () => new ExportedRun(importing),
          (run) => run.give(),
        ),
    );
    let last: string | undefined;
    return {
      read: (record, place) => {
        const runId = label(record["runId"]);
        // The lines of a run stand together.
        if (last !== undefined && last !== runId) runs.close(last);
        last = runId;
        runs.change(runId, (run) => run.read(record, place));
      },
      close: () => undefined,
    };
  },
};

const KINDS: ReadonlySet<unknown> = new Set(["run", "event", "file"]);

const word = z.string();
const count = z.number();
// The reader has read it as JSON.
const json = z.unknown();

const runShape = z.object({
  runId: word,
  sessionId: word.optional(),
  source: z.enum(["run", "session", "server", "import"]),
  task: word.optional(),
  client: word.optional(),
  startedAt: count,
  lost: z.int().min(0).optional(),
});

const eventShape = z.object({
  id: word,
  runId: word,
  sessionId: word.optional(),
  nodeId: word.optional(),
  stepId: word.optional(),
  parentEventId: word.optional(),
  eventType: z.enum(EVENT_TYPES),
  eventSubtype: word.optional(),
  executionOrder: z.int().min(0),
  agentName: word.optional(),
  status: z.enum(["running", "completed", "failed", "cancelled"]),
  timestamp: count,
  durationMs: count.optional(),
  inputs: json.optional(),
  outputs: json.optional(),
  meta: z.record(word, json).optional(),
  callPath: word.optional(),
  skillDigest: word.optional(),
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  cost: count.optional(),
  errorCode: word.optional(),
  errorMessage: word.optional(),
});

const fileShape = z.object({
  id: word,
  runId: word,
  eventId: word,
  path: word,
  size: count.optional(),
  sha256: word.optional(),
  content: word.optional(),
  foundBy: z.enum(["argument", "transcript", "disk"]),
});

/** As deep as a store keeps values; what it has is less deep by the event around it. */
const MAX_DEPTH = 1000;

class ExportedRun {
  size = 500;
  readonly #importing: ImportContext;
  readonly #events: TraceEvent[] = [];
  readonly #files: TraceFile[] = [];
  #run: z.infer<typeof runShape> | undefined;
  #place = "";

  constructor(importing: ImportContext) {
    this.#importing = importing;
  }

  read(record: JsonObject, place: string): void {
    if (this.#place === "") this.#place = place;
    if (isDeeperThan(record, MAX_DEPTH)) {
      this.#importing.skip("too-deep", place);
      return;
    }
    const { repertoire: kind, ...rest } = record;
    this.size += roughSize(rest, 8);
    const shape = kind === "run" ? runShape : kind === "event" ? eventShape : fileShape;
    const read = shape.safeParse(rest);
    if (!read.success) {
      const [issue] = read.error.issues;
      this.#importing.skip(
        "not-understood",
        `${place}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
      );
    } else if (kind === "run") this.#run = read.data as z.infer<typeof runShape>;
    else if (kind === "event") this.#events.push(read.data as TraceEvent);
    else this.#files.push(read.data as TraceFile);
  }

  give(): void {
    const [first] = this.#events;
    if (!this.#run && !first) return;
    // Where the line of the run is lost, its events still tell what was done.
    const run = this.#run ?? {
      runId: first?.runId ?? "",
      source: "import" as const,
      startedAt: first?.timestamp ?? 0,
    };
    const root = this.#events.find(({ parentEventId }) => parentEventId === undefined);
    const isCall = root !== undefined && root.eventType !== "agent_call";
    const part = {
      ...run,
      events: this.#events,
      files: this.#files,
      ...(isCall && root.durationMs !== undefined ? { durationMs: root.durationMs } : {}),
    } as TracePart;
    this.#importing.giveTrace(part, REPERTOIRE.name, this.#place);
  }
}
