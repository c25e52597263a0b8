import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

/** Which rooms each room may import, as `src/README.md` tells it. Only `cli/` and the files beside it (`app.ts`, `index.ts` …) know more. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  subsumption: ["core"],
  workflow: ["core", "graph", "learn"],
  catalog: ["core", "workflow"],
  "contracts/to-types": ["core"],
  "compiler/program": ["core", "contracts/to-types"],
  contracts: ["core", "contracts/to-types", "compiler/program"],
  graph: ["core"],
  checks: ["core", "workflow", "subsumption", "contracts", "contracts/to-types", "compiler/program", "graph"],
  compiler: ["core", "catalog", "contracts", "contracts/to-types", "compiler/program", "graph", "checks"],
  changes: ["core", "subsumption"],
  runner: ["core", "catalog"],
  durable: ["core", "runner"],
  trace: ["core"],
  upstream: ["core"],
  model: ["core"],
  learn: ["core", "runner", "trace"],
  export: ["core", "subsumption", "catalog", "workflow", "runner", "durable", "trace", "learn"],
  assistant: ["core", "catalog", "contracts/to-types", "runner", "learn"],
  server: ["core", "catalog", "runner", "durable", "trace", "learn", "assistant"],
};

/** The most files that a folder has: what is looked for is found by reading their names. */
const MAX_FILES = 15;
/** These have one for each command, by its name. */
const EXEMPT: ReadonlySet<string> = new Set([join("cli", "commands")]);

