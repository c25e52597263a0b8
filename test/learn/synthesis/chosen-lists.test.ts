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
