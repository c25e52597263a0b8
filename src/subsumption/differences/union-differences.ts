import type { Json } from "../../core/json/json.ts";
import type { ComparisonContext, Difference, ComparisonDepth } from "./comparison-context.ts";
import { partOf, type Part } from "../schema-root.ts";
import type { OpenShape, Conjunction } from "../shapes/schema-shapes.ts";
import { firsts } from "../values/streams.ts";
import { unionPieces } from "./union-pieces.ts";

/** Alternatives, of which a value has to fit one. */
export interface Union {
  readonly target: Part;
  readonly choices: readonly Json[];
  /** Whether it may fit no other. */
  readonly isOne: boolean;
}

/** What keeps a shape from fitting a union: it fits where an alternative has all of it, or others have its pieces. */
export function* unionDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  union: Union,
  spot: ComparisonDepth,
  cuts = MAX_CUTS,
): Generator<Difference> {
  comparing.effort.spend();
  const covering = coveringChoice(comparing, shape, union, spot);
  if (covering !== undefined) {
    yield* overlaps(comparing, shape, union, covering, spot);
    return;
  }
  if (comparing.isImpossible(shape, spot)) return;
  const pieces = cuts > 0 ? unionPieces(comparing, shape, union, spot) : undefined;
  for (const piece of pieces ?? []) {
    const { choices, isOne, target } = union;
    if (piece.kind !== "values") yield* unionDifferences(comparing, piece, union, spot, cuts - 1);
    else yield* comparing.ofValues(piece.values, partOf(target, { [isOne ? "oneOf" : "anyOf"]: choices }));
  }
  if (!pieces) {
    yield {
      path: "",
      why: `not all of it was seen to fit one of ${union.choices.length} alternatives`,
      values: () => betweenChoices(comparing, shape, union, spot),
    };
  }
}

const MAX_CUTS = 6;
const MAX_TRIED = 12;
const CHOICES_PER_STEP = 50;

/** The alternative that has all of the shape. */
function coveringChoice(
  comparing: ComparisonContext,
  shape: OpenShape,
  { target, choices }: Union,
  spot: ComparisonDepth,
): number | undefined {
  const { shapes, effort } = comparing;
  const same = shapes.indexOf(choices, target, shape);
  if (same !== undefined) return same;
  effort.spend(choices.length / CHOICES_PER_STEP);
  const index = choices.findIndex((choice) => {
    const part = partOf(target, choice);
    const isAlike = shapes.of([part]).some(({ kind }) => kind === shape.kind);
    return isAlike && comparing.ofShape(shape, part, spot).next().done === true;
  });
  return index < 0 ? undefined : index;
}

function* overlaps(
  comparing: ComparisonContext,
  shape: OpenShape,
  { target, choices, isOne }: Union,
  covering: number,
  spot: ComparisonDepth,
): Generator<Difference> {
  for (const [index, choice] of isOne ? choices.entries() : []) {
    const shared: Conjunction = [shape, partOf(target, choice)];
    if (index === covering || comparing.isNowhere(shared, spot)) continue;
    const why = "some of it fits more than one alternative";
    yield { path: "", why, values: () => comparing.values.of(shared) };
  }
}

function* betweenChoices(
  comparing: ComparisonContext,
  shape: OpenShape,
  { target, choices }: Union,
  spot: ComparisonDepth,
): Generator<Json> {
  for (const choice of choices.slice(0, MAX_TRIED)) {
    for (const difference of firsts(comparing.ofShape(shape, partOf(target, choice), spot), 2))
      yield* firsts(difference.values(), 4);
  }
  yield* firsts(comparing.values.ofShape(shape), MAX_TRIED);
}
