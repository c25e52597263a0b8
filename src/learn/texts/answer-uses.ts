import type { Expression, Plan, Step } from "../plan/plan.ts";

/** Where in an answer something is looked for: keys, without the places of elements in lists. */
export type LookedInto = readonly string[];

/** In place of a key: all that an element says, as it is shown to somebody who chooses. */
export const EVERYTHING = "*";

/** Where something is looked for, and whether it becomes part of a text. */
export interface AnswerUse {
  readonly path: LookedInto;
  readonly isWritten: boolean;
}

/** Where a value comes from: from an answer, at a path in it; what stands under some keys of the value. */
interface Place {
  readonly step: string;
  readonly path: LookedInto;
  readonly under: readonly string[];
}

type Places = ReadonlyMap<string, readonly Place[]>;

/** Where a plan, and what it could have instead, looks into the answers of its calls, by the names of their steps. */
export function answerUses(
  { steps, output }: Pick<Plan, "steps" | "output">,
  alternatives: readonly Expression[] = [],
): ReadonlyMap<string, readonly AnswerUse[]> {
  const uses = new Map<string, AnswerUse[]>();
  const known = new Map<string, readonly Place[]>();
  const use: Use = ({ step, path }, isWritten) => {
    uses.set(step, [...(uses.get(step) ?? []), { path, isWritten }]);
  };
  for (const step of steps) visitStep(step, known, use);
  for (const each of [output.value, ...alternatives]) placesOf(each, known, use);
  return uses;
}

type Use = (place: Place, isWritten: boolean) => void;

function visitStep(step: Step, known: Map<string, readonly Place[]>, use: Use): void {
  switch (step.kind) {
    case "call":
      placesOf(step.args, known, use);
      known.set(step.name, [{ step: step.name, path: [], under: [] }]);
      return;
    case "loop":
      known.set(step.item, placesOf(step.over, known, use));
      for (const each of step.steps) visitStep(each, known, use);
      known.set(step.name, placesOf(step.gives, known, use));
      return;
    case "guard":
      placesOf(step.value, known, use);
      placesOf(step.equals, known, use);
      return;
    case "choice":
      for (const place of placesOf(step.in, known, use))
        use({ ...place, path: [...place.path, EVERYTHING] }, false);
      placesOf(step.chosen, known, use);
      return;
    case "branch":
    case "switch": {
      if (step.kind === "branch") visitStep(step.call, known, use);
      else placesOf(step.value, known, use);
      const sides = step.kind === "branch" ? [step.failed, step.succeeded] : step.cases;
      known.set(
        step.name,
        sides.flatMap(({ steps, gives }) => {
          for (const each of steps) visitStep(each, known, use);
          return placesOf(gives, known, use);
        }),
      );
    }
  }
}

/** Where an expression's value comes from; what it looks into is used, and where it is written, as text. */
function placesOf(expression: Expression, known: Places, use: Use, isWritten = false): readonly Place[] {
  const of = (inner: Expression): readonly Place[] => placesOf(inner, known, use);
  const written = (inner: Expression): readonly Place[] => placesOf(inner, known, use, true);
  switch (expression.kind) {
    case "constant":
    case "param":
      return [];
    case "ref":
      return known.get(expression.name) ?? [];
    case "or":
      return [...of(expression.of), ...of(expression.otherwise)];
    case "field":
    case "flat":
      return inside(of(expression.of), expression.path, use, isWritten);
    case "find":
    case "filter": {
      const elements = of(expression.in);
      for (const condition of expression.where) {
        const found = inside(elements, condition.path, use);
        for (const { path, equals } of "some" in condition ? condition.some : []) {
          inside(found, path, use);
          of(equals);
        }
        if ("equals" in condition) of(condition.equals);
      }
      return elements;
    }
    case "extreme": {
      const elements = of(expression.in);
      inside(elements, expression.by, use);
      return elements;
    }
    case "sorted": {
      const elements = of(expression.in);
      inside(elements, expression.by, use);
      return elements;
    }
    case "taken": {
      const elements = of(expression.in);
      if (expression.by) inside(elements, expression.by, use);
      return elements;
    }
    case "numbered":
      return under(of(expression.in), "element");
    case "groups": {
      const elements = of(expression.in);
      return [...under(inside(elements, expression.by, use, true), "name"), ...under(elements, "elements")];
    }
    case "only":
    case "nth":
      return of(expression.in);
    case "values":
    case "entries":
      return of(expression.of);
    case "map":
      return placesOf(
        expression.value,
        new Map([...known, [expression.item, of(expression.over)]]),
        use,
        isWritten,
      );
    case "zip":
      return (["left", "right"] as const).flatMap((side) => under(of(expression[side]), side));
    case "list":
      return expression.items.flatMap(of);
    case "object":
      return expression.fields.flatMap(({ name, value }) => under(of(value), name));
    case "template":
      for (const part of expression.parts) if (typeof part !== "string") written(part);
      return [];
    case "arithmetic":
      of(expression.left);
      of(expression.right);
      return [];
    case "cast":
      if (expression.to === "string") written(expression.of);
      else of(expression.of);
      return [];
    case "join":
      written(expression.of);
      return [];
    case "excerpt":
      of(expression.of);
      written(expression.part);
      return [];
    case "replaced":
      of(expression.of);
      written(expression.part);
      written(expression.by);
      return [];
    case "part":
    case "slug":
    case "cased":
    case "aggregate":
    case "rounded":
    case "date":
      of(expression.of);
      return [];
  }
}

/** What stands under a key. */
function under(places: readonly Place[], key: string): readonly Place[] {
  return places.map((place) => ({ step: place.step, path: place.path, under: [key, ...place.under] }));
}

function inside(
  places: readonly Place[],
  path: readonly string[],
  use: Use,
  isWritten = false,
): readonly Place[] {
  return places.flatMap(({ step, path: at, under }): readonly Place[] => {
    const shared = under.slice(0, path.length);
    if (shared.some((key, nth) => key !== path[nth])) return [];
    const rest = path.slice(shared.length);
    const place = { step, path: [...at, ...rest], under: under.slice(path.length) };
    if (rest.length > 0) use(place, isWritten);
    return [place];
  });
}
