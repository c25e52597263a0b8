import { describe, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
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

test("what the task says letter for letter is no condition a second time in other signs", () => {
  const request = (iid: string, name: string, state: string): Json => ({
    iid,
    author: { username: name.toLowerCase().replace(" ", "."), name },
    state,
  });
  const requests = [
    request("R-81", "Mei Kovacs", "ready"),
    request("R-82", "Bo Hu", "ready"),
    request("R-83", "Mei Kovacs", "waiting"),
    request("R-84", "Mei Kovacs", "ready"),
  ];
  const world: WorldTools = { "lab.list": () => ({ requests }), "lab.merge": () => "ok" };
  const { plan } = learned([
    recordedIn(world, "Merge the requests of mei.kovacs that are ready", (call) => {
      call("lab.list", {});
      for (const iid of ["R-81", "R-84"]) call("lab.merge", { iid });
    }),
  ]);
  expect(plan.params.map(({ example }) => example)).toEqual(["mei.kovacs", "ready"]);
});
