import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { loadFolders } from "../../src/catalog/folders/load-folders.ts";
import { SkillCompiler } from "../../src/compiler/compile-skills.ts";
import { draftFiles } from "../../src/learn/drafts/draft-files.ts";
import { failure } from "../../src/core/error.ts";
import type { Json } from "../../src/core/json/json.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { fail, ok } from "../../src/core/result.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import { failureKind } from "../../src/learn/plan/failure-kind.ts";
import { skillSet } from "../runner/skill-set.ts";
import { learned, type Told, traceOf } from "./learned.ts";

const runner = new Runner({ limits: DEFAULT_LIMITS, workers: 1 });
afterAll(() => runner.close());

test.each([
  ["a condition", ["failed"]],
  ["a branch", ["failed", "succeeded"]],
] as const)("the code of %s fits its types, and what flows in it is followed", async (_, outcomes) => {
  const runs = outcomes.map((outcome) =>
    traceOf(
      "Upgrade it, else cancel it",
      outcome === "failed"
        ? [
            ["air.upgrade", { id: "ZFA04Y", seats: ["1A"], note: { by: "ada" } }, null, "no seats on HAT030"],
            ["air.cancel", { id: "ZFA04Y" }, { cancelled: true }],
          ]
        : [
            ["air.upgrade", { id: "KLM77Q", seats: ["2A"], note: { by: "leo" } }, { receipt: "rc-70017" }],
            ["air.send", { receipt: "rc-70017" }, { sent: true }],
          ],
      outcome,
    ),
  );
  const { plan } = learned(runs, { name: "upgrade-or-cancel" });
  expect(plan.steps.map(({ kind }) => kind)).toEqual(outcomes.length === 1 ? ["call", "call"] : ["branch"]);
  const folder = join(await mkdtemp(join(tmpdir(), "failing-plans-")), plan.name);
  await mkdir(folder);
  for (const [file, text] of draftFiles(plan)) await writeFile(join(folder, file), text);
  const compiler = new SkillCompiler();
  const { folders, diagnostics } = await loadFolders([folder]);
  const compiled = await compiler.compile(folders);
  await compiler.close();
  await rm(dirname(folder), { recursive: true });
  const found = [...diagnostics, ...compiled.diagnostics, ...compiled.findings];
  expect(found.map(({ message }) => message)).toEqual([]);
  expect(compiled.skills.map(({ name }) => name)).toEqual([plan.name]);
});

const MESSAGES = [
  "Error: no seats left on HAT030",
  "ENOENT: no such file or directory, open '/srv/a.md'",
  '{"error":{"code":"card_declined","message":"Your card was declined."}}',
  '{"message":"Not Found","status":"404"}',
  "409 Conflict: it exists already",
  'duplicate key value violates unique constraint "people_pkey" (SQLSTATE 23505)',
  "the order O-1001 is shipped already",
  "permission denied",
] as const;

const message = fc.constantFrom(...MESSAGES);

interface Move {
  readonly verb: string;
  readonly fails: string | undefined;
}

const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({
    verb: fc.constantFrom("get", "find", "cancel", "charge", "send", "delete"),
    fails: fc.option(message, { nil: undefined, freq: 2 }),
  }),
  { minLength: 2, maxLength: 6 },
);

/** A run that makes the moves with one thing, which some answers tell of; the last one succeeds. */
function told(all: readonly Move[], id: string): readonly Told[] {
  return all.map(({ verb, fails }, nth): Told => {
    const tool = `s.${verb}_${nth}`;
    return fails === undefined || nth === all.length - 1
      ? [tool, { id }, { id, next: `n-${nth}-${id}` }]
      : [tool, { id }, null, fails];
  });
}

/** What the code calls where tools answer in their turn. */
async function called(
  code: string,
  input: Json,
  answers: readonly (Json | Error)[],
): Promise<readonly string[]> {
  const tools: string[] = [];
  await runner.run(skillSet({ d: code }), "d", input, {
    callTool: (tool) => {
      const answer = answers[tools.push(tool) - 1] ?? {};
      return Promise.resolve(
        answer instanceof Error ? fail(failure("TOOL_FAILED", answer.message)) : ok(answer),
      );
    },
  });
  return tools;
}

function answersOf(calls: readonly Told[]): readonly (Json | Error)[] {
  return calls.map(([, , result, error]) => (error === undefined ? result : new Error(error)));
}

test("what followed a failure follows it alone, whatever the run", async () => {
  await fc.assert(
    fc.asyncProperty(moves, message, async (all, instead) => {
      const calls = told(all, "O-77001");
      const { plan } = learned([traceOf("Do it for O-77001", calls)]);
      const code = skillCode(plan);
      const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
      const answers = answersOf(calls);
      const tools = calls.map(([tool]) => tool);
      expect(await called(code, input, answers)).toEqual(tools);
      for (const [at, [, args, , error]] of calls.entries()) {
        const upTo = tools.slice(0, at + 1);
        const isOther = error === undefined || failureKind(error, args) !== failureKind(instead, args);
        if (isOther) expect(await called(code, input, answers.with(at, new Error(instead)))).toEqual(upTo);
        if (error !== undefined)
          expect(await called(code, input, answers.with(at, { fine: true }))).toEqual(upTo);
      }
    }),
    { numRuns: 60 },
  );
});

test("each side of a branch is for its own outcome, whatever the runs", async () => {
  let branches = 0;
  await fc.assert(
    fc.asyncProperty(
      moves,
      message,
      moves,
      moves,
      message,
      async (before, why, onFailure, onSuccess, instead) => {
        const prefix = before.map((move) => Object.assign({}, move, { fails: undefined }));
        const run = (id: string, hasFailed: boolean): readonly Told[] => {
          const start = [...prefix, { verb: "decide", fails: hasFailed ? why : undefined }];
          const side = (hasFailed ? onFailure : onSuccess).map((move) =>
            Object.assign({}, move, {
              verb: `${hasFailed ? "undo" : "keep"}_${move.verb}`,
              fails: undefined,
            }),
          );
          return told([...start, ...side], id);
        };
        const [failed, succeeded] = [run("O-77001", true), run("O-88002", false)];
        const { plan, inputs } = learned([
          traceOf("Do it for O-77001", failed, "failed"),
          traceOf("Do it for O-88002", succeeded, "succeeded"),
        ]);
        if (!inputs) return;
        branches++;
        const code = skillCode(plan);
        for (const [nth, calls] of [failed, succeeded].entries()) {
          const answers = answersOf(calls);
          const tools = calls.map(([tool]) => tool);
          const input = inputs[nth] ?? {};
          expect(await called(code, input, answers)).toEqual(tools);
          for (const [at, [, args, , error]] of calls.entries()) {
            const isKnown =
              at === prefix.length && failureKind(instead, args) === failureKind(error ?? why, args);
            if (!isKnown)
              expect(await called(code, input, answers.with(at, new Error(instead)))).toEqual(
                tools.slice(0, at + 1),
              );
          }
        }
      },
    ),
    { numRuns: 40 },
  );
  expect(branches).toBeGreaterThan(30);
});
