import { createInterface } from "node:readline/promises";
import { Command } from "commander";
import { qualifiedName, serverOf } from "../../core/tools/tool-name.ts";
import type { App } from "../../rooms.ts";
import { failure, type Failure } from "../../core/error.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { acceptCommand, type ToolChange, toolChangeText } from "../../core/tools/tool-change.ts";
import { cutToLength, visibleText, oneLine } from "../../core/text/display-text.ts";
import type { UpstreamHealth } from "../../upstream/upstream-health.ts";
import type { UpstreamTool } from "../../upstream/tools/upstream-tool.ts";
import {
  type CommonOptions,
  endWith,
  examples,
  EXIT,
  printJson,
  withApp,
  withCommonOptions,
} from "../session.ts";

const MAX_SHOWN_CHARACTERS = 120;

const RETRIED = "a server that runs tries it again by itself, after pauses that grow to 30 s";

interface UpstreamCommandOptions extends CommonOptions {
  readonly accept?: string | true;
  readonly yes?: boolean;
}

export function upstreamCommand(): Command {
  return withCommonOptions(new Command("upstream"))
    .description(
      "reach the configured MCP servers, show how they are, which tools they have and what has changed",
    )
    .argument("[server]", "one server (default: all)")
    .option(
      "--accept [server.tool]",
      "pin tools that have changed as they are now: one, all of a server, or (default) all",
    )
    .option("-y, --yes", "with --accept: do not ask")
    .addHelpText("after", examples(HELP))
    .action(async (server: string | undefined, options: UpstreamCommandOptions) => {
      await withApp([], options, async (app) => {
        const wanted = typeof options.accept === "string" ? options.accept : undefined;
        const asked = server ?? wanted?.split(".", 1)[0];
        const all = app.upstreams.health().map(({ name }) => name);
        if (asked !== undefined && !all.includes(asked)) {
          const message = `There is no server "${asked}" under "mcpServers".${didYouMean(asked, all)}`;
          endWith(failure("CONFIG_INVALID", message), options.json === true, EXIT.usage);
        }
        const reached = await reach(app, asked);
        if (options.accept === undefined) show(app, reached, options.json === true);
        else await accept(app, reached, wanted ?? server, options);
      });
    });
}

const HELP = `
A tool is pinned when a skill first uses it or it is first published: its texts, schemas and annotations are kept in
upstream-pins.json in the data folder. What changes for the stronger is held, and the skills that use it, until it is
accepted. Exits with 1 when a server cannot be used or a tool is held.

Example:
  $ repertoire upstream shop
  $ repertoire upstream --accept shop.get_order`;

/** What is known of the servers that were asked. */
interface Reached {
  readonly health: readonly UpstreamHealth[];
  readonly tools: readonly UpstreamTool[];
  readonly changes: readonly ToolChange[];
}

async function reach({ upstreams, pins }: App, server: string | undefined): Promise<Reached> {
  const { tools, failures } = await upstreams.tools(server);
  const listed = new Map(tools.map((tool) => [qualifiedName(tool), tool]));
  const health = upstreams.health().filter(({ name }) => server === undefined || name === server);
  const heard = new Set(
    health.flatMap(({ name, state }) => (state === "disabled" || failures.has(name) ? [] : [name])),
  );
  const changes = [...new Set([...pins.pinned.keys(), ...listed.keys()])]
    .filter((name) => heard.has(serverOf(name)))
    .flatMap((name) => pins.changeOf(name, listed.get(name)) ?? []);
  return { health, tools, changes };
}

function show({ pins }: App, { health, tools, changes }: Reached, isJson: boolean): void {
  if (isJson) {
    const pinned = [...pins.pinned].map(([tool, { pinnedAt, by }]) => ({ tool, pinnedAt, by }));
    printJson({ health, tools, changes, pinned });
  } else if (health.length === 0) console.log('No servers are configured under "mcpServers".');
  else for (const each of health) console.log(healthText(each, tools, changes));
  const isWell = health.every(({ state }) => state === "ready" || state === "disabled");
  const isHeld = pins.fault !== undefined || changes.some((change) => change.isHeld);
  process.exitCode = isWell && !isHeld ? EXIT.ok : EXIT.failed;
}

