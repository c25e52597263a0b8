import { type CancelledFailure, Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import type { CallRecord, Failure, RunSteps } from "repertoire";
import { type Activities, MAX_VALUE_BYTES } from "./protocol.ts";

/** How often a call that is out tells that its worker lives, and hears whether it is cancelled. */
const HEARTBEAT_MS = 500;

export function activitiesOf(steps: RunSteps): Activities {
  return {
    advance: async (run, known) => {
      const { cancellationSignal } = Context.current();
      const step = await steps.advance(run, known, cancellationSignal);
      if (!step.ok) {
        await ifCancelled();
        throw failed(step.error, { isFinal: false });
      }
      if (step.value.kind === "waits") return sized(step.value, `What run ${run.runId} has read`);
      const { root } = step.value.run;
      return sized({ kind: "ended", outcome: root.outcome, record: recordText(root) }, "The run's output");
    },
    callTool: async (run, call) => {
      const { cancellationSignal, heartbeat } = Context.current();
      const beat = setInterval(() => heartbeat(), HEARTBEAT_MS);
      try {
        const made = await steps.call(run, call, cancellationSignal);
        if (made.kind === "unanswered") {
          await ifCancelled();
          throw failed(made.error, { isFinal: made.policy === "write" });
        }
        return sized(made.call, `The answer of "${call.tool}"`);
      } finally {
        clearInterval(beat);
      }
    },
  };
}

/** Throws where Temporal has cancelled the activity: it has not failed then. */
async function ifCancelled(): Promise<CancelledFailure | undefined> {
  const { cancelled, cancellationSignal } = Context.current();
  return cancellationSignal.aborted ? cancelled : undefined;
}

function failed(error: Failure, { isFinal }: { readonly isFinal: boolean }): ApplicationFailure {
  const { code: type, message } = error;
  return ApplicationFailure.create({ type, message, nonRetryable: isFinal, details: [error] });
}

/** A value that Temporal would not take, and so ask for again and again, ends the run. */
function sized<Value>(value: Value, what: string): Value {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_VALUE_BYTES) return value;
  const message = `${what} has ${bytes} bytes, and Temporal takes ${MAX_VALUE_BYTES} at once`;
  throw failed({ code: "OUTPUT_TOO_LARGE", message }, { isFinal: true });
}

/** A record is there to be looked at: one that is large is kept without what was called. */
function recordText(root: CallRecord): string {
  const text = JSON.stringify(root);
  const isLarge = Buffer.byteLength(text) > MAX_RECORD_BYTES;
  return isLarge
    ? JSON.stringify({ ...root, input: null, outcome: emptied(root), calls: [], omitted: true })
    : text;
}

const MAX_RECORD_BYTES = 500_000;

function emptied({ outcome }: CallRecord): CallRecord["outcome"] {
  return outcome.ok ? { ok: true, output: null } : outcome;
}
