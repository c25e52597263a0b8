import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { asciiGraph } from "../../src/graph/render/graph-ascii.ts";
import { dotGraph } from "../../src/graph/render/graph-dot.ts";
import { graphJson } from "../../src/graph/render/graph-json.ts";
import { mermaidGraph } from "../../src/graph/render/graph-mermaid.ts";
import { svgGraph } from "../../src/graph/render/graph-svg.ts";
import { skillGraph } from "../../src/graph/skill-graph.ts";
import { composedFlows, flowsOfRun } from "../../src/checks/flows/composed-flows.ts";
import type { ComposedFlow } from "../../src/core/flow.ts";
import type { Skill, SkillFolder } from "../../src/core/skill.ts";
import { readFolder, skillFolder } from "./read-folder.ts";
import { compiler } from "../shared-threads.ts";

const READS = new Set(["feed.latest", "mail.read", "web.search", "issues.get", "config.get"]);
const trust = {
  isTrusted: (tool: string) => tool.startsWith("config."),
  mayWrite: (tool: string) => !READS.has(tool),
};

const bundled = (path: string): SkillFolder =>
  readFolder(fileURLToPath(new URL(`../../skills/${path}`, import.meta.url)));

const run = (body: string, rest = ""): string =>
  `${rest}\nexport default async function run(input: any): Promise<any> {\n${body}\n}\n`;

/** Skills that read what others have written. */
const READERS: Readonly<Record<string, string>> = {
  "feed-latest": run(`return call_tool("feed.latest", { topic: input.topic });`),
  "mail-digest": run(
    `const mails = await call_tool("mail.read", { box: "in" });
    return { count: 3, subjects: mails.items.map((mail: any) => mail.subject.trim()) };`,
  ),
  "issue-read": run(
    `const { title, body: text } = await call_tool("issues.get", { id: input.id });
    return { title, text, id: input.id, state: "open" };`,
  ),
  "issue-error": run(`
    try { await call_tool("issues.get", { id: input.id }); return { problem: null }; }
    catch (error: any) { return { problem: error.message }; }`),
};

/** Skills that change something with what they are given. */
const WRITERS: Readonly<Record<string, string>> = {
  "mail-send": run(
    `await call_tool("mail.send", { to: input.to, body: \`Hello\\n\${input.body}\` }); return { sent: true };`,
  ),
  "shell-run": run(
    `const command = ["sh", "-c", input.script].join(" "); return call_tool("shell.exec", { command });`,
  ),
  "row-add": run(`await call_tool("db.insert", { ...input.row, at: 1 }); return null;`),
};

interface Pair {
  readonly reader: string;
  readonly writer: string;
  readonly body: string;
  readonly flow: { readonly source: string; readonly write: string; readonly argument?: string };
}

