import { listed } from "../../core/text/listed.ts";
import { flowLine } from "../../core/text/flow-line.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import { askedValues, MAX_DECISIONS } from "../drafts/offer/offer.ts";
import type { Draft } from "../drafts/draft.ts";
import type { Edit } from "../edits/edits.ts";
import { isOpaqueId, TaskText } from "../plan/values.ts";
import { soundsReading, unknownTools } from "../plan/tool-effects.ts";
import { pathText, valueText } from "./expression-text.ts";
import { cutToLength, hasHidden, plainLine } from "../../core/text/display-text.ts";
import type { Attention, DraftView } from "./view-types.ts";

type UnmarkedView = Omit<DraftView, "attention">;

/** What a reviewer should look at first, the gravest first. */
export function attentionFor(view: UnmarkedView, draft: Draft): readonly Attention[] {
  return [
    ...missingTools(draft),
    ...evidenceFaults(view),
    ...recording(view),
    ...openQuestions(view),
    ...edited(view),
    ...hiddenText(draft),
    ...failedTasks(view),
    ...anotherWay(view),
    ...toldToRead(view),
    ...unknownEffects(draft),
    ...untrusted(view),
    ...composed(view),
    ...constantsWritten(view),
    ...notWritten(view),
    ...likeIds(view, draft),
    ...lateChoices(view),
    ...mustFail(view),
    ...unused(view),
    ...looksUnused(view),
    ...looksFixed(view),
    ...partingWork(view, draft),
    ...weakEvidence(view),
    ...unknownOutcomes(view),
    ...undescribed(draft),
    ...badFeedback(view),
  ];
}

function missingTools({ missingTools: tools }: Draft): readonly Attention[] {
  if (tools.length === 0) return [];
  const text = `It calls tools that no configured server has, so that it cannot run here: ${plainLine(tools.join(", "))}.`;
  return [{ kind: "missing-tool", text }];
}

function evidenceFaults({ evidence, isStale }: UnmarkedView): readonly Attention[] {
  if (!evidence) {
    const text = isStale
      ? "It has changed since it was verified: verify it again."
      : "It was never verified: nothing says that it works.";
    return [{ kind: "unverified", text }];
  }
  return evidence.rungs
    .filter(({ passed, of }) => passed < of)
    .map(({ name, passed, of, counterexample }) => ({
      kind: "failing",
      text: `${SAID[name]}: ${passed} of ${of} hold${counterexample === undefined ? "" : `; ${counterexample}`}.`,
    }));
}

const SAID = {
  types: "Its types",
  cases: "Its cases",
  own: "The replay of its own runs",
  twin: "The replay of their twins",
  faults: "The replay in which its calls fail",
  heldOut: "The replay of runs that were held out",
  live: "Its live runs",
} as const;

function recording({ isRecording }: UnmarkedView): readonly Attention[] {
  if (!isRecording) return [];
  const text =
    "It is a recording: it makes the run's calls again with what the caller gives. Nothing in a call comes from an " +
    "answer and nothing is repeated over a list that one gave, so the replays cannot tell whether it is right.";
  return [{ kind: "recording", text }];
}

function openQuestions({ questions }: UnmarkedView): readonly Attention[] {
  const places = (of: typeof questions): string =>
    listed(of.map(({ step, path }) => `${step}${pathText(path)}`));
  const [open, decided] = [
    questions.filter(({ decidedBy }) => decidedBy === undefined),
    questions.filter(({ decidedBy }) => decidedBy !== undefined),
  ];
  const who = listed([...new Set(decided.map(({ decidedBy = "" }) => plainLine(decidedBy)))]);
  const openText = `Its runs leave open where these come from: ${places(open)}. Choose a reading, or learn from one more run with other values; until then it does what the question names first.`;
  const decidedText = `${who} has decided where these come from, which no run confirms: ${places(decided)}. Choose the same reading, or another.`;
  return [
    ...(open.length === 0 ? [] : [{ kind: "open-question", text: openText } as const]),
    ...(decided.length === 0 ? [] : [{ kind: "decided-by-model", text: decidedText } as const]),
  ];
}

function edited({ isEdited }: UnmarkedView): readonly Attention[] {
  return isEdited
    ? [
        {
          kind: "edited",
          text: "Its files were changed by hand: what is told here is the plan, read the code.",
        },
      ]
    : [];
}

/** Names, texts and constants that do not look like what they are. */
function hiddenText({ plan }: Draft): readonly Attention[] {
  const found = [...textsIn(plan as unknown as Json)].find(hasHidden);
  if (found === undefined) return [];
  return [
    { kind: "hidden-text", text: `A text in it has characters that readers cannot see: ${valueText(found)}` },
  ];
}

function* textsIn(value: Json): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const each of value as readonly Json[]) yield* textsIn(each);
  else if (isJsonObject(value))
    for (const [key, each] of Object.entries(value)) {
      yield key;
      yield* textsIn(each);
    }
}

