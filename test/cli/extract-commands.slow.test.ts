import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StoredTraces } from "../../src/cli/commands/extract.ts";
import { unifiedDiff } from "../../src/cli/output/unified-diff.ts";
import type { TimedTrace } from "../../src/learn/mining/occurrence-traces.ts";
import { openStore } from "../../src/trace/store/open-store.ts";
import type { Workplace } from "../server/connected-client.ts";
import { DAY, NOON, run } from "../trace/traces.ts";
import { DRAFT, repertoire, shopWorkplace, TRANSCRIPT } from "./shop-workplace.ts";

const CHLOE = {
  email: "chloe@example.org",
  status: "pending",
  shipTo: { street: "Quai 1", city: "Lyon", postcode: "69001", country: "FR" },
};

let workplace: Workplace;
beforeAll(async () => {
  workplace = await shopWorkplace();
});
afterAll(async () => workplace[Symbol.asyncDispose]());

describe("from a transcript to a skill, and back", () => {
  test("extract makes a verified draft and tells what to do with it", async () => {
    const { code, stdout, stderr } = await repertoire(workplace, "extract", TRANSCRIPT);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${DRAFT} \\(draft, offered\\)\n`));
    expect(stdout).toMatch(
      /own runs replayed: 1 of 1.*\n {2}twins replayed: 3 of 3[^]*\n {2}stops where a call fails or lacks a field: 16 of 16\n/,
    );
    expect(stdout).toContain("updateOrderAddressResult: shop.update_order_address (writes)");
    expect(stdout).toContain(`bin/repertoire.js promote ${DRAFT}" makes it a skill`);
  });

  test("drafts lists it, and nothing can be promoted unseen", async () => {
    const [listed, unseen] = await Promise.all([
      repertoire(workplace, "drafts"),
      repertoire(workplace, "promote", DRAFT),
    ]);
    expect(listed.stdout).toMatch(
      new RegExp(
        `^name +state  own  twins  faults  params  calls +changed\n${DRAFT}  draft  1/1    3/3   16/16       3      3 +[-0-9]+ [:0-9]+\n$`,
      ),
    );
    expect(unseen).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DRAFT_UNREVIEWED: .*give --yes\n$/),
    });
    expect(existsSync(join(workplace.skills, DRAFT))).toBe(false);
  });

  test("extract tells that a draft of the same runs is there", async () => {
    const again = await repertoire(workplace, "extract", TRANSCRIPT, "--name", "again");
    expect(again.stderr).toMatch(
      new RegExp(`^The draft "${DRAFT}" \\(draft\\) was learned from the same runs: ".* reject again"`),
    );
    await repertoire(workplace, "reject", "again", "--why", "twice");
    expect((await repertoire(workplace, "extract", TRANSCRIPT, "--name", "third")).stderr).not.toContain(
      "again",
    );
    await repertoire(workplace, "reject", "third", "--why", "twice");
  });

  test("promote --yes makes it a skill, which does the same for others", async () => {
    const promoted = await repertoire(workplace, "promote", DRAFT, "--yes", "--why", "we need it");
    expect(promoted.stdout).toMatch(/^Promoted .*\nTry: .*\n$/);
    expect(promoted.stdout).toContain(`Promoted "${DRAFT}" as version 1 into ${workplace.skills}`);
    expect(promoted.code).toBe(0);
    const input = JSON.stringify(CHLOE);
    const { code, stdout } = await repertoire(workplace, "run", DRAFT, "--json", "--input", input);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      root: {
        outcome: { output: { order: { id: "O-1004", customerId: "C-3", shipTo: CHLOE.shipTo } } },
      },
    });
  });

  test("extract tells that the skill does it already, and replay where another input leads", async () => {
    const other = JSON.stringify({ ...CHLOE, email: "ada@example.org", status: "paid" });
    const [again, replayed] = await Promise.all([
      repertoire(workplace, "extract", TRANSCRIPT, "--json"),
      repertoire(workplace, "replay", DRAFT, "--trace", TRANSCRIPT, "--input", other),
    ]);
    expect(again.code).toBe(0);
    const shipTo = { street: "Oak Road 1", city: "Lund", postcode: "22101", country: "SE" };
    expect(JSON.parse(again.stdout)).toEqual({
      kind: "reuse",
      skill: DRAFT,
      inputs: [{ email: "ada@example.org", status: "pending", shipTo }],
    });
    const { code, stdout } = replayed;
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^skill ${DRAFT} on import-`));
    expect(stdout).toContain('✓ 1. shop.list_orders {"customerId":"C-1"}  as recorded call 1');
    expect(stdout).toContain('✗ 2. shop.update_order_address {"id":"O-1002"');
    expect(stdout).toMatch(
      /First difference: .*shop\.update_order_address, has "O-1002" at \/id instead of "O-1005"/,
    );
  });

  test("revoke takes the skill out; the draft stays", async () => {
    const { code, stdout } = await repertoire(workplace, "revoke", DRAFT);
    expect(code).toBe(0);
    expect(stdout).toContain(`--to 1" brings it back`);
    expect(existsSync(join(workplace.skills, DRAFT))).toBe(false);
    expect(existsSync(join(workplace.folder, "data/drafts", DRAFT, "skill.ts"))).toBe(true);
    expect((await repertoire(workplace, "drafts", "ls")).stdout).toMatch(
      new RegExp(`^${DRAFT} +revoked`, "m"),
    );
    await repertoire(workplace, "drafts", "verify", DRAFT);
    const [listed, shown] = [
      await repertoire(workplace, "drafts", "ls"),
      await repertoire(workplace, "drafts", "show", DRAFT),
    ];
    expect(listed.stdout).toMatch(new RegExp(`^${DRAFT} +revoked`, "m"));
    expect(shown.stdout).toContain(`${DRAFT} (revoked`);
    expect(shown.stdout).toContain("It was revoked");
  });
});

