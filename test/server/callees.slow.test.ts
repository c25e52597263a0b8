import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ERAS, newClient, stdioTransport, textOf, Workplace } from "./connected-client.ts";

const SKILLS = {
  price: `export default ({ city }: { city: string }): { total: number } => ({ total: city.length })`,
  trip: `export default async ({ city }: { city: string }): Promise<number> => {
  const { totl } = await call_skill("price", { city });
  return totl;
}`,
  tour: `export default async (): Promise<unknown> => call_skill("trip", { city: "Rome" })`,
  guess: `export default async ({ name }: { name: string }): Promise<unknown> => call_skill(name)`,
  halved: `export default async (): Promise<unknown> => call_skill("half")`,
};

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.create(SKILLS);
  await mkdir(join(workplace.skills, "half"));
  await writeFile(join(workplace.skills, "half/SKILL.md"), "---\nname: half\n---\n");
});
afterAll(async () => workplace[Symbol.asyncDispose]());

describe.each(ERAS)("to a client of the %s era", (era) => {
  let client: Client;
  beforeAll(async () => {
    ({ client } = newClient(era));
    await client.connect(stdioTransport(workplace));
  });
  afterAll(async () => client.close());

  test("a skill with errors is not run through another either, nor one that does not load", async () => {
    const through = await client.callTool({ name: "tour", arguments: {} });
    expect(through.isError).toBe(true);
    expect(textOf(through)).toMatch(
      /^SKILL_BROKEN: The skill "trip" has errors and is not run:[\s\S]*trip.skill\.ts:2:11 Property 'totl'/,
    );
    const half = await client.callTool({ name: "halved", arguments: {} });
    expect(textOf(half)).toMatch(/^SKILL_BROKEN: The skill "half" does not load:[\s\S]*half.SKILL\.md/);
  });

  test("a name that no skill has fails at run time with the one that was meant", async () => {
    const failed = await client.callTool({ name: "guess", arguments: { name: "prise" } });
    expect(textOf(failed)).toMatch(
      /SKILL_NOT_FOUND: There is no skill named "prise"\. Did you mean "price"\?/,
    );
  });
});

test("with `publish: all` it is run through another", async () => {
  const all = await Workplace.create(SKILLS, { publish: "all" });
  const { client } = newClient("modern");
  await client.connect(stdioTransport(all));
  expect(textOf(await client.callTool({ name: "tour", arguments: {} }))).not.toContain("SKILL_BROKEN");
  await client.close();
  await all[Symbol.asyncDispose]();
});
