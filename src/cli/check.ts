import { Command } from "commander";
import { countText, findingText } from "./finding-text.ts";
import { listedSkill } from "./listed-skill.ts";
import { type CommonOptions, EXIT, printJson, withApp, withCommonOptions } from "./session.ts";

export function checkCommand(): Command {
  return withCommonOptions(new Command("check"))
    .description("load every skill and report what is wrong, with its place and how to mend it")
    .argument("[folders...]", "skill folders (default: the configuration's, else ./skills)")
    .option("--strict", "hold the skills to every rule of the format's reference validator")
    .addHelpText(
      "after",
      "\nExits with 1 when there are errors.\n\nExample:\n  $ repertoire check ./skills --strict",
    )
    .action(async (folders: string[], options: CommonOptions & { strict?: boolean }) => {
      await withApp(folders, options, async (app) => {
        const { skills, diagnostics } = (await app.catalog).snapshot;
        if (options.json) printJson({ skills: [...skills.values()].map(listedSkill), diagnostics });
        else {
          const notes = diagnostics.filter(({ severity }) => severity === "info");
          const bySeverity = (severity: string): readonly string[] =>
            diagnostics.filter((each) => each.severity === severity).map(findingText);
          for (const text of [...bySeverity("warning"), ...bySeverity("error")]) console.error(text);
          if (notes.length > 0) console.error(`${notes.length} notes; --json shows them`);
          console.log(`${skills.size} ${skills.size === 1 ? "skill" : "skills"}, ${countText(diagnostics)}`);
        }
        process.exitCode = diagnostics.some(({ severity }) => severity === "error") ? EXIT.failed : EXIT.ok;
      });
    });
}
