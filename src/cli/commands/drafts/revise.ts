import { Command } from "commander";
import type { App } from "../../../rooms.ts";
import { ZOD_MESSAGES } from "../../../core/json/zod-messages.ts";
import { failure } from "../../../core/error.ts";
import type { Json } from "../../../core/json/json.ts";
import { fail, ok, type Result } from "../../../core/result.ts";
import { draftView } from "../../../learn/review/draft-view.ts";
import { type Edit, EDITS } from "../../../learn/edits/edits.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../../session.ts";
import { jsonArgument } from "../../json-argument.ts";
import { draftJson, nextSteps, roundsText, shownDraft } from "../../output/shown-draft.ts";
import { modelOf, userName, withExtraction } from "../../with-drafts.ts";

interface ReviseOptions extends CommonOptions {
  readonly edits?: string;
  readonly proposed?: boolean;
  readonly model?: boolean;
  readonly why?: string;
}

export function reviseCommand(): Command {
  return withCommonOptions(new Command("revise"))
    .description("change a draft's plan, print its files anew, and verify it")
    .argument("<name>", "the draft's name")
    .option("--edits <json>", "a list of edits as JSON, @file, or - for stdin")
    .option("--proposed", "the edits that its view proposes, all at once")
    .option("--model", "let the configured model propose edits, in at most three rounds")
    .option("--why <words>", "why, for whoever reviews it")
    .addHelpText("after", examples(EDITS_HELP))
    .action(async (name: string, options: ReviseOptions) => {
      const { why, edits: given, proposed, model, json } = options;
      await withExtraction(options, async (app) => {
        if ([given, proposed, model].filter((each) => each !== undefined).length !== 1)
          valueOrThrow(fail(failure("INPUT_INVALID", "Give one of --edits, --proposed and --model")));
        if (model) return adviseByModel(app, name, json);
        const edits = valueOrThrow(
          given === undefined ? await proposedEdits(app, name) : await givenEdits(given),
        );
        const draft = valueOrThrow(await app.extraction.revise(name, edits, { by: userName(), why }));
        if (json) printJson(draftJson(draft));
        else {
          const taken = proposed ? `Taken: ${JSON.stringify(edits)}\n\n` : "";
          console.log(`${taken}${shownDraft(draft)}\n\n${nextSteps(draft)}`);
        }
      });
    });
}

async function givenEdits(given: string): Promise<Result<readonly Edit[]>> {
  const listed = await jsonArgument("--edits", given, EDITS_EXAMPLE);
  return listed.ok ? editsIn(listed.value) : listed;
}

async function proposedEdits({ extraction }: App, name: string): Promise<Result<readonly Edit[]>> {
  const draft = await extraction.drafts.read(name);
  if (!draft.ok) return draft;
  const { proposed } = draftView(draft.value);
  return proposed
    ? ok(proposed.edits)
    : fail(failure("INPUT_INVALID", `Nothing is proposed for the draft "${name}"`));
}

async function adviseByModel(app: App, name: string, json = false): Promise<void> {
  const advised = valueOrThrow(await app.extraction.advise(name, valueOrThrow(modelOf(app))));
  const { draft, rounds } = advised;
  if (json) printJson({ ...draftJson(draft), rounds });
  else console.log(`${roundsText(advised)}\n\n${shownDraft(draft)}\n\n${nextSteps(draft)}`);
}

const EDITS_EXAMPLE = '[{"kind": "drop", "step": "order"}]';
const EDITS_HELP = `
The edits are done in their order, all or none:
  {"kind": "rename", "target": {"kind": "param", "name": "text"}, "to": "email"}
  {"kind": "describe", "target": {"kind": "skill"}, "text": "Cancels an order."}
  {"kind": "flow", "leaf": {"step": "order", "path": ["id"]}, "choose": 2}
  {"kind": "parameter", "leaf": {"step": "order", "path": ["id"]}, "constant": null, "name": "order"}
  {"kind": "constant", "param": "reason"}
  {"kind": "drop", "step": "order"}                    {"kind": "keep", "call": 3}
  {"kind": "optional", "param": "reason", "default": null}
  {"kind": "required", "param": "reason"}              {"kind": "split", "step": "mail"}
  {"kind": "fold", "steps": ["cancel", "secondCancel"], "over": ""}
  {"kind": "effect", "tool": "shop.get_order", "operation": "READ"}
  {"kind": "precondition", "text": "inputs.order.startsWith('O-')", "how": "add"}
  {"kind": "tag", "text": "orders", "how": "add"}      (also postcondition, category, keyword, example)

Example:
  $ repertoire drafts revise cancel-order --edits '${EDITS_EXAMPLE}'
  $ repertoire drafts revise cancel-order --proposed
  $ repertoire drafts revise cancel-order --model`;

/** A list of edits, or one of them. */
function editsIn(given: Json): Result<readonly Edit[]> {
  const read = EDITS.safeParse(Array.isArray(given) ? given : [given], ZOD_MESSAGES);
  if (read.success) return ok(read.data);
  const faults = read.error.issues.map(({ path, message }) => {
    const [index, ...rest] = path;
    const place = rest.length === 0 ? "" : ` ${rest.map(String).join(".")}`;
    return index === undefined ? message : `edit ${Number(index) + 1}${place}: ${message}`;
  });
  return fail(failure("INPUT_INVALID", `The edits are not valid: ${faults.join("; ")}`));
}
