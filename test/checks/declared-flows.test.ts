import { expect, test } from "vitest";
import type { SkillFolder } from "../../src/core/skill.ts";
import { skillFolder } from "./read-folder.ts";
import { compiler } from "../shared-threads.ts";

/** A skill without code that declares its fields as `name: type`. */
function declared(name: string, fields: { in?: string; out?: string; composes?: string }): SkillFolder {
  const list = (field: string, written: string | undefined): string =>
    written === undefined
      ? ""
      : `${field}:\n${written
          .split(", ")
          .map((each) => {
            const [key = "", type = "", ...more] = each.split(" ");
            return `  - { name: ${key}, type: "${type}"${more.map((part) => `, ${part.replace("=", ": ")}`).join("")} }\n`;
          })
          .join("")}`;
  const composes = fields.composes === undefined ? "" : `composes: [${fields.composes}]\n`;
  return skillFolder(name, {}, `${composes}${list("inputs", fields.in)}${list("outputs", fields.out)}`);
}

type Case = readonly [what: string, folders: readonly SkillFolder[], findings: readonly (string | RegExp)[]];

const child = (of: { in?: string; out?: string }, name = "child"): SkillFolder => declared(name, of);

test.each<Case>([
  [
    "equal types fit",
    [
      declared("parent", { in: "city string", out: "price number", composes: "child" }),
      child({ in: "city string", out: "price number" }),
    ],
    [],
  ],
  [
    "an input of another type does not",
    [declared("parent", { in: "city integer", composes: "child" }), child({ in: "city string" })],
    [
      /^flow-mismatch parent:4 The input `city` of parent does not fit the input `city` of child: .*string.*, as in -?\d+$/,
    ],
  ],
  [
    "an integer is a number",
    [declared("parent", { in: "n integer", composes: "child" }), child({ in: "n number" })],
    [],
  ],
  [
    "a number is no integer",
    [declared("parent", { in: "n number", composes: "child" }), child({ in: "n integer" })],
    [/^flow-mismatch parent:4 .*integer/],
  ],
  [
    "a time is no day",
    [declared("parent", { in: "at datetime", composes: "child" }), child({ in: "at date" })],
    [/^flow-mismatch parent:4 .*date/],
  ],
  [
    "whatever it is fits anything",
    [declared("parent", { in: "a any[]", composes: "child" }), child({ in: "a any" })],
    [],
  ],
  [
    "a list of anything takes a list",
    [declared("parent", { in: "a string[]", composes: "child" }), child({ in: "a any[]" })],
    [],
  ],
  [
    "a list of lists is no list of texts",
    [declared("parent", { in: "a string[][]", composes: "child" }), child({ in: "a string[]" })],
    [/^flow-mismatch parent:4 /],
  ],
  [
    "a narrower range is not kept by a wider",
    [
      declared("parent", { in: "n integer range=[0,10]", composes: "child" }),
      child({ in: "n integer range=[1,5]" }),
    ],
    [/^flow-mismatch parent:4 .*, as in (?:0|6|7|8|9|10)$/],
  ],
  [
    "a required input that nobody supplies is missing",
    [
      declared("parent", { in: "city string", composes: "child" }),
      child({ in: "city string, nights integer" }),
    ],
    ["flow-missing parent:4 Nobody supplies the input `nights` of child, which is required"],
  ],
  [
    "an optional one is not",
    [
      declared("parent", { in: "city string", composes: "child" }),
      child({ in: "city string, nights integer required=false" }),
    ],
    [],
  ],
  [
    "nor is any where the skill does not say what it takes",
    [declared("parent", { composes: "child" }), child({ in: "city string" })],
    [],
  ],
  [
    "an output of one part supplies the input of another",
    [
      declared("parent", { in: "city string", composes: "a, b" }),
      child({ in: "city string", out: "price integer" }, "a"),
      child({ in: "price number" }, "b"),
    ],
    [],
  ],
  [
    "but not with another type",
    [
      declared("parent", { in: "city string", composes: "a, b" }),
      child({ in: "city string", out: "price string" }, "a"),
      child({ in: "price integer" }, "b"),
    ],
    [/^flow-mismatch parent:4 The output `price` of a does not fit the input `price` of b: .*, as in "/],
  ],
  [
    "one of several that fits is enough",
    [
      declared("parent", { in: "price number", composes: "a, b" }),
      child({ out: "price string" }, "a"),
      child({ in: "price number" }, "b"),
    ],
    [],
  ],
  [
    "an output of another type than that which a part gives is wrong",
    [
      declared("parent", { in: "city string", out: "total number, price string", composes: "child" }),
      child({ in: "city string", out: "price number" }),
    ],
    [
      /^flow-mismatch parent:9 The output `price` of child does not fit the output `price` of parent: .*, as in -?\d/,
    ],
  ],
  [
    "a part may have code: its types count",
    [
      declared("parent", { in: "city string", out: "price string", composes: "child" }),
      skillFolder(
        "child",
        `export default (input: { city: string }): { price: number } => ({ price: input.city.length });`,
      ),
    ],
    [/^flow-mismatch parent:8 The output `price` of child/],
  ],
  [
    "a skill that composes itself asks nothing of itself",
    [declared("parent", { in: "city string", out: "price number", composes: "parent" })],
    [],
  ],
])("%s", async (_, folders, expected) => {
  const { diagnostics, findings } = await compiler.compile(folders);
  expect(diagnostics).toEqual([]);
  const told = findings.map(
    ({ code, path, line, message }) => `${code} ${path.split("/")[2]}:${line} ${message}`,
  );
  expect(told).toEqual(
    expected.map((each) => (typeof each === "string" ? each : expect.stringMatching(each))),
  );
});
