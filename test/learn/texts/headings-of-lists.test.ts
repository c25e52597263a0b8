import { expect, test } from "vitest";
import { extracted, paramsOf, provideFolder, type Told, writtenIn } from "../extracted.ts";

provideFolder();

const MINUTES = "/minutes.md";
const minutes = (heading: string, ...items: readonly string[]): string =>
  `# Minutes\n\n## ${heading}\n\n${items.map((item) => `- ${item}\n`).join("")}`;
const read = (text: string): Told => ["desk.read_file", { path: MINUTES }, text];

test("items below a heading of which the task speaks are none below another", async () => {
  const draft = await extracted("tasks", `Send the tasks of ${MINUTES} to ann@x.org, one per line.`, [
    [
      read(minutes("Tasks", "Book a room", "Write the report")),
      ["mail.send", { to: "ann@x.org", body: "Book a room\nWrite the report\n" }, "Sent"],
    ],
  ]);
  const sent = (text: string) => writtenIn(draft, { [MINUTES]: text });
  expect(paramsOf(draft)).toEqual(["path", "to"]);
  expect(await sent(minutes("Tasks", "Sing", "Dance", "Eat"))).toEqual([
    { to: "ann@x.org", body: "Sing\nDance\nEat\n" },
  ]);
  expect(await sent(minutes("Decisions", "Rooms are free", "Fees stay"))).toEqual(expect.any(String));
});

test("things below such a heading become no others' observations", async () => {
  const draft = await extracted(
    "actions",
    `Add the action items of ${MINUTES} to the people's observations.`,
    [
      [
        read(minutes("Actions", "Ann Lee: book a room", "Bo Xu: write the report")),
        [
          "memory.add_observations",
          {
            observations: [
              { entityName: "Ann Lee", contents: ["book a room"] },
              { entityName: "Bo Xu", contents: ["write the report"] },
            ],
          },
          "Added",
        ],
      ],
    ],
  );
  const added = (text: string) => writtenIn(draft, { [MINUTES]: text });
  expect(await added(minutes("Actions", "Cy Day: sing"))).toEqual([
    { observations: [{ entityName: "Cy Day", contents: ["sing"] }] },
  ]);
  expect(await added(minutes("Apologies", "Cy Day: ill", "Dee Fox: away"))).toEqual(expect.any(String));
});

test("a title that the task does not say, and the only one of a text, may be others", async () => {
  const draft = await extracted("guests", `Send the guests of ${MINUTES} to ann@x.org, one per line.`, [
    [
      read("# Guests\n\n- Cy Day\n- Dee Fox\n"),
      ["mail.send", { to: "ann@x.org", body: "Cy Day\nDee Fox\n" }, "Sent"],
    ],
  ]);
  expect(await writtenIn(draft, { [MINUTES]: "# Guests of May\n\n- Al Po\n- Bo Xu\n" })).toEqual([
    { to: "ann@x.org", body: "Al Po\nBo Xu\n" },
  ]);
});

test.each([
  ["that the file is named by", "/plans/sprint-8.md", true],
  ["of which nothing tells", "/plans/next.md", false],
])("a heading with a number %s is said beside the list that is written: %s", async (_, path, isSaid) => {
  const boxes = (...items: readonly string[]) => items.map((item) => `- [ ] ${item}\n`).join("");
  const draft = await extracted(
    `sprint-${isSaid}`,
    `Start ${path} with the open points of /plans/sprint-7.md.`,
    [
      [
        [
          "desk.read_file",
          { path: "/plans/sprint-7.md" },
          `# Sprint 7\n\n- [x] Login\n${boxes("Search", "Export", "Help")}`,
        ],
        [
          "desk.write_file",
          { path, content: `# Sprint 8\n\n${boxes("Search", "Export", "Help")}` },
          "Written",
        ],
      ],
    ],
  );
  expect(paramsOf(draft).includes("heading")).toBe(isSaid);
  expect(paramsOf(draft).includes("content")).toBe(!isSaid);
  if (!isSaid) return;
  const other = { "/plans/sprint-7.md": `# Sprint 8\n\n${boxes("Maps")}- [x] Search\n` };
  expect(await writtenIn(draft, other, { heading: "Sprint 9" })).toEqual([
    { path, content: "# Sprint 9\n\n- [ ] Maps\n" },
  ]);
});
