import type { Draft } from "../../learn/drafts/draft.ts";
import { evidenceFault } from "../../learn/drafts/gate.ts";
import { draftText, draftView } from "../../learn/review/draft-view.ts";
import { oneLine } from "../../core/text/display-text.ts";
import { terminal } from "./terminal.ts";
import { commandLine } from "../../core/text/command-line.ts";

/** A draft as people read it. */
export function shownDraft(draft: Draft): string {
  return draftText(draftView(draft), { columns: terminal().columns }).trimEnd();
}

/** A draft as programs read it. */
export function draftJson(draft: Draft): object {
  const { folder, code } = draft;
  return { ...draftView(draft), folder, code };
}

/** What can be done with a draft now. */
export function nextSteps(draft: Draft): string {
  const { name, state, folder } = draft;
  const fault = evidenceFault(draft);
  switch (state) {
    case "promoted":
      return `It is promoted: "${commandLine(`run ${name}`)}" runs it, "${commandLine(`revoke ${name}`)}" takes it out`;
    case "rejected":
      return `It was rejected; "${commandLine(`promote ${name}`)}" takes it all the same`;
    case "draft":
    case "reviewed":
      return fault
        ? `It cannot be promoted yet: ${oneLine(fault.message)}\nNext: edit ${folder}, or "${commandLine(`drafts revise ${name}`)}"; then "${commandLine(`drafts verify ${name}`)}"`
        : `Next: "${commandLine(`promote ${name}`)}" makes it a skill, "${commandLine(`reject ${name}`)}" does not; its files are in ${folder}`;
  }
}
