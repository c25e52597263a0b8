import { expect, test } from "vitest";
import { inputFor } from "./filling.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import { synthesise, type Synthesis } from "../../src/learn/synthesis/synthesise.ts";
import { learned, paramNames, replayed, traceOf } from "./learned.ts";
import { replayer } from "../shared-threads.ts";

const order = (id: string, user: string, items: readonly (readonly [string, string])[]) => ({
  order_id: id,
  user_id: user,
  items: items.map(([name, item_id], index) => ({ name, item_id, price: 10 + index })),
});

test("a value that an earlier result tells is taken from there, and what the task says is a parameter", async () => {
  const run = (id: string, user: string) =>
    traceOf(`Look up order ${id} and its buyer`, [
      ["shop.get_order", { order_id: id }, order(id, user, [["Lamp", "i-90001"]])],
      ["shop.get_user", { user_id: user }, { user_id: user, name: "Ada" }],
    ]);
  const a = run("#W1000001", "ada_1001");
  const synthesis = learned([a]);
  expect(paramNames(synthesis)).toEqual(["order_id"]);
  const code = await replayed(replayer, synthesis, a, [a, run("#W2000002", "leo_2002")]);
  expect(code).toContain(
    `await call_tool("shop.get_user", { user_id: ofKind(order.user_id, "numbered", "user_id") })`,
  );
});

test("an element is found by what the task calls it, wherever it stands", async () => {
  const run = (items: readonly (readonly [string, string])[], chosen: string) =>
    traceOf("Return the rain jacket of #W1000001", [
      ["get_order", { order_id: "#W1000001" }, order("#W1000001", "ada_1001", items)],
      ["return_item", { order_id: "#W1000001", item_id: chosen }, { status: "ok" }],
    ]);
  const a = run(
    [
      ["Lamp", "9000011"],
      ["Rain Jacket", "9000012"],
    ],
    "9000012",
  );
  const b = run(
    [
      ["Rain Jacket", "8000077"],
      ["Tent", "8000078"],
      ["Lamp", "8000079"],
    ],
    "8000077",
  );
  const synthesis = learned([a]);
  expect(paramNames(synthesis)).toEqual(["order_id", "item_name"]);
  const code = await replayed(replayer, synthesis, a, [a, b]);
  expect(code).toContain(`(each) => each.name === input.item_name,\n    { name: input.item_name },\n`);
});

test("nothing is found by a price or a count, and no position is taken", () => {
  const a = traceOf("Do it", [
    [
      "list_offers",
      {},
      {
        offers: [
          { offer_id: "o-11111", price: 5, count: 2 },
          { offer_id: "o-22222", price: 7, count: 3 },
        ],
      },
    ],
    ["accept_offer", { offer_id: "o-22222" }, null],
  ]);
  const synthesis = learned([a]);
  expect(paramNames(synthesis)).toEqual(["offer_id"]);
  expect(synthesis.choices.find(({ path }) => path[0] === "offer_id")?.why).toBe(
    "nothing before it tells it",
  );
});

test("a position of which the task speaks is taken", async () => {
  const run = (list: readonly string[]) =>
    traceOf("Show the last stock on the list", [
      ["get_stocks", {}, { stocks: list }],
      ["get_info", { symbol: list.at(-1) ?? "" }, { price: 1 }],
    ]);
  const synthesis = learned([run(["AAPL", "GOOG", "NVDA"])]);
  expect(paramNames(synthesis)).toEqual([]);
  await replayed(replayer, synthesis, run(["AAPL", "GOOG", "NVDA"]), [run(["TSLA", "MSFT"])]);
});

test("a word that is the name of a field in every element is no value of them", async () => {
  const page = (id: string) => ({ object: "page", id, title: `Title of ${id}` });
  const run = traceOf("Find the pages about lamps", [
    ["wiki.search", { query: "lamps" }, { results: [page("p-1001"), page("p-1002")] }],
    [
      "wiki.search",
      { filter: { property: "object", value: "database" }, query: "lamps" },
      { results: [page("p-2001"), page("p-2002")] },
    ],
  ]);
  const code = await replayed(replayer, learned([run]), run, [run]);
  expect(code).not.toContain("property: result");
});

