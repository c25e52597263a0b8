import { expect, test } from "vitest";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

const tables = (...rows: readonly string[]): WorldTools => ({
  read_file: () =>
    ["# Depots", "", "| Depot | Street | Phone |", "| --- | --- | --- |", ...rows, ""].join("\n"),
  edit_file: () => "ok",
});
const LEARNED = tables(
  "| Ghent | Mill Lane 3 | +32 111 |",
  "| Turin | Via Po 9 | +39 222 |",
  "| Porto | Rua Sol 5 | +31 333 |",
);
const OTHER = tables(
  "| Linz | Hafen 1 | +43 71 |",
  "| Malmo | Torg 8 | +46 72 |",
  "| Bilbao | Calle 4 | +34 73 |",
);

test.each([
  [
    "the begin of a row",
    "| Turin | Via Po 9 |",
    "| Turin | Via Roma 1 |",
    "| Malmo | Torg 8 |",
    "| Malmo | Kaj 2 |",
  ],
  [
    "a whole row",
    "| Turin | Via Po 9 | +39 222 |",
    "| Turin | Via Roma 1 | +39 222 |",
    "| Malmo | Torg 8 | +46 72 |",
    "| Malmo | Kaj 2 | +46 72 |",
  ],
])(
  "%s of a table in a text is made of its cells, by the one that the task says",
  async (_, oldText, newText, old, wanted) => {
    const run = recordedIn(
      LEARNED,
      "The depot in Turin is now at Via Roma 1. Put that into the table in /srv/d.md.",
      (call) => {
        call("read_file", { path: "/srv/d.md" });
        call("edit_file", { path: "/srv/d.md", edits: [{ oldText, newText }] });
      },
    );
    const { plan } = learned([run]);
    const given = new Map<unknown, string>([
      ["/srv/d.md", "/srv/other.md"],
      ["Turin", "Malmo"],
      ["Via Roma 1", "Kaj 2"],
    ]);
    const input = Object.fromEntries(
      plan.params.map(({ name, example }) => [name, given.get(example) ?? null]),
    );
    const edit = { path: "/srv/other.md", edits: [{ oldText: old, newText: wanted }] };
    expect(await callsIn(runner, plan, OTHER, input)).toEqual([
      'read_file {"path":"/srv/other.md"}',
      `edit_file ${JSON.stringify(edit)}`,
    ]);
  },
);
