import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { beforeAll, describe, expect, test } from "vitest";
import { configShape, readConfig } from "../../src/config.ts";
import { ERRORS } from "../../src/core/error.ts";
import { REASONS } from "../../src/learn/drafts/reasons.ts";
import { TRACE_FORMATS } from "../../src/trace/import/format.ts";
import { upstreamFields } from "../../src/upstream/upstream-config.ts";
import { command } from "../cli/in-process.ts";
import { ROOT } from "../server/connected-client.ts";
import { anchorsOf, linksOf, pageAt, PAGES, tablesOf } from "./pages.ts";

const MAX_README_LINES = 180;
const OTHERS = ["SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "src/README.md", "bench/README.md"].map(
  pageAt,
);

describe("the README", () => {
  const [readme = pageAt("README.md")] = PAGES;

  test("is short", () => {
    expect(readme.text.split("\n").length - 1).toBeLessThanOrEqual(MAX_README_LINES);
  });

  test("links every page of docs/", () => {
    const linked = new Set(linksOf(readme).map(({ path }) => path));
    expect(PAGES.map(({ file }) => file).filter((file) => file !== readme.file && !linked.has(file))).toEqual(
      [],
    );
  });
});

test.each([...PAGES, ...OTHERS].map((page) => [page.file, page] as const))(
  "%s links to what is there",
  (_, page) => {
    const broken = linksOf(page).filter(
      ({ path, anchor }) =>
        !existsSync(join(ROOT, path)) || (anchor !== "" && !anchorsOf(pageAt(path)).has(anchor)),
    );
    expect(broken).toEqual([]);
  },
);

test("docs/refusals.md has every error code with its meaning, and no other", () => {
  const rows = tablesOf(pageAt("docs/refusals.md")).flat();
  expect(rows).toEqual(Object.entries(ERRORS).map(([code, meaning]) => [`\`${code}\``, meaning]));
});

test("docs/transcripts.md has every format that is imported, and no other", () => {
  const [rows = []] = tablesOf(pageAt("docs/transcripts.md"));
  const named = rows.map(([name = ""]) => name.replaceAll("`", ""));
  expect([...new Set(named)].toSorted()).toEqual(TRACE_FORMATS.toSorted());
});

test("docs/learning.md has every reason why no draft came, and no other", () => {
  const [rows = []] = tablesOf(pageAt("docs/learning.md"));
  expect(rows).toEqual(Object.entries(REASONS).map(([reason, meaning]) => [`\`${reason}\``, meaning]));
});

describe("docs/configuration.md", () => {
  const [settings = [], ofServers = []] = tablesOf(pageAt("docs/configuration.md"));
  const named = (rows: typeof settings): readonly string[] =>
    rows.map(([name = ""]) => name.replaceAll("`", "")).toSorted();

  test("has every setting, and no other", () => {
    const paths = settingsOf(z.toJSONSchema(configShape, { io: "input", unrepresentable: "any" }));
    expect(paths).toContain("traces.retention.maxRuns");
    expect(named(settings)).toEqual(paths.toSorted());
    expect(named(ofServers)).toEqual(Object.keys(upstreamFields).toSorted());
  });

  test("tells the defaults", async () => {
    const defaults = await readConfig({ cwd: join(ROOT, "bin") });
    if (!defaults.ok) throw new Error(defaults.error.message);
    const told = settings.flatMap(([name = "", , cell = ""]) => {
      const value = at(defaults.value, name.replaceAll("`", ""));
      return ["string", "number", "boolean"].includes(typeof value) && !/\s/.test(cell)
        ? [[name, cell.replaceAll("`", ""), String(value)]]
        : [];
    });
    expect(told.length).toBeGreaterThan(15);
    expect(told.filter(([, cell, value]) => cell !== value)).toEqual([]);
  });
});

describe("docs/commands.md", () => {
  const rows = tablesOf(pageAt("docs/commands.md")).flat();
  const cellsOf = (name: string): string =>
    rows
      .filter(([cell = ""]) => new RegExp(`^\`repertoire ${name}(?: [<[-]|\`)`).test(cell))
      .map((cells) => cells.join(" "))
      .join(" ");
  let commands: readonly HelpedCommand[];
  beforeAll(async () => {
    commands = await helpedCommands();
  });

  test("has every command", () => {
    expect(commands.length).toBeGreaterThan(25);
    expect(commands.filter(({ name }) => cellsOf(name) === "").map(({ name }) => name)).toEqual([]);
  });

  test("has every option of each command", () => {
    expect(commands.flatMap(({ options }) => options).length).toBeGreaterThan(60);
    const missing = commands.flatMap(({ name, options }) =>
      options
        .filter((option) => !new RegExp(`\`(?:repertoire .*)?${option}\\b`).test(cellsOf(name)))
        .map((option) => `${name} ${option}`),
    );
    expect(missing).toEqual([]);
  });

  test("has no option and no command that is not there", () => {
    const excess = rows.flatMap(([cell = "", ...more]) => {
      const name = /^`repertoire ([\w-]+(?: (?!--)[a-z-]+)?)/.exec(cell)?.[1];
      const found = commands.find((each) => each.name === name);
      if (!found) return [cell];
      const told = [...`${cell} ${more[0]}`.matchAll(/`(?:repertoire \w+ )?(--[a-z-]+)/g)].map(
        ([, option]) => option,
      );
      return told
        .filter((option) => option !== undefined && !found.options.includes(option))
        .map((option) => `${name} ${option}`);
    });
    expect(excess).toEqual([]);
  });
});

/** The settings in a schema, nested ones with their paths; what a record or list holds is not looked into. */
function settingsOf(schema: unknown, path = ""): readonly string[] {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, unknown>> };
  return Object.entries(properties).flatMap(([name, inner]) => {
    const own = path === "" ? name : `${path}.${name}`;
    return [own].concat(settingsOf(inner, own));
  });
}

function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, name) => {
    return typeof inner === "object" && inner !== null
      ? Object.entries(inner).find(([key]) => key === name)?.[1]
      : undefined;
  }, value);
}

interface HelpedCommand {
  /** Such as `traces ls`. */
  readonly name: string;
  /** Its options with two hyphens, without those that most commands have. */
  readonly options: readonly string[];
}

async function helpedCommands(): Promise<readonly HelpedCommand[]> {
  const names = namesIn(await help());
  const found: HelpedCommand[] = [];
  for (const name of names) {
    const text = await help(name);
    const inner = namesIn(text);
    if (inner.length === 0) found.push({ name, options: optionsIn(text) });
    for (const each of inner)
      found.push({ name: `${name} ${each}`, options: optionsIn(await help(name, each)) });
  }
  return found;
}

const COMMON = new Set(["--help", "--json", "--config"]);

function optionsIn(text: string): readonly string[] {
  return [...text.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].flatMap(([, option = ""]) =>
    COMMON.has(option) ? [] : [option],
  );
}

function namesIn(text: string): readonly string[] {
  const [, list = ""] = /^Commands:\n((?: {2}.*\n)*)/m.exec(text) ?? [];
  return [...list.matchAll(/^ {2}([\w-]+) /gm)].flatMap(([, name = ""]) => (name === "help" ? [] : [name]));
}

async function help(...names: readonly string[]): Promise<string> {
  const { code, stdout } = await command(ROOT, ...names, "--help");
  expect(code).toBe(0);
  return stdout;
}