interface Import {
  readonly file: string;
  readonly imported: string;
  /** Whether it is gone once types are stripped. */
  readonly isOfTypes: boolean;
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const imports: readonly Import[] = files.flatMap((file) => {
  const path = join(SRC, file);
  const text = readFileSync(path, "utf8");
  const at = (specifier = ""): string => relative(SRC, resolve(dirname(path), specifier));
  const stated = [...text.matchAll(/^(?:import|export)( type)?\b([^;"]*?)\bfrom "(\.[^"]+)"/gm)].map(
    ([, type, names = "", specifier]) => ({
      file,
      imported: at(specifier),
      isOfTypes: type !== undefined || /^\s*\{(?:\s*type [^,}]+,?)+\s*\}\s*$/.test(names),
    }),
  );
  const loaded = [...text.matchAll(/\bimport\(\s*"(\.[^"]+)"/g)].map(([, specifier]) => ({
    file,
    imported: at(specifier),
    isOfTypes: true,
  }));
  return [...stated, ...loaded];
});

function roomOf(file: string): string {
  const folders = file.split(sep).slice(0, -1);
  const nested = folders.slice(0, 2).join("/");
  return nested in MAY_IMPORT ? nested : (folders[0] ?? "");
}

test("every room has a line in the table, and every line a room", () => {
  const rooms = new Set(files.map(roomOf));
  expect([...rooms].filter((room) => room !== "" && room !== "cli").toSorted()).toEqual(
    Object.keys(MAY_IMPORT).toSorted(),
  );
});

test("imports are found", () => {
  expect(imports.length).toBeGreaterThan(1000);
});

test.each(Object.entries(MAY_IMPORT))("%s imports no more than it may", (room, allowed) => {
  const wrong = imports.filter(({ file, imported }) => {
    const other = roomOf(imported);
    return roomOf(file) === room && other !== room && !allowed.includes(other);
  });
  expect(wrong).toEqual([]);
});

test("the map shows the same table", () => {
  const map = readFileSync(join(SRC, "README.md"), "utf8");
  for (const [room, allowed] of Object.entries(MAY_IMPORT)) {
    expect(map).toContain(`| ${room} | ${allowed.length === 0 ? "–" : allowed.join(", ")} |`);
  }
});

test("no files import each other in a cycle when they run", () => {
  const importedBy = Map.groupBy(
    imports.filter(({ isOfTypes }) => !isOfTypes),
    ({ file }) => file,
  );
  const settled = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file]);
    if (path.includes(file) || settled.has(file)) return;
    for (const { imported } of importedBy.get(file) ?? []) visit(imported, [...path, file]);
    settled.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

test("a server starts without what few requests need", () => {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const each of imports) if (each.file === file && !each.isOfTypes) visit(each.imported);
  };
  for (const file of ["cli.ts", join("cli", "commands", "serve.ts"), "rooms.ts"]) visit(file);
  const text = [...loaded].map((file) => readFileSync(join(SRC, file), "utf8")).join("\n");
  const packages = text.matchAll(
    /^import (?!type\b)(?!\{(?: type \w+,?)+ \})[^;"]*?from "(?!node:)((?:@[\w-]+\/)?[\w-]+)[^"]*";/gm,
  );
  const names = new Set(packages.map(([, name = ""]) => name));
  expect(
    names
      .values()
      .toArray()
      .toSorted((a, b) => (a < b ? -1 : 1)),
  ).toEqual([
    "@modelcontextprotocol/server",
    "acorn",
    "ajv",
    "ajv-formats",
    "chokidar",
    "commander",
    "es-module-lexer",
    "fastest-levenshtein",
    "jsonc-parser",
    "lru-cache",
    "unhomoglyph",
    "yaml",
    "zod",
  ]);
  const rooms = Map.groupBy(loaded, (file) => file.split(sep).slice(0, -1).join("/"));
  for (const room of [
    "learn/synthesis",
    "learn/verify",
    "learn/codegen",
    "trace/import/formats",
    "trace/store/sqlite",
  ])
    expect(rooms.keys().toArray()).not.toContain(room);
});

test("an exported name means one thing", () => {
  const declared = files.flatMap((file) => {
    const text = readFileSync(join(SRC, file), "utf8").replace(/`[^`]*`/g, "``");
    const names = text.matchAll(
      /^export (?:declare |abstract |async )*(?:function\*?|const|class|interface|type|enum) (\w+)/gm,
    );
    return [...new Set([...names].map(([, name = ""]) => name))].map((name) => ({ name, file }));
  });
  const twice = [...Map.groupBy(declared, ({ name }) => name)].filter(([, places]) => places.length > 1);
  expect(declared.length).toBeGreaterThan(1000);
  expect(twice).toEqual([]);
});

test("no folder has more files than one looks through", () => {
  const crowded = [...Map.groupBy(files, (file) => dirname(file))]
    .map(([folder, { length }]) => ({ folder, length }))
    .filter(({ folder, length }) => length > MAX_FILES && !EXEMPT.has(folder));
  expect(crowded).toEqual([]);
});

test("the map names only files that there are", () => {
  const map = readFileSync(join(SRC, "README.md"), "utf8");
  const named = [...map.matchAll(/`((?:\.\.\/)?[\w/-]+\.ts)`/g)].map(([, name = ""]) =>
    name.replace("../", ""),
  );
  const missing = named.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)));
  expect(named.length).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});

test("where to change what: a name without a folder stands beside the one before it", () => {
  const map = readFileSync(join(SRC, "README.md"), "utf8");
  const [, table = ""] = map.split(/^## Where to change what$|^## A check/m);
  const rows = table.split("\n").filter((line) => line.startsWith("| "));
  const there = new Set([...files, ...files.map((file) => `${dirname(file)}/`)]);
  const lost = rows.flatMap((row) => {
    let folder = "";
    return [...row.matchAll(/`([\w/-]+(?:\.ts|\/))`/g)].flatMap(([, name = ""]) => {
      const found = [name, `${folder}/${name}`].find((each) => there.has(each));
      if (name.endsWith(".ts")) folder = dirname(found ?? name);
      return found === undefined ? [name] : [];
    });
  });
  expect(rows.length).toBeGreaterThan(50);
  expect(lost).toEqual([]);
});

test("tests import nothing from the benchmarks", () => {
  const folder = join(SRC, "../test");
  const tests = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  expect(tests.length).toBeGreaterThan(100);
  const texts = tests.map((file) => [file, readFileSync(join(folder, file), "utf8")] as const);
  expect(texts.flatMap(([file, text]) => (/\bfrom "(?:\.\.\/)+bench\//.test(text) ? [file] : []))).toEqual(
    [],
  );
});
