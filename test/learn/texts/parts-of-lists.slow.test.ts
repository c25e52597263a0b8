import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { extracted, isVerified, paramsOf, provideFolder, questionsOf, writtenIn } from "../extracted.ts";

provideFolder();

let count = 0;

async function draftOf(task: string, text: string, content: string): Promise<Draft> {
  count++;
  return extracted(`parts-${count}`, task, [
    [
      ["desk.read_file", { path: "/desk/in" }, text],
      ["desk.write_file", { path: "/desk/out", content }, "Written"],
    ],
  ]);
}

async function written(draft: Draft, text: string): Promise<Json | undefined> {
  const done = await writtenIn(draft, { "/desk/in": text });
  return typeof done === "string" ? done : done[0]?.["content"];
}

const LOG = "10:00 INFO started\n10:02 WARN disk at 81%\n10:05 INFO job 7 done\n10:09 ERROR no route\n";
const GUESTS = "name,mail\nAnn,ann@a.org\nBo,bo@b.org\nCy,cy@c.org\n";
const SHOPPING = "# Shopping\n\n- milk\n- bread\n- 12 eggs\n- tea\n";
const CITIES = "city,people\nYork,208\nLeeds,790\nHull,260\nBath,94\nDerby,257\n";
const PRODUCTS = "product,price,stock\nPen,2.50,7\nInk,7.10,9\nMap,4.20,1\nCup,3.00,2\n";
const MEMBERS = "name,joined\nAnn,2024-02-01\nBo,2026-01-03\nCy,2023-05-05\nDee,2025-07-09\n";
const PLAYERS = "player,score,age\nAnn,30,41\nBo,55,28\nCy,12,33\nDee,47,60\nEd,20,19\n";
const ANSWERS = "name,mail,answer\nAnn,ann@a.org,yes\nBo,bo@b.org,\nCy,cy@c.org,no\nDee,dee@d.org,\n";
const RECIPE =
  "# Soup\n\n## Ingredients\n\n- 3 carrots\n- 1 onion\n- salt\n\n## Steps\n\n1. Cut.\n2. Boil.\n";

