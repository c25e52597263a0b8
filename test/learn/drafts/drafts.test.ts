import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Result } from "../../../src/core/result.ts";
import type { AnyDraft, Draft } from "../../../src/learn/drafts/draft.ts";
import { draftView } from "../../../src/learn/review/draft-view.ts";
import { Drafts } from "../../../src/learn/drafts/drafts.ts";
import { FILE_SYSTEM, type FileSystem } from "../../../src/learn/drafts/atomic-folder.ts";
import { Promotions } from "../../../src/learn/drafts/promotions.ts";
import {
  addFeedback,
  reviewDraft,
  reviseDraft,
  verifyDraft,
} from "../../../src/learn/drafts/draft-operations.ts";
import {
  CANCEL_BY_HEART,
  CANCEL_PLAN,
  CANCEL_TRACE,
  COPIED_STATUS,
  meansWith,
  NEW_DRAFT,
  OWN_DRAFT,
  RECORDED_ORDER,
} from "./cancel-draft.ts";
import { runner } from "../../shared-threads.ts";

/** Without waiting for the disk. */
const quick: FileSystem = { ...FILE_SYSTEM, write: (path, content) => writeFile(path, content) };

let data: string;
let skills: string;
let drafts: Drafts;
let promotions: Promotions;
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "drafts-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  data = join(folder, "data");
  skills = join(folder, "skills");
  await mkdir(skills);
  drafts = new Drafts({ data, system: quick });
  promotions = new Promotions({ drafts, skills });
});

function value<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

function codeOf(result: Result<unknown>): string | undefined {
  return result.ok ? undefined : result.error.code;
}

async function verified(name: string): Promise<Draft> {
  return value(await verifyDraft(drafts, name, meansWith(runner), { by: "ci" }));
}

async function approved(name: string): Promise<AnyDraft> {
  const { digest } = await verified(name);
  return value(
    await reviewDraft(drafts, name, { verdict: "approve", by: "grace", why: "looked at it", digest }),
  );
}

describe("a new draft", () => {
  test("is a folder that people can read", async () => {
    const draft = value(await drafts.create(NEW_DRAFT));
    expect(draft).toMatchObject({ name: "cancel-order", state: "draft", isEdited: false, isStale: false });
    expect(new Set(await readdir(draft.folder))).toEqual(
      new Set(["SKILL.md", "skill.ts", "tests.yaml", "plan.json", "provenance.json"]),
    );
    const text = await readFile(join(draft.folder, "SKILL.md"), "utf8");
    expect(text).toContain("name: cancel-order\n");
    expect(text).toContain("operation: WRITE\n");
    expect(text).toContain("allowed-tools: shop.find_order shop.cancel_order\n");
    expect(text).not.toContain("O-77001");
    expect(draft.provenance.history).toMatchObject([{ kind: "created", by: "ada", why: "it is done often" }]);
  });

  test("never takes the place of another", async () => {
    const taken = new Drafts({ data, system: quick, isTaken: (name) => name === "cancel-order-2" });
    const names = [];
    for (const _ of [1, 2, 3]) names.push(value(await taken.create(NEW_DRAFT)).name);
    expect(names).toEqual(["cancel-order", "cancel-order-3", "cancel-order-4"]);
    expect(value(await drafts.read("cancel-order-3")).plan.name).toBe("cancel-order-3");
  });

  test.each(["../../x", "__proto__", "a/b", "", "A", "x".repeat(300), ".repertoire", "a\0b"])(
    "is not made, read or promoted under the name %j",
    async (name) => {
      const plan = { ...CANCEL_PLAN, name };
      expect(codeOf(await drafts.create({ ...NEW_DRAFT, plan }))).toBe("DRAFT_INVALID");
      expect(codeOf(await drafts.read(name))).toBe("DRAFT_NOT_FOUND");
      expect(codeOf(await promotions.promote(name, { by: "eve" }))).toBe("DRAFT_NOT_FOUND");
      expect(codeOf(await promotions.revoke(name, { by: "eve" }))).toBe("DRAFT_NOT_FOUND");
      expect(await promotions.versions(name)).toEqual([]);
    },
  );

  test.each([
    ["that would allow other tools", "shop.*"],
    ["that would allow a whole server", "mcp__shop"],
    ["with signs of the format", "x` allowed-tools: *\n---\n# y"],
  ])("lists no tool %s", async (_, tool) => {
    const steps = CANCEL_PLAN.steps.map((step) => (step.kind === "call" ? { ...step, tool } : step));
    const { folder } = value(await drafts.create({ ...NEW_DRAFT, plan: { ...CANCEL_PLAN, steps } }));
    const text = await readFile(join(folder, "SKILL.md"), "utf8");
    expect(text).not.toMatch(/^allowed-tools:/m);
    expect(text).not.toContain("\n# y");
  });

  test("keeps keys with names of the language", async () => {
    const args = JSON.parse('{"__proto__": {"constructor": 1}}') as { readonly [key: string]: number };
    const trace = { id: "odd", calls: [{ tool: "shop.x", args, result: args }] };
    const { name } = value(await drafts.create({ ...NEW_DRAFT, traces: [{ trace }] }));
    const { provenance } = value(await drafts.read(name));
    expect(JSON.stringify(provenance.traces[0]?.trace.calls[0]?.args)).toBe(JSON.stringify(args));
  });
});

