import { describe, expect, test } from "vitest";
import { extracted, paramsOf, provideFolder, questionsOf, type Told, writtenIn } from "../extracted.ts";

provideFolder();

const path = "/notes/invoice.md";
const invoice = (number: string, total: string, due: string): string =>
  `# Invoice ${number}\n\nCustomer: Harbour Foods\nTotal: ${total}\nDue: ${due}\nPaid: no\n`;

function mailed(body: string, files: Readonly<Record<string, string>>): readonly Told[] {
  return [
    ...Object.entries(files).map(([at, text]): Told => ["notes.read_file", { path: at }, text]),
    ["post.send_mail", { to: "ann@example.org", subject: "For you", body }, "sent"],
  ];
}

const bodiesOf = async (draft: Awaited<ReturnType<typeof extracted>>, files: Record<string, string>) => {
  const written = await writtenIn(draft, files);
  return typeof written === "string" ? written : written.map(({ body }) => body);
};

describe("a sentence whose words are those that its values are called by", () => {
  test("is written with the values of another text, and not asked about", async () => {
    const draft = await extracted(
      "invoice",
      `Mail the total and when it is due of ${path} to ann@example.org, with the subject "For you".`,
      [
        mailed("Hello,\n\nthe total is 340.50 EUR, and it is due on 2026-04-01.\n\nBest regards", {
          [path]: invoice("778", "340.50 EUR", "2026-04-01"),
        }),
      ],
    );
    expect(questionsOf(draft)).not.toContain("text");
    expect(paramsOf(draft)).not.toContain("body");
    expect(await bodiesOf(draft, { [path]: invoice("801", "90.00 EUR", "2026-06-01") })).toEqual([
      "Hello,\n\nthe total is 90.00 EUR, and it is due on 2026-06-01.\n\nBest regards",
    ]);
    expect(await bodiesOf(draft, { [path]: "# Invoice 9\n\nTotal: 90.00 EUR\n" })).toContain("Due");
  });

  test("may greet whom the caller says", async () => {
    const draft = await extracted(
      "greeted",
      `Mail Ann (ann@example.org) the total of ${path}, subject "For you".`,
      [
        mailed("Hello Ann,\n\nthe total is 340.50 EUR.\n\nThanks", {
          [path]: invoice("778", "340.50 EUR", "2026-04-01"),
        }),
      ],
    );
    expect(questionsOf(draft)).not.toContain("text");
    const other = await writtenIn(
      draft,
      { [path]: invoice("801", "90.00 EUR", "2026-06-01") },
      { name: "Bo" },
    );
    expect(other).toMatchObject([{ body: "Hello Bo,\n\nthe total is 90.00 EUR.\n\nThanks" }]);
  });

  test("may have values of two texts", async () => {
    const [meeting, room] = ["/notes/meeting.md", "/notes/room.md"];
    const draft = await extracted(
      "meeting",
      `Tell Ann (ann@example.org, subject "For you") the date of the next meeting in ${meeting} and the room of ${room}.`,
      [
        mailed("The next meeting is on 2026-05-12 in room B 204.", {
          [meeting]: "Next meeting: 2026-05-12\nChair: Bo\n",
          [room]: "Room: B 204\nSeats: 12\n",
        }),
      ],
    );
    expect(questionsOf(draft)).not.toContain("text");
    const other = { [meeting]: "Next meeting: 2026-06-30\nChair: Cy\n", [room]: "Room: A 17\nSeats: 9\n" };
    expect(await bodiesOf(draft, other)).toEqual(["The next meeting is on 2026-06-30 in room A 17."]);
  });

  test("is asked about where another word stands in it, or a value without its name", async () => {
    for (const body of [
      "The total is 340.50 EUR, overdue on 2026-04-01.",
      "The total is 340.50 EUR, as Harbour Foods says, due on 2026-04-01 at noon.",
      "We got 340.50 EUR on 2026-04-01.",
    ]) {
      const draft = await extracted("asked", `Tell ann@example.org about the invoice in ${path}.`, [
        mailed(body, { [path]: invoice("778", "340.50 EUR", "2026-04-01") }),
      ]);
      expect([...questionsOf(draft), ...paramsOf(draft)].join(" ")).toMatch(/text|body/);
    }
  });
});
