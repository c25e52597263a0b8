import { expect, test } from "vitest";
import { extracted, paramsOf, provideFolder, questionsOf, type Told, writtenIn } from "./extracted.ts";

provideFolder();

const OFFERS = "/offers.md";
type Row = readonly [name: string, mail: string, answer: string];
const table = (...rows: readonly Row[]): string =>
  `# Offers\n\n| Customer | Mail | Answer |\n|---|---|---|\n${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}`;
const ROWS: readonly Row[] = [
  ["Brightly", "ana@brightly.io", "yes"],
  ["Nordbau", "holm@nordbau.de", "-"],
  ["Luna", "rosa@luna.es", "-"],
  ["Petrov", "ivan@petrov.com", "no"],
  ["Greenleaf", "meg@greenleaf.org", "-"],
];
const mail = (name: string, to: string) => ({ to, body: `Dear ${name}, what do you say?` });
const run: readonly Told[] = [
  ["desk.read_file", { path: OFFERS }, table(...ROWS)],
  ...ROWS.filter(([, , answer]) => answer === "-").map(([name, to]): Told => [
    "mail.send",
    mail(name, to),
    "Sent",
  ]),
];

test.each([
  ["yet", "who hasn't answered yet"],
  ["not", "who has not answered"],
  ["without", "without an answer"],
])("a dash stands for nothing where the task denies what its column is called (%s)", async (name, whom) => {
  const draft = await extracted(`open-${name}`, `Send a follow-up to everyone in ${OFFERS} ${whom}.`, [run]);
  expect(paramsOf(draft)).toEqual(["path"]);
  expect(questionsOf(draft)).toContain("element");
  const sent = (...rows: readonly Row[]) => writtenIn(draft, { [OFFERS]: table(...rows) });
  expect(await sent(["Oaks", "bea@oaks.se", "-"], ["Zeta", "z@zeta.io", "maybe"])).toEqual([
    mail("Oaks", "bea@oaks.se"),
  ]);
  expect(await sent(["Zeta", "z@zeta.io", "no"])).toEqual([]);
  for (const other of ["", "–", "?", "none", "open"])
    expect(await sent(["Oaks", "bea@oaks.se", "-"], ["Zeta", "z@zeta.io", other])).toEqual(
      expect.any(String),
    );
});

test("a dash in a column of which the task says nothing tells nothing", async () => {
  const draft = await extracted("dashes", `Send a follow-up to some in ${OFFERS}.`, [run]);
  expect(paramsOf(draft)).not.toEqual(["path"]);
});