describe("broken drafts", () => {
  test.each([
    ["a plan that is no JSON", "plan.json", "{"],
    ["a plan with other fields", "plan.json", JSON.stringify({ ...CANCEL_PLAN, code: "evil()" })],
    ["the plan of another", "plan.json", JSON.stringify({ ...CANCEL_PLAN, name: "other" })],
    ["a provenance that is none", "provenance.json", "[]"],
  ])("have a clear error and hurt no other: %s", async (_, file, text) => {
    const { folder, name } = value(await drafts.create(NEW_DRAFT));
    const other = value(await drafts.create(NEW_DRAFT));
    await writeFile(join(folder, file), text);
    const list = value(await drafts.list());
    expect(list.drafts.map((draft) => draft.name)).toEqual([other.name]);
    expect(list.broken).toMatchObject([{ name, error: { code: "DRAFT_INVALID" } }]);
    expect(list.broken[0]?.error.message).toContain(file);
  });

  test("a recorded trace cannot be changed afterwards", async () => {
    const { folder, name } = value(await drafts.create(NEW_DRAFT));
    const file = join(folder, "provenance.json");
    await writeFile(file, (await readFile(file, "utf8")).replace('"cancelled"', '"refunded"'));
    const read = await drafts.read(name);
    expect(codeOf(read)).toBe("DRAFT_INVALID");
  });

  test("links are not followed", async () => {
    const { folder, name } = value(await drafts.create(NEW_DRAFT));
    await symlink("/etc", join(folder, "lib"));
    expect(codeOf(await drafts.read(name))).toBe("DRAFT_INVALID");
    await symlink(folder, join(drafts.root, "linked"));
    expect(codeOf(await drafts.read("linked"))).toBe("DRAFT_INVALID");
  });
});

