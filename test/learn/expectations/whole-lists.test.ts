import { afterAll, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { runner } from "../../shared-threads.ts";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const JOBS = ["xsry7et", "rffqbyz", "c5b2fun"];

function toolsWith(ids: readonly string[], beside: JsonObject): WorldTools {
  return { "t.get_jobs": () => ({ ...beside, jobs: ids.map((id) => ({ id })) }), "t.retry": () => "ok" };
}

/** Retries all jobs of a list that says this beside it. */
function run(beside: JsonObject) {
  return recordedIn(toolsWith(JOBS, beside), "Retry all jobs of hemp", (call) => {
    call("t.get_jobs", { queue: "hemp" });
    for (const job of JOBS) call("t.retry", { job });
  });
}

async function retried(learnedFrom: JsonObject, ids: readonly string[], beside: JsonObject) {
  const made = await callsIn(runner, learned([run(learnedFrom)]).plan, toolsWith(ids, beside), {
    queue: "flax",
  });
  return made.slice(1).map((call) => call.replace(/^stops: .*/s, "stops"));
}

const BOTH = ["ab1xyzq", "cd2xyzq"];
const ALL = BOTH.map((job) => `t.retry ${JSON.stringify({ job })}`);

test.each<readonly [string, JsonObject, JsonObject, boolean]>([
  ["it says that there are no more", { has_more: false }, { has_more: false }, true],
  ["it says that there are more", { has_more: false }, { has_more: true }, false],
  ["there is no next page", { page: { nextCursor: null } }, { page: { nextCursor: null } }, true],
  ["there is a next page", { page: { nextCursor: null } }, { page: { nextCursor: "p2" } }, false],
  ["it has as many as it says", { total: 3 }, { total: 2 }, true],
  ["it has fewer than it says", { total: 3 }, { total: 30 }, false],
  ["another number stands beside it", { total: 5 }, { total: 30 }, true],
  ["how many pages there are stands beside it", { page_count: 3 }, { page_count: 9 }, true],
])("a list of which all elements count is whole where %s", async (_, before, now, isDone) => {
  expect(await retried(before, BOTH, now)).toEqual(isDone ? ALL : ["stops"]);
});

test.each<readonly [string, Json]>([
  ["has_more", false],
  ["total", 3],
])("it holds in twins where %s is looked at", async (name, value) => {
  const draft = await real.of([run({ [name]: value })]);
  expect(draft.code).toContain(`page.${name}`.replace("page", "jobs"));
  expect(failing(await real.verified(draft.name))).toEqual([]);
});
