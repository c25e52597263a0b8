import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { canonicalJson } from "../../src/learn/plan/values.ts";
import type { Case, RecordedAnswer } from "../conformance/cases.ts";
import type { Ran } from "../conformance/runs.ts";

/** How a run on an engine has ended. */
export type Ended = { readonly output: Json } | { readonly error: string; readonly why: string };

/** What runs come to, each of which has an origin of its own where its calls are answered as they were recorded. */
export async function recordedRuns(
  cases: readonly Case[],
  run: (origins: readonly string[]) => Promise<readonly Ended[]>,
): Promise<readonly Ran[]> {
  const worlds = cases.map(({ calls }) => ({ made: [] as string[], left: [...calls] }));
  const server = createServer((request, response) => {
    const [, nth, , name = ""] = (request.url ?? "").split("/");
    let body = "";
    request.on("data", (text) => (body += String(text)));
    request.on("end", () => {
      const given = JSON.parse(body) as JsonObject;
      const call =
        name === "run_skill"
          ? { tool: JSON.stringify(given["name"]).slice(1, -1), args: given["input"] ?? null }
          : { tool: decodeURIComponent(name), args: given };
      const world = worlds[Number(nth)];
      const text = `${call.tool} ${canonicalJson(call.args)}`;
      const found =
        world?.left.findIndex(({ tool, args }) => `${tool} ${canonicalJson(args)}` === text) ?? -1;
      world?.made.push(text);
      const answer: RecordedAnswer | { error: string; result?: undefined } = (found < 0
        ? undefined
        : world?.left.splice(found, 1)[0]) ?? { error: "There is no such call" };
      response.writeHead(answer.error === undefined ? 200 : 502, {
        "content-type": answer.error === undefined ? "application/json" : "application/problem+json",
      });
      response.end(
        JSON.stringify(
          answer.error === undefined
            ? (answer.result ?? null)
            : { code: "TOOL_FAILED", detail: answer.error },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const ended = await run(cases.map((_, nth) => `http://127.0.0.1:${port}/${nth}`));
    return ended.map((each, nth) => {
      const made = worlds[nth]?.made ?? [];
      const isAtOnce = JSON.stringify(cases[nth]?.plan.steps).includes('"order":"parallel"');
      const calls = isAtOnce ? made.toSorted() : made;
      return {
        calls,
        ends:
          "output" in each
            ? { output: each.output }
            : { stops: each.error === "CHOICE_NEEDED" ? "choice" : "error" },
      };
    });
  } finally {
    server.close();
  }
}