describe("evidence", () => {
  test("holds for exactly what was verified", async () => {
    const { name, folder } = value(await drafts.create(NEW_DRAFT));
    const { evidence } = await verified(name);
    expect(evidence?.rungs.map((rung) => [rung.name, rung.passed, rung.of])).toEqual([
      ["types", 1, 1],
      ["own", 1, 1],
      ["twin", 3, 3],
      ["faults", 4, 4],
    ]);
    await writeFile(join(folder, "notes.md"), "by hand");
    expect(value(await drafts.read(name))).toMatchObject({
      evidence: undefined,
      isStale: true,
      isEdited: true,
    });
    await rm(join(folder, "notes.md"));
    expect(value(await drafts.read(name))).toMatchObject({ evidence, isStale: false, isEdited: false });
  });

  test("that was found before calls were made to fail does not suffice any more", async () => {
    const { name, folder } = value(await drafts.create(NEW_DRAFT));
    const { digest } = await verified(name);
    const file = join(folder, "provenance.json");
    const provenance = JSON.parse(await readFile(file, "utf8")) as {
      evidence: { rungs: { name: string }[] };
    };
    const rungs = provenance.evidence.rungs.filter((rung) => rung.name !== "faults");
    await writeFile(file, JSON.stringify({ ...provenance, evidence: { ...provenance.evidence, rungs } }));
    const review = { verdict: "approve", by: "grace", digest } as const;
    expect(await reviewDraft(drafts, name, review)).toMatchObject({
      ok: false,
      error: {
        code: "DRAFT_UNVERIFIED",
        message: expect.stringContaining(
          "was verified without the replay in which its calls fail: verify it again",
        ),
      },
    });
    await verified(name);
    expect(await reviewDraft(drafts, name, review)).toMatchObject({ ok: true });
  });

  test("is not given to a draft that changes meanwhile", async () => {
    const { name, folder } = value(await drafts.create(NEW_DRAFT));
    const { derive } = meansWith(runner);
    const means = {
      runner,
      derive: async (path: string) => {
        await writeFile(join(folder, "skill.ts"), "export default () => 1");
        return derive(path);
      },
    };
    expect(codeOf(await verifyDraft(drafts, name, means, { by: "ci" }))).toBe("DRAFT_CHANGED");
    expect(value(await drafts.read(name)).evidence).toBeUndefined();
  });

  test("that fails keeps everybody from promoting", async () => {
    const { name } = value(await drafts.create({ ...NEW_DRAFT, plan: CANCEL_BY_HEART }));
    const { evidence, digest } = await verified(name);
    expect(evidence?.rungs.map((rung) => [rung.name, rung.passed])).toEqual([
      ["types", 1],
      ["own", 1],
      ["twin", 0],
      ["faults", 2],
    ]);
    expect(evidence?.rungs[2]?.counterexample).toMatchObject({
      seed: 1,
      difference: { kind: "other-arguments", tool: "shop.cancel_order", path: "/order", got: "O-77001" },
    });
    const review = { verdict: "approve", by: "grace", digest } as const;
    expect(codeOf(await reviewDraft(drafts, name, review))).toBe("DRAFT_UNVERIFIED");
    const automatic = new Promotions({ drafts, skills, policy: { review: "automatic", above: "own" } });
    expect(codeOf(await automatic.promote(name, { by: "auto" }))).toBe("DRAFT_UNVERIFIED");
    expect(await readdir(skills)).toEqual([]);
  });
});

