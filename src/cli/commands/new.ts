import { access, mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { Command } from "commander";
import { failure } from "../../core/error.ts";
import {
  type CommonOptions,
  configOf,
  endWith,
  examples,
  EXIT,
  printJson,
  valueOrThrow,
  withCommonOptions,
} from "../session.ts";
import { fileFault } from "../../core/files/file-fault.ts";
import { isJsonObject } from "../../core/json/json.ts";
import { oneLine } from "../../core/text/display-text.ts";
import { isDraftName } from "../../learn/drafts/atomic-folder.ts";
import { callText } from "../output/call-text.ts";
import { draftJson, nextSteps, shownDraft } from "../output/shown-draft.ts";
import { abortedAtStop } from "../stop-signal.ts";
import { userName, withExtraction } from "../with-drafts.ts";
import { commandLine } from "../../core/text/command-line.ts";

export function newCommand(): Command {
  return withCommonOptions(new Command("new"))
    .description("write a new skill that works at once, or have a model write one")
    .argument("[name]", "the skill's name: small letters, digits and hyphens")
    .argument("[folder]", "the skills folder to write to (default: the configuration's first, else ./skills)")
    .option(
      "--from <wish>",
      "what it should do: the configured model writes a draft of it, for you to review",
    )
    .option("--anew", "with --from: also where a skill does it already")
    .addHelpText(
      "after",
      examples(
        `\nExample:\n  $ repertoire new word-count\n  $ repertoire new --from "Tell which of several parcels is the heaviest"`,
      ),
    )
    .action(async (name: string | undefined, folder: string | undefined, options: NewOptions) => {
      const json = options.json === true;
      if (options.from !== undefined) return written(options.from, name, options);
      if (name === undefined)
        return endWith(
          failure("INPUT_INVALID", "Give the skill's name, or --from and a wish"),
          json,
          EXIT.usage,
        );
      if (options.anew) return endWith(failure("INPUT_INVALID", "--anew is for --from"), json, EXIT.usage);
      const [skills = "skills"] = (await configOf(folder === undefined ? [] : [folder], options)).skills;
      if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > 64) {
        const why =
          "use 1 to 64 small letters, digits and single hyphens between them, for example word-count";
        endWith(failure("INPUT_INVALID", `"${name}" is no name for a skill: ${why}`), json, EXIT.usage);
      }
      const path = join(skills, name);
      if (await exists(path)) {
        endWith(
          failure(
            "ALREADY_EXISTS",
            `There is something at ${path} already; choose another name, or delete it first`,
          ),
          json,
          EXIT.failed,
        );
      }
      const files = templateFiles(name);
      try {
        await mkdir(path, { recursive: true });
        for (const [file, content] of Object.entries(files)) await writeFile(join(path, file), content);
      } catch (error) {
        endWith(
          failure("PATH_NOT_FOUND", `The skill cannot be written to ${path}: ${fileFault(error)}`),
          json,
          EXIT.failed,
        );
      }
      if (json) printJson({ name, path, files: Object.keys(files) });
      else {
        const shown = relative(process.cwd(), path) || path;
        console.log(
          `Wrote ${Object.keys(files).join(", ")} to ${shown}\nTry: ${commandLine(`run ${name}${folder === undefined ? "" : ` ${folder}`} --input '{"text": "hello"}'`)}`,
        );
      }
    });
}

interface NewOptions extends CommonOptions {
  readonly from?: string;
  readonly anew?: boolean;
}

/** Has the configured model write a draft for a wish. */
async function written(
  text: string,
  name: string | undefined,
  { anew, ...options }: NewOptions,
): Promise<void> {
  if (name !== undefined && !isDraftName(name))
    return endWith(
      failure(
        "INPUT_INVALID",
        `"${name}" is no name for a skill: it is of lower-case words with hyphens between them`,
      ),
      options.json === true,
      EXIT.usage,
    );
  await withExtraction(options, async ({ writer }) => {
    const outcome = valueOrThrow(
      await writer.fulfil({ text, by: userName(), name, anew, signal: abortedAtStop() }),
    );
    if (outcome.kind === "existing") {
      const { skill, isDraft, reason, input } = outcome;
      if (options.json) return printJson(outcome);
      console.log(`${isDraft ? "The draft" : "The skill"} "${skill}" does this already: ${oneLine(reason)}`);
      const shown = isDraft
        ? commandLine(`drafts show ${skill}`)
        : isJsonObject(input)
          ? callText(skill, input)
          : commandLine(`run ${skill}`);
      return console.log(`Try: ${shown}\nWrite one all the same: --anew`);
    }
    const { draft, attempts, faults, similar } = outcome;
    if (faults.length > 0) process.exitCode = EXIT.failed;
    if (options.json) return printJson({ attempts, faults, similar, ...draftJson(draft) });
    console.log(shownDraft(draft));
    if (similar.length > 0) console.log(`\nDrafts that may do the same: ${similar.join(", ")}`);
    for (const fault of faults)
      console.error(`\nIt does not hold after ${attempts} attempts: ${oneLine(fault)}`);
    console.log(`\n${nextSteps(draft)}`);
  });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function templateFiles(name: string): Readonly<Record<string, string>> {
  return {
    "SKILL.md": `---
name: ${name}
description: Counts the words of a text. Use when a text's length in words is asked for.
---

# ${name}

Call it with a text; it gives the number of words in it.
`,
    "skill.ts": `export interface Input {
  /** The text to look at */
  text: string;
}

export interface Output {
  /** How many words it has */
  words: Integer;
}

export default function run(input: Input): Output {
  return { words: input.text.split(/\\s+/).filter((word) => word !== "").length };
}
`,
    "tests.yaml": `- name: counts words
  input: { text: "to be or not to be" }
  output: { words: 6 }
- name: refuses what is no text
  input: { text: 5 }
  error: INPUT_INVALID
`,
  };
}