const research = `await call_skill("web-search", { query: input.query })`;
/** Each of the two is harmless alone. */
const PAIRS: Readonly<Record<string, Pair>> = {
  "news into a note": {
    reader: "feed-latest",
    writer: "note-save",
    body: `const news = await call_skill("feed-latest", { topic: "x" }); return call_skill("note-save", { title: "News", text: news.text });`,
    flow: { source: "feed.latest", write: "notes.write_file", argument: "content" },
  },
  "a headline into a file's name": {
    reader: "feed-latest",
    writer: "note-save",
    body: `const { headline: title } = await call_skill("feed-latest", {}); await call_skill("note-save", { title, text: "-" });`,
    flow: { source: "feed.latest", write: "notes.write_file", argument: "path" },
  },
  "a search into a document": {
    reader: "web-search",
    writer: "pdf-save",
    body: `const found = ${research}; await call_skill("pdf-save", { path: "a.pdf", title: "T", paragraphs: ["H", found.answer] });`,
    flow: { source: "web.search", write: "files.write", argument: "content" },
  },
  "a search into a note, as JSON": {
    reader: "web-search",
    writer: "note-save",
    body: `const found = ${research}; await call_skill("note-save", { title: "T", text: JSON.stringify(found) });`,
    flow: { source: "web.search", write: "notes.write_file", argument: "content" },
  },
  "subjects into a mail": {
    reader: "mail-digest",
    writer: "mail-send",
    body: `const { subjects } = await call_skill("mail-digest"); let body = ""; for (const one of subjects) body += "- " + one; await call_skill("mail-send", { to: "me", body });`,
    flow: { source: "mail.read", write: "mail.send", argument: "body" },
  },
  "a sender out of a list into a mail's address": {
    reader: "feed-latest",
    writer: "mail-send",
    body: `const all = await Promise.all(["a", "b"].map((topic) => call_skill("feed-latest", { topic }))); await call_skill("mail-send", { to: all.flat()[0].author, body: "hi" });`,
    flow: { source: "feed.latest", write: "mail.send", argument: "to" },
  },
  "an issue into a shell": {
    reader: "issue-read",
    writer: "shell-run",
    body: `const issue = await call_skill("issue-read", { id: 7 }); const { text: script } = { ...issue }; return call_skill("shell-run", { script });`,
    flow: { source: "issues.get", write: "shell.exec", argument: "command" },
  },
  "an error's message into a note": {
    reader: "issue-read",
    writer: "note-save",
    body: `try { await call_skill("issue-read", { id: 7 }); } catch (error: any) { await call_skill("note-save", { title: "E", text: error.message }); }`,
    flow: { source: "issues.get", write: "notes.write_file", argument: "content" },
  },
  "an error that is given back into a table": {
    reader: "issue-error",
    writer: "row-add",
    body: `const { problem } = await call_skill("issue-error", { id: 7 }); await call_skill("row-add", { row: { problem } });`,
    flow: { source: "issues.get", write: "db.insert" },
  },
  "a choice by a search": {
    reader: "web-search",
    writer: "mail-send",
    body: `const found = ${research}; await call_skill("mail-send", { to: found.answer.includes("a") ? "ann" : "bob", body: "x" });`,
    flow: { source: "web.search", write: "mail.send", argument: "to" },
  },
  "rows of records that were parsed": {
    reader: "feed-latest",
    writer: "row-add",
    body: `const news = await call_skill("feed-latest", {}); const { records } = await call_skill("csv-records", { csv: news.csv }); for (const row of records) await call_skill("row-add", { row });`,
    flow: { source: "feed.latest", write: "db.insert" },
  },
  "an outline of a mail into a note": {
    reader: "mail-digest",
    writer: "note-save",
    body: `const { subjects: [first] } = await call_skill("mail-digest"); class Note { text = ""; add(part: string) { this.text += part; return this; } } await call_skill("note-save", { title: "T", text: new Note().add(first).text });`,
    flow: { source: "mail.read", write: "notes.write_file", argument: "content" },
  },
};