describe("work on a draft", () => {
  test("a revision prints the files anew and asks for new evidence", async () => {
    const { name } = value(await drafts.create({ ...NEW_DRAFT, plan: CANCEL_BY_HEART }));
    const before = await verified(name);
    const deed = { by: "model", why: "the order is found", digest: before.digest };
    const draft = value(await reviseDraft(drafts, name, CANCEL_PLAN, deed));
    expect(draft).toMatchObject({ state: "draft", evidence: undefined, isEdited: false });
    expect(draft.code).not.toBe(before.code);
    expect(await readFile(join(draft.folder, "SKILL.md"), "utf8")).toContain("operation: WRITE");
    expect((await verified(name)).evidence?.rungs.every(({ passed, of }) => passed === of)).toBe(true);
  });

  test("of two who have looked at the same draft only one changes it", async () => {
    const { name, digest } = value(await drafts.create(NEW_DRAFT));
    const described = (by: string) =>
      reviseDraft(
        new Drafts({ data, system: quick }),
        name,
        { ...CANCEL_PLAN, description: `By ${by}.` },
        { by, digest },
      );
    const results = await Promise.all(["ada", "bob", "cy", "di"].map(described));
    expect(results.map(codeOf).filter((code) => code === undefined)).toHaveLength(1);
    expect(results.map(codeOf).filter((code) => code === "DRAFT_CHANGED")).toHaveLength(3);
    expect(value(await drafts.read(name)).provenance.history).toHaveLength(2);
  });

  test("what people have written is not printed over unless they say so", async () => {
    const { name, folder } = value(await drafts.create(NEW_DRAFT));
    await writeFile(join(folder, "skill.ts"), "export default () => 1");
    const revise = (replacesEdits: boolean) =>
      reviseDraft(drafts, name, CANCEL_PLAN, { by: "model", replacesEdits });
    expect(codeOf(await revise(false))).toBe("DRAFT_CHANGED");
    expect(value(await revise(true)).code).not.toBe("export default () => 1");
  });

  test("feedback is kept, and changes neither evidence nor state", async () => {
    const { name } = value(await drafts.create(NEW_DRAFT));
    await approved(name);
    const draft = value(await addFeedback(drafts, name, { by: "bob", rating: 1, text: "saves an hour" }));
    expect(draft.state).toBe("reviewed");
    expect(draft.evidence).toBeDefined();
    expect(draft.provenance.history.at(-1)).toMatchObject({
      kind: "feedback",
      by: "bob",
      rating: 1,
      why: "saves an hour",
    });
    expect(codeOf(await addFeedback(drafts, name, { by: "bob" }))).toBe("INPUT_INVALID");
    expect(codeOf(await addFeedback(drafts, name, { by: "bob", rating: 5 }))).toBe("INPUT_INVALID");
  });

  test("an approval holds for what was looked at", async () => {
    const { name, folder } = value(await drafts.create(NEW_DRAFT));
    const { digest } = await approved(name);
    await writeFile(join(folder, "SKILL.md"), "---\nname: cancel-order\ndescription: Edited.\n---\n");
    expect(value(await drafts.read(name)).state).toBe("draft");
    await verified(name);
    expect(codeOf(await promotions.promote(name, { by: "ada" }))).toBe("DRAFT_UNREVIEWED");
    const late = { verdict: "approve", by: "grace", digest } as const;
    expect(codeOf(await reviewDraft(drafts, name, late))).toBe("DRAFT_CHANGED");
  });

  test("a draft that calls tools which no configured server has is shown so, and not promoted", async () => {
    const { name } = value(await drafts.create(NEW_DRAFT));
    await approved(name);
    const here = new Drafts({ data, system: quick, servers: new Set(["bank"]) });
    const draft = value(await here.read(name));
    expect(draft.missingTools).toEqual(["shop.find_order", "shop.cancel_order"]);
    const [first] = draftView(draft).attention;
    expect(first).toEqual({
      kind: "missing-tool",
      text: "It calls tools that no configured server has, so that it cannot run here: shop.find_order, shop.cancel_order.",
    });
    const refused = await new Promotions({ drafts: here, skills }).promote(name, { by: "ada" });
    expect(refused).toMatchObject({
      ok: false,
      error: { code: "TOOL_NOT_FOUND", message: expect.stringContaining("shop.cancel_order") },
    });
    expect(await readdir(skills)).toEqual([]);
    const there = new Drafts({ data, system: quick, servers: new Set(["shop"]) });
    expect(value(await there.read(name)).missingTools).toEqual([]);
    value(await new Promotions({ drafts: there, skills }).promote(name, { by: "ada" }));
  });

  test("a rejected draft is not promoted until it is revised", async () => {
    const { name } = value(await drafts.create(NEW_DRAFT));
    const { digest } = await verified(name);
    value(await reviewDraft(drafts, name, { verdict: "reject", by: "grace", digest }));
    expect(codeOf(await promotions.promote(name, { by: "ada" }))).toBe("DRAFT_STATE");
    const plan = { ...CANCEL_PLAN, description: "Cancels the order of a customer." };
    expect(value(await reviseDraft(drafts, name, plan, { by: "ada" })).state).toBe("draft");
  });
});

