import { describe, expect, test } from "vitest";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

/** Parcels, each as `id title carrier state`. */
const depot = (...parcels: readonly string[]): WorldTools => ({
  "depot.list_parcels": () => ({
    parcels: parcels.map((parcel) => {
      const [id = "", title = "", carrier = "", state = ""] = parcel.split(" ");
      return { id, about: { title, carrier, state } };
    }),
  }),
  "depot.update": () => "ok",
});

const ONE = depot(
  "P-4101 Lamps Brandt late",
  "P-4102 Chairs Cole late",
  "P-4103 Sofas Brandt sent",
  "P-4104 Rugs Dufour sent",
);

const updating = (task: string, ...ids: readonly string[]) =>
  learned([
    recordedIn(ONE, task, (call) => {
      call("depot.list_parcels", {});
      call("depot.update", { changes: ids.map((id) => ({ id, set: { note: "Here on Friday" } })) });
    }),
  ]).plan;

describe("an act that takes a list of records, one for each element of which the task says something", () => {
  const plan = updating('Set the note of all parcels of Brandt to "Here on Friday"', "P-4101", "P-4103");

  test("asks for what is said, and whether it is what tells them", () => {
    expect(plan.params.map(({ example }) => example)).toEqual(["Here on Friday", "Brandt"]);
    expect(plan.questions).toMatchObject([{ kind: "element", path: ["changes"] }]);
  });

  test("has one for each of those in another answer, and stops without any", async () => {
    const there = depot(
      "P-1 Lamps Cole late",
      "P-2 Vases Brandt late",
      "P-3 Beds Cole sent",
      "P-4 Mats Cole x",
    );
    const change = (id: string) => `{"id":"${id}","set":{"note":"soon"}}`;
    const written = async (carrier: string) =>
      (await callsIn(runner, plan, there, { note: "soon", carrier })).slice(1);
    expect(await written("Cole")).toEqual([
      `depot.update {"changes":[${["P-1", "P-3", "P-4"].map(change).join(",")}]}`,
    ]);
    expect(await written("cole")).toEqual([expect.stringContaining("stops")]);
    expect(await written("Aker")).toEqual([expect.stringContaining("stops")]);
  });

  test("has one for each that the task names, where it names them one by one", () => {
    const { params } = updating(
      'Set the note of the parcels Lamps and Sofas of Brandt to "Here on Friday"',
      "P-4101",
      "P-4103",
    );
    expect(params.map(({ example }) => example)).toEqual(expect.arrayContaining(["Lamps", "Sofas"]));
  });
});

describe("rounds for the elements that are beyond a number of the task, where texts say numbers", () => {
  const shop = (...totals: readonly string[]): WorldTools => ({
    "shop.list_orders": () => ({ orders: totals.map((total, nth) => ({ id: `o-71${nth}`, total })) }),
    "shop.tag": () => "ok",
  });
  const plan = learned([
    recordedIn(
      shop("120.50", "9.90", "80.00", "1000.00"),
      'Give all orders above 100 EUR the tag "large"',
      (call) => {
        call("shop.list_orders", {});
        for (const id of ["o-710", "o-713"]) call("shop.tag", { id, tag: "large" });
      },
    ),
  ]).plan;
  const tagged = async (...totals: readonly string[]) =>
    (await callsIn(runner, plan, shop(...totals), { tag: "big", total_limit: 50 })).slice(1);

  test("are those of another answer, and the caller says the number", async () => {
    expect(plan.params.map(({ name, example }) => [name, example])).toEqual([
      ["total_limit", 100],
      ["tag", "large"],
    ]);
    expect(await tagged("9.00", "100.00", "50.00")).toEqual(['shop.tag {"id":"o-711","tag":"big"}']);
  });

  test("stop where a text says no number", async () => {
    expect(await tagged("9.00", "100.00 EUR")).toEqual([expect.stringContaining("stops")]);
    expect(await tagged("9.00", "1,000.00")).toEqual([expect.stringContaining("stops")]);
  });
});
