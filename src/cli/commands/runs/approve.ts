import { Command } from "commander";
import type { CallDecision } from "../../../durable/call-decision.ts";
import { commandLine } from "../../../core/text/command-line.ts";
import { jsonArgument } from "../../json-argument.ts";
import {
  type CommonOptions,
  endWith,
  examples,
  EXIT,
  valueOrThrow,
  withCommonOptions,
} from "../../session.ts";
import { abortedAtStop } from "../../stop-signal.ts";
import { userName } from "../../with-drafts.ts";
import { resumeRun } from "./resume.ts";
import { withDurableRuns } from "../../with-durable-runs.ts";

interface ApproveOptions extends CommonOptions {
  readonly call: string;
  readonly skip?: string;
  readonly refuse?: boolean;
}

export function approveCommand(): Command {
  return withCommonOptions(new Command("approve"))
    .description("decide about a call that a durable run waits with, and go on")
    .argument("<id>", "the run's id; its beginning is enough")
    .requiredOption("--call <call>", "which call: its place, as `runs show` tells it")
    .option(
      "--skip <json>",
      "do not make the call (again): take this as its answer; JSON, @file, or - for stdin",
    )
    .option("--refuse", "do not make the call: it fails in the skill")
    .addHelpText("after", examples("\nExample:\n  $ repertoire runs approve 3fa9c1d2 --call 0.1"))
    .action(async (id: string, options: ApproveOptions) => {
      const json = options.json === true;
      const decision = await decisionOf(options, json);
      await withDurableRuns(options, async (app) => {
        valueOrThrow(await app.durable.decide(id, decision, { by: userName(), callPath: options.call }));
        await resumeRun(app, id, {
          json,
          signal: abortedAtStop(),
          told: (failed) => ({
            ...failed,
            message: `${failed.message}. The decision is kept: "${commandLine(`runs resume ${id}`)}" goes on`,
          }),
        });
      });
    });
}

async function decisionOf({ skip, refuse }: ApproveOptions, json: boolean): Promise<CallDecision> {
  if (refuse === true) return { kind: "refuse" };
  if (skip === undefined) return { kind: "approve" };
  const result = await jsonArgument("--skip", skip);
  return result.ok ? { kind: "skip", result: result.value } : endWith(result.error, json, EXIT.usage);
}
