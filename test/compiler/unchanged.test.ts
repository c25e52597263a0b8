import { expect, test } from "vitest";
import { Catalog } from "../../src/catalog/catalog.ts";
import { SkillCompiler } from "../../src/compiler/compile-skills.ts";
import { Workplace } from "../server/connected-client.ts";

test("a change of one skill leaves the others the objects that they were; one whose operation changes is another", async () => {
  await using workplace = await Workplace.create({
    calls: `export default async (): Promise<unknown> => call_skill("called", { n: 1 });`,
    called: `export default ({ n }: { n: number }): number => n;`,
    apart: `export default (): number => 1;`,
  });
  const compiler = new SkillCompiler();
  const catalog = await Catalog.open({
    roots: [workplace.skills],
    compile: async (folders, absent) => compiler.compile(folders, absent),
  });
  try {
    const before = catalog.snapshot.skills;
    await workplace.write(
      "called",
      `export default async ({ n }: { n: number }): Promise<unknown> => call_tool("shop.buy", { n });`,
    );
    const { skills } = await catalog.reload();
    const kept = [...skills.keys()].filter((name) => skills.get(name) === before.get(name));
    expect(kept).toEqual(["apart"]);
    expect([before.get("calls")?.operation, skills.get("calls")?.operation]).toEqual(["TRANSFORM", "WRITE"]);
  } finally {
    await catalog.close();
    await compiler.close();
  }
});
