import { hash } from "node:crypto";
import type { Json, JsonObject } from "../core/json.ts";
import type { Trace } from "../core/trace-event.ts";
import { Allowance, type Redactor, TooCostly } from "./redaction.ts";

/** A trace as it would be recorded now: whatever leaves the record goes through this door once more. */
export function redactedTrace({ task, events, files, ...trace }: Trace, redact: Redactor): Trace {
  const text = (given: string): string =>
    inTime(
      () => redact.text(given, new Allowance()),
      () => "[cut]",
    );
  const value = (given: Json): Json =>
    inTime(
      () => redact.value(given, new Allowance()),
      () => cutOf(given),
    );
  return {
    ...trace,
    ...(task === undefined ? {} : { task: text(task) }),
    events: events.map(({ inputs, outputs, meta, errorMessage, agentName, ...event }) => ({
      ...event,
      ...(agentName === undefined ? {} : { agentName: text(agentName) }),
      ...(inputs === undefined ? {} : { inputs: value(inputs) }),
      ...(outputs === undefined ? {} : { outputs: value(outputs) }),
      ...(meta === undefined ? {} : { meta: value(meta) as JsonObject }),
      ...(errorMessage === undefined ? {} : { errorMessage: text(errorMessage) }),
    })),
    files: files.map(({ content, ...file }) => ({
      ...file,
      path: text(file.path),
      ...(content === undefined ? {} : { content: text(content) }),
    })),
  };
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