async function accept(
  { pins }: App,
  { tools, changes }: Reached,
  wanted: string | undefined,
  { json = false, yes = false }: UpstreamCommandOptions,
): Promise<void> {
  const isWanted = ({ tool }: ToolChange): boolean =>
    wanted === undefined || tool === wanted || tool.startsWith(`${wanted}.`);
  const chosen = changes.filter(isWanted);
  if (chosen.length === 0 && pins.fault === undefined) {
    if (json) printJson({ accepted: [] });
    else console.log("Nothing has changed since it was pinned.");
    return;
  }
  if (!json)
    for (const change of chosen) console.log([plain(change.tool), ...changeLines(change, "  ")].join("\n"));
  if (!yes && !(await isAgreed(chosen.length, json))) return endWith(UNANSWERED, json, EXIT.failed);
  const listed = new Map(tools.map((tool) => [qualifiedName(tool), tool]));
  pins.accept(
    chosen.flatMap(({ tool }) => listed.get(tool) ?? []),
    chosen.filter(({ isGone }) => isGone).map(({ tool }) => tool),
  );
  const accepted = chosen.map(({ tool }) => tool);
  if (json) printJson({ accepted });
  else console.log(`Pinned as they are now: ${accepted.map(plain).join(", ")}`);
}

const UNANSWERED: Failure = failure(
  "TOOL_CHANGED",
  "Nothing was accepted: look at what has changed, then answer with yes, or give --yes",
);

async function isAgreed(count: number, json: boolean): Promise<boolean> {
  if (json || !process.stdin.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => asking.once("close", () => resolve("")));
  const what = count === 1 ? "this tool" : `these ${count} tools`;
  const answer = await Promise.race([asking.question(`Trust ${what} as shown? [y/N] `), closed]);
  asking.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

function healthText(
  { name, state, retryAt, protocolVersion, tools, lastError, findings }: UpstreamHealth,
  allowed: readonly UpstreamTool[],
  changes: readonly ToolChange[],
): string {
  const about =
    state === "ready"
      ? `${protocolVersion}, ${tools?.allowed ?? 0} of ${tools?.listed ?? 0} tools`
      : [lastError, retryAt === undefined ? undefined : RETRIED]
          .filter((each) => each !== undefined)
          .join("; ");
  const ofServer = changes.filter(({ tool }) => tool.startsWith(`${name}.`));
  const lines = allowed
    .filter((tool) => tool.server === name)
    .flatMap((tool) => {
      const called = `${name}.${tool.name}`;
      const change = ofServer.find((each) => each.tool === called);
      const line = `  ${cutToLength(plain(`${called}  ${tool.description ?? ""}`), MAX_SHOWN_CHARACTERS)}`;
      return [line].concat(change ? changeLines(change, "    ") : []);
    });
  const gone = ofServer
    .filter(({ isGone }) => isGone)
    .flatMap((change) => [`  ${plain(change.tool)}`].concat(changeLines(change, "    ")));
  const told = findings.map(({ message }) => `  ${plain(message)}`);
  return [plain(`${name}  ${state}  ${about}`), ...lines, ...gone, ...told].join("\n");
}

/** What has changed, a line for each field; last how it is accepted. */
function changeLines(change: ToolChange, indent: string): readonly string[] {
  const { pinnedAt, isHeld, fields, moreFields, isGone } = change;
  const lines = isGone
    ? ["its server no longer lists it"]
    : fields.map((field) => {
        const text = oneLine(toolChangeText({ ...change, fields: [field], moreFields: 0 }));
        return field.isStronger ? `${text}  (stronger)` : text;
      });
  return [
    `${isHeld ? "held" : "changed"}: it is not what it was when it was pinned, ${pinnedAt}`,
    ...lines.map((line) => `  ${line}`),
    ...(moreFields > 0 ? [`  ${moreFields} more fields differ`] : []),
    `to accept: ${acceptCommand(change)}`,
  ].map((line) => indent + line);
}

/** On one line, with nothing hidden. */
function plain(text: string): string {
  return oneLine(visibleText(text));
}
