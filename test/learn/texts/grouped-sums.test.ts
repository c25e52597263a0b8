import { describe, expect, test } from "vitest";
import { offerOf } from "../../../src/learn/drafts/gate.ts";
import { examples, extracted, paramsOf, provideFolder, type Told, writtenIn } from "../extracted.ts";

provideFolder();

const path = "/pay/tips.csv";
const table = (...rows: readonly string[]): string => `day,waiter,tips\n${rows.join("\n")}\n`;
const TIPS = table(
  "1,Mia Lang,17.50",
  "1,Ben Ott,18.00",
  "2,Mia Lang,8.00",
  "3,Zoe Hu,6.00",
  "3,Ben Ott,19.25",
);

const learn = async (name: string, task: string, content: string, tips = TIPS) => {
  const run: readonly Told[] = [
    ["desk.read_file", { path }, tips],
    ["desk.write_file", { path: "/pay/sums.md", content }, "Written"],
  ];
  return extracted(name, task, [run]);
};

const TASK = `Add up the tips of ${path} per waiter and write them to /pay/sums.md`;

test("what groups add up to stands in cents where it did, whatever it comes to", async () => {
  const draft = await learn("cents", TASK, "Mia Lang: 25.50\nBen Ott: 37.25\nZoe Hu: 6.00\n");
  expect(Object.values(examples(draft))).toEqual([path, "/pay/sums.md"]);
  const other = { [path]: table("1,Bo Hu,7.00", "1,Cy Ek,8.00", "4,Cy Ek,1.50") };
  const [written] = await writtenIn(draft, other);
  expect(written).toMatchObject({ content: "Bo Hu: 7.00\nCy Ek: 9.50\n" });
  for (const row of ["2,Cy Ek,?", "2,Cy Ek,", "2,Cy Ek,1.50 EUR"])
    expect(await writtenIn(draft, { [path]: table("1,Bo Hu,7.00", row) })).toBeTypeOf("string");
});

test("so does what they add up to all together", async () => {
  const rows = "| Mia Lang | 25.50 |\n| Ben Ott | 37.25 |\n| Zoe Hu | 6.00 |\n";
  const draft = await learn(
    "total",
    `${TASK}, as a table with a total.`,
    `| Waiter | Sum |\n| --- | --- |\n${rows}\nTotal: 68.75\n`,
  );
  const other = { [path]: table("1,Bo Hu,7.00", "1,Cy Ek,8.00", "4,Cy Ek,1.50") };
  const [written] = await writtenIn(draft, other);
  expect(written).toMatchObject({
    content: "| Waiter | Sum |\n| --- | --- |\n| Bo Hu | 7.00 |\n| Cy Ek | 9.50 |\n\nTotal: 16.50\n",
  });
});

test("they stand in the order of their sums where the task says so", async () => {
  const draft = await learn(
    "falling",
    `${TASK}, the highest first.`,
    "Ben Ott: 37.25\nMia Lang: 25.50\nZoe Hu: 6.00\n",
  );
  const [written] = await writtenIn(draft, { [path]: table("1,Bo Hu,7.00", "1,Cy Ek,8.00", "4,Cy Ek,1.50") });
  expect(written).toMatchObject({ content: "Cy Ek: 9.50\nBo Hu: 7.00\n" });
});

test.each([
  [
    "by what they add up to",
    ["1,Ben Ott,17.00", "1,Al Roe,8.50", "2,Ben Ott,8.00"],
    "Ben Ott: 25.00\nAl Roe: 8.50\n",
  ],
  ["by their names", ["1,Al Roe,7.00", "1,Ben Ott,8.50", "2,Ben Ott,8.00"], "Al Roe: 7.00\nBen Ott: 16.50\n"],
])(
  "where they may stand in their order %s as well, and nobody says so, they are none",
  async (_, rows, content) => {
    const draft = await learn(`open-${rows.length}${content.length}`, TASK, content, table(...rows));
    expect(paramsOf(draft)).toContain("content");
  },
);

describe("what the task says of all that a run found need not hold for all in another", () => {
  const paid = (...rows: readonly string[]) => `client,sum,state\n${rows.join("\n")}\n`;
  const seen = paid(
    "Halo,10.50,paid",
    "Brix,20.00,paid",
    "Halo,4.00,paid",
    "Zest,7.25,paid",
    "Brix,30.00,paid",
  );
  const other = { [path]: paid("Halo,10.50,paid", "Brix,20.00,open", "Halo,1.00,paid") };

  test.each([
    ["sums", "Halo: 14.50\nBrix: 50.00\nZest: 7.25\n", "Halo: 11.50\n"],
    ["lines", "Halo: 10.50\nBrix: 20.00\nHalo: 4.00\nZest: 7.25\nBrix: 30.00\n", "Halo: 10.50\nHalo: 1.00\n"],
  ])("%s are of those of which it is so", async (what, content, expected) => {
    const verb = what === "sums" ? "Add up per client" : "List";
    const draft = await learn(
      `paid-${what}`,
      `${verb} the paid invoices of ${path} in /pay/sums.md.`,
      content,
      seen,
    );
    expect(await writtenIn(draft, other)).toMatchObject([{ content: expected }]);
  });

  test("none is left out of which a run had nothing", async () => {
    const content = "Halo: 14.50\nBrix: 50.00\nZest: 7.25\n";
    const task = `Add up the invoices of ${path} per client in /pay/sums.md`;
    const reasonsOf = async (name: string, more: string) =>
      offerOf(await learn(name, `${task}${more}.`, content, seen)).obstacles.map(({ reason }) => reason);
    expect(await reasonsOf("all", "")).not.toContain("untold-exception");
    expect(await reasonsOf("some", ", without the cancelled ones")).toContain("untold-exception");
  });
});