test("keys of a map are data: an entry is found by what it says", async () => {
  const run = (small: string, large: string) =>
    traceOf("The large one, please", [
      [
        "get_product",
        { name: "tent" },
        { variants: { [small]: { options: { size: "small" } }, [large]: { options: { size: "large" } } } },
      ],
      ["buy", { item_id: large }, { ok: true }],
    ]);
  const a = run("1234567001", "1234567002");
  const synthesis = learned([a]);
  const code = await replayed(replayer, synthesis, a, [a, run("9876543001", "1876543002")]);
  expect(code).toContain("Object.entries<any>(mapOf(product.variants))");
  expect(code).not.toContain("1234567002");
});

test("a list of arguments is made from the list of what its elements are found by, however long it is", async () => {
  const run = (names: readonly string[]) =>
    traceOf(`Return the ${names.join(" and the ")}`, [
      [
        "get_order",
        { order_id: "#W1000001" },
        order("#W1000001", "ada_1001", [
          ["Lamp", "9000011"],
          ["Tent", "9000012"],
          ["Kettle", "9000013"],
        ]),
      ],
      [
        "return_items",
        {
          item_ids: names.map(
            (name) => ({ Lamp: "9000011", Tent: "9000012", Kettle: "9000013" })[name] ?? "",
          ),
        },
        null,
      ],
    ]);
  const a = run(["Tent", "Lamp"]);
  const code = await replayed(replayer, learned([a]), a, [
    a,
    run(["Kettle"]),
    run(["Lamp", "Kettle", "Tent"]),
  ]);
  expect(code.replaceAll(/\s+/g, " ")).toContain(
    "input.item_names.map( (itemName) => ofKind(theOne(order.items",
  );
});

test("calls for every element of a list become a loop over it", async () => {
  const run = (ids: readonly string[]) =>
    traceOf("How do my orders stand?", [
      ["get_user", { user_id: "ada_1001" }, { orders: ids }],
      ...ids.map((id) => ["get_order", { order_id: id }, { order_id: id, status: "open" }] as const),
    ]);
  const a = run(["#W1000001", "#W1000002"]);
  const synthesis = learned([a]);
  const code = await replayed(replayer, synthesis, a, [a, run(["#W5", "#W6", "#W7", "#W8"])]);
  expect(code).toContain("  const orders = await Promise.all(\n    user.orders.map(async (order: any) => {");
});

test("a loop whose calls act goes one by one, and a later step finds its element among the rounds", async () => {
  const run = (ids: readonly string[]) =>
    traceOf("Close the tickets and mail the one about billing", [
      ["list_tickets", {}, { tickets: ids.map((id) => ({ id })) }],
      ...ids.map(
        (id, index) =>
          [
            "close_ticket",
            { ticket: id },
            { topic: index === 1 ? "billing" : `other ${index}`, owner: `mail${id}@example.com` },
          ] as const,
      ),
      ["send_mail", { to: `mail${ids[1]}@example.com` }, null],
    ]);
  const a = run(["t-1001", "t-1002", "t-1003"]);
  const code = await replayed(replayer, learned([a]), a, [a, run(["t-2001", "t-2002"])]);
  expect(code).toContain("for (const ticket of listOf(tickets.tickets)) {");
});

test("records are taken over with the fields that the call wants", async () => {
  const run = (numbers: readonly string[]) =>
    traceOf("Upgrade my trip EHG1P3 to business", [
      [
        "get_trip",
        { trip: "EHG1P3" },
        { legs: numbers.map((number, index) => ({ number, date: `2024-05-1${index}`, price: 99 + index })) },
      ],
      [
        "update_trip",
        {
          trip: "EHG1P3",
          cabin: "business",
          flights: numbers.map((number, index) => ({ flight_number: number, date: `2024-05-1${index}` })),
        },
        null,
      ],
    ]);
  const a = run(["HAT101", "HAT102"]);
  const synthesis = learned([a]);
  expect(paramNames(synthesis)).toEqual(["trip", "cabin"]);
  await replayed(replayer, synthesis, a, [a, run(["HAT777"])]);
});

test("a text is composed of earlier values, and cut out of one", async () => {
  const run = (first: string, last: string, code: string) =>
    traceOf("Greet the guest", [
      ["get_guest", {}, { first_name: first, last_name: last, note: `code: ${code}; done` }],
      ["greet", { name: `${last}, ${first}` }, null],
      ["use_code", { code }, null],
    ]);
  const a = run("Ada", "Silva", "XK-4471");
  const synthesis = learned([a]);
  expect(paramNames(synthesis)).toEqual([]);
  await replayed(replayer, synthesis, a, [a, run("Leo", "Brandt", "QQ-9001")]);
});

