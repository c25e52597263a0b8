import { literal } from "../../learn/codegen/literal.ts";
import { nodeProgram } from "../execution/node-program.ts";
import type { EngineProgram, ExportedSkill, ToolAccess } from "../engine-adapter.ts";
import { caseValues, NO_SERVER, secretsOf, unplayedText, sampleInput, toolsText } from "../export-files.ts";
import { brokenLiteral } from "./graph.ts";

const DEPENDENCIES = {
  "@langchain/core": "1.4.0",
  "@langchain/langgraph": "1.7.3",
  "@modelcontextprotocol/client": "2.4.0",
};
const OF_PLANS = { ajv: "8.20.0", "ajv-formats": "3.0.1" };
const ZOD = { zod: "4.6.7" };

/** How the graph is run once, where all that is asked is agreed to: who serves the tools has asked. */
export const PROGRAM: EngineProgram = {
  language: "node",
  requirements: Object.entries({ ...DEPENDENCIES, ...OF_PLANS, ...ZOD }).map((each) => each.join("@")),
  text: (skill) =>
    nodeProgram({
      requirements: PROGRAM.requirements,
      run: `const SECRETS = ${JSON.stringify(secretsOf(skill).map(({ name }) => name))};

async function loaded() {
  const { Command, MemorySaver } = await import("@langchain/langgraph");
  const { graph } = await import("./graph.ts");
  const app = graph.compile({ checkpointer: new MemorySaver() });
  return async (given: any): Promise<unknown> => {
    const context: any = {};
    for (const name of SECRETS)
      if (name in given) {
        context[name] = given[name];
        delete given[name];
      }
    const how: any = { configurable: { thread_id: "run" }, recursionLimit: 10_000, context };
    let state: any = await app.invoke({ given }, how);
    while ("__interrupt__" in state) state = await app.invoke(new Command({ resume: true }), how);
    return state.result;
  };
}`,
    }),
};

/** Says so where this Node does not run TypeScript as it is. */
export const NODE_CHECK = `node -e "if (process.versions.node.localeCompare('22.18', 'en', { numeric: true }) < 0) { console.error('This takes Node 22.18 or later, and runs on ' + process.version); process.exit(1); }"`;

/** What the modules take, as it was tried. */
export function packageText({ work }: ExportedSkill): string {
  const text = JSON.stringify(
    {
      private: true,
      type: "module",
      engines: { node: ">=22.18" },
      scripts: { pretest: NODE_CHECK, test: "node --test graph.test.ts", check: "tsc" },
      dependencies: {
        ...DEPENDENCIES,
        ...(work.kind === "plan" ? OF_PLANS : {}),
        ...ZOD,
      },
      devDependencies: { "@types/node": "24.19.2", typescript: "6.0.3" },
    },
    null,
    2,
  );
  return `${text}\n`;
}

