import { describe, expect, test } from "vitest";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";
import { runner } from "../shared-threads.ts";

/** A run in which the pictures of a kind are copied out of an album; the list is data or a text. */
function run(isText: boolean, album: string, kind: string, ...names: readonly string[]) {
  const task = `Copy all *${kind} of ${album} to /prints/${album}`;
  const recorded = recordedIn(albumOf(isText, names), task, (call) => {
    call("album.list", { album });
    for (const name of names)
      if (name.endsWith(kind))
        call("album.copy", { from: `${album}/${name}`, to: `/prints/${album}/${name}` });
  });
  return { ...recorded, id: album };
}

function albumOf(isText: boolean, names: readonly string[]): WorldTools {
  return {
    "album.list": () =>
      isText ? names.map((name) => `- ${name}`).join("\n") : { pictures: names.map((name) => ({ name })) },
    "album.copy": () => "ok",
  };
}

describe.each([
  ["data", false],
  ["a text", true],
])("rounds for some of a list that is %s, of which each has a text made of its element", (_, isText) => {
  const mixed = run(isText, "sea-2021", ".png", "gull.png", "sand.gif", "wave.png");
  const whole = run(isText, "ice-1987", ".gif", "floe.gif", "seal.gif");
  const others = run(isText, "sun-1764", ".tif", "dune.tif", "palm.tif", "note.doc");
  const world = albumOf(isText, ["a.png", "b.doc", "c.png"]);
  const copied = ["a.png", "c.png"].map(
    (name) => `album.copy {"from":"lake-9/${name}","to":"/prints/lake-9/${name}"}`,
  );

  test.each([
    ["one run", [mixed], 1],
    ["several runs", [mixed, others], 0],
    ["several runs, in one of which they were for all", [whole, others], 0],
  ])("are for those of the list's elements that the task tells, after %s", async (__, runs, questions) => {
    const { plan } = learned(runs);
    expect(plan.questions ?? []).toHaveLength(questions);
    const input = Object.fromEntries(
      plan.params.map(({ name, example = null }) => [
        name,
        name === "name_ending"
          ? ".png"
          : JSON.stringify(example)
              .slice(1, -1)
              .replace(/sea-2021|ice-1987/, "lake-9"),
      ]),
    );
    const made = await callsIn(runner, plan, world, input);
    expect(made.filter((call) => !call.startsWith("album.list"))).toEqual(copied);
  });
});