describe("so many of a list as the task says", () => {
  test.each([
    [
      "Write the last three lines of /desk/in to /desk/out.",
      LOG,
      LOG.slice(LOG.indexOf("10:02")),
      "a\nb b\nc: 1\nd\n",
      "b b\nc: 1\nd\n",
    ],
    [
      "Write the names of the first two guests in /desk/in to /desk/out.",
      GUESTS,
      "Ann\nBo\n",
      "name,mail\nXi,x@a.org\nYves,y@b.org\n",
      "Xi\nYves\n",
    ],
    [
      "Copy the first 3 items of the list /desk/in to /desk/out.",
      SHOPPING,
      "- milk\n- bread\n- 12 eggs\n",
      "# Shopping\n\n- a\n- b\n- c\n- d\n- e\n",
      "- a\n- b\n- c\n",
    ],
    [
      "List the three largest cities of /desk/in in /desk/out, the largest first.",
      CITIES,
      "Leeds\nHull\nDerby\n",
      "city,people\nA,1\nB,2\nC,2\nD,4\n",
      "D\nB\nC\n",
    ],
    [
      "Write the two cheapest products of /desk/in with their prices to /desk/out.",
      PRODUCTS,
      "Pen: 2.50\nCup: 3.00\n",
      "product,price,stock\nA,5.00,1\nB,4.10,9\nC,3.00,8\n",
      "C: 3.00\nB: 4.10\n",
    ],
    [
      "Write the two newest members in /desk/in to /desk/out, newest first.",
      MEMBERS,
      "Bo\nDee\n",
      "name,joined\nA,2024-02-01\nB,2024-02-02\nC,2024-03-01\n",
      "C\nB\n",
    ],
    [
      "Write the top 3 players by score of /desk/in to /desk/out.",
      PLAYERS,
      "1. Bo (55)\n2. Dee (47)\n3. Ann (30)\n",
      "player,score,age\nA,1,9\nB,2,8\nC,3,7\nD,4,6\n",
      "1. D (4)\n2. C (3)\n3. B (2)\n",
    ],
  ])("%s", async (task, text, content, otherText, otherContent) => {
    const draft = await draftOf(task, text, content);
    expect(paramsOf(draft)).toEqual(["readPath", "writePath"]);
    expect(questionsOf(draft)).toEqual([]);
    expect(isVerified(draft)).toBe(true);
    expect(await written(draft, otherText)).toBe(otherContent);
  });

  test("stops where there are fewer, or an empty line among them", async () => {
    const draft = await draftOf(
      "Write the last two lines of /desk/in to /desk/out.",
      "a 1\nb 2\nc 3\n",
      "b 2\nc 3\n",
    );
    expect(await written(draft, "x\n")).toMatch(/only 1 of 2/);
    expect(await written(draft, "x\ny\n\nz\n")).toMatch(/empty line/);
  });

  test("stops where others might as well be among them", async () => {
    const draft = await draftOf(
      "List the two largest cities of /desk/in in /desk/out.",
      CITIES,
      "Leeds\nHull\n",
    );
    expect(await written(draft, "city,people\nA,9\nB,7\nC,7\n")).toMatch(/not clear which are the 2/);
    expect(await written(draft, "city,people\nA,9\nB,9\nC,7\n")).toBe("A\nB\n");
  });

  test("are so many in another run, too, where all of a list were so many", async () => {
    const draft = await draftOf(
      "Write the first two names of /desk/in to /desk/out.",
      "Mia Lund\nAnn Bo\n",
      "Mia Lund\nAnn Bo\n",
    );
    expect(await written(draft, "Cy Ek\nBo Xu\nEd Fox\n")).toBe("Cy Ek\nBo Xu\n");
  });

  test.each([{ entries: 2 }, { query: "SELECT * FROM log LIMIT 2" }])(
    "are all that a call gave which was asked for so many: %o",
    async (asked) => {
      const log = "- Ada: mend the door\n- Bo: paint the door\n";
      const name = `parts-asked-${Object.keys(asked).join()}`;
      const draft = await extracted(name, "Write the last two changes to /desk/out.", [
        [
          ["desk.read_file", { path: "/desk/in", ...asked }, log],
          ["desk.write_file", { path: "/desk/out", content: "Ada\nBo\n" }, "Written"],
        ],
      ]);
      expect(JSON.stringify(draft.plan.steps)).not.toContain('"taken"');
    },
  );

  test("of what the task does not name is an open question", async () => {
    const draft = await draftOf("Write the two best players of /desk/in to /desk/out.", PLAYERS, "Bo\nDee\n");
    expect(questionsOf(draft)).toHaveLength(1);
  });

  test.each([
    ["Write the names in /desk/in to /desk/out.", "Mia\nAnn\nZoe\n", "Mia\nAnn\n"],
    ["Write the first three names in /desk/in to /desk/out.", "Mia\nAnn\nZoe\nCy\n", "Mia\nAnn\n"],
    ["Write the names in /desk/in to /desk/out, for the last two weeks.", "Mia\nAnn\nZoe\n", "Ann\nZoe\n"],
    ["Write three cities of /desk/in to /desk/out.", CITIES, "Leeds\nHull\nDerby\n"],
    ["List the three smallest cities of /desk/in in /desk/out.", CITIES, "Leeds\nHull\nDerby\n"],
  ])("are the caller's where the task asks for others: %s", async (task, text, content) => {
    expect(paramsOf(await draftOf(task, text, content))).toContain("content");
  });
});

