import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { replay } from "../../../src/learn/verify/replay.ts";
import { type Twin, twinOf } from "../../../src/learn/verify/twin.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { EXCHANGE_INPUT, EXCHANGES, exchangeTrace, SHOP_TOOLS } from "./shop.ts";
import { runner } from "../../shared-threads.ts";

const skills = skillSet(
  EXCHANGES,
  Object.fromEntries(Object.keys(EXCHANGES).map((name) => [name, SHOP_TOOLS])),
);

async function passes(name: string, trace: RecordedTrace, input: Json): Promise<boolean> {
  return (await replay({ runner, skills, name }, trace, { input })).difference === undefined;
}

describe("a skill that replays its own trace", () => {
  test.each([
    ["derived", true],
    ["by-place", false],
    ["by-price", false],
    ["by-heart", false],
  ])("and is %s passes twins: %s", async (name, isSound) => {
    const trace = exchangeTrace();
    expect(await passes(name, trace, EXCHANGE_INPUT)).toBe(true);
    const passed = [];
    for (const seed of [1, 2, 3, 4, 5]) {
      const twin = twinOf(trace, { seed });
      passed.push(await passes(name, twin.trace, twin.translate(EXCHANGE_INPUT)));
    }
    expect(passed.every(Boolean)).toBe(isSound);
  });
});

describe("a twin", () => {
  const trace = exchangeTrace();
  const twin = twinOf(trace, { seed: 7 });
  const result = (of: Twin, call: number): JsonObject => of.trace.calls[call]?.result as JsonObject;

  test("is the same for the same seed, and another for another", () => {
    expect(twinOf(trace, { seed: 7 }).trace).toEqual(twin.trace);
    expect(twinOf(trace, { seed: 8 }).trace).not.toEqual(twin.trace);
  });

  test("has other ids in the same form, also inside of texts and as keys", () => {
    const { args = {} } = twin.trace.calls[4] ?? {};
    expect(args["order_id"]).toMatch(/^#W\d{7}$/);
    expect(args["order_id"]).not.toBe("#W5442520");
    expect(args["payment"]).toMatch(/^credit_card_\d{7}$/);
    expect(args["note"]).toBe(
      `Exchange for ${text(result(twin, 0)["user_id"])} of order ${text(args["order_id"])}`,
    );
    expect(Object.keys(result(twin, 1)["payment_methods"] as JsonObject)).toContain(args["payment"]);
    expect(twin.trace.task).toContain(args["order_id"]);
  });

  test("names a file alike where its name stands behind a number", () => {
    const calls = [
      { tool: "list", args: {}, result: { files: [{ name: "letter.txt" }, { name: "scan.txt" }] } },
      { tool: "read", args: { path: "/in/letter.txt" }, result: { invoice: "INV-3771" } },
      { tool: "move", args: { to: "/in/INV-3771-letter.txt" }, result: null },
    ];
    const renamed = twinOf({ id: "files", calls }, { seed: 1 });
    const { files } = result(renamed, 0) as { readonly files: readonly JsonObject[] };
    const names = files.map((file) => text(file["name"]));
    const invoice = text(result(renamed, 1)["invoice"]);
    expect(names).not.toContain("letter.txt");
    expect(names.map((name) => `/in/${invoice}-${name}`)).toContain(renamed.trace.calls[2]?.args["to"]);
  });

  test("names a file alike where it gets another ending", () => {
    const calls = [
      { tool: "list", args: {}, result: { files: [{ name: "dog.jpeg" }, { name: "cat.png" }] } },
      { tool: "move", args: { from: "/in/dog.jpeg", to: "/in/dog.jpg" }, result: null },
    ];
    const { from, to } = twinOf({ id: "files", calls }, { seed: 1 }).trace.calls[1]?.args ?? {};
    expect(from).not.toBe("/in/dog.jpeg");
    expect(to).toBe(text(from).replace(".jpeg", ".jpg"));
  });

  test("has other codes in cells beside numbers", () => {
    const calls = [
      { tool: "read", args: {}, result: "name,room,phone\nAnn Lee,12,555-01\nBo Xu,14,555-02\n" },
      { tool: "call", args: { phone: "555-01" }, result: null },
    ];
    const [read, called] = twinOf({ id: "phones", calls }, { seed: 1 }).trace.calls;
    expect(called?.args["phone"]).not.toBe("555-01");
    expect(read?.result).toContain(`Ann Lee,12,${text(called?.args["phone"])}\n`);
  });

  test("names the same person everywhere", () => {
    const { args = {} } = twin.trace.calls[0] ?? {};
    const [first, last] = [text(args["first_name"]), text(args["last_name"])];
    expect(first).toMatch(/^[A-Z][a-z]{5}$/);
    expect(first).not.toBe("Olivia");
    expect(result(twin, 1)["email"]).toBe(`${first}.${last}@example.com`.toLowerCase());
    expect(result(twin, 0)["user_id"]).toMatch(new RegExp(`^${first}_${last}_\\d{4}$`, "i"));
    expect(twin.trace.task).toContain(`You are ${first} ${last}, zip ${text(args["zip"])}`);
  });

  test("keeps words, dates, and what is true or false", () => {
    const { status, placed, items } = result(twin, 2);
    expect({ status, placed }).toEqual({ status: "delivered", placed: "2024-05-14" });
    const names = (items as readonly JsonObject[]).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(["Gaming Mouse", "Hiking Boots", "Patio Umbrella"]));
    expect(names).not.toEqual(["Gaming Mouse", "Patio Umbrella", "Hiking Boots"]);
  });

  test("has other prices, of which the cheapest is still the cheapest", () => {
    const pricesOf = (of: JsonObject): readonly (readonly [string, number])[] =>
      (of["items"] as readonly JsonObject[]).map(({ name, price }) => [text(name), Number(price)] as const);
    const byPrice = (of: JsonObject): readonly string[] =>
      pricesOf(of)
        .toSorted(([, a], [, b]) => a - b)
        .map(([name]) => name);
    const order = trace.calls[2]?.result as JsonObject;
    expect(byPrice(result(twin, 2))).toEqual(byPrice(order));
    const before = new Set(pricesOf(order).map(([, price]) => price));
    expect(pricesOf(result(twin, 2)).filter(([, price]) => before.has(price))).toEqual([]);
  });

  test("keeps numbers where an argument may have been computed", () => {
    const [first, ...rest] = trace.calls;
    if (!first) throw new Error("the trace has calls");
    const computing = { ...trace, calls: [...rest, { ...first, args: { total: 378.19 } }] };
    expect(twinOf(computing, { seed: 1 }).changed.numbers).toBe(0);
    expect(twinOf(trace, { seed: 1 }).changed.numbers).toBeGreaterThan(3);
    expect(twinOf(trace, { seed: 1, keptNumbers: "all" }).changed.numbers).toBe(0);
  });

  test("shows where a value still holds an id of the first run", () => {
    expect(twin.staleId({ done: ["#W5442520 is done"] })).toMatchObject({ path: "/done/0" });
    expect(twin.staleId(result(twin, 4))).toBeUndefined();
  });
});

