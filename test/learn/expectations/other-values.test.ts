import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { learned } from "../learned.ts";
import { recordedIn } from "../live.ts";
import { outcomes, recordOf, type Session, type World } from "../texts/page-sessions.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const PEOPLE = [
  "Cy Ek",
  "Ann-Marie O'Neil",
  "Zoë Åberg",
  "J. R. Smith",
  "Ludwig van Beethoven",
  "de la Cruz",
];
const NO_PEOPLE = [
  "pending",
  "Vacant",
  "on leave",
  "the desk",
  "see T-4",
  "Bo Hu (left)",
  "Bo Hu [away]",
  "Bo Hu -> Ann Berg",
  "-> Ann",
  "formerly Bo Hu",
  "not Bo Hu",
  "ex-Bo Hu",
  "~~Bo Hu~~",
  "Bo Hu?",
  "Bo Hu, Cy Ek",
  "Bo Hu and Cy Ek",
  "@bo",
];

/** A run in which one value is taken from what `written` makes of it, and worlds in which there is another one. */
function taken(
  value: string,
  written: (value: string) => string,
  { good, bad }: Readonly<Record<"good" | "bad", readonly string[]>>,
  field = "who",
): Session {
  const isGood = new Set([value, ...good].map(written));
  return {
    task: ({ ticket }) => `Write to whoever has ${ticket}`,
    acts: (page) =>
      isGood.has(page)
        ? [{ [field]: [value, ...good].find((each) => written(each) === page) ?? "" }]
        : undefined,
    worlds: [value, ...good, ...bad].map((each, nth): World => [{ ticket: `T-${nth + 300}` }, written(each)]),
  };
}

const people = (written: (who: string) => string): Session =>
  taken("Dora Linden", written, { good: PEOPLE, bad: NO_PEOPLE });

const JOBS: readonly (readonly [string, string])[][] = [
  [
    ["rffqbyz", "failed"],
    ["xsry7et", "done"],
    ["c5b2fun", "failed"],
    ["xry4dbw", "waiting"],
  ],
  [
    ["abc1xyz", "done"],
    ["d2xoakl", "failed"],
  ],
  [
    ["abc1xyz", "running"],
    ["d2xoakl", "failed"],
  ],
  [
    ["abc1xyz", "failed twice"],
    ["d2xoakl", "failed"],
  ],
  [
    ["abc1xyz", "not failed"],
    ["d2xoakl", "failed"],
  ],
  [
    ["abc1xyz", "Failed"],
    ["d2xoakl", "failed"],
  ],
  [
    ["abc1xyz", "failed_for_good"],
    ["d2xoakl", "failed"],
  ],
  [
    ["abc1xyz", "❌ failed"],
    ["d2xoakl", "failed"],
  ],
];

/** Runs what is in a state, where states are as they are written in a job's line. */
const failed = (written: (jobs: readonly (readonly [string, string])[]) => string): Session => ({
  task: ({ queue, state }) => `Retry all jobs of ${queue} that have ${state}`,
  acts: (page) => {
    const jobs = JOBS.find((each) => written(each) === page) ?? [];
    return jobs.some(([, state]) => state !== "failed" && /failed/i.test(state))
      ? undefined
      : jobs.flatMap(([job, state]) => (state === "failed" ? [{ job }] : []));
  },
  worlds: JOBS.map((jobs, nth): World => [{ queue: `q-${nth}`, state: "failed" }, written(jobs)]),
});

const SESSIONS: Readonly<Record<string, Session>> = {
  "a person behind a label": people((who) => `Ticket of today\nAssignee: ${who}\nPriority: low`),
  "a person in JSON": people((assignee) => JSON.stringify({ assignee, priority: "low" })),
  "a person in a line": people((who) => `T [open] ${who} - Mend the oar`),
  "a person in a sentence": people((who) => `The ticket of today is assigned to ${who} since Monday.`),
  "a code": taken(
    "bk-913",
    (id) => JSON.stringify({ backup: id, by: "ann" }),
    { good: ["bk-1", "BK-7", "w77"], bad: ["see bk-1", "bk-1, bk-2", "bk-1 (old)", "pending"] },
    "id",
  ),
  "a thing": taken(
    "Mend the oar",
    (title) => JSON.stringify({ title, by: "ann" }),
    {
      good: ["sell it", "Paint (red)", "A -> B"],
      bad: ["~~Mend it~~", "✓ Mend it", "-> Mend it", "Mend it ✅"],
    },
    "title",
  ),
  "a number": {
    task: ({ ticket }) => `Close ${ticket}`,
    acts: (page) => {
      const [, id = ""] = /: (\S+),/.exec(page) ?? [];
      return /^\d{1,15}$/.test(id) ? [{ number: Number(id) }] : undefined;
    },
    worlds: ["4711", "12", "12345678901234567890", "9007199254740993.0", '"0042"', "1.5e30"].map(
      (id, nth): World => [{ ticket: `T-${nth + 300}` }, `{"ticket": ${id}, "by": "Bo Hu"}`],
    ),
  },
  "a text that becomes a number": {
    task: ({ ticket }) => `Close ${ticket}`,
    acts: (page) => {
      const [, id = ""] = /: "([^"]*)"/.exec(page) ?? [];
      return /^[1-9]\d{0,14}$/.test(id) ? [{ number: Number(id) }] : undefined;
    },
    worlds: ["471133", "12", "0042", "12345678901234567890", "9007199254740993", "1e3", "T-5"].map(
      (id, nth): World => [{ ticket: `T-${nth + 300}` }, `{"ticket": "${id}", "by": "Bo Hu"}`],
    ),
  },
  "a number that becomes a text": {
    task: ({ ticket }) => `Close ${ticket}`,
    acts: (page) => {
      const [, id = ""] = /: "?([^",]*)/.exec(page) ?? [];
      return /^\d+$/.test(id) ? [{ id }] : undefined;
    },
    worlds: ["471133", "12", '"0042"', "12345678901234567890", "12345678901234567890.0", "1e21", "null"].map(
      (id, nth): World => [{ ticket: `T-${nth + 300}` }, `{"ticket": ${id}, "by": "Bo Hu"}`],
    ),
  },
  "a state in JSON": failed((jobs) => JSON.stringify({ jobs: jobs.map(([id, status]) => ({ id, status })) })),
  "a state in a table": failed(
    (jobs) =>
      `| Job | Status | By |\n|---|---|---|\n${jobs.map(([id, state], nth) => `| ${id} | ${state} | b${nth} |`).join("\n")}`,
  ),
  "a state in lines": failed((jobs) =>
    jobs.map(([id, state], nth) => `Job ${id} (b${nth}): ${state} after ${nth + 3} s`).join("\n"),
  ),
};

