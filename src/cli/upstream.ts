import { Command } from "commander";
import type { UpstreamHealth } from "../upstream/upstream-health.ts";
import { type CommonOptions, EXIT, printJson, withApp, withCommonOptions } from "./session.ts";

export function upstreamCommand(): Command {
  return withCommonOptions(new Command("upstream"))
    .description("reach the configured MCP servers, and show how they are and which tools they have")
    .argument("[server]", "one server (default: all)")
    .action(async (server: string | undefined, options: CommonOptions) => {
      await withApp([], options, async (app) => {
        const { tools } = await app.upstreams.tools(server);
        const health = app.upstreams.health().filter(({ name }) => server === undefined || name === server);
        if (options.json) printJson({ health, tools });
        else for (const each of health) console.log(healthText(each));
        process.exitCode = health.every(({ state }) => state === "ready" || state === "disabled")
          ? EXIT.ok
          : EXIT.failed;
      });
    });
}

function healthText({ name, state, protocolVersion, tools, lastError, findings }: UpstreamHealth): string {
  const about =
    state === "ready"
      ? `${protocolVersion}, ${tools?.allowed ?? 0} of ${tools?.listed ?? 0} tools`
      : (lastError ?? "");
  return [`${name}  ${state}  ${about}`, ...findings.map(({ message }) => `  ${message}`)].join("\n");
}