describe("the order of a list stays", () => {
  const listed = (items: readonly JsonObject[], ...later: readonly JsonObject[]): Twin =>
    twinOf(
      {
        id: "list",
        calls: [
          { tool: "list", args: {}, result: { items } },
          ...later.map((args) => ({ tool: "use", args, result: null })),
        ],
      },
      { seed: 3 },
    );
  const items = ["ax-1001", "ax-1002", "ax-1003", "ax-1004"].map((id) => ({ id, name: `Thing ${id}` }));
  const ids = items.map(({ id }) => id);

  test("where an argument goes through all of it", () => {
    expect(listed(items, { ids }).changed.reordered).toBe(0);
    expect(listed(items, { text: `About ${ids.join(", ")}.` }).changed.reordered).toBe(0);
    expect(listed(items, { ids: ids.toReversed() }).changed.reordered).toBe(1);
    expect(listed(items, ...ids.map((id) => ({ id }))).changed.reordered).toBe(1);
  });

  test("where an argument goes through it behind others that share its words", () => {
    const flights = [
      { number: "HX-1001", from: "LUND", to: "OSLO" },
      { number: "HX-2002", from: "OSLO", to: "BERN" },
    ];
    const chosen = flights.map(({ number }) => ({ number, day: "2026-05-01" }));
    const booking = { to: "BERN", from: "LUND", flights: chosen };
    expect(listed(flights, booking).changed.reordered).toBe(0);
    expect(listed(flights, { ...booking, flights: chosen.toReversed() }).changed.reordered).toBe(1);
  });

  test("where an argument goes through it by names of two letters", () => {
    const people = [{ name: "Al" }, { name: "Bo" }, { name: "Cy" }];
    const relations = people.map(({ name }) => ({ from: name, to: "Albo" }));
    expect(listed(people, { relations }).changed.reordered).toBe(0);
    expect(listed(people, { relations: relations.toReversed() }).changed.reordered).toBe(1);
  });

  test("where a text's rows are gone through, which are also its lines", () => {
    const rows = items.map(({ id }) => ({ id, mail: `${id}@example.org` }));
    const lines = rows.map(({ id, mail }) => ({ line: `${id},${mail}` }));
    const text = lines.map(({ line }) => line).join("\n");
    const result = { text, rows, lines };
    const content = rows.map(({ mail }) => mail).join("\n");
    const of = (args: JsonObject): number =>
      twinOf(
        {
          id: "rows",
          calls: [
            { tool: "read", args: {}, result },
            { tool: "use", args, result: null },
          ],
        },
        { seed: 3 },
      ).changed.reordered;
    expect(of({ content })).toBe(0);
    expect(of({ title: "Nothing of these" })).toBe(2);
  });

  test("where the answer to the call that goes through it tells all of it again", () => {
    const lines = items.map(({ id }, index) => ({ id, count: 3 + index }));
    const order = { tool: "order", args: { lines }, result: { order: { items } } };
    const listing = { tool: "list", args: {}, result: { items } };
    const { changed } = twinOf({ id: "again", calls: [listing, order] }, { seed: 3 });
    expect(changed.reordered).toBe(0);
  });

  test("where an argument says it, whatever the order", () => {
    const echoed = twinOf(
      {
        id: "echo",
        calls: [
          { tool: "pick", args: { ids }, result: { picked: ids, rest: [{ id: "q-1" }, { id: "q-2" }] } },
        ],
      },
      { seed: 1 },
    );
    const [call] = echoed.trace.calls;
    expect(call?.result).toMatchObject({ picked: call?.args["ids"], rest: [{ id: "q-2" }, { id: "q-1" }] });
  });

  test("where it is sorted by time or rank", () => {
    const dated = items.map((item, index) => ({ ...item, created_at: `2024-0${index + 1}-01` }));
    expect(listed(dated).changed.reordered).toBe(0);
    expect(listed(dated.toReversed()).changed.reordered).toBe(0);
    expect(listed(items.map((item, index) => ({ ...item, rank: 10 - index }))).changed.reordered).toBe(0);
    expect(listed(items).changed.reordered).toBe(1);
  });
});

