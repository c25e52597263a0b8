import { basename, dirname } from "node:path";
import { Command, Option } from "commander";
import type { CatalogSnapshot } from "../../catalog/catalog.ts";
import type { Config } from "../../config.ts";
import { failure, type Failure } from "../../core/error.ts";
import type { Json } from "../../core/json/json.ts";
import { withHangingIndent, oneLine } from "../../core/text/display-text.ts";
import { jsonArgument } from "../json-argument.ts";
import { refusalsOf } from "../../server/withheld-skills.ts";
import { failureText } from "../../server/tools/tool-answer.ts";
import type { App } from "../../rooms.ts";
import { flowsInNeedOfConsent } from "../../consent-flows.ts";
import { flowLine } from "../../core/text/flow-line.ts";
import { unapprovedFailure } from "../../server/run-consent.ts";
import { lookedIn } from "../looked-in.ts";
import { isConfirmed } from "../is-confirmed.ts";
import { findingText } from "../output/finding-text.ts";
import { callTree } from "../output/trees/call-tree.ts";
import {
  type CommonOptions,
  endWith,
  examples,
  EXIT,
  printJson,
  withApp,
  withCommonOptions,
} from "../session.ts";
import { abortedAtStop } from "../stop-signal.ts";
import { commandLine } from "../../core/text/command-line.ts";
import { unmetText } from "../../core/conditions/skill-condition.ts";
import { type Run, unmetIn } from "../../core/run.ts";
import { EXECUTING } from "../../export/adapters.ts";

export function runCommand(): Command {
  return withCommonOptions(new Command("run"))
    .description("run a skill and show its calls with their times")
    .argument("<skill>", "the skill's name")
    .argument("[folders...]", "skill folders (default: the configuration's, else ./skills)")
    .option("-y, --yes", "run also where the settings want a person's consent to what it writes")
    .option(
      "--durable",
      "survive the end of this process: what was answered is not called again (see `runs`)",
    )
    .option("--confirm", "wait for a person before each call that writes; the run is durable")
    .addOption(new Option("--on <engine>", "run it on another engine").choices(EXECUTING))
    .option(
      "--python <path>",
      "with --on: the Python whose packages the engine is of (default: the configuration's)",
    )
    .option("-i, --input <json>", "the input as JSON, @file, or - for stdin", "{}")
    .addHelpText(
      "after",
      examples(`\nExample:\n  $ repertoire run compound-formula --input '{"x": 5, "y": 3, "z": 7}'`),
    )
    .action(async (name: string, folders: string[], options: RunOptions) => {
      const input = await jsonArgument("--input", options.input);
      if (!input.ok) endWith(input.error, options.json === true, EXIT.usage);
      await withApp(folders, options, async (app) => {
        const { snapshot } = await app.catalog;
        const { skills, diagnostics } = snapshot;
        // Whoever asks for a skill by hand gets it, errors and all; what it calls is held to the rule.
        const refusals = new Map(refusalsOf(snapshot, app.config.publish));
        refusals.delete(name);
        if (!(await isApproved(app, name, options))) {
          process.exitCode = EXIT.failed;
          return;
        }
        const signal = abortedAtStop();
        if (options.on !== undefined)
          return ranOn(app, options.on, { ...options, name, input: input.value, signal });
        const { durable, confirm: confirms = false } = options;
        const isDurable = durable === true || confirms || app.durable.takes(skills, name);
        const run = await app.recorder.run(name, input.value, {}, async (id) => {
          if (!isDurable || !skills.has(name))
            return app.runner.run(skills, name, input.value, { id, signal, refusals });
          console.error(`The run is ${id}`);
          return app.durable.run(name, input.value, { id, signal, confirms });
        });
        shown(run, options.json, (error) => {
          for (const each of diagnostics)
            if (each.code === "folder-missing") console.error(findingText(each));
          return failureText(explained(error, name, snapshot, app.config));
        });
      });
    });
}