describe("promotion", () => {
  test("makes a skill that tells where it comes from", async () => {
    const { name } = value(await drafts.create(NEW_DRAFT));
    expect(codeOf(await promotions.promote(name, { by: "ada" }))).toBe("DRAFT_UNVERIFIED");
    await verified(name);
    expect(codeOf(await promotions.promote(name, { by: "ada" }))).toBe("DRAFT_UNREVIEWED");
    const draft = await approved(name);
    expect(value(await promotions.promote(name, { by: "ada" }))).toMatchObject({
      name,
      version: 1,
      isEdited: false,
    });
    expect(new Set(await readdir(join(skills, name)))).toEqual(
      new Set(["SKILL.md", "skill.ts", "tests.yaml", "provenance.json"]),
    );
    const kept: unknown = JSON.parse(await readFile(join(skills, name, "provenance.json"), "utf8"));
    expect(kept).toMatchObject({
      version: 1,
      promoted: { by: "ada" },
      review: "person",
      reviews: [{ kind: "approved", by: "grace", why: "looked at it" }],
      traces: [{ digest: draft.provenance.traces[0]?.digest, id: CANCEL_TRACE.id }],
      plan: CANCEL_PLAN,
      evidence: draft.evidence,
    });
    expect(value(await drafts.read(name)).state).toBe("promoted");
  });

  test("needs no person where the policy and the evidence allow it", async () => {
    const { name } = value(await drafts.create(OWN_DRAFT));
    await verified(name);
    const above = (rung: "twin" | "heldOut"): Promotions =>
      new Promotions({ drafts, skills, policy: { review: "automatic", above: rung, writes: true } });
    expect(codeOf(await above("heldOut").promote(name, { by: "auto" }))).toBe("DRAFT_UNREVIEWED");
    const heldOut = Array.from({ length: 5 }, (_, index) => ({
      digest: `${index}`,
      trace: { ...renamedTrace(`C-2000${index}`, `O-8800${index}`), origin: "own" as const },
    }));
    const options = { heldOut };
    const { evidence } = value(await verifyDraft(drafts, name, meansWith(runner), { by: "ci" }, options));
    expect(evidence?.rungs.at(-1)).toMatchObject({ name: "heldOut", passed: 5, of: 5 });
    expect(value(await above("heldOut").promote(name, { by: "auto" })).version).toBe(1);
    expect(await readFile(join(skills, name, "provenance.json"), "utf8")).toContain('"review": "automatic"');
  });

  test.each([
    ["was learned from a transcript that somebody gave", NEW_DRAFT, "own", true, "transcript"],
    ["was held against such a transcript", OWN_DRAFT, undefined, true, "1 of the held-out runs"],
    ["may write, unless the policy says so", OWN_DRAFT, "own", undefined, "may write"],
  ] as const)("needs a person where the draft %s", async (_, made, origin, writes, reason) => {
    const { name } = value(await drafts.create(made));
    const trace = renamedTrace("C-20001", "O-88001");
    const heldOut = [{ digest: "1", trace: { ...trace, ...(origin ? { origin } : {}) } }];
    value(await verifyDraft(drafts, name, meansWith(runner), { by: "ci" }, { heldOut }));
    const policy = { review: "automatic", above: "twin", writes } as const;
    const promoted = await new Promotions({ drafts, skills, policy }).promote(name, { by: "auto" });
    expect(codeOf(promoted)).toBe("DRAFT_UNREVIEWED");
    expect(promoted.ok ? "" : promoted.error.message).toContain(reason);
    expect(value(await drafts.read(name)).state).toBe("draft");
  });

  test.each([
    ["a recording: it derives nothing from answers", RECORDED_ORDER, "twin", [], "it is a recording"],
    ["shown by twins that change nothing that flows into a call", COPIED_STATUS, "twin", [], "twins tells"],
    [
      "held out against a run that is like its own",
      OWN_DRAFT,
      "heldOut",
      [{ digest: "1", trace: { ...CANCEL_TRACE, id: "again", origin: "own" } }],
      "held-out traces tells nothing",
    ],
  ] as const)("needs a person where the draft is %s", async (_, made, above, heldOut, reason) => {
    const { name } = value(await drafts.create(made));
    const { evidence } = value(await verifyDraft(drafts, name, meansWith(runner), { by: "ci" }, { heldOut }));
    expect(evidence?.rungs.every(({ passed, of }) => passed === of)).toBe(true);
    const policy = { review: "automatic", above, least: 0, writes: true } as const;
    const promoted = await new Promotions({ drafts, skills, policy }).promote(name, { by: "auto" });
    expect(codeOf(promoted)).toBe("DRAFT_UNREVIEWED");
    expect(promoted.ok ? "" : promoted.error.message).toContain(reason);
    await approved(name);
    expect(value(await promotions.promote(name, { by: "ada" })).version).toBe(1);
  });

  test("needs a person where somebody has written into the draft", async () => {
    const { name, folder } = value(await drafts.create(OWN_DRAFT));
    const code = await readFile(join(folder, "skill.ts"), "utf8");
    await writeFile(join(folder, "skill.ts"), `${code}// mine\n`);
    await verified(name);
    const policy = { review: "automatic", above: "own", writes: true } as const;
    const promoted = await new Promotions({ drafts, skills, policy }).promote(name, { by: "auto" });
    expect(promoted.ok ? "" : promoted.error.message).toContain("edited by hand");
  });

  test("never takes the place of a skill that is not its own", async () => {
    const { name } = value(await drafts.create(NEW_DRAFT));
    await approved(name);
    await mkdir(join(skills, name));
    await writeFile(join(skills, name, "SKILL.md"), "by hand");
    expect(codeOf(await promotions.promote(name, { by: "ada" }))).toBe("ALREADY_EXISTS");
    expect(codeOf(await promotions.revoke(name, { by: "ada" }))).toBe("ALREADY_EXISTS");
    expect(await readFile(join(skills, name, "SKILL.md"), "utf8")).toBe("by hand");
  });

  test("keeps every version, and brings any back", async () => {
    const { name } = value(await drafts.create(NEW_DRAFT));
    await approved(name);
    await promotions.promote(name, { by: "ada" });
    const first = await readFile(join(skills, name, "SKILL.md"), "utf8");
    await reviseDraft(drafts, name, { ...CANCEL_PLAN, description: "Cancels an order." }, { by: "ada" });
    await approved(name);
    expect(value(await promotions.promote(name, { by: "ada" })).version).toBe(2);
    expect(value(await promotions.promote(name, { by: "ada" })).version).toBe(2);
    expect(await readFile(join(skills, name, "SKILL.md"), "utf8")).toContain("Cancels an order.");
    expect(value(await promotions.rollBack(name, 1, { by: "grace", why: "worse" })).version).toBe(1);
    expect(await readFile(join(skills, name, "SKILL.md"), "utf8")).toBe(first);
    expect(await promotions.versions(name)).toEqual([1, 2]);
    expect(codeOf(await promotions.rollBack(name, 3, { by: "grace" }))).toBe("DRAFT_NOT_FOUND");
    const { state, provenance } = value(await drafts.read(name));
    expect(state).toBe("draft");
    expect(codeOf(await promotions.promote(name, { by: "ada" }))).toBe("DRAFT_UNREVIEWED");
    expect(provenance.history.at(-1)).toMatchObject({
      kind: "rolled-back",
      version: 1,
      by: "grace",
      why: "worse",
    });
  });

  test("is not revoked where it is no longer the version that was asked about", async () => {
    const { name } = value(await drafts.create(NEW_DRAFT));
    await approved(name);
    const first = value(await promotions.promote(name, { by: "ada" }));
    await reviseDraft(drafts, name, { ...CANCEL_PLAN, description: "Cancels an order." }, { by: "ada" });
    await approved(name);
    const second = value(await promotions.promote(name, { by: "ada" }));
    for (const other of [first, { ...second, draft: "another" }])
      expect(codeOf(await promotions.revoke(name, { by: "eve" }, other))).toBe("DRAFT_CHANGED");
    expect(value(await promotions.current(name))).toEqual(second);
    expect(value(await promotions.revoke(name, { by: "ada" }, second)).version).toBe(2);
  });

  test("is revoked, also where somebody has edited the skill: what was written is kept", async () => {
    const { name } = value(await drafts.create(NEW_DRAFT));
    await approved(name);
    await promotions.promote(name, { by: "ada" });
    await writeFile(join(skills, name, "SKILL.md"), "edited");
    expect(codeOf(await promotions.rollBack(name, 1, { by: "ada" }))).toBe("DRAFT_STATE");
    expect(value(await promotions.revoke(name, { by: "grace", why: "wrong" }))).toMatchObject({
      isEdited: true,
    });
    expect(await readdir(skills)).toEqual([".repertoire"]);
    expect(await readFile(join(data, "versions", name, "2", "SKILL.md"), "utf8")).toBe("edited");
    expect(value(await drafts.read(name)).state).toBe("rejected");
    expect(codeOf(await promotions.promote(name, { by: "ada" }))).toBe("DRAFT_STATE");
    expect(value(await promotions.rollBack(name, 1, { by: "grace" })).version).toBe(1);
  });
});