describe("lines with numbers", () => {
  test.each([
    [
      "Number the names in /desk/in and write them to /desk/out.",
      "Mia\nAnn\nZoe\n",
      "1. Mia\n2. Ann\n3. Zoe\n",
      "Bo\nCy\n",
      "1. Bo\n2. Cy\n",
    ],
    [
      "Make a numbered table of the guests in /desk/in in /desk/out.",
      "Mia\nAnn\n",
      "| # | Name |\n|---|---|\n| 1 | Mia |\n| 2 | Ann |\n",
      "Bo\nCy\nEd\n",
      "| # | Name |\n|---|---|\n| 1 | Bo |\n| 2 | Cy |\n| 3 | Ed |\n",
    ],
    [
      "Renumber the list in /desk/in into /desk/out.",
      "1. Mia\n3. Ann\n7. Zoe\n",
      "1. Mia\n2. Ann\n3. Zoe\n",
      "2. Bo\n2. Cy\n",
      "1. Bo\n2. Cy\n",
    ],
    [
      "Add running numbers to /desk/in as a column nr, in /desk/out.",
      "name,city\nAnn,York\nBo,Hull\n",
      "nr,name,city\n1,Ann,York\n2,Bo,Hull\n",
      "name,city\nXi,A\nYves,B\nZed,C\n",
      "nr,name,city\n1,Xi,A\n2,Yves,B\n3,Zed,C\n",
    ],
  ])("%s", async (task, text, content, otherText, otherContent) => {
    const draft = await draftOf(task, text, content);
    expect(paramsOf(draft)).toEqual(["readPath", "writePath"]);
    expect(isVerified(draft)).toBe(true);
    expect(await written(draft, otherText)).toBe(otherContent);
  });

  test.each([["2. Mia\n3. Ann\n4. Zoe\n"], ["1. Mia\n2. Ann\n4. Zoe\n"]])(
    "are the caller's where the numbers are others: %s",
    async (content) => {
      const draft = await draftOf(
        "Number the names in /desk/in and write them to /desk/out.",
        "Mia\nAnn\nZoe\n",
        content,
      );
      expect(paramsOf(draft)).toContain("content");
    },
  );

  test("are what the list says where it has such numbers, and the task asks for none", async () => {
    const draft = await draftOf(
      "Write the winners in /desk/in to /desk/out.",
      "name,place\nMia,1\nAnn,2\n",
      "1. Mia\n2. Ann\n",
    );
    expect(await written(draft, "name,place\nBo,2\nCy,3\n")).toBe("2. Bo\n3. Cy\n");
  });
});

describe("rows without something", () => {
  test("are those in which the column that the task names is empty", async () => {
    const draft = await draftOf(
      "Write the mails of those who have not answered in /desk/in to /desk/out.",
      ANSWERS,
      "bo@b.org\ndee@d.org\n",
    );
    expect(paramsOf(draft)).toEqual(["readPath", "writePath"]);
    expect(isVerified(draft)).toBe(true);
    expect(await written(draft, "name,mail,answer\nX,x@a.org,no\nY,y@b.org,\n")).toBe("y@b.org\n");
    expect(await written(draft, "name,mail,answer\nX,x@a.org,-\nY,y@b.org,\n")).toMatch(
      /Whether "-" is meant/,
    );
    expect(await written(draft, "name,mail,answer\nX,x@a.org,n/a\nY,y@b.org,\n")).toMatch(
      /Whether "n\/a" is meant/,
    );
    expect(await written(draft, "name,mail,answer\nX,x@a.org,no\nY,y@b.org,yes\n")).toMatch(/missing/);
  });

  test.each([
    ["Write the mails of these members in /desk/in to /desk/out."],
    ["Write the mails of those who have answered in /desk/in to /desk/out."],
    ["Write the mails of those who have not paid in /desk/in to /desk/out."],
  ])("are the caller's where the task does not say so: %s", async (task) => {
    expect(paramsOf(await draftOf(task, ANSWERS, "bo@b.org\ndee@d.org\n"))).toContain("content");
  });
});

describe("what stands below a heading", () => {
  test("makes a line for each", async () => {
    const draft = await draftOf(
      "Make a checklist of the ingredients in /desk/in in /desk/out.",
      RECIPE,
      "- [ ] 3 carrots\n- [ ] 1 onion\n- [ ] salt\n",
    );
    expect(paramsOf(draft)).toEqual(["readPath", "writePath", "section"]);
    expect(isVerified(draft)).toBe(true);
    const other = "# Tea\n\n## Ingredients\n\n- water\n- 2 bags\n\n## Steps\n\n1. Boil.\n";
    expect(await written(draft, other)).toBe("- [ ] water\n- [ ] 2 bags\n");
    expect(await written(draft, "# Tea\n\n## Steps\n\n1. Boil.\n")).toMatch(/None of the 1 in sections/);
  });

  test("is the caller's where the task names another", async () => {
    const draft = await draftOf(
      "Make a checklist of the steps in /desk/in in /desk/out.",
      RECIPE,
      "- [ ] 3 carrots\n- [ ] 1 onion\n- [ ] salt\n",
    );
    expect(paramsOf(draft)).toContain("content");
  });
});

