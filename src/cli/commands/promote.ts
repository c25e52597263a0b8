import { Command } from "commander";
import { failure, type Failure } from "../../core/error.ts";
import { fail } from "../../core/result.ts";
import type { AnyDraft } from "../../learn/drafts/draft.ts";
import { refusalOf } from "../../learn/drafts/declined-reviews.ts";
import { evidenceFault } from "../../learn/drafts/gate.ts";
import { reviewDraft } from "../../learn/drafts/draft-operations.ts";
import { isConfirmed } from "../is-confirmed.ts";
import { callText, exampleInput } from "../output/call-text.ts";
import { shownDraft } from "../output/shown-draft.ts";
import { userName, withDrafts } from "../with-drafts.ts";
import {
  type CommonOptions,
  examples,
  EXIT,
  printJson,
  withCommonOptions,
  valueOrThrow,
} from "../session.ts";
import { commandLine } from "../../core/text/command-line.ts";

interface PromoteOptions extends CommonOptions {
  readonly yes?: boolean;
  readonly why?: string;
  readonly allowMissingTools?: boolean;
}

export function promoteCommand(): Command {
  return withCommonOptions(new Command("promote"))
    .description("show a draft and, when you agree, make it a skill")
    .argument("<name>", "the draft's name")
    .option("--yes", "agree to what `drafts show` tells, which is not shown again")
    .option("--why <words>", "why, for whoever asks later")
    .option("--allow-missing-tools", "also where no configured server has the tools that it calls")
    .addHelpText("after", examples("\nExample:\n  $ repertoire promote cancel-order"))
    .action(async (name: string, options: PromoteOptions) => {
      const { yes = false, why, json = false } = options;
      await withDrafts(options, async ({ drafts, promotions, skills }) => {
        const draft = valueOrThrow(await drafts.readAny(name));
        const fault =
          draft.state === "promoted"
            ? failure(
                "DRAFT_STATE",
                `The draft "${name}" is promoted already; "${commandLine(`revoke ${name}`)}" takes it out`,
              )
            : (rejectionFault(draft) ?? evidenceFault(draft));
        if (fault) return valueOrThrow(fail(fault));
        if (!json && !yes) console.log(shownDraft(draft));
        if (!yes && !(await isPromotable(name, json))) {
          console.error("Nothing was done");
          process.exitCode = EXIT.failed;
          return;
        }
        // It holds for exactly what was shown.
        const deed = { by: userName(), why, digest: draft.digest };
        valueOrThrow(await reviewDraft(drafts, name, { verdict: "approve", ...deed }));
        const { version } = valueOrThrow(await promotions.promote(name, deed));
        if (json) return printJson({ name, version, folder: skills });
        console.log(`Promoted "${name}" as version ${version} into ${skills}\nTry: ${triedWith(draft)}`);
      });
    });
}

/** Who rejected a draft said so of what it is: it has to become something else. */
function rejectionFault(draft: AnyDraft): Failure | undefined {
  const rejection = refusalOf(draft, "approve");
  if (rejection?.kind !== "rejected") return undefined;
  const ways = `change it with "${commandLine(`drafts revise ${draft.name}`)}", or extract it again with --anew`;
  return failure(
    "DRAFT_STATE",
    `The draft "${draft.name}" was rejected as it is by ${rejection.by}: ${ways}`,
  );
}

function triedWith(draft: AnyDraft): string {
  return draft.kind === "learned"
    ? callText(draft.name, exampleInput(draft.plan.params))
    : commandLine(`test --skill ${draft.name}`);
}

async function isPromotable(name: string, json: boolean): Promise<boolean> {
  if (!json && process.stdin.isTTY) return isConfirmed(`Make "${name}" a skill?`);
  const message = `The draft "${name}" waits for a review: look at it with "${commandLine(`drafts show ${name}`)}", then give --yes`;
  return valueOrThrow(fail(failure("DRAFT_UNREVIEWED", message)));
}
