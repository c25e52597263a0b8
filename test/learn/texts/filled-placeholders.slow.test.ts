import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { extracted, paramsOf, provideFolder, type Told, writtenIn } from "../extracted.ts";

provideFolder();

const BOOKING = "/mail/booking.txt";
const TRIP = "/travel/porto.md";
const booking = (hotel: string, number: string): string =>
  `Your booking is confirmed!\n\nHotel: ${hotel}\nNights: 3\nBooking number: ${number}\n`;
const trip = (hotel: string): string => `# Porto\n\nFlight: TP 552\n\nHotel: ${hotel}\n\nDinner: ask Rui\n`;
const edit = (before: string, after: string): JsonObject => ({
  path: TRIP,
  edits: [{ oldText: `Hotel: ${before}`, newText: `Hotel: ${after}` }],
});
const looked = (before: string): readonly Told[] => [
  ["desk.read_file", { path: BOOKING }, booking("Casa do Rio", "8841-PT")],
  ["desk.read_file", { path: TRIP }, trip(before)],
];

test.each([
  ["tbd", "small"],
  ["TBD", "capital"],
  ["???", "marks"],
  ["-", "dash"],
  ["n/a", "none"],
  ["pending", "state"],
  ["to be confirmed", "words"],
])("an edit puts what was told in place of %s alone", async (before, name) => {
  const after = "Casa do Rio (booking 8841-PT)";
  const draft = await extracted(`edit-${name}`, `Add the hotel from ${BOOKING} to ${TRIP}`, [
    [...looked(before), ["desk.edit_file", edit(before, after), "Edited"]],
  ]);
  const edited = (text: string) =>
    writtenIn(draft, { [BOOKING]: booking("Star Inn", "12-PT"), [TRIP]: text });
  expect(await edited(trip(before))).toEqual([edit(before, "Star Inn (booking 12-PT)")]);
  expect(await edited(trip("Casa Velha"))).toEqual(expect.any(String));
  expect(await edited(trip(before.toUpperCase() === before ? "later" : before.toUpperCase()))).toEqual(
    expect.any(String),
  );
});

test("so does a text that is written anew, with all else that stands in it", async () => {
  const draft = await extracted("anew", `Add the hotel from ${BOOKING} to ${TRIP}`, [
    [...looked("tbd"), ["desk.write_file", { path: TRIP, content: trip("Casa do Rio") }, "Written"]],
  ]);
  const written = (text: string) =>
    writtenIn(draft, { [BOOKING]: booking("Star Inn", "12-PT"), [TRIP]: text });
  const more = "Taxi: none\n";
  expect(await written(trip("tbd") + more)).toEqual([{ path: TRIP, content: trip("Star Inn") + more }]);
  for (const text of [
    trip("Casa Velha"),
    trip("Casa Velha").replace("ask Rui", "tbd"),
    trip("tbd") + trip("tbd"),
  ])
    expect(await written(text)).toEqual(expect.any(String));
});

test("where the task says that it is changed, it is, whatever it was", async () => {
  const draft = await extracted("change", `Change the hotel in ${TRIP} to the one of ${BOOKING}`, [
    [...looked("tbd"), ["desk.edit_file", edit("tbd", "Casa do Rio"), "Edited"]],
  ]);
  const edited = (text: string) =>
    writtenIn(draft, { [BOOKING]: booking("Star Inn", "12-PT"), [TRIP]: text });
  expect(await edited(trip("Casa Velha"))).toEqual([edit("Casa Velha", "Star Inn")]);
});

test("one state comes after another, whatever it was", async () => {
  const order = (state: string): string => `# Order\n\nstate: ${state}\nby: Ann\n`;
  const edited = (before: string): JsonObject => ({
    path: "/o.md",
    edits: [{ oldText: `state: ${before}`, newText: "state: shipped" }],
  });
  const draft = await extracted("state", "Note in /o.md that the order is shipped.", [
    [
      ["desk.read_file", { path: "/o.md" }, order("open")],
      ["desk.edit_file", edited("open"), "Edited"],
    ],
  ]);
  expect(await writtenIn(draft, { "/o.md": order("packed") })).toEqual([edited("packed")]);
});

test("a name in front of what is not known is the caller's", async () => {
  const phones = (ann: string, bo: string): string => `# Phones\n\n- Ann: ${ann}\n- Bo: ${bo}\n- Cy: 55019\n`;
  const edited = (before: string, after: string): JsonObject => ({
    path: "/p.md",
    edits: [{ oldText: before, newText: after }],
  });
  const draft = await extracted("phones", "Add the phone 77123 of Ann to /p.md.", [
    [
      ["desk.read_file", { path: "/p.md" }, phones("tbd", "66120")],
      ["desk.edit_file", edited("- Ann: tbd", "- Ann: 77123"), "Edited"],
    ],
  ]);
  expect(paramsOf(draft)).toHaveLength(3);
  const given = paramsOf(draft).map((name) => draft.plan.params.find((param) => param.name === name));
  const nameOf = (example: string): string => given.find((param) => param?.example === example)?.name ?? "";
  const edits = (bo: string) =>
    writtenIn(draft, { "/p.md": phones("55", bo) }, { [nameOf("Ann")]: "Bo", [nameOf("77123")]: "88" });
  expect(await edits("tbd")).toEqual([edited("- Bo: tbd", "- Bo: 88")]);
  expect(await edits("66120")).toEqual(expect.any(String));
});
