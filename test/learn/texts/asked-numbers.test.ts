import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

const QUERY = "SELECT COUNT(*) AS hits FROM parcels WHERE left_at IS NULL AND days > 3";
const TASK = "How many parcels wait longer than three days? Send the number to depot@swift.example";
const letter = (count: number): string =>
  `Good morning,\n\nat the moment ${count} parcels wait longer than three days.\n\nBest regards`;

const depot = (answer: Json): WorldTools => ({
  "db.read_query": () => answer,
  "depot.list_parcels": () => answer,
  "mail.send": () => "ok",
});
const run = (task: string, answer: Json, body: string, asked?: JsonObject) =>
  recordedIn(depot(answer), task, (call) => {
    if (asked) call("depot.list_parcels", asked);
    else call("db.read_query", { query: QUERY });
    call("mail.send", { to: "depot@swift.example", subject: "Parcels", body });
  });
const given = (body: string, { plan } = learned([run(TASK, [{ hits: 48 }], body)])): readonly string[] =>
  plan.params.map(({ name }) => name);

describe("a letter says the number for which the task asks, which was all that an answer told", () => {
  const { plan } = learned([run(TASK, [{ hits: 48 }], letter(48))]);
  const input = Object.fromEntries(
    plan.params.map(({ name, example = null }): [string, Json] => [name, example]),
  );
  const last = async (answer: Json) => (await callsIn(runner, plan, depot(answer), input)).at(-1);

  test("with a question", () => {
    expect(plan.params.map(({ name }) => name)).not.toContain("body");
    expect(plan.questions?.map(({ kind }) => kind)).toEqual(["text"]);
  });

  test.each([7, 0, 1312])("another number: %i", async (count) => {
    expect(await last([{ hits: count }])).toContain(JSON.stringify(letter(count)).slice(1, -1));
  });

  test.each<Json>([[], [{ hits: null }], [{ hits: 4 }, { hits: 5 }], [{ error: "no such table" }], "locked"])(
    "no number stops it: %j",
    async (answer) => {
      expect(await last(answer)).toMatch(/^stops/);
    },
  );
});

describe("the caller writes a letter", () => {
  test.each([
    ["that has a name", "Dear Runa,\n\nat the moment 48 parcels wait."],
    ["that is signed", "At the moment 48 parcels wait.\n\nBest regards\nRuna"],
    ["with another number", "At the moment 48 parcels wait, 12 more than yesterday."],
  ])("%s", (_, body) => {
    expect(given(body)).toContain("body");
  });

  test("where the task asks for no number", () => {
    const task = "Tell depot@swift.example about the parcels that wait longer than three days";
    expect(given("", learned([run(task, [{ hits: 48 }], letter(48))]))).toContain("body");
  });

  test("where more was told than the number", () => {
    expect(given("", learned([run(TASK, [{ hits: 48, of: 90 }], letter(48))]))).toContain("body");
  });

  test("with a word that says what was asked for", () => {
    const made = learned([run(TASK, { hits: 48 }, letter(48), { state: "wait" })]);
    expect(given("", made)).toContain("body");
  });
});
