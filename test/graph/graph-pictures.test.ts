import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { asciiGraph } from "../../src/graph/render/graph-ascii.ts";
import { dotGraph } from "../../src/graph/render/graph-dot.ts";
import { graphJson } from "../../src/graph/render/graph-json.ts";
import { mermaidGraph } from "../../src/graph/render/graph-mermaid.ts";
import { svgGraph } from "../../src/graph/render/graph-svg.ts";
import { visibleLine } from "../../src/core/text/display-text.ts";
import type { GraphEdge, GraphNode, SkillGraph, SkillNode } from "../../src/graph/skill-graph.ts";

// --- graphs by hand

function skill(name: string, level: 1 | 2 | 3, more: Partial<SkillNode> = {}): SkillNode {
  const contract: SkillNode["contract"] = {
    input: {
      type: "object",
      properties: { city: { type: "string" }, nights: { type: ["integer", "null"] } },
      required: ["city"],
    },
    output: { type: "array", items: { anyOf: [{ type: "number" }, { enum: ["none"] }] } },
    source: { input: "types", output: "types" },
  };
  const base = { kind: "skill", name, skillKind: "code", description: `Does ${name}.` } as const;
  return { ...base, level, operation: "READ", contract, depth: level - 1, ...more };
}

function edge(from: string, to: string, kind: GraphEdge["kind"] = "call"): GraphEdge {
  return { from, to, kind, places: [{ path: "/skills/x/skill.ts", line: 3, column: 5 }] };
}

function graph(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[] = [],
  cycles: SkillGraph["cycles"] = [],
): SkillGraph {
  return { nodes, edges, cycles };
}

const EMPTY = graph([]);

/** Recursion, what is shared, missing, a tool, and names chosen at run time. */
const TRIP = graph(
  [
    { kind: "any", name: "?" },
    skill("flight-search", 1),
    { kind: "tool", name: "github.search" },
    { kind: "missing", name: "hotel-rank" },
    skill("option-explore", 3),
    skill("pdf-save", 1, { operation: "WRITE" }),
    skill("route-price", 2),
    skill("text-stats", 1, { operation: "TRANSFORM" }),
    skill("trip-optimize", 3, { operation: "WRITE" }),
  ],
  [
    edge("flight-search", "github.search"),
    edge("option-explore", "?", "dynamic"),
    edge("option-explore", "route-price"),
    edge("route-price", "flight-search"),
    edge("route-price", "hotel-rank", "declared"),
    edge("trip-optimize", "option-explore"),
    edge("trip-optimize", "pdf-save"),
    edge("trip-optimize", "route-price"),
    edge("trip-optimize", "trip-optimize"),
  ],
);

const CIRCLES = graph(
  [skill("leaf", 1), skill("ping", 2), skill("pong", 2), skill("selfish", 3)],
  [edge("ping", "pong"), edge("pong", "leaf"), edge("pong", "ping"), edge("selfish", "selfish")],
  [
    ["ping", "pong", "ping"],
    ["selfish", "selfish"],
  ],
);

const HOSTILE_NAMES = [
  `"><script>alert(1)</script>`,
  "--> end",
  "%%{init: {'theme': 'x'}}%%",
  "]]>&amp;&#x41;",
  "ends with \\",
  "has\nlines\r\nand\ttabs",
  "nul \0 and escape \u001b[2J",
  "技能-навык-😀",
  "\u202eright to left",
  "subgraph x; style a fill:#000; linkStyle 0 stroke:#f00",
  "lone \ud800 surrogate",
];
const HOSTILE = graph(
  HOSTILE_NAMES.map((name) => skill(name, 2, { description: `</title><script>${name}` })).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  ),
  HOSTILE_NAMES.slice(1).map((name) => edge(HOSTILE_NAMES[0] ?? "", name)),
);

