import { expect, test } from "vitest";
import type { Synthesis } from "../../../src/learn/synthesis/synthesise.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { runner } from "../../shared-threads.ts";

const PEOPLE = [
  "name,mail",
  "Ann Lee,ann@x.org",
  "Bo Hu,bo@x.org",
  "Cyd Ekman,cy@x.org",
  "Ed Fox,ed@x.org",
].join("\n");

function desk(duty: string, people: string): WorldTools {
  return {
    "desk.read_file": ({ path = "" }) => `${path === "/people.csv" ? people : duty}\n`,
    "mail.send": () => "Sent",
  };
}

const NAMED = "Mail all on duty by /duty.txt the text 'Be there at 8'; the addresses are in /people.csv.";

function run(task: string): Synthesis {
  const recorded = recordedIn(desk("Ann Lee\nCyd Ekman", PEOPLE), task, (call) => {
    call("desk.read_file", { path: "/duty.txt" });
    call("desk.read_file", { path: "/people.csv" });
    for (const to of ["ann@x.org", "cy@x.org"]) call("mail.send", { to, text: "Be there at 8" });
  });
  return learned([recorded]);
}

async function mailed(duty: string, people = PEOPLE): Promise<readonly string[]> {
  const { plan } = run(NAMED);
  const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
  const calls = await callsIn(runner, plan, desk(duty, people), input);
  return calls.slice(2).map((call) => /"to":"([^"]*)"/.exec(call)?.[1] ?? call);
}

test("those whom a file of plain lines has, beside a table, are meant, with a question", async () => {
  const { plan } = run(NAMED);
  expect(plan.params.map(({ example }) => example)).toEqual(["/duty.txt", "/people.csv", "Be there at 8"]);
  expect(plan.questions?.map(({ kind }) => kind)).toEqual(["element"]);
  expect(await mailed("Ed Fox\nBo Hu\nAnn Lee")).toEqual(["ann@x.org", "bo@x.org", "ed@x.org"]);
  expect(await mailed("Kim Oda", "mail,name\nkim@x.org,Kim Oda\nlou@x.org,Lou Ray")).toEqual(["kim@x.org"]);
  expect(await mailed("")).toEqual([]);
});

test.each([
  ["has a name otherwise", "Fox Ed\nBo Hu", PEOPLE],
  ["stands beside a table without names", "Ann Lee\nBo Hu", "id,mail\n1,ann@x.org\n2,bo@x.org"],
])("a file of lines that %s stops", async (_, duty, people) => {
  expect((await mailed(duty, people)).at(-1)).toMatch(/^stops: /);
});

test("a file of which the task does not speak tells nothing", () => {
  const { plan } = run("Mail Ann and Cyd the text 'Be there at 8'; the addresses are in /people.csv.");
  expect(plan.params.map(({ example }) => example)).toContainEqual(["ann@x.org", "cy@x.org"]);
});