/** On another engine; `--confirm` asks whoever sits at the terminal before each call that may write. */
async function ranOn(
  app: App,
  engine: string,
  { name, input, signal, confirm = false, python, durable, json }: EngineRunOptions,
): Promise<void> {
  const isAskable = process.stdin.isTTY && !json;
  if (durable === true || (confirm && !isAskable)) {
    const why =
      durable === true
        ? "--durable keeps runs here, and --on runs them elsewhere"
        : "--confirm with --on asks at a terminal, and there is none";
    return endWith(failure("INPUT_INVALID", why), json === true, EXIT.usage);
  }
  const run = await app.engines.get(engine)?.execute(name, input, {
    signal,
    isApproved: true,
    ...(python === undefined ? {} : { python }),
    ...(confirm
      ? {
          approve: async (call) =>
            isConfirmed(`${oneLine(`${call.name} ${JSON.stringify(call.input)}`)}\nMake this call?`),
        }
      : {}),
  });
  if (run) shown(run, json, (error) => failureText(lookedIn(error, app.config)));
}

interface EngineRunOptions extends Omit<RunOptions, "input"> {
  readonly name: string;
  readonly input: Json;
  readonly signal: AbortSignal;
}

/** Prints a run, and how it has ended. */
function shown(run: Run, json = false, textOf: (error: Failure) => string): void {
  const { outcome } = run.root;
  if (json) printJson(run);
  else console.log(callTree(run));
  for (const each of unmetIn(run.root))
    console.error(withHangingIndent(`${each.skill} (call ${each.callPath}): ${unmetText(each)}`));
  if (!outcome.ok) {
    console.error(withHangingIndent(textOf(outcome.error)));
    process.exitCode = EXIT.failed;
  } else if (!json) printJson(outcome.output);
}

interface RunOptions extends CommonOptions {
  readonly input: string;
  readonly yes?: boolean;
  readonly durable?: boolean;
  readonly confirm?: boolean;
  readonly on?: string;
  readonly python?: string;
}

/** Whether the run may begin: where the settings want consent, by --yes or by whoever sits at the terminal. */
async function isApproved(app: App, name: string, { yes, json, input }: RunOptions): Promise<boolean> {
  if (yes === true) return true;
  const flows = await consentLines(app, name);
  if (flows.length === 0) return true;
  if (json !== true && process.stdin.isTTY && input !== "-") {
    console.error(
      `What untrusted tools answer goes into calls that write:\n${flows.map(oneLine).join("\n")}`,
    );
    return isConfirmed(`Run "${name}"?`);
  }
  const error = unapprovedFailure(name, "nobody agreed to it; --yes does", flows);
  if (json) printJson({ error });
  console.error(failureText(error));
  return false;
}

/** Where answers of untrusted tools go into calls that write, if the settings want a person's consent to that. */
export async function consentLines(app: App, name: string): Promise<readonly string[]> {
  if (app.config.flows.untrustedIntoWrites === "tell") return [];
  const { skills } = (await app.catalog).snapshot;
  return (await flowsInNeedOfConsent(name, skills, app)).map(flowLine);
}

function explained(
  error: Failure,
  name: string,
  { skills, diagnostics }: CatalogSnapshot,
  config: Config,
): Failure {
  if (error.code !== "SKILL_NOT_FOUND" || skills.has(name)) return error;
  const broken = diagnostics.some(
    ({ path, severity, affects = [] }) =>
      severity === "error" && (path.split(/[\\/]/).includes(name) || affects.includes(name)),
  );
  const half = diagnostics.find(
    ({ code, path }) => code === "file-missing" && basename(dirname(path)) === name,
  );
  if (half) return { ...error, message: `There is no skill named "${name}". ${half.message}: ${half.fix}` };
  if (!broken) return lookedIn(error, config);
  const message = `The skill "${name}" does not load, since its folder has errors: "${commandLine("check")}" shows them`;
  return { ...error, message };
}
