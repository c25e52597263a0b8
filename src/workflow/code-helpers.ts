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
      })().catch((error) => fail(id, error));
      begun.push(done);
      return done;
    },
    async ended() {
      await Promise.allSettled(begun);
      if (failure) throw failure.error;
    },
  };
}`,
  attempted: `/** Does a task's work, again where it failed and may be done again; what is left of its failure is the caller's. */
async function attempted(args, { attempts, backoffMs, growth, mayRepeat }, work) {
  let refused;
  for (let attempt = 1, pause = backoffMs; ; attempt++, pause *= growth) {
    try {
      return await work(args, refused);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      const again = error.retry ?? {};
      const isUnmet = error.name === "PostconditionFailed";
      const most = isUnmet ? again.attempts ?? 1 : attempts;
      if (attempt >= most || !(isUnmet ? mayRepeat.afterUnmet : mayRepeat.always || isRepeatable(error))) throw error;
      if (isUnmet) refused = error.message;
      if (again.with) args = { ...args, ...again.with };
      const ms = Math.min(again.backoffMs ?? pause, 300000);
      console.warn("attempt " + attempt + " has failed and is made again: " + error.message);
      if (ms > 0) await call_tool("repertoire.wait", { ms });
    }
  }
}

/** Whether a call that failed has had no effect, or only reads. */
function isRepeatable(error) {
  return error.isRepeatable === true;
}`,
  settle: `/** What stands for a task's outputs where it has failed and the run goes on; the failure is told. */
function settle(id, error, outputs) {
  console.warn("task " + id + " has failed, and the run goes on: " + (error instanceof Error ? error.message : String(error)));
  return outputs;
}`,
  outputsOf: `/** What a task gives, by name. An answer that is no object is the only output that the task declares, or \`result\`. */
function outputsOf(answer, names, required) {
  const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  const outputs = isObject ? answer : { [names.length === 1 ? names[0] : "result"]: answer ?? null };
  const missing = required.filter((name) => !Object.hasOwn(outputs, name) || outputs[name] === undefined);
  if (missing.length > 0) throw new Error("it has not given " + missing.join(", "));
  return outputs;
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
  at: `/** A value within another, where it is there. */
function at(value, ...path) {
  for (const name of path) {
    if (value === null || value === undefined || !Object.hasOwn(Object(value), name)) return undefined;
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
