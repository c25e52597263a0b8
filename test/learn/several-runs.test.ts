import { expect, test } from "vitest";
import { examples, extracted, ran, type Told } from "./extracted.ts";

const invite = (id: string, email: string, note?: string): readonly Told[] => [
  ["crm.find_user", { email }, { id }],
  ["crm.invite", { user: id, ...(note === undefined ? {} : { note }) }, { sent: true }],
];

test.each([
  ["first", [invite("u-1001", "ada@example.org", "welcome back"), invite("u-2002", "leo@example.org")]],
  ["second", [invite("u-2002", "leo@example.org"), invite("u-1001", "ada@example.org", "welcome back")]],
])("an argument that only the %s run has may be left out", async (which, runs) => {
  const draft = await extracted(`invite-${which}`, "Invite the user with this address", runs);
  expect(draft.evidence?.rungs.filter(({ passed, of }) => passed < of || of === 0)).toEqual([]);
  expect(draft.provenance.traces).toHaveLength(2);
  expect(draft.plan.params.map(({ name, optional = false }) => [name, optional])).toEqual([
    ["email", false],
    ["note", true],
  ]);
  const { note: _, ...required } = examples(draft);
  const without = await ran(draft, required, [{ id: "u-3" }]);
  expect(without).toEqual({ called: ["crm.find_user", "crm.invite"], error: undefined });
});
