import { Command } from "commander";
import { failure } from "../core/error.ts";
import { didYouMean } from "../core/nearest.ts";
import type { UpstreamHealth } from "../upstream/upstream-health.ts";
import type { UpstreamTool } from "../upstream/upstream-tool.ts";
import { oneLine } from "../core/terminal-text.ts";
import { type CommonOptions, endWith, EXIT, printJson, withApp, withCommonOptions } from "./session.ts";

const MOST_SHOWN = 120;

export function upstreamCommand(): Command {
  return withCommonOptions(new Command("upstream"))
    .description("reach the configured MCP servers, and show how they are and which tools they have")
    .argument("[server]", "one server (default: all)")
    .addHelpText("after", "\nExample:\n  $ repertoire upstream shop")
    .action(async (server: string | undefined, options: CommonOptions) => {
      await withApp([], options, async (app) => {
        const all = app.upstreams.health().map(({ name }) => name);
        if (server !== undefined && !all.includes(server)) {
          const message = `There is no server "${server}" under "mcpServers".${didYouMean(server, all)}`;
          endWith(failure("CONFIG_INVALID", message), options.json === true, EXIT.usage);
        }
        const { tools } = await app.upstreams.tools(server);
        const health = app.upstreams.health().filter(({ name }) => server === undefined || name === server);
        if (options.json) printJson({ health, tools });
        else if (health.length === 0) console.log('No servers are configured under "mcpServers".');
        else for (const each of health) console.log(healthText(each, tools));
        process.exitCode = health.every(({ state }) => state === "ready" || state === "disabled")
          ? EXIT.ok
          : EXIT.failed;
      });
    });
}

function healthText(
  { name, state, protocolVersion, tools, lastError, findings }: UpstreamHealth,
  allowed: readonly UpstreamTool[],
): string {
  const about =
    state === "ready"
      ? `${protocolVersion}, ${tools?.allowed ?? 0} of ${tools?.listed ?? 0} tools`
      : (lastError ?? "");
  const lines = allowed
    .filter((tool) => tool.server === name)
    .map((tool) => `  ${oneLine(`${name}.${tool.name}  ${tool.description ?? ""}`).slice(0, MOST_SHOWN)}`);
  const told = findings.map(({ message }) => `  ${oneLine(message)}`);
  return [`${name}  ${state}  ${oneLine(about)}`, ...lines, ...told].join("\n");
}
