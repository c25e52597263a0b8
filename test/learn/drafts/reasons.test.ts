import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Draft, PromotionPolicy } from "../../../src/learn/drafts/draft.ts";
import { reviewDraft } from "../../../src/learn/drafts/draft-operations.ts";
import type { NewDraft } from "../../../src/learn/drafts/drafts.ts";
import { promotionFault } from "../../../src/learn/drafts/gate.ts";
import { type Reason, reasonOf } from "../../../src/learn/drafts/reasons.ts";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import { RealDrafts, value } from "../edits/real-drafts.ts";
import {
  CANCEL_BY_HEART,
  CANCEL_PLAN,
  COPIED_STATUS,
  NEW_DRAFT,
  OWN_DRAFT,
  RECORDED_ORDER,
} from "./cancel-draft.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const ALWAYS: PromotionPolicy = { review: "always" };
const BY_ITSELF: PromotionPolicy = { review: "automatic", above: "twin", writes: true };
const ONLY_READERS: PromotionPolicy = { review: "automatic", above: "twin" };

const WRITES: Plan = {
  ...CANCEL_PLAN,
  effects: [
    { tool: "shop.find_order", operation: "READ", by: "server" },
    { tool: "shop.cancel_order", operation: "WRITE", by: "server" },
  ],
};
const MANY = Array.from({ length: 21 }, (_, nth) => ({
  name: `value_${nth}`,
  schema: { type: "string" },
  example: `v-${nth}`,
  origins: [{ call: 0, at: "args", path: [] }],
})) satisfies Plan["params"];

async function made(draft: NewDraft): Promise<Draft> {
  return real.verified(value(await real.drafts.create(draft)).name);
}

test.each<readonly [Reason | undefined, NewDraft, PromotionPolicy]>([
  [undefined, OWN_DRAFT, BY_ITSELF],
  ["review", OWN_DRAFT, ALWAYS],
  ["transcript", NEW_DRAFT, BY_ITSELF],
  ["unknown-effect", OWN_DRAFT, ONLY_READERS],
  ["writes", { ...OWN_DRAFT, plan: WRITES }, ONLY_READERS],
  ["recording", RECORDED_ORDER, BY_ITSELF],
  ["too-little-evidence", COPIED_STATUS, BY_ITSELF],
  ["too-little-evidence", OWN_DRAFT, { ...BY_ITSELF, above: "heldOut" }],
  [
    "too-many-decisions",
    { ...OWN_DRAFT, plan: { ...CANCEL_PLAN, params: [...CANCEL_PLAN.params, ...MANY] } },
    BY_ITSELF,
  ],
  ["not-general", { ...OWN_DRAFT, plan: CANCEL_BY_HEART }, BY_ITSELF],
  [
    "not-replayable",
    {
      ...OWN_DRAFT,
      plan: {
        ...CANCEL_PLAN,
        steps: CANCEL_PLAN.steps.slice(0, 1),
        output: { value: { kind: "ref", name: "order" }, schema: {} },
      },
    },
    BY_ITSELF,
  ],
])("%s is why a draft is not promoted", async (reason, draft, policy) => {
  const fault = promotionFault(await made(draft), policy, true);
  expect(fault && reasonOf(fault)).toBe(reason);
});

test("a draft that was edited, rejected or never verified says so", async () => {
  const { name } = value(await real.drafts.create(OWN_DRAFT));
  const reasonNow = async (): Promise<Reason | undefined> => {
    const fault = promotionFault(value(await real.drafts.read(name)), BY_ITSELF, true);
    return fault && reasonOf(fault);
  };
  expect(await reasonNow()).toBe("unverified");
  const draft = await real.verified(name);
  await writeFile(join(draft.folder, "skill.ts"), `${draft.code}// by hand\n`);
  expect(await reasonNow()).toBe("unverified");
  const { digest } = await real.verified(name);
  expect(await reasonNow()).toBe("edited");
  value(await reviewDraft(real.drafts, name, { verdict: "reject", by: "ada", digest }));
  expect(await reasonNow()).toBe("rejected");
});
