import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

const tracker = (title: string): WorldTools => ({
  "tracker.get_ticket": ({ number = 0 }) => ({ number, title, reporter: "Ada Lund" }),
  "repo.create_branch": () => "ok",
  "pages.write": () => "ok",
});

const given = (
  params: readonly { readonly name: string; readonly example?: unknown }[],
  now: Readonly<Record<string, JsonObject[string]>>,
): JsonObject => Object.fromEntries(params.map(({ name, example }) => [name, now[String(example)] ?? null]));

describe("a name that is made of what an answer told", () => {
  const { plan } = learned([
    recordedIn(tracker("Export loses accents"), "Make a branch for ticket 417 from main.", (call) => {
      call("tracker.get_ticket", { number: 417 });
      call("repo.create_branch", { name: "417-export-loses-accents", base: "main" });
    }),
  ]);
  test("is made of it again", async () => {
    // The ticket's number is a number for one tool, and a part of a text for the other.
    const input = Object.fromEntries(
      plan.params.map(({ name, example }): [string, string | number] => [
        name,
        example === 417 ? 538 : example === "417" ? "538" : "trunk",
      ]),
    );
    expect(await callsIn(runner, plan, tracker("Dates are one day off"), input)).toEqual([
      'tracker.get_ticket {"number":538}',
      'repo.create_branch {"name":"538-dates-are-one-day-off","base":"trunk"}',
    ]);
    const stopped = await callsIn(runner, plan, tracker("Don't save twice"), input);
    expect(stopped.at(-1)).toMatch(
      /^stops: A text of which a name is made has more than words: "Don't save twice"/,
    );
    expect(stopped).toHaveLength(2);
  });

  test("is a file's in the folder that the task says", async () => {
    const written = learned([
      recordedIn(
        tracker("Winter in Porto"),
        "Put ticket 417 as a page into /srv/pages, named by its title.",
        (call) => {
          call("tracker.get_ticket", { number: 417 });
          call("pages.write", { path: "/srv/pages/winter-in-porto.md", text: "Winter in Porto" });
        },
      ),
    ]);
    const input = given(written.plan.params, { 417: 20, "/srv/pages": "/srv/other" });
    const [, page] = await callsIn(runner, written.plan, tracker("A week in Linz"), input);
    expect(page).toBe('pages.write {"path":"/srv/other/a-week-in-linz.md","text":"A week in Linz"}');
  });

  test("is the caller's where it has words that nobody has told", () => {
    const made = learned([
      recordedIn(tracker("Export loses accents"), "Make a branch for ticket 417.", (call) => {
        call("tracker.get_ticket", { number: 417 });
        call("repo.create_branch", { name: "urgent-export-loses-accents" });
      }),
    ]);
    expect(made.plan.params.map(({ example }) => example)).toContain("urgent-export-loses-accents");
  });
});
