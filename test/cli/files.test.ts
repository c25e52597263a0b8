import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith } from "../catalog/folders.ts";
import { command } from "./in-process.ts";

test.each([
  [["list", "-c", "empty"], "CONFIG_INVALID: The configuration", "it is a folder"],
  [["list", "-c", "gone.json"], "PATH_NOT_FOUND: The configuration", "there is no such file or folder"],
  [
    ["new", "a-skill", "file"],
    "PATH_NOT_FOUND: The skill cannot be written to",
    "what should be its folder is a file",
  ],
  [["run", "any", "--input", "@empty"], "PATH_NOT_FOUND: The file empty of --input", "it is a folder"],
  [
    ["check", "empty", "--save", "gone/all.json"],
    "PATH_NOT_FOUND: The contracts",
    "there is no such file or folder",
  ],
  [["types", "gone"], "PATH_NOT_FOUND: ", "there is no such file or folder"],
])("%j tells in words why a file cannot be read or written", async (args, what, why) => {
  const folder = await folderWith({ file: "", "empty/.keep": "" });
  const { code, stderr } = await command(folder, ...args);
  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain(what);
  expect(stderr).toMatch(new RegExp(`: ${why}\n$`));
});

test("what draws a graph as data draws that of no skills", async () => {
  const folder = await folderWith({ "empty/.keep": "" });
  const { code, stdout } = await command(folder, "graph", join(folder, "empty"), "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { nodes: [], edges: [] }]);
});