/** Nothing of what the reader gives is given to the writer. */
const APART: Readonly<Record<string, string>> = {
  constants: `await call_skill("feed-latest", { topic: "x" }); await call_skill("note-save", { title: "T", text: "done" });`,
  "the caller's own words": `const news = await call_skill("feed-latest", { topic: "x" }); await call_skill("note-save", { title: input.title, text: \`about \${input.topic}\` }); return news;`,
  "a part that no tool has told": `const issue = await call_skill("issue-read", { id: input.id }); await call_skill("mail-send", { to: "me", body: \`\${issue.id} \${issue.state}\` }); return issue.text;`,
  "another member of a list of promises": `const [news, own] = await Promise.all([call_skill("feed-latest", {}), call_skill("text-stats", { text: input.text })]); await call_skill("row-add", { row: own }); return news;`,
  "what a trusted tool says": `const { address } = await call_tool("config.get", {}); await call_skill("mail-send", { to: address, body: "hi" }); return call_skill("feed-latest", {});`,
  "what only looks like code that is made": `const news = await call_skill("feed-latest", {}); const own = Array.prototype.slice.call([input.to], 0); if (input.x.constructor === Object) await call_skill("mail-send", { to: own, body: input.x.constructor.name }); return news;`,
  "keys of its own tables": `const news = await call_skill("feed-latest", { topic: "x" }); const ways: any = { a: (text: string) => text.trim() }; const rows = [["a"]]; const counts: Record<string, Record<string, number>> = {}; (counts[input.to] ??= {})[input.x] = 1; const ok = /^a/g.test(input.to); const { x = 1 } = input; await call_skill("mail-send", { to: ways[input.way](rows[0]?.[0] ?? ""), body: \`\${counts[input.to]?.[input.x]} \${ok} \${x}\` }); return news;`,
  "what is tried before it is read": `try { JSON.parse(input.text); await call_skill("mail-send", { to: input.to, body: "hi" }); } catch (error) { console.log(String(error)); } const news = await call_skill("feed-latest", { topic: "x" }); try { console.log(news.text); } catch {} await call_skill("mail-send", { to: "me", body: "done" }); return news;`,
  "a guard that throws": `const news = await call_skill("feed-latest", {}); if (!news.text) throw new Error("none"); await call_skill("mail-send", { to: input.to, body: "hi" }); return news;`,
  "a failure that is only logged": `let news = null; try { news = await call_skill("feed-latest", {}); } catch (error) { console.log(String(error)); } finally { console.log("read"); } const more = await call_skill("feed-latest", {}).catch(() => null); await call_skill("mail-send", { to: input.to, body: "hi" }); return [news, more];`,
  "loops that end by the caller's own words": `const sent = []; for (const one of input.list) { if (one.skip) continue; if (one.last) break; await call_skill("row-add", { row: one }); sent.push(one.id); } const news = await call_skill("feed-latest", {}); for (const one of news.list) if (one.last) break; await call_skill("row-add", { row: { sent } }); return news;`,
  "reads that wait for each other": `const all: any[] = []; await Promise.all(["a", "b"].map(async (topic) => { all.push(await call_skill("feed-latest", { topic })); })); const mail: any = { to: input.to }; mail.body = "hi"; let times = 0; times += 1; await call_skill("mail-send", mail); await call_skill("row-add", { row: { times } }); return all;`,
  "one call beside another that may fail": `const own = await call_skill("text-stats", { text: input.text }).then((stats: any) => stats.words, () => 0); const news = await call_skill("feed-latest", {}).then(({ text }: any) => text).catch(() => ""); await call_skill("row-add", { row: { own } }); return news;`,
  "another property of an object": `const news = await call_skill("feed-latest", {}); const all = { news, to: input.to }; await call_skill("mail-send", { to: all.to, body: "hi" }); return all;`,
};

