import type { JsonObject } from "../../src/core/json/json.ts";
import { type Dice, PEOPLE } from "./dice.ts";
import { type Job, Refusal } from "./job.ts";
import { found, only } from "./papers.ts";
import type { Entity, EverydayState } from "./everyday-state.ts";

const FIRMS = ["Halden Boats", "Ostra Glass", "Pico Foods", "Quill Press", "Rota Bikes"];
const TEAMS = ["Harbour", "Lantern", "Meadow", "Orchard", "Pebble", "Saffron"];
const GOODS = ["anchor", "basket", "candle", "drawer", "easel", "funnel", "goblet", "hammock"];

function job<Told extends JsonObject>(made: Job<EverydayState, Told>): Job<EverydayState> {
  return made;
}

function addEntity(state: EverydayState, name: string, entityType: string, ...observations: string[]): void {
  state.entities.push({ name, entityType, observations });
}

function observationsOf(graph: { readonly entities: readonly Entity[] }, name: string): string {
  const entity = graph.entities.find((each) => each.name === name);
  if (!entity) throw new Refusal(`Nothing is known of ${name}`);
  return entity.observations.join("\n");
}

function forget(state: EverydayState, name: string): void {
  const at = state.entities.findIndex((entity) => entity.name === name);
  if (at >= 0) state.entities.splice(at, 1);
}

const GRAPH_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "write-phone-list",
    difficulty: "text",
    given: (state, dice) => {
      const [firm = "", other = ""] = dice.some(FIRMS, 2);
      for (const [nth, person] of dice.some(PEOPLE, dice.between(4, 6)).entries())
        addEntity(
          state,
          person,
          "person",
          `Works at ${nth < 2 ? firm : dice.one([firm, other])} as ${dice.one(["buyer", "clerk", "driver"])}`,
          `Phone: +46 ${dice.fresh(100, 999)} ${dice.fresh(1000, 9999)}`,
          `Born in ${dice.between(1960, 2004)}`,
        );
      return { firm, file: `${state.root}/phones-${dice.fresh(10, 99)}.txt` };
    },
    task: ({ firm, file }) => `Write the phone numbers of all people at ${firm} to ${file}, by their names.`,
    agent: async ({ firm, file }, call) => {
      const { entities } = await call("memory.search_nodes", { query: firm });
      const people = (entities as readonly Entity[]).filter((entity) => entity.entityType === "person");
      if (people.length === 0) throw new Refusal("Nobody works there");
      const lines = people.map(
        ({ name, observations }) => `${name}: ${only(observations.join("\n"), /^Phone: (.+)$/m)}`,
      );
      await call("write_file", { path: file, content: lines.join("\n") });
    },
    hinder: (state) => void state.entities.splice(1),
  }),
  job({
    name: "link-to-lead",
    difficulty: "text",
    given: (state, dice) => {
      const [person = "", ...leads] = dice.some(PEOPLE, 4);
      const teams = dice.some(TEAMS, 3);
      addEntity(state, person, "person", `Joined in ${dice.between(2010, 2025)}`, `Is in team ${teams[0]}`);
      for (const [nth, team] of teams.entries())
        addEntity(
          state,
          `Team ${team}`,
          "team",
          `Led by ${leads[nth]} since ${dice.day()}`,
          `Sits on floor ${nth}`,
        );
      for (const lead of leads) addEntity(state, lead, "person", `Joined in ${dice.between(2000, 2009)}`);
      return { person };
    },
    task: ({ person }) => `Relate ${person} to whoever leads the team of ${person}, as "reports_to".`,
    agent: async ({ person }, call) => {
      const known = await call("memory.open_nodes", { names: [person] });
      const team = `Team ${only(observationsOf(known, person), /^Is in team (.+)$/m)}`;
      const lead = only(
        observationsOf(await call("memory.open_nodes", { names: [team] }), team),
        /^Led by (.+) since/m,
      );
      await call("memory.create_relations", {
        relations: [{ from: person, to: lead, relationType: "reports_to" }],
      });
    },
    hinder: (state, { person }) => forget(state, person),
  }),
  job({
    name: "change-address",
    difficulty: "text",
    given: (state, dice) => {
      const person = dice.one(PEOPLE);
      const street = (): string => `${dice.one(["Mill", "Well", "Rose"])} Lane ${dice.fresh(1, 200)}`;
      addEntity(
        state,
        person,
        "person",
        `Likes ${dice.one(GOODS)}s`,
        `Lives at ${street()}, ${dice.one(["Bergen", "Turku", "Aarhus"])}`,
        `Born in ${dice.between(1960, 2004)}`,
      );
      return { person, address: `${street()}, ${dice.one(["Malmo", "Oulu", "Odense"])}` };
    },
    task: ({ person, address }) =>
      `${person} has moved to ${address}: replace what is remembered of where ${person} lives.`,
    agent: async ({ person, address }, call) => {
      const known = await call("memory.search_nodes", { query: person });
      const old = only(observationsOf(known, person), /^(Lives at .+)$/m);
      await call("memory.delete_observations", {
        deletions: [{ entityName: person, observations: [old] }],
      });
      await call("memory.add_observations", {
        observations: [{ entityName: person, contents: [`Lives at ${address}`] }],
      });
    },
    hinder: (state, { person }) => forget(state, person),
  }),
  job({
    name: "invite-members",
    difficulty: "text",
    given: (state, dice) => {
      const club = `${dice.one(TEAMS)} Club`;
      const people = dice.some(PEOPLE, dice.between(4, 6));
      addEntity(state, club, "club", "Meets on Mondays");
      for (const [nth, person] of people.entries()) {
        addEntity(state, person, "person", `Born in ${dice.between(1960, 2004)}`);
        const relationType = nth < 2 ? "member_of" : dice.one(["member_of", "friend_of"]);
        state.relations.push({ from: person, to: club, relationType });
      }
      return { club, day: dice.day() };
    },
    task: ({ club, day }) => `Remember of every member of ${club}: "Invited for ${day}".`,
    agent: async ({ club, day }, call) => {
      const { relations } = await call("memory.open_nodes", { names: [club] });
      const members = (relations as readonly { from: string; relationType: string }[]).filter(
        ({ relationType }) => relationType === "member_of",
      );
      if (members.length === 0) throw new Refusal("There are no members");
      const observations = members.map(({ from }) => ({
        entityName: from,
        contents: [`Invited for ${day}`],
      }));
      await call("memory.add_observations", { observations });
    },
    hinder: (state) => void state.relations.splice(0),
  }),
];