describe("a process that dies", () => {
  /** A file system of which the process dies before its nth change. */
  function dyingAfter(changes: number): { readonly system: FileSystem; readonly died: () => boolean } {
    let left = changes;
    const step = (): void => {
      if (left-- <= 0) throw new Error("killed");
    };
    const system: FileSystem = {
      mkdir: async (path) => (step(), quick.mkdir(path)),
      write: async (path, content) => {
        step();
        await quick.write(path, content);
      },
      rename: async (from, to) => (step(), quick.rename(from, to)),
      remove: async (path) => (step(), quick.remove(path)),
    };
    return { system, died: () => left < 0 };
  }

  async function contentOf(folder: string): Promise<string | undefined> {
    return readFile(join(folder, "SKILL.md"), "utf8").catch(() => undefined);
  }

  test.each(["first", "next"])(
    "while it promotes the %s version leaves what was there or the new one",
    async (which) => {
      const { name } = value(await drafts.create(NEW_DRAFT));
      await approved(name);
      if (which === "next") {
        await promotions.promote(name, { by: "ada" });
        await reviseDraft(drafts, name, { ...CANCEL_PLAN, description: "Cancels an order." }, { by: "ada" });
        await approved(name);
      }
      const { folder, digest } = value(await drafts.read(name));
      const [before, after] = [await contentOf(join(skills, name)), await contentOf(folder)];
      let deaths = 0;
      for (let changes = 0; ; changes++) {
        const copy = join(data, "..", `copy-${changes}`);
        await cp(data, join(copy, "data"), { recursive: true });
        await cp(skills, join(copy, "skills"), { recursive: true });
        const { system, died } = dyingAfter(changes);
        const at = { data: join(copy, "data"), skills: join(copy, "skills") };
        const dying = new Promotions({ drafts: new Drafts({ data: at.data, system }), skills: at.skills });
        await dying.promote(name, { by: "ada" }).catch(() => undefined);

        const alive = new Drafts({ data: at.data, system: quick });
        const again = new Promotions({ drafts: alive, skills: at.skills });
        await again.recover();
        expect([before, after]).toContain(await contentOf(join(at.skills, name)));
        expect([0, 4]).toContain((await readdir(join(at.skills, name)).catch(() => [])).length);
        expect(value(await alive.read(name)).digest).toBe(digest);
        expect(value(await again.promote(name, { by: "ada" })).version).toBe(which === "first" ? 1 : 2);
        expect(await contentOf(join(at.skills, name))).toBe(after);
        if (!died()) break;
        deaths++;
      }
      expect(deaths).toBeGreaterThan(20);
    },
  );

  test("while it revises leaves the earlier draft or the new one, as a whole", async () => {
    const { name, digest } = value(await drafts.create(NEW_DRAFT));
    const plan = { ...CANCEL_PLAN, description: "Cancels an order." };
    for (let changes = 0; ; changes++) {
      const { system, died } = dyingAfter(changes);
      await reviseDraft(new Drafts({ data, system }), name, plan, { by: "ada" }).catch(() => undefined);
      const draft = value(await drafts.read(name));
      expect(draft.isEdited).toBe(false);
      expect([undefined, "Cancels an order."]).toContain(draft.plan.description);
      if (draft.plan.description === undefined) expect(draft.digest).toBe(digest);
      if (!died()) break;
    }
    expect(value(await drafts.read(name)).plan.description).toBe("Cancels an order.");
  });
});

function renamedTrace(customer: string, order: string): typeof CANCEL_TRACE {
  const text = JSON.stringify(CANCEL_TRACE).replaceAll("C-10042", customer).replaceAll("O-77001", order);
  return JSON.parse(text) as typeof CANCEL_TRACE;
}
