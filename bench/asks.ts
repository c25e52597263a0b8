// What `repertoire ask` makes of wishes in words, with a scripted model that sees what any model would, and what the search finds by text alone.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openApp } from "../src/app.ts";
import { doTask } from "../src/assistant/task.ts";
import { searchSkills } from "../src/catalog/search-skills.ts";
import { readConfig } from "../src/config.ts";
import { failure } from "../src/core/error.ts";
import { fail, ok } from "../src/core/result.ts";
import { SCRIPTED_MODEL } from "./asks/scripted-model.ts";
import { type Wish, WISHES } from "./asks/wishes.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "repertoire-asks-"));
const SHOP = {
  "shop-customer": [
    "Finds a customer of the shop by email.",
    "email: string",
    'call_tool("shop.find_customer", { text: input.email })',
  ],
  "shop-orders": [
    "Lists the orders of a customer of the shop.",
    "customerId: string",
    'call_tool("shop.list_orders", { customerId: input.customerId })',
  ],
  "shop-cancel": [
    "Cancels an order of the shop.",
    "id: string",
    'call_tool("shop.cancel_order", { id: input.id, reason: "asked" })',
  ],
} as const;
for (const [name, [description, field, call]] of Object.entries(SHOP)) {
  await mkdir(join(folder, "skills", name), { recursive: true });
  await writeFile(
    join(folder, "skills", name, "SKILL.md"),
    `---\nname: ${name}\ndescription: ${description}\n---\n`,
  );
  await writeFile(
    join(folder, "skills", name, "skill.ts"),
    `export default async (input: { ${field} }): Promise<unknown> => ${call};\n`,
  );
}
const settings = {
  skills: [join(root, "skills"), join(folder, "skills")],
  mcpServers: { shop: { command: process.execPath, args: [join(root, "examples/shop-server.ts")] } },
};
await writeFile(join(folder, "mcp.config.json"), JSON.stringify(settings));
const config = await readConfig({ cwd: folder });
if (!config.ok) throw new Error(config.error.message);
const app = openApp(config.value);
const isVerbose = process.argv.includes("--verbose");
const tally = new Map<string, { readonly right: number; readonly found: number; readonly of: number }>();
try {
  const { snapshot } = await app.catalog;
  const catalog = await app.workCatalog();
  for (const wish of WISHES) {
    const { kind, called, isRight } = await asked(wish);
    const { items } = await searchSkills(catalog.skills, wish.words, 3);
    const isFound = Array.isArray(wish.right) && items.some(({ name }) => wish.right.includes(name));
    const of = kindOf(wish);
    const { right = 0, found = 0, of: all = 0 } = tally.get(of) ?? {};
    tally.set(of, { right: right + (isRight ? 1 : 0), found: found + (isFound ? 1 : 0), of: all + 1 });
    if (isVerbose && !isRight) console.log(`${wish.words}: ${kind} ${called.join(", ")}`);
  }
  console.log(
    `| wishes | of | right, by the scripted model | among the first three, by text |\n|---|--:|--:|--:|`,
  );
  for (const [name, { right, found, of }] of tally)
    console.log(`| ${name} | ${of} | ${right} | ${name.startsWith("done") ? found : "–"} |`);

  async function asked({ words, right }: Wish) {
    const outcome = await doTask(words, {
      catalog,
      model: SCRIPTED_MODEL,
      run: async (skill, input) => (await app.runner.run(snapshot.skills, skill.name, input)).root.outcome,
      ask: async (question) => Promise.resolve(fail(failure("INPUT_INVALID", question))),
      confirm: async () => Promise.resolve(ok(true)),
      redacted: (value) => value,
    });
    const called = outcome.ok ? outcome.value.calls.map(({ skill }) => skill) : [];
    const kind = outcome.ok
      ? outcome.value.kind
      : outcome.error.code === "INPUT_INVALID"
        ? "ask"
        : outcome.error.code;
    const isRight =
      right === "ask"
        ? kind === "ask"
        : right === "none"
          ? kind === "no-skill" && called.length === 0
          : kind === "done" && called.join() === right.join();
    return { kind, called, isRight };
  }
} finally {
  await app.close();
  await rm(folder, { recursive: true });
}

function kindOf({ right }: Wish): string {
  if (right === "ask") return "asked for what is missing";
  if (right === "none") return "told that no skill does it";
  return right.length > 1 ? "done by several skills" : "done by one skill";
}