function addShop(state: EverydayState, dice: Dice): void {
  state.tables.push(
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT)",
    "CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, pieces INTEGER)",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, product_id INTEGER, pieces INTEGER)",
    "CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer TEXT, amount REAL, paid_on TEXT)",
  );
  for (const person of dice.some(PEOPLE, 6))
    state.tables.push(`INSERT INTO customers VALUES (${dice.fresh(100, 999)}, '${person}', 'Narvik')`);
  for (const good of GOODS)
    state.tables.push(
      `INSERT INTO products VALUES (${dice.fresh(1000, 9999)}, '${good}', ${dice.fresh(5, 90)}.5, ${dice.fresh(10, 99)})`,
    );
}

const customersIn = (state: EverydayState): readonly string[] =>
  found(state.tables.join("\n"), /INSERT INTO customers VALUES \(\d+, '(.+)', /g).map(([name = ""]) => name);

const DATABASE_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "enter-order",
    difficulty: "text",
    given: (state, dice) => {
      addShop(state, dice);
      return { customer: dice.one(customersIn(state)), product: dice.one(GOODS), pieces: dice.between(2, 9) };
    },
    task: ({ customer, product, pieces }) =>
      `Enter an order of ${pieces} pieces of the product "${product}" for ${customer}.`,
    agent: async ({ customer, product, pieces }, call) => {
      await call("sqlite.list_tables", {});
      await call("sqlite.describe_table", { table_name: "orders" });
      const idIn = async (query: string): Promise<string> =>
        only(String(await call("sqlite.read_query", { query })), /'id': (\d+)/);
      const customerId = await idIn(`SELECT id FROM customers WHERE name = '${customer}'`);
      const productId = await idIn(`SELECT id, price FROM products WHERE name = '${product}'`);
      await call("sqlite.write_query", {
        query: `INSERT INTO orders (customer_id, product_id, pieces) VALUES (${customerId}, ${productId}, ${pieces})`,
      });
    },
    hinder: (state, { customer }) =>
      void state.tables.push(`DELETE FROM customers WHERE name = '${customer}'`),
  }),
  job({
    name: "settle-invoices",
    difficulty: "text",
    given: (state, dice) => {
      addShop(state, dice);
      const customer = dice.one(customersIn(state));
      for (let left = dice.between(2, 4); left > 0; left--)
        state.tables.push(
          `INSERT INTO invoices VALUES (${dice.fresh(10000, 99999)}, '${customer}', ${dice.fresh(100, 900)}.25, NULL)`,
        );
      state.tables.push(`INSERT INTO invoices VALUES (7, '${customer}', 20.0, '2025-12-01')`);
      return { customer, day: dice.day() };
    },
    task: ({ customer, day }) => `Mark each unpaid invoice of ${customer} as paid on ${day}, one by one.`,
    agent: async ({ customer, day }, call) => {
      const query = `SELECT id, amount FROM invoices WHERE customer = '${customer}' AND paid_on IS NULL`;
      const rows = found(String(await call("sqlite.read_query", { query })), /'id': (\d+)/g);
      if (rows.length === 0) throw new Refusal("Nothing is unpaid");
      for (const [id] of rows)
        await call("sqlite.write_query", {
          query: `UPDATE invoices SET paid_on = '${day}' WHERE id = ${id}`,
        });
    },
    hinder: (state) => void state.tables.push("UPDATE invoices SET paid_on = '2026-01-01'"),
  }),
  job({
    name: "export-stock",
    difficulty: "text",
    given: (state, dice) => {
      addShop(state, dice);
      return { count: dice.between(2, 4), file: `${state.root}/dear-${dice.fresh(10, 99)}.csv` };
    },
    task: ({ count, file }) =>
      `Write the ${count} dearest products to ${file}, as "name,price" lines under such a heading.`,
    agent: async ({ count, file }, call) => {
      const query = `SELECT name, price FROM products ORDER BY price DESC LIMIT ${count}`;
      const rows = found(
        String(await call("sqlite.read_query", { query })),
        /\{'name': '(.+?)', 'price': ([\d.]+)\}/g,
      );
      if (rows.length === 0) throw new Refusal("There are no products");
      const lines = rows.map(([name, price]) => `${name},${price}`);
      await call("write_file", { path: file, content: `name,price\n${lines.join("\n")}\n` });
    },
    hinder: (state) => void state.tables.push("DELETE FROM products"),
  }),
];

