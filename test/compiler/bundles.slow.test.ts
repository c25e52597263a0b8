import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLI, newClient, ROOT, stdioTransport, Workplace } from "../server/connected-client.ts";

/** A library as it is installed, what a skill imports of it, and the skill. */
const LIBRARIES: readonly {
  readonly name: string;
  readonly exports: string;
  readonly skill: string;
  readonly input: Record<string, unknown>;
  readonly output: unknown;
}[] = [
  {
    name: "lodash",
    exports: `export { chunk, sortBy } from "lodash-es";`,
    skill: `import { chunk, sortBy } from "./lib.js";
export default ({ names }: { names: string[] }): { pairs: string[][] } => ({ pairs: chunk(sortBy(names), 2) });`,
    input: { names: ["c", "a", "b"] },
    output: { pairs: [["a", "b"], ["c"]] },
  },
  {
    name: "dates",
    exports: `export { addDays, format, parseISO } from "date-fns";`,
    skill: `import { addDays, format, parseISO } from "./lib.js";
export default ({ day }: { day: string }): { next: string } => ({
  next: format(addDays(parseISO(day), 1), "EEEE d MMMM yyyy"),
});`,
    input: { day: "2026-02-28" },
    output: { next: "Sunday 1 March 2026" },
  },
  {
    name: "zod",
    exports: `export { z } from "zod";`,
    skill: `import { z } from "./lib.js";
const Item = z.object({ sku: z.string().regex(/^[A-Z]+$/), count: z.number().int() });
type Item = z.infer<typeof Item>;
export default ({ item }: { item: unknown }): { ok: boolean; faults: string[] } => {
  const read = Item.safeParse(item);
  const first: Item | undefined = read.data;
  void first;
  return { ok: read.success, faults: read.success ? [] : read.error.issues.map(({ path }) => path.join(".")) };
};`,
    input: { item: { sku: "x1", count: 1.5 } },
    output: { ok: false, faults: ["sku", "count"] },
  },
  {
    name: "papaparse",
    exports: `export { default } from "papaparse";`,
    skill: `import Papa from "./lib.js";
export default ({ csv }: { csv: string }): { rows: string[][] } => ({ rows: Papa.parse(csv).data });`,
    input: { csv: 'a,b\n"1,2",3' },
    output: {
      rows: [
        ["a", "b"],
        ["1,2", "3"],
      ],
    },
  },
];
const FORMS = ["plain", "minified"] as const;

let workplace: Workplace;
let found: readonly { readonly code: string; readonly severity: string; readonly path: string }[];
const { client } = newClient("modern");

beforeAll(async () => {
  workplace = await Workplace.create({});
  for (const form of FORMS) {
    for (const { name, exports, skill } of LIBRARIES) {
      const folder = join(workplace.skills, `${name}-${form}`);
      await mkdir(folder, { recursive: true });
      await workplace.write(`${name}-${form}`, skill);
      await bundle(exports, join(folder, "lib.js"), form === "minified");
    }
  }
  ({ diagnostics: found } = JSON.parse(await checked()) as { diagnostics: typeof found });
  await client.connect(stdioTransport(workplace));
}, 120_000);

afterAll(async () => {
  await client.close();
  await workplace[Symbol.asyncDispose]();
});

async function checked(): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = ["--disable-warning=ExperimentalWarning", CLI, "check", "--json"];
    execFile(process.execPath, args, { cwd: workplace.folder }, (error, stdout) =>
      error ? reject(new Error(stdout, { cause: error })) : resolve(stdout),
    ).stdin?.end();
  });
}

async function bundle(contents: string, outfile: string, minify: boolean): Promise<void> {
  const stdin = { contents, resolveDir: ROOT };
  await build({ stdin, bundle: true, format: "esm", minify, outfile, logLevel: "error" });
}

describe.each(FORMS)("a library that esbuild has bundled, %s", (form) => {
  test.each(LIBRARIES)(
    "$name: the skill is published, says that it is not checked, and gives the right answer",
    async ({ name, input, output }) => {
      const own = found.filter(({ path }) => path.includes(`${name}-${form}/`));
      expect(own.map(({ code, severity, path }) => [code, severity, path.split("/").at(-1)])).toEqual([
        ["code-unchecked", "info", "lib.js"],
      ]);
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name)).toContain(`${name}-${form}`);
      const { structuredContent } = await client.callTool({ name: `${name}-${form}`, arguments: input });
      expect(structuredContent).toEqual(output);
    },
  );
});
