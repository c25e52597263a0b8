import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { type Told, traceOf } from "../learned.ts";
import { callsIn } from "../live.ts";
import { runner } from "../../shared-threads.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const read = (path: string, content: string): Told => ["files.read_text_file", { path }, { content }];
const written = (path: string, content: string): Told => [
  "files.write_file",
  { path, content },
  { content: "written" },
];

async function draftOf(task: string, calls: readonly Told[]) {
  const draft = await real.of([traceOf(task, calls)]);
  const verified = await real.verified(draft.name);
  return {
    plan: draft.plan,
    said: draft.plan.params.map(({ name, example }) => [name, example]),
    open: (draft.plan.questions ?? []).map(({ kind, path }) => [kind, ...path].join(" ")),
    failing: failing(verified),
  };
}

const LETTER = "Dear {{name}},\n\nwe meet on {{day}} in the hall.\n\nBring this letter, {{name}}.\n";
const FILLED = "Dear Bo Hu,\n\nwe meet on 2026-03-04 in the hall.\n\nBring this letter, Bo Hu.\n";
const fill = async () =>
  draftOf("Make out/a.txt of letters/meeting.txt, where {{name}} is Bo Hu and {{day}} is 2026-03-04.", [
    read("letters/meeting.txt", LETTER),
    written("out/a.txt", FILLED),
  ]);

describe("an earlier text in which several parts are others", () => {
  test("is a template whose gaps the caller fills", async () => {
    expect(await fill()).toMatchObject({
      said: [
        ["readPath", "letters/meeting.txt"],
        ["writePath", "out/a.txt"],
        ["name", "Bo Hu"],
        ["day", "2026-03-04"],
      ],
      open: [],
      failing: [],
    });
  });

  test.each([
    [
      "another",
      "To {{name}}: {{day}}!\n",
      'files.write_file {"path":"b","content":"To Cy Ek: 2026-05-06!\\n"}',
    ],
    [
      "one that has no such gap",
      "To {{who}}: {{day}}!\n",
      "stops: A part of a text stands there at no place, or in a longer word",
    ],
  ])("of %s is made for another", async (_, content, last) => {
    const { plan } = await fill();
    const tools = {
      "files.read_text_file": () => ({ content }),
      "files.write_file": () => ({ content: "" }),
    };
    const input = { readPath: "a", writePath: "b", name: "Cy Ek", day: "2026-05-06" };
    expect((await callsIn(runner, plan, tools, input)).at(-1)).toBe(last);
  });

  const CONFIG = "name: gazebo\nimage: reg.example.org/gazebo:9.5\nport: 3535\nreplicas: 3\n";
  const COPIED = "name: arbour\nimage: reg.example.org/arbour:9.5\nport: 9598\nreplicas: 3\n";

  test("is a copy about something else, of which a labelled value is the caller's", async () => {
    const draft = await draftOf(
      "Make a config for the new service arbour in conf/services: a copy of gazebo.yaml with arbour in place of gazebo, and the port 9598.",
      [read("conf/services/gazebo.yaml", CONFIG), written("conf/services/arbour.yaml", COPIED)],
    );
    const text = "name: shed\nimage: reg.example.org/shed:1.0\nport: 4000\nreplicas: 1\n";
    const tools = { "files.read_text_file": () => ({ content: text }), "files.write_file": () => null };
    const values: Record<string, string> = { gazebo: "shed", arbour: "barn", "9598": "4001" };
    const input = Object.fromEntries(
      draft.plan.params.map(({ name, example }) => [
        name,
        (typeof example === "string" ? example : "").replaceAll(
          /gazebo|arbour|9598/g,
          (word) => values[word] ?? word,
        ),
      ]),
    );
    expect(draft).toMatchObject({ open: [], failing: [] });
    expect((await callsIn(runner, draft.plan, tools, input)).at(-1)).toBe(
      'files.write_file {"path":"conf/services/barn.yaml","content":"name: barn\\nimage: reg.example.org/barn:1.0\\nport: 4001\\nreplicas: 1\\n"}',
    );
  });

  test("is the caller's as a whole where a part is of nobody's saying", async () => {
    const text = FILLED.replace("in the hall", "at noon");
    const draft = await draftOf(
      "Make out/a.txt of letters/meeting.txt, where {{name}} is Bo Hu and {{day}} is 2026-03-04.",
      [read("letters/meeting.txt", LETTER), written("out/a.txt", text)],
    );
    expect(draft.said.map(([, example]) => example)).toContain(text);
  });
});
