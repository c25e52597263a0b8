import type { Json } from "../../../core/json/json.ts";
import {
  type Candidate,
  flowCandidates,
  type DecisionLookup,
  isCredible,
  type SlotValue,
  type CallView,
} from "../flow-candidates.ts";
import { substituteSlot } from "../../plan/expression.ts";
import { plural } from "../../plan/names.ts";
import type { Expression, Origin } from "../../plan/plan.ts";
import { sharedCandidates } from "./shared-candidates.ts";
import { fieldName, selectorName, type ParameterSlot, entitiesName } from "../../plan/parameter-slots.ts";
import { isLeaf, type Path } from "../../plan/values.ts";

interface Listing {
  readonly step: string;
  readonly site: string;
  readonly views: readonly CallView[];
  /** In each view, the list. */
  readonly values: readonly (readonly Json[])[];
  readonly path: Path;
  /** The name of the element of what the caller supplies. */
  readonly item: string;
  readonly samples: number;
  readonly decisionFor: DecisionLookup;
}

export interface SelectedList {
  readonly expression: Expression;
  readonly slot: ParameterSlot;
  readonly alternatives: readonly Expression[];
  readonly why: string;
}

/** A list whose elements are all found in the same way, however many they are: made from a list of what each is found by. */
export function selectedList(listing: Listing): SelectedList | undefined {
  const { values, path, item, views, decisionFor } = listing;
  if (!values.every((value) => value.length > 0 && value.every(isLeaf))) return undefined;
  // Rounds of one sample must agree on what the caller supplies.
  if (new Set(views.map(({ nth }) => nth)).size !== views.length) return undefined;
  const site = `${listing.site}:${path.join(".")}[]`;
  const elements = views.flatMap((view, index) =>
    (values[index] ?? []).map((value, nth) => ({ view, value, nth })),
  );
  if (elements.every(({ view, value }) => view.sample.task.says(value))) return undefined;
  const shared = sharedCandidates(
    elements.map(({ view, value, nth }) =>
      flowCandidates(value, view, { call: view.call, path: [...path, nth] }, site, decisionFor),
    ),
  ).filter(({ uses }) => uses[0]?.slots.length !== 0);
  const best = shared.find(({ uses }) =>
    elements.every(({ value }, index) => isCredible(value, uses[index] as Candidate)),
  );
  const first = best?.uses[0];
  if (!best || !first) return undefined;
  const keys = keysOf(first.slots);
  const slot = `${site}|each`;
  const expression: Expression = {
    kind: "map",
    over: { kind: "param", name: slot },
    item,
    value: keys.reduce(
      (value, { slot: key, within }) => substituteSlot(value, key, elementField(item, within)),
      best.expression,
    ),
  };
  const supplied = elements.map(({ view, nth }, index) => ({
    view,
    nth,
    uses: best.uses[index]?.slots ?? [],
  }));
  return {
    expression,
    slot: {
      slot,
      field:
        keys.length === 1 ? plural(selectorName(path, first.slots[0]?.field ?? "value")) : entitiesName(path),
      values: Array.from({ length: listing.samples }, (_, sample) =>
        supplied.filter(({ view }) => view.nth === sample).map(({ uses }) => suppliedElement(keys, uses)),
      ),
      origins: supplied
        .filter(({ view }) => view.nth === 0)
        .flatMap(({ nth, uses }) => originsOf(keys, uses, nth)),
      isSecret: false,
      isNeeded: true,
      optionalFields: keys.filter(({ isOptional }) => isOptional).flatMap(({ within }) => within),
      site: listing.step,
    },
    alternatives: shared.slice(1).map((each) => each.expression),
    why: first.why,
  };
}

interface Key {
  readonly slot: string;
  /** The field of the supplied element, where it is a record. */
  readonly within: readonly string[];
  readonly isOptional: boolean;
}

function keysOf(slots: readonly SlotValue[]): readonly Key[] {
  const names: string[] = [];
  return slots.map(({ slot, field, isOptional }) => {
    const name = fieldName(field);
    names.push(names.includes(name) ? `${name}_${names.length + 1}` : name);
    return { slot, within: slots.length === 1 ? [] : [names.at(-1) ?? name], isOptional };
  });
}

function elementField(item: string, within: readonly string[]): Expression {
  const element: Expression = { kind: "ref", name: item };
  return within.length === 0 ? element : { kind: "field", of: element, path: within };
}

function suppliedElement(keys: readonly Key[], uses: readonly SlotValue[]): Json {
  const valueOf = (key: string): Json => uses.find(({ slot }) => slot === key)?.value ?? null;
  const [first] = keys;
  if (first && keys.length === 1) return valueOf(first.slot);
  return Object.fromEntries(keys.map(({ slot, within: [name = ""] }) => [name, valueOf(slot)]));
}

function originsOf(keys: readonly Key[], uses: readonly SlotValue[], nth: number): readonly Origin[] {
  return keys.flatMap(({ slot, within }) =>
    (uses.find((use) => use.slot === slot)?.origins ?? []).map((origin) =>
      Object.assign({}, origin, { within: [nth, ...within] }),
    ),
  );
}
