import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline/promises";
import { Command } from "commander";
import { doTask } from "../../assistant/task.ts";
import { failure } from "../../core/error.ts";
import type { Json } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Skill } from "../../core/skill.ts";
import { commandLine } from "../../core/text/command-line.ts";
import { oneLine, plainLine, visibleText } from "../../core/text/display-text.ts";
import { unapprovedFailure } from "../../server/run-consent.ts";
import { redactedValue } from "../../trace/redact/redacted-trace.ts";
import { redactor } from "../../trace/redact/redaction.ts";
import { refusalsOf } from "../../server/withheld-skills.ts";
import { isConfirmed } from "../is-confirmed.ts";
import {
  type CommonOptions,
  examples,
  EXIT,
  printJson,
  valueOrThrow,
  withCommonOptions,
} from "../session.ts";
import { abortedAtStop } from "../stop-signal.ts";
import { modelOf, withExtraction } from "../with-drafts.ts";
import { consentLines } from "./run.ts";

interface AskOptions extends CommonOptions {
  readonly yes?: boolean;
}

export function askCommand(): Command {
  return withCommonOptions(new Command("ask"))
    .description("have the configured model do a task with the skills that there are")
    .argument("<task>", "what is to be done, in words")
    .option("-y, --yes", "run also skills that may write, without being asked")
    .addHelpText(
      "after",
      examples(
        `\nExample:\n  $ repertoire ask "How long is the longest side of a right triangle with sides of 3 and 4?"`,
      ),
    )
    .action(async (task: string, options: AskOptions) => {
      const { yes = false, json = false } = options;
      await withExtraction(options, async (app) => {
        const model = valueOrThrow(modelOf(app));
        const redact = valueOrThrow(redactor(app.config.traces.redaction));
        const { snapshot } = await app.catalog;
        const refusals = refusalsOf(snapshot, app.config.publish);
        const signal = abortedAtStop();
        const caller = { sessionId: randomUUID(), client: "repertoire ask" };
        const hasTerminal = process.stdin.isTTY && !json;
        const outcome = valueOrThrow(
          await doTask(task, {
            catalog: await app.workCatalog(),
            model,
            meaning: app.meaning,
            signal,
            ask: async (question) =>
              hasTerminal ? ok(await answerTo(question)) : fail(unanswered(question)),
            redacted: (value) => redactedValue(value, redact),
            confirm: async (skill, input) =>
              yes ? ok(true) : confirmed(skill, input, await consentLines(app, skill.name), hasTerminal),
            run: async (skill, input) => {
              const isDurable = app.durable.takes(snapshot.skills, skill.name);
              const run = await app.recorder.run(skill.name, input, caller, async (id) => {
                if (!isDurable)
                  return app.runner.run(snapshot.skills, skill.name, input, { id, signal, refusals });
                console.error(`The run is ${id}`);
                return app.durable.run(skill.name, input, { id, signal });
              });
              if (!json)
                console.error(
                  `${skill.name} ${oneLine(JSON.stringify(input))}${run.root.outcome.ok ? "" : `  ✗ ${run.root.outcome.error.code}`}`,
                );
              return run.root.outcome;
            },
          }),
        );
        if (outcome.kind !== "done") process.exitCode = EXIT.failed;
        if (json) return printJson({ ...outcome, session: caller.sessionId });
        console.log(visibleText(outcome.text));
        if (outcome.kind === "no-skill")
          console.error(
            `No skill does this. To have one written: ${commandLine("new --from")} '${plainLine(task).replaceAll("'", String.raw`'\''`)}'`,
          );
      });
    });
}

async function answerTo(question: string): Promise<string> {
  const asking = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const closed = new Promise<string>((resolve) => asking.once("close", () => resolve("")));
  const reply = await Promise.race([asking.question(`${plainLine(question)} `), closed]);
  asking.close();
  return reply;
}

function unanswered(question: string) {
  return failure(
    "INPUT_INVALID",
    `The task leaves open: ${plainLine(question)} Say it in the task; nobody can be asked here`,
  );
}

async function confirmed(
  { name, operation }: Skill,
  input: Json,
  flows: readonly string[],
  hasTerminal: boolean,
): Promise<Result<boolean>> {
  if (operation !== "WRITE" && flows.length === 0) return ok(true);
  if (hasTerminal) {
    if (flows.length > 0)
      console.error(
        `What untrusted tools answer goes into calls that write:\n${flows.map(oneLine).join("\n")}`,
      );
    return ok(await isConfirmed(`Run "${name}", which may write, with ${oneLine(JSON.stringify(input))}?`));
  }
  if (flows.length > 0) return fail(unapprovedFailure(name, "nobody agreed to it; --yes does", flows));
  return fail(
    failure(
      "RUN_UNAPPROVED",
      `"${name}" may write, and was not run: nobody can be asked here; --yes agrees. Its input: ${oneLine(JSON.stringify(input))}`,
    ),
  );
}
