import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

/** Which rooms each room may import, as `src/README.md` tells it. Only `cli/` and the files beside it (`app.ts`, `index.ts` …) know more. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  catalog: ["core"],
  compose: ["core", "catalog"],
  runner: ["core", "catalog"],
  trace: ["core"],
  upstream: ["core"],
  extract: ["core", "runner", "trace"],
  server: ["core", "catalog", "runner", "trace", "extract"],
};

const imports = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => {
    const path = join(SRC, file);
    const specifiers = readFileSync(path, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
    return [...specifiers].map(([, specifier = ""]) => ({
      file,
      room: roomOf(path),
      imported: roomOf(resolve(dirname(path), specifier)),
    }));
  });

function roomOf(path: string): string {
  const parts = relative(SRC, path).split(sep);
  return parts.length > 1 ? (parts[0] ?? "") : "";
}

test("every room has a line in the table, and every line a room", () => {
  const rooms = readdirSync(SRC, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== "cli",
  );
  expect(rooms.map(({ name }) => name).toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
});

test("imports are found", () => {
  expect(imports.length).toBeGreaterThan(100);
});

test.each(Object.entries(MAY_IMPORT))("%s imports no more than it may", (room, allowed) => {
  const wrong = imports.filter(
    (each) => each.room === room && each.imported !== room && !allowed.includes(each.imported),
  );
  expect(wrong).toEqual([]);
});

test("the map shows the same table", () => {
  const map = readFileSync(join(SRC, "README.md"), "utf8");
  for (const [room, allowed] of Object.entries(MAY_IMPORT)) {
    expect(map).toContain(`| ${room} | ${allowed.length === 0 ? "–" : allowed.join(", ")} |`);
  }
});
