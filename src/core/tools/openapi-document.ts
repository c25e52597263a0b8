import type { Tool } from "@modelcontextprotocol/server";
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import type { JsonSchema } from "../json/json-schema.ts";
import { mappedSchema } from "../json/mapped-schema.ts";

/** The tools as OpenAPI 3.1: an operation each, whose schemas and their definitions are components. */
export function openApiDocument(
  { name, version }: { readonly name: string; readonly version: string },
  tools: readonly Tool[],
): JsonObject {
  const schemas: Record<string, Json> = { Problem: PROBLEM };
  const paths: Record<string, Json> = {};
  for (const tool of tools) {
    const input = component(schemas, `${tool.name}.input`, tool.inputSchema as JsonSchema);
    const output = component(
      schemas,
      `${tool.name}.output`,
      (tool.outputSchema as JsonSchema | undefined) ?? {},
    );
    paths[`/tools/${tool.name}`] = {
      post: {
        operationId: tool.name,
        ...(tool.title === undefined ? {} : { summary: tool.title }),
        ...(tool.description === undefined ? {} : { description: tool.description }),
        ...(tool.annotations === undefined
          ? {}
          : { "x-mcp-annotations": { ...tool.annotations } as JsonObject }),
        requestBody: { required: true, content: { "application/json": { schema: input } } },
        responses: {
          "200": { description: "Its output", content: { "application/json": { schema: output } } },
          default: {
            description: "Why it failed",
            content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
          },
        },
      },
    };
  }
  return {
    openapi: "3.1.1",
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    info: { title: name, version },
    servers: [{ url: "/" }],
    paths,
    components: { schemas },
  };
}

const PROBLEM: JsonObject = {
  type: "object",
  properties: {
    title: { type: "string", description: "What the code, or else the status, means" },
    code: { type: "string", description: "Of the table of refusals" },
    status: { type: "integer" },
    detail: { type: "string", description: "What went wrong, and how to mend it" },
    skill: { type: "string", description: "In which skill" },
    callPath: { type: "string", description: "At which call of the run" },
  },
  required: ["status", "detail"],
};

/** Adds a schema to the components, its own definitions beside it, and gives the reference to it. */
function component(schemas: Record<string, Json>, name: string, schema: JsonSchema): JsonObject {
  const { $defs: definitions, $schema: _dialect, ...root } = schema;
  const inner = new Map<string, string>();
  if (isJsonObject(definitions))
    for (const key of Object.keys(definitions))
      inner.set(`#/$defs/${key}`, freeName(schemas, `${name}.${key.replaceAll(/[^\w.-]/g, "_")}`));
  const reference = (to: string): string => {
    if (to === "#") return `#/components/schemas/${name}`;
    const own = inner.get(to);
    return own === undefined ? to : `#/components/schemas/${own}`;
  };
  schemas[name] = withReferences(root, reference);
  if (isJsonObject(definitions))
    for (const [key, definition] of Object.entries(definitions))
      schemas[inner.get(`#/$defs/${key}`) ?? key] = withReferences(definition, reference);
  return { $ref: `#/components/schemas/${name}` };
}

/** Reserves a name that no other schema has. */
function freeName(schemas: Record<string, Json>, wanted: string): string {
  let name = wanted;
  for (let next = 2; Object.hasOwn(schemas, name); next++) name = `${wanted}-${next}`;
  schemas[name] = {};
  return name;
}

function withReferences(schema: Json, reference: (to: string) => string): Json {
  return mappedSchema(schema, (each) =>
    typeof each["$ref"] === "string" ? { ...each, $ref: reference(each["$ref"]) } : each,
  );
}
