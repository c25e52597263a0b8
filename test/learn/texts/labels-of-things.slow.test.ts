import { expect, test } from "vitest";
import { offerOf } from "../../../src/learn/drafts/gate.ts";
import { extracted, paramsOf, provideFolder, type Told, writtenIn } from "../extracted.ts";

provideFolder();

const MINUTES = "/minutes.md";
const TASK = `Create a ticket for every action item in ${MINUTES} and assign it to the person.`;
const minutes = (present: string, ...items: readonly string[]): string =>
  `# Weekly sync\n\nPresent: ${present}\n\n## Notes\n\n- Launch moved to May\n- Budget approved\n\n## Action items\n\n${items.map((item) => `${item}\n`).join("")}`;
const read = (text: string): Told => ["desk.read_file", { path: MINUTES }, text];
const ticket = (assignee: string, title: string): Told => [
  "tickets.create_issue",
  { title, assignee },
  { state: "open" },
];

test.each([
  ["dashes", (item: string) => `- ${item}`],
  ["nothing", (item: string) => item],
])(
  "labels behind %s that calls have as names are of things, though other lists have none",
  async (name, line) => {
    const told = (present: string, ...items: readonly string[]): string =>
      minutes(present, ...items.map(line));
    const draft = await extracted(`tickets-${name}`, TASK, [
      [
        read(told("Kim, Leo", "Kim: update the page", "Leo: ask legal", "Pat: book the venue")),
        ticket("Kim", "update the page"),
        ticket("Leo", "ask legal"),
        ticket("Pat", "book the venue"),
      ],
    ]);
    expect(paramsOf(draft)).toEqual(["path"]);
    const made = (text: string) => writtenIn(draft, { [MINUTES]: text });
    expect(
      await made(
        told("Sue, Bo", "Bo: clean the wiki", "Sue: call", "Bo: draft the letter", "Ann Lee: sign it"),
      ),
    ).toEqual([
      { title: "clean the wiki", assignee: "Bo" },
      { title: "call", assignee: "Sue" },
      { title: "draft the letter", assignee: "Bo" },
      { title: "sign it", assignee: "Ann Lee" },
    ]);
    expect(await made(told("Sue, Bo", "Bo: clean the wiki", "somebody should call"))).toEqual(
      expect.any(String),
    );
    expect(await made(told("Sue, Bo", "Bo: clean", "Sue: call").replace("Action items", "Ideas"))).toEqual(
      expect.any(String),
    );
  },
);

test("one of them may come twice, and what is said of it have a mark as labels have", async () => {
  const draft = await extracted("tickets-twice", TASK, [
    [
      read(minutes("Kim, Leo", "- Kim: update the page", "- Leo: ask legal: is it ours", "- Kim: call")),
      ticket("Kim", "update the page"),
      ticket("Leo", "ask legal: is it ours"),
      ticket("Kim", "call"),
    ],
  ]);
  expect(paramsOf(draft)).toEqual(["path"]);
  const made = (text: string) => writtenIn(draft, { [MINUTES]: text });
  expect(await made(minutes("Bo", "- Bo: ask the printer: what is it", "- Sue: pay", "- Bo: go"))).toEqual([
    { title: "ask the printer: what is it", assignee: "Bo" },
    { title: "pay", assignee: "Sue" },
    { title: "go", assignee: "Bo" },
  ]);
});

test("labels of one thing that calls do not have stay labels", async () => {
  const draft = await extracted("trip", "Put the start of the trip in /trip.md into the calendar.", [
    [
      [
        "desk.read_file",
        { path: "/trip.md" },
        "# Trip\n\n## Facts\n\n- Start: 2026-05-04\n- Town: Rome\n\n## Notes\n\n- Bring a hat\n",
      ],
      ["calendar.create_event", { day: "2026-05-04", title: "Rome" }, { ok: true }],
    ],
  ]);
  const other = "# Trip\n\n## Facts\n\n- Start: 2026-07-01\n- Town: Oslo\n\n## Notes\n\n- Sing\n";
  expect(await writtenIn(draft, { "/trip.md": other })).toEqual([{ day: "2026-07-01", title: "Oslo" }]);
});

test("what is done for each of some is not offered for a fixed number of labels", async () => {
  const items = ["Kim: update the page", "Leo: ask legal", "Pat: book the venue"];
  const draft = await extracted("titles", `Create a ticket for every action item in ${MINUTES}.`, [
    [
      read(minutes("Kim", ...items.map((item) => `- ${item}`))),
      ...items.map((item): Told => ["tickets.create_issue", { title: item.split(": ")[1] ?? "" }, {}]),
    ],
  ]);
  expect(offerOf(draft).obstacles.map(({ reason }) => reason)).toContain("fixed-number");
});
