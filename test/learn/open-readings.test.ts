import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";
import { runner } from "../shared-threads.ts";

type Agent = Parameters<typeof recordedIn>[2];

describe("what a round has told, where every round of the run told the same", () => {
  const rooms = (...hosts: readonly string[]): WorldTools => {
    const all = hosts.map((host, nth) => ({ id: `R-10${nth}`, host }));
    return {
      "house.list_rooms": () => ({ rooms: all.map(({ id }) => ({ id })) }),
      "house.get_room": ({ id }) => all.find((each) => each.id === id) ?? null,
      "house.tell": () => "ok",
    };
  };
  const tells: Agent = (call) => {
    const { rooms: list } = call("house.list_rooms", {}) as unknown as { rooms: { id: string }[] };
    for (const { id } of list) {
      const { host } = call("house.get_room", { id }) as { host: string };
      call("house.tell", { host, room: id });
    }
  };
  const run = (world: WorldTools) => recordedIn(world, "Tell of all rooms", tells);
  const same = run(rooms("h-7701", "h-7701", "h-7701"));
  const asked = (...runs: Parameters<typeof learned>[0]) =>
    (learned(runs).plan.questions ?? []).filter(({ kind }) => kind === "source");

  test("may be one thing for all: that is asked, with both readings", () => {
    expect(asked(same)).toMatchObject([{ kind: "source", step: "tellResult", path: ["host"] }]);
    const { choices } = learned([same]);
    const choice = choices.find(({ question }) => question === "source");
    expect(choice?.chosen).toMatchObject({ kind: "field", path: ["host"] });
    expect(choice?.alternatives).toContainEqual({ kind: "param", name: "host" });
  });

  test("is this round's where the rounds of a run tell different things", () => {
    expect(asked(run(rooms("h-7701", "h-7702", "h-7701")))).toEqual([]);
  });

  test("is asked no more after a run in which they do", async () => {
    const other = run(rooms("h-8801", "h-8802"));
    expect(asked(same, other)).toEqual([]);
    const made = await callsIn(runner, learned([same, other]).plan, rooms("h-9901", "h-9902"), {});
    expect(made.filter((call) => call.startsWith("house.tell"))).toEqual([
      'house.tell {"host":"h-9901","room":"R-100"}',
      'house.tell {"host":"h-9902","room":"R-101"}',
    ]);
  });
});

describe("names of one run are not learned by heart", () => {
  const inbox = (owner: string, key: string): WorldTools => ({
    "box.read": () => ({ text: `Message of ${owner}: ${key} is the key` }),
    "box.open": () => "ok",
  });

  test("beside a part of a text", async () => {
    const opens: Agent = (call) => {
      call("box.read", { owner: "Ann Miller" });
      call("box.open", { key: "K77X12" });
    };
    const { plan } = learned([
      recordedIn(inbox("Ann Miller", "K77X12"), "Open the box of Ann Miller", opens),
    ]);
    const made = await callsIn(runner, plan, inbox("Bob Ray", "K31Y90"), { owner: "Bob Ray" });
    expect(made.at(-1)).toBe('box.open {"key":"K31Y90"}');
  });

  const todos = (me: string, ...whose: readonly string[]): WorldTools => ({
    "todo.whoami": () => ({ name: me }),
    "todo.list": () => ({ todos: whose.map((who, nth) => ({ id: `T-10${nth}`, who })) }),
    "todo.close": () => "ok",
  });
  const closes =
    (isAsked: boolean, own: string): Agent =>
    (call) => {
      const me: Json = isAsked ? (call("todo.whoami", {}) as { name: string }).name : own;
      const { todos: list } = call("todo.list", {}) as unknown as { todos: { id: string; who: string }[] };
      for (const { id, who } of list) if (who === me) call("todo.close", { id });
    };
  const ann = todos("Ann Miller", "Ann Miller", "Bob Ray", "Ann Miller");
  const bob = todos("Bob Ray", "Cid Lee", "Bob Ray", "Ann Miller", "Bob Ray");

  test("where elements are told by one that an answer tells", async () => {
    const runs = [ann, bob].map((world) => recordedIn(world, "Close my todos", closes(true, "")));
    const { plan } = learned(runs);
    expect(plan.params).toEqual([]);
    const made = await callsIn(runner, plan, todos("Cid Lee", "Ann Miller", "Cid Lee"), {});
    expect(made.slice(2)).toEqual(['todo.close {"id":"T-101"}']);
  });

  test("where they are told by one that is the same in all runs: whether it always is, is asked", () => {
    const again = todos("Ann Miller", "Cid Lee", "Ann Miller", "Ann Miller", "Ann Miller");
    const runs = [ann, again].map((world) =>
      recordedIn(world, "Close my todos", closes(false, "Ann Miller")),
    );
    expect(learned(runs).plan.questions).toMatchObject([{ kind: "constant", path: [] }]);
  });
});

