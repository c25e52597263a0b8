import type { ReplayDifference } from "../verify/evidence.ts";
import { valueText } from "./expression-text.ts";
import { cutToLength, plainLine } from "../../core/text/display-text.ts";

/** How a replay differs from its record, in a sentence. */
export function differenceText(difference: ReplayDifference): string {
  switch (difference.kind) {
    case "unexpected-call":
      return `its call ${difference.call} is ${nameOf(difference)} with ${valueText(difference.args)}, which was not recorded`;
    case "other-arguments":
      return `its call ${difference.call}, ${nameOf(difference)}, has ${placeText(difference)}, as call ${difference.recorded} was recorded`;
    case "too-early":
      return `its call ${difference.call}, ${nameOf(difference)}, is made before call ${difference.needs}, whose answer it needs`;
    case "missing-call":
      return `it does not make call ${difference.recorded}, ${nameOf(difference)} with ${valueText(difference.args)}`;
    case "failed":
      return `it fails: ${cutToLength(plainLine(difference.message), MAX_MESSAGE)} (${plainLine(difference.code)})`;
    case "went-on":
      return `where call ${difference.recorded}, ${nameOf(difference)}, ${outcomeText(difference)}, it goes on to ${nameOf({ tool: difference.next })} with ${valueText(difference.args)}`;
    case "other-output":
      return `it gives ${placeText(difference)}`;
    case "failed-case":
      return `its case "${plainLine(difference.name)}" does not hold: ${cutToLength(plainLine(difference.message), MAX_MESSAGE)}`;
  }
}

function outcomeText({
  outcome,
  field = "",
}: Extract<ReplayDifference, { readonly kind: "went-on" }>): string {
  switch (outcome) {
    case "failed":
      return "fails in a way of its own";
    case "succeeded":
      return "succeeds instead of failing";
    case "lacking":
      return `answers without "${plainLine(field)}"`;
  }
}

const MAX_MESSAGE = 300;

function nameOf({ tool }: { readonly tool: string }): string {
  return cutToLength(plainLine(tool), 100);
}

function placeText({ path, expected, got }: Extract<ReplayDifference, { readonly path: string }>): string {
  const at = path === "" ? "" : ` at ${cutToLength(plainLine(path), 100)}`;
  const was = expected === undefined ? "nothing" : valueText(expected);
  return `${got === undefined ? "nothing" : valueText(got)}${at} instead of ${was}`;
}
