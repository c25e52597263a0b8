import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { Command, Option } from "commander";
import { asciiGraph } from "../../graph/render/graph-ascii.ts";
import { dotGraph } from "../../graph/render/graph-dot.ts";
import { graphJson } from "../../graph/render/graph-json.ts";
import { mermaidGraph } from "../../graph/render/graph-mermaid.ts";
import { svgGraph } from "../../graph/render/graph-svg.ts";
import { skillGraph, type SkillGraph } from "../../graph/skill-graph.ts";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostic.ts";
import { failure } from "../../core/error.ts";
import { fileFault } from "../../core/files/file-fault.ts";
import { findingText } from "../output/finding-text.ts";
import { skillFolderOf } from "./read-properties.ts";
import { type CommonOptions, endWith, examples, EXIT, withApp, withCommonOptions } from "../session.ts";
import { commandLine } from "../../core/text/command-line.ts";

const FORMATS = ["ascii", "mermaid", "json", "dot", "svg"] as const;
type Format = (typeof FORMATS)[number];

interface GraphOptions extends CommonOptions {
  readonly format?: Format;
  readonly output?: string;
  readonly validate: boolean;
}

export function graphCommand(): Command {
  return withCommonOptions(new Command("graph"))
    .description("show how skills call each other: as trees, Mermaid, JSON, Graphviz DOT, or a picture (SVG)")
    .argument("[folders...]", "skill folders (default: the configuration's, else ./skills)")
    .addOption(
      new Option(
        "-f, --format <format>",
        "what to print (default: what the output's name says, else ascii)",
      ).choices(FORMATS),
    )
    .option("-o, --output <file>", "write to a file")
    .option("--no-validate", "do not report cycles, unknown skills and wrong levels")
    .addHelpText(
      "after",
      examples(
        "\nExits with 1 when there are errors in how skills call each other.\n\nExample:\n  $ repertoire graph ./skills --output skills.svg",
      ),
    )
    .action(async (folders: string[], options: GraphOptions) => {
      const { output = "", format, json = false } = options;
      if (format === undefined && !json && PICTURES.has(extname(output).toLowerCase())) {
        const message = `No graph is written as ${extname(output)}: name the file .svg, or .dot for Graphviz, which makes others`;
        endWith(failure("INPUT_INVALID", message), json, EXIT.usage);
      }
      await withApp(folders.map(skillFolderOf), options, async (app) => {
        const { skills, diagnostics } = (await app.catalog).snapshot;
        const isSound = tell(diagnostics, options.validate);
        process.exitCode = isSound && skills.size > 0 ? EXIT.ok : EXIT.failed;
        if (skills.size === 0) console.error("No skills found in the provided paths.");
        // Whoever reads data gets the graph of nothing.
        if (skills.size === 0 && formatOf(options) !== "json") return;
        const text = await drawn(
          skillGraph([...skills.values()], [...app.flows.all(skills).values()].flat()),
          formatOf(options),
        );
        return options.output === undefined ? console.log(text) : writeOutput(options.output, text, options);
      });
    });
}

/** What a graph is validated for. Other findings are for `check` to tell. */
const GRAPH_CODES: ReadonlySet<DiagnosticCode> = new Set([
  "call-cycle",
  "call-unknown",
  "composes-unknown",
  "composes-unused",
  "composes-undeclared",
  "level-declared",
  "level-order",
  "operation-declared",
] as const);

/** Tells what is wrong with the graph; whether that is no more than warnings. */
function tell(diagnostics: readonly Diagnostic[], validate: boolean): boolean {
  const isOfGraph = ({ code }: Diagnostic): boolean => code === "folder-missing" || GRAPH_CODES.has(code);
  const told = diagnostics.filter((each) => (validate ? isOfGraph(each) : each.code === "folder-missing"));
  for (const each of told) console.error(findingText(each));
  const others = diagnostics.filter((each) => each.severity === "error" && !isOfGraph(each)).length;
  if (others > 0)
    console.error(
      `${others} other ${others === 1 ? "error" : "errors"}; "${commandLine("check")}" shows them`,
    );
  return told.every(({ severity }) => severity !== "error");
}

function formatOf({ format, json, output }: GraphOptions): Format {
  if (format !== undefined) return format;
  if (json) return "json";
  return FORMAT_OF_NAME[extname(output ?? "").toLowerCase()] ?? "ascii";
}

/** What is no text, and another program's to make. */
const PICTURES: ReadonlySet<string> = new Set(".png .jpg .jpeg .gif .webp .pdf".split(" "));

const FORMAT_OF_NAME: Readonly<Record<string, Format>> = {
  ".svg": "svg",
  ".dot": "dot",
  ".gv": "dot",
  ".mmd": "mermaid",
  ".mermaid": "mermaid",
  ".json": "json",
};

async function drawn(graph: SkillGraph, format: Format): Promise<string> {
  switch (format) {
    case "ascii":
      return asciiGraph(graph);
    case "mermaid":
      return mermaidGraph(graph);
    case "json":
      return graphJson(graph);
    case "dot":
      return dotGraph(graph);
    case "svg":
      return svgGraph(graph);
  }
}

async function writeOutput(file: string, text: string, { json }: GraphOptions): Promise<void> {
  try {
    await writeFile(file, `${text}\n`);
  } catch (error) {
    endWith(
      failure("PATH_NOT_FOUND", `The graph cannot be written to ${file}: ${fileFault(error)}`),
      json === true,
      EXIT.failed,
    );
  }
  console.error(`Wrote ${file}`);
}
