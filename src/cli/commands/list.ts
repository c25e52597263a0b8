import { Command } from "commander";
import { cutToWidth, oneLine, padded, widthOf } from "../../core/text/display-text.ts";
import { countText, findingText } from "../output/finding-text.ts";
import { shownPath } from "../output/shown-path.ts";
import { listedSkill } from "../output/listed-skill.ts";
import { type CommonOptions, examples, EXIT, printJson, withApp, withCommonOptions } from "../session.ts";
import { commandLine } from "../../core/text/command-line.ts";

export function listCommand(): Command {
  return withCommonOptions(new Command("list"))
    .description("list the skills that load; with --json also their contracts")
    .argument("[folders...]", "skill folders (default: the configuration's, else ./skills)")
    .addHelpText("after", examples("\nExample:\n  $ repertoire list ./skills"))
    .action(async (folders: string[], options: CommonOptions) => {
      await withApp(folders, options, async (app) => {
        const { skills, diagnostics, faulty } = (await app.catalog).snapshot;
        const listed = [...skills.values()].map(listedSkill);
        if (options.json) printJson(listed);
        else {
          const width = Math.max(0, ...listed.map(({ name }) => widthOf(oneLine(name))));
          for (const { name, kind, operation, description } of listed) {
            const what = kind === "code" ? operation.toLowerCase() : kind;
            const shown = padded(oneLine(name), width);
            const about = `${faulty.has(name) ? "(has errors) " : ""}${oneLine(description)}`;
            console.log(`${shown}  ${what.padEnd(12)}  ${cutToWidth(about, 80)}`);
          }
        }
        const ofFolders = diagnostics.filter(({ code }) => code.startsWith("folder-"));
        for (const each of ofFolders) console.error(findingText(each));
        if (diagnostics.length > ofFolders.length)
          console.error(`${countText(diagnostics)}; "${commandLine("check")}" shows them`);
        if (listed.length === 0 && diagnostics.length === 0)
          console.error(
            `No skills in ${app.config.skills.map(shownPath).join(", ")}: "${commandLine("new <name>")}" makes one`,
          );
        const isWhole = ofFolders.every(({ severity }) => severity !== "error");
        process.exitCode = isWhole ? EXIT.ok : EXIT.failed;
      });
    });
}
