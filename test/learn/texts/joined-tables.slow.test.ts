import { beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { examples, extracted, isVerified, provideFolder, questionsOf, writtenIn } from "../extracted.ts";

provideFolder();

const TASK = "For each order in /desk/orders write a line to /desk/out, with the names of /desk/names.";
const ORDERS = "order,code\n101,ship\n102,wait\n103,ship\n";
const NAMES = "code,name\nship,shipped\nwait,waiting\nlost,lost on the way\n";

async function draftOf(
  task: string,
  texts: readonly (readonly [path: string, text: string])[],
  content: string,
): Promise<Draft> {
  return extracted(`joined-${task.length}-${content.length}`, task, [
    [
      ...texts.map(([path, text]) => ["desk.read_file", { path }, text] as const),
      ["desk.write_file", { path: "/desk/out", content }, "Written"],
    ],
  ]);
}

async function written(draft: Draft, texts: Readonly<Record<string, string>>): Promise<Json | undefined> {
  const done = await writtenIn(draft, texts);
  return typeof done === "string" ? done : done[0]?.["content"];
}

const asksNothing = (draft: Draft): boolean =>
  Object.values(examples(draft)).every((value) => typeof value === "string" && value.startsWith("/desk/"));

describe("lines of two tables", () => {
  let draft: Draft;
  beforeAll(async () => {
    draft = await draftOf(
      TASK,
      [
        ["/desk/orders", ORDERS],
        ["/desk/names", NAMES],
      ],
      "101: shipped\n102: waiting\n103: shipped\n",
    );
  });

  test("have what the second says of the word that both call the same, also where several lines say it", async () => {
    expect([asksNothing(draft), questionsOf(draft), isVerified(draft)]).toEqual([true, [], true]);
    expect(
      await written(draft, {
        "/desk/orders": "order,code\n7,lost\n9,ship\n8,lost\n",
        "/desk/names": "name,code\nsent,ship\ngone,lost\n",
      }),
    ).toBe("7: gone\n9: sent\n8: gone\n");
  });

  test.each([
    ["a word of which the second says nothing", "order,code\n7,lost\n9,shop\n", NAMES, /^None of the 3/],
    ["a word of which it says two things", ORDERS, `${NAMES}ship,sent\n`, /^More than one of the 4/],
    [
      "a word of which it says nothing in its column",
      ORDERS,
      NAMES.replace("shipped", ""),
      /says nothing of name/,
    ],
  ])("%s is an error", async (_, orders, names, error) => {
    expect(await written(draft, { "/desk/orders": orders, "/desk/names": names })).toMatch(error);
  });

  test("words that are equal and called otherwise join nothing", async () => {
    const other = await draftOf(
      `${TASK} Be quick.`,
      [
        ["/desk/orders", "order,state\n101,ship\n102,wait\n103,ship\n"],
        ["/desk/names", NAMES],
      ],
      "101: shipped\n102: waiting\n103: shipped\n",
    );
    expect(asksNothing(other)).toBe(false);
  });

  test("rounds over one take what the other says of their row", async () => {
    const mails = [
      ["101", "ann"],
      ["102", "bo"],
      ["103", "ann"],
    ] as const;
    const other = await extracted(
      "joined-mails",
      "Tell each customer of /desk/orders that the order is on its way. Their addresses are in /desk/people.",
      [
        [
          ["desk.read_file", { path: "/desk/orders" }, "order,customer\n101,Ann\n102,Bo\n103,Ann\n"],
          [
            "desk.read_file",
            { path: "/desk/people" },
            "customer,mail\nBo,bo@x.org\nAnn,ann@x.org\nCy,cy@x.org\n",
          ],
          ...mails.map(
            ([order, name]) =>
              [
                "desk.send",
                { to: `${name}@x.org`, subject: `Order ${order}`, body: "On its way" },
                "sent",
              ] as const,
          ),
        ],
      ],
    );
    const texts = { "/desk/people": "customer,mail\nBo,b@y.org\nCy,cy@x.org\n" };
    expect(await writtenIn(other, { ...texts, "/desk/orders": "order,customer\n7,Cy\n9,Bo\n" })).toEqual([
      { to: "cy@x.org", subject: "Order 7", body: "On its way" },
      { to: "b@y.org", subject: "Order 9", body: "On its way" },
    ]);
    expect(await writtenIn(other, { ...texts, "/desk/orders": "order,customer\n7,Dee\n" })).toMatch(
      /^None of the 2/,
    );
  });
});

describe("what lines have that is calculated", () => {
  test.each([
    [
      "from two columns, with a total",
      "Write the bill for /desk/order to /desk/out with a total.",
      { "/desk/order": "item,quantity,price\npen,10,2\nink,3,7.5\nbook,2,12\n" },
      "| Item | Amount |\n|---|---|\n| pen | 20 |\n| ink | 22.5 |\n| book | 24 |\n\nTotal: 66.5\n",
      { "/desk/order": "item,quantity,price\ncap,4,2\nink,1,7.5\n" },
      "| Item | Amount |\n|---|---|\n| cap | 8 |\n| ink | 7.5 |\n\nTotal: 15.5\n",
    ],
    [
      "in cents, from columns of two tables, with a total",
      "Work out what each line of /desk/order costs with the prices of /desk/prices and what it is in total. Write it to /desk/out.",
      {
        "/desk/order": "item,quantity\npen,10\nink,3\nbook,2\n",
        "/desk/prices": "item,price\nink,7.50\npen,2.00\nbook,12.25\ncap,9.00\n",
      },
      "pen: 20.00\nink: 22.50\nbook: 24.50\nTotal: 67.00\n",
      {
        "/desk/order": "item,quantity\ncap,3\npen,7\n",
        "/desk/prices": "item,price\npen,3.10\ncap,12.25\n",
      },
      "cap: 36.75\npen: 21.70\nTotal: 58.45\n",
    ],
    [
      "as a column of its own",
      "Add a column with the amount to the table of /desk/order and write it to /desk/out.",
      { "/desk/order": "item,quantity,price\npen,10,2\nink,3,7.5\nbook,2,12\n" },
      "item,quantity,price,amount\npen,10,2,20\nink,3,7.5,22.5\nbook,2,12,24\n",
      { "/desk/order": "item,quantity,price\ncap,4,2\n" },
      "item,quantity,price,amount\ncap,4,2,8\n",
    ],
    [
      "by taking one from the other",
      "Write for each product of /desk/order how many are left to /desk/out.",
      { "/desk/order": "product,bought,sold\npen,40,12\nink,30,21\ncap,25,25\n" },
      "pen: 28\nink: 9\ncap: 0\n",
      { "/desk/order": "product,bought,sold\npen,4,2\nink,1,3\n" },
      "pen: 2\nink: -2\n",
    ],
  ])("is calculated %s", async (_, task, texts, content, otherTexts, other) => {
    const draft = await draftOf(task, Object.entries(texts), content);
    expect([asksNothing(draft), questionsOf(draft), isVerified(draft)]).toEqual([true, [], true]);
    expect(await written(draft, otherTexts)).toBe(other);
  });

  test.each([
    ["few digits", "a,2,3\nb,1,4\n", "a: 5\nb: 5\n"],
    ["small numbers", "a,2,3\nb,1,4\nc,6,1\n", "a: 6\nb: 4\nc: 6\n"],
    ["two ways", "a,20,0\nb,45,0\nc,17,0\n", "a: 20\nb: 45\nc: 17\n"],
  ])("%s may be so by chance", async (_, rows, content) => {
    const draft = await draftOf(
      `Write what you make of /desk/order to /desk/out, ${content.length} signs.`,
      [["/desk/order", `product,first,second\n${rows}`]],
      content,
    );
    expect(draft.code).not.toContain("calculated(");
  });

  test("what is no number is an error", async () => {
    const draft = await draftOf(
      "Write for each product of /desk/order how many are left to /desk/out.",
      [["/desk/order", "product,bought,sold\npen,40,12\nink,30,21\ncap,25,15\n"]],
      "pen: 28\nink: 9\ncap: 10\n",
    );
    expect(await written(draft, { "/desk/order": "product,bought,sold\npen,many,2\n" })).toBe(
      "A text is no number: many",
    );
  });
});