test("a date is brought into another form; days apart are only believed when several runs agree", async () => {
  const run = (start: string, end: string) =>
    traceOf("Book it", [
      ["get_event", {}, { start: `${start}T10:30:00` }],
      ["book_room", { day: start, until: end }, null],
    ]);
  const a = run("2024-05-30", "2024-06-02");
  const b = run("2024-12-30", "2025-01-02");
  expect(paramNames(learned([a]))).toEqual(["until"]);
  const synthesis = learned([a, b]);
  expect(paramNames(synthesis)).toEqual([]);
  await replayed(replayer, synthesis, a, [a, b, run("2023-02-27", "2023-03-02")]);
});

test("a calculation is believed when several runs agree, and is an alternative before", async () => {
  const run = (price: number, tax: number) =>
    traceOf("Pay", [
      ["get_bill", {}, { price, tax }],
      ["pay", { amount: price + tax }, null],
    ]);
  const [a, b] = [run(120, 17), run(64, 9)];
  const alone = learned([a]);
  expect(paramNames(alone)).toEqual(["amount"]);
  expect(alone.choices.find(({ path }) => path[0] === "amount")?.alternatives[0]?.kind).toBe("arithmetic");
  const synthesis = learned([a, b]);
  expect(paramNames(synthesis)).toEqual([]);
  await replayed(replayer, synthesis, a, [a, b, run(1000, 1)]);
});

test("what several runs have in common stays, where one run alone could be either", async () => {
  const run = (owner: string, editor: string, mode: string) =>
    traceOf("Send it", [
      ["get_file", { path: "a.txt" }, { owner, editor }],
      ["send", { to: owner, mode, format: "plain" }, null],
    ]);
  const a = run("u-10001", "u-10001", "fast");
  const b = run("u-20002", "u-30003", "slow");
  const synthesis = learned([a, b]);
  expect(paramNames(synthesis)).toEqual(["mode"]);
  const code = await replayed(replayer, synthesis, a, [a, b]);
  expect(code).toContain(`to: ofKind(file.owner, "numbered", "owner")`);
  expect(code).toContain(`format: "plain"`);
});

const twoActs = (first: string, payment: string, second: string, other: string) =>
  traceOf(`Exchange ${first} and return ${second}`, [
    ["exchange_order", { order_id: first, payment_id: payment }, null],
    ["return_order", { order_id: second, payment_id: other }, null],
  ]);

test("what two acts have in common by chance is the second one's own parameter, which may be left out", async () => {
  const a = twoActs("#W1000001", "card_7001", "#W1000002", "card_7001");
  const synthesis = learned([a]);
  expect(paramNames(synthesis)).toEqual([
    "exchange_order_id",
    "exchange_payment_id",
    "return_order_id",
    "return_payment_id",
  ]);
  const own = synthesis.plan.params.find(({ name }) => name === "return_payment_id");
  expect(own).toMatchObject({ optional: true, sameAs: { call: 0, path: ["payment_id"] } });
  const same = twoActs("#W2000001", "card_8001", "#W2000002", "card_8001");
  const other = twoActs("#W3000001", "card_9001", "#W3000002", "gift_9002");
  expect(inputFor(synthesis.plan, a, same)).not.toHaveProperty("return_payment_id");
  expect(inputFor(synthesis.plan, a, other)).toHaveProperty("return_payment_id", "gift_9002");
  const code = await replayed(replayer, synthesis, a, [a, same, other]);
  expect(code).toContain("payment_id: input.return_payment_id ?? input.exchange_payment_id");
});

test("what two acts have in common in every run is one parameter", async () => {
  const a = twoActs("#W1000001", "card_7001", "#W1000002", "card_7001");
  const b = twoActs("#W2000001", "card_8001", "#W2000002", "card_8001");
  const synthesis = learned([a, b]);
  expect(paramNames(synthesis)).toEqual(["exchange_order_id", "payment_id", "return_order_id"]);
  await replayed(replayer, synthesis, a, [a, b]);
});

