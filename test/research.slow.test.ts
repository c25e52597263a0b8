import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Catalog } from "../src/catalog/catalog.ts";
import { SkillCompiler } from "../src/compiler/compile-skills.ts";
import { failure } from "../src/core/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../src/core/json/json.ts";
import { ok } from "../src/core/result.ts";
import type { CallRecord } from "../src/core/run.ts";
import { DEFAULT_LIMITS } from "../src/core/limits.ts";
import { type CallTool, Runner } from "../src/runner/runner.ts";

const SHOWCASE = fileURLToPath(new URL("../skills/showcase", import.meta.url));

/** What the search service knows. */
const WEB: Readonly<Record<string, JsonObject>> = {
  "why are there two tides a day": {
    answer: "The moon's gravity raises bulges on both sides of the earth, which turns below them.",
    results: [
      source("https://www.ocean.example/tides", "Tides", "The moon raises bulges of water on both sides."),
      source("https://ocean.example/more", "Moon", "Gravity of the moon raises bulges on both sides."),
      source(
        "https://moon.example",
        "Moon",
        "The gravity of the moon raises bulges on both sides of the earth.",
      ),
      source("https://shop.example", "Swimwear", "Everything for a day at the sea."),
    ],
    related: [
      "why is there a bulge away from the moon",
      "what does the sun do to tides",
      "who has four tides",
    ],
  },
  "why is there a bulge away from the moon": {
    answer: "There the moon's gravity is weaker than what the earth's centre feels.",
    results: [
      source(
        "https://physics.example/tides",
        "Gravity",
        "The moon's gravity is weaker on the far side than what the earth's centre feels.",
      ),
    ],
    related: ["what is a tidal force", "why are there two tides a day"],
  },
  "what is a tidal force": {
    answer: "A difference of gravity across a body.",
    results: [
      source(
        "https://lexicon.example/tidal-force",
        "Tidal force",
        "The difference of gravity across a body.",
      ),
    ],
  },
  "what does the sun do to tides": {
    answer: "With the moon it makes spring tides.",
    results: [
      source(
        "https://harbour.example",
        "Spring tides",
        "The sun and the moon make them, with the moon new or full.",
      ),
    ],
  },
};

let tools: { readonly name: string; readonly input: JsonObject; readonly skill: string }[] = [];
let searches = 0;
/** Searches are answered when so many of them have been made. */
let answeredFrom = 1;

const callTool: CallTool = async (name, input, { skill }) => {
  if (!isJsonObject(input)) return { ok: false, error: failure("TOOL_FAILED", "no arguments") };
  tools.push({ name, input, skill });
  if (name === "files.write") return ok(null);
  searches++;
  await vi.waitUntil(() => searches >= answeredFrom, { timeout: 10_000, interval: 5 });
  const { query } = input;
  const found = typeof query === "string" ? WEB[query] : undefined;
  return found ? ok(found) : { ok: false, error: failure("TOOL_FAILED", "the service knows nothing of it") };
};

let folder: string;
let catalog: Catalog;
let compiler: SkillCompiler;
let runner: Runner;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "repertoire-research-"));
  compiler = new SkillCompiler({ cacheFolder: folder });
  catalog = await Catalog.open({ roots: [SHOWCASE], compile: (folders) => compiler.compile(folders) });
  runner = new Runner({ limits: DEFAULT_LIMITS, workers: 1, callTool });
});
afterAll(async () => {
  await Promise.all([runner.close(), compiler.close()]);
  await catalog.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  tools = [];
  searches = 0;
  answeredFrom = 1;
});

async function run(
  name: string,
  input: Json,
): Promise<{ readonly output: JsonObject; readonly root: CallRecord }> {
  const { root } = await runner.run(catalog.snapshot.skills, name, input);
  if (!root.outcome.ok) throw new Error(JSON.stringify(root.outcome.error));
  return { output: root.outcome.output as JsonObject, root };
}

describe("research", () => {
  const query = "why are there two tides a day";

  test("counts the independent sites that bear the answer out", async () => {
    const { output, root } = await run("research", { query });
    expect(output).toMatchObject({
      sites: ["moon.example", "ocean.example"],
      confidence: 0.75,
      savedTo: null,
    });
    expect(output["sources"]).toMatchObject([
      { site: "ocean.example", supports: true },
      { site: "ocean.example", supports: true },
      { site: "moon.example", supports: true },
      { site: "shop.example", supports: false },
    ]);
    expect(shape(root)).toEqual(["research", ["web-search", ["web.search"]]]);
  });

  test("saves the answer as a PDF when it is told where", async () => {
    const { output, root } = await run("research", { query, saveTo: "tides.pdf" });
    expect(output["savedTo"]).toBe("tides.pdf");
    expect(shape(root)).toEqual(["research", ["web-search", ["web.search"]], ["pdf-save", ["files.write"]]]);
    const text = textOfPdf(tools[1]?.input["content"]);
    expect(text).toContain("The moon's gravity raises bulges on both sides of the earth");
    expect(text).toContain("https://www.ocean.example/tides");
  });

  test("does not answer what the search service does not know", async () => {
    const { root } = await runner.run(catalog.snapshot.skills, "research", { query: "anything else" });
    expect(root.outcome).toMatchObject({ ok: false, error: { code: "TOOL_FAILED" } });
  });
});

