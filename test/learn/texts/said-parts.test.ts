import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { callsIn, recordedIn } from "../live.ts";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { learned, traceOf } from "../learned.ts";
import { runner } from "../../shared-threads.ts";

const real = new RealDrafts();
afterAll(() => real.close());

// --- found by a part of what the task says

const branches = (...names: readonly string[]): string =>
  [...names.map((name) => `  ${name}`), "* main"].join("\n");
const BRANCHES = branches("bugfix/APP-3777-avatar", "bugfix/WEB-3903-export", "feature/APP-1333-parser");

describe("the element of which the task says a part", () => {
  const task = (ticket: string): string => `Switch to the branch of ticket ${ticket}`;
  const switched = (ticket: string, branch: string) =>
    traceOf(task(ticket), [
      ["git.git_branch", { repo_path: "/srv/atlas" }, BRANCHES],
      ["git.git_checkout", { branch_name: branch }, "ok"],
    ]);
  const madeFor = async (ticket: string, answer: string): Promise<readonly string[]> => {
    const { plan } = learned([switched("3903", "bugfix/WEB-3903-export")]);
    const input = Object.fromEntries(
      plan.params.map(({ name, example = null }) => [name, example === "3903" ? ticket : example]),
    );
    return callsIn(runner, plan, { "git.git_branch": () => answer, "git.git_checkout": () => "ok" }, input);
  };

  test("is found in another list by another part", async () => {
    const answer = branches("feature/APP-1333-parser", "hotfix/4711-cart");
    expect((await madeFor("4711", answer)).at(-1)).toContain("hotfix/4711-cart");
    const draft = await real.of([switched("3903", "bugfix/WEB-3903-export")]);
    expect(failing(await real.verified(draft.name))).toEqual([]);
  });

  test.each([
    ["a longer number has it", branches("feature/APP-13339-parser", "hotfix/4711-cart")],
    ["several have it", branches("feature/APP-1333-parser", "hotfix/1333-cart")],
  ])("stops where %s", async (_, answer) => {
    expect((await madeFor("1333", answer)).at(-1)).toMatch(/^stops/);
  });

  test("is not found by one word of a sentence", () => {
    const { plan } = learned([
      traceOf("Move Ada to Mill Lane", [
        ["memory.open_nodes", { name: "Ada" }, { notes: ["Likes tea", "Lives at Well Lane, Turku"] }],
        ["memory.delete_notes", { notes: ["Lives at Well Lane, Turku"] }, "ok"],
      ]),
    ]);
    expect(JSON.stringify(plan.steps)).not.toContain("contains");
  });
});