export const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      target: "es2024",
      module: "nodenext",
      types: ["node"],
      strict: true,
      noImplicitAny: false,
      noEmit: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
    },
    include: ["*.ts"],
  },
  null,
  2,
)}\n`;

/** The skill's cases against the graph, whose calls are answered with what they tell. */
export function testModule(skill: ExportedSkill): string {
  const isServed = skill.work.kind === "call";
  const secrets = secretsOf(skill).map(({ name }) => name);
  const tools = isServed ? "" : ", tools";
  const answered = `    const answers = [...tools];
    mock.method(client, "call", async (tool: string, given: unknown) => {
      const at = answers.findIndex((each) => each.tool === tool && isDeepStrictEqual(each.input ?? given, given));
      assert.notEqual(at, -1, \`\${tool} is called with \${JSON.stringify(given)}\`);
      const [answer] = answers.splice(at, 1);
      if ("error" in answer) throw new ToolError(answer.error);
      return answer.output;
    });
`;
  return `// The skill's cases: \`npm test\`${isServed ? " runs them against the server at REPERTOIRE_URL" : " runs them, and reaches no server"}.${unplayedText(skill)}
import assert from "node:assert/strict";
import { ${isServed ? "" : "mock, "}test } from "node:test";
${isServed ? "" : 'import { isDeepStrictEqual } from "node:util";\n'}import { Command, MemorySaver } from "@langchain/langgraph";
import { graph } from "./graph.ts";
import { ${isServed ? "SkillError" : "client, SkillError, ToolError"} } from "./tools.ts";

const CASES: any[] = ${brokenLiteral(caseValues(skill))};

test("the graph compiles", () => {
  graph.compile({ checkpointer: new MemorySaver() });
});

${isServed ? `if (!process.env["REPERTOIRE_URL"]) test("the cases", { skip: ${literal(NO_SERVER)} });\nelse\n  ` : ""}for (const { name, input, expected${tools} } of CASES)
${
  isServed
    ? `    test(name, async () => {
      assert.deepEqual(await ended(input, expected), expected);
    });`
    : `  test(name, async () => {
${answered}    assert.deepEqual(await ended(input, expected), expected);
    assert.deepEqual(answers, [], "is not called");
  });`
}

/** How a run ends in which a person agrees to everything, as a case tells it. */
async function ended(input: any, expected: any): Promise<any> {
  const app = graph.compile({ checkpointer: new MemorySaver() });
${
  secrets.length === 0
    ? `  const thread = { configurable: { thread_id: "case" } };
  const given = input;
`
    : `  const { ${secrets.join(", ")}, ...given } = input;
  const thread = { configurable: { thread_id: "case" }, context: { ${secrets.join(", ")} } };
`
}  try {
    let state: any = await app.invoke({ given }, thread);
    while ("__interrupt__" in state) state = await app.invoke(new Command({ resume: true }), thread);
    return { output: state.result };
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    if (error.cause instanceof assert.AssertionError) throw error.cause;
    const told = "code" in expected ? { code: error.code } : {};
    return { ...told, message: error.message.includes(expected.message ?? "") ? expected.message : error.message };
  }
}
`;
}

export function readmeText(skill: ExportedSkill, access: ToolAccess): string {
  const secrets = secretsOf(skill);
  const context =
    secrets.length > 0
      ? `,\n  context: { ${secrets.map(({ name }) => `${name}: process.env["..."] ?? ""`).join(", ")} }`
      : "";
  return `# ${skill.name} as a LangGraph graph

\`graph.ts\` has the skill as \`graph\`, a \`StateGraph\` that is not compiled: the checkpointer is yours. ${skill.work.kind === "plan" ? "Each step is a node, in the order of the skill's steps." : "The skill is one node, which calls it where it is served."} \`tools.ts\` calls the tools. Node runs both as they are; nothing is built.

- Before each call that may write the graph stops with an \`interrupt\` of \`{ tool, arguments }\`. \`new Command({ resume: true })\` goes on; anything else ends the run with \`RUN_UNAPPROVED\`.
- Calls that only read are made again where nobody answers. Calls that may write are not.
- The calls of a node that writes are tasks: what came of each is kept by the checkpointer, and not done again when the node begins again. After a crash between a call and its checkpoint the call is repeated with the same key (\`repertoire/idempotencyKey\` in \`_meta\`), which a server that heeds it recognises. Invoke with \`durability: "sync"\`.
- What fails throws \`SkillError\`, whose \`code\` is the one that Repertoire has for it.
${secrets.length > 0 ? "- Credentials are given as the graph's context, which no checkpointer keeps, each time it is invoked.\n" : ""}
## From nothing

Node 22.18 or later:

\`\`\`sh
npm install
npm install @langchain/langgraph-checkpoint-postgres@1.0.5
npm test
\`\`\`

${toolsText(skill, access)}

\`\`\`ts
import { createInterface } from "node:readline/promises";
import { Command } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { graph } from "./graph.ts";

const checkpointer = PostgresSaver.fromConnString(process.env["DATABASE_URL"] ?? "postgres://localhost/runs");
await checkpointer.setup();
const app = graph.compile({ checkpointer });
const how = {
  configurable: { thread_id: "1" },
  durability: "sync" as const${context},
};
const terminal = createInterface({ input: process.stdin, output: process.stdout });
let state: any = await app.invoke({ given: ${literal(sampleInput(skill))} }, how);
while ("__interrupt__" in state) {
  const answer = await terminal.question(\`\${JSON.stringify(state.__interrupt__[0].value)}: go on? \`);
  state = await app.invoke(new Command({ resume: answer === "yes" }), how);
}
console.log(state.result);
terminal.close();
await checkpointer.end();
\`\`\`

Without a database, \`new MemorySaver()\` of \`@langchain/langgraph\` stands in the place of \`PostgresSaver\`, and what is kept is gone when the process ends.
`;
}
