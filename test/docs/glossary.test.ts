import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../server/connected-client.ts";
import { pageAt, tablesOf } from "./pages.ts";

const SRC = join(ROOT, "src");
const glossary = pageAt("docs/glossary.md");
const rows = tablesOf(glossary).flat();
const nouns = rows.map(([noun = ""]) => noun);
const named = nouns.flatMap((noun) => /^`(.*)`$/.exec(noun)?.[1] ?? []);
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

function exportsOf(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const declared = text.matchAll(
    /^export (?:declare |abstract |async )*(?:function\*?|const|class|interface|type|enum) (\w+)/gm,
  );
  return [...declared].map(([, name = ""]) => name);
}

test("every name in the glossary is exported in src, or is a file there", () => {
  const known = new Set([...files.flatMap(exportsOf), ...files.map((file) => basename(file))]);
  expect(named.length).toBeGreaterThan(150);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test("every noun stands once, with its meaning and the field's term", () => {
  const twice = [...Map.groupBy(nouns, (noun) => noun)].flatMap(([noun, { length }]) =>
    length > 1 ? [noun] : [],
  );
  expect(twice).toEqual([]);
  expect(rows.filter((cells) => cells.length !== 3 || cells.some((cell) => cell === ""))).toEqual([]);
});

test("every room has its section", () => {
  const rooms = new Set(
    files.flatMap((file) => (file.includes("/") ? [file.slice(0, file.indexOf("/"))] : [])),
  );
  const sections = new Set([...glossary.text.matchAll(/^## (.*)$/gm)].map(([, title]) => title));
  expect(rooms.size).toBeGreaterThan(10);
  expect([...rooms].filter((room) => !sections.has(room))).toEqual([]);
});

test("every type that is public is in the glossary, but for options", () => {
  const text = readFileSync(join(SRC, "index.ts"), "utf8");
  const types = [...text.matchAll(/\btype (\w+)|^export type \{([^}]*)\}/gm)].flatMap(
    ([, one, several = ""]) => (one === undefined ? several.split(",").map((name) => name.trim()) : [one]),
  );
  const wanted = types.filter((name) => name !== "" && !name.endsWith("Options"));
  expect(wanted.length).toBeGreaterThan(20);
  expect(wanted.filter((name) => !named.includes(name))).toEqual([]);
});
