import { cutToLength, hasHidden, plainLine, visibleLine } from "../../core/text/display-text.ts";
import { type HistoryEntry, toldState, type WrittenDraft } from "../drafts/draft.ts";
import { evidenceView } from "./draft-view.ts";
import { evidenceLines, fittedLines, historyLine, section } from "./draft-text.ts";
import type { Attention, EvidenceView } from "./view-types.ts";

/** All that a reviewer needs to know of a draft that was written for a wish: there is no plan, so the code is the work. */
export interface WrittenView {
  readonly kind: "written";
  readonly name: string;
  readonly state: WrittenDraft["state"];
  readonly digest: string;
  readonly isStale: boolean;
  readonly isEdited: boolean;
  readonly wish: string;
  /** The model that wrote it. */
  readonly model: string;
  /** The recorded run in which an agent wrote and ran it. */
  readonly run?: string | undefined;
  /** The upstream tools that it may call. */
  readonly tools: readonly string[];
  /** What to look at first. */
  readonly attention: readonly Attention[];
  readonly evidence?: EvidenceView | undefined;
  readonly text: string;
  readonly code: string;
  readonly cases: string;
  /** Files beside it, as they are. */
  readonly assets: Readonly<Record<string, string>>;
  readonly history: readonly HistoryEntry[];
}

export function writtenView(draft: WrittenDraft): WrittenView {
  const { name, state, digest, isStale, isEdited, written, evidence, text, code, cases, provenance } = draft;
  return {
    kind: "written",
    name,
    state,
    digest,
    isStale,
    isEdited,
    wish: written.wish,
    model: written.model,
    ...(written.run === undefined ? {} : { run: written.run }),
    tools: written.tools,
    attention: attentionFor(draft),
    ...(evidence ? { evidence: evidenceView(evidence) } : {}),
    text,
    code,
    cases,
    assets: Object.fromEntries(draft.assets),
    history: provenance.history,
  };
}

/** A view as text for people. Nothing in it steers a terminal, and nothing of the code is hidden. */
export function writtenText(view: WrittenView, { columns = 80 }: { readonly columns?: number } = {}): string {
  const { name, state, isStale, isEdited, wish, model, tools, attention, evidence, history } = view;
  const notes = [
    toldState(state, history),
    "written by a model",
    ...(isStale ? ["changed since it was verified"] : []),
    ...(isEdited ? ["edited by hand"] : []),
  ];
  const told = [
    [`${name} (${notes.join(", ")})`],
    section(
      "Look at first",
      attention.map(({ text }) => `- ${text}`),
    ),
    section(
      view.run === undefined
        ? `Written by ${plainLine(model)} for the wish`
        : `Written and run by ${plainLine(model)} in the run ${plainLine(view.run)} for the task`,
      [wish],
    ),
    evidenceLines(evidence),
    section(
      "Upstream tools that it may call",
      tools.map((tool) => `- ${tool}`),
    ),
  ].map((lines) => lines.flatMap((line) => fittedLines(line, columns)));
  const files = [
    section("SKILL.md", verbatim(view.text)),
    ...(view.code === "" ? [] : [section("skill.ts", verbatim(view.code))]),
    ...(view.cases === "" ? [] : [section("tests.yaml", verbatim(view.cases))]),
    ...Object.entries(view.assets).map(([path, content]) => section(visibleLine(path), verbatim(content))),
  ];
  const past = section("History", history.slice(-MAX_HISTORY).map(historyLine));
  return [...told, ...files, past.flatMap((line) => fittedLines(line, columns))]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")
    .concat("\n");
}

const MAX_HISTORY = 10;

function verbatim(text: string): readonly string[] {
  return text.trimEnd().replaceAll("\t", "  ").split(/\r?\n/).map(visibleLine);
}

function attentionFor(draft: WrittenDraft): readonly Attention[] {
  const { evidence, isStale, missingTools, text, code, cases, written } = draft;
  const author: Attention = {
    kind: "written",
    text:
      written.run === undefined
        ? WRITTEN_FOR_WISH
        : written.language === undefined
          ? WRITTEN_IN_RUN
          : INSTRUCTIONS_OF_RUN,
  };
  const hidden = [text, code, cases, ...draft.assets.values()].some(hasHidden);
  return [
    ...(missingTools.length === 0
      ? []
      : [
          {
            kind: "missing-tool" as const,
            text: `It may call tools that no configured server has: ${plainLine(missingTools.join(", "))}.`,
          },
        ]),
    ...(evidence
      ? evidenceView(evidence)
          .rungs.filter(({ passed, of }) => passed < of)
          .map(({ passed, of, counterexample = "" }): Attention => ({
            kind: "failing",
            text: `${passed} of ${of} hold: ${cutToLength(counterexample, MAX_FAULT)}`,
          }))
      : [
          {
            kind: "unverified" as const,
            text: isStale
              ? "It has changed since it was verified: verify it again."
              : "It was never verified: nothing says that it works.",
          },
        ]),
    ...(hidden
      ? [{ kind: "hidden-text" as const, text: "Its files have characters that readers cannot see." }]
      : []),
    ...(written.tools.length === 0
      ? []
      : [
          {
            kind: "unknown-effect" as const,
            text: "It calls upstream tools; in its cases nothing but their made-up answers stood for these.",
          },
        ]),
    author,
  ];
}

const WRITTEN_FOR_WISH =
  "A model has written its code and its cases. That the cases hold shows that it does what the model says, not that this is what was wished for: read both.";
const WRITTEN_IN_RUN =
  "An agent has written its code. That its case holds shows that it gives in the sandbox what it gave in the run, not that it is right for other inputs: read it.";

const INSTRUCTIONS_OF_RUN =
  "An agent has written and run the code in its assets, in a language that is not run here: nothing was run again. One run shows that it ended without an error, none that it is right for other inputs: read it.";

const MAX_FAULT = 500;
