import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { DEFAULT_LIMITS } from "../src/core/limits.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "repertoire-config-"));
});
afterAll(async () => rm(folder, { recursive: true }));

async function configured(text: string): Promise<Awaited<ReturnType<typeof readConfig>>> {
  await writeFile(join(folder, "mcp.config.json"), text);
  return readConfig({ cwd: folder });
}

test("without a file the skills are in ./skills and the data in the user's own directory", async () => {
  const config = await readConfig({ cwd: tmpdir() });
  expect(config).toMatchObject({
    ok: true,
    value: { file: undefined, skills: [join(tmpdir(), "skills")], limits: DEFAULT_LIMITS },
  });
  expect(config.ok && config.value.data.startsWith(tmpdir())).toBe(false);
});

test("paths are relative to the file, wherever the server starts", async () => {
  await writeFile(join(folder, "mcp.config.json"), `{"skills": ["a", "../b"], "limits": {"depth": 9}}`);
  const config = await readConfig({ file: join(folder, "mcp.config.json"), cwd: tmpdir() });
  expect(config).toMatchObject({
    ok: true,
    value: {
      skills: [join(folder, "a"), join(folder, "..", "b")],
      data: join(folder, ".repertoire"),
      limits: { ...DEFAULT_LIMITS, depth: 9 },
    },
  });
});

test("folders on the command line replace the configuration's, relative to where it is called", async () => {
  const config = await readConfig({ file: join(folder, "mcp.config.json"), cwd: tmpdir(), skills: ["mine"] });
  expect(config).toMatchObject({ ok: true, value: { skills: [join(tmpdir(), "mine")] } });
});

test.each([
  ["a typo", `{\n  "skils": []\n}`, `:2:12: There is no setting "skils". Did you mean "skills"?`],
  [
    "a typo inside",
    `{"limits": {"wallms": 5}}`,
    `There is no setting "limits.wallms". Did you mean "wallMs"?`,
  ],
  ["a wrong type", `{"limits": {"wallMs": "5s"}}`, `:1:23: "limits.wallMs": it must be a number, not "5s"`],
  ["too little memory", `{"limits": {"memoryMb": 8}}`, `"limits.memoryMb": it must be at least 16`],
  ["a typo about traces", `{"traces": {"stor": "x"}}`, `no setting "traces.stor". Did you mean "store"?`],
  [
    "a typo about what is kept",
    `{"traces": {"retention": {"maxRun": 5}}}`,
    `no setting "traces.retention.maxRun". Did you mean "maxRuns"?`,
  ],
  [
    "a rule that could take for ever",
    `{"traces": {"redaction": {"rules": [{"name": "own", "pattern": "key(a+)\\\\1b"}]}}}`,
    `"traces.redaction": The redaction rule "own" cannot be used: `,
  ],
  [
    "a variable that is not set",
    `{"traces": {"store": "\${NOT_SET_ANYWHERE}"}}`,
    `"traces.store": the environment variable NOT_SET_ANYWHERE is not set`,
  ],
  ["a setting that is gone", `{\n  "engine": "quickjs"\n}`, `:2:13: The setting "engine" is gone`],
  ["broken JSON", `{"name": "x"\n "skills": []}`, `mcp.config.json:2:2: `],
  ["no mapping", `[]`, `the configuration: it must be an object, not a list`],
])("%s is an error with its place", async (_, text, message) => {
  const config = await configured(text);
  expect(config).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
  expect(!config.ok && config.error.message).toContain(message);
});

test("a named file that is not there is an error", async () => {
  expect(await readConfig({ file: join(folder, "nowhere.json") })).toMatchObject({
    ok: false,
    error: { code: "PATH_NOT_FOUND" },
  });
});

test("traces are kept in the data folder, in a file of one's own, or in PostgreSQL", async () => {
  const storeOf = async (traces: object): Promise<string | undefined> => {
    const config = await configured(JSON.stringify({ data: "d", traces }));
    return config.ok ? config.value.traces.store : config.error.message;
  };
  expect(await storeOf({})).toBe(join(folder, "d", "traces.db"));
  expect(await storeOf({ store: "../t.db" })).toBe(join(folder, "..", "t.db"));
  expect(await storeOf({ store: "postgres://me@localhost/traces" })).toBe("postgres://me@localhost/traces");
  expect(await storeOf({ store: "${NOT_SET_ANYWHERE:-/tmp/t.db}" })).toBe("/tmp/t.db");
});
