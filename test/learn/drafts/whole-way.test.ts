import type { Failure } from "../../../src/core/error.ts";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadFolders } from "../../../src/catalog/folders/load-folders.ts";
import { skillCases } from "../../../src/catalog/skill-cases.ts";
import { ok, type Result } from "../../../src/core/result.ts";
import { Drafts } from "../../../src/learn/drafts/drafts.ts";
import { Promotions } from "../../../src/learn/drafts/promotions.ts";
import { reviewDraft, verifyDraft, type VerifyServices } from "../../../src/learn/drafts/draft-operations.ts";
import type { DerivedDraft } from "../../../src/learn/verify/verification.ts";
import { synthesise } from "../../../src/learn/synthesis/synthesise.ts";
import { exchangeTrace } from "../verify/shop.ts";
import { NEW_DRAFT } from "./cancel-draft.ts";
import { compiler, runner } from "../../shared-threads.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "whole-way-"));
  await mkdir(join(folder, "skills"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Derives a draft's skill as the server does. */
async function derive(path: string): Promise<Result<DerivedDraft>> {
  const { folders, diagnostics } = await loadFolders([path]);
  const { skills, ...found } = await compiler.compile(folders);
  const findings = [...diagnostics, ...found.diagnostics, ...found.findings];
  const faults = findings.flatMap(({ severity, message }) => (severity === "error" ? [message] : []));
  return ok({ name: basename(path), skills: new Map(skills.map((skill) => [skill.name, skill])), faults });
}

function value<Value>(result: Result<Value, Pick<Failure, "message">>): Value {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

test("from a trace over a draft to a skill of the catalog", async () => {
  const drafts = new Drafts({ data: join(folder, "data") });
  const trace = exchangeTrace();
  const { plan } = value(synthesise([trace], { name: "exchange-item" }));
  const means: VerifyServices = { runner, derive };
  const { name } = value(await drafts.create({ plan, traces: [{ trace }], by: "ada" }));
  const { evidence, digest } = value(await verifyDraft(drafts, name, means, { by: "ci" }));
  expect(evidence?.rungs.map((rung) => [rung.name, rung.passed, rung.of, rung.counterexample])).toEqual([
    ["types", 1, 1, undefined],
    ["own", 1, 1, undefined],
    ["twin", 3, 3, undefined],
    ["faults", 21, 21, undefined],
  ]);
  value(await reviewDraft(drafts, name, { verdict: "approve", by: "grace", digest }));
  const skills = join(folder, "skills");
  value(await new Promotions({ drafts, skills }).promote(name, { by: "ada" }));

  const derived = value(await derive(skills));
  expect([...derived.skills.keys()]).toEqual(["exchange-item"]);
  expect(derived.faults).toEqual([]);
  const skill = derived.skills.get("exchange-item");
  expect(skill?.operation).toBe("WRITE");
  expect(Object.keys(skill?.contract.input["properties"] ?? {})).toEqual(
    plan.params.map((param) => param.name),
  );
  expect(value(await skillCases(join(skills, name)))).toMatchObject([
    { input: {}, expected: { code: "INPUT_INVALID" } },
  ]);
});

test("several processes work on the same draft, and one that is killed keeps no lock", async () => {
  const data = join(folder, "shared");
  const drafts = new Drafts({ data });
  const { name } = value(await drafts.create(NEW_DRAFT));
  const modules = new URL("../../../src/learn/drafts/", import.meta.url).href;
  const program = (by: string): string => `
    import { Drafts } from "${modules}drafts.ts";
    import { addFeedback } from "${modules}draft-operations.ts";
    const drafts = new Drafts({ data: ${JSON.stringify(data)} });
    for (let nth = 0; nth < 5; nth++) {
      const done = await addFeedback(drafts, ${JSON.stringify(name)}, { by: "${by}", text: "nth " + nth });
      if (!done.ok) throw new Error(done.error.message);
    }
    if ("${by}" === "killed") await drafts.locked(() => process.kill(process.pid, "SIGKILL"));`;
  const run = (by: string): Promise<unknown> =>
    promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program(by)]);
  const ended = await Promise.allSettled([run("a"), run("b"), run("killed")]);
  expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  const { history } = value(await drafts.read(name)).provenance;
  expect(history.filter(({ kind }) => kind === "feedback")).toHaveLength(15);
});
