import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { failing, RealDrafts, value } from "../edits/real-drafts.ts";
import { traceOf } from "../learned.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const UPGRADE = traceOf("Upgrade ZFA04Y, else cancel it", [
  ["air.upgrade", { id: "ZFA04Y" }, null, "no seats left on HAT030"],
  ["air.cancel", { id: "ZFA04Y" }, { done: true }],
]);

/** The draft's files as they were when plans said only that a call may fail. */
async function aged({ folder, name, code }: Draft, mayFail: string): Promise<void> {
  const change = async (file: string, by: (text: string) => string): Promise<void> =>
    writeFile(join(folder, file), by(await readFile(join(folder, file), "utf8")));
  await change("plan.json", (text) => {
    const plan = JSON.parse(text) as { steps: { name: string }[] };
    const steps = plan.steps.map(({ name: step, ...rest }) => ({
      name: step,
      ...rest,
      fails: undefined,
      ...(step === mayFail ? { mayFail: true } : {}),
    }));
    return JSON.stringify({ ...plan, steps });
  });
  const call = /await mustFail\([^]*?\n {2}\);/;
  expect(code).toMatch(call);
  await change("skill.ts", (text) =>
    text.replace(call, `await call_tool("air.upgrade", { id: input.id }).catch(() => null);`),
  );
  const { digest } = value(await real.drafts.read(name));
  await change("provenance.json", (text) =>
    JSON.stringify({ ...JSON.parse(text), printed: digest, stateOf: digest }),
  );
}

test("a plan that said only that a call may fail has the kind of failure from its run, and is printed anew", async () => {
  const draft = await real.of([UPGRADE]);
  await aged(draft, "upgradeResult");
  const read = value(await real.drafts.read(draft.name));
  expect(read).toMatchObject({ isEdited: false, plan: draft.plan });
  expect(read.code).toContain(".catch(() => null)");
  const verified = await real.verified(draft.name);
  expect(verified.code).toBe(draft.code);
  expect(failing(verified)).toEqual([]);
  expect(verified.provenance.history.map(({ kind }) => kind)).toEqual(["created", "revised", "verified"]);
});

test("a plan in which a call may fail that has failed in no run is learned again", async () => {
  const draft = await real.of([UPGRADE]);
  await expect(aged(draft, "cancelResult")).rejects.toThrow(
    'the step "cancelResult" may fail, and no recorded run tells how: extract the draft again',
  );
});
