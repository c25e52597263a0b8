import * as z from "zod";
import { ZOD_MESSAGES } from "../../core/json/zod-messages.ts";

const step = z.string().max(100);
const leaf = z
  .strictObject({
    step,
    path: z.array(z.union([z.string(), z.int()])),
  })
  .describe("An argument, as the view of the draft lists it; an empty path is what a loop goes over");
const param = z.string().max(100);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

const skillTarget = z.strictObject({ kind: z.literal("skill") });
const paramTarget = z.strictObject({ kind: z.literal("param"), name: param });
const outputTarget = z.strictObject({ kind: z.literal("output") });

const EDIT_KINDS = [
  z
    .strictObject({
      kind: z.literal("rename"),
      target: z.union([skillTarget, paramTarget]),
      to: z
        .string()
        .describe("A skill: lower-case words with hyphens between them. A parameter: an identifier"),
    })
    .describe("Renames the skill, or a parameter wherever it is used"),
  z
    .strictObject({
      kind: z.literal("describe"),
      target: z.union([skillTarget, paramTarget, outputTarget]),
      text: z.string().describe("Plain text of at most 1000 characters; empty: no description"),
    })
    .describe("Says what the skill does, or what a parameter or the output is"),
  z
    .strictObject({
      kind: z.literal("flow"),
      leaf,
      choose: z
        .union([z.int(), z.enum(["parameter", "constant"])])
        .describe("The number of one of the argument's alternatives, or what the argument becomes"),
    })
    .describe("Has an argument come from elsewhere"),
  z
    .strictObject({
      kind: z.literal("parameter"),
      leaf,
      constant: z
        .int()
        .nullable()
        .describe("Which of the constants in the argument, from 1; null: the argument itself"),
      name: z.string().nullable().describe("The new parameter's name; null: as the argument is called"),
    })
    .describe("Turns a constant into a parameter"),
  z
    .strictObject({ kind: z.literal("constant"), param })
    .describe("Turns a parameter into the value that it had in every run"),
  z.strictObject({ kind: z.literal("output"), step }).describe("Has the skill give what this step gave"),
  z
    .strictObject({ kind: z.literal("drop"), step: z.union([step, z.array(z.string())]) })
    .describe("Leaves out steps nothing uses"),
  z
    .strictObject({
      kind: z.literal("keep"),
      call: z.int().describe("The number of a call of the first run that the skill does not make"),
    })
    .describe("Makes a recorded call that is left out"),
  z
    .strictObject({
      kind: z.literal("optional"),
      param,
      default: z
        .union([scalar, z.array(scalar), z.null()])
        .describe("The value of a parameter that is left out; null: none"),
    })
    .describe("Lets callers leave a parameter out"),
  z.strictObject({ kind: z.literal("required"), param }).describe("Has callers always give a parameter"),
  z
    .strictObject({
      kind: z.literal("effect"),
      tool: z.string(),
      operation: z.enum(["READ", "WRITE"]),
    })
    .describe("Says what a tool does that no server vouches for"),
] as const;

const anyEdit = z.discriminatedUnion("kind", [...EDIT_KINDS]);

/** One change of a draft's plan. */
export type Edit = z.infer<typeof anyEdit>;
export type EditOf<Kind extends Edit["kind"]> = Extract<Edit, { readonly kind: Kind }>;
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
