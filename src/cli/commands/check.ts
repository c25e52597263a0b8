import { writeFile } from "node:fs/promises";
import { Command, Option } from "commander";
import type { App } from "../../rooms.ts";
import type { CatalogSnapshot } from "../../catalog/catalog.ts";
import { casesFindings } from "../../catalog/skill-cases.ts";
import { contractsOf, type CatalogContracts } from "../../changes/catalog-contracts.ts";
import { contractChanges, type ContractChanges } from "../../changes/contract-changes.ts";
import { VERSION_BUMPS, type VersionBump } from "../../changes/next-version.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { failure } from "../../core/error.ts";
import { fileFault } from "../../core/files/file-fault.ts";
import type { ComposedFlow } from "../../core/flow.ts";
import { counted } from "../output/amounts.ts";
import { changesText } from "../output/changes-text.ts";
import { brokenNames, changesWithCallers, unfitNames } from "../against/contract-codes.ts";
import { contractsBefore } from "../against/skills-at-ref.ts";
import { countText, findingText } from "../output/finding-text.ts";
import { catalogVersions } from "../against/catalog-versions.ts";
import { listedSkill } from "../output/listed-skill.ts";
import { shownPath } from "../output/shown-path.ts";
import { sarifLog } from "../output/sarif.ts";
import { oneLine } from "../../core/text/display-text.ts";
import {
  type CommonOptions,
  endWith,
  examples,
  EXIT,
  printJson,
  withApp,
  withCommonOptions,
} from "../session.ts";
import { flowLine } from "../../core/text/flow-line.ts";

const FORMATS = ["text", "json", "sarif"] as const;

type Format = (typeof FORMATS)[number];

interface CheckOptions extends CommonOptions {
  readonly strict?: boolean;
  readonly format?: Format;
  readonly against?: string;
  readonly save?: string;
  readonly flows?: boolean;
  readonly failOn?: Exclude<VersionBump, "none">;
}

export function checkCommand(): Command {
  return withCommonOptions(new Command("check"))
    .description("load every skill and report what is wrong, with its place and how to mend it")
    .argument("[folders...]", "skill folders (default: the configuration's, else ./skills)")
    .option("--strict", "hold the skills to every rule of the format's reference validator")
    .addOption(
      new Option("-f, --format <format>", "what to print (default: text; --json means json)").choices(
        FORMATS,
      ),
    )
    .option(
      "--against <ref or file>",
      "also tell what has changed since: a commit in git, or a file that --save wrote",
    )
    .addOption(
      new Option("--fail-on <step>", "with --against: exit with 1 from this step of the version on").choices(
        VERSION_BUMPS.filter((step) => step !== "none"),
      ),
    )
    .option("--flows", "also tell where answers of untrusted upstream tools go into calls that write")
    .option("--save <file>", "write the contracts of now to a file, for --against")
    .addHelpText("after", examples(HELP))
    .action(async (folders: string[], options: CheckOptions, command: Command) => {
      if (options.failOn !== undefined && options.against === undefined)
        command.error("error: option '--fail-on <step>' needs '--against <ref or file>'");
      await withApp(folders, options, (app) => check(app, options));
    });
}

const HELP = `
With --against it tells for each skill what has changed: an input that was valid and is not any more, or an
output that may come now and was not promised, is a major step; a contract that takes or promises more, or a
new skill, a minor one; the same contract with other code a patch. Callers of what breaks are named.

With --flows it follows what upstream tools answer through the code of all skills, and through their calls of
each other, into calls that write: tools that their server does not call read-only, and skills that declare
WRITE. Where code cannot be followed, it counts as going everywhere. "trusted" in the settings of a server
names tools whose answers are left aside. The servers are asked for their tools.

Exits with 1 when there are errors, or when the version's step is at least that of --fail-on.

Example:
  $ repertoire check ./skills --strict
  $ repertoire check --against main --fail-on major
  $ repertoire check --flows
  $ repertoire check --save contracts.json
  $ repertoire check --format sarif > findings.sarif`;

async function check(app: App, options: CheckOptions): Promise<void> {
  const snapshot = await withCases((await app.catalog).snapshot);
  const format = options.format ?? (options.json ? "json" : "text");
  const changes = await changesSince(app, snapshot, options, format);
  const flows = options.flows === true ? await flowsOf(app, snapshot) : undefined;
  tell(snapshot, { changes, flows }, format);
  const isFaulty = snapshot.diagnostics.some(({ severity }) => severity === "error");
  const { failOn } = options;
  const isTooFar =
    failOn !== undefined &&
    changes !== undefined &&
    VERSION_BUMPS.indexOf(changes.step) >= VERSION_BUMPS.indexOf(failOn);
  process.exitCode = isFaulty || isTooFar ? EXIT.failed : EXIT.ok;
}