test("what the calls are about is one parameter, and so is what they look up", async () => {
  const run = (order_id: string, user_id: string) =>
    traceOf(`Change ${order_id} of ${user_id}`, [
      ["get_user", { user_id }, { name: "Ada" }],
      ["set_address", { order_id, user_id, street: "Elm Road" }, null],
      ["set_payment", { order_id, user_id }, null],
    ]);
  const a = run("#W1000001", "ada_1001");
  const synthesis = learned([a]);
  expect(paramNames(synthesis)).toEqual(["user_id", "order_id", "street"]);
  await replayed(replayer, synthesis, a, [a, run("#W2000001", "leo_2002")]);
});

test("arguments of one call that are equal are not one thing: the later may be given another value", async () => {
  const run = (day: string, until: string) =>
    traceOf(`Book from ${day} until ${until}`, [["book", { day, until }, null]]);
  const a = run("2024-05-01", "2024-05-01");
  const synthesis = learned([a]);
  expect(synthesis.plan.params.map(({ name, optional = false }) => [name, optional])).toEqual([
    ["day", false],
    ["until", true],
  ]);
  await replayed(replayer, synthesis, a, [
    a,
    run("2024-06-01", "2024-06-01"),
    run("2024-06-01", "2024-06-09"),
  ]);
});

test("a list that is equal to one found in a result may be given, and is not searched for then", async () => {
  const run = (name: string, found: string, wanted: string) =>
    traceOf(`Exchange the ${name}`, [
      [
        "get_order",
        { order_id: "#W1000001" },
        order("#W1000001", "ada_1001", [
          [name, found],
          ["Tent", "9000012"],
        ]),
      ],
      ["exchange_items", { order_id: "#W1000001", item_ids: [found], new_item_ids: [wanted] }, null],
    ]);
  const a = run("Lamp", "9000011", "9000011");
  const code = await replayed(replayer, learned([a]), a, [
    a,
    run("Stove", "9000044", "9000044"),
    run("Kettle", "9000033", "9000099"),
  ]);
  expect(code).toContain("new_item_ids: input.new_item_ids");
});

test("what the skill gives is a choice too", () => {
  const { plan, choices } = learned([
    traceOf("", [
      ["get_report", {}, { text: "x" }],
      ["send_note", { to: "ada_1001" }, { ok: true }],
    ]),
  ]);
  expect(choices.at(-1)).toMatchObject({
    step: "return",
    chosen: plan.output.value,
    alternatives: [{ kind: "ref", name: "report" }],
  });
});

test("an argument that some runs leave out may be left out", async () => {
  const run = (more: { readonly limit?: number }) =>
    traceOf("Search", [["search", { query: `q${JSON.stringify(more)}`, ...more }, []]]);
  const [a, b] = [run({ limit: 5 }), run({})];
  const synthesis = learned([a, b]);
  expect(synthesis.plan.params.find(({ name }) => name === "limit")?.optional).toBe(true);
  await replayed(replayer, synthesis, a, [a, b]);
});

test("calls that not all runs made are left out, and said to be", () => {
  const a = traceOf("", [
    ["look_at", { id: "x-10001" }, {}],
    ["get_weather", {}, {}],
    ["act", { on: "x-10001" }, null],
  ]);
  const b = traceOf("", [
    ["look_at", { id: "x-20002" }, {}],
    ["act", { on: "x-20002" }, null],
  ]);
  const { plan, dropped } = learned([a, b]);
  expect(plan.steps.map((step) => (step.kind === "call" ? step.tool : step.kind))).toEqual([
    "look_at",
    "act",
  ]);
  expect(dropped).toContainEqual({ trace: 0, call: 1, reason: "not-in-all", isDropped: true });
});

