import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import type { RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import { runner } from "../shared-threads.ts";
import { learned, paramNames, traceOf, type Told } from "./learned.ts";
import { callsIn, type WorldTools } from "./live.ts";

const questions = (...runs: Parameters<typeof learned>[0]) =>
  (learned(runs).plan.questions ?? []).map(({ kind, step, path }) => [kind, step, ...path].join(" "));

describe("arguments under unlike names that are equal in a run", () => {
  const shift = (begin: string, end: string, newBegin: string, newEnd: string) =>
    traceOf(`Book room R-10431 from ${begin} until ${end}, then have it an hour earlier`, [
      ["rooms.book", { room: "R-10431", start_time: begin, end_time: end }, { ok: true }],
      ["rooms.shift", { room: "R-10431", new_start_time: newBegin, new_end_time: newEnd }, { ok: true }],
    ]);
  const run = shift("10:00", "11:00", "09:00", "10:00");

  const world: WorldTools = { "rooms.book": () => ({ ok: true }), "rooms.shift": () => ({ ok: true }) };

  test("are parameters of their own, with the question whether they are one", () => {
    const { choices } = learned([run]);
    expect(paramNames(learned([run]))).toEqual([
      "room",
      "start_time",
      "end_time",
      "new_start_time",
      "new_end_time",
    ]);
    expect(questions(run)).toEqual(["source shiftResult new_end_time"]);
    expect(choices.find(({ question }) => question === "source")?.alternatives).toContainEqual({
      kind: "param",
      name: "start_time",
    });
  });

  test("are what another caller gives for each", async () => {
    const input = {
      room: "R-20555",
      start_time: "14:00",
      end_time: "14:30",
      new_start_time: "13:00",
      new_end_time: "13:30",
    };
    const made = await callsIn(runner, learned([run]).plan, world, input);
    expect(made.at(-1)).toBe(
      'rooms.shift {"room":"R-20555","new_start_time":"13:00","new_end_time":"13:30"}',
    );
  });

  test("are one where another run has another value and they are equal there, too", () => {
    const other = shift("15:00", "16:00", "14:00", "15:00");
    expect(paramNames(learned([run, other]))).not.toContain("new_end_time");
    expect(questions(run, other)).not.toContain("source shiftResult new_end_time");
  });

  test("are not one because another run has the same value again", () => {
    expect(paramNames(learned([run, { ...run, id: "again" }]))).toContain("new_end_time");
  });

  const pair = (task: string, first: JsonObject, second: JsonObject, firstTool = "shop.order") =>
    learned([
      traceOf(task, [
        [firstTool, first, null],
        ["shop.note", second, null],
      ]),
    ]);

  test.each<[string, Json]>([
    ["a day", "2026-05-01"],
    ["a day as others write it", "01.05.2026"],
    ["a moment", "2026-05-01T10:00:00Z"],
    ["an hour", "10 am"],
    ["an amount", 19.99],
    ["an amount as text", "$19.99"],
    ["a round number", 15000],
    ["a small number", 3],
    ["a flag", true],
    ["a word", "High"],
    ["a list of little", [3]],
    ["an empty list", []],
  ])("may be so by chance: %s", (_, value) => {
    const { plan } = pair("Do it", { left: value }, { right: value });
    expect(plan.params.map(({ name }) => name)).toEqual(["left", "right"]);
  });

  test.each<[string, Json]>([
    ["an id", "R-10431"],
    ["a number that is an id", 7204519],
    ["a long text", "Please leave it at the door"],
    ["an address", "ann@shop.example"],
    ["a file", "report-2024.txt"],
    ["a person with both names", "Ann Miller"],
  ])("are one thing where that cannot be chance: %s", (_, value) => {
    expect(paramNames(pair("Do it", { left: value }, { right: value }))).toHaveLength(1);
  });

  test("are one thing where one name is short for the other", () => {
    const { plan } = pair("Do it", { number: 4711 }, { order_number: 4711 }, "shop.get_order");
    expect(plan.params).toHaveLength(1);
    const renamed = pair("Do it", { price: 19.99 }, { new_price: 19.99 }, "shop.order");
    expect(paramNames(renamed)).toEqual(["price", "new_price"]);
  });

  test("are one thing where the task says a word once, and not where it says it twice", () => {
    const [first, second] = [{ destination: "Rome" }, { city: "Rome" }];
    expect(paramNames(pair("Fly to Rome and sleep there", first, second))).toHaveLength(1);
    expect(paramNames(pair("Fly to Rome and write to Rome", first, second))).toHaveLength(2);
  });

  test("may be two names for two acts where the task says each, and an id is one thing", () => {
    const trade = (task: string, symbol: string) =>
      learned([
        traceOf(task, [
          ["market.unwatch", { symbol }, null],
          ["market.buy", { symbol, lots: 7 }, null],
        ]),
      ]);
    const twice = trade("Take BDXQ off my list. Then buy 7 lots of BDXQ.", "BDXQ").plan;
    const optional = twice.params.filter((param) => param.optional === true);
    expect(optional).toHaveLength(1);
    expect(twice.questions).toMatchObject([{ kind: "source", step: "buyResult", path: ["symbol"] }]);
    expect(paramNames(trade("Take BDXQ off my list, then buy 7 lots.", "BDXQ"))).toHaveLength(2);
    const id = trade("Take S-100455 off my list. Then buy 7 lots of S-100455.", "S-100455");
    expect(paramNames(id)).toHaveLength(2);
  });

  test("are never what is set anew where nobody says it", () => {
    const change = { items: ["it-10023", "it-10024"], new_items: ["it-10023", "it-10024"] };
    const { plan } = learned([traceOf("Change them", [["shop.modify", change, null]])]);
    expect(plan.params.map(({ name, optional }) => [name, optional])).toEqual([
      ["items", undefined],
      ["new_items", undefined],
    ]);
  });

  test("are asked about once for each name", () => {
    const calls: readonly Told[] = [
      ["rooms.book", { start: "10:00" }, null],
      ["rooms.shift", { finish: "10:00" }, null],
      ["rooms.tell", { finish: "10:00", room: "R-10431" }, null],
    ];
    expect(paramNames(learned([traceOf("Do it", calls)])).slice(0, 2)).toEqual(["start", "finish"]);
    expect(questions(traceOf("Do it", calls))).toContain("source shiftResult finish");
  });
});

describe("an argument that is equal to what an answer has under an unlike name", () => {
  const run = (id: string, told: Json, given: Json, field = "opened"): RecordedTrace =>
    traceOf(
      `Put off ${id}`,
      [
        ["desk.get_case", { id }, { id, [field]: told, owner: "Ann Miller" }],
        ["desk.put_off", { id, due: given }, null],
      ],
      id,
    );

  test.each<[string, Json]>([
    ["a day", "2026-05-01"],
    ["an hour", "10:00"],
    ["an amount", 19.99],
  ])("may be so by chance, and is asked about: %s", (_, value) => {
    const { choices } = learned([run("C-10431", value, value)]);
    const asked = choices.find(({ path }) => path[0] === "due");
    expect(asked?.question).toBe("source");
    const kinds = [asked?.chosen, ...(asked?.alternatives ?? [])].map((each) => each?.kind);
    expect(new Set(kinds)).toEqual(new Set(["param", "field"]));
  });

  test("may be so by chance where the names share a word alone", () => {
    const { choices } = learned([
      traceOf("Have E-10431 when E-20555 is over", [
        ["calendar.get_event", { event_id: "E-20555" }, { event_id: "E-20555", end_time: "10:00" }],
        ["calendar.shift", { event_id: "E-10431", new_start_time: "10:00" }, null],
      ]),
    ]);
    expect(choices.find(({ path }) => path[0] === "new_start_time")?.question).toBe("source");
  });

  test("is no question where the names are alike, or another run has another value", () => {
    expect(questions(run("C-10431", "2026-05-01", "2026-05-01", "due"))).toEqual([]);
    const runs = [run("C-10431", "2026-05-01", "2026-05-01"), run("C-20555", "2026-06-02", "2026-06-02")];
    expect(questions(...runs)).toEqual([]);
  });

  test("is never taken for a flag or for nothing", () => {
    for (const value of [true, false, null])
      expect(paramNames(learned([run("C-10431", value, value)]))).toContain("due");
  });
});

test("a credential that is not recorded is one for all calls to a server that give it one name", () => {
  const access_token = "[redacted:named-secret]";
  const { plan } = learned([
    traceOf("Book seat 14C, and buy milk.", [
      ["rail.book_seat", { access_token, seat: "14C" }, { booking_id: "bk-77104" }],
      ["rail.confirm", { access_token, booking_id: "bk-77104" }, null],
      ["shop.buy", { access_token, item: "milk" }, null],
    ]),
  ]);
  expect(plan.params.flatMap(({ name, secret }) => (secret === true ? [name] : []))).toHaveLength(2);
});

describe("a setting that all calls of a tool have", () => {
  const FOLDERS = ["Alder", "Birch", "Cedar"];
  /** Each is closed after something else was done, so that no loop is made of it. */
  const closing = (...flags: readonly boolean[]) =>
    traceOf(
      "Tidy up",
      flags.flatMap((archived, at): readonly Told[] => [
        ["desk.close", { folder: FOLDERS[at] ?? "", archived, style: "quiet" }, { ok: true }],
        [`desk.step_${at}`, {}, { ok: true }],
      ]),
    );

  test("is one parameter, wherever it stands", () => {
    const { plan } = learned([closing(true, true, true)]);
    const own = plan.params.filter(({ example }) => typeof example === "boolean");
    expect(own).toMatchObject([{ name: "archived", example: true }]);
    expect(own[0]?.origins).toHaveLength(3);
    expect(own[0]?.optional).toBeUndefined();
    expect(plan.params.filter(({ example }) => example === "quiet")).toHaveLength(1);
  });

  test("is several where the task says it of each", () => {
    const words = ["red", "red", "red"].map((color, at) => `a ${color} mark on ${FOLDERS[at]}`);
    const marks = FOLDERS.flatMap((folder, at): readonly Told[] => [
      ["desk.mark", { folder, color: "red" }, { ok: true }],
      [`desk.step_${at}`, {}, { ok: true }],
    ]);
    const { plan } = learned([traceOf(`Put ${words.join(", ")}`, marks)]);
    expect(plan.params.filter(({ example }) => example === "red")).toHaveLength(3);
    const rounds = FOLDERS.map((folder): Told => ["desk.mark", { folder, color: "red" }, { ok: true }]);
    const looped = learned([traceOf(`Put ${words.join(", ")}`, rounds)]).plan.params;
    expect(looped).toMatchObject([{ example: FOLDERS.map((folder) => ({ folder, color: "red" })) }]);
  });

  test.each([
    ["that one call has otherwise", [true, true, false]],
    ["of only two, which may be equal by chance,", [true, true]],
  ])("is several where it is one %s", (_, flags) => {
    const { plan } = learned([closing(...flags)]);
    expect(plan.params.filter(({ example }) => typeof example === "boolean")).toHaveLength(flags.length);
  });
});

describe("what an act has of a look at a thing", () => {
  const wish = "Remove BDX from my list, and buy 150 shares of BDX at what they cost.";
  const run = traceOf(wish, [
    ["stocks.remove", { symbol: "BDX" }, { ok: true }],
    ["stocks.get_price", { symbol: "BDX" }, { price: 250.5 }],
    ["stocks.order", { symbol: "BDX", amount: 150, price: 250.5 }, { order: 12_446 }],
  ]);

  test("is of the thing that the act is about, though another act names it, too", async () => {
    const { plan } = learned([run]);
    const symbols = plan.params.flatMap(({ name }) => (/symbol/.test(name) ? [name] : []));
    expect(symbols).toEqual(["symbol"]);
    const price = ({ symbol }: JsonObject): Json => ({ price: symbol === "BDX" ? 250.5 : 10.25 });
    const world: WorldTools = {
      "stocks.remove": () => ({ ok: true }),
      "stocks.get_price": price,
      "stocks.order": () => ({ order: 1 }),
    };
    const made = await callsIn(runner, plan, world, { symbol: "OMEG", amount: 5 });
    expect(made.at(-1)).toBe('stocks.order {"symbol":"OMEG","amount":5,"price":10.25}');
  });
});

test("what an answer told in one run alone is no constant of all", () => {
  const wish = "Give me the mean of the price and the moving average of AAPL";
  const [one, two] = [227.11, [234.3, 212.4]].map((average, nth) =>
    traceOf(
      wish,
      [
        ["stocks.get_stock", { symbol: "AAPL" }, { price: 227.16, average }],
        ["math.get_mean", { numbers: [227.16, 227.11] }, { result: 227.135 }],
      ],
      `run-${nth}`,
    ),
  );
  if (!one || !two) throw new Error("there are two runs");
  const { plan } = learned([one, two]);
  expect(JSON.stringify(plan.steps)).not.toContain("227.11");
  expect(plan.params.map(({ example }) => example)).toContain(227.11);
});
