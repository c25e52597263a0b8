import type { JsonObject } from "../../src/core/json/json.ts";
import { type Dice, PEOPLE } from "./dice.ts";
import { type Job, refused } from "./job.ts";

/** The rows of tables, whose first column is the key. */
export type DatabaseState = Record<string, Record<string, string | number>[]>;

export function databaseState(dice: Dice): DatabaseState {
  const people = dice.some(PEOPLE, 6);
  return {
    staff: people.map((name) => ({ id: dice.fresh(100, 999), name, salary: dice.fresh(3000, 6000) })),
    invoices: dice.some([...people, ...people], 9).map((customer) => ({
      id: dice.fresh(1000, 9999),
      customer,
      amount: dice.fresh(20, 900),
      paid: 1,
    })),
    stock: dice.some(["bolts", "nuts", "screws", "hinges"], 4).map((part) => ({
      part,
      pieces: dice.fresh(10, 99),
    })),
    log: [{ id: 1, entry: "opened" }],
  };
}

function job<Told extends JsonObject>(made: Job<DatabaseState, Told>): Job<DatabaseState> {
  return made;
}

function unpaid(state: DatabaseState, dice: Dice, customer: string, count: number): void {
  for (let left = count; left > 0; left--)
    state["invoices"]?.push({
      id: dice.fresh(1000, 9999),
      customer,
      amount: dice.fresh(20, 900),
      paid: 0,
    });
}

function textsOf(state: DatabaseState, table: string, column: string): string[] {
  return [...new Set(state[table]?.map((row) => String(row[column])))];
}

/** The rows of a text as the server writes them. */
function rowsIn(answer: unknown): string[][] {
  return String(answer)
    .split("\n")
    .slice(1, -1)
    .map((line) => line.split(" | "));
}

export const DATABASE_JOBS: readonly Job<DatabaseState>[] = [
  job({
    name: "pay-invoice",
    difficulty: "text",
    given: (state, dice) => {
      const customer = dice.one(textsOf(state, "invoices", "customer"));
      unpaid(state, dice, customer, 1);
      return { customer };
    },
    task: ({ customer }) => `${customer} has paid the open invoice.`,
    agent: async ({ customer }, call) => {
      await call("list_tables", {});
      const [row] = rowsIn(
        await call("query", {
          sql: `SELECT id, amount FROM invoices WHERE customer = '${customer}' AND paid = 0`,
        }),
      );
      if (row) await call("execute", { sql: `UPDATE invoices SET paid = 1 WHERE id = ${row[0]}` });
    },
    hinder: (state) => {
      for (const row of state["invoices"] ?? []) row["paid"] = 1;
    },
  }),
  job({
    name: "pay-all-invoices",
    difficulty: "text",
    given: (state, dice) => {
      const customer = dice.one(textsOf(state, "invoices", "customer"));
      unpaid(state, dice, customer, dice.between(2, 4));
      return { customer };
    },
    task: ({ customer }) => `${customer} has paid all open invoices.`,
    agent: async ({ customer }, call) => {
      const rows = rowsIn(
        await call("query", {
          sql: `SELECT id, amount FROM invoices WHERE customer = '${customer}' AND paid = 0`,
        }),
      );
      for (const [id] of rows)
        await call("execute", { sql: `UPDATE invoices SET paid = 1 WHERE id = ${id}` });
    },
    hinder: (state) => {
      for (const row of state["invoices"] ?? []) row["paid"] = 1;
    },
  }),
  job({
    name: "raise-salary",
    difficulty: "text",
    given: (state, dice) => ({
      name: dice.one(textsOf(state, "staff", "name")),
      raise: dice.fresh(100, 900),
    }),
    task: ({ name, raise }) => `${name} earns ${raise} more from now on.`,
    agent: async ({ name, raise }, call) => {
      await call("list_tables", {});
      const [row] = rowsIn(await call("query", { sql: `SELECT salary FROM staff WHERE name = '${name}'` }));
      if (!row) return;
      const salary = Number(row[0]) + raise;
      await call("execute", { sql: `UPDATE staff SET salary = ${salary} WHERE name = '${name}'` });
    },
    hinder: (state, { name }) => {
      state["staff"] = state["staff"]?.filter((row) => row["name"] !== name) ?? [];
    },
  }),
  job({
    name: "log-debtors",
    difficulty: "text",
    given: (state, dice) => {
      for (const customer of dice.some(textsOf(state, "invoices", "customer"), dice.between(2, 3)))
        unpaid(state, dice, customer, 1);
      return {};
    },
    task: () => `Add an entry "owes …" to the log for each customer with an open invoice.`,
    agent: async (_, call) => {
      const rows = rowsIn(await call("query", { sql: "SELECT customer FROM invoices WHERE paid = 0" }));
      for (const [customer] of rows)
        await call("execute", { sql: `INSERT INTO log (entry) VALUES ('owes ${customer}')` });
    },
    hinder: (state) => {
      for (const row of state["invoices"] ?? []) row["paid"] = 1;
    },
  }),
  job({
    name: "insert-or-update",
    difficulty: "fails",
    given: (_, dice) => ({
      part: dice.one(["washers", "brackets", "dowels", "rivets", "anchors"]),
      pieces: dice.fresh(100, 900),
    }),
    task: ({ part, pieces }) => `There are ${pieces} pieces of ${part} now; the stock may not know them yet.`,
    agent: async ({ part, pieces }, call) => {
      const insert = `INSERT INTO stock (part, pieces) VALUES ('${part}', ${pieces})`;
      if (await refused(call("execute", { sql: insert })))
        await call("execute", { sql: `UPDATE stock SET pieces = ${pieces} WHERE part = '${part}'` });
    },
    hinder: (state, { part }) => void state["stock"]?.push({ part, pieces: 1 }),
  }),
];
