import { expect, test } from "vitest";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

type Files = Readonly<Record<string, string>>;

const disk = (files: Files): WorldTools => ({
  "fs.read": ({ path }) => files[path as string] ?? "",
  "fs.write": () => "ok",
});

/** What is learned where files were read and then one text was written. */
function learnedFrom(files: Files, task: string, path: string, content: string): Plan {
  const run = recordedIn(disk(files), task, (call) => {
    for (const each of Object.keys(files)) call("fs.read", { path: each });
    call("fs.write", { path, content });
  });
  return learned([run]).plan;
}

const isAsked = ({ params }: Plan): boolean =>
  params.some(({ example }) => typeof example === "string" && example.includes("\n"));

/** What a plan writes in another world, with other words of the caller in place of those of the run. */
async function writtenFor(plan: Plan, files: Files, said: Files = {}): Promise<string> {
  const given = Object.fromEntries(
    plan.params.map(({ name, example = null }) => [name, said[example as string] ?? example]),
  );
  const last = (await callsIn(runner, plan, disk(files), given)).at(-1) ?? "";
  if (last.startsWith("stops")) return last;
  return (JSON.parse(last.slice("fs.write ".length)) as { content: string }).content;
}

const PROGRAMME = [
  "# Spring programme\n\nAll are welcome.",
  "## Wild herbs\n\n* 2026-04-03, 10:00 to 12:00\n* 2026-04-10, 10:00 to 12:30\n* 2026-05-08, 10:00 to 12:00",
  "## Pond life\n\n* 2026-04-04, 14:00 to 16:00\n* 2026-04-11, 14:15 to 16:00",
  "## Moths\n\n* 2026-06-04, 21:00 to 23:00\n* 2026-06-11, 21:00 to 23:00\n",
].join("\n\n");
const CALENDAR = "# Calendar\n\n- 2026-03-11 09:20 Dentist\n- 2026-03-19 12:00 Lunch with Mia Berg\n";
const ADDED = "- 2026-04-04 14:00 Pond life\n- 2026-04-11 14:15 Pond life\n";
const TASK =
  'I take part in "Pond life" of /programme.md. Add its dates to the end of /cal.md as the others are, like "- 2026-01-31 18:00 Knitting".';
const OTHERS = {
  "/programme.md":
    "# Autumn\n\nCome!\n\n## Mushrooms\n\n* 2026-09-03, 08:00 to 12:00\n* 2026-09-10, 08:30 to 12:30\n* 2026-10-08, 08:00 to 12:00\n\n## Owls\n\n* 2026-11-04, 22:00 to 23:00\n",
  "/cal.md": "# Mine\n\n- 2026-08-11 09:20 Haircut\n",
};

test("what stands below a heading that the caller says is written, with the heading, behind an earlier text", async () => {
  const plan = learnedFrom(
    { "/programme.md": PROGRAMME, "/cal.md": CALENDAR },
    TASK,
    "/cal.md",
    `${CALENDAR}${ADDED}`,
  );
  expect(plan.params.map(({ example }) => example)).toEqual(["/programme.md", "/cal.md", "Pond life"]);
  expect(await writtenFor(plan, OTHERS, { "Pond life": "Mushrooms" })).toBe(
    `${OTHERS["/cal.md"]}- 2026-09-03 08:00 Mushrooms\n- 2026-09-10 08:30 Mushrooms\n- 2026-10-08 08:00 Mushrooms\n`,
  );
  expect(await writtenFor(plan, OTHERS, { "Pond life": "Owls" })).toBe(
    `${OTHERS["/cal.md"]}- 2026-11-04 22:00 Owls\n`,
  );
});

test.each([
  ["there is no such heading", OTHERS["/programme.md"], "Moths"],
  [
    "the heading stands there twice",
    `${OTHERS["/programme.md"]}\n## Owls\n\n* 2026-12-01, 7:00 to 8:00\n`,
    "Owls",
  ],
  [
    "a line below it is written otherwise",
    OTHERS["/programme.md"].replace("22:00 to", "22:00 until"),
    "Owls",
  ],
  ["nothing stands below it", OTHERS["/programme.md"].replace("* 2026-11-04, 22:00 to 23:00\n", ""), "Owls"],
])("stops where %s", async (_, programme, course) => {
  const plan = learnedFrom(
    { "/programme.md": PROGRAMME, "/cal.md": CALENDAR },
    TASK,
    "/cal.md",
    `${CALENDAR}${ADDED}`,
  );
  const files = { ...OTHERS, "/programme.md": programme };
  expect(await writtenFor(plan, files, { "Pond life": course })).toMatch(/^stops: /);
});

test("what one of several things lists that the caller names is written", async () => {
  const crews = {
    crews: [
      {
        name: "Copper",
        members: [
          { name: "Ann Lee", does: "cook" },
          { name: "Bo Xu", does: "pilot" },
        ],
      },
      {
        name: "Tin",
        members: [
          { name: "Cy Day", does: "cook" },
          { name: "Di Fox", does: "nurse" },
        ],
      },
    ],
  };
  const plan = learnedFrom(
    { "/crews.json": JSON.stringify(crews) },
    'Write the members of the crew Copper in /crews.json to /out.txt, like "- Jo Ray (cook)".',
    "/out.txt",
    "- Ann Lee (cook)\n- Bo Xu (pilot)\n",
  );
  const files = { "/crews.json": JSON.stringify(crews) };
  expect(await writtenFor(plan, files, { Copper: "Tin" })).toBe("- Cy Day (cook)\n- Di Fox (nurse)\n");
  expect(await writtenFor(plan, files, { Copper: "Zinc" })).toMatch(/^stops: /);
});

test("what stands below a heading that the task does not say, or only some of it, stays the caller's", () => {
  const files = { "/programme.md": PROGRAMME };
  const written = "- 2026-04-04 14:00\n- 2026-04-11 14:15\n";
  const likeOthers = 'Write the dates that suit me in /programme.md to /out.md, like "- 2026-01-31 18:00".';
  expect(isAsked(learnedFrom(files, likeOthers, "/out.md", written))).toBe(true);
  const herbs = 'Write dates of "Wild herbs" in /programme.md to /out.md, like "- 2026-01-31 18:00".';
  expect(isAsked(learnedFrom(files, herbs, "/out.md", "- 2026-04-03 10:00\n- 2026-05-08 10:00\n"))).toBe(
    true,
  );
  // The same stands elsewhere, too.
  const twice = { ...files, "/old.md": "* 2026-04-04, 14:00 to 16:00\n* 2026-04-11, 14:15 to 16:00\n" };
  const pond = 'Write the dates of "Pond life" to /out.md, like "- 2026-01-31 18:00".';
  expect(isAsked(learnedFrom(twice, pond, "/out.md", written))).toBe(true);
});
