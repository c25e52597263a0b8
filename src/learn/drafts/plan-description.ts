import { toolWords } from "../../trace/record/tool-words.ts";
import { nameWords, singular } from "../plan/names.ts";
import type { CallStep, Plan, Step } from "../plan/plan.ts";
import { lastName, namesById } from "../plan/parameter-slots.ts";
import { leavesOfStep, refsIn } from "../edits/plan-leaves.ts";
import { isSecretName } from "../recording/secrets.ts";
import { namedSteps, stepsWithin } from "../plan/steps.ts";
import { mayWriteBy, soundsReading } from "../plan/tool-effects.ts";

/**
 * What a plan does, in a sentence: what it changes in the world, or else what it reads, for what its caller gives, and what
 * comes back. Made of the names of tools and parameters alone; nothing that a tool has answered stands in it.
 */
export function planDescription(plan: Plan): string {
  const deeds = deedsIn(plan);
  const first = sentenceStart(listed(deeds.map(deedText)) || "does nothing");
  const asked = plan.params.filter(({ optional }) => optional !== true).map(({ name }) => wordsOf(name));
  const given =
    asked.length === 0
      ? ""
      : asked.length > MAX_NAMED
        ? `, for ${asked.length} values that its caller gives`
        : `, for the given ${listed(asked)}`;
  const back = answerText(plan);
  return `${first}${given}${back === undefined ? "" : `; gives ${back}`}.`;
}

const MAX_NAMED = 5;

/** A tool that is called, how often the plan has it, and whether once for each element of a list. */
interface Deed {
  readonly tool: string;
  readonly times: number;
  readonly each: "given" | "found" | undefined;
  /** What it is given that its caller does not say: what is always the same, and texts that answers tell. */
  readonly fixed: readonly string[];
}

/** The calls that may change the world, as far as is known or as their names sound; where there are none, those that read. */
function deedsIn({ steps, effects }: Plan): readonly Deed[] {
  const known = new Set(effects?.map(({ tool }) => tool));
  const mayWrite = mayWriteBy(effects);
  const found = new Map<string, Deed>();
  const tools = new Map<string, string>();
  const look = (within: readonly Step[], each: Deed["each"]): void => {
    for (const step of within) {
      const calls = step.kind === "call" ? [step] : step.kind === "branch" ? [step.call] : [];
      for (const call of calls) {
        const before = found.get(call.tool);
        found.set(call.tool, {
          tool: call.tool,
          times: (before?.times ?? 0) + 1,
          each: before?.each ?? each,
          fixed: [...new Set([...(before?.fixed ?? []), ...fixedTexts(call, tools)])],
        });
        tools.set(call.name, call.tool);
      }
      const inner = step.kind === "loop" && step.over.kind === "param" ? "given" : "found";
      if (step.kind === "loop") look(step.steps, inner);
      else if (step.kind === "branch" || step.kind === "switch") look(stepsWithin(step), each);
    }
  };
  look(steps, undefined);
  const all = [...found.values()];
  const acts = all.filter(({ tool }) => (known.has(tool) ? mayWrite(tool) : !soundsReading(tool)));
  return acts.length > 0 ? acts : all;
}

/** What a call has that its caller does not say; what stands deep in an argument only the review shows. */
function fixedTexts(call: CallStep, tools: ReadonlyMap<string, string>): readonly string[] {
  const leaves = leavesOfStep(call).filter(
    ({ path }) => path.filter((part) => typeof part === "string").length < 2,
  );
  return [...Map.groupBy(leaves, ({ path }) => lastName(path))].flatMap(([name, own]) => {
    const words = wordsOf(name);
    const told = own.flatMap(({ expression }) => refsIn(expression)).flatMap((from) => tools.get(from) ?? []);
    if (told.length > 0) {
      const isText = !namesById([name]) && nameWords(name).some((word) => TEXTS.has(word));
      return isText ? [`${words} of what ${listed([...new Set(told)].map(shownTool))} answers`] : [];
    }
    const values = own.flatMap(({ expression }) =>
      expression.kind === "constant" && expression.value !== null ? [expression.value] : [],
    );
    if (values.length === 0 || isSecretName(name)) return [];
    const [only = null] = values;
    const text = typeof only === "string" ? only : JSON.stringify(only);
    return [values.length === 1 && SAID.test(text) ? `the ${words} ${text}` : `a fixed ${words}`];
  });
}

/** A value that says nothing but itself. */
const SAID = /^[\p{L}\p{N}_.+-]{1,24}$/u;