const source = `const answer = await call_tool("feed.latest", {});`;
/** Ways in which a value can hide. */
const WAYS: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  "destructuring with defaults and rest": run(
    `const { a: { b: [first = "x", ...others] = [] } = {}, ...rest } = (${source.slice(15, -1)}) as any; await call_tool("w.write", { others });`,
  ),
  "a helper in another file": {
    "skill.ts": `import { wrap as wrapped } from "./lib/wrap.ts";\n${run(`${source} await call_tool("w.write", { text: wrapped(answer) });`)}`,
    "lib/wrap.ts": `import trim from "./trim.js";\nexport const wrap = (value: any) => ({ value: trim(value.text) });`,
    "lib/trim.js": `export default function trim(text) { return text.slice(0, 10); }`,
  },
  "a namespace of helpers": {
    "skill.ts": `import * as lib from "./lib.ts";\n${run(`${source} lib.keep(answer); await call_tool("w.write", lib.kept());`)}`,
    "lib.ts": `let last: any;\nexport function keep(value: any) { last = value; }\nexport const kept = () => ({ last });`,
  },
  "a closure that is called later": run(
    `let say = () => ""; ${source} say = () => answer.text; const later = say; await call_tool("w.write", { text: later() });`,
  ),
  "a class with a getter and a base": run(
    `${source} await call_tool("w.write", { text: new Letter(answer).words });`,
    `class Paper { constructor(public held: any) {} }\nclass Letter extends Paper { get words() { return this.held.text; } }`,
  ),
  "a generator": run(
    `${source} await call_tool("w.write", { list: [...parts(answer)] });`,
    `function* parts(value: any) { for (const one of value.list) yield one; }`,
  ),
  "a reduce into an object": run(
    `${source} const sums = answer.list.reduce((all: any, one: any) => { all[one.k] = one.v; return all; }, {}); await call_tool("w.write", sums);`,
  ),
  "an alias that is written to": run(
    `${source} const args: any = { deep: { text: "" } }; const same = args.deep; same.text = answer.text; await call_tool("w.write", args);`,
  ),
  "Object.assign": run(
    `${source} const args: any = {}; Object.assign(args, { text: answer.text }); await call_tool("w.write", args);`,
  ),
  "a Map": run(
    `${source} const kept = new Map(); kept.set("k", answer.text); for (const [, text] of kept) await call_tool("w.write", { text });`,
  ),
  "a switch": run(
    `${source} let level = "low"; switch (answer.level) { case 3: level = "high"; } await call_tool("w.write", { level });`,
  ),
  "a letter at a time": run(
    `${source} let text = ""; for (const one of "abc") { if (!answer.text.includes(one)) continue; text += one; } await call_tool("w.write", { text });`,
  ),
  "an early return of a helper": run(
    `${source} await call_tool("w.write", { code: grade(answer) });`,
    `function grade(value: any) { if (value.good) return 1; return 0; }`,
  ),
  "then and catch": run(
    `await call_tool("feed.latest", {}).then(({ text }: any) => call_tool("w.write", { text }));`,
  ),
  "a rejected promise": run(
    `const text = await call_tool("feed.latest", {}).catch((error: any) => error.message); await call_tool("w.write", { text });`,
  ),
  "call_tool by another name": run(
    `const ask = call_tool; const answer = await ask("feed.latest", {}); await [answer].map((each) => ask("w.write", { each }))[0];`,
  ),
  "call_tool as a callback's function": run(
    `${source} await Promise.all([["w.write", { text: answer.text }]].map(([name, args]: any) => call_tool(name, args)));`,
  ),
  "a name that only running tells": run(`${source} await call_tool(input.tool, { text: answer.text });`),
  "a name that the answer tells": run(`${source} await call_tool(\`w.\${answer.name}\`, { text: "fixed" });`),
  toJSON: run(
    `${source} const args = { text: { toJSON() { return answer.text; } } }; await call_tool("w.write", args);`,
  ),
  "code that is made of text": run(
    `${source} await new Function("call_tool", "answer", "return call_tool('w.write', { answer })")(call_tool, answer);`,
  ),
  "a key": run(`${source} await call_tool("w.write", { row: { [answer.text]: 1 } });`),
  "a tagged template": run(
    `${source} await call_tool("w.write", { text: tag\`<\${answer.text}>\` });`,
    `const tag = (parts: any, ...values: any[]) => parts.join(values[0]);`,
  ),
  "a constructor by a key that running tells": run(
    `${source} const key = ["constr", "uctor"].join(""); const Maker = (() => {}) as any; await Maker[key]("t", "return call_tool('w.write', { t })")(answer);`,
  ),
  "a constructor that is destructured": run(
    `${source} const { constructor: Maker } = (() => {}) as any; await Maker("t", "return call_tool('w.write', { t })")(answer);`,
  ),
  "a constructor that is reflected": run(
    `${source} const Maker = Reflect.get(() => {}, ["constr", "uctor"].join("")); await Maker("t", "return call_tool('w.write', { t })")(answer);`,
  ),
  "what a constructor returns": run(
    `${source} class Paper { constructor() { return { text: answer.text }; } } class Letter extends Paper { words: any; constructor() { super(); this.words = 1; } } await call_tool("w.write", { text: (new Letter() as any).text });`,
  ),
  "a name of its own like a method's": run(
    `${source} const { promise, resolve } = Promise.withResolvers<any>(); resolve(answer.text); await call_tool("w.write", { text: await promise });`,
  ),
  "a search that ends early": run(
    `${source} let text = ""; ["a", "b"].find((one) => { text = one; return one === answer.text; }); await call_tool("w.write", { text });`,
  ),
  "a test that ends early": run(
    `${source} let times = 0; [1, 2, 3].some((one) => { times++; return one === answer.number; }); await call_tool("w.write", { times });`,
  ),
  "how long a list is made": run(
    `${source} let times = 0; Array.from({ length: answer.number }, () => { times++; }); await call_tool("w.write", { times });`,
  ),
  "how many parts are parsed": run(
    `${source} let times = 0; JSON.parse(answer.text, (_, value) => { times++; return value; }); await call_tool("w.write", { times });`,
  ),
  "a key that is deleted": run(
    `${source} const row: any = { a: 1, b: 1 }; delete row[answer.text]; await call_tool("w.write", { has: "a" in row });`,
  ),
  "a default that is worked out": run(
    `${source} let text = ""; const { part = (text = "none") } = answer as any; await call_tool("w.write", { text, part: 1 });`,
  ),
  "a part that is looked at where there is one": run(
    `${source} let text = ""; (answer as any).part?.[(text = "some")]; await call_tool("w.write", { text });`,
  ),
  "whether something is thrown": run(
    `${source} let same = false; try { if (answer.text !== "a") throw 1; same = true; } catch {} await call_tool("w.write", { same });`,
  ),
  "whether a text can be parsed": run(
    `${source} const good = ((text: string) => { try { JSON.parse(text); return true; } catch { return false; } })(answer.text); await call_tool("w.write", { good });`,
  ),
  "whether a helper throws": run(
    `${source} const list: number[] = []; const demand = () => { answer.part.name; list.push(1); }; try { demand(); } catch {} await call_tool("w.write", { list });`,
  ),
  "where a match ended": run(
    `${source} const letters = /a*/g; letters.test(answer.text); await call_tool("w.write", { end: letters.lastIndex });`,
  ),
  "a promise's executor": run(
    `${source} const text = await new Promise((done) => { done(answer.text); }); await call_tool("w.write", { text });`,
  ),
};

