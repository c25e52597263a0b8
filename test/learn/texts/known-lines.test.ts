import type { JsonObject } from "../../../src/core/json/json.ts";
import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { learned } from "../learned.ts";
import { firstRun, outcomes, runOn, type Session } from "./page-sessions.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const part = (page: string, form: RegExp): string | undefined => form.exec(page)?.[1];
const act = (name: string, value: string | undefined): readonly JsonObject[] | undefined =>
  value === undefined ? undefined : [{ [name]: value }];

const SESSIONS: Readonly<Record<string, Session>> = {
  "behind the version that the caller says": {
    task: ({ page, version }) => `Fetch the release ${version} that ${page} tells`,
    asks: ["page"],
    acts: (text, { version = "" }) =>
      act("url", part(text, new RegExp(`^${version.replaceAll(".", "\\.")}: (.+)$`, "m"))),
    worlds: [
      [
        { page: "oars", version: "1.41.0" },
        "Releases\n\n1.39.0: http://h.ex/a/71\n1.41.0: http://h.ex/a/93\n2.10.0: http://h.ex/a/12",
      ],
      [{ page: "sails", version: "2.0.1" }, "Releases\n\n2.0.1: http://h.ex/b/5\n1.41.0: http://h.ex/b/6"],
      [{ page: "sails", version: "3.0.0" }, "Releases\n\n2.0.1: http://h.ex/b/5\n1.41.0: http://h.ex/b/6"],
      [
        { page: "sails", version: "1.41.0" },
        "Releases\n\n2.0.1: http://h.ex/b/5\n1.41.0 (withdrawn): http://h.ex/b/6",
      ],
    ],
  },
  "behind the number that the caller says": {
    task: ({ page, ticket }) => `Open the ticket ${ticket} of ${page}`,
    asks: ["page"],
    acts: (text, { ticket }) => act("url", part(text, new RegExp(`^${ticket}: (.+)$`, "m"))),
    worlds: [
      [{ page: "dock", ticket: "412" }, "388: http://h.ex/a/71\n412: http://h.ex/a/93\n431: http://h.ex/a/12"],
      [{ page: "pier", ticket: "97" }, "388: http://h.ex/b/7\n97: http://h.ex/b/9"],
      [{ page: "pier", ticket: "38" }, "388: http://h.ex/b/7\n97: http://h.ex/b/9"],
      [{ page: "pier", ticket: "88" }, "388: http://h.ex/b/7\n88 (closed): http://h.ex/b/9"],
    ],
  },
  "behind a number with a sign": {
    task: ({ page, ticket }) => `Close what blocks #${ticket} of ${page}`,
    asks: ["page"],
    acts: (text, { ticket }) => act("key", part(text, new RegExp(`^#${ticket} -> (.+)$`, "m"))),
    worlds: [
      [{ page: "dock", ticket: "412" }, "#388 -> oak\n#412 -> elm\n#431 -> fir"],
      [{ page: "pier", ticket: "970" }, "#970 -> yew\n#388 -> ash"],
    ],
  },
  "of the element that has the number which the caller says": {
    task: ({ page, ticket }) => `Close the ticket ${ticket} of ${page}`,
    asks: ["page"],
    acts: (text, { ticket }) => {
      const found = (JSON.parse(text) as { readonly ticket: number; readonly key: string }[]).filter(
        (each) => each.ticket === Number(ticket),
      );
      return found.length === 1 ? act("key", found[0]?.key) : undefined;
    },
    worlds: [
      [
        { page: "dock", ticket: "412" },
        '[{"ticket": 388, "key": "oak"}, {"ticket": 412, "key": "elm"}, {"ticket": 431, "key": "fir"}]',
      ],
      [{ page: "pier", ticket: "97" }, '[{"ticket": 97, "key": "yew"}, {"ticket": 388, "key": "ash"}]'],
      [{ page: "pier", ticket: "9" }, '[{"ticket": 97, "key": "yew"}, {"ticket": 388, "key": "ash"}]'],
    ],
  },
};

describe("what was learned from one text is done by another that says it", () => {
  test.each(Object.keys(SESSIONS))("%s", async (name) => {
    const session = SESSIONS[name];
    if (!session) throw new Error(name);
    const { made, wanted } = await outcomes(session);
    expect(made).toEqual(wanted);
  });
});

test.each(Object.keys(SESSIONS))("it holds in twins: %s", async (name) => {
  const draft = await real.of([firstRun(SESSIONS, name)]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
});

test("an amount that is equal to one of which the task speaks tells nothing", () => {
  const page =
    '[{"balance": 250, "key": "oak"}, {"balance": 388, "key": "elm"}, {"balance": 97, "key": "fir"}]';
  const { plan } = learned([runOn(page, "Book 250 EUR in p", [{ key: "oak" }])]);
  expect(plan.params.map(({ example }) => example)).toContain("oak");
});