/** Many skills: workflows over composites over atomic ones, and as many that nobody calls. */
function large(count: number): SkillGraph {
  const names = Array.from({ length: count }, (_, index) => `skill-${String(index).padStart(4, "0")}`);
  const levelOf = (index: number): 1 | 2 | 3 => (index < count / 20 ? 3 : index < count / 4 ? 2 : 1);
  const edges = names.flatMap((name, index) => {
    if (levelOf(index) === 1) return [];
    const first = Math.floor(count / 4) + ((index * 7) % Math.floor(count / 3));
    return [first, first + 1].map((callee) => edge(name, names[callee] ?? ""));
  });
  return graph(
    names.map((name, index) => skill(name, levelOf(index))),
    edges,
  );
}

const GRAPHS: readonly (readonly [string, SkillGraph])[] = [
  ["nothing", EMPTY],
  ["one skill", graph([skill("one", 1)])],
  ["recursion, missing skills, tools", TRIP],
  ["circles", CIRCLES],
  ["hostile names", HOSTILE],
];

/** Any graph, also such as no folder of skills gives. */
const anyGraph: fc.Arbitrary<SkillGraph> = fc
  .uniqueArray(fc.string({ unit: "binary", minLength: 1, maxLength: 12 }), { maxLength: 9 })
  .chain((names) =>
    fc.record({
      nodes: fc.tuple(...names.toSorted().map(anyNode)),
      edges: fc.uniqueArray(
        fc
          .tuple(fc.nat(), fc.nat(), fc.constantFrom("call", "declared", "dynamic"))
          .map(([from, to, kind]) => edge(at(names, from), at(names, to), kind)),
        { maxLength: names.length === 0 ? 0 : 14, selector: ({ from, to }) => JSON.stringify([from, to]) },
      ),
      cycles: fc.array(
        fc.array(fc.nat(), { minLength: 1, maxLength: 3 }).map((steps) => {
          const cycle = steps.map((step) => at(names, step));
          return cycle.concat(cycle.slice(0, 1));
        }),
        { maxLength: names.length === 0 ? 0 : 2 },
      ),
    }),
  );

function at(names: readonly string[], index: number): string {
  return names[index % names.length] ?? "";
}

function anyNode(name: string): fc.Arbitrary<GraphNode> {
  return fc.oneof(
    { weight: 4, arbitrary: anySkill(name) },
    {
      weight: 1,
      arbitrary: fc.constantFrom({ kind: "missing", name } as const, { kind: "tool", name } as const),
    },
  );
}

function anySkill(name: string): fc.Arbitrary<GraphNode> {
  return fc
    .record({
      level: fc.constantFrom(1, 2, 3),
      operation: fc.constantFrom("TRANSFORM", "READ", "WRITE"),
      skillKind: fc.constantFrom("code", "instructions"),
      description: fc.string({ unit: "binary" }),
      depth: fc.nat(9),
    })
    .map(({ level, ...more }) => skill(name, level, more));
}

// --- a strict reader of XML, as far as SVG needs it

interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (XmlElement | string)[];
}

/** Reads a document; throws where it is not well-formed XML 1.0. */
function parseXml(text: string): XmlElement {
  const illegal = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.exec(text);
  if (illegal) throw new Error(`An illegal character at ${illegal.index}`);
  const stack: { name: string; attributes: Map<string, string>; children: (XmlElement | string)[] }[] = [];
  let root: XmlElement | undefined;
  let position = 0;
  const token = /<\/([\w-]+)\s*>|<([\w-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
  while (position < text.length) {
    token.lastIndex = position;
    const match = token.exec(text);
    if (!match) throw new Error(`Not XML: ${text.slice(position, position + 60)}`);
    position = token.lastIndex;
    const [, closed, opened, attributes = "", empty, content] = match;
    const parent = stack.at(-1);
    if (content !== undefined) {
      if (content.includes("]]>")) throw new Error("]]> in text");
      if (!parent && content.trim() !== "") throw new Error("Text outside the root");
      parent?.children.push(unescaped(content));
    } else if (opened !== undefined) {
      if (!parent && root) throw new Error("A second root");
      const element = { name: opened, attributes: attributesIn(attributes), children: [] };
      if (parent) parent.children.push(element);
      else root = element;
      if (empty === "") stack.push(element);
    } else if (stack.pop()?.name !== closed) throw new Error(`</${closed}> closes nothing`);
  }
  if (stack.length > 0 || !root) throw new Error("The document ends too early");
  return root;
}

function attributesIn(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", value = ""] of text.matchAll(/([\w:-]+)="([^"]*)"/g)) {
    if (attributes.has(name)) throw new Error(`The attribute ${name} stands twice`);
    attributes.set(name, unescaped(value));
  }
  return attributes;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  if (/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i.test(text)) throw new Error(`A bare & in ${text}`);
  return text.replaceAll(
    /&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
    (_, hex: string, decimal: string, name: string) => {
      if (hex || decimal) return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal));
      return ENTITIES[name] ?? "";
    },
  );
}

