import { expect, test } from "vitest";
import { extracted, paramsOf, provideFolder, questionsOf, type Told, writtenIn } from "./extracted.ts";

provideFolder();

const [PUPILS, SLIPS] = ["/school/pupils.csv", "/school/slips.csv"];
type Row = readonly [name: string, mail: string];
const pupils = (...rows: readonly Row[]): string =>
  `pupil,mail\n${rows.map((row) => `${row.join(",")}\n`).join("")}`;
const slips = (...names: readonly string[]): string =>
  `child,received\n${names.map((name) => `${name},2026-03-02\n`).join("")}`;
const ROWS: readonly Row[] = [
  ["Oskar", "oskar@home.se"],
  ["Maja", "berg@post.se"],
  ["Vera", "vera@home.se"],
  ["Nils", "nils@post.se"],
  ["Signe", "signe@home.se"],
];
const HANDED_IN = ["Vera", "Oskar"];
const mail = (name: string, to: string) => ({ to, body: `Dear ${name},\n\nthe slip for the trip is due.` });
const run = (isFor: (name: string) => boolean, said = HANDED_IN): readonly Told[] => [
  ["desk.read_file", { path: PUPILS }, pupils(...ROWS)],
  ["desk.read_file", { path: SLIPS }, slips(...said)],
  ...ROWS.filter(([name]) => isFor(name)).map(([name, to]): Told => ["mail.send", mail(name, to), "Sent"]),
];
const isMissing = (name: string): boolean => !HANDED_IN.includes(name);

test.each([
  ["not", `Write to each pupil in ${PUPILS} who has not handed in a slip (${SLIPS}).`, false],
  ["missing", `Whose slip is missing in ${SLIPS}? Write to these pupils of ${PUPILS}.`, false],
  ["has", `Write to the pupils of ${PUPILS} whose slips are in ${SLIPS}.`, true],
])("mails with the names of rows that another table has not, or has (%s)", async (name, task, isListed) => {
  const draft = await extracted(`slips-${name}`, task, [run((each) => isMissing(each) !== isListed)]);
  expect(paramsOf(draft)).toEqual(["path", "secondPath"]);
  expect(questionsOf(draft)).toContain("element");
  const there: readonly Row[] = [
    ["Ebba", "ebba@x.se"],
    ["Tuva", "tuva@x.se"],
  ];
  const sent = (...names: readonly string[]) =>
    writtenIn(draft, { [PUPILS]: pupils(...there), [SLIPS]: slips(...names) });
  expect(await sent("Tuva")).toEqual(isListed ? [mail("Tuva", "tuva@x.se")] : [mail("Ebba", "ebba@x.se")]);
  expect(await sent("Ebba", "Tuva")).toEqual(isListed ? there.map((row) => mail(...row)) : []);
  // Who is written otherwise may be meant.
  for (const other of ["ebba", "Ebba (late)", "Ebba & Tuva"])
    expect(await sent(other)).toEqual(expect.any(String));
});

test.each([
  ["of which the task says nothing", `Write to some of the pupils in ${PUPILS}.`, run(isMissing)],
  [
    "where the task names them",
    `Write to Maja, Nils and Signe of ${PUPILS}, not to the others; ${SLIPS} has slips.`,
    run(isMissing),
  ],
  [
    "that are others than those which it lacks",
    `Write to each pupil in ${PUPILS} who has not handed in a slip (${SLIPS}).`,
    run((name) => isMissing(name) && name !== "Nils"),
  ],
])("rows %s are no choice by another table", async (name, task, calls) => {
  const draft = await extracted(`slips-${name.length}`, task, [calls]);
  expect(paramsOf(draft)).not.toEqual(["path", "secondPath"]);
});
