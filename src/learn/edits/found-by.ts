import type { Json } from "../../core/json/json.ts";
import { mapped, partsOf } from "../synthesis/flow-candidates.ts";
import { Names, plural, singular } from "../plan/names.ts";
import type { Expression, Origin, Param, Plan } from "../plan/plan.ts";
import { schemaOf } from "../synthesis/schema-inference.ts";
import { isSecretName, isSecretValue } from "../recording/secrets.ts";
import { isSame } from "../plan/values.ts";
import { paramsIn, takenNames } from "./plan-leaves.ts";
import { type Known, meaningOf, meanings, type Seen } from "./evaluate.ts";
import type { Turn } from "./recorded-run.ts";

/** What the parameters of an expression can be for it to give a value: each way by which elements are then found. */
export function* soughtFor(
  expression: Expression,
  value: Json | undefined,
  refs: Known["refs"],
): Generator<ReadonlyMap<string, Seen>> {
  const count = paramsIn(expression).length;
  let tries = 0;
  for (const { seen, sought } of meanings(expression, { params: new Map(), refs })) {
    if (++tries > MOST_TRIES) return;
    if (sought.size === count && isSame(seen.value, value)) yield sought;
  }
}

const MOST_TRIES = 2000;

/** A parameter by whose value an element of a result is found. */
export function foundBy(
  name: string,
  { value, place }: Seen,
  expression: Expression,
  { call, path }: { readonly call?: number | undefined; readonly path: Origin["path"] },
): Param {
  const isSecret = isSecretName(name) || isSecretValue(value);
  const selects = call === undefined ? {} : { selects: { call, path } };
  const isOptional = partsOf(expression).some(
    (part) =>
      part.kind === "find" &&
      part.where.some(
        ({ equals, optional }) => optional === true && equals.kind === "param" && equals.name === name,
      ),
  );
  return {
    name,
    schema: schemaOf([value]),
    ...(isOptional ? { optional: true } : {}),
    ...(isSecret ? { secret: true } : { example: value }),
    origins: place ? [{ ...place, at: "result", ...selects }] : [],
  };
}

/** A list whose elements are all found in the same way, made of the list of what each is found by. */
export function eachFound(
  expression: Expression,
  value: Json | undefined,
  { known: { refs } }: Turn,
  {
    call,
    path,
    plan,
  }: { readonly call?: number | undefined; readonly path: Origin["path"]; readonly plan: Plan },
): { readonly expression: Expression; readonly param: Param } | undefined {
  const fields = paramsIn(expression);
  const [field] = fields;
  if (!Array.isArray(value) || value.length === 0 || field === undefined) return undefined;
  const elements = (value as readonly Json[]).map((each) => firstSought(expression, each, refs));
  if (!elements.every((element) => element !== undefined)) return undefined;
  const names = new Names();
  for (const name of [...takenNames(plan), ...takenNames(planOf(expression))]) names.take(name);
  const item = names.take(singular(field));
  const isRecord = fields.length > 1;
  const origins = elements.flatMap((element, index) =>
    [...element].flatMap(([name, each]) =>
      foundBy(name, each, expression, { call, path: [...path, index] }).origins.map((origin) =>
        withinElement(origin, isRecord ? [index, name] : [index]),
      ),
    ),
  );
  const example = elements.map((element) =>
    isRecord
      ? Object.fromEntries([...element].map(([name, each]) => [name, each.value]))
      : (element.get(field)?.value ?? null),
  );
  const element: Expression = { kind: "ref", name: item };
  const found = mapped(expression, (part) => {
    if (part.kind !== "param") return part;
    return isRecord ? { kind: "field", of: element, path: [part.name] } : element;
  });
  const name = isRecord ? plural(item) : plural(field);
  return {
    expression: { kind: "map", over: { kind: "param", name }, item, value: found },
    param: { name, schema: schemaOf([example]), example, origins },
  };
}

function firstSought(expression: Expression, value: Json, refs: Known["refs"]) {
  for (const sought of soughtFor(expression, value, refs)) {
    const params = new Map([...sought].map(([name, each]) => [name, each.value]));
    const isSecret = [...params].some(([name, each]) => isSecretName(name) || isSecretValue(each));
    if (!isSecret && isSame(meaningOf(expression, { params, refs })?.value, value)) return sought;
  }
  return undefined;
}

function withinElement(origin: Origin, within: Origin["path"]): Origin {
  return { ...origin, within };
}

function planOf(value: Expression): Plan {
  return { version: 1, name: "none", params: [], steps: [], output: { value, schema: {} } };
}