function untrusted({ untrusted: flows }: UnmarkedView): readonly Attention[] {
  return [...Map.groupBy(flows, ({ step }) => step)].map(([step, own]) => {
    const into = own.map(({ from, path }) =>
      path.length === 0 ? `how often, from ${from}` : `${place(path)} from ${from}`,
    );
    return {
      kind: "untrusted-flow",
      text: `${step} writes what tools have answered: ${listed(into)}.`,
    };
  });
}

function composed({ composed: flows }: UnmarkedView): readonly Attention[] {
  return flows.map((flow) => ({
    kind: "untrusted-flow",
    text: plainLine(`Through ${listed(flow.through)}, ${flowLine(flow)}.`),
  }));
}

const MAX_RUNS = 8;

function failedTasks({ runs }: UnmarkedView): readonly Attention[] {
  const failed = runs.filter(({ outcome }) => outcome === "failed");
  return failed.slice(0, MAX_RUNS).map(({ id, by = "" }) => ({
    kind: "failed-task",
    text: `The run ${plainLine(id)}, of which it was learned, failed its task: ${plainLine(by)}.`,
  }));
}

function anotherWay({ runs }: UnmarkedView): readonly Attention[] {
  const others = runs.filter(({ wentAnotherWay }) => wentAnotherWay);
  if (others.length === 0) return [];
  const text = `Of ${runs.length} runs these did other things that may write, and only tell where it stops: ${listed(others.map(({ id }) => plainLine(id)))}.`;
  return [{ kind: "another-way", text }];
}

function unknownOutcomes({ runs }: UnmarkedView): readonly Attention[] {
  const own = runs.filter(({ wentAnotherWay }) => !wentAnotherWay);
  if (own.length === 0 || own.some(({ outcome }) => outcome !== "not known")) return [];
  const text = `Whether ${own.length === 1 ? "its run" : "any of its runs"} did what was to be done, nobody has told.`;
  return [{ kind: "unknown-outcome", text }];
}

/** Nobody but who has made or revised the draft says so: whoever approves it takes their word. */
function toldToRead({ effects }: UnmarkedView): readonly Attention[] {
  const tools = effects.flatMap(({ tool, operation, by }) =>
    by === "reviewer" && operation === "READ" ? [plainLine(tool)] : [],
  );
  if (tools.length === 0) return [];
  const text = `That ${listed(tools)} only read${tools.length === 1 ? "s" : ""} is said by those who made or revised the draft, not by a server.`;
  return [{ kind: "told-to-read", text }];
}

function unknownEffects({ plan }: Draft): readonly Attention[] {
  const unknown = unknownTools(plan);
  if (unknown.length === 0) return [];
  const reading = unknown.filter(soundsReading);
  const hint =
    reading.length === 0
      ? ""
      : ` By name ${listed(reading.map(plainLine))} might only read: if so, say it with an "effect" edit.`;
  const text = `No server says what ${listed(unknown.map(plainLine))} do${unknown.length === 1 ? "es" : ""}, so that ${unknown.length === 1 ? "it counts" : "they count"} as writing.${hint}`;
  return [{ kind: "unknown-effect", text }];
}

function constantsWritten({ constants }: UnmarkedView): readonly Attention[] {
  return constants
    .filter(({ isWritten, value }) => isWritten && typeof value !== "boolean" && value !== null)
    .map(({ step, path, value }) => ({
      kind: "constant-written",
      text: `${step} always writes ${valueText(value)} at ${place(path)}.`,
    }));
}

function notWritten({ dropped }: UnmarkedView): readonly Attention[] {
  const own = dropped.filter(({ writes, trace }) => writes && trace === 0);
  const left = own.filter(({ reason }) => reason === "left out");
  return left.map(({ call, tool }) => ({
    kind: "not-written",
    text: `The run wrote with call ${call}, ${plainLine(tool)}; the skill does not.`,
  }));
}

function likeIds({ params, steps }: UnmarkedView, { plan, provenance }: Draft): readonly Attention[] {
  const tasks = provenance.traces.map(({ trace }) => new TaskText(trace.task));
  return plan.params.flatMap(({ name, example, secret }) => {
    const isKnown = example === undefined || secret === true || !isOpaqueId(example);
    if (isKnown || tasks.some((task) => task.says(example))) return [];
    const other = steps
      .flatMap((step) => step.arguments.map((argument) => ({ step: step.name, ...argument })))
      .find(({ from, alternatives }) => from === `input.${name}` && alternatives.length > 0);
    const instead = other ? ` ${other.step}${pathText(other.path)} could come from elsewhere.` : "";
    const shown = params.find((param) => param.name === name)?.example ?? null;
    return [
      {
        kind: "looks-like-id",
        text: `${name} looks like an id that callers cannot know, such as ${valueText(shown)}.${instead}`,
      },
    ];
  });
}

