import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import { Workplace } from "./connected-client.ts";
import { servedApp } from "./served-app.ts";

const SKILLS = {
  greet: `export default function greet({ name }: {
  /** Whom to greet @minLength 1 */
  name: string;
}): { text: string } {
  return { text: "Hello, " + name };
}`,
  shout: `export default (text: string): string => text.toUpperCase()`,
  tree: `interface Tree { value: number; children: Tree[] }
export default ({ tree }: { tree: Tree }): { sum: number } => {
  const sumOf = (node: Tree): number => node.value + node.children.reduce((sum, child) => sum + sumOf(child), 0);
  return { sum: sumOf(tree) };
};`,
  outer: `export default async (): Promise<unknown> => call_skill("fails", {})`,
  fails: `export default (): never => { throw new Error("out of paper"); }`,
};

let workplace: Workplace;
let served: Awaited<ReturnType<typeof servedApp>>;
let origin: string;
beforeAll(async () => {
  workplace = await Workplace.create(SKILLS);
  served = await servedApp(workplace);
  ({ origin } = new URL(served.url));
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await workplace[Symbol.asyncDispose]();
});

const JSON_TYPE = { "content-type": "application/json" };

async function call(
  tool: string,
  input: unknown,
  headers: Record<string, string> = JSON_TYPE,
): Promise<{ readonly status: number; readonly type: string | null; readonly body: unknown }> {
  const body = typeof input === "string" ? input : JSON.stringify(input);
  const answer = await fetch(`${origin}/tools/${tool}`, { method: "POST", headers, body });
  return { status: answer.status, type: answer.headers.get("content-type"), body: await answer.json() };
}

test("a tool is called with its input as JSON, and gives its output", async () => {
  expect(await call("greet", { name: "Ada" })).toEqual({
    status: 200,
    type: "application/json",
    body: { text: "Hello, Ada" },
  });
  expect((await call("shout", { input: "hey" })).body).toEqual({ result: "HEY" });
  expect((await call("run_skill", { name: "greet", input: { name: "Bo" } })).body).toEqual({
    text: "Hello, Bo",
  });
});

test("who prefers it so is given an output that is no object as it is", async () => {
  const prefer = { ...JSON_TYPE, prefer: "respond-async, unwrapped" };
  expect((await call("shout", { input: "hey" }, prefer)).body).toBe("HEY");
  expect((await call("greet", { name: "Ada" }, prefer)).body).toEqual({ text: "Hello, Ada" });
  expect((await call("run_skill", { name: "shout", input: "hey" }, prefer)).body).toBe("HEY");
  expect((await call("greet", { name: "" }, prefer)).status).toBe(400);
});

test.each([
  ["greet", { name: "" }, 400, "INPUT_INVALID"],
  ["greet", [], 400, "INPUT_INVALID"],
  ["greet", "{", 400, "REQUEST_INVALID"],
  ["greeet", {}, 404, "TOOL_NOT_FOUND"],
  ["%2e%2e%2fmcp", {}, 404, "TOOL_NOT_FOUND"],
  ["outer", {}, 500, "SKILL_THREW"],
  ["run_skill", { name: "nobody", input: {} }, 404, "SKILL_NOT_FOUND"],
])("%s given %j is refused with %i %s, as a problem", async (tool, input, status, code) => {
  const refused = await call(tool, input);
  expect({ ...refused, body: (refused.body as JsonObject)["code"] }).toEqual({
    status,
    type: "application/problem+json",
    body: code,
  });
  const { title, detail } = refused.body as JsonObject;
  expect(detail).toMatch(/\w/);
  // It is asked for a tool of this server, whoever has it.
  expect(title).not.toContain("upstream");
});

test("a problem tells in which skill and at which call", async () => {
  expect((await call("outer", {})).body).toMatchObject({ skill: "fails", callPath: "0.0" });
});

