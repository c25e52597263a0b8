import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ok } from "../../../src/core/result.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { reviseDraft, verifyDraft, type VerifyServices } from "../../../src/learn/drafts/draft-operations.ts";
import { type Edit, EDITS } from "../../../src/learn/edits/edits.ts";
import { revisedPlan } from "../../../src/learn/edits/revised-plan.ts";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import { readFolder } from "../../checks/read-folder.ts";
import { failing, fault, RealDrafts, value } from "./real-drafts.ts";
import { RETURN } from "./runs.ts";
import { compiler, runner } from "../../shared-threads.ts";

const real = new RealDrafts();
afterAll(() => real.close());

/** The draft after the edits, verified as its folder is compiled. */
async function compiled(draft: Draft, edits: readonly Edit[]): Promise<Draft> {
  const { plan, traces } = value(revisedPlan(draft, edits));
  value(await reviseDraft(real.drafts, draft.name, plan, { by: "test", traces }));
  const derive: VerifyServices["derive"] = async (folder) => {
    const { skills, diagnostics } = await compiler.compile([readFolder(folder)]);
    const faults = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
    return ok({ name: draft.name, skills: new Map(skills.map((each) => [each.name, each])), faults });
  };
  return value(await verifyDraft(real.drafts, draft.name, { runner, derive }, { by: "test" }));
}

type How = "add" | "warn" | "remove";

function pre(text: string, how: How = "add"): Edit {
  return { kind: "precondition", text, how };
}

function post(text: string, how: How = "add"): Edit {
  return { kind: "postcondition", text, how };
}

describe("a draft with conditions", () => {
  test("has them in its SKILL.md and its review, and replays with them", async () => {
    const draft = await real.of([RETURN]);
    const edits = [
      pre('inputs.order_id.startsWith("#")'),
      post('outputs.status === "ok"'),
      post("outputs.status.length > 10", "warn"),
    ];
    expect(EDITS.safeParse(edits).success).toBe(true);
    const revised = await compiled(draft, edits);
    expect(failing(revised)).toEqual([]);
    const [, frontmatter = ""] = (await real.text(revised, "SKILL.md")).split("---\n");
    expect(parse(frontmatter)).toMatchObject({
      preconditions: [{ check: 'inputs.order_id.startsWith("#")', critical: true }],
      postconditions: [
        { check: 'outputs.status === "ok"', critical: true },
        { check: "outputs.status.length > 10", critical: false },
      ],
    });
    expect(draftText(draftView(revised), { columns: 100 })).toContain(
      'before: inputs.order_id.startsWith("#")',
    );
  });

  test("does not verify where a recorded run does not fulfil them", async () => {
    const draft = await real.of([RETURN]);
    const revised = await compiled(draft, [post('outputs.status === "refunded"')]);
    expect(failing(revised)[0]).toMatchObject({
      name: "own",
      counterexample: {
        difference: { message: expect.stringContaining('outputs.status is "ok"') },
      },
    });
  });

  test("follows a parameter's new name, and loses a condition that is taken away", async () => {
    const draft = await real.of([RETURN]);
    const revised = value(
      revisedPlan(draft, [
        pre('inputs.order_id.length > 1 && inputs["order_id"] !== "inputs.order_id"'),
        post("outputs.status != null"),
        { kind: "rename", target: { kind: "param", name: "order_id" }, to: "order" },
        post("outputs.status != null", "remove"),
      ]),
    ).plan;
    expect(revised.preconditions).toEqual([
      { check: 'inputs.order.length > 1 && inputs["order"] !== "inputs.order_id"', critical: true },
    ]);
    expect(revised.postconditions).toBeUndefined();
  });

  test.each([
    [[pre("outputs.status")], "no outputs before the skill has run"],
    [[pre("inputs.order_id.length >")], "character 25"],
    [[pre("inputs.oder_id != null")], 'Did you mean "order_id"?'],
    [[post("outputs.statos != null")], 'Did you mean "status"?'],
    [[post("call_tool('shop.pay')")], "only methods of values"],
    [[post("outputs.status", "remove")], "There is no postcondition"],
    [
      [pre("inputs.order_id != null"), { kind: "constant", param: "order_id" } as const],
      'reads "inputs.order_id", which there is not',
    ],
  ])("%j is refused", async (edits, message) => {
    expect(fault(revisedPlan(await real.of([RETURN]), edits))).toContain(message);
  });
});

test("what a draft is for is said by edits, and stands in its SKILL.md", async () => {
  const draft = await real.of([RETURN]);
  const said = (kind: "category" | "tag" | "keyword" | "example", text: string, how: How = "add"): Edit => ({
    kind,
    text,
    how,
  });
  const revised = await compiled(draft, [
    said("category", "retail"),
    said("tag", "orders"),
    said("tag", "wrong"),
    said("tag", "wrong", "remove"),
    said("keyword", "give back"),
    said("example", "I want to return\nthe lamp"),
  ]);
  expect(failing(revised)).toEqual([]);
  const [, frontmatter = ""] = (await real.text(revised, "SKILL.md")).split("---\n");
  expect(parse(frontmatter)).toMatchObject({
    category: "retail",
    tags: ["orders"],
    keywords: ["give back"],
    examples: ["I want to return the lamp"],
  });
  expect(fault(revisedPlan(revised, [said("tag", "wrong", "remove")]))).toContain('There is no tag "wrong"');
  const bare = value(
    revisedPlan(revised, [
      said("category", "retail", "remove"),
      said("tag", "orders", "remove"),
      said("keyword", "give back", "remove"),
      said("example", "I want to return the lamp", "remove"),
    ]),
  );
  expect(bare.plan).not.toHaveProperty("matching");
});
