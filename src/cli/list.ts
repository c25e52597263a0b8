import { Command } from "commander";
import { countText, findingText } from "./finding-text.ts";
import { listedSkill } from "./listed-skill.ts";
import { type CommonOptions, EXIT, printJson, withApp, withCommonOptions } from "./session.ts";

export function listCommand(): Command {
  return withCommonOptions(new Command("list"))
    .description("list the skills that load; with --json also their contracts")
    .argument("[folders...]", "skill folders (default: the configuration's, else ./skills)")
    .addHelpText("after", "\nExample:\n  $ repertoire list ./skills")
    .action(async (folders: string[], options: CommonOptions) => {
      await withApp(folders, options, async (app) => {
        const { skills, diagnostics } = (await app.catalog).snapshot;
        const listed = [...skills.values()].map(listedSkill);
        if (options.json) printJson(listed);
        else {
          const width = Math.max(0, ...listed.map(({ name }) => name.length));
          for (const { name, kind, operation, description } of listed) {
            const what = kind === "code" ? operation.toLowerCase() : kind;
            console.log(`${name.padEnd(width)}  ${what.padEnd(12)}  ${oneLine(description, 80)}`);
          }
        }
        const missing = diagnostics.filter(({ code }) => code === "folder-missing");
        for (const each of missing) console.error(findingText(each));
        if (diagnostics.length > missing.length)
          console.error(`${countText(diagnostics)}; "repertoire check" shows them`);
        process.exitCode = missing.length > 0 ? EXIT.failed : EXIT.ok;
      });
    });
}

function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
