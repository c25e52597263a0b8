import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Plan } from "../../src/learn/plan/plan.ts";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

/** What pages say, or with what they fail, by their titles. */
type Pages = Readonly<Record<string, string>>;

const fee = (amount: string): string => `Our courses are small.\n\nFee: ${amount} EUR\n\nBring a friend.`;
const GONE = "Request failed with status code 404 Not Found";
const SEEN: Pages = {
  Pottery: fee("48.50"),
  Fencing: GONE,
  Juggling: fee("30.00"),
  Origami: GONE,
  Sailing: fee("95.00"),
};
const OTHER: Pages = { Archery: GONE, Dancing: fee("12.25"), Weaving: GONE, Zumba: fee("7.00") };

const linked = (title: string): string => `[${title}](https://courses.example/${title.toLowerCase()})`;
const labelled = (title: string): string => `${title}: https://courses.example/${title.toLowerCase()}`;

const worldOf = (pages: Pages, line = linked): WorldTools => ({
  read_file: () => ({
    content: `# Courses\n\n${Object.keys(pages)
      .map((title) => `- ${line(title)}\n`)
      .join("")}`,
  }),
  get_page: ({ url }) => {
    const [, said = ""] =
      Object.entries(pages).find(([title]) => JSON.stringify(url).endsWith(`/${title.toLowerCase()}"`)) ?? [];
    if (!said.startsWith("Our")) throw new Error(said);
    return said;
  },
  write_file: () => "ok",
});

const run = (task: string, written: (title: string, page: string) => string, pages = SEEN, line = linked) =>
  recordedIn(worldOf(pages, line), task, (call) => {
    call("read_file", { path: "/home/courses.md" });
    for (const title of Object.keys(pages))
      call("get_page", { url: `https://courses.example/${title.toLowerCase()}` });
    const content = Object.entries(pages).map(([title, page]) => written(title, page));
    call("write_file", { path: "/home/fees.md", content: content.join("") });
  });
const input = ({ params }: Plan): JsonObject =>
  Object.fromEntries(params.map(({ name, example = null }) => [name, example]));
const writtenIn = async (plan: Plan, pages: Pages, line = linked): Promise<string> => {
  const last = (await callsIn(runner, plan, worldOf(pages, line), input(plan))).at(-1) ?? "";
  return last.startsWith("write_file ") ? String(JSON.parse(last.slice(11)).content) : last.slice(0, 6);
};
const amountOf = (page: string): string | undefined => /Fee: (.+)/.exec(page)?.[1];

const INSTEAD = `Write what the courses in /home/courses.md cost to /home/fees.md, a line "Course: fee" for each. If a page is gone, write "no longer offered" there.`;
const instead = (title: string, page: string): string =>
  `${title}: ${amountOf(page) ?? "no longer offered"}\n`;
const GONE_ONLY =
  "Look at the pages of all courses in /home/courses.md and list in /home/fees.md those that cannot be opened";
const goneOnly = (title: string, page: string): string => (page === GONE ? `* ${title}\n` : "");
const REST_ONLY =
  "List what the courses in /home/courses.md cost in /home/fees.md, and leave out those whose page is missing";
const restOnly = (title: string, page: string): string =>
  page === GONE ? "" : `* ${title}: ${amountOf(page)}\n`;

describe("rounds in which a look fails are told from the others", () => {
  test.each<readonly [string, (title: string, page: string) => string]>([
    [INSTEAD, instead],
    [GONE_ONLY, goneOnly],
    [REST_ONLY, restOnly],
  ])("%s", async (task, written) => {
    const { plan } = learned([run(task, written)]);
    expect(JSON.stringify(plan.params)).not.toContain("Pottery");
    expect(plan.questions).not.toEqual([]);
    const expected = Object.entries(OTHER).map(([title, page]) => written(title, page));
    expect(await writtenIn(plan, OTHER)).toBe(expected.join(""));
  });

  test.each<readonly [string, Pages]>([
    ["another failure", { ...OTHER, Yoga: "Request failed with status code 500 Internal Server Error" }],
    ["a page of another form", { ...OTHER, Yoga: "Our courses are small.\n\nAsk us for the fee." }],
  ])("%s stops the skill", async (_, pages) => {
    const { plan } = learned([run(INSTEAD, instead)]);
    expect(await writtenIn(plan, pages)).toBe("stops:");
  });

  test("names before which nothing stands are no labels", async () => {
    const { plan } = learned([run(GONE_ONLY, goneOnly, SEEN, labelled)]);
    expect(await writtenIn(plan, OTHER, labelled)).toBe("* Archery\n* Weaving\n");
  });

  test("where no page is gone, a list of those that are stops the skill", async () => {
    const { plan } = learned([run(GONE_ONLY, goneOnly)]);
    expect(await writtenIn(plan, { Dancing: fee("12.25"), Zumba: fee("7.00") })).toBe("stops:");
  });

  test.each<readonly [string, string, (title: string, page: string) => string, Pages]>([
    [
      "the task does not speak of what fails",
      "Write the course fees in /home/courses.md to /home/fees.md, a line for each.",
      restOnly,
      SEEN,
    ],
    [
      "some of the others are written, too",
      GONE_ONLY,
      (title, page) => (page === GONE || title === "Sailing" ? `* ${title}\n` : ""),
      SEEN,
    ],
  ])("what is written is the caller's where %s", (_, task, written, pages) => {
    const { plan } = learned([run(task, written, pages)]);
    expect(plan.params.map(({ example }) => example)).toContain(
      Object.entries(pages)
        .map(([title, page]) => written(title, page))
        .join(""),
    );
  });

  test("acts that fail are never passed over", () => {
    const task = "Send the invites in /home/courses.md, and list in /home/fees.md those that cannot be sent";
    const tools: WorldTools = { ...worldOf(SEEN), send_invite: worldOf(SEEN)["get_page"] ?? (() => null) };
    const trace = recordedIn(tools, task, (call) => {
      call("read_file", { path: "/home/courses.md" });
      for (const title of Object.keys(SEEN))
        call("send_invite", { url: `https://courses.example/${title.toLowerCase()}` });
      const content = Object.entries(SEEN).map(([title, page]) => goneOnly(title, page));
      call("write_file", { path: "/home/fees.md", content: content.join("") });
    });
    const { plan } = learned([trace]);
    expect(plan.params.map(({ example }) => example)).toContain("* Fencing\n* Origami\n");
  });
});