let skills: ReadonlyMap<string, Skill>;
let flows: ReadonlyMap<string, readonly ComposedFlow[]>;
const slug = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

beforeAll(async () => {
  const codes = [
    ...Object.entries({ ...READERS, ...WRITERS }),
    ...Object.entries(PAIRS).map(([name, { body }]) => [slug(name), run(body)] as const),
    ...Object.entries(APART).map(([name, body]) => [`apart-${slug(name)}`, run(body)] as const),
    ...Object.entries(WAYS).map(([name, code]) => [`way-${slug(name)}`, code] as const),
  ];
  const compiled = await compiler.compile([
    ...[
      "note-save",
      "csv-records",
      "text-stats",
      "showcase/web-research/web-search",
      "showcase/web-research/pdf-save",
    ].map(bundled),
    ...codes.map(([name, code]) => skillFolder(name, code)),
  ]);
  const faults = compiled.diagnostics.filter(({ severity }) => severity === "error");
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  skills = new Map(compiled.skills.map((skill) => [skill.name, skill]));
  flows = composedFlows(skills, trust);
});

describe("two skills that are harmless alone", () => {
  test("are twelve pairs", () => expect(Object.keys(PAIRS)).toHaveLength(12));

  test.each(Object.entries(PAIRS))(
    "%s: flow where a third composes them",
    (name, { reader, writer, flow }) => {
      expect(flowsOfRun(reader, skills, flows)).toEqual([]);
      expect(flowsOfRun(writer, skills, flows)).toEqual([]);
      const told = flowsOfRun(slug(name), skills, flows);
      expect(told).toContainEqual(expect.objectContaining(flow));
      const path =
        told.find(
          ({ source: from, write, argument }) =>
            from === flow.source && write === flow.write && argument === flow.argument,
        )?.path ?? [];
      expect(path.map(({ skill }) => skill)).toEqual(expect.arrayContaining([reader, slug(name), writer]));
      for (const step of path) expect(step).toMatchObject({ path: skills.get(step.skill)?.sources[0]?.path });
    },
  );

  test.each(Object.keys(APART))("have no flow with %s alone", (name) => {
    expect(flowsOfRun(`apart-${slug(name)}`, skills, flows)).toEqual([]);
  });
});

