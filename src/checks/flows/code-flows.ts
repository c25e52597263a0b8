import ts from "typescript";
import { FLOW_KINDS, type FlowKind, type FlowOrigin } from "../../core/flow.ts";
import { staticCallees, hostFunctionUses } from "../../compiler/program/code-calls.ts";
import { isBundled, codePositionAt } from "../../compiler/program/ts-program.ts";
import type { CodeFinding, CodePosition, UnplacedFlows } from "../../compiler/program/compiled-code.ts";
import { withoutAssertions } from "../../compiler/program/literal-schema.ts";
import { References } from "../../compiler/program/references.ts";
import { AbstractInterpreter, Unfollowed, type HostCall } from "./abstract-interpreter.ts";
import { type ExternalData, OutOfTime, type AbstractValue, type AbstractValues } from "./heap.ts";

type UnplacedFlow = UnplacedFlows["flows"][number];
type UnplacedCall = UnplacedFlows["calls"][number];

/** What was found out of a skill's flows; with a finding where the code could not be followed to its end. */
export interface FollowedFlows {
  readonly flows: UnplacedFlows;
  readonly findings: readonly CodeFinding[];
}

/** Where what a skill is given, and what its callees answer, goes: as far as the code can be followed, or anywhere. */
export function codeFlowsOf(checker: ts.TypeChecker, files: readonly ts.SourceFile[]): FollowedFlows {
  const references = new References(checker, files);
  // A library's insides are too much to be followed.
  const written = (): readonly UnplacedCall[] => writtenCalls(checker, files, references);
  if (files.some(isBundled)) return { flows: everywhere(files, written()), findings: [] };
  const evaluation = new AbstractInterpreter(checker, files, references);
  try {
    evaluation.run();
    const calls = evaluation.calls.map(placedCall);
    const flows = new FlowReading(evaluation, files).flows();
    if (flows.length <= MAX_FLOWS) return { flows: { calls, flows }, findings: [] };
    return { flows: everywhere(files, calls), findings: unfollowed(files, "it has too many flows") };
  } catch (error) {
    const hidden = (): UnplacedFlows => everywhere(files, [...written(), ...hiddenCalls(files)]);
    if (error instanceof Unfollowed) return { flows: hidden(), findings: [] };
    if (error instanceof OutOfTime)
      return { flows: hidden(), findings: unfollowed(files, "it takes too long to follow") };
    if (error instanceof RangeError)
      return { flows: hidden(), findings: unfollowed(files, "it is nested too deeply") };
    throw error;
  }
}

function unfollowed([entry]: readonly ts.SourceFile[], why: string): readonly CodeFinding[] {
  if (!entry) return [];
  return [
    {
      code: "code-unfollowed",
      severity: "info",
      ...codePositionAt(entry, 0),
      message: `What this code does with answers was not followed, since ${why}: they count as going into every call`,
      fix: "Move what calls no skills or tools into a skill of its own, or bundle library code into `vendor/`",
    },
  ];
}

const MAX_FLOWS = 4_000;
const MAX_PROPERTIES = 64;

class FlowReading {
  readonly #evaluation: AbstractInterpreter;
  readonly #files: readonly ts.SourceFile[];
  readonly #found = new Map<string, UnplacedFlow>();

  constructor(evaluation: AbstractInterpreter, files: readonly ts.SourceFile[]) {
    this.#evaluation = evaluation;
    this.#files = files;
  }

