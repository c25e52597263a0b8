import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { strictFindings } from "../../src/catalog/strict-findings.ts";
import { sarifLog } from "../../src/cli/output/sarif.ts";
import { DIAGNOSTICS, type Diagnostic } from "../../src/core/diagnostic.ts";
import { PACKAGE_VERSION } from "../../src/core/package/package-version.ts";
import { folderWith } from "../catalog/folders.ts";

const BASE = join(import.meta.dirname, "checkout");

function finding(more: Partial<Diagnostic> = {}): Diagnostic {
  return {
    code: "call-unknown",
    severity: "error",
    path: join(BASE, "skills/a b/skill.ts"),
    line: 14,
    column: 9,
    message: 'There is no skill "gone"',
    fix: "Add the skill, or correct the name",
    ...more,
  };
}

// --- what SARIF 2.1.0 says of the parts that code hosts read (OASIS, sections 3.13 to 3.30)

const message = z.strictObject({ text: z.string().min(1) });
const physicalLocation = z.strictObject({
  artifactLocation: z.union([
    z.strictObject({
      uri: z.string().regex(/^(?![/.]{2}|[a-z]+:|\/)[\w.~!$&'()*+,;=:@%/-]+$/i),
      uriBaseId: z.literal("%SRCROOT%"),
    }),
    z.strictObject({ uri: z.url({ protocol: /^file$/ }) }),
  ]),
  region: z.strictObject({ startLine: z.int().min(1), startColumn: z.int().min(1) }),
});
const log = z.strictObject({
  $schema: z.url(),
  version: z.literal("2.1.0"),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.literal("repertoire"),
          version: z.string(),
          rules: z.array(z.strictObject({ id: z.string().min(1), shortDescription: message })),
        }),
      }),
      columnKind: z.literal("utf16CodeUnits"),
      originalUriBaseIds: z.strictObject({ "%SRCROOT%": z.strictObject({ uri: z.url().endsWith("/") }) }),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.int().min(0),
          level: z.enum(["error", "warning", "note"]),
          message,
          locations: z.tuple([z.strictObject({ physicalLocation })]),
          relatedLocations: z
            .array(z.strictObject({ id: z.int().min(0), physicalLocation, message }))
            .optional(),
          partialFingerprints: z.strictObject({ primaryLocationLineHash: z.string().min(1) }),
        }),
      ),
    }),
  ]),
});

function runOf(diagnostics: readonly Diagnostic[], base = BASE): z.infer<typeof log>["runs"][0] {
  return log.parse(JSON.parse(JSON.stringify(sarifLog(diagnostics, base)))).runs[0];
}

function fingerprintsOf(diagnostics: readonly Diagnostic[]): readonly string[] {
  return runOf(diagnostics).results.map(
    ({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash,
  );
}

test("a log without findings has every rule", () => {
  const { tool, results } = runOf([]);
  expect(results).toEqual([]);
  expect(tool.driver.version).toBe(PACKAGE_VERSION);
  expect(tool.driver.rules.map(({ id }) => id)).toEqual(Object.keys(DIAGNOSTICS));
});

test("a finding has its rule, level, text and place", () => {
  const { tool, results } = runOf([
    finding(),
    finding({ severity: "warning" }),
    finding({ severity: "info", fix: "" }),
  ]);
  expect(results.map(({ level }) => level)).toEqual(["error", "warning", "note"]);
  expect(tool.driver.rules[results[0]?.ruleIndex ?? -1]?.id).toBe("call-unknown");
  expect(results.map((each) => each.message.text)).toEqual([
    'There is no skill "gone". Add the skill, or correct the name',
    'There is no skill "gone". Add the skill, or correct the name',
    'There is no skill "gone"',
  ]);
  expect(results[0]?.locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: "skills/a%20b/skill.ts", uriBaseId: "%SRCROOT%" },
    region: { startLine: 14, startColumn: 9 },
  });
});

test("what is not below the base has an absolute address", () => {
  const outside = join(BASE, "../elsewhere/SKILL.md");
  const [result] = runOf([finding({ path: outside })]).results;
  expect(result?.locations[0].physicalLocation.artifactLocation).toEqual({
    uri: pathToFileURL(outside).href,
  });
});

test("the base itself, and names with characters of their own in addresses", () => {
  const places = ["", "a:b#c?.md", "技能/SKILL.md"].map((path) => finding({ path: join(BASE, path) }));
  const uris = runOf(places).results.map(
    ({ locations }) => locations[0].physicalLocation.artifactLocation.uri,
  );
  expect(uris).toEqual([".", "a%3Ab%23c%3F.md", "%E6%8A%80%E8%83%BD/SKILL.md"]);
});

test("other places that belong to a finding are told", () => {
  const related = [{ path: join(BASE, "b.ts"), line: 2, column: 1, message: "b calls a" }];
  const [result] = runOf([finding({ code: "call-cycle", related })]).results;
  expect(result?.relatedLocations).toMatchObject([
    { id: 0, physicalLocation: { region: { startLine: 2 } }, message: { text: "b calls a" } },
  ]);
});

test("a name cannot write a link into a message", () => {
  const [result] = runOf([
    finding({ message: "no skill [here](https://example.com), see composes[0]" }),
  ]).results;
  expect(result?.message.text).toContain("no skill \\[here](https://example.com), see composes[0]");
});

describe("fingerprints", () => {
  test("stay when lines move, also of findings that are equal otherwise", () => {
    const two = [finding({ line: 3 }), finding({ line: 9 })];
    const moved = two.map((each) => ({ ...each, line: each.line + 5, column: 1 }));
    expect(fingerprintsOf(moved)).toEqual(fingerprintsOf(two));
    expect(new Set(fingerprintsOf(two)).size).toBe(2);
  });

  test("differ by code, file and message, not by where the checkout is", () => {
    const others = [
      finding(),
      finding({ code: "call-type" }),
      finding({ path: join(BASE, "other.ts") }),
      finding({ message: "another" }),
    ];
    expect(new Set(fingerprintsOf(others)).size).toBe(4);
    const elsewhere = join(BASE, "../second");
    const [result] = runOf([finding({ path: join(elsewhere, "skills/a b/skill.ts") })], elsewhere).results;
    expect(result?.partialFingerprints.primaryLocationLineHash).toBe(fingerprintsOf([finding()])[0]);
  });
});

test("real findings make a log", async () => {
  const folder = await folderWith({ "my-skill/SKILL.md": "---\nname: Other\nversion: 1\n---\n" });
  const { results } = runOf(await strictFindings(join(folder, "my-skill")), folder);
  expect(results.map(({ ruleId }) => ruleId)).toEqual([
    "frontmatter-unexpected",
    "name-invalid",
    "name-mismatch",
    "description-missing",
  ]);
  expect(results[0]?.locations[0].physicalLocation).toMatchObject({
    artifactLocation: { uri: "my-skill/SKILL.md" },
    region: { startLine: 3 },
  });
});