describe("deep-research", () => {
  const query = "why are there two tides a day";

  test("follows related questions, and theirs, until it is confident", async () => {
    const { output, root } = await run("deep-research", { query, enough: 0.9 });
    expect(output).toMatchObject({
      confidence: 0.94,
      ended: "confident",
      findings: [
        { query, distance: 0 },
        { query: "why is there a bulge away from the moon", distance: 1 },
        { query: "what is a tidal force", distance: 2 },
      ],
      known: { sites: ["moon.example", "ocean.example", "physics.example", "lexicon.example"] },
    });
    const searched = ["research", ["web-search", ["web.search"]]];
    expect(shape(root)).toEqual([
      "deep-research",
      searched,
      ["deep-research", searched, ["deep-research", searched]],
    ]);
  });

  test("asks nothing further where the first answer is enough", async () => {
    const { output } = await run("deep-research", { query, enough: 0.7 });
    expect(output).toMatchObject({ confidence: 0.75, ended: "confident" });
    expect(tools).toHaveLength(1);
  });

  test("asks no question twice, and says that none is left", async () => {
    const { output } = await run("deep-research", { query, enough: 0.99, breadth: 2 });
    expect(tools.map(({ input }) => input["query"])).toEqual([
      query,
      "why is there a bulge away from the moon",
      "what is a tidal force",
      "what does the sun do to tides",
    ]);
    expect(output).toMatchObject({ confidence: 0.97, ended: "no more questions" });
  });

  test("goes no deeper than it is told, and saves one report", async () => {
    const { output, root } = await run("deep-research", { query, levels: 0, saveTo: "report.pdf" });
    expect(output).toMatchObject({ confidence: 0.75, ended: "no more levels", savedTo: "report.pdf" });
    expect(root.calls.map(({ name }) => name)).toEqual(["research", "pdf-save"]);
    expect(tools.map(({ name, skill }) => [name, skill])).toEqual([
      ["web.search", "web-search"],
      ["files.write", "pdf-save"],
    ]);
  });
});

describe("daily-briefing", () => {
  const topics = ["what is a tidal force", "what does the sun do to tides", "the price of herring"];

  test("researches all topics at once; one that fails does not stop the others", async () => {
    answeredFrom = topics.length;
    const { output } = await run("daily-briefing", { date: "2027-04-21", topics });
    expect(output).toMatchObject({
      appointments: ["Launch of the spring release"],
      sections: [
        { topic: "what is a tidal force", confidence: 0.5, sources: ["https://lexicon.example/tidal-force"] },
        { topic: "what does the sun do to tides" },
      ],
      missing: [
        { topic: "the price of herring", reason: expect.stringContaining("knows nothing") as unknown },
      ],
      savedTo: "briefing-2027-04-21.pdf",
      pages: 1,
    });
  });

  test("saves what it found", async () => {
    await run("daily-briefing", { date: "2027-06-01", topics, saveTo: "briefings/first.pdf" });
    const written = tools.filter(({ name }) => name === "files.write");
    expect(written).toMatchObject([{ skill: "pdf-save", input: { path: "briefings/first.pdf" } }]);
    const text = textOfPdf(written[0]?.input["content"]);
    expect(text).toContain("Briefing for 2027-06-01\n\nNo appointments.\n\nwhat is a tidal force\n");
    expect(text).toContain("the price of herring\nNothing found:");
  });
});

test("pdf-save breaks long text into lines and pages, and keeps Western letters", async () => {
  const paragraph = `Ebbe (und) Flut – „Gezeiten“ \\ ${"Überseehäfen ".repeat(600)}`;
  const { output } = await run("pdf-save", { path: "long.pdf", title: "Lang", paragraphs: [paragraph] });
  expect(output).toMatchObject({ path: "long.pdf", pages: 3 });
  const content = tools[0]?.input["content"];
  expect(output["bytes"]).toBe(typeof content === "string" && Buffer.byteLength(content));
  const lines = textOfPdf(content).split("\n");
  expect(lines[2]).toMatch(/^Ebbe \(und\) Flut \x96 \x84Gezeiten\x93 \\ Überseehäfen /);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

/** A call's name, then the shapes of those below it. */
type Shape = readonly [name: string, ...below: Shape[]];

function shape({ name, calls }: CallRecord): Shape {
  return [name, ...calls.map(shape)];
}

function source(url: string, title: string, excerpt: string): JsonObject {
  return { url, title, excerpt };
}

/** The text of a PDF file, whose objects must stand where its table of contents says. */
function textOfPdf(content: Json | undefined): string {
  const file = typeof content === "string" ? content : "";
  const table = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  expect(file.slice(table)).toMatch(/^xref\n0 \d+\n0{10} 65535 f \n/);
  const offsets = [...file.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)].map((match) => Number(match[1]));
  expect(offsets.length).toBeGreaterThan(5);
  for (const [index, offset] of offsets.entries())
    expect(file.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj\n`));
  for (const [, length, stream = ""] of file.matchAll(/\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/g))
    expect(stream).toHaveLength(Number(length));
  return [...file.matchAll(/^\((.*)\) Tj T\*$/gm)]
    .map(([, line = ""]) =>
      line.replaceAll(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, plain: string | undefined) =>
        octal === undefined ? String(plain) : String.fromCodePoint(Number.parseInt(octal, 8)),
      ),
    )
    .join("\n");
}
