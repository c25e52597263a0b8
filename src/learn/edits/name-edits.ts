import { didYouMean } from "../../core/text/nearest.ts";
import { ok, type Result } from "../../core/result.ts";
import { isDraftName } from "../drafts/folder.ts";
import { camelCase, words } from "../plan/names.ts";
import { isIdentifier, type Param, type Plan } from "../plan/plan.ts";
import { isSecretValue } from "../recording/secrets.ts";
import type { EditOf } from "./edits.ts";
import { withParts } from "./plan-leaves.ts";
import { isSteering, quoted } from "../review/plain-text.ts";
import type { Learned } from "./recorded-run.ts";
import { renamedParam } from "../review/translation.ts";
import { refused, type Work } from "./revision-context.ts";

export function renamed(work: Work, { target, to }: EditOf<"rename">): Result<Work> {
  return target.kind === "skill" ? renamedSkill(work, to) : renamedParameter(work, target.name, to);
}

function renamedSkill(work: Work, to: string): Result<Work> {
  if (isDraftName(to)) return ok({ ...work, plan: { ...work.plan, name: to } });
  const name = words(to).join("-").slice(0, 64);
  const hint = isDraftName(name) ? `, such as "${name}"` : "";
  return refused(
    `A skill's name is of lower-case words with hyphens between them${hint}; ${quoted(to)} is not`,
  );
}

function renamedParameter(work: Work, from: string, to: string): Result<Work> {
  const { plan, learned } = work;
  const param = paramOf(plan, from);
  if (!param.ok) return param;
  if (from === to) return ok(work);
  const free = freeName(plan, to);
  if (!free.ok) return free;
  const names = new Map([[from, to]]);
  const parts = withParts(plan, (part) => renamedParam(part, names));
  return ok({
    ...work,
    plan: {
      ...parts,
      params: plan.params.map((each) => (each === param.value ? withName(each, to) : each)),
    },
    learned: learned.map((each) => withInputName(each, from, to)),
  });
}

function withName(param: Param, name: string): Param {
  return { ...param, name };
}

function withInputName(learned: Learned, from: string, to: string): Learned {
  if (learned.input === undefined) return learned;
  const fields = Object.entries(learned.input).map(
    ([name, value]) => [name === from ? to : name, value] as const,
  );
  return { ...learned, input: Object.fromEntries(fields) };
}

/** The name, if a new parameter may have it. */
export function freeName({ params }: Plan, name: string): Result<string> {
  if (!isIdentifier(name)) {
    const hint = camelCase(name);
    const such = isIdentifier(hint) ? `, such as "${hint}"` : "";
    return refused(
      `A parameter's name begins with a lower-case letter and has letters, digits and _ after it${such}; ${quoted(name)} is none that code can use`,
    );
  }
  if (!params.some((param) => param.name === name)) return ok(name);
  const longer = [2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${name}${number}`);
  const free = longer.find((each) => !params.some((param) => param.name === each)) ?? `${name}_`;
  return refused(`There is a parameter "${name}" already; "${free}" is free`);
}

export function paramOf({ params }: Plan, name: string): Result<Param> {
  const found = params.find((param) => param.name === name);
  if (found) return ok(found);
  const names = params.map((param) => param.name);
  const known = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
  return refused(`There is no parameter ${quoted(name)}: ${known}.${didYouMean(name, names)}`);
}

const MOST_TEXT = 1000;

export function described(work: Work, { target, text }: EditOf<"describe">): Result<Work> {
  const said = text.trim().replaceAll(/\s+/g, " ");
  if (said.length > MOST_TEXT)
    return refused(`A description has at most ${MOST_TEXT} characters; this one has ${said.length}`);
  if (isSteering(said))
    return refused("A description is plain text, without control or invisible characters");
  if (isSecretValue(said)) return refused("The description holds what looks like a credential");
  const { plan } = work;
  const description = said === "" ? undefined : said;
  switch (target.kind) {
    case "skill":
      return ok({ ...work, plan: withDescription(plan, description) });
    case "output": {
      const schema = withDescription(plan.output.schema, description);
      return ok({ ...work, plan: { ...plan, output: { ...plan.output, schema } } });
    }
    case "param": {
      const param = paramOf(plan, target.name);
      if (!param.ok) return param;
      const params = plan.params.map((each) =>
        each === param.value ? withDescription(each, description) : each,
      );
      return ok({ ...work, plan: { ...plan, params } });
    }
  }
}

function withDescription<Described extends object>(described: Described, description: string | undefined) {
  const { description: _, ...rest } = described as Described & { description?: unknown };
  return (description === undefined ? rest : { ...rest, description }) as Described;
}
