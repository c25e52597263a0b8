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
  withCommonOptions,
} from "../session.ts";
import { commandLine } from "../../core/text/command-line.ts";

export function newCommand(): Command {
  return withCommonOptions(new Command("new"))
    .description("write a new skill that works at once")
    .argument("<name>", "the skill's name: small letters, digits and hyphens")
    .argument("[folder]", "the skills folder to write to (default: the configuration's first, else ./skills)")
    .addHelpText("after", examples("\nExample:\n  $ repertoire new word-count"))
    .action(async (name: string, folder: string | undefined, options: CommonOptions) => {
      const json = options.json === true;
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
      await mkdir(path, { recursive: true });
      const files = templateFiles(name);
      for (const [file, content] of Object.entries(files)) await writeFile(join(path, file), content);
      if (json) printJson({ name, path, files: Object.keys(files) });
      else {
        const shown = relative(process.cwd(), path) || path;
        console.log(
          `Wrote ${Object.keys(files).join(", ")} to ${shown}\nTry: ${commandLine(`run ${name}${folder === undefined ? "" : ` ${folder}`} --input '{"text": "hello"}'`)}`,
        );
      }
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