test("what cannot be done is told with a code", async () => {
  const ended = await Promise.all([
    repertoire(workplace, "extract", "missing.json"),
    repertoire(workplace, "drafts", "show", "nothing"),
    repertoire(workplace, "drafts", "feedback", "nothing", "--rating", "2"),
    repertoire(workplace, "revoke", "nothing"),
    repertoire(workplace, "runs", "show", "nothing"),
  ]);
  expect(ended).toMatchObject([
    { code: 2, stderr: "PATH_NOT_FOUND: There is no file missing.json\n" },
    {
      code: 1,
      stderr: expect.stringMatching(/DRAFT_NOT_FOUND: There is no draft "nothing"\. ".*drafts ls" lists/),
    },
    { code: 2, stderr: expect.stringContaining("not a number from -1 to 1") },
    { code: 1, stderr: expect.stringContaining('drafts" shows what was promoted') },
    { code: 1, stderr: expect.stringContaining('runs ls" shows those that there are') },
  ]);
});

describe("unifiedDiff", () => {
  const texts = fc
    .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));

  test("leads from the first text to the second", () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        expect(patched(before, unifiedDiff(before, after, "x"))).toBe(after);
      }),
    );
  });

  test("shows three lines around a change, and its place", () => {
    const before = ["1", "2", "3", "4", "5", "6", "7", "8", "9"].join("\n");
    expect(unifiedDiff(before, before.replace("5", "five"), "skill.ts")).toEqual([
      "--- a/skill.ts",
      "+++ b/skill.ts",
      "@@ -2,7 +2,7 @@",
      ...[" 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"],
    ]);
  });

  test("tells where the last line has no end", () => {
    expect(unifiedDiff("a\n", "a", "x").slice(2)).toEqual([
      "@@ -1,1 +1,1 @@",
      ...["-a", "+a", "\\ No newline at end of file"],
    ]);
  });
});

test("StoredTraces gives the calls of a session as one trace, and what skills did not at all", async () => {
  const store = openStore(join(workplace.folder, "sessions.db"));
  const session = { sessionId: "session-one", source: "session" } as const;
  await store.record([
    run("first", ["shop.get_order"], { ...session, startedAt: NOON }),
    run("skill", ["shop.list_orders"], { ...session, source: "run", startedAt: NOON + 1000 }),
    run("second", ["shop.cancel_order"], { ...session, startedAt: NOON + 2000 }),
    run("transcript", ["mail.send"], { source: "import", startedAt: NOON - 1000 }),
    run("old", ["mail.send"], { source: "import", startedAt: NOON - DAY }),
    run("cut", ["mail.send"], { source: "import", startedAt: NOON - 2000, lost: 3 }),
    run("cut-call", ["mail.send"], {
      ...session,
      sessionId: "session-two",
      startedAt: NOON - 3000,
      lost: 1,
    }),
    run("now", ["mail.send"], { source: "import", status: "running" }),
  ]);
  const source = new StoredTraces(store, { since: NOON - 5000 });
  const told: TimedTrace[] = [];
  for await (const trace of source.all()) told.push(trace);
  expect(told.map(({ id, calls }) => [id, calls.map(({ tool }) => tool)])).toEqual([
    ["session-one", ["shop.get_order", "shop.cancel_order"]],
    ["transcript", ["mail.send"]],
  ]);
  expect(told).toMatchObject(await Promise.all(told.map(async ({ id }) => source.one(id))));
  // When each call began and ended.
  expect(told.map(({ times }) => times?.map(({ startMs, endMs }) => [startMs - NOON, endMs - NOON]))).toEqual(
    [
      [
        [0, 10],
        [2000, 2010],
      ],
      [[-1000, -990]],
    ],
  );
  expect(source.leftOut).toEqual({ incomplete: 2, unfinished: 1 });
  const all: string[] = [];
  for await (const { id } of new StoredTraces(store, { since: NOON - 5000, incomplete: true }).all())
    all.push(id);
  expect(all).toEqual(["session-one", "transcript", "cut", "session-two"]);
  await store.close();
});

/** A text with the changes of a diff made in it, at the places that its hunks tell. */
function patched(text: string, diff: readonly string[]): string {
  const before = text.split("\n").slice(0, -1);
  const after: string[] = [];
  let done = 0;
  for (const line of diff.slice(2)) {
    const [, start, length] = /^@@ -(\d+),(\d+) /.exec(line) ?? [];
    if (start !== undefined) {
      const first = Number(start) - (length === "0" ? 0 : 1);
      after.push(...before.slice(done, first));
      done = first;
    } else {
      if (!line.startsWith("+")) expect(before[done++]).toBe(line.slice(1));
      if (!line.startsWith("-")) after.push(line.slice(1));
    }
  }
  return [...after, ...before.slice(done)].map((line) => `${line}\n`).join("");
}
