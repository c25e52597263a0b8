import { beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { examples, extracted, isVerified, provideFolder, questionsOf, writtenIn } from "../extracted.ts";

provideFolder();

const MINUTES =
  "# Board meeting\n\nPresent: Ann, Bo\n\n## Decisions\n\n- The fence is painted green.\n- Fees stay at 40 EUR.\n" +
  "- The party is in June.\n\n## Next meeting\n\n5 May\n";
const OTHERS =
  "# Board meeting\n\nPresent: Cy\n\n## Actions\n\n- Ann asks Bo.\n- Bo calls Cy.\n\n## Decisions\n\n- We buy a boat.\n" +
  "- The hut is closed.\n\n## Next meeting\n\n6 June\n";

async function draftOf(
  task: string,
  text: string,
  act: readonly [tool: string, args: JsonObject],
): Promise<Draft> {
  return extracted(`below-${task.length}-${text.length}`, task, [
    [
      ["desk.read_file", { path: "/desk/in" }, text],
      [...act, "Done"],
    ],
  ]);
}

const writing = (content: string): readonly [string, JsonObject] => [
  "desk.write_file",
  { path: "/desk/out", content },
];

async function written(draft: Draft, text: string, given: JsonObject = {}): Promise<Json | undefined> {
  const done = await writtenIn(draft, { "/desk/in": text }, given);
  return typeof done === "string" ? done : done[0]?.["content"];
}

describe("what a list below a heading has, of which the task speaks", () => {
  let draft: Draft;
  beforeAll(async () => {
    const content = "* The fence is painted green.\n* Fees stay at 40 EUR.\n* The party is in June.\n";
    draft = await draftOf("Put the decisions of /desk/in into /desk/out.", MINUTES, writing(content));
  });

  test("is written alone, whatever other lists there are", async () => {
    expect([questionsOf(draft), isVerified(draft)]).toEqual([[], true]);
    expect(await written(draft, OTHERS)).toBe("* We buy a boat.\n* The hut is closed.\n");
  });

  test.each([
    ["no such heading", OTHERS.replace("## Decisions", "## Findings")],
    ["two of them", OTHERS.replace("## Actions", "## Decisions")],
    ["nothing below it", MINUTES.replaceAll(/^- .*\n/gm, "")],
  ])("%s is an error", async (_, text) => {
    expect(await written(draft, text)).not.toContain("* ");
  });

  test("is what is remembered", async () => {
    const contents = ["The fence is painted green.", "Fees stay at 40 EUR.", "The party is in June."];
    const remembering = await draftOf(
      "Remember the decisions of /desk/in as observations of the entity Board.",
      MINUTES,
      ["memory.add_observations", { observations: [{ entityName: "Board", contents }] }],
    );
    expect(await writtenIn(remembering, { "/desk/in": OTHERS })).toEqual([
      { observations: [{ entityName: "Board", contents: ["We buy a boat.", "The hut is closed."] }] },
    ]);
  });

  test("is counted", async () => {
    const many = Array.from({ length: 12 }, (_, nth) => `- Point ${nth}.\n`).join("");
    const counting = await draftOf(
      "Count the decisions of /desk/in and write to /desk/out how many there are.",
      OTHERS.replace("- We buy a boat.\n", many),
      writing("Decisions: 13\n"),
    );
    expect(await written(counting, OTHERS)).toBe("Decisions: 2\n");
  });

  test("stands below what the caller says, where the task says that as a name", async () => {
    const chores =
      "## Garden\n\n- Mow the lawn\n- Water the roses\n\n## House\n\n- Clean the hall\n- Wash the windows\n";
    const named = await draftOf(
      "Write the chores of the Garden in /desk/in to /desk/out.",
      chores,
      writing("Mow the lawn\nWater the roses\n"),
    );
    const [name = ""] = Object.entries(examples(named)).find(([, value]) => value === "Garden") ?? [];
    expect(await written(named, chores, { [name]: "House" })).toBe("Clean the hall\nWash the windows\n");
    expect(await written(named, chores, { [name]: "Attic" })).not.toContain("\n");
  });
});

describe("what one thing has below a heading that the task says", () => {
  const HOURS =
    "# Hours\n\n## Library\n\n- Monday: 9:00-17:00\n- Tuesday: 9:15-18:00\n- Wednesday: closed\n\n" +
    "## Pool\n\n- Monday: closed\n- Tuesday: 7:00-21:00\n- Wednesday: 7:30-20:00\n";

  test("is of the day that the caller says", async () => {
    const draft = await draftOf(
      "When is the Pool open on Tuesday, according to /desk/in? Write it to /desk/out.",
      HOURS,
      writing("Tuesday: 7:00-21:00\n"),
    );
    const given = (section: string, day: string): JsonObject =>
      Object.fromEntries(
        Object.entries(examples(draft)).map(([name, value]) => [
          name,
          value === "Pool" ? section : value === "Tuesday" ? day : value,
        ]),
      );
    expect(questionsOf(draft)).toEqual([]);
    expect(await written(draft, HOURS, given("Library", "Wednesday"))).toBe("Wednesday: closed\n");
    expect(await written(draft, HOURS, given("Pool", "Sunday"))).toMatch(/^None of the 3/);
    expect(await written(draft, HOURS, given("Sauna", "Monday"))).toMatch(/^None of the 2/);
  });

  test("stands in a text with its label", async () => {
    const teams =
      "## Blue Owls\n\n- Coach: Ann Lee\n- Field: North\n\n## Red Foxes\n\n- Coach: Cy Day\n- Field: South\n";
    const draft = await draftOf(
      "Write who coaches the Red Foxes, by /desk/in, to /desk/out.",
      teams,
      writing("Coach: Cy Day\n"),
    );
    const [name = ""] = Object.entries(examples(draft)).find(([, value]) => value === "Red Foxes") ?? [];
    expect(await written(draft, teams, { [name]: "Blue Owls" })).toBe("Coach: Ann Lee\n");
    expect(await written(draft, teams, { [name]: "Grey Cats" })).toMatch(/^None of the 2/);
    expect(await written(draft, teams.replace("- Coach: Cy Day\n", ""))).toMatch(/no Coach|not written as/);
  });
});