test("only JSON is taken, only as POST, and from no other origin", async () => {
  const text = await call("greet", { name: "Ada" }, { "content-type": "text/plain" });
  expect(text).toMatchObject({ status: 415, body: { title: "Unsupported Media Type" } });
  const got = await fetch(`${origin}/tools/greet`);
  expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
  expect(await got.json()).toEqual({
    title: "Method Not Allowed",
    code: "REQUEST_INVALID",
    status: 405,
    detail: "/tools/greet is asked with POST",
  });
  expect(
    (await fetch(`${origin}/openapi.json`, { method: "POST", headers: JSON_TYPE, body: "{}" })).status,
  ).toBe(405);
});

test.each<[path: string, headers: Record<string, string>, status: number, detail: string]>([
  ["/openapi.json", { origin: "https://evil.example" }, 403, "evil.example"],
  ["/elsewhere", { origin: "https://evil.example" }, 403, "evil.example"],
  ["/elsewhere", {}, 404, "/openapi.json"],
])("what is asked at %s with %j is refused with %i, as a problem", async (path, headers, status, detail) => {
  const refused = await fetch(`${origin}${path}`, { headers });
  expect([refused.status, refused.headers.get("content-type")]).toEqual([status, "application/problem+json"]);
  expect(await refused.json()).toMatchObject({
    code: "REQUEST_INVALID",
    status,
    detail: expect.stringContaining(detail),
  });
});

test("requests with one trace id are one session", async () => {
  const traced = (digit: number): Record<string, string> => ({
    ...JSON_TYPE,
    traceparent: `00-4bf92f3577b34da6a3ce929d0e0e473${digit}-00f067aa0ba902b7-01`,
  });
  await call("greet", { name: "Cy" }, traced(6));
  await expect
    .poll(async () => (await call("list_runs", {}, traced(6))).body, { timeout: 15_000 })
    .toMatchObject({
      runs: [{ name: "greet" }],
    });
  expect((await call("list_runs", {}, traced(7))).body).toMatchObject({ runs: [] });
});

test("openapi.json describes each tool, and its schemas stand by themselves", async () => {
  const document = (await (await fetch(`${origin}/openapi.json`)).json()) as JsonObject;
  expect(document["openapi"]).toBe("3.1.1");
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  const paths = Object.keys(document["paths"] as JsonObject);
  expect(paths).toEqual(expect.arrayContaining(["/tools/greet", "/tools/tree", "/tools/run_skill"]));
  const references = [...referencesIn(document)];
  expect(references.filter((to) => valueAt(document, to) === undefined)).toEqual([]);
  expect(references).toContain("#/components/schemas/tree.input.Tree");

  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(document, "openapi");
  const takes = ajv.getSchema("openapi#/components/schemas/tree.input");
  const leaf = { value: 1, children: [] };
  expect(takes?.({ tree: { value: 1, children: [leaf] } })).toBe(true);
  expect(takes?.({ tree: { value: 1, children: [{ ...leaf, value: "1" }] } })).toBe(false);
});

test("the agent card tells what the server can do, and where", async () => {
  const card = (await (await fetch(`${origin}/.well-known/agent-card.json`)).json()) as JsonObject;
  expect(card["supportedInterfaces"]).toMatchObject([{ url: served.url, protocolBinding: "MCP" }, {}]);
  expect(card["skills"]).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: "greet", tags: ["reads"] })]),
  );
});

function* referencesIn(value: Json): Generator<string> {
  if (Array.isArray(value)) for (const each of value as readonly Json[]) yield* referencesIn(each);
  else if (isJsonObject(value))
    for (const [key, each] of Object.entries(value)) {
      if (key === "$ref" && typeof each === "string") yield each;
      else yield* referencesIn(each);
    }
}

function valueAt(document: Json, pointer: string): Json | undefined {
  let at: Json | undefined = document;
  for (const key of pointer.slice(2).split("/")) at = isJsonObject(at) ? at[key] : undefined;
  return at;
}
