import type { JsonObject } from "../../../src/core/json/json.ts";
import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { learned } from "../learned.ts";
import { firstRun, outcomes, runOn, type Session } from "./page-sessions.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const part = (page: string, form: RegExp): string | undefined => form.exec(page)?.[1];
const act = (name: string, value: string | undefined): readonly JsonObject[] | undefined =>
  value === undefined ? undefined : [{ [name]: value }];
const every = (page: string, form: RegExp): readonly (readonly string[])[] =>
  [...page.matchAll(form)].map(([, ...parts]) => parts);

/** The names of the lines above a line of an outline, with its own. */
function pathTo(page: string, name: string | undefined, mark: string): string | undefined {
  const found: string[] = [];
  const open: string[] = [];
  for (const line of page.split("\n")) {
    const [, lead = "", said = ""] = /^([\s│├└─]*)(?:- )?(.*)$/.exec(line) ?? [];
    open.length = Math.min(open.length, Math.ceil(lead.length / (lead.includes("─") ? 4 : 2)));
    open.push(said);
    if (said === name) found.push(open.join(mark));
  }
  return found.length === 1 ? found[0] : undefined;
}

/** In each, the first world is learned from; in the last of most, what is looked for is not there, or twice. */
const SESSIONS: Readonly<Record<string, Session>> = {
  "a page's path in an outline": {
    task: ({ page }) => `Open the page "${page}" by its path`,
    acts: (text, { page }) => act("path", pathTo(text, page, "/")),
    worlds: [
      [{ page: "Plan 47" }, "wool\n  Costs 27\ncork\n  Plan 21\nbrass\n  Costs 86\n  Plan 47"],
      [{ page: "Costs 5" }, "flax\n  Costs 5\n  Notes\n    Old\nhemp\n  Plan 9"],
      [{ page: "Notes" }, "flax\n  Notes\nhemp\n  Notes"],
      [{ page: "Plan 3" }, "flax\n  Notes\nhemp\n  Plan 4"],
    ],
  },
  "a path in an outline with other marks": {
    task: ({ page }) => `Visit "${page}" by its path`,
    acts: (text, { page }) => act("path", pathTo(text, page, " > ")),
    worlds: [
      [{ page: "Oak 73" }, "- Trees\n  - Old trees\n    - Oak 73\n    - Notes\n- Herbs\n  - Mint 41"],
      [{ page: "Mint 8" }, "- Trees\n  - Oak 73\n- Herbs\n  - In pots\n    - Mint 8"],
    ],
  },
  "a file's path in a drawn tree": {
    task: ({ file }) => `Remove ${file}, wherever it is`,
    acts: (text, { file }) => act("path", pathTo(text, file, "/")),
    worlds: [
      [{ file: "a-76.bak" }, "/srv/x\n├── oak\n│   ├── a-76.bak\n│   └── b.md\n└── elm\n    └── c.txt"],
      [{ file: "d-5.bak" }, "/srv/y\n├── oak\n│   └── b.md\n└── elm\n    └── deep\n        └── d-5.bak"],
      [{ file: "d-5.bak" }, "/srv/y\n├── oak\n│   └── d-5.bak\n└── elm\n    └── d-5.bak"],
    ],
  },
  "a path only where it is clear what the names in it are": {
    task: ({ file }) => `Remove ${file} wherever it stands`,
    acts: (text, { file }) =>
      /->|\[\d|x\/y|^\t/m.test(text) ? undefined : act("path", pathTo(text, file, "/")),
    worlds: [
      [{ file: "a-76.bak" }, "/srv/x\n├── oak\n│   ├── a-76.bak\n│   └── b.md\n└── elm\n    └── c.txt"],
      [{ file: "d-5.bak" }, "/srv/y\n├── oak -> /mnt/oak\n│   └── d-5.bak\n└── elm\n    └── c.txt"],
      [{ file: "d-5.bak" }, "/srv/y\n├── oak [12]\n│   └── d-5.bak\n└── elm\n    └── c.txt"],
      [{ file: "d-5.bak" }, "elm\n  c.txt\nx/y\n  d-5.bak"],
      [{ file: "d-5.bak" }, "elm\n\tc.txt\n    d-5.bak"],
    ],
  },
  "what a label says that stands below several others": {
    task: ({ person }) => `Write to ${person} at the office`,
    acts: (text) => act("to", part(text, /Emails:\n(?: {4}- home.*\n)? {4}- work: (.+)$/m)),
    worlds: [
      [
        { person: "Bo Hu" },
        "Bo Hu\n  Emails:\n    - work: bo.9@ex.org\n    - home: bo@home.ex\n  Phones:\n    - work: +1-5\n    - home: +1-4",
      ],
      [
        { person: "Cy Ek" },
        "Cy Ek\n  Phones:\n    - work: +1-7\n  Emails:\n    - home: cy@home.ex\n    - work: cy@ex.org",
      ],
      [{ person: "Cy Ek" }, "Cy Ek\n  Phones:\n    - work: +1-7\n  Emails:\n    - home: cy@home.ex"],
    ],
  },
  "a button in one of several parts of a page": {
    task: ({ area }) => `Remove what is in the part "${area}"`,
    acts: (text, { area }) =>
      act("ref", part(text, new RegExp(`region "${area}".*\\n.*\\n.*"Remove" \\[ref=(\\w+)\\]`))),
    worlds: [
      [
        { area: "Inlet" },
        '- main:\n  - region "Inlet" [ref=e14]:\n    - button "Edit" [ref=e18]\n    - button "Remove" [ref=e24]\n  - region "Birch" [ref=e31]:\n    - button "Edit" [ref=e36]\n    - button "Remove" [ref=e37]',
      ],
      [
        { area: "Cove" },
        '- main:\n  - region "Birch" [ref=e3]:\n    - button "Edit" [ref=e6]\n    - button "Remove" [ref=e7]\n  - region "Cove" [ref=e8]:\n    - button "Edit" [ref=e9]\n    - button "Remove" [ref=e11]',
      ],
      [{ area: "Cove" }, '- main:\n  - region "Birch" [ref=e3]:\n    - button "Edit" [ref=e6]'],
    ],
  },
  "the first of several": {
    task: ({ crash }) => `Blame the first frame of ${crash}`,
    acts: (text) => act("file", part(text, /\((\S+?):\d+:\d+\)/)),
    worlds: [
      [
        { crash: "C-1" },
        "TypeError: no\n    at oak (/srv/oak.js:898:51)\n    at elm (/srv/elm.js:128:41)\n    at fig (/srv/fig.js:31:25)",
      ],
      [{ crash: "C-2" }, "RangeError: no\n    at yew (/srv/yew.js:7:5)\n    at oak (/srv/oak.js:898:51)"],
      [{ crash: "C-3" }, "RangeError: no"],
    ],
  },
  "the latest, with which a list begins": {
    task: ({ repo }) => `Deploy the latest commit of ${repo}`,
    acts: (text) => act("commit", part(text, /^([0-9a-f]{7}) /)),
    worlds: [
      [{ repo: "/r/a" }, "8d3f1a2 Mend the lock\n41c09be Paint the quay\n77ab310 Begin"],
      [{ repo: "/r/b" }, "90e1c44 Raise the mast\n8d3f1a2 Mend the lock"],
    ],
  },
  "the last, with which a list ends": {
    task: ({ service }) => `Report the last request of ${service}`,
    acts: (text) => act("request", every(text, /request (\w+) in/g).at(-1)?.[0]),
    worlds: [
      [
        { service: "web" },
        "10:01 INFO request req_a81 in 31 ms\n10:02 INFO request req_b72 in 7 ms\n10:04 INFO request req_c63 in 18 ms",
      ],
      [{ service: "api" }, "10:01 INFO request req_x1 in 3 ms\n10:02 INFO request req_y2 in 71 ms"],
    ],
  },
  "places, codes and words inside of lines": {
    task: ({ project }) => `Build ${project} and mark each error`,
    acts: (text) => {
      const errors = every(text, /^(\S+)\((\d+),\d+\): error \w+: (.+)$/gm);
      return String(errors.length) === part(text, /Found (\d+) errors/)
        ? errors.map(([file = "", line, words = ""]) => ({ file, line: Number(line), words }))
        : undefined;
    },
    worlds: [
      [
        { project: "app-34" },
        "> app-34@1.0.0 build\n\nsrc/oak.ts(343,61): error TS2828: Cannot find name 'elm'.\nsrc/fig.ts(581,74): error TS2539: Cannot find name 'yew'.\n\nFound 2 errors.",
      ],
      [
        { project: "app-35" },
        "> app-35@2.1.0 build\n\nsrc/a/elm.ts(7,1): error TS2345: Type 'a' is no 'b'.\nsrc/yew.ts(812,33): error TS1005: ';' expected.\nsrc/fig.ts(12,3): error TS2304: Cannot find name 'oak'.\n\nFound 3 errors.",
      ],
      [
        { project: "app-36" },
        "> app-36@2.1.0 build\n\nsrc/oak.ts(343,61): error TS2828: Cannot find name 'elm'.\n\nFound 4 errors.",
      ],
    ],
  },
  "those lines of a form among others, unless one beside them is nearly of it": {
    task: ({ target }) => `Build ${target} and mark each error`,
    acts: (text) => {
      const errors = every(text, /^(\S+?):(\d+):\d+: error: '\w+' undeclared$/gm);
      return /warning/.test(text)
        ? undefined
        : errors.map(([file = "", line]) => ({ file, line: Number(line) }));
    },
    worlds: [
      [
        { target: "oar" },
        "cc -c main.c\nsrc/oak.c:155:21: error: 'elm' undeclared\nlib/fig.c:524:29: error: 'yew' undeclared\nmake: *** [oar] Error 1",
      ],
      [
        { target: "bow" },
        "cc -c main.c\nsrc/a.c:7:2: error: 'b' undeclared\nlib/c.c:81:3: error: 'd' undeclared\nx/y.c:9:9: error: 'z' undeclared\nmake: *** [bow] Error 1",
      ],
      [
        { target: "hull" },
        "cc -c main.c\nsrc/a.c:7:2: error: 'b' undeclared\nlib/c.c:81:3: warning: 'd' undeclared\nmake: *** [hull] Error 1",
      ],
    ],
  },
  "the one of a list behind which a remark stands": {
    task: ({ customer }) => `Charge the default card of ${customer}`,
    acts: (text) => act("card", part(text, /id (\w+) \(default\)$/m)),
    worlds: [
      [
        { customer: "c1" },
        "Cards of c1:\n\n- Visa ending in 3863, id pm_6hf2\n- Visa ending in 8737, id pm_c7mv (default)\n- Mastercard ending in 6382, id pm_pw54",
      ],
      [
        { customer: "c2" },
        "Cards of c2:\n\n- Visa ending in 11, id pm_1 (default)\n- Visa ending in 12, id pm_2",
      ],
      [{ customer: "c3" }, "Cards of c3:\n\n- Visa ending in 11, id pm_1\n- Visa ending in 12, id pm_2"],
    ],
  },
  "those of a list that have the state of which the task speaks": {
    task: ({ queue, state }) => `Retry all jobs of ${queue} that have ${state}`,
    acts: (text, { state }) =>
      every(text, new RegExp(`^Job (\\w+) \\(\\w+\\): ${state}`, "gm")).map(([job = ""]) => ({ job })),
    worlds: [
      [
        { queue: "hemp", state: "failed" },
        "Queue hemp, 4 jobs\nJob xsry7et (slate): done after 80 s\nJob rffqbyz (copper): failed after 8 s\nJob c5b2fun (willow): failed after 40 s\nJob xrydbw5 (chalk): waiting after 2 s",
      ],
      [
        { queue: "flax", state: "failed" },
        "Queue flax, 2 jobs\nJob abc (slate): failed after 1 s\nJob d2 (oak): done after 3 s",
      ],
    ],
  },
  "a value behind the word that an argument is called by": {
    task: ({ mail }) => `Check in with what ${mail} says, on its seat`,
    acts: (text) => {
      const [found = [], ...others] = every(text, /in seat (\w+),/g);
      return others.length > 0 ? undefined : act("seat", found[0]);
    },
    worlds: [
      [{ mail: "m1" }, "Dear Bo Hu,\n\nYou fly on 2026-07-21 in seat 23C, and may take 10 kg."],
      [{ mail: "m2" }, "Dear Cy Ek,\n\nYou fly on 2026-11-02 in seat 4A, and may take 23 kg."],
      [{ mail: "m3" }, "Dear Cy Ek,\n\nYou fly in seat 4A, and then in seat 9F, and may take 23 kg."],
      [{ mail: "m4" }, "Dear Cy Ek,\n\nYour flight was cancelled."],
    ],
  },
  "an amount behind a word at the begin of its line": {
    task: ({ bill }) => `Bezahle ${bill}`,
    acts: (text) => {
      const said = part(text, /^Gesamtbetrag ([\d.,]+) €$/m);
      return said === undefined ? undefined : [{ sum: Number(said.replace(".", "").replace(",", ".")) }];
    },
    worlds: [
      [{ bill: "R-1" }, "Rechnung\n\nZwischensumme 252,00 €\nMwSt. 19 % 80,78 €\nGesamtbetrag 7.608,83 €"],
      [{ bill: "R-2" }, "Rechnung\n\nZwischensumme 1.000,00 €\nGesamtbetrag 1.190,00 €"],
      [{ bill: "R-3" }, "Rechnung\n\nZwischensumme 1.000,00 €"],
    ],
  },
  "one of two that a label of words of its form tells": {
    task: ({ person }) => `Call ${person} on the mobile`,
    acts: (text) => act("phone", part(text, /^TEL;TYPE=CELL:(.+)$/m)),
    worlds: [
      [{ person: "Bo Hu" }, "FN:Bo Hu\nTEL;TYPE=WORK,VOICE:+49-630-6350\nTEL;TYPE=CELL:+49-109-5117"],
      [{ person: "Cy Ek" }, "FN:Cy Ek\nTEL;TYPE=CELL:+49-7\nTEL;TYPE=WORK,VOICE:+49-8"],
      [{ person: "Cy Ek" }, "FN:Cy Ek\nTEL;TYPE=WORK,VOICE:+49-8"],
    ],
  },
  "one of two that a kind tells, of which there are more": {
    task: ({ remote }) => `Mirror the remote ${remote}`,
    acts: (text, { remote }) => act("url", part(text, new RegExp(`^${remote}\\t(\\S+) \\(fetch\\)$`, "m"))),
    worlds: [
      [
        { remote: "fork" },
        "origin\tgit@a.ex.org:o.git (fetch)\norigin\tgit@a.ex.org:o.git (push)\nfork\tgit@b.ex.org:f.git (fetch)\nfork\tgit@p.ex.org:f.git (push)",
      ],
      [{ remote: "spare" }, "spare\tgit@c.ex.org:s.git (fetch)\nspare\tgit@d.ex.org:s.git (push)"],
      [{ remote: "fork" }, "spare\tgit@c.ex.org:s.git (fetch)\nspare\tgit@d.ex.org:s.git (push)"],
    ],
  },
  "one of several sentences that differ in what the task says": {
    task: ({ thing }) => `Note the price of the ${thing}`,
    acts: (text, { thing }) => {
      const said = part(text, new RegExp(`price of the ${thing} is (\\d+) EUR`));
      return said === undefined ? undefined : [{ value: Number(said) }];
    },
    worlds: [
      [{ thing: "lamp" }, "The price of the lamp is 1510 EUR.\nThe price of the sofa is 2040 EUR."],
      [{ thing: "desk" }, "The price of the sofa is 1810 EUR.\nThe price of the desk is 930 EUR."],
      [{ thing: "rug" }, "The price of the sofa is 1810 EUR.\nThe price of the desk is 930 EUR."],
    ],
  },
  "a word for nothing, a remark or an error where somebody was": {
    task: ({ ticket }) => `Ping the assignee of ${ticket}`,
    acts: (text) => {
      const who = part(text, /^Assignee: (\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+)$/mu);
      return act("who", who);
    },
    worlds: [
      [{ ticket: "T-1" }, "Ticket T-1\nAssignee: Bo Hu\nPriority: low"],
      [{ ticket: "T-2" }, "Ticket T-2\nAssignee: Cy Ek\nPriority: high"],
      ...["Unassigned", "TBD", "nobody", "(away)", "<none yet>", "error: no such user", "to be decided"].map(
        (who) => [{ ticket: "T-3" }, `Ticket T-3\nAssignee: ${who}\nPriority: low`] as const,
      ),
    ],
  },
  "how many lines there are, where the task asks for it": {
    task: ({ team }) => `Post how many tickets ${team} has`,
    acts: (text) => [{ count: every(text, /^#(\d+)/gm).length }],
    worlds: [
      [{ team: "oak" }, "#186 Mend the oar\n#725 Find the key\n#265 Paint it\n#931 Sell it"],
      [{ team: "elm" }, "#18 Mend the lock\n#7 Find the cat"],
    ],
  },
  "the digits of an id that no number can be": {
    task: ({ thread }) => `Close the thread ${thread}`,
    acts: (text) => act("id", part(text, /"id": (\d+)/)),
    worlds: [
      [{ thread: "t1" }, '{"id": 1234567890123456789, "state": "open"}'],
      [{ thread: "t2" }, '{"id": 9007199254740993, "state": "open"}'],
    ],
  },
};

describe("what was learned from one text is done by another that says", () => {
  test.each(Object.keys(SESSIONS))("%s", async (name) => {
    const session = SESSIONS[name];
    if (!session) throw new Error(name);
    const { made, wanted } = await outcomes(session);
    expect(made).toEqual(wanted);
  });
});

test.each(["a page's path in an outline", "the first of several", "places, codes and words inside of lines"])(
  "it holds in twins: %s",
  async (name) => {
    const draft = await real.of([firstRun(SESSIONS, name)]);
    expect(failing(await real.verified(draft.name))).toEqual([]);
  },
);

test("the latest of what has days is no position", () => {
  const page =
    "Order O-91 of 2026-05-03: 12 EUR\nOrder O-77 of 2026-04-02: 80 EUR\nOrder O-13 of 2026-03-01: 31 EUR";
  const run = runOn(page, "Cancel the latest order of Bo Hu", [{ order: "O-91" }], { customer: "Bo Hu" });
  expect(JSON.stringify(learned([run]).plan.steps)).not.toContain('"nth"');
});

test("a sentence about what the task names is not read of anything else", () => {
  const run = runOn("The price of the lamp is 1510 EUR.", "Note the price of the lamp", [{ value: 1510 }]);
  const { plan } = learned([run]);
  expect(JSON.stringify(plan.steps)).not.toContain("of the lamp");
});

test("what a text tells is put together with the program's own words", () => {
  const page = "Total due: $1,428.00\nPlease pay to DE44500105175407324931 by May.";
  const run = runOn(page, "Note the total and the account to pay to", [
    { note: "$1,428.00 to DE44500105175407324931" },
  ]);
  expect(learned([run]).plan.params.map(({ example }) => example)).toEqual(["p"]);
});

test("a whole list of plain values is the text's, and nobody has to say it", () => {
  const page =
    "Repository status:\nOn branch oak\nChanges not staged for commit:\n" +
    '  (use "git add <file>..." to update what will be committed)\n\tmodified:   f1.txt\n\tmodified:   f3.txt\n\n' +
    'no changes added to commit (use "git add" and/or "git commit -a")';
  const run = runOn(page, "Stage the modified files", [{ files: ["f1.txt", "f3.txt"] }]);
  expect(learned([run]).plan.params.map(({ example }) => example)).toEqual(["p"]);
});
