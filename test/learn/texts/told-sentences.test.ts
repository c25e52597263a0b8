import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { type Told, traceOf } from "../learned.ts";
import { callsIn } from "../live.ts";
import { runner } from "../../shared-threads.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const person = (name: string, ...observations: readonly string[]) => ({ entities: [{ name, observations }] });
const opened = (name: string, ...observations: readonly string[]): Told => [
  "memory.open_nodes",
  { names: [name] },
  person(name, ...observations),
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

describe("a sentence among others that are told of one thing", () => {
  const moved = async () =>
    draftOf("Bo Hu has moved to room A979: correct what you remember.", [
      opened("Bo Hu", "Works on Delta", "Sits in room C916", "Has a key since 2026-08-16"),
      [
        "memory.delete_observations",
        { entityName: "Bo Hu", observations: ["Sits in room C916"] },
        { ok: true },
      ],
      ["memory.add_observations", { entityName: "Bo Hu", contents: ["Sits in room A979"] }, { ok: true }],
    ]);

  test("is found by the words that the one in its place begins with", async () => {
    const draft = await moved();
    expect(draft.said.map(([, example]) => example)).not.toContainEqual(["Sits in room C916"]);
    expect(draft.open).toContain("element observations 0");
    expect(draft.failing).toEqual([]);
  });

  test.each([
    [
      "which says another thing",
      ["Sits in room D1", "Works on Ember"],
      'memory.delete_observations {"entityName":"Cy Ek","observations":["Sits in room D1"]}',
    ],
    ["which is there twice", ["Sits in room D1", "Sits in room D2 on Fridays"], "stops: "],
    ["which is not there", ["Sat in room D1", "Works on Ember"], "stops: "],
  ])("of another, %s", async (_, observations, call) => {
    const { plan } = await moved();
    const tools = { "memory.open_nodes": () => person("Cy Ek", ...observations) };
    const given = plan.params.map(({ name, example }) => {
      const isList = Array.isArray(example);
      return [name, example === "A979" ? "B1" : isList ? ["Cy Ek"] : "Cy Ek"] as const;
    });
    const calls = await callsIn(runner, plan, tools, Object.fromEntries(given));
    expect(calls[1]).toContain(call);
  });

  test("is told by its label, and says what stands behind it", async () => {
    const draft = await draftOf('Write to out/a.txt about Bo Hu: "To:" and the mail address.', [
      opened("Bo Hu", "Likes maps", "Mail: bo.hu@example.org"),
      ["files.write_file", { path: "out/a.txt", content: "To: bo.hu@example.org\n" }, { content: "written" }],
    ]);
    expect(draft.said.map(([, example]) => example)).toEqual([["Bo Hu"], "out/a.txt", "Bo Hu"]);
    expect(draft.failing).toEqual([]);
  });

  test("is what each of several has in its line", async () => {
    const people = {
      entities: [
        { name: "Bo Hu", observations: ["Works at Quill", "Phone: +46 695 3481"] },
        { name: "Cy Ek", observations: ["Phone: +46 152 2922", "Born in 1964"] },
      ],
    };
    const draft = await draftOf("Write the phone numbers of all at Quill to out/a.txt, by their names.", [
      ["memory.search_nodes", { query: "Quill" }, people],
      [
        "files.write_file",
        { path: "out/a.txt", content: "Bo Hu: +46 695 3481\nCy Ek: +46 152 2922" },
        { content: "written" },
      ],
    ]);
    expect(draft.said).toEqual([
      ["query", "Quill"],
      ["path", "out/a.txt"],
    ]);
    expect(draft.failing).toEqual([]);
    const other = { entities: [{ name: "Di Fo", observations: ["Fax: 1", "Born in 1999"] }] };
    const tools = { "memory.search_nodes": () => other };
    expect((await callsIn(runner, draft.plan, tools, { query: "x", path: "b" })).at(-1)).toContain("stops: ");
  });
});
