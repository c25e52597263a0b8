import { realpath } from "node:fs/promises";
import { Command } from "commander";
import { withHangingIndent } from "../../core/text/display-text.ts";
import { findingText } from "../output/finding-text.ts";
import { readProperties, skillFoldersAt, type SkillProperties } from "./read-properties.ts";
import { examples, EXIT } from "../session.ts";

export function toPromptCommand(): Command {
  return new Command("to-prompt")
    .description("print the <available_skills> block that tells a model of skills")
    .argument("<paths...>", "skill folders, SKILL.md files, or folders of skills")
    .addHelpText("after", examples("\nExample:\n  $ repertoire to-prompt ./skills"))
    .action(async (paths: string[]) => {
      const folders = await Promise.all(paths.map(skillFoldersAt));
      const skills: SkillProperties[] = [];
      for (const folder of folders.flat()) {
        const reading = await readProperties(await realpath(folder).catch(() => folder));
        if (!reading.ok) {
          console.error(`Error: ${withHangingIndent(reading.error)}`);
          process.exitCode = EXIT.failed;
          return;
        }
        for (const repair of reading.value.repairs) console.error(findingText(repair));
        skills.push(reading.value);
      }
      console.log(["<available_skills>", ...skills.map(skillBlock), "</available_skills>"].join("\n"));
    });
}

function skillBlock({ name, description, file }: SkillProperties): string {
  return [
    "<skill>",
    ...element("name", name),
    ...element("description", description),
    ...element("location", file),
    "</skill>",
  ].join("\n");
}

function element(tag: string, text: string): readonly string[] {
  return [`<${tag}>`, escaped(text), `</${tag}>`];
}

/** As Python's `html.escape` does it, which the reference implementation uses. */
function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#x27;");
}