test("ids that queries gave stand in a program, with the number that the caller says", async () => {
  const run = traceOf('Enter an order of 3 pieces of the product "funnel" for Ines Duarte', [
    ["db.describe_table", { table_name: "orders" }, "customer_id, product_id, pieces"],
    ["db.read_query", { query: "SELECT id FROM customers WHERE name = 'Ines Duarte'" }, "[{'id': 574}]"],
    [
      "db.read_query",
      { query: "SELECT id, price FROM products WHERE name = 'funnel'" },
      "[{'id': 5270, 'price': 9.5}]",
    ],
    [
      "db.write_query",
      { query: "INSERT INTO orders (customer_id, product_id, pieces) VALUES (574, 5270, 3)" },
      "ok",
    ],
  ]);
  const draft = await real.of([run]);
  expect(draft.plan.params.map(({ example }) => example)).toEqual(["Ines Duarte", "funnel", "3"]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
  const madeWith = (pieces: string): Promise<readonly string[]> => {
    const input = { name: "Bo Hu", secondName: "easel", second_name: "easel", pieces };
    const answers = ["[{'id': 812}]", "[{'id': 9411, 'price': 2.5}]"];
    return callsIn(
      runner,
      learned([run]).plan,
      {
        "db.describe_table": () => "customer_id, product_id, pieces",
        "db.read_query": () => answers.shift() ?? "",
        "db.write_query": () => "ok",
      },
      input,
    );
  };
  expect((await madeWith("12")).at(-1)).toContain("VALUES (812, 9411, 12)");
  expect((await madeWith("12); DROP TABLE orders; --")).at(-1)).toMatch(/^stops/);
});

const leaf = (name: string) => ({ name, type: "file" });
const folder = (name: string, ...children: readonly object[]) => ({ name, type: "directory", children });
const TREES: Readonly<Record<string, readonly object[]>> = {
  "/srv/runs": [
    leaf("a-login.log"),
    folder("south", leaf("b-cart.log"), leaf("c-mailer.txt"), leaf("d-search.log")),
  ],
  "/srv/jobs": [folder("north", folder("old", leaf("e-oak.log")), leaf("f-fir.txt")), leaf("g-elm.log")],
};

test("files are moved wherever they stand in a tree of folders", async () => {
  const tools = {
    "files.directory_tree": ({ path }: JsonObject) => ({
      content: JSON.stringify(typeof path === "string" ? TREES[path] : [], undefined, 2),
    }),
    "files.move_file": () => ({ content: "moved" }),
  };
  const moves = (from: string, ...paths: readonly string[]) =>
    recordedIn(tools, `Move all .log files below ${from} to /srv/logs`, (call) => {
      call("files.directory_tree", { path: from });
      for (const path of paths) {
        const destination = `/srv/logs/${path.split("/").at(-1)}`;
        call("files.move_file", { source: `${from}/${path}`, destination });
      }
    });
  const run = moves("/srv/runs", "a-login.log", "south/b-cart.log", "south/d-search.log");
  const draft = await real.of([run]);
  expect(draft.plan.params.map(({ example }) => example)).toEqual(["/srv/runs", ".log", "/srv/logs"]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
  const { plan } = learned([run]);
  const input = Object.fromEntries(
    plan.params.map(({ name, example = null }) => [name, example === "/srv/runs" ? "/srv/jobs" : example]),
  );
  const wanted = moves("/srv/jobs", "north/old/e-oak.log", "g-elm.log").calls;
  expect(await callsIn(runner, plan, tools, input)).toEqual(
    wanted.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`),
  );
});

test("a line of a file is changed to what the caller says", async () => {
  const file = { content: '{\n  "name": "atlas",\n  "version": "1.20.7"\n}\n' };
  const run = traceOf("Set the version of /srv/atlas/package.json to 2.0.1", [
    ["files.read_text_file", { path: "/srv/atlas/package.json" }, file],
    [
      "files.edit_file",
      {
        path: "/srv/atlas/package.json",
        edits: [{ oldText: '"version": "1.20.7"', newText: '"version": "2.0.1"' }],
      },
      { content: "edited" },
    ],
  ]);
  const draft = await real.of([run]);
  expect(draft.plan.params.map(({ example }) => example)).toEqual(["/srv/atlas/package.json", "2.0.1"]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
});

const GRAPHS: Readonly<Record<string, readonly { from: string; relationType: string }[]>> = {
  Harbour: [
    { from: "Ada Lind", relationType: "member_of" },
    { from: "Bo Hu", relationType: "friend_of" },
    { from: "Cy Ek", relationType: "member_of" },
  ],
  Meadow: [
    { from: "Di Po", relationType: "friend_of" },
    { from: "Ed Ro", relationType: "member_of" },
  ],
};

test("a list of objects is made of those of a list of which the task says something", async () => {
  const tools = {
    "memory.open_nodes": ({ name }: JsonObject) => ({
      relations: typeof name === "string" ? (GRAPHS[name] ?? []) : [],
    }),
    "memory.add_observations": () => "ok",
  };
  const invites = (name: string, day: string) =>
    recordedIn(tools, `Remember of every member of ${name}: Invited for ${day}`, (call) => {
      call("memory.open_nodes", { name });
      const members = (GRAPHS[name] ?? []).filter(({ relationType }) => relationType === "member_of");
      const observations = members.map(({ from }) => ({
        entityName: from,
        contents: [`Invited for ${day}`],
      }));
      call("memory.add_observations", { observations });
    });
  const run = invites("Harbour", "2026-03-04");
  const draft = await real.of([run]);
  expect(draft.plan.params.map(({ example }) => example)).toEqual(["Harbour", "Invited for 2026-03-04"]);
  expect(draft.plan.questions?.map(({ kind }) => kind)).toEqual(["element"]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
  const { plan } = learned([run]);
  const input = Object.fromEntries(
    plan.params.map(({ name, example }) => [
      name,
      example === "Harbour" ? "Meadow" : "Invited for 2026-05-06",
    ]),
  );
  const wanted = invites("Meadow", "2026-05-06").calls.map(
    ({ tool, args }) => `${tool} ${JSON.stringify(args)}`,
  );
  expect(await callsIn(runner, plan, tools, input)).toEqual(wanted);
});

test("a list of paths is made of a folder that the caller says and the names in a list", async () => {
  const run = traceOf("Write the lines of /srv/march to /srv/all.txt", [
    ["files.list_directory", { path: "/srv/march" }, { content: "[FILE] oak.txt\n[FILE] pine.txt" }],
    [
      "files.read_multiple_files",
      { paths: ["/srv/march/oak.txt", "/srv/march/pine.txt"] },
      { content: "12\n13\n" },
    ],
    ["files.write_file", { path: "/srv/all.txt", content: "12\n13\n" }, { content: "written" }],
  ]);
  const draft = await real.of([run]);
  expect(draft.plan.params.map(({ example }) => example)).toEqual(["/srv/march", "/srv/all.txt"]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
});

test("a report with a line for each is not written where there is none", async () => {
  const report = (lines: string): string => `Name;Price\n${lines}\n`;
  const run = traceOf("Write the names and prices to /srv/all.csv", [
    ["shop.list_products", {}, "Basket: 12.5\nCandle: 3.75\nEasel: 80.25"],
    [
      "files.write_file",
      { path: "/srv/all.csv", content: report("Basket;12.5\nCandle;3.75\nEasel;80.25") },
      "ok",
    ],
  ]);
  const { plan } = learned([run]);
  const madeOf = (answer: Json): Promise<readonly string[]> =>
    callsIn(
      runner,
      plan,
      { "shop.list_products": () => answer, "files.write_file": () => "ok" },
      { path: "/srv/all.csv" },
    );
  expect((await madeOf("Goblet: 7.5\nAnchor: 41.25")).at(-1)).toContain("Goblet;7.5\\nAnchor;41.25");
  for (const answer of ["", "No products"]) {
    const made = await madeOf(answer);
    expect(made.at(-1)).toMatch(/^stops/);
    expect(made.join()).not.toContain("write_file");
  }
});

test("records of an answer that have a word of the task in them are changed, and the answer is given back", async () => {
  const record = (nth: number, id: string, subject: string): string =>
    `Record ${nth}:\n    Id: ${id}\n    Subject: ${subject}`;
  const answer = [
    "Query returned 3 records:",
    record(1, "500TRM", "Broken inkwell, third time"),
    record(2, "500QUK", "Missing fiddle, see photo"),
    record(3, "500TVA", "Wrong inkwell, third time"),
  ].join("\n\n");
  const records = ["500TRM", "500TVA"].map((Id) => ({ Id, Priority: "High" }));
  const draft = await real.of([
    traceOf("Set the priority of the cases to High if the inkwell is in their subject", [
      ["crm.query", { objectName: "Case" }, answer],
      ["crm.update", { objectName: "Case", records }, "ok"],
    ]),
  ]);
  expect(new Set(draft.plan.params.map(({ example }) => example))).toEqual(new Set(["High", "inkwell"]));
  expect(failing(await real.verified(draft.name))).toEqual([]);
});