  flows(): readonly UnplacedFlow[] {
    const { calls, thrown } = this.#evaluation;
    calls.forEach((call, index) => {
      for (const [property, { values, at }] of this.#partsOf(call.args, call.argument ?? call.at))
        this.#add(values, { kind: "argument", call: index, ...(property !== undefined && { property }) }, at);
    });
    for (const { returns } of this.#evaluation.entries())
      for (const [node, given] of returns)
        for (const [property, { values, at }] of this.#partsOf(given, node))
          this.#add(values, { kind: "output", ...(property !== undefined && { property }) }, at);
    const [entry] = this.#files;
    if (entry) this.#add(new Set([...thrown, ...this.#evaluation.everything()]), { kind: "error" }, entry);
    return [...this.#found.values()];
  }

  #add(values: AbstractValues, to: UnplacedFlow["to"], node: ts.Node): void {
    for (const data of this.#evaluation.heap.dataIn(values)) {
      const from = originOf(data);
      const key = JSON.stringify([from, to]);
      const known = this.#found.get(key);
      if (known && FLOW_KINDS.indexOf(known.kind) <= FLOW_KINDS.indexOf(data.how)) continue;
      const at = ts.isSourceFile(node)
        ? codePositionAt(node, 0)
        : codePositionAt(node.getSourceFile(), node.getStart());
      this.#found.set(key, { from, to, kind: data.how, at });
    }
  }

  /** The properties of what is given, as far as the text tells them, and what may be anywhere in it. */
  #partsOf(given: AbstractValues, node: ts.Node): ReadonlyMap<string | undefined, Part> {
    const { heap } = this.#evaluation;
    const parts = new Map<string | undefined, { values: AbstractValues; at: ts.Node }>();
    const add = (property: string | undefined, values: Iterable<AbstractValue>, at: ts.Node): void => {
      const isTooMuch = parts.size >= MAX_PROPERTIES && !parts.has(property);
      const part = parts.get(isTooMuch ? undefined : property) ?? { values: new Set(), at };
      for (const each of values) part.values.add(each);
      parts.set(isTooMuch ? undefined : property, part);
    };
    const written = withoutAssertions(node as ts.Expression);
    const seen: AbstractValues = new Set();
    const open = [...given];
    for (let thing = open.pop(); thing; thing = open.pop()) {
      if (seen.has(thing)) continue;
      seen.add(thing);
      if (thing.kind !== "object" || heap.hasMember(thing, "toJSON")) {
        add(undefined, [thing], written);
        continue;
      }
      for (const [name, values] of thing.fields)
        add(name, values, this.#evaluation.placeOf(thing, name) ?? written);
      for (const [name, getter] of thing.getters) add(name, heap.resultsOf(getter) ?? [], written);
      add(undefined, thing.rest, written);
      open.push(...thing.bases);
    }
    return parts;
  }
}

interface Part {
  readonly values: AbstractValues;
  readonly at: ts.Node;
}

function originOf({ origin, property, isFailure }: ExternalData): FlowOrigin {
  const of = property === undefined ? {} : { property };
  if (origin === "input") return { kind: "input", ...of };
  return isFailure ? { kind: "failure", call: origin } : { kind: "answer", call: origin, ...of };
}

function placedCall({ kind, names, at }: HostCall): UnplacedCall {
  return { kind, ...(names && { names }), ...codePositionAt(at.getSourceFile(), at.getStart()) };
}

/** What code may call that does what its text does not show. */
function hiddenCalls([entry]: readonly ts.SourceFile[]): readonly UnplacedCall[] {
  if (!entry) return [];
  const at = codePositionAt(entry, 0);
  return [
    { kind: "skill", ...at },
    { kind: "tool", ...at },
  ];
}

/** The calls as they are written, where the code could not be followed to its end. */
function writtenCalls(
  checker: ts.TypeChecker,
  files: readonly ts.SourceFile[],
  references: References,
): readonly UnplacedCall[] {
  return files
    .flatMap((file) => hostFunctionUses(checker, file, references))
    .map(({ hostFunction, at }): UnplacedCall => {
      const names = staticCallees(checker, at, references)?.map(({ text }) => text);
      const { file, line, column } = codePositionAt(at.getSourceFile(), at.getStart());
      const call = {
        kind: hostFunction === "call_skill" ? ("skill" as const) : ("tool" as const),
        file,
        line,
        column,
      };
      return names ? Object.assign(call, { names: [...new Set(names)].toSorted() }) : call;
    });
}

/** Everything that comes in goes everywhere. So one call stands for all that may be of the same callees. */
function everywhere(files: readonly ts.SourceFile[], made: readonly UnplacedCall[]): UnplacedFlows {
  const [entry] = files;
  if (!entry) return { calls: [], flows: [] };
  const calls = distinctCalls(made);
  const kind: FlowKind = "unfollowed";
  const start = codePositionAt(entry, 0);
  const from: readonly FlowOrigin[] = [
    { kind: "input" },
    ...calls.flatMap((_, call): readonly FlowOrigin[] => [
      { kind: "answer", call },
      { kind: "failure", call },
    ]),
  ];
  const to = [
    { to: { kind: "output" as const }, at: start },
    { to: { kind: "error" as const }, at: start },
    ...calls.map((at, call) => ({ to: { kind: "argument" as const, call }, at: placeOf(at) })),
  ];
  return {
    calls,
    flows: from.flatMap((origin) => to.map((each) => ({ from: origin, kind, to: each.to, at: each.at }))),
  };
}

/** A call for each set of callees; where these are many, one for all skills and one for all tools. */
function distinctCalls(calls: readonly UnplacedCall[]): readonly UnplacedCall[] {
  const first = new Map<string, UnplacedCall>();
  for (const call of calls) {
    const key = JSON.stringify([call.kind, call.names]);
    if (!first.has(key)) first.set(key, call);
  }
  if (first.size <= MAX_CALLS) return [...first.values()];
  return [...Map.groupBy(first.values(), ({ kind }) => kind).values()].flatMap(([call, ...others]) => {
    if (!call) return [];
    const { names, ...rest } = call;
    const all = [names, ...others.map((other) => other.names)];
    const isKnown = all.every((each) => each !== undefined);
    return [{ ...rest, ...(isKnown && { names: [...new Set(all.flat())].toSorted() }) }];
  });
}

const MAX_CALLS = 50;

function placeOf({ file, line, column }: CodePosition): CodePosition {
  return { file, line, column };
}
