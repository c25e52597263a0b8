import { hash } from "node:crypto";
import type { Json, JsonObject } from "../../core/json/json.ts";
import { pauses } from "../../core/time/pauses.ts";
import type { Trace } from "../../core/trace-event.ts";
import { Allowance, type Redactor, TooCostly } from "./redaction.ts";

/**
 * A trace as it would be recorded now: whatever leaves the record goes through this door once more. There is one allowance
 * for all of it, beside what each value has of its own, and others have their turn while a long trace is gone through.
 */
export async function redactedTrace(
  { task, events, files, ...trace }: Trace,
  redact: Redactor,
): Promise<Trace> {
  const allowance = new Allowance();
  const text = (given: string): string =>
    inTime(
      () => redact.text(given, allowance.share(given.length)),
      () => "[cut]",
    );
  const value = (given: Json): Json =>
    inTime(
      () => redact.value(given, allowance.share(JSON.stringify(given).length)),
      () => cutOf(given),
    );
  return {
    ...trace,
    ...(task === undefined ? {} : { task: text(task) }),
    events: await inTurns(events, ({ inputs, outputs, meta, errorMessage, agentName, ...event }) => ({
      ...event,
      ...(agentName === undefined ? {} : { agentName: text(agentName) }),
      ...(inputs === undefined ? {} : { inputs: value(inputs) }),
      ...(outputs === undefined ? {} : { outputs: value(outputs) }),
      ...(meta === undefined ? {} : { meta: value(meta) as JsonObject }),
      ...(errorMessage === undefined ? {} : { errorMessage: text(errorMessage) }),
    })),
    files: await inTurns(files, ({ content, ...file }) => ({
      ...file,
      path: text(file.path),
      ...(content === undefined ? {} : { content: text(content) }),
    })),
  };
}

/** A value as it would be recorded. */
export function redactedValue(given: Json, redact: Redactor): Json {
  return inTime(
    () => redact.value(given),
    () => cutOf(given),
  );
}

/** A text as it would be recorded. */
export function redactedText(given: string, redact: Redactor): string {
  return inTime(
    () => redact.text(given),
    () => "[cut]",
  );
}

async function inTurns<From, To>(all: readonly From[], work: (each: From) => To): Promise<To[]> {
  const done: To[] = [];
  const pause = pauses();
  for (const each of all) {
    await pause();
    done.push(work(each));
  }
  return done;
}

function inTime<Value>(work: () => Value, cut: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooCostly || error instanceof RangeError) return cut();
    throw error;
  }
}

function cutOf(value: Json): Json {
  const json = JSON.stringify(value);
  return { "[cut]": { bytes: Buffer.byteLength(json), sha256: hash("sha256", json), start: "" } };
}
