import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { skillCases } from "../../src/catalog/skill-cases.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json/json.ts";
import { ROOT } from "../server/connected-client.ts";

export const BUNDLED = join(ROOT, "skills");

/** What no skill's cases say: of skills without any, and what is written where there is somewhere to write to. */
const MORE: Readonly<Record<string, readonly JsonObject[]>> = {
  "note-save": [{ title: "Groceries", text: "Bread", tags: ["home"] }],
  "web-search": [{ query: "an unheard of tower" }],
  research: [
    { query: "tides twice a day", saveTo: "tides.pdf" },
    { query: "an unheard of tide", focus: "academic" },
    { query: "tides", focus: "gossip" },
  ],
  "deep-research": [
    { query: "tides twice a day", levels: 1, enough: 0.99, saveTo: "reports/tides.pdf" },
    { query: "tides", levels: 7 },
  ],
  "daily-briefing": [
    { date: "2027-04-05", topics: ["harbour news", "unheard of matters", "weather"] },
    { date: "someday", topics: ["news"] },
  ],
};

/** Every bundled skill, with inputs that it takes and some that it does not: those of its cases, and an empty one. */
export async function bundledRuns(): Promise<ReadonlyMap<string, readonly JsonObject[]>> {
  const folders = globSync("**/SKILL.md", { cwd: BUNDLED }).map(dirname).toSorted();
  const runs = await Promise.all(
    folders.map(async (folder) => {
      const name = basename(folder);
      const cases = await skillCases(join(BUNDLED, folder));
      const inputs = cases.ok ? cases.value.map(({ input }) => input).filter(isJsonObject) : [];
      return [name, [...inputs, ...(MORE[name] ?? []), {}]] as const;
    }),
  );
  return new Map(runs);
}

/** Without what tells when something was done. */
export function timeless(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|D:\d{14}Z?/g, "<now>"));
}
