import { join } from "node:path";
import { Command } from "commander";
import { failure } from "../../../core/error.ts";
import { fail } from "../../../core/result.ts";
import { type Files, isFolder, readFolder } from "../../../learn/drafts/atomic-folder.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../../session.ts";
import { shownLines } from "../../../core/text/display-text.ts";
import { type Paint, terminal } from "../../output/terminal.ts";
import { unifiedDiff } from "../../output/unified-diff.ts";
import { withDrafts } from "../../with-drafts.ts";

export function diffCommand(): Command {
  return withCommonOptions(new Command("diff"))
    .description("show how a draft differs from the skill that it was promoted to")
    .argument("<name>", "the draft's name")
    .addHelpText("after", examples("\nExample:\n  $ repertoire drafts diff cancel-order"))
    .action(async (name: string, options: CommonOptions) => {
      await withDrafts(options, async ({ drafts, skills }) => {
        const draft = valueOrThrow(await drafts.read(name));
        const folder = join(skills, name);
        if (draft.state !== "promoted" && !draft.provenance.history.some(({ kind }) => kind === "promoted"))
          return valueOrThrow(fail(failure("DRAFT_STATE", `The draft "${name}" was never promoted`)));
        if (!(await isFolder(folder)))
          return valueOrThrow(
            fail(failure("DRAFT_NOT_FOUND", `The skill "${name}" is no longer in ${skills}`)),
          );
        const files = differing(
          valueOrThrow(await readFolder(folder)),
          valueOrThrow(await readFolder(draft.folder)),
        );
        if (options.json) return printJson({ name, files });
        if (files.length === 0) return console.error(`The draft "${name}" is what was promoted`);
        const { paint } = terminal();
        for (const { diff } of files) for (const line of diff) console.log(painted(line, paint));
      });
    });
}

interface DifferingFile {
  readonly path: string;
  readonly diff: readonly string[];
}

/** What tells of the others is another thing in a draft and in a skill. */
const OWN: ReadonlySet<string> = new Set(["plan.json", "provenance.json"]);

function differing(skill: Files, draft: Files): readonly DifferingFile[] {
  const paths = new Set([...skill.keys(), ...draft.keys()]).difference(OWN);
  return [...paths].toSorted().flatMap((path) => {
    const diff = unifiedDiff(textOf(skill.get(path)), textOf(draft.get(path)), path);
    return diff.length === 0 ? [] : [{ path, diff }];
  });
}

function textOf(content: Uint8Array | undefined): string {
  return new TextDecoder().decode(content);
}

function painted(line: string, paint: Paint): string {
  const [shown = ""] = shownLines(line);
  if (/^(?:---|\+\+\+) /.test(line)) return paint("bold", shown);
  if (line.startsWith("@@")) return paint("cyan", shown);
  if (line.startsWith("+")) return paint("green", shown);
  return line.startsWith("-") ? paint("red", shown) : shown;
}
