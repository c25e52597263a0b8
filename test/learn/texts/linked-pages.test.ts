import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import type { Synthesis } from "../../../src/learn/synthesis/synthesise.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { runner } from "../../shared-threads.ts";

const LIST = "https://example.org/list";

interface Page {
  readonly name: string;
  readonly url: string;
  readonly body: string;
}

const PAGES: readonly Page[] = [
  {
    name: "One Road",
    url: "https://example.org/one",
    body: "# One Road\n\nIt is 12 miles long\nand leads to the sea.\n",
  },
  {
    name: "Two Rivers",
    url: "https://example.org/two",
    body: "# Both\n\nThey meet below the town.\n\nThen they part.\n",
  },
  { name: "The Wall", url: "https://example.org/w", body: "# Wall\n\nOf stone.\n\n- old\n- high\n" },
];

const OTHERS: readonly Page[] = [
  { name: "Bees", url: "https://example.org/b/1", body: "They fly.\n\n* far\n" },
  { name: "Old Oak", url: "https://example.org/b/2", body: "# Oak\n\nA tree.\n" },
];

function link({ name, url }: Page): string {
  return `- [${name}](${url})`;
}

function introduced(url: string, body: string): string {
  return `Contents of ${url}:\n${body}`;
}

/** A site with a page of links to others. */
function site(pages: readonly Page[], lines = pages.map(link), head = introduced): WorldTools {
  const texts = new Map(pages.map(({ url, body }) => [url, head(url, body)]));
  texts.set(LIST, introduced(LIST, `# List\n\nAll that there are:\n\n${lines.join("\n")}\n`));
  return {
    "web.fetch": ({ url = "" }) => texts.get(url as string) ?? "",
    "desk.write_file": () => "Written",
  };
}

const TASK = `Fetch ${LIST} and every page that it links to, and save each under /pages by its name.`;

function run(textOf: (page: Page) => string, isByTurns: boolean): Synthesis {
  const recorded = recordedIn(site(PAGES), TASK, (call) => {
    const fetch = ({ url }: Page): Json => call("web.fetch", { url });
    const save = (page: Page): Json =>
      call("desk.write_file", { path: `/pages/${page.name}.md`, content: textOf(page) });
    call("web.fetch", { url: LIST });
    if (isByTurns)
      for (const page of PAGES) {
        fetch(page);
        save(page);
      }
    else {
      for (const page of PAGES) fetch(page);
      for (const page of PAGES) save(page);
    }
  });
  return learned([recorded]);
}

async function saved({ plan }: Synthesis, world: WorldTools): Promise<readonly string[]> {
  const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
  const calls = await callsIn(runner, plan, world, input);
  return calls.filter((call) => !call.startsWith("web.fetch"));
}

function files(pages: readonly Page[], textOf: (page: Page) => string): readonly string[] {
  return pages.map(
    (page) => `desk.write_file ${JSON.stringify({ path: `/pages/${page.name}.md`, content: textOf(page) })}`,
  );
}

const WHOLE = ({ url, body }: Page): string => introduced(url, body);
const BODY = ({ body }: Page): string => body;

describe.each([
  ["as they are, one after the other", WHOLE, true],
  ["as they are, all after they were read", WHOLE, false],
  ["below the line of the server, one after the other", BODY, true],
  ["below the line of the server, all after they were read", BODY, false],
])("pages that another links to and that are saved %s", (_, textOf, isByTurns) => {
  const made = run(textOf, isByTurns);

  test("are those of the list, with a question", async () => {
    expect(made.plan.params.map(({ name }) => name)).toEqual(["url", "folder"]);
    expect(made.plan.questions?.map(({ kind }) => kind)).toEqual(["element"]);
    expect(await saved(made, site(OTHERS))).toEqual(files(OTHERS, textOf));
  });

  test("stop where a link is written otherwise", async () => {
    const lines = ["- [Bees](https://example.org/b/1)", "- [Old Oak] https://example.org/b/2"];
    expect((await saved(made, site(OTHERS, lines))).at(-1)).toMatch(/^stops: /);
  });
});

test("a page below another first line stops", async () => {
  const made = run(BODY, true);
  const other = site(OTHERS, OTHERS.map(link), (url, body) => `Contents of ${url} (cut off):\n${body}`);
  expect(await saved(made, other)).toEqual([
    "stops: A part of a text stands there at none or several places",
  ]);
});

test.each([
  ["of the agent's own words", ({ name }: Page) => `Read.\nMore of ${name.length} soon.\n`],
  ["of the page after it", ({ name }: Page) => PAGES[(names.indexOf(name) + 1) % 3]?.body ?? ""],
])("files with a text %s are not made for each link", (_, textOf) => {
  for (const isByTurns of [true, false]) {
    const { plan } = run(textOf, isByTurns);
    const fromAnswers = plan.steps.filter((step) => step.kind === "loop" && step.over.kind !== "param");
    expect(JSON.stringify(fromAnswers)).not.toContain("desk.write_file");
  }
});

const names = PAGES.map(({ name }) => name);

test("files that are written after all were read are of the list", async () => {
  const folder: WorldTools = {
    "desk.list": () => "[FILE] x.txt\n[FILE] y.txt",
    "desk.read_file": ({ path }) =>
      path === "/a/x.txt" ? "Text of x.\nIs long.\n" : "None.\n\nNone at all.\n",
    "desk.write_file": () => "Written",
  };
  const { plan } = learned([
    recordedIn(folder, "Copy all files of /a to /b.", (call) => {
      call("desk.list", { path: "/a" });
      const texts = ["x.txt", "y.txt"].map((name) => call("desk.read_file", { path: `/a/${name}` }));
      for (const [nth, name] of ["x.txt", "y.txt"].entries())
        call("desk.write_file", { path: `/b/${name}`, content: texts[nth] ?? null });
    }),
  ]);
  expect(plan.params.map(({ example }) => example)).toEqual(["/a", "/a", "/b"]);
  const other: WorldTools = {
    ...folder,
    "desk.list": () => "[FILE] k.md\n[FILE] l.md\n[FILE] m.md",
    "desk.read_file": ({ path = "" }) => `At ${path as string}.`,
  };
  const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
  const calls = await callsIn(runner, plan, other, input);
  expect(calls.filter((call) => call.startsWith("desk.write"))).toEqual(
    ["k.md", "l.md", "m.md"].map(
      (name) => `desk.write_file {"path":"/b/${name}","content":"At /a/${name}."}`,
    ),
  );
});