/** Arguments that people read. */
const TEXTS: ReadonlySet<string> = new Set(
  "content text body message comment note description subject title tweet caption summary".split(" "),
);

function deedText(deed: Deed): string {
  const fixed = deed.fixed.length === 0 ? "" : ` with ${listed(deed.fixed)}`;
  return `${actText(deed)}${fixed}`;
}

function actText({ tool, times, each }: Deed): string {
  const [verb = "", ...rest] = actWords(tool);
  const often = each === undefined && times > 1 ? ` ${times === 2 ? "twice" : `${times} times`}` : "";
  const noun = rest.join(" ");
  const what =
    each === undefined ? noun : `each ${each === "given" ? "given " : ""}${singular(noun || "one")}`;
  if (!VERBS.has(verb)) return `calls ${shownTool(tool)}${each === undefined ? often : ` for ${what}`}`;
  const article = each !== undefined || noun === "" ? "" : articleOf(verb, noun);
  return [thirdPerson(verb), article, what].filter((part) => part !== "").join(" ") + often;
}

function articleOf(verb: string, noun: string): string {
  if (/^(?:to|from|in|into|on|for|with|by|of|up|out) /.test(`${noun} `)) return "";
  if (!MAKING.has(verb)) return "the";
  if (singular(noun) !== noun) return "";
  return /^[aeiou]/.test(noun) ? "an" : "a";
}

/** `tries` for `try`, `pushes` for `push`. */
function thirdPerson(verb: string): string {
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh|o)$/.test(verb) ? `${verb}es` : `${verb}s`;
}

/** What comes back, of each step that is given; what is made of answers has no name. */
function answerText({ steps, output: { value } }: Plan): string | undefined {
  const given = value.kind === "object" ? value.fields.map((field) => field.value) : [value];
  const texts = given.flatMap((each) => (each.kind === "ref" ? (stepText(steps, each.name) ?? []) : []));
  return texts.length === 0 ? undefined : listed([...new Set(texts)]);
}

/** What a step answered. */
function stepText(steps: readonly Step[], name: string): string | undefined {
  const step = namedSteps(steps).find((each) => each.name === name);
  if (step?.kind === "call") {
    const [verb = "", ...rest] = actWords(step.tool);
    const noun = rest.join(" ");
    return soundsReading(step.tool) && VERBS.has(verb) && noun !== ""
      ? `the ${noun}`
      : `what ${shownTool(step.tool)} answers`;
  }
  return step?.kind === "loop" ? "what was answered for each" : undefined;
}

/** Without articles. */
function actWords(tool: string): readonly string[] {
  return toolWords(tool).filter((word) => !/^(?:an?|the)$/.test(word));
}

function wordsOf(name: string): string {
  return nameWords(name).join(" ");
}

function sentenceStart(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function listed(words: readonly string[]): string {
  const shown =
    words.length > MAX_LISTED ? [...words.slice(0, MAX_LISTED), `${words.length - MAX_LISTED} more`] : words;
  const last = shown.at(-1) ?? "";
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(", ")} and ${last}`;
}

const MAX_LISTED = 6;

/** A tool's name comes from a trace: it must not be more than a name where people read it. */
export function shownTool(tool: string): string {
  return tool.replaceAll(/[^\p{L}\p{N}_.:/-]/gu, "?").slice(0, 100);
}

/** What is made anew, so that it is not "the" one. */
const MAKING: ReadonlySet<string> = new Set(
  "create add post send write make insert book schedule open place upload generate submit register draft issue".split(
    " ",
  ),
);

/** Words that tools' names begin with where they say what is done. */
const VERBS: ReadonlySet<string> = new Set([
  ...MAKING,
  ..."accept activate append apply approve archive assign attach authenticate block calculate cancel change charge check".split(
    " ",
  ),
  ..."clear clone close comment complete compute confirm convert copy cut deactivate delete deploy describe disable".split(
    " ",
  ),
  ..."download edit email enable estimate exchange execute export fetch fill find fork get grant import invite like link".split(
    " ",
  ),
  ..."list load lock log look lookup mark mention merge modify move notify patch pause pay press print publish purchase push".split(
    " ",
  ),
  ..."put query read rebase refund reject release remove rename reply reserve reset resolve restart restore retrieve return".split(
    " ",
  ),
  ..."revoke rotate run save search set share show sort start stop store subscribe swap sync tag transfer translate trigger".split(
    " ",
  ),
  ..."unlock unsubscribe update upsert validate verify view withdraw".split(" "),
]);
