import { afterAll, expect, test } from "vitest";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import { offerOf } from "../../../src/learn/drafts/gate.ts";
import { learned, traceOf } from "../learned.ts";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { replayer } from "../../shared-threads.ts";

const real = new RealDrafts();
afterAll(async () => {
  await real.close();
});

interface Wish {
  readonly pupil: Readonly<Record<string, string>>;
  readonly place: Readonly<Record<string, string>>;
}

const IDA: Wish = {
  pupil: {
    name: "Ida Brandt",
    born: "2011-04-05",
    street: "Birch Lane 4",
    town: "Ystad",
    phone: "555-0199",
    language: "Danish",
  },
  place: { course: "pottery", level: "beginner", day: "Tuesday", time: "16:30", payer: "Olaf Brandt" },
};
const JON: Wish = {
  pupil: {
    name: "Jon Aske",
    born: "2009-12-24",
    street: "Mill Road 8",
    town: "Visby",
    phone: "555-0742",
    language: "Finnish",
  },
  place: { course: "weaving", level: "advanced", day: "Friday", time: "09:15", payer: "Petra Holm" },
};

const enrolled = ({ pupil, place }: Wish, id: string) =>
  traceOf(
    `Enrol a pupil: ${[...Object.values(pupil), ...Object.values(place)].join(", ")}.`,
    [
      ["school.add_pupil", pupil, { pupil: { id } }],
      ["school.enrol", { pupil: id, ...place }, { enrolled: true, seat: 4 }],
    ],
    id,
  );

test("what more than ten values tell of one call is one parameter with fields, and does the work for others", async () => {
  const draft = await real.of([enrolled(IDA, "pu-88123")]);
  const verified = await real.verified(draft.name);
  expect(failing(verified).filter(({ name }) => name !== "heldOut" && name !== "live")).toEqual([]);
  expect(verified.plan.params.map(({ name, example }) => [name, example])).toEqual([
    ["pupil", IDA.pupil],
    ["enrol", IDA.place],
  ]);
  expect(offerOf(verified)).toEqual({ isOffered: true, obstacles: [] });
  const other = enrolled(JON, "pu-30917");
  const { fault } = await replayer.replay(verified.code, { pupil: JON.pupil, enrol: JON.place }, other);
  expect(fault).toBeUndefined();
  expect(draftText(draftView(verified))).toContain("- born: input.pupil.born");
});

test("up to ten values are asked for one by one", () => {
  const { plan } = learned([
    traceOf("Enrol Ida Brandt, born 2011-04-05, of Ystad.", [
      ["school.add_pupil", { name: "Ida Brandt", born: "2011-04-05", town: "Ystad" }, { ok: true }],
    ]),
  ]);
  expect(plan.params.map(({ name }) => name)).toEqual(["name", "born", "town"]);
});

test("a field whose argument has another origin by an edit is no longer asked for", async () => {
  const draft = await real.of([enrolled(IDA, "pu-88123")]);
  const revised = await real.revised(draft, [
    { kind: "parameter", leaf: { step: "addPupilResult", path: ["phone"] }, constant: null, name: "phone" },
  ]);
  const [pupil, ...others] = revised.plan.params;
  expect(Object.keys(pupil?.schema["properties"] ?? {})).not.toContain("phone");
  expect(pupil?.schema["required"]).not.toContain("phone");
  expect(others.map(({ name }) => name)).toEqual(["enrol", "phone"]);
  expect(failing(revised).filter(({ name }) => name !== "heldOut" && name !== "live")).toEqual([]);
});