function elementsIn(element: XmlElement): readonly XmlElement[] {
  const children = element.children.filter((child) => typeof child !== "string");
  return [element, ...children.flatMap(elementsIn)];
}

function textIn(element: XmlElement): string {
  return element.children.map((child) => (typeof child === "string" ? child : textIn(child))).join("");
}

function withClass(root: XmlElement, wanted: string): readonly XmlElement[] {
  return elementsIn(root).filter(({ attributes }) => attributes.get("class")?.split(" ").includes(wanted));
}

function titleOf(element: XmlElement): string {
  const title = element.children.find((child) => typeof child !== "string" && child.name === "title");
  return typeof title === "object" ? textIn(title) : "";
}

interface Rectangle {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Where each node stands, by its name; those of the legend have none. */
function nodesIn(root: XmlElement): ReadonlyMap<string, Rectangle> {
  return new Map(
    withClass(root, "node").flatMap((node) => {
      const [name = ""] = titleOf(node).split("\n");
      const shape = node.children.find(
        (child) => typeof child !== "string" && ["rect", "polygon", "circle"].includes(child.name),
      );
      return name === "" || typeof shape !== "object" ? [] : [[name, extentOf(shape)] as const];
    }),
  );
}

function extentOf({ name, attributes }: XmlElement): Rectangle {
  const number = (attribute: string): number => Number(attributes.get(attribute));
  switch (name) {
    case "rect":
      return rectangle(
        number("x"),
        number("y"),
        number("x") + number("width"),
        number("y") + number("height"),
      );
    case "circle":
      return rectangle(
        number("cx") - number("r"),
        number("cy") - number("r"),
        number("cx") + number("r"),
        number("cy") + number("r"),
      );
    default: {
      const points = (attributes.get("points") ?? "").split(" ").map((point) => point.split(",").map(Number));
      const [xs, ys] = [points.map(([x = 0]) => x), points.map(([, y = 0]) => y)];
      return rectangle(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
    }
  }
}

function rectangle(left: number, top: number, right: number, bottom: number): Rectangle {
  return { left, right, top, bottom };
}

function overlap(a: Rectangle, b: Rectangle): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Where each edge begins and where its arrow points to, by `from → to`. */
function edgesIn(root: XmlElement): ReadonlyMap<string, readonly (readonly [number, number])[]> {
  return new Map(
    withClass(root, "edge")
      .filter((each) => titleOf(each) !== "")
      .map((each) => {
        const paths = each.children.filter((child) => typeof child !== "string" && child.name === "path");
        const starts = paths.map((path): readonly [number, number] => {
          const [, x, y] =
            (typeof path === "object" ? path.attributes.get("d") : "")?.match(/^M(\S+) ([\d.-]+)/) ?? [];
          return [Number(x), Number(y)];
        });
        return [titleOf(each).replace(/ \((?:declared only|chosen at run time)\)$/, ""), starts];
      }),
  );
}

function isOnBorder([x, y]: readonly [number, number], { left, right, top, bottom }: Rectangle): boolean {
  const near = (a: number, b: number): boolean => Math.abs(a - b) < 0.2;
  const isWithin = x > left - 0.2 && x < right + 0.2 && y > top - 0.2 && y < bottom + 0.2;
  return isWithin && (near(x, left) || near(x, right) || near(y, top) || near(y, bottom));
}

// --- SVG

const SVG_ELEMENTS = new Set("svg title desc style rect text g path polygon circle".split(" "));

describe("the picture", () => {
  test.each(GRAPHS)("is XML that needs nothing else: %s", async (_, given) => {
    const text = await svgGraph(given);
    const root = parseXml(text);
    const names = new Set(elementsIn(root).map(({ name }) => name));
    expect([...names].filter((name) => !SVG_ELEMENTS.has(name))).toEqual([]);
    expect(text).not.toMatch(/\bhref=|url\(|@import|<script|\bon\w+=/i);
    expect(root.attributes.get("role")).toBe("img");
    const labels = (root.attributes.get("aria-labelledby") ?? "").split(" ");
    const labelling = elementsIn(root).filter(({ attributes }) =>
      labels.includes(attributes.get("id") ?? "-"),
    );
    expect(labelling.map(({ name }) => name)).toEqual(["title", "desc"]);
    expect(text).toContain("prefers-color-scheme:dark");
    expect([...nodesIn(root).keys()].toSorted()).toEqual(
      given.nodes.map(({ name }) => visibleLine(name)).toSorted(),
    );
  });

  test.each(GRAPHS)("no two nodes overlap, and edges end at their nodes: %s", async (_, given) => {
    const root = parseXml(await svgGraph(given));
    const nodes = nodesIn(root);
    const edges = edgesIn(root);
    expect(overlapping(nodes)).toEqual([]);
    expect(edges.size).toBe(given.edges.length);
    for (const { from, to } of given.edges) {
      const ends = edges.get(`${visibleLine(from)} → ${visibleLine(to)}`) ?? [];
      const [caller, callee] = [nodes.get(visibleLine(from)), nodes.get(visibleLine(to))];
      expect([
        ends[0] && caller && isOnBorder(ends[0], caller),
        ends[1] && callee && isOnBorder(ends[1], callee),
      ]).toEqual([true, true]);
    }
  });

  test("levels are layers, callers above callees", async () => {
    const root = parseXml(await svgGraph(TRIP));
    const nodes = nodesIn(root);
    const top = (name: string): number => nodes.get(name)?.top ?? Number.NaN;
    expect(withClass(root, "band-name").map(textIn)).toEqual([
      "workflows",
      "composites",
      "atomic skills",
      "outside",
    ]);
    for (const { from, to } of TRIP.edges) if (from !== to) expect(top(from)).toBeLessThan(top(to));
    expect(top("pdf-save")).toBe(top("flight-search"));
    expect(top("hotel-rank")).toBe(top("github.search"));
  });

  test("a node tells its contract on hover, and its operation by its colour", async () => {
    const root = parseXml(await svgGraph(TRIP));
    const node = withClass(root, "node").find((each) => titleOf(each).startsWith("pdf-save"));
    expect(node?.attributes.get("class")).toBe("node write");
    expect(node && titleOf(node)).toBe(
      'pdf-save\nlevel 1, WRITE\nDoes pdf-save.\n{ city: string; nights?: integer | null } → (number | "none")[]',
    );
  });

  test("kinds of edges and nodes look different", async () => {
    const root = parseXml(await svgGraph(TRIP));
    const classes = withClass(root, "edge")
      .filter((each) => titleOf(each) !== "")
      .map((each) => `${titleOf(each)}: ${each.attributes.get("class") ?? ""}`);
    expect(classes).toContain("route-price → hotel-rank (declared only): edge declared");
    expect(classes).toContain("option-explore → ? (chosen at run time): edge dynamic");
    expect(classes).toContain("trip-optimize → trip-optimize: edge call");
    expect(withClass(root, "missing").map(titleOf)).toContain("hotel-rank\nThere is no such skill");
    expect(withClass(root, "tool").flatMap(({ children }) => children.map(nameOf))).toContain("polygon");
    const circles = parseXml(await svgGraph(CIRCLES));
    const red = withClass(circles, "cycle")
      .map(titleOf)
      .filter((title) => title !== "");
    expect(red.toSorted()).toEqual(["ping → pong", "pong → ping", "selfish → selfish"]);
  });

  test.each([200, 1000])("%i skills are drawn, none over another", async (count) => {
    const nodes = nodesIn(parseXml(await svgGraph(large(count))));
    expect(nodes.size).toBe(count);
    expect(overlapping(nodes)).toEqual([]);
  });

  test("a chain of 300 skills is drawn", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `step-${String(index).padStart(3, "0")}`);
    const chain = graph(
      names.map((name) => skill(name, 2)),
      names.slice(1).map((name, index) => edge(names[index] ?? "", name)),
    );
    const tops = [...nodesIn(parseXml(await svgGraph(chain))).values()].map(({ top }) => top);
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    expect(new Set(tops).size).toBe(300);
  });

  test("any graph can be drawn, always the same", async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph, async (given) => {
        const text = await svgGraph(given);
        expect(await svgGraph(given)).toBe(text);
        const nodes = nodesIn(parseXml(text));
        expect(new Set(nodes.keys())).toEqual(new Set(given.nodes.map(({ name }) => visibleLine(name))));
        expect(overlapping(nodes)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

function nameOf(child: XmlElement | string): string {
  return typeof child === "string" ? "" : child.name;
}

function overlapping(nodes: ReadonlyMap<string, Rectangle>): readonly string[] {
  const all = [...nodes];
  return all.flatMap(([name, box], index) =>
    all
      .slice(index + 1)
      .flatMap(([other, otherBox]) => (overlap(box, otherBox) ? [`${name} and ${other}`] : [])),
  );
}

// --- text

describe("the tree", () => {
  test("shows each skill's callees once, with level and operation", () => {
    expect(asciiGraph(TRIP)).toBe(TREE);
  });

  test("names circles and ends at them", () => {
    expect(asciiGraph(CIRCLES)).toBe(`ping        L2 READ
└─ pong     L2 READ
   ├─ leaf  L1 READ
   └─ ping  ↻ cycle

selfish     L3 READ  ✗ calls itself

cycle: ping → pong → ping
cycle: selfish → selfish
4 skills: 1 atomic, 2 composite, 1 workflow
1 root · 2 leaves · depth 2 · 2 cycles`);
  });

  test("has lines of 80 columns at most, however deep the graph is", () => {
    const names = Array.from({ length: 400 }, (_, index) => `step-${String(index).padStart(3, "0")}`);
    const chain = graph(
      names.map((name) => skill(name, 2, { operation: "TRANSFORM" })),
      names.slice(1).map((name, index) => edge(names[index] ?? "", name)),
    );
    const lines = asciiGraph(chain).split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(names.filter((name) => !lines.some((line) => line.includes(name)))).toEqual([]);
    expect(lines).toContain("↓ its callees are shown below");
  });

  test("says when there is nothing", () => {
    expect(asciiGraph(EMPTY)).toBe("no skills");
  });

  test("control characters do not reach the terminal", () => {
    const text = asciiGraph(HOSTILE);
    expect(text).not.toMatch(/[^\P{C}\n]/u);
    expect(text).toContain("nul \\u{0} and escape \\u{1b}[2J");
    expect(text).toContain("has\\nlines\\u{d}\\nand\\ttabs");
  });
});

const TREE = `trip-optimize              L3 WRITE  ↻ calls itself
├─ option-explore          L3 READ
│  ├┈ ?                    chosen at run time
│  └─ route-price          L2 READ
│     ├─ flight-search     L1 READ
│     │  └─ github.search  tool
│     └╌ hotel-rank        ✗ missing
├─ pdf-save                L1 WRITE
└─ route-price             L2 READ  ↑

text-stats                 L1 TRANSFORM

╌ declared only   ┈ chosen at run time   ↑ its callees are shown above
6 skills: 3 atomic, 1 composite, 2 workflows
2 roots · 3 leaves · depth 2 · no cycles · 1 missing`;

// --- Mermaid

const MERMAID_ID = "s_[a-zA-Z0-9_]*";
const MERMAID_LABEL = String.raw`"(?:[\p{L}\p{M}\p{N} ._/,?!+*=~()-]|#\d+;|<br/>)*"`;
const MERMAID_LINES = [
  /^graph TD$/,
  new RegExp(
    String.raw`^  ${MERMAID_ID}(?:\[${MERMAID_LABEL}\]|\{\{${MERMAID_LABEL}\}\}|\(\(${MERMAID_LABEL}\)\)):::(?:level[123]|missing|tool|any)$`,
    "u",
  ),
  new RegExp(`^  ${MERMAID_ID} (?:-->|-\\.->|-\\. "chosen at run time" \\.->) ${MERMAID_ID}$`),
  /^ {2}classDef (?:level[123]|missing|tool|any) (?:[a-z-]+:[#\w ]+,?)+$/,
  /^ {2}linkStyle \d+(?:,\d+)* (?:[a-z-]+:[#\w ]+,?)+$/,
];

function mermaidNames(text: string): readonly string[] {
  return [...text.matchAll(/^ {2}s_\w*[[{(]+"(.*?)(?:<br\/>.*)?"[\])}]+:::/gmu)].map(([, label = ""]) =>
    label.replaceAll(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))),
  );
}

describe("Mermaid", () => {
  test.each(GRAPHS)("each line is of the grammar: %s", (_, given) => {
    const text = mermaidGraph(given);
    expect(text.split("\n").filter((line) => !MERMAID_LINES.some((form) => form.test(line)))).toEqual([]);
    expect(mermaidNames(text)).toEqual(given.nodes.map(({ name }) => visibleLine(name)));
  });

  test("has the proposal's colours, and an arrow for each kind of call", () => {
    const text = mermaidGraph(TRIP);
    expect(text).toMatch(
      /classDef level1 fill:#e8f5e9.*\n {2}classDef level2 fill:#fff3e0.*\n {2}classDef level3 fill:#e1f5fe/,
    );
    expect(text).toContain('s_route_price["route-price<br/>L2 READ"]:::level2');
    expect(text).toContain("s_route_price --> s_flight_search");
    expect(text).toContain("s_route_price -.-> s_hotel_rank");
    expect(text).toContain('s_option_explore -. "chosen at run time" .-> s__');
    expect(mermaidGraph(CIRCLES)).toContain("linkStyle 0,2,3 stroke:#d1242f");
  });

  test("names that look alike have identifiers of their own", () => {
    const text = mermaidGraph(graph(["a b", "a-b", "a_b", "end", "a_b_2"].map((name) => skill(name, 1))));
    const ids = [...text.matchAll(/^ {2}(\w+)\[/gm)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(5);
  });

  test("any graph can be written, always the same", () => {
    fc.assert(
      fc.property(anyGraph, (given) => {
        const text = mermaidGraph(given);
        expect(mermaidGraph(given)).toBe(text);
        expect(text.split("\n").filter((line) => !MERMAID_LINES.some((form) => form.test(line)))).toEqual([]);
        expect(mermaidNames(text)).toEqual(given.nodes.map(({ name }) => visibleLine(name)));
      }),
    );
  });
});

// --- DOT

const DOT_TEXT = String.raw`"(?:[^"\\\p{C}]|\\\\|\\"|\\n|\\t|\\u\{[\da-f]+\})*"`;
const DOT_ATTRIBUTES = String.raw`\[\w+=(?:${DOT_TEXT}|[\w.]+)(?:, \w+=(?:${DOT_TEXT}|[\w.]+))*\]`;
const DOT_LINES = [
  /^digraph skills \{$/,
  new RegExp(`^  (?:graph|node|edge) ${DOT_ATTRIBUTES};$`, "u"),
  new RegExp(`^  ${DOT_TEXT} ${DOT_ATTRIBUTES};$`, "u"),
  new RegExp(`^  ${DOT_TEXT} -> ${DOT_TEXT}(?: ${DOT_ATTRIBUTES})?;$`, "u"),
  new RegExp(`^  \\{ rank=same; (?:${DOT_TEXT}; )+\\}$`, "u"),
  /^\}$/,
];

function dotNames(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const [, name] = new RegExp(String.raw`^  (${DOT_TEXT}) \[label=`, "u").exec(line) ?? [];
    return name === undefined ? [] : [name.slice(1, -1).replaceAll(/\\([\\"])/g, "$1")];
  });
}

describe("DOT", () => {
  test.each(GRAPHS)("each line is of the grammar: %s", (_, given) => {
    const text = dotGraph(given);
    expect(text.split("\n").filter((line) => !DOT_LINES.some((form) => form.test(line)))).toEqual([]);
    expect(dotNames(text)).toEqual(given.nodes.map(({ name }) => visibleLine(name)));
  });

  test("levels are ranks, and callers point to callees", () => {
    const text = dotGraph(TRIP);
    expect(text).toContain('{ rank=same; "flight-search"; "pdf-save"; "text-stats"; }');
    expect(text).toContain('"trip-optimize" -> "trip-optimize";');
    expect(text).toContain('"route-price" -> "hotel-rank" [style="dashed"];');
    expect(dotGraph(CIRCLES)).toContain('"pong" -> "ping" [color="#d1242f", penwidth="2"];');
  });

  test("any graph can be written, always the same", () => {
    fc.assert(
      fc.property(anyGraph, (given) => {
        const text = dotGraph(given);
        expect(dotGraph(given)).toBe(text);
        expect(text.split("\n").filter((line) => !DOT_LINES.some((form) => form.test(line)))).toEqual([]);
        expect(new Set(dotNames(text)).size).toBe(given.nodes.length);
      }),
    );
  });
});

// --- JSON

const jsonShape = z.strictObject({
  nodes: z.array(
    z.discriminatedUnion("kind", [
      z.strictObject({
        name: z.string(),
        kind: z.literal("skill"),
        skillKind: z.enum(["code", "workflow", "instructions"]),
        level: z.literal([1, 2, 3]),
        operation: z.enum(["TRANSFORM", "READ", "WRITE"]),
        depth: z.int().min(0),
        description: z.string(),
        input: z.record(z.string(), z.unknown()),
        output: z.record(z.string(), z.unknown()),
      }),
      z.strictObject({ name: z.string(), kind: z.enum(["missing", "tool"]) }),
      z.strictObject({ name: z.literal("?"), kind: z.literal("any") }),
    ]),
  ),
  edges: z.array(
    z.strictObject({
      from: z.string(),
      to: z.string(),
      kind: z.enum(["call", "declared", "dynamic"]),
      places: z.array(z.strictObject({ path: z.string(), line: z.int(), column: z.int() })),
    }),
  ),
  cycles: z.array(z.array(z.string())),
  statistics: z.strictObject({
    total_skills: z.int(),
    levels: z.strictObject({ 1: z.int(), 2: z.int(), 3: z.int() }),
    roots: z.array(z.string()),
    leaves: z.array(z.string()),
    max_depth: z.int(),
    cycles: z.int(),
    missing_deps: z.int(),
  }),
});

describe("JSON", () => {
  test("has nodes, edges and statistics", () => {
    const { nodes, edges, statistics } = jsonShape.parse(JSON.parse(graphJson(TRIP)));
    expect(nodes).toHaveLength(9);
    expect(edges).toEqual(TRIP.edges);
    expect(statistics).toEqual({
      total_skills: 6,
      levels: { 1: 3, 2: 1, 3: 2 },
      roots: ["text-stats", "trip-optimize"],
      leaves: ["flight-search", "pdf-save", "text-stats"],
      max_depth: 2,
      cycles: 0,
      missing_deps: 1,
    });
  });

  test("any graph can be written, always the same, with every name as it is", () => {
    fc.assert(
      fc.property(anyGraph, (given) => {
        const text = graphJson(given);
        expect(graphJson(given)).toBe(text);
        expect(jsonShape.parse(JSON.parse(text)).nodes.map(({ name }) => name)).toEqual(
          given.nodes.map(({ name }) => name),
        );
      }),
    );
  });
});

test("any graph has its tree, with every node", () => {
  fc.assert(
    fc.property(anyGraph, (given) => {
      const text = asciiGraph(given);
      expect(asciiGraph(given)).toBe(text);
      for (const { name } of given.nodes) expect(text).toContain(visibleLine(name));
    }),
  );
});