describe("for any trace", () => {
  const word = fc.constantFrom("Olivia", "Noah", "pending", "Denver", "credit", "Ito", "will", "x");
  const id = fc.oneof(
    fc.integer({ min: 1000, max: 99_999_999 }).map(String),
    fc
      .tuple(fc.constantFrom("#W", "USR", "user_", "credit_card_"), fc.integer({ min: 1, max: 99_999 }))
      .map(([a, b]) => `${a}${b}`),
    fc.uuid(),
    fc.emailAddress(),
  );
  const leaf: fc.Arbitrary<Json> = fc.oneof(
    word,
    id,
    fc.tuple(word, id).map((parts) => parts.join(" ")),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
    fc.integer({ min: 0, max: 50_000 }),
    fc.boolean(),
    fc.constant(null),
  );
  const value = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.constantFrom("id", "name", "user_id", "__proto__"), id), tie("value"), {
        maxKeys: 4,
      }),
    ),
  })).value;
  const trace: fc.Arbitrary<RecordedTrace> = fc
    .array(
      fc.record({
        tool: fc.constantFrom("a", "b"),
        args: fc.dictionary(word, value, { maxKeys: 3 }),
        result: value,
      }),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((calls) => ({ id: "any", task: "Olivia and #W123", calls }));

  test("renaming is one to one and keeps the form", () => {
    fc.assert(
      fc.property(trace, fc.integer(), (given, seed) => {
        const { translate } = twinOf(given, { seed });
        const texts = [...new Set(stringsIn(given.calls as unknown as Json))];
        const images = texts.map((each) => text(translate(each)));
        expect(new Set(images).size).toBe(texts.length);
        expect(images.map((each) => each.length)).toEqual(texts.map((each) => each.length));
        const form = (text: string): string =>
          text
            .replaceAll(/\d/g, "9")
            .replaceAll(/\p{Lu}/gu, "A")
            .replaceAll(/\p{Ll}/gu, "a");
        expect(images.map(form)).toEqual(texts.map(form));
      }),
      { numRuns: 150 },
    );
  });

  test("the twin has as many things as the trace, and the twin of equal values is equal", () => {
    fc.assert(
      fc.property(trace, fc.integer(), (given, seed) => {
        const { trace: twin, translate } = twinOf(given, { seed });
        given.calls.forEach((call, index) => {
          expect(twin.calls[index]?.args).toEqual(translate(call.args));
          expect(sizeOf(twin.calls[index]?.result ?? null)).toBe(sizeOf(call.result));
        });
      }),
      { numRuns: 100 },
    );
  });
});

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

function stringsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(stringsIn);
  if (!isJsonObject(value)) return [];
  return [...Object.keys(value), ...Object.values(value).flatMap(stringsIn)];
}

function sizeOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + sizeOf(each), 1);
}
