import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/learn/plan/plan.ts";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

type Pages = Readonly<Record<string, string>>;

const SITE = "http://boats.example.org";
const LIST = `${SITE}/ads?page=3`;

interface Boat {
  readonly id: number;
  readonly title: string;
  readonly price: string;
}

const page = ({ title, price }: Boat): string =>
  `## ${title}\n\nPrice: ${price}\n\nLength: 8 metres, built in 1989.\n\nPlease call Ann Lee.`;

/** A site that links to its pages by their paths. */
const site = (boats: readonly Boat[]): Pages => ({
  [LIST]: `All boats, the newest ad first.\n\n${boats.map(({ id, title }) => `* [${title}](/ads/${id})`).join("\n")}`,
  ...Object.fromEntries(boats.map((boat) => [`${SITE}/ads/${boat.id}`, page(boat)])),
});

const web = (pages: Pages): WorldTools => ({
  "web.fetch": ({ url }) => `Contents of ${url as string}:\n${pages[url as string] ?? "<error>404</error>"}`,
  "fs.write": () => "ok",
});

const BOATS: readonly Boat[] = [
  { id: 9811, title: "Old sloop", price: "3500 euros" },
  { id: 9920, title: "Red yawl", price: "5200 euros" },
  { id: 9377, title: "Small ketch", price: "4000 euros" },
  { id: 9402, title: "Tug", price: "9000 euros" },
];
const OTHERS: readonly Boat[] = [
  { id: 7001, title: "Dory", price: "900 euros" },
  { id: 7002, title: "Cutter", price: "12000 euros" },
  { id: 7003, title: "Punt", price: "120 euros" },
];

function learnedFrom(task: string, written: string): Plan {
  const run = recordedIn(web(site(BOATS)), task, (call) => {
    for (const url of Object.keys(site(BOATS))) call("web.fetch", { url });
    call("fs.write", { path: "/ok.md", content: written });
  });
  const effects = [
    { tool: "web.fetch", operation: "READ", by: "server" },
    { tool: "fs.write", operation: "WRITE", by: "server" },
  ] as const;
  return learned([run], { effects }).plan;
}

const isAsked = ({ params }: Plan): boolean =>
  params.some(({ example }) => typeof example === "string" && example.includes("\n"));

async function writtenFor(plan: Plan, boats: readonly Boat[], limit: number): Promise<string> {
  const given = Object.fromEntries(
    plan.params.map(({ name, example = null }) => [name, example === 4000 ? limit : example]),
  );
  const last = (await callsIn(runner, plan, web(site(boats)), given)).at(-1) ?? "";
  if (last.startsWith("stops")) return last;
  return (JSON.parse(last.slice("fs.write ".length)) as { content: string }).content;
}

const TASK = `Open every ad on ${LIST} and list those that cost 4000 euros in all or less in /ok.md, like "- Dinghy: 300".`;
const WRITTEN = "- Old sloop: 3500\n- Small ketch: 4000\n";

describe("pages that say no more than what the caller says", () => {
  test("are listed, with a question", async () => {
    const plan = learnedFrom(TASK, WRITTEN);
    expect(isAsked(plan)).toBe(false);
    expect(plan.questions?.map(({ kind }) => kind)).toContain("text");
    expect(await writtenFor(plan, OTHERS, 4000)).toBe("- Dory: 900\n- Punt: 120\n");
    expect(await writtenFor(plan, OTHERS, 900)).toBe("- Dory: 900\n- Punt: 120\n");
    expect(await writtenFor(plan, OTHERS, 899)).toBe("- Punt: 120\n");
  });

  test.each([
    ["none does", OTHERS, 100],
    ["one says it in another unit", [...OTHERS, { id: 7004, title: "Skiff", price: "300 pounds" }], 4000],
    ["one says no number", [...OTHERS, { id: 7004, title: "Skiff", price: "on request" }], 4000],
    [
      "one has a sign that could mean two things",
      [...OTHERS, { id: 7004, title: "Skiff", price: "1.250 euros" }],
      4000,
    ],
    ["one is not there", [...OTHERS.slice(1), { id: 7004, title: "Skiff", price: "" }], 4000],
  ])("stop where %s", async (_, boats, limit) => {
    expect(await writtenFor(learnedFrom(TASK, WRITTEN), boats, limit)).toMatch(/^stops: /);
  });

  test.each([
    [
      "the task says no limit",
      TASK.replace("that cost 4000 euros in all or less", "of the 4000 that I like"),
    ],
    ["others are listed", TASK, "- Old sloop: 3500\n- Red yawl: 5200\n"],
    ["the limit is another", TASK.replace("4000", "3600")],
  ])("stay the caller's where %s", (_, task, written = WRITTEN) => {
    expect(isAsked(learnedFrom(task, written))).toBe(true);
  });
});

test("all pages that one links to by their paths are listed, and no loop over what the caller gives is made", async () => {
  const all = BOATS.map(({ title, price }) => `- ${title}: ${price.split(" ", 1)[0]}\n`).join("");
  const plan = learnedFrom(`Open every ad on ${LIST} and list all in /ok.md, like "- Dinghy: 300".`, all);
  expect(isAsked(plan)).toBe(false);
  expect(await writtenFor(plan, OTHERS, 0)).toBe("- Dory: 900\n- Cutter: 12000\n- Punt: 120\n");
});
