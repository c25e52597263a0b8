import { Command } from "commander";
import { failure } from "../../core/error.ts";
import { fail } from "../../core/result.ts";
import { userName, withDrafts } from "../with-drafts.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../session.ts";
import { positiveInteger } from "../run-filter.ts";
import { commandLine } from "../../core/text/command-line.ts";

interface RevokeOptions extends CommonOptions {
  readonly to?: number;
  readonly why?: string;
}

export function revokeCommand(): Command {
  return withCommonOptions(new Command("revoke"))
    .description("take a promoted skill out of the skills folder, or bring an earlier version of it back")
    .argument("<name>", "the skill's name")
    .option("--to <version>", "the version that shall be there instead", positiveInteger)
    .option("--why <words>", "why, for whoever asks later")
    .addHelpText(
      "after",
      examples(
        "\nAll versions are kept. Only skills that were promoted from drafts can be revoked.\n\nExample:\n  $ repertoire revoke cancel-order --to 1",
      ),
    )
    .action(async (name: string, { to, why, ...options }: RevokeOptions) => {
      await withDrafts(options, async ({ promotions, skills }) => {
        const deed = { by: userName(), why };
        const versions = await promotions.versions(name);
        if (to !== undefined && versions.length > 0 && !versions.includes(to)) {
          const message = `There is no version ${to} of "${name}"; kept are ${versions.join(", ")}`;
          return valueOrThrow(fail(failure("DRAFT_NOT_FOUND", message)));
        }
        const changed =
          to === undefined ? promotions.revoke(name, deed) : promotions.rollBack(name, to, deed);
        const { version } = valueOrThrow(await changed);
        if (options.json) return printJson({ name, revoked: to === undefined, version });
        console.log(
          to === undefined
            ? `Took "${name}" (version ${version}) out of ${skills}; "${commandLine(`revoke ${name} --to ${version}`)}" brings it back`
            : `Version ${to} of "${name}" is in ${skills} now`,
        );
      });
    });
}
