/** The first line of a workflow's code: what flows between the tasks is checked in the document. */
export const UNCHECKED = "// @ts-nocheck What flows between the tasks is checked in the document.";

/** Functions that the code of workflows uses, each as its text; those that it needs are printed below it. */
export const CODE_HELPERS = {
  newFlow: `/** Keeps the tasks of a run: none begins after another has failed, and all that have begun come to their end. */
function newFlow() {
  const begun = [];
  let failure;
  const fail = (id, thrown) => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (error.within === undefined) {
      error.within = "task " + id;
      // What a call failed with keeps its own message; the run puts before it where that was.
      if (error.code === undefined) error.message = error.within + ": " + error.message;
    }
    failure ??= { error };
    throw error;
  };
  return {
    task(id, before, work) {
      const done = (async () => {
        const given = await Promise.all(before);
        if (failure) throw failure.error;
        return work(...given);
      })().catch((error) => {
        if (error?.name !== "TaskSkipped") return fail(id, error);
        console.warn("task " + id + " is skipped: " + error.message);
        return error.outputs;
      });
      begun.push(done);
      return done;
    },
    hasFailed: () => failure !== undefined,
    async ended() {
      await Promise.allSettled(begun);
      if (failure) throw failure.error;
    },
  };
}`,
  attempted: `/** Does a task's work, again where it failed and nothing that may be written is written twice; none begins after another task has failed the run. */
async function attempted(flow, args, { attempts, backoffMs, growth, isIdempotent, isOneCall }, work) {
  let refused;
  for (let attempt = 1, pause = backoffMs; ; attempt++, pause *= growth) {
    const writes = count_writes();
    try {
      return await work(args, refused);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      const again = error.retry ?? {};
      const isUnmet = error.name === "PostconditionFailed";
      const most = isUnmet ? again.attempts ?? 1 : attempts;
      if (attempt >= most || flow.hasFailed()) throw error;
      // Of tasks beside it nobody can tell whose calls were counted; what one call has done, its failure tells.
      const isFree = isIdempotent || count_writes() === writes || (isOneCall && error.isRepeatable === true);
      if (!isFree) {
        console.warn("attempt " + attempt + " has failed and is not made again, as it may have written: " + error.message);
        throw error;
      }
      if (isUnmet) refused = error.message;
      if (again.with) args = { ...args, ...again.with };
      const ms = Math.min(again.backoffMs ?? pause, 300000);
      console.warn("attempt " + attempt + " has failed and is made again: " + error.message);
      if (ms > 0) await call_tool("repertoire.wait", { ms });
      if (flow.hasFailed()) throw error;
    }
  }
}`,
  settle: `/** What stands for a task's outputs where it has failed and the run goes on; the failure is told. */
function settle(id, error, outputs) {
  console.warn("task " + id + " has failed, and the run goes on: " + (error instanceof Error ? error.message : String(error)));
  ofFailed.set(outputs, id);
  return outputs;
}`,
  ofFailed: `/** What stands for the outputs of tasks that have failed or were skipped, with their ids. */
const ofFailed = new WeakMap();`,
  taken: `/** What a task takes of the outputs of another. Where that has failed and has no default, the task is skipped; a call is never made without it. */
function taken(outputs, value, name, isOfCall) {
  const id = ofFailed.get(outputs);
  const isThere = value !== undefined && (value !== outputs || id === undefined || Object.keys(outputs).length > 0);
  if (isThere || (id === undefined && !isOfCall)) return value;
  const error = new Error("it needs " + name + ", which has no value" + (id === undefined ? "" : ", as task " + id + " has given nothing"));
  if (id !== undefined) {
    error.name = "TaskSkipped";
    error.outputs = {};
    ofFailed.set(error.outputs, id);
  }
  throw error;
}`,
  outputsOf: `/** What a task gives, by name, of the types that it declares. An answer that is no object is the only output that the task declares, or \`result\`. */
function outputsOf(answer, type) {
  const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  const names = Object.keys(type.properties ?? {});
  const outputs = isObject ? answer : { [names.length === 1 ? names[0] : "result"]: answer ?? null };
  const { required = [], properties = {} } = type;
  const missing = required.filter((name) => !Object.hasOwn(outputs, name) || outputs[name] === undefined);
  const why = missing.length > 0 ? "it has not given " + missing.join(", ") : misfit(outputs, { properties }, "");
  if (why === undefined) return outputs;
  const error = new Error(missing.length > 0 ? why : "its output " + why);
  error.name = "OutputInvalid";
  throw error;
}`,
  misfit: `/** Where a value does not fit its type, and what it must be; nothing where it fits. */
function misfit(value, type, at) {
  if (type === true) return undefined;
  if (type === false) return at + " must not be there";
  const not = (words) => at + " must " + words;
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const isOf = (each) =>
    each === "integer" ? Number.isInteger(value) : each === "number" ? Number.isFinite(value) : each === kind;
  const types = type.type === undefined ? [] : [type.type].flat();
  if (types.length > 0 && !types.some(isOf)) return not("be " + types.join(" or "));
  const text = (each) =>
    JSON.stringify(each, (_, inner) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    );
  if (type.enum && !type.enum.some((each) => text(each) === text(value))) return not("be one of " + text(type.enum));
  if (Object.hasOwn(type, "const") && text(type.const) !== text(value)) return not("be " + text(type.const));
  if (kind === "number") {
    if (value < type.minimum) return not("be >= " + type.minimum);
    if (value > type.maximum) return not("be <= " + type.maximum);
    if (value <= type.exclusiveMinimum) return not("be > " + type.exclusiveMinimum);
    if (value >= type.exclusiveMaximum) return not("be < " + type.exclusiveMaximum);
    if (type.multipleOf && !Number.isInteger(value / type.multipleOf)) return not("be a multiple of " + type.multipleOf);
  }
  if (kind === "string") {
    const { length } = [...value];
    if (length < type.minLength) return not("have at least " + type.minLength + " characters");
    if (length > type.maxLength) return not("have at most " + type.maxLength + " characters");
    if (type.pattern !== undefined && !new RegExp(type.pattern, "u").test(value)) return not("match " + type.pattern);
    if (type.format && !new RegExp(type.format.pattern, type.format.flags).test(value)) return not("be a " + type.format.name);
  }
  if (kind === "array") {
    if (value.length < type.minItems) return not("have at least " + type.minItems + " elements");
    if (value.length > type.maxItems) return not("have at most " + type.maxItems + " elements");
    if (type.uniqueItems && new Set(value.map(text)).size < value.length) return not("have no element twice");
    const first = type.prefixItems ?? [];
    for (const [index, each] of value.entries()) {
      const why = misfit(each, first[index] ?? type.items ?? true, at + "[" + index + "]");
      if (why !== undefined) return why;
    }
  }
  if (kind === "object") {
    const fields = Object.entries(value).filter(([, each]) => each !== undefined);
    const names = new Set(fields.map(([name]) => name));
    const properties = type.properties ?? {};
    const missing = (type.required ?? []).find((name) => !names.has(name));
    if (missing !== undefined) return not("have " + missing);
    for (const [name, each] of fields) {
      const own = Object.hasOwn(properties, name) ? [properties[name]] : [];
      for (const [pattern, other] of Object.entries(type.patternProperties ?? {}))
        if (new RegExp(pattern, "u").test(name)) own.push(other);
      if (own.length === 0 && type.additionalProperties !== undefined) own.push(type.additionalProperties);
      for (const other of own) {
        const why = misfit(each, other, at === "" ? name : at + "." + name);
        if (why !== undefined) return why;
      }
    }
  }
  for (const each of type.allOf ?? []) {
    const why = misfit(value, each, at);
    if (why !== undefined) return why;
  }
  const fits = (each) => misfit(value, each, at) === undefined;
  if (type.anyOf && !type.anyOf.some(fits)) return misfit(value, type.anyOf[0] ?? false, at) + ", or be of another of its types";
  if (type.oneOf && type.oneOf.filter(fits).length !== 1) return not("be of exactly one of its types");
  if (type.not !== undefined && fits(type.not)) return not("not be of the type that it is");
  const branch = type.if === undefined ? undefined : fits(type.if) ? type.then : type.else;
  return branch === undefined ? undefined : misfit(value, branch, at);
}`,
  printedJson: `/** What a program has printed: its last line of JSON, or all of it as text. */
function printedJson(answer) {
  if (typeof answer !== "string") return answer;
  for (const text of [answer, answer.trim().split("\\n").at(-1)]) {
    try {
      return JSON.parse(text);
    } catch {}
  }
  return answer;
}`,
  checkAll: `/** Holds what a task gave against its criteria: one that is critical and does not hold fails it, others are told. */
function checkAll(criteria, values) {
  for (const { check, holds, reads, isCritical, retry, description } of criteria) {
    let why = [];
    try {
      if (holds(values)) continue;
    } catch (error) {
      why = [String(error)];
    }
    for (const [text, read] of reads) {
      try {
        const value = JSON.stringify(read(values)) ?? "undefined";
        why.push(text + " is " + (value.length > 200 ? value.slice(0, 200) + "…" : value));
      } catch {}
    }
    const said = (description === undefined ? check : description + ": " + check) + (why.length > 0 ? " (" + why.join(", ") + ")" : "");
    if (!isCritical) {
      // An output of a call that has looked at the clock is not given again without its warning.
      Date.now();
      console.warn("This does not hold: " + said);
      continue;
    }
    const error = new Error("this does not hold: " + said);
    error.name = "PostconditionFailed";
    error.retry = retry;
    throw error;
  }
}`,
  copied: `/** A copy of lists and objects, whose parts no other task can change. */
function copied(value, known = new Map()) {
  if (typeof value !== "object" || value === null) return value;
  const prototype = Object.getPrototypeOf(value);
  const isList = Array.isArray(value);
  if (!isList && prototype !== Object.prototype && prototype !== null) return value;
  if (known.has(value)) return known.get(value);
  const copy = isList ? [] : {};
  known.set(value, copy);
  for (const name of Object.keys(value))
    Object.defineProperty(copy, name, { value: copied(value[name], known), writable: true, enumerable: true, configurable: true });
  if (isList) copy.length = value.length;
  return copy;
}`,
  at: `/** A value within another, where it is part of its data: a field of an object, an element of a list. */
function at(value, ...path) {
  for (const name of path) {
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    if (!isThere || (Array.isArray(value) && name === "length")) return undefined;
    value = value[name];
  }
  return value;
}`,
  textOf: `/** A value within a text. */
function textOf(value, name) {
  if (value === null || value === undefined) throw new Error("the text needs " + name + ", which has no value");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}`,
} as const;

export type CodeHelper = keyof typeof CODE_HELPERS;
