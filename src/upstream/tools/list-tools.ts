import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { fail, ok, type Result } from "../../core/result.ts";
import { spokenFault } from "../fault-text.ts";
import { MOST_TOOLS } from "./tool-listing.ts";
import type { UsableWay } from "../upstream-config.ts";

/** What a server lists, not looked at yet. */
export interface RawTools {
  readonly tools: readonly unknown[];
  /** Whether there would have been more than anyone needs. */
  readonly isCut: boolean;
}

const MOST_PAGES = 64;
const MOST_CHARACTERS = 8 * 2 ** 20;

// The SDK would refuse the whole list for one tool that is not as it should be.
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** Every page of a server's tools, as long as they end. */
export async function listTools(
  client: Client,
  timeoutMs: number,
  way: UsableWay,
): Promise<Result<RawTools, string>> {
  if (!client.getServerCapabilities()?.tools) return ok({ tools: [], isCut: false });
  const until = performance.now() + timeoutMs;
  const tools: unknown[] = [];
  let characters = 0;
  let cursor: string | undefined;
  try {
    for (let count = 0; count < MOST_PAGES; count++) {
      const timeout = Math.max(1, until - performance.now());
      const params = cursor === undefined ? {} : { cursor };
      const more = await client.request({ method: "tools/list", params }, page, {
        timeout,
        maxTotalTimeout: timeout,
      });
      characters += JSON.stringify(more.tools).length;
      if (characters > MOST_CHARACTERS) break;
      tools.push(...more.tools.slice(0, MOST_TOOLS + 1));
      if (more.nextCursor === undefined || more.nextCursor === "") return ok({ tools, isCut: false });
      if (more.nextCursor === cursor || tools.length > MOST_TOOLS) break;
      cursor = more.nextCursor;
    }
    return ok({ tools, isCut: true });
  } catch (error) {
    return fail(`its tools cannot be listed: ${spokenFault(error, way)}`);
  }
}
