import { expect, test } from "vitest";
import type { Synthesis } from "../../../src/learn/synthesis/synthesise.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { runner } from "../../shared-threads.ts";

type Row = readonly [id: string, item: string, count: string];

function shop(rows: readonly Row[]): WorldTools {
  return {
    "desk.read_file": () => `id,item,count\n${rows.map((row) => `${row.join(",")}\n`).join("")}`,
    "db.write_query": () => "[{'affected_rows': 1}]",
  };
}

const ORDERS: readonly Row[] = [
  ["501", "Pump A", "20"],
  ["502", "Lamp", "12"],
];

function inserted([id, item, count]: Row): string {
  return `INSERT INTO orders (id, item, count) VALUES (${id}, '${item}', ${count})`;
}

function run(queries: readonly string[]): Synthesis {
  return learned([
    recordedIn(shop(ORDERS), "Insert the orders of /orders.csv into the table orders.", (call) => {
      call("desk.read_file", { path: "/orders.csv" });
      for (const query of queries) call("db.write_query", { query });
    }),
  ]);
}

async function queriesIn({ plan }: Synthesis, rows: readonly Row[]): Promise<readonly string[]> {
  const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
  const calls = await callsIn(runner, plan, shop(rows), input);
  return calls.slice(1).map((call) => call.replace('db.write_query {"query":"', "").replace(/"\}$/, ""));
}

test("a program for each row has several of its cells, with questions", async () => {
  const made = run(ORDERS.map(inserted));
  expect(made.plan.params.map(({ example }) => example)).toEqual(["/orders.csv"]);
  expect(made.plan.questions?.map(({ kind }) => kind)).toEqual(["element", "text"]);
  const others: readonly Row[] = [
    ["7", "Bolt", "3"],
    ["8", "Nut B", "1200"],
    ["9", "Rope", "14"],
  ];
  expect(await queriesIn(made, others)).toEqual(others.map(inserted));
});

test.each<readonly [string, Row]>([
  ["ends the text that it stands in", ["503", "O'Neil's bolt", "14"]],
  ["is no number", ["503", "Bolt", "14 or 15"]],
  ["is missing", ["503", "Bolt", ""]],
])("a row of which a cell %s stops", async (_, row) => {
  expect((await queriesIn(run(ORDERS.map(inserted)), [row, ...ORDERS])).at(-1)).toMatch(/^stops: /);
});

test.each([
  ["a cell of another row", ["501", "Lamp", "20"], ["502", "Pump A", "12"]],
  ["what no row has", ["501", "Pump A", "21"], ["502", "Lamp", "13"]],
] as const)("programs with %s are the caller's", (_, first, second) => {
  const queries = [first, second].map(inserted);
  expect(run(queries).plan.params.map(({ example }) => example)).toContainEqual(queries);
});