describe("what is of another kind than in the run, or nearly what is told by, stops the skill", () => {
  test.each(Object.entries(SESSIONS))("%s", async (_, session) => {
    const { made, wanted } = await outcomes(session);
    expect(made).toEqual(wanted);
  });
});

test("where a run has a state and nearly that, they are two", async () => {
  const write = (jobs: readonly (readonly [string, string])[]): string =>
    JSON.stringify({ jobs: jobs.map(([id, status]) => ({ id, status })) });
  const seen = [
    ["rffqbyz", "failed"],
    ["xsry7et", "failed twice"],
    ["c5b2fun", "failed"],
  ] as const;
  const { made, wanted } = await outcomes({
    task: ({ queue, state }) => `Retry all jobs of ${queue} that have ${state}`,
    acts: (page) => {
      const { jobs } = JSON.parse(page) as { jobs: { id: string; status: string }[] };
      return jobs.flatMap(({ id, status }) => (status === "failed" ? [{ job: id }] : []));
    },
    worlds: [
      [{ queue: "q-1", state: "failed" }, write(seen)],
      [
        { queue: "q-2", state: "failed" },
        write([
          ["abc1xyz", "failed twice"],
          ["d2xoakl", "failed"],
        ]),
      ],
    ],
  });
  expect(made).toEqual(wanted);
});

test("what an argument may be is as all runs had it", () => {
  const page = (who: string): string => `Ticket of today\nAssignee: ${who}\nPriority: low`;
  const run = (who: string, ticket: string) =>
    recordOf({ task: () => `Write to whoever has ${ticket}`, acts: () => [{ who }], worlds: [] }, [
      { ticket },
      page(who),
    ]);
  const kindsOf = (...who: readonly string[]) =>
    JSON.stringify(learned(who.map((each, nth) => run(each, `T-${nth + 300}`))).plan.steps).match(
      /(?<="as":")\w+/g,
    );
  expect(kindsOf("Dora Linden")).toEqual(["person"]);
  expect(kindsOf("Dora Linden", "Boris")).toEqual(["single"]);
  expect(kindsOf("Dora Linden", "the desk")).toEqual(["text"]);
});

test("what was found in the same way is found as an answer says, of whatever kind each value is", async () => {
  const orders = [
    { id: "#W2000111", placed: "2026-01-03T10:00:00Z", total: 20 },
    { id: "#W2000777", placed: "2026-03-03T10:00:00Z", total: 35.5 },
    { id: "#W2000555", placed: "2026-02-03T10:00:00Z", total: 12 },
  ];
  const run = recordedIn(
    { "shop.find": () => ({ user: "u_77", orders }), "shop.refund": () => ({ done: true }) },
    "Refund the latest order of ann@example.org",
    (call) => {
      call("shop.find", { email: "ann@example.org" });
      call("shop.refund", { order_id: "#W2000777", on: "2026-03-03T10:00:00Z" });
    },
  );
  const draft = await real.of([run]);
  const leaf = { step: "refundResult", path: ["order_id"] };
  const { plan } = await real.revised(draft, [{ kind: "flow", leaf, choose: 2 }]);
  expect(plan.params.map(({ name }) => name)).toEqual(["email"]);
});

test.each(["a person in JSON", "a state in JSON", "a code"])("it holds in twins: %s", async (name) => {
  const session = SESSIONS[name];
  const [world] = session?.worlds ?? [];
  if (!session || !world) throw new Error(name);
  const draft = await real.of([recordOf(session, world)]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
});