/** With what is wrong with files of cases, which nothing but `test` reads otherwise. */
async function withCases(snapshot: CatalogSnapshot): Promise<CatalogSnapshot> {
  const found: Diagnostic[] = [];
  for (const { path } of snapshot.skills.values()) found.push(...(await casesFindings(path)));
  return { ...snapshot, diagnostics: [...snapshot.diagnostics, ...found] };
}

async function changesSince(
  { config }: App,
  snapshot: CatalogSnapshot,
  { against, save }: CheckOptions,
  format: Format,
): Promise<ContractChanges | undefined> {
  if (against === undefined && save === undefined) return undefined;
  const skills = [...snapshot.skills.values()];
  const now = contractsOf(skills, await catalogVersions(skills, config.skills));
  const before = against === undefined ? undefined : await contractsBefore(against, config);
  if (before && !before.ok) endWith(before.error, format === "json", EXIT.usage);
  if (save !== undefined) await saveContracts(save, now, format);
  if (!before) return undefined;
  const { contracts, links } = before.value;
  const changes = contractChanges(contracts, now, { broken: brokenNames(snapshot) });
  if (links.length > 0 && changes.skills.some(({ kind }) => kind === "added"))
    console.error(`${links.length} symbolic links and submodules of ${against} are not followed`);
  return changes;
}

async function saveContracts(file: string, contracts: CatalogContracts, format: Format): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(contracts, undefined, 2)}\n`);
  } catch (error) {
    const message = `The contracts cannot be written to ${file}: ${fileFault(error)}`;
    endWith(failure("PATH_NOT_FOUND", message), format === "json", EXIT.failed);
  }
  const count = contracts.skills.length;
  console.error(`Wrote the contracts of ${count} ${count === 1 ? "skill" : "skills"} to ${file}`);
}

/** Which tools only read, their servers tell; of one that cannot be reached, all may write. */
async function flowsOf(
  { upstreams, flows }: App,
  { skills }: CatalogSnapshot,
): Promise<readonly ComposedFlow[]> {
  const { failures } = await upstreams.tools();
  for (const [server, why] of failures)
    console.error(oneLine(`${server}: its tools count as writing, since it cannot be asked: ${why}`));
  return [...flows.all(skills).values()].flat();
}

interface CheckReport {
  readonly changes: ContractChanges | undefined;
  readonly flows: readonly ComposedFlow[] | undefined;
}

function tell(snapshot: CatalogSnapshot, { changes, flows }: CheckReport, format: Format): void {
  const { skills, diagnostics } = snapshot;
  const unfit = unfitNames(snapshot);
  switch (format) {
    case "json":
      return printJson({
        skills: [...skills.values()].map(listedSkill),
        diagnostics,
        ...(flows && { flows }),
        ...(changes && { changes: changesWithCallers(changes, unfit) }),
      });
    case "sarif":
      printJson(sarifLog(diagnostics, process.cwd()));
      if (flows) console.error(flowsText(flows));
      if (changes) console.error(changesText(changes, { unfit, stream: process.stderr }));
      return;
    case "text":
      tellFindings(diagnostics);
      console.log(`${skills.size} ${skills.size === 1 ? "skill" : "skills"}, ${countText(diagnostics)}`);
      if (flows) console.log(flowsText(flows));
      if (changes) console.log(changesText(changes, { unfit, stream: process.stdout }));
  }
}

function tellFindings(diagnostics: readonly Diagnostic[]): void {
  const notes = diagnostics.filter(({ severity }) => severity === "info");
  const bySeverity = (severity: string): readonly string[] =>
    diagnostics.filter((each) => each.severity === severity).map(findingText);
  for (const text of [...bySeverity("warning"), ...bySeverity("error")]) console.error(text);
  if (notes.length > 0) console.error(`${counted(notes.length, "note")}; --json shows them`);
}

/** Flows for people: each with its steps, from the call of the source to the call that writes. */
function flowsText(flows: readonly ComposedFlow[]): string {
  if (flows.length === 0) return "No answer of an untrusted tool goes into a call that writes.";
  return flows.map(flowText).join("\n");
}

function flowText(flow: ComposedFlow): string {
  const steps = flow.path.map(
    ({ skill, text, path, line, column }) =>
      `    ${shownPath(path)}:${line}:${column} ${oneLine(`${skill} ${text}`)}`,
  );
  return [oneLine(`${flow.skill}: ${flowLine(flow)}`), ...steps].join("\n");
}
