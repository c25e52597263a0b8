import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

interface Firm {
  readonly lead: string;
  readonly people: Readonly<Record<string, readonly string[]>>;
  /** Each person, what it is to whom. */
  readonly relations: readonly (readonly [from: string, to: string, is: string])[];
}

const LEARNED: Firm = {
  lead: "Ines Lund",
  people: {
    "Bo Falk": ["Job: translator", "Room 12"],
    "Cy Ek": ["Sits in Bergen", "Job: editor"],
    "Di Roos": ["Job: planner"],
  },
  relations: [
    ["Ines Lund", "Ole Berg", "reports_to"],
    ["Bo Falk", "Ines Lund", "reports_to"],
    ["Cy Ek", "Ines Lund", "reports_to"],
    ["Di Roos", "Ines Lund", "stands_in_for"],
  ],
};
const OTHER: Firm = {
  lead: "Eva Sand",
  people: {
    "Finn Dahl": ["Room 3", "Job: head of sales"],
    "Gro Lie": ["Job: buyer"],
    "Hal Moe": ["Job: lawyer"],
  },
  relations: [
    ["Hal Moe", "Eva Sand", "stands_in_for"],
    ["Finn Dahl", "Eva Sand", "reports_to"],
    ["Eva Sand", "Hal Moe", "reports_to"],
    ["Gro Lie", "Eva Sand", "reports_to"],
  ],
};

const firm = ({ people, relations }: Firm): WorldTools => ({
  "memory.open_nodes": ({ names }) => {
    const asked = names as readonly string[];
    return {
      entities: asked.flatMap((name) => {
        const observations = people[name];
        return observations ? [{ name, entityType: "person", observations: [...observations] }] : [];
      }),
      relations: relations
        .filter(([from, to]) => asked.includes(from) || asked.includes(to))
        .map(([from, to, relationType]) => ({ from, to, relationType })),
    };
  },
  "files.write_file": () => "ok",
});

const reports = ({ lead, relations }: Firm): readonly string[] =>
  relations.flatMap(([from, to, is]) => (to === lead && is === "reports_to" ? [from] : []));

const jobOf = (at: Firm, name: string): string =>
  at.people[name]?.find((each) => each.startsWith("Job: "))?.slice(5) ?? "";

const run = (at: Firm, line: (name: string) => string) =>
  recordedIn(
    firm(at),
    `Who reports to ${at.lead}? Make a list in /srv/team.md, with the name and the job of each.`,
    (call) => {
      call("memory.open_nodes", { names: [at.lead] });
      call("memory.open_nodes", { names: [...reports(at)] });
      call("files.write_file", {
        path: "/srv/team.md",
        content: reports(at)
          .map((name) => `- ${line(name)}\n`)
          .join(""),
      });
    },
  );

const inputOf = ({ params }: Plan, at: Firm): JsonObject =>
  Object.fromEntries(
    params.map(({ name, example = null }): [string, Json] => [
      name,
      Array.isArray(example) ? [at.lead] : example === LEARNED.lead ? at.lead : example,
    ]),
  );

describe("lines with what is told behind a label of those who stand so to somebody", () => {
  const { plan } = learned([run(LEARNED, (name) => `${name}, ${jobOf(LEARNED, name)}`)]);

  test("are made of what is told of others", async () => {
    const said = JSON.stringify(plan.params.map(({ example }) => example));
    expect(said).not.toMatch(/Falk|Ek|editor/);
    const [, named, written = ""] = await callsIn(runner, plan, firm(OTHER), inputOf(plan, OTHER));
    expect(named).toBe('memory.open_nodes {"names":["Finn Dahl","Gro Lie"]}');
    const { content } = JSON.parse(written.replace("files.write_file ", "")) as JsonObject;
    expect(content).toBe("- Finn Dahl, head of sales\n- Gro Lie, buyer\n");
  });

  test.each<readonly [string, readonly string[]]>([
    ["nothing is told of one", ["Room 3"]],
    ["two are told of one", ["Job: buyer", "Job: driver"]],
    ["a remark stands there", ["Job: buyer (until May)"]],
  ])("stop where %s", async (_, told) => {
    const there = { ...OTHER, people: { ...OTHER.people, "Finn Dahl": told } };
    const calls = await callsIn(runner, plan, firm(there), inputOf(plan, OTHER));
    expect(calls.at(-1)).toMatch(/^stops/);
    expect(calls).toHaveLength(3);
  });

  test("stop where nobody stands so", async () => {
    const there = { ...OTHER, relations: OTHER.relations.filter(([, , is]) => is !== "reports_to") };
    const calls = await callsIn(runner, plan, firm(there), inputOf(plan, OTHER));
    expect(calls.slice(1)).toEqual([expect.stringMatching(/^stops/)]);
  });

  test("are the caller's where they say something else", () => {
    const others: Readonly<Record<string, string>> = { "Bo Falk": "translator", "Cy Ek": "planner" };
    const { plan: open } = learned([run(LEARNED, (name) => `${name}, ${others[name]}`)]);
    expect(JSON.stringify(open.params.map(({ example }) => example))).toContain("planner");
  });
});