describe("other letters that the task asks for", () => {
  test.each([
    [
      "Write the names in /desk/in in capitals to /desk/out.",
      "Mia\nAnn\n",
      "MIA\nANN\n",
      "Bo\nZoë\n",
      "BO\nZOË\n",
    ],
    [
      "Write the mails in /desk/in in lower case to /desk/out.",
      "name,mail\nAnn,Ann@A.org\nBo,bo@b.org\n",
      "ann@a.org\nbo@b.org\n",
      "name,mail\nXi,XI@A.org\n",
      "xi@a.org\n",
    ],
  ])("%s", async (task, text, content, otherText, otherContent) => {
    const draft = await draftOf(task, text, content);
    expect(paramsOf(draft)).toEqual(["readPath", "writePath"]);
    expect(isVerified(draft)).toBe(true);
    expect(await written(draft, otherText)).toBe(otherContent);
  });

  test("stop at a letter that has not one capital", async () => {
    const draft = await draftOf(
      "Write the names in /desk/in in capitals to /desk/out.",
      "Mia\nAnn\n",
      "MIA\nANN\n",
    );
    expect(await written(draft, "Meß\nAnn\n")).toMatch(/letters without one other form/);
  });

  test("are the caller's where the task does not ask for them", async () => {
    const draft = await draftOf("Write the names in /desk/in to /desk/out.", "Mia\nAnn\n", "MIA\nANN\n");
    expect(paramsOf(draft)).toContain("content");
  });
});

describe("a file for all that say the same", () => {
  const CONTACTS =
    "name,city,mail\nAnna,York,anna@a.org\nBoris,Hull,boris@b.org\nCyril,York,cyril@c.org\nDora,Bath,dora@d.org\n";
  const task = "Split /desk/in: one file for each city in /desk/cities.";

  async function splitInto(files: readonly (readonly [string, string])[]): Promise<Draft> {
    count++;
    return extracted(`split-${count}`, task, [
      [
        ["desk.read_file", { path: "/desk/in" }, CONTACTS],
        ...files.map(
          ([path, content]) =>
            ["desk.write_file", { path: `/desk/cities/${path}`, content }, "Written"] as const,
        ),
      ],
    ]);
  }

  test.each([
    [
      [
        ["York.txt", "Anna\nCyril\n"],
        ["Hull.txt", "Boris\n"],
        ["Bath.txt", "Dora\n"],
      ],
      [["/desk/cities/Leeds.txt", "Eva\nFinn\n"]],
    ],
    [
      [
        ["York.md", "# York\n\n- Anna (anna@a.org)\n- Cyril (cyril@c.org)\n"],
        ["Hull.md", "# Hull\n\n- Boris (boris@b.org)\n"],
        ["Bath.md", "# Bath\n\n- Dora (dora@d.org)\n"],
      ],
      [["/desk/cities/Leeds.md", "# Leeds\n\n- Eva (eva@e.org)\n- Finn (finn@f.org)\n"]],
    ],
  ] as const)("has a line for each of them: %j", async (files, others) => {
    const draft = await splitInto(files);
    expect(paramsOf(draft)).toEqual(["path", "folder"]);
    expect(isVerified(draft)).toBe(true);
    const leeds = "name,city,mail\nEva,Leeds,eva@e.org\nFinn,Leeds,finn@f.org\n";
    const done = await writtenIn(draft, { "/desk/in": leeds });
    expect(done).toEqual(others.map(([path, content]) => ({ path, content })));
    expect(await writtenIn(draft, { "/desk/in": leeds.replace("Finn,Leeds", "Finn,leeds") })).toMatch(
      /written otherwise in a list/,
    );
    expect(await writtenIn(draft, { "/desk/in": leeds.replaceAll("Leeds", "Leeds/East") })).toMatch(
      /another kind/,
    );
  });

  test("is the caller's where files have others", async () => {
    const draft = await splitInto([
      ["York.txt", "Anna\n"],
      ["Hull.txt", "Boris\n"],
      ["Bath.txt", "Dora\n"],
    ]);
    expect(paramsOf(draft)).not.toEqual(["path", "folder"]);
  });
});
