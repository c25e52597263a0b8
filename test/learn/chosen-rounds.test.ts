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

describe("rounds for the elements that have words of the task in their texts", () => {
  const messages = (...texts: readonly string[]): WorldTools => ({
    "chat.read": () => ({ messages: texts.map((text, nth) => ({ id: `M-${nth + 401}`, text })) }),
    "chat.delete": () => "ok",
  });
  const deleting = (task: string, ...texts: readonly string[]) =>
    learned([
      recordedIn(messages(...texts), task, (call) => {
        call("chat.read", {});
        for (const id of ["M-401", "M-403"]) call("chat.delete", { id });
      }),
    ]).plan;
  const plan = deleting(
    "Delete the messages that link to bobbin.example.com",
    "Buy at bobbin.example.com now",
    "Lunch?",
    "See https://bobbin.example.com/x",
    "Where is the cable?",
  );
  const deleted = async (words: string, ...texts: readonly string[]) => {
    const input = Object.fromEntries(plan.params.map(({ name }) => [name, words]));
    return (await callsIn(runner, plan, messages(...texts), input)).slice(1);
  };

  test("are for those of another list that have the caller's words, which is asked about", async () => {
    expect(plan.params.map(({ example }) => example)).toEqual(["bobbin.example.com"]);
    expect(plan.questions).toMatchObject([{ kind: "element" }]);
    expect(await deleted("easel.example.org", "Hello", "Go to easel.example.org!", "A cable")).toEqual([
      'chat.delete {"id":"M-402"}',
    ]);
  });

  test.each([
    ["in other letters", "Go to Easel.example.org!"],
    ["with other signs between", "Go to easel example org"],
    ["in a longer word", "Go to weasel.example.organ"],
  ])("stop where another has them %s", async (_, text) => {
    expect((await deleted("easel.example.org", "At easel.example.org", text)).at(-1)).toMatch(/^stops/);
  });

  test("are given where the words are no more than such as all texts have", () => {
    const texts = ["Come with me", "Lunch?", "Tea with milk", "Where is the cable?"];
    expect(JSON.stringify(deleting("Delete what is with the others", ...texts).steps)).not.toContain(
      "contains",
    );
  });
});