test("a failed call that was tried again is left out; another one is made again and must fail so again", async () => {
  const retried = traceOf("", [
    ["open_file", { path: "a b" }, "no", "no such file"],
    ["open_file", { path: "a_b" }, { text: "x" }],
  ]);
  const a = {
    ...retried,
    calls: retried.calls.map((call, index) => (index === 0 ? { ...call, retriedBy: 1 } : call)),
  };
  const { plan, dropped } = learned([a]);
  expect(plan.steps).toHaveLength(1);
  expect(dropped).toContainEqual({ trace: 0, call: 0, reason: "retried", isDropped: true });
  const code = await replayed(replayer, learned([retried]), retried, [retried]);
  expect(code).toMatch(/await mustFail\(\s*"openFileResult \(open_file\)",\s*call_tool\("open_file"/);
});

test("a look at something that nothing uses is proposed to be dropped, never dropped", () => {
  const a = traceOf("", [
    ["get_news", {}, { text: "x" }],
    ["get_id", {}, { id: "k-10001" }],
    ["act", { id: "k-10001" }, null],
  ]);
  const { plan, dropped } = learned([a]);
  expect(plan.steps).toHaveLength(3);
  expect(dropped).toEqual([{ trace: 0, step: "news", reason: "unused", isDropped: false }]);
});

test("where runs went another way, and not in one way, the skill stops at what told them apart", async () => {
  const run = (id: string, status: string, act: string) =>
    traceOf(`About ${id}`, [
      ["get_order", { order_id: id }, { order_id: id, status, total: 5 }],
      [act, { order_id: id }, { done: true }],
    ]);
  const a = run("#W1000001", "pending", "cancel_order");
  const b = run("#W1000002", "pending", "cancel_order");
  const c = run("#W1000003", "delivered", "return_order");
  const d = run("#W1000004", "processed", "return_order");
  const synthesis = learned([a, c, b, d]);
  expect(synthesis.from).toEqual([0, 2]);
  expect(synthesis.contrasts).toEqual([1, 3]);
  const code = await replayed(replayer, synthesis, a, [a, b]);
  expect(code).toContain(`if (!isSame(order.status, "pending"))`);
  const { fault } = await replayer.replay(code, { order_id: "#W1000003" }, c);
  expect(fault).toContain("is not one that the skill was learned from");
});

test("a credential is no constant, no default and no example", () => {
  const secret = "hunter2-9f8e7d6c5b4a";
  const run = (user: string) =>
    traceOf("", [
      [
        "login",
        { username: user, password: secret, api_key: "sk-proj-aaaaaaaaaaaaaaaaaaaaaaaa" },
        { session_token: "tok-777-aaaa" },
      ],
      ["post", { session_token: "tok-777-aaaa" }, null],
    ]);
  for (const traces of [[run("ada_1")], [run("ada_1"), run("leo_2")]]) {
    const synthesis = learned(traces);
    const text = JSON.stringify(synthesis) + skillCode(synthesis.plan);
    expect(text).not.toContain(secret);
    expect(text).not.toContain("sk-proj-");
    expect(text).not.toContain("tok-777");
    expect(synthesis.plan.params.find(({ name }) => name === "password")?.secret).toBe(true);
  }
});

test("every argument says where it is from and why", () => {
  const a = traceOf("order #W1000001", [
    ["get_order", { order_id: "#W1000001" }, { user_id: "ada_1001", buyer: { id: "ada_1001" } }],
    ["get_user", { user_id: "ada_1001" }, {}],
  ]);
  const choice = learned([a]).choices.find(({ path }) => path[0] === "user_id");
  expect(choice?.chosen).toEqual({ kind: "field", of: { kind: "ref", name: "order" }, path: ["user_id"] });
  expect(choice?.alternatives).toContainEqual({
    kind: "field",
    of: { kind: "ref", name: "order" },
    path: ["buyer", "id"],
  });
  expect(choice?.why).toBe("it stands in an earlier result");
});

test.each([
  ["no trace", []],
  ["a trace without calls", [traceOf("", [])]],
  ["traces with nothing in common", [traceOf("", [["get_a", {}, null]]), traceOf("", [["get_b", {}, null]])]],
])("refuses %s", (_, traces) => {
  expect(synthesise(traces)).toMatchObject({ ok: false, error: { code: "INPUT_INVALID" } });
});

test("refuses more calls than the limit", () => {
  const long = traceOf(
    "",
    Array.from({ length: 1001 }, () => ["get_a", {}, null] as const),
  );
  expect(synthesise([long])).toMatchObject({ ok: false, error: { code: "INPUT_TOO_LARGE" } });
});

test("a parameter has the schema that the tool declares for it, and where it declares none, that of its values", () => {
  const run = traceOf("Find order W1001 in the state open", [
    ["shop.find", { order: "W1001", state: "open" }, { found: true }],
  ]);
  const state = { type: "string", enum: ["open", "closed"] };
  const declared = { name: "shop.find", inputSchema: { type: "object", properties: { state } } };
  const schemas = (synthesis: Synthesis) =>
    Object.fromEntries(synthesis.plan.params.map(({ name, schema }) => [name, schema]));
  expect(schemas(learned([run], { tools: [declared] }))).toEqual({ order: { type: "string" }, state });
  expect(schemas(learned([run]))).toEqual({ order: { type: "string" }, state: { type: "string" } });
});
