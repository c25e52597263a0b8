import type { AnyDraft } from "../drafts/draft.ts";
import { draftText, draftView } from "./draft-view.ts";
import type { DraftView } from "./view-types.ts";
import { writtenText, type WrittenView, writtenView } from "./written-view.ts";

/** A draft for those who review it: as data, and as text for people. */
export interface DraftReview {
  readonly view: DraftView | WrittenView;
  readonly text: string;
}

/** What there is to know of a draft, wherever it is from. */
export function draftReview(draft: AnyDraft, options: { readonly columns?: number } = {}): DraftReview {
  switch (draft.kind) {
    case "learned": {
      const view = draftView(draft);
      return { view, text: draftText(view, options) };
    }
    case "written": {
      const view = writtenView(draft);
      return { view, text: writtenText(view, options) };
    }
  }
}
