import type { Extracted } from "../../learn/extraction.ts";
import { callText } from "./call-text.ts";
import { draftJson, nextSteps, shownDraft } from "./shown-draft.ts";

/** What came of runs, and what to do next. */
export function extractedText(extracted: Extracted): string {
  switch (extracted.kind) {
    case "reuse": {
      const { skill, inputs } = extracted;
      const calls = inputs.map((input) => `  $ ${callText(skill, input)}`);
      return [`The skill "${skill}" does this already:`, ...calls, "A draft all the same: --anew"].join("\n");
    }
    case "merge": {
      const { skill, draft } = extracted;
      const what = `The skill "${skill}" would do this too if it were more general; its draft is now:`;
      return [what, shownDraft(draft), nextSteps(draft)].join("\n\n");
    }
    case "draft": {
      const { draft, promoted, waits } = extracted;
      const done = promoted
        ? [`The policy has promoted it as version ${promoted.version}.`]
        : waits === undefined
          ? []
          : [waits];
      return [shownDraft(draft), ...done, nextSteps(draft)].join("\n\n");
    }
  }
}

export function extractedJson(extracted: Extracted): object {
  return extracted.kind === "reuse" ? extracted : { ...extracted, draft: draftJson(extracted.draft) };
}
