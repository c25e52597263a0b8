import { expect, test } from "vitest";
import { extracted, paramsOf, provideFolder, type Told, writtenIn } from "../extracted.ts";

provideFolder();

const path = "/crews.txt";
const crew = (name: string, folder: string): readonly Told[] => [
  ["desk.create_directory", { path: folder }, { created: true }],
  ["desk.write_file", { path: `${folder}/README.md`, content: `# ${name}\n` }, "Written"],
];

test("folders of rounds are called as their elements, in small letters with hyphens", async () => {
  const names = ["Red Kites", "Otters", "Night Owls"];
  const folders = ["/crews/red-kites", "/crews/otters", "/crews/night-owls"];
  const draft = await extracted(
    "crews",
    `Create a folder in /crews for each crew in ${path} with a README.md that has its name as heading.`,
    [
      [
        ["desk.read_file", { path }, `${names.join("\n")}\n`],
        ...names.flatMap((name, nth) => crew(name, folders[nth] ?? "")),
      ],
    ],
  );
  expect(paramsOf(draft)).toEqual(["path", "folder"]);
  expect(await writtenIn(draft, { [path]: "Grey Seals\nHares\n" })).toEqual([
    { path: "/crews/grey-seals" },
    { path: "/crews/grey-seals/README.md", content: "# Grey Seals\n" },
    { path: "/crews/hares" },
    { path: "/crews/hares/README.md", content: "# Hares\n" },
  ]);
  for (const name of ["Salt & Pepper", "Zoé", "../etc"])
    expect(await writtenIn(draft, { [path]: `${name}\n` })).toBeTypeOf("string");
});

test("folders with other names are none of these", async () => {
  const names = ["Red Kites", "Otters", "Night Owls"];
  const folders = ["/crews/red-kites", "/crews/otter", "/crews/night-owls"];
  const draft = await extracted("others", `Create a folder in /crews for each crew in ${path}.`, [
    [
      ["desk.read_file", { path }, `${names.join("\n")}\n`],
      ...names.flatMap((name, nth) => crew(name, folders[nth] ?? "")),
    ],
  ]);
  expect(draft.code).not.toContain("slugOf");
});