function lateChoices({ lateChoices: choices }: UnmarkedView): readonly Attention[] {
  return choices.map(({ param, shownBy, writing }) => {
    const first = `${param}: the user of the run chose it from what ${shownBy} gave, so that callers may not know it.`;
    const then =
      writing.length === 0
        ? ""
        : ` If ${listed(writing.map(plainLine))} only read${writing.length === 1 ? "s" : ""}, say so: then the skill gives the options to whoever leaves it out.`;
    return { kind: "late-choice", text: `${first}${then}` };
  });
}

function mustFail({ steps }: UnmarkedView): readonly Attention[] {
  return steps.flatMap(({ name, fails }) =>
    fails === undefined
      ? []
      : [
          {
            kind: "must-fail",
            text: `${name} failed in every run, which then went on: the skill does what follows only where it fails again with ${valueText(fails)}.`,
          },
        ],
  );
}

function unused({ steps }: UnmarkedView): readonly Attention[] {
  const names = steps.filter(({ isUnused }) => isUnused).map(({ name }) => name);
  return names.length === 0
    ? []
    : [{ kind: "unused", text: `Nothing uses what ${listed(names)} gives: it may be dropped.` }];
}

function looksUnused({ idle }: UnmarkedView): readonly Attention[] {
  if (!idle) return [];
  const groups = Map.groupBy(idle.steps, ({ looksLike }) => looksLike);
  const said = [...groups].map(([look, steps]) => `${listed(steps.map(({ name }) => name))} ${LOOKS[look]}`);
  const text = `Nothing uses what these steps give: ${said.join("; ")}. Neither a name nor an error vouches for anything, so they stay; if you know better, these edits leave them out: ${editsText(idle.edits, "idle")}`;
  return [{ kind: "looks-unused", text }];
}

const LOOKS = {
  reading: "(only reading, by name)",
  asking: "(only asking, by the statements that it ran)",
  thinking: "(only the agent's thoughts)",
  ending: "(only the end of its work)",
  mistaken: "(refused for how it was written; its tool then did it)",
} as const;

const MAX_EDITS_SHOWN = 600;

function looksFixed({ fixed }: UnmarkedView): readonly Attention[] {
  if (!fixed) return [];
  const text = `These look like how the work is done rather than what for: ${listed(fixed.params)}. One run proves nothing, so they are asked for; if they are the same for every caller, these edits make them constants: ${editsText(fixed.edits, "fixed")}`;
  return [{ kind: "looks-fixed", text }];
}

function editsText(edits: readonly Edit[], part: "idle" | "fixed"): string {
  const text = JSON.stringify(edits);
  return text.length <= MAX_EDITS_SHOWN ? text : `those under \`${part}\` in the JSON of this view`;
}

function partingWork({ cut }: UnmarkedView, { plan }: Draft): readonly Attention[] {
  const asked = askedValues(plan);
  if (asked <= MAX_DECISIONS && !cut) return [];
  const parts = cut
    ? ` It parts best after ${cut.after}: the first part asks for ${cut.asks[0]}, the second for ${cut.asks[1]}, and ${cut.shared} of these are the same for both or handed over. This edit parts it: ${JSON.stringify(cut.edit)}`
    : "";
  if (asked <= MAX_DECISIONS)
    return [
      { kind: "unrelated-acts", text: `It does things that have nothing to do with one another.${parts}` },
    ];
  const text = `It asks for ${asked} values: too many decisions for one skill.${parts}`;
  return [{ kind: "too-many-decisions", text }];
}

function weakEvidence({ evidence, isRecording }: UnmarkedView): readonly Attention[] {
  if (!evidence) return [];
  const heldOut = evidence.rungs.find(({ name }) => name === "heldOut");
  const twins = evidence.rungs.find(({ name }) => name === "twin");
  return [
    ...(twins?.flows === 0 && !isRecording
      ? [
          {
            kind: "weak-twins" as const,
            text: "In its twins no value that it has from answers is another one: they tell nothing.",
          },
        ]
      : []),
    ...(heldOut && heldOut.of > 0
      ? []
      : [
          {
            kind: "no-held-out" as const,
            text: "It was tried on no run but those that it was learned from.",
          },
        ]),
  ];
}

function undescribed({ plan }: Draft): readonly Attention[] {
  const text = "Nobody has said what it does: its description is made of the names of tools and parameters.";
  return plan.description === undefined ? [{ kind: "no-description", text }] : [];
}

function badFeedback({ history }: UnmarkedView): readonly Attention[] {
  const said = history.filter(({ kind, rating = 0 }) => kind === "feedback" && rating < 0);
  return said.slice(-3).map(({ by, why = "" }) => ({
    kind: "bad-feedback",
    text: `${cutToLength(plainLine(by), 60)} was not content${why === "" ? "" : `: ${cutToLength(plainLine(why), 200)}`}`,
  }));
}

function place(path: readonly (string | number)[]): string {
  return pathText(path).replace(/^\./, "");
}
