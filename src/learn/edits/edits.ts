import * as z from "zod";
import { ZOD_MESSAGES } from "../../core/json/zod-messages.ts";

const step = z.string().max(100);
const leaf = z.strictObject({
  step,
  path: z.array(z.union([z.string(), z.int()])),
});
const param = z.string().max(100);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

const skillTarget = z.strictObject({ kind: z.literal("skill") });
const wholeTarget = z.strictObject({ kind: z.enum(["skill", "output"]) });
const paramTarget = z.strictObject({ kind: z.literal("param"), name: param });

const EDIT_KINDS = [
  z.strictObject({
    kind: z.literal("rename"),
    target: z.union([skillTarget, paramTarget]),
    to: z.string().describe("In kebab-case; a parameter: an identifier"),
  }),
  z.strictObject({
    kind: z.literal("describe"),
    target: z.union([wholeTarget, paramTarget]),
    text: z.string().describe("Empty: none"),
  }),
  z
    .strictObject({
      kind: z.literal("flow"),
      leaf: leaf.describe("An argument, as the draft lists it; an empty path: what a loop goes over"),
      choose: z
        .union([z.int(), z.enum(["parameter", "constant"])])
        .describe("The number of an alternative, or what it becomes"),
    })
    .describe("Has an argument come from elsewhere"),
  z
    .strictObject({
      kind: z.literal("parameter"),
      leaf,
      constant: z.int().nullable().describe("Which constant in it, from 1; null: the whole"),
      name: z.string().nullable().describe("Its name; null: as the argument is called"),
    })
    .describe("Turns a constant into a parameter"),
  z
    .strictObject({ kind: z.enum(["constant", "required"]), param })
    .describe("Makes it the value that every run had; or has callers always give it"),
  z
    .strictObject({ kind: z.enum(["output", "split"]), step })
    .describe("Gives what this step gave; or parts the skill in two before it"),
  z
    .strictObject({ kind: z.literal("drop"), step: z.union([step, z.array(z.string())]) })
    .describe("Leaves out steps nothing uses"),
  z
    .strictObject({
      kind: z.literal("fold"),
      steps: z.array(step),
      over: z.string().describe("A list in an answer: step.field; empty: callers give it"),
    })
    .describe("Makes repeated calls a loop"),
  z
    .strictObject({
      kind: z.literal("keep"),
      call: z.int().describe("Its number in the first run"),
    })
    .describe("Makes a recorded call that is left out"),
  z.strictObject({
    kind: z.literal("optional"),
    param,
    default: z.union([scalar, z.array(scalar), z.null()]).describe("Where it is left out; null: nothing"),
  }),
  z
    .strictObject({
      kind: z.literal("effect"),
      tool: z.string(),
      operation: z.enum(["READ", "WRITE"]),
    })
    .describe("Says what a tool does"),
  z
    .strictObject({
      kind: z.enum(["precondition", "postcondition", "category", "tag", "keyword", "example"]),
      text: z.string().max(1000).describe("A condition: JavaScript over `inputs`, `outputs`"),
      how: z.enum(["add", "warn", "remove"]).describe("warn: a condition that stops nothing"),
    })
    .describe("Has a condition checked, or says when the skill fits"),
] as const;

const anyEdit = z.discriminatedUnion("kind", [...EDIT_KINDS]);

/** One change of a draft's plan. */
export type Edit = z.infer<typeof anyEdit>;
export type EditOf<Kind extends Edit["kind"]> = Edit extends infer Each
  ? Each extends { readonly kind: infer Own }
    ? Kind extends Own
      ? Each
      : never
    : never
  : never;
export type LeafPlace = EditOf<"flow">["leaf"];

const MAX_EDITS = 100;

/** Reads edits. As JSON Schema their kinds are an `anyOf`, and no field may be absent: so strict clients take it, too. */
export const EDITS: z.ZodType<readonly Edit[]> = z
  .array(z.union([...EDIT_KINDS], { error: ({ input }) => faultOf(input) }))
  .max(MAX_EDITS);

/** The fault of the kind that is meant, where all kinds are refused. */
function faultOf(input: unknown): string {
  const [issue] = anyEdit.safeParse(input, ZOD_MESSAGES).error?.issues ?? [];
  const at = issue?.path.length ? `${issue.path.map(String).join(".")}: ` : "";
  return `${at}${issue?.message ?? "it is none of the edits that there are"}`;
}