describe("the only element that a search has found", () => {
  const notes = (...people: readonly (readonly [string, string])[]): WorldTools => ({
    "notes.search_nodes": () => ({
      entities: people.map(([name, duty]) => ({
        name,
        entityType: "person",
        observations: ["Speaks Greek", duty],
      })),
    }),
    "notes.add_note": () => "ok",
  });
  const adds: Agent = (call) => {
    call("notes.search_nodes", { query: "on call for Billing" });
    call("notes.add_note", { entityName: "Ann Miller", contents: "Paged on 2025-05-06" });
  };
  const one = notes(["Ann Miller", "On call for Billing"]);

  test("is it by what the search asked for, rather than by its kind", async () => {
    const task = 'Add a note to the person who is on call for Billing: "Paged on 2025-05-06"';
    const { plan } = learned([recordedIn(one, task, adds)]);
    const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
    expect(await callsIn(runner, plan, one, input)).toHaveLength(2);
    const former = notes(["Ann Miller", "Was on call for Billing until 2025-03-04"]);
    const made = await callsIn(runner, plan, former, input);
    expect(made.filter((call) => call.startsWith("notes.add_note"))).toEqual([]);
  });

  test("is a question where its kind alone tells it", () => {
    const { plan } = learned([recordedIn(one, "Add a note to the person: Paged on 2025-05-06", adds)]);
    expect(plan.questions).toMatchObject([{ kind: "element", path: ["entityName"] }]);
  });
});

describe("what an act has told of another thing", () => {
  const boots = { name: "Boots", item_id: "881122", options: { size: "11" } };
  const lamp = { name: "Lamp", item_id: "771122", options: { color: "red" } };
  const shop: WorldTools = {
    "shop.cancel_order": ({ order_id = null }) => ({ order_id, items: [boots, lamp] }),
    "shop.get_product": () => ({ items: [boots, lamp] }),
    "shop.exchange_items": () => "ok",
  };
  const run = (look: string, args: JsonObject) =>
    recordedIn(shop, "For W-2002, exchange the boots to size 11", (call) => {
      call(look, args);
      call("shop.exchange_items", { order_id: "W-2002", item_ids: ["661133"], new_item_ids: ["881122"] });
    });

  test("is not where a call has its values from, though they are equal", () => {
    const cancelled = learned([run("shop.cancel_order", { order_id: "W-1001" })]).plan;
    expect(JSON.stringify(cancelled.steps.at(-1))).not.toContain('"ref"');
    const own = learned([run("shop.cancel_order", { order_id: "W-2002" })]).plan;
    expect(JSON.stringify(own.steps.at(-1))).toContain('"ref"');
  });

  test("is unlike what was looked at", () => {
    const looked = learned([run("shop.get_product", { order_id: "W-1001" })]).plan;
    expect(JSON.stringify(looked.steps.at(-1))).toContain('"ref"');
  });
});

test("two lists of a call for the same things have one number of elements, however many their caller would give", async () => {
  const things = [
    { name: "Bicycle", item_id: "511122" },
    { name: "Purifier", item_id: "611122" },
  ];
  const shop: WorldTools = { "shop.get_order": () => ({ items: things }), "shop.modify_items": () => "ok" };
  const task = "For W-3003, modify the bicycle to a large one, and the purifier to the same";
  const { plan } = learned([
    recordedIn(shop, task, (call) => {
      call("shop.get_order", { order_id: "W-3003" });
      call("shop.modify_items", {
        order_id: "W-3003",
        item_ids: ["511122", "611122"],
        new_item_ids: ["999001", "611122"],
      });
    }),
  ]);
  expect(plan.params.map(({ example }) => Array.isArray(example))).not.toContain(true);
  const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
  expect((await callsIn(runner, plan, shop, input)).at(-1)).toBe(
    'shop.modify_items {"order_id":"W-3003","item_ids":["511122","611122"],"new_item_ids":["999001","611122"]}',
  );
});

test("a number that an answer says is what it says, rather than a count of lines that is equal: that is asked", async () => {
  const files = (text: string, count: number): WorldTools => ({
    "fs.sort": () => ({ sorted_content: text }),
    "fs.wc": () => ({ count, type: "lines" }),
    "math.logarithm": () => ({ result: 1 }),
  });
  const task =
    "Sort notes.txt and count its lines, then give me the base 10 logarithm of the number of lines";
  const { plan } = learned([
    recordedIn(files("Apple\nBanana\nCherry\nDate\nFig", 5), task, (call) => {
      call("fs.sort", { file: "notes.txt" });
      call("fs.wc", { file: "notes.txt", mode: "l" });
      call("math.logarithm", { value: 5, base: 10 });
    }),
  ]);
  expect(plan.questions).toContainEqual(
    expect.objectContaining({ kind: "source", step: "logarithmResult", path: ["value"] }),
  );
  const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
  const made = await callsIn(runner, plan, files("Apple\nBanana", 7), input);
  expect(made.at(-1)).toBe('math.logarithm {"value":7,"base":10}');
});
