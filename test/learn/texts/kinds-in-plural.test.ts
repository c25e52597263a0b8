import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

type Item = readonly [id: number, name: string, kind: string];
const itemsOf = (items: readonly Item[]): Json => items.map(([id, name, kind]) => ({ id, name, kind }));
const depot = (items: Json): WorldTools => ({ "depot.list_items": () => items, "fs.write_file": () => "ok" });

const ITEMS: readonly Item[] = [
  [412, "Old oak", "chair"],
  [415, "Garden", "bench"],
  [418, "Blue velvet", "chair"],
  [420, "Corner", "shelf"],
  [431, "Kitchen", "chair"],
];
const linesOf = (items: readonly Item[]): string =>
  items.map(([id, name]) => `* ${name} (no. ${id})\n`).join("");
const listed = (items: readonly Item[]): string => `# Stock\n\n${linesOf(items)}\nTotal: ${items.length}\n`;
const chairs = ITEMS.filter(([, , kind]) => kind === "chair");
const TASK = "Write the chairs that we have to /srv/stock.md, with name and id";
const planOf = (content: string, task = TASK, items = itemsOf(ITEMS)) =>
  learned([
    recordedIn(depot(items), task, (call) => {
      call("depot.list_items", {});
      call("fs.write_file", { path: "/srv/stock.md", content });
    }),
  ]).plan;

describe("lines and their number are of those of a kind of which the task says the plural", () => {
  const plan = planOf(listed(chairs));
  const input = Object.fromEntries(
    plan.params.map(({ name, example = null }): [string, Json] => [name, example]),
  );
  const written = async (...items: readonly Item[]): Promise<string> => {
    const last = (await callsIn(runner, plan, depot(itemsOf(items)), input)).at(-1) ?? "";
    if (last.startsWith("stops")) return last;
    const { content } = JSON.parse(last.replace("fs.write_file ", "")) as { readonly content: string };
    return content;
  };

  test("with a question", () => {
    expect(plan.params.map(({ name }) => name)).toEqual(["path"]);
    expect(plan.questions?.map(({ kind }) => kind)).toEqual(["text"]);
  });

  test("others", async () => {
    const two: readonly Item[] = [
      [3, "chair", "chair"],
      [5, "chairs and more", "bench"],
      [8, "Round", "chair"],
    ];
    expect(await written(...two)).toBe(listed(two.filter(([, , kind]) => kind === "chair")));
  });

  test.each(["Chair", "chair, bench", "high chair"])(
    "a kind that is written otherwise stops it: %s",
    async (kind) => {
      expect(await written([3, "Low", "chair"], [5, "High", kind])).toMatch(/^stops/);
    },
  );
});

describe("the caller gives the text", () => {
  const paramsOf = (...of: Parameters<typeof planOf>) => planOf(...of).params.map(({ name }) => name);

  test.each([
    ["Write some of what we have to /srv/stock.md, with name and id"],
    ["Write the seats that we have to /srv/stock.md, with name and id"],
  ])("where the task says no plural of the kind: %s", (task) => {
    expect(paramsOf(listed(chairs), task)).toContain("content");
  });

  test("where the total is another number", () => {
    expect(paramsOf(`# Stock\n\n${linesOf(chairs)}\nTotal: 4\n`)).toContain("content");
    expect(paramsOf(`# Stock\n\n${linesOf(chairs)}\nRooms: 3\n`)).toContain("content");
  });

  test("where the total may be of something that each of them tells", () => {
    const items = ITEMS.map(([id, name, kind]) => ({ id, name, kind, pieces: 1 }));
    expect(paramsOf(listed(chairs), TASK, items)).toContain("content");
  });

  test("where not all of the kind are meant", () => {
    expect(paramsOf(listed(chairs.slice(1)))).toContain("content");
  });
});
