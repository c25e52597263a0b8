import type { Expression, TracePath } from "../../plan/plan.ts";
import { isOfValueKind } from "../../expectations/value-kind.ts";
import { replacedText } from "../../plan/text-part.ts";
import { composedPart, holdsData, labelBefore, partsOf, templateOf } from "../composed-text.ts";
import type { CallView, DecisionLookup } from "../flow-candidates.ts";
import type { KnownText } from "./known-texts.ts";

/** An earlier text without what stands above it. */
interface ToldBody {
  readonly expression: Expression;
  readonly isCertain: true;
  readonly why: string;
}

const MAX_HEAD = 300;
/** Of letters and digits: less may stand at the end of a text by chance. */
const MIN_BODY = 12;

/**
 * How a text is all that stands in an earlier one below the lines with which a server tells what it is, as in `Contents of
 * https://example.org:`. These have nothing but words and what is known, such as what was asked for.
 */
export function toldBodies(
  value: string,
  texts: readonly KnownText[],
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): readonly ToldBody[] {
  if ((value.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < MIN_BODY) return [];
  return texts.flatMap(({ text, expression }): readonly ToldBody[] => {
    const head = text.endsWith(value) ? text.slice(0, text.length - value.length) : "";
    if (!head.endsWith("\n") || head.length > MAX_HEAD || replacedText(text, head, "") !== value) return [];
    const parts = partsOf(head, (run, at) => {
      const label = labelBefore(head.slice(0, at));
      const part = composedPart(run, view, place, decisionFor, 0, { label, site, things: [] });
      return part?.said === undefined || part.said.length === 0 ? part : undefined;
    });
    const isForm = parts.every((part) => (typeof part === "string" ? !holdsData(part) : part.isCertain));
    const isText = expression.kind === "field" || expression.kind === "ref";
    if (!isForm || !isText || !isOfValueKind(text, "page")) return [];
    return [
      {
        expression: {
          kind: "replaced",
          of: { ...expression, as: "page" },
          part: templateOf(parts),
          by: { kind: "constant", value: "" },
        },
        isCertain: true,
        why: "it is an earlier text below its first lines",
      },
    ];
  });
}