test("a flow is a path with the place of each step", () => {
  const [flow] = flows.get(slug("news into a note")) ?? [];
  expect(flow?.path.map(({ skill, text, line, column }) => `${skill} ${text} ${line}:${column}`)).toEqual([
    "feed-latest takes what feed.latest answers 3:8",
    "feed-latest gives it back 3:8",
    "news-into-a-note takes what feed-latest gives 3:20",
    "news-into-a-note gives it as `text` to note-save 3:111",
    "note-save gives it as `content` to notes.write_file 21:47",
  ]);
});

test.each(Object.keys(WAYS))("%s hides no flow", (name) => {
  const told = flowsOfRun(`way-${slug(name)}`, skills, flows);
  expect(told).toContainEqual(
    expect.objectContaining({ source: "feed.latest", write: expect.stringMatching(/^(?:w\.write|\?)$/) }),
  );
});

test("a choice and what was not followed are told apart from a text that goes there", () => {
  const kind = (name: string): string | undefined => flowsOfRun(name, skills, flows)[0]?.kind;
  expect(kind(slug("news into a note"))).toBe("value");
  expect(kind(slug("a choice by a search"))).toBe("choice");
  expect(kind("way-a-switch")).toBe("choice");
  expect(kind("way-a-name-that-only-running-tells")).toBe("unfollowed");
});

describe("the graph", () => {
  const drawn = (name: string) => {
    const some = new Set(["feed-latest", "note-save", name]);
    return skillGraph(
      [...skills.values()].filter((skill) => some.has(skill.name)),
      flowsOfRun(name, skills, flows),
    );
  };
  const composed = slug("news into a note");
  const apart = `apart-${slug("constants")}`;

  test("marks the edges that a flow takes", () => {
    const marked = drawn(composed).edges.filter(({ isUntrusted }) => isUntrusted);
    expect(marked.map(({ from, to }) => [from, to])).toEqual([
      ["feed-latest", "feed.latest"],
      [composed, "feed-latest"],
      [composed, "note-save"],
      ["note-save", "notes.write_file"],
    ]);
    expect(drawn(apart).edges.some(({ isUntrusted }) => isUntrusted)).toBe(false);
  });

  test.each([
    ["text", async (name: string) => asciiGraph(drawn(name)), "! what untrusted tools answer"],
    ["Mermaid", async (name: string) => mermaidGraph(drawn(name)), "linkStyle 0,1,2,3 stroke:#8250df"],
    ["DOT", async (name: string) => dotGraph(drawn(name)), 'color="#8250df"'],
    ["JSON", async (name: string) => graphJson(drawn(name)), '"isUntrusted": true'],
    ["SVG", async (name: string) => svgGraph(drawn(name)), "untrusted answers into writes"],
  ])("shows them as %s", async (_, draw, mark) => {
    expect(await draw(composed)).toContain(mark);
    expect(await draw(apart)).not.toContain(mark);
  });
});
