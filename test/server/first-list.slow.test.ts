import { expect, test } from "vitest";
import { newClient, stdioTransport, textOf, Workplace } from "./connected-client.ts";

const MANY = 400;

test("while many new skills are looked at, the tools that are always there are listed; the others follow", async () => {
  await using workplace = await Workplace.create(
    Object.fromEntries(
      Array.from({ length: MANY }, (_, index) => [
        `plus-${index}`,
        `export default ({ n }: { n: number }): number => n + ${index};`,
      ]),
    ),
    // What others have compiled is not known here.
    { data: "data" },
  );
  const { client, changed } = newClient("legacy");
  await client.connect(stdioTransport(workplace));
  try {
    const names = async (): Promise<readonly string[]> =>
      (await client.listTools()).tools.map(({ name }) => name);
    const first = await names();
    expect(first).toEqual(expect.arrayContaining(["search_skills", "run_skill", "activate_skill"]));
    expect(first.filter((name) => name.startsWith("plus-"))).toEqual([]);
    // A call waits for its skill.
    const called = await client.callTool({
      name: "run_skill",
      arguments: { name: "plus-7", input: { n: 1 } },
    });
    expect(textOf(called)).toContain("8");
    await changed();
    expect((await names()).filter((name) => name.startsWith("plus-"))).toHaveLength(MANY);
  } finally {
    await client.close();
  }
});
