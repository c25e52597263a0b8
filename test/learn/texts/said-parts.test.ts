import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { callsIn } from "../live.ts";
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
