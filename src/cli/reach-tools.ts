import type { App } from "../app.ts";
import type { Trace } from "../core/trace-event.ts";
import { oneLine } from "../core/text/terminal-text.ts";

/**
 * Has the servers of the tools that traces call list them: what they are called here, their schemas, and which of them
 * only look. Where the names do not tell whose the tools are, any server's they may be.
 */
export async function reachTools({ config, upstreams }: App, traces: readonly Trace[]): Promise<void> {
  const events = traces.flatMap((trace) => trace.events.filter(({ eventType }) => eventType === "tool_call"));
  const called = [...new Set(events.map(({ agentName = "" }) => agentName))];
  const servers = config.upstream.filter(({ disabled }) => !disabled).map(({ name }) => name);
  const isOf = (tool: string, server: string): boolean => tool.startsWith(`${server}.`);
  const isTold = called.every((tool) => servers.some((server) => isOf(tool, server)));
  const asked = servers.filter((server) => !isTold || called.some((tool) => isOf(tool, server)));
  await Promise.all(
    asked.map(async (server) => {
      const { failures } = await upstreams.tools(server);
      for (const why of failures.values())
        console.error(`The tools of ${server} are not known, since it cannot be reached: ${oneLine(why)}`);
    }),
  );
}
