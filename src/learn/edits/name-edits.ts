import { didYouMean } from "../../core/text/nearest.ts";
import { ok, type Result } from "../../core/result.ts";
import type { SkillMatching } from "../../core/skill.ts";
import { isDraftName } from "../drafts/atomic-folder.ts";
import { camelCase, nameWords } from "../plan/names.ts";
import { withRenamedInput } from "../plan/plan-conditions.ts";
import { isIdentifier, type Param, type Plan } from "../plan/plan.ts";
import { isSecretValue } from "../recording/secrets.ts";
import type { EditOf } from "./edits.ts";
import { mapPlanExpressions } from "./plan-leaves.ts";
import { hasHidden, plainLine, quotedLine } from "../../core/text/display-text.ts";
import type { SourceTrace } from "../recording/recorded-trace.ts";
import { renamedParam } from "./translation.ts";
import { invalidEdit, type RevisionContext } from "./revision-context.ts";

export function applyRename(
  context: RevisionContext,
  { target, to }: EditOf<"rename">,
): Result<RevisionContext> {
  return target.kind === "skill" ? renamedSkill(context, to) : renamedParameter(context, target.name, to);
}

function renamedSkill(context: RevisionContext, to: string): Result<RevisionContext> {
  if (isDraftName(to)) return ok({ ...context, plan: { ...context.plan, name: to } });
  const name = nameWords(to).join("-").slice(0, 64);
  const hint = isDraftName(name) ? `, such as "${name}"` : "";
  return invalidEdit(
    `A skill's name is of lower-case words with hyphens between them${hint}; ${quotedLine(to)} is not`,
  );
}

function renamedParameter(context: RevisionContext, from: string, to: string): Result<RevisionContext> {
  const { plan, sources } = context;
  const param = findParam(plan, from);
  if (!param.ok) return param;
  if (from === to) return ok(context);
  const free = newParamName(plan, to);
  if (!free.ok) return free;
  const names = new Map([[from, to]]);
  const parts = mapPlanExpressions(plan, (part) => renamedParam(part, names));
  return ok({
    ...context,
    plan: {
      ...withRenamedInput(parts, from, to),
      params: plan.params.map((each) => (each === param.value ? withName(each, to) : each)),
    },
    sources: sources.map((each) => withInputName(each, from, to)),
  });
}

/** The plan with a condition, or without the one that has the same check. */
export function applyCondition(
  context: RevisionContext,
  kind: "precondition" | "postcondition",
  { text: check, how }: EditOf<"precondition">,
): Result<RevisionContext> {
  const field = `${kind}s` as const;
  const { [field]: before = [], ...rest } = context.plan;
  const others = before.filter((each) => each.check !== check);
  if (how === "remove" && others.length === before.length)
    return invalidEdit(`There is no ${kind} ${quotedLine(check)}`);
  const now = how === "remove" ? others : [...others, { check, critical: how === "add" }];
  return ok({ ...context, plan: now.length === 0 ? rest : { ...rest, [field]: now } });
}

const MATCHING_LISTS = { tag: "tags", keyword: "keywords", example: "examples" } as const;

/** The plan with a word on when the skill fits, or without it. */
export function applyMatching(
  context: RevisionContext,
  kind: "category" | keyof typeof MATCHING_LISTS,
  { text, how }: EditOf<"category">,
): Result<RevisionContext> {
  const said = plainLine(text);
  if (said === "" || said.length > MAX_WORD || hasHidden(text))
    return invalidEdit(`${quotedLine(text)} is no plain text of at most ${MAX_WORD} characters`);
  const { category, ...lists } = context.plan.matching ?? { tags: [], keywords: [], examples: [] };
  const known = kind === "category" ? [category] : lists[MATCHING_LISTS[kind]];
  const isRemoved = how === "remove";
  if (isRemoved && !known.includes(said)) return invalidEdit(`There is no ${kind} ${quotedLine(said)}`);
  if (kind === "category")
    return ok(withMatching(context, { ...(isRemoved ? {} : { category: said }), ...lists }));
  const field = MATCHING_LISTS[kind];
  const others = lists[field].filter((each) => each !== said);
  const now = isRemoved ? others : [...others, said];
  return ok(
    withMatching(context, { ...(category === undefined ? {} : { category }), ...lists, [field]: now }),
  );
}

const MAX_WORD = 500;

function withMatching(context: RevisionContext, matching: SkillMatching): RevisionContext {
  const { matching: _, ...rest } = context.plan;
  const { category, tags, keywords, examples } = matching;
  const isEmpty = category === undefined && tags.length + keywords.length + examples.length === 0;
  return { ...context, plan: isEmpty ? rest : { ...rest, matching } };
}

function withName(param: Param, name: string): Param {
  return { ...param, name };
}

function withInputName(source: SourceTrace, from: string, to: string): SourceTrace {
  if (source.input === undefined) return source;
  const fields = Object.entries(source.input).map(
    ([name, value]) => [name === from ? to : name, value] as const,
  );
  return { ...source, input: Object.fromEntries(fields) };
}

/** The name, if a new parameter may have it. */
export function newParamName({ params }: Plan, name: string): Result<string> {
  if (!isIdentifier(name)) {
    const hint = camelCase(name);
    const such = isIdentifier(hint) ? `, such as "${hint}"` : "";
    return invalidEdit(
      `A parameter's name begins with a lower-case letter and has letters, digits and _ after it${such}; ${quotedLine(name)} is none that code can use`,
    );
  }
  if (!params.some((param) => param.name === name)) return ok(name);
  const longer = [2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${name}${number}`);
  const free = longer.find((each) => !params.some((param) => param.name === each)) ?? `${name}_`;
  return invalidEdit(`There is a parameter "${name}" already; "${free}" is free`);
}

export function findParam({ params }: Plan, name: string): Result<Param> {
  const found = params.find((param) => param.name === name);
  if (found) return ok(found);
  const names = params.map((param) => param.name);
  const known = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
  return invalidEdit(`There is no parameter ${quotedLine(name)}: ${known}.${didYouMean(name, names)}`);
}

const MAX_TEXT = 1000;

export function applyDescription(
  context: RevisionContext,
  { target, text }: EditOf<"describe">,
): Result<RevisionContext> {
  const said = text.trim().replaceAll(/\s+/g, " ");
  if (said.length > MAX_TEXT)
    return invalidEdit(`A description has at most ${MAX_TEXT} characters; this one has ${said.length}`);
  if (hasHidden(said))
    return invalidEdit("A description is plain text, without control or invisible characters");
  if (isSecretValue(said)) return invalidEdit("The description holds what looks like a credential");
  const { plan } = context;
  const description = said === "" ? undefined : said;
  switch (target.kind) {
    case "skill":
      return ok({ ...context, plan: withDescription(plan, description) });
    case "output": {
      const schema = withDescription(plan.output.schema, description);
      return ok({ ...context, plan: { ...plan, output: { ...plan.output, schema } } });
    }
    case "param": {
      const param = findParam(plan, target.name);
      if (!param.ok) return param;
      const params = plan.params.map((each) =>
        each === param.value ? withDescription(each, description) : each,
      );
      return ok({ ...context, plan: { ...plan, params } });
    }
  }
}

function withDescription<Described extends object>(described: Described, description: string | undefined) {
  const { description: _, ...rest } = described as Described & { description?: unknown };
  return (description === undefined ? rest : { ...rest, description }) as Described;
}