const ZONES = ["Europe/Lisbon", "Asia/Tokyo", "America/Bogota", "Asia/Kolkata", "Africa/Nairobi"];

const TIME_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "invite-in-zone",
    difficulty: "text",
    given: (state, dice) => {
      const file = `call-${dice.fresh(100, 999)}.md`;
      const [from = "", zone = ""] = dice.some(ZONES, 2);
      state.files[file] =
        `# Call about ${dice.one(GOODS)}s\n\nTime: ${dice.between(10, 19)}:${dice.fresh(10, 59)}\nTime zone: ${from}\nHost: ${dice.one(PEOPLE)}\n`;
      return {
        file: `${state.root}/${file}`,
        zone,
        to: `${state.root}/invitation-${dice.fresh(10, 99)}.txt`,
      };
    },
    task: ({ file, zone, to }) =>
      `Write to ${to} when the call in ${file} begins for somebody in ${zone}, with the offset.`,
    agent: async ({ file, zone, to }, call) => {
      const text = String((await call("read_text_file", { path: file })).content);
      const converted = await call("time.convert_time", {
        source_timezone: only(text, /^Time zone: (.+)$/m),
        time: only(text, /^Time: (.+)$/m),
        target_timezone: zone,
      });
      await call("write_file", { path: to, content: `The call begins at ${converted.target.datetime}.\n` });
    },
    hinder: (state, { file }) => {
      state.files[file.slice(state.root.length + 1)] = "# Call\n\nTo be agreed.\n";
    },
  }),
];

export const RECORDS_JOBS: readonly Job<EverydayState>[] = [...GRAPH_JOBS, ...DATABASE_JOBS, ...TIME_JOBS];
