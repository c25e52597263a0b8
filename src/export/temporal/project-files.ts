import { literal } from "../../learn/codegen/literal.ts";
import { skillsOf, toolsOf } from "../../learn/plan/steps.ts";
import type { ExportedSkill, ToolAccess } from "../engine-adapter.ts";
import { caseValues, NO_SERVER, unplayedText, sampleInput, toolsText } from "../export-files.ts";
import { NODE_CHECK } from "../langgraph-js/graph-files.ts";
import { brokenLiteral } from "../langgraph-js/graph.ts";
import { callsOf, workflowName } from "./workflow-modules.ts";

const SDK = "1.24.0";

/** What the modules take, as it was tried. */
export function projectPackage({ name, work }: ExportedSkill): string {
  const sdk = ["activity", "client", "common", "worker", "workflow"].map((part) => [
    `@temporalio/${part}`,
    SDK,
  ]);
  const text = JSON.stringify(
    {
      name,
      version: "1.0.0",
      private: true,
      type: "module",
      engines: { node: ">=22.18" },
      scripts: {
        preworker: NODE_CHECK,
        worker: "node worker.ts",
        start: "node start.ts",
        pretest: NODE_CHECK,
        test: "node --test skill.test.ts",
        check: "tsc",
      },
      dependencies: {
        "@modelcontextprotocol/client": "2.4.0",
        ...Object.fromEntries(sdk),
        ...(work.kind === "plan" ? { ajv: "8.20.0", "ajv-formats": "3.0.1" } : {}),
      },
      devDependencies: { "@types/node": "24.19.2", typescript: "6.0.3" },
    },
    null,
    2,
  );
  return `${text}\n`;
}

const CONNECTION = `const address = process.env["TEMPORAL_ADDRESS"] ?? "127.0.0.1:7233";
const namespace = process.env["TEMPORAL_NAMESPACE"] ?? "default";`;

export function workerModule({ name }: ExportedSkill): string {
  return `// Works on runs of the queue ${literal(name)} until it is stopped.
import { fileURLToPath } from "node:url";
import { NativeConnection, Worker } from "@temporalio/worker";
import * as activities from "./activities.ts";

${CONNECTION}
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue: ${literal(name)},
  workflowsPath: fileURLToPath(new URL("workflows.ts", import.meta.url)),
  activities,
  // A run whose worker has died goes on elsewhere after so long.
  stickyQueueScheduleToStartTimeout: "1s",
});
await worker.run();
await connection.close();
`;
}

export function startModule(skill: ExportedSkill): string {
  const { name } = skill;
  const { isWriting } = callsOf(skill);
  const args = isWriting
    ? '[JSON.parse(input), { confirms: process.argv.includes("--confirm") }]'
    : "[JSON.parse(input)]";
  return `// Starts a run, \`node start.ts '<input>' [id]\`${isWriting ? ", in which with `--confirm` a person agrees to each call that may write" : ""}, and prints how it has ended.
import { randomUUID } from "node:crypto";
import { Client, Connection, WorkflowFailedError } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import type * as workflows from "./workflows.ts";

${CONNECTION}
const [input = "{}", workflowId = ${literal(`${name}-`)} + randomUUID()] = process.argv.slice(2).filter((each) => each !== "--confirm");
const connection = await Connection.connect({ address });
const client = new Client({ connection, namespace });
const run = await client.workflow.start<typeof workflows.${workflowName(skill)}>(${literal(workflowName(skill))}, {
  workflowId,
  taskQueue: ${literal(name)},
  args: ${args},
});
console.error(\`The run is \${workflowId}\`);
try {
  console.log(JSON.stringify({ output: await run.result() }));
} catch (error) {
  const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure)) throw error;
  console.log(JSON.stringify({ error: cause.type, message: cause.message }));
  process.exitCode = 1;
}
await connection.close();
`;
}

/** The skill's cases against its code, whose calls are answered with what they tell. */
export function projectTests(skill: ExportedSkill): string {
  const { name, work } = skill;
  if (work.kind === "call")
    return `// The skill's cases: \`npm test\` runs them against the server at REPERTOIRE_URL.${unplayedText(skill)}
import assert from "node:assert/strict";
import { test } from "node:test";
import { runSkill } from "./tools.ts";
import { SkillError } from "./values.ts";

const CASES: any[] = ${brokenLiteral(caseValues(skill))};

if (!process.env["REPERTOIRE_URL"]) test("the cases", { skip: ${literal(NO_SERVER)} });
else
  for (const { name, input, expected } of CASES)
    test(name, async () => {
      assert.deepEqual(await ended(input, expected), expected);
    });

async function ended(input: any, expected: any): Promise<any> {
  try {
    return { output: await runSkill(${literal(name)}, input) };
${CAUGHT}`;
  const { steps } = work.plan;
  const calls = [
    ...(toolsOf(steps).length > 0 ? ["call_tool"] : []),
    ...(skillsOf(steps).length > 0 ? ["call_skill"] : []),
  ];
  return `// The skill's cases: \`npm test\` runs them, and reaches no server, neither of tools nor of Temporal.${unplayedText(skill)}
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { INPUT, OUTPUT, run } from "./skill.ts";
import { check } from "./tools.ts";
import { plain, SkillError, ToolError } from "./values.ts";

const CASES: any[] = ${brokenLiteral(caseValues(skill))};

test("the contract takes the example", () => {
  check(${literal(sampleInput(skill))}, INPUT, "INPUT_INVALID");
});

for (const { name, input, expected, tools } of CASES)
  test(name, async () => {
    const answers = [...tools];
    assert.deepEqual(await ended(input, expected, answers), expected);
    assert.deepEqual(answers, [], "is not called");
  });

/** How a run ends, as a case tells it. */
async function ended(input: any, expected: any, answers: any[]): Promise<any> {
  const call = async (tool: string, asked: unknown): Promise<any> => {
    const given = plain(asked);
    const at = answers.findIndex((each) => each.tool === tool && isDeepStrictEqual(each.input ?? given, given));
    assert.notEqual(at, -1, \`\${tool} is called with \${JSON.stringify(given)}\`);
    const [answer] = answers.splice(at, 1);
    if ("error" in answer) throw new ToolError(answer.error);
    return answer.output;
  };
  try {
    const output = await run(check(input, INPUT, "INPUT_INVALID"), { ${calls.map((each) => `${each}: call`).join(", ")} });
    return { output: check(output, OUTPUT, "OUTPUT_INVALID") };
${CAUGHT}`;
}

const CAUGHT = `  } catch (error) {
    if (error instanceof assert.AssertionError || !(error instanceof Error)) throw error;
    const code = error instanceof SkillError ? error.code : "SKILL_THREW";
    const told = "code" in expected ? { code } : {};
    return { ...told, message: error.message.includes(expected.message ?? "") ? expected.message : error.message };
  }
}
`;

export function projectReadme(skill: ExportedSkill, access: ToolAccess): string {
  const { name, work } = skill;
  const workflow = workflowName(skill);
  const { isWriting } = callsOf(skill);
  const hasPlan = work.kind === "plan";
  const writes = `- What may write is called once, with a key (\`repertoire/idempotencyKey\` in \`_meta\`) that a server may heed to do nothing twice. Where nobody answers, as where the worker died, nobody knows what it did: the run waits, and a person says what becomes of it.
- With \`{ "confirms": true }\` as second argument, \`--confirm\` of \`start.ts\`, each such call waits for a person before it is made.
- The query \`waiting\` tells what waits; the signal \`decide\` with \`{"call": 1, "verdict": "make"}\` has it made (again, under the same key), \`{"call": 1, "verdict": "answer", "answer": {…}}\` says what it gave, so that it is not made, and \`{"call": 1, "verdict": "refuse"}\` ends the run with \`RUN_UNAPPROVED\`.
`;
  return `# ${name} as a workflow of Temporal

${hasPlan ? "`skill.ts` is the skill's code, " : "The skill is called where it is served, "}\`workflows.ts\` has it as the workflow \`${workflow}\`, and \`activities.ts\` makes the calls, by \`tools.ts\`. Node runs all of it as it is; the worker bundles the workflow when it starts.

- Each call is an activity. What only reads is called again where nobody answers, four times in all.
${isWriting ? writes : ""}- ${hasPlan ? "Inputs and outputs are held against the skill's contract. " : ""}A failure's type is the code that Repertoire has for it.
- Inputs, arguments and answers stand in the run's history, each up to 2 MB; a run may have about 8,000 calls.
${isWriting ? "- Have a schedule start it at set times, and not cron: its runs would have the same keys.\n" : ""}
## From nothing

Node 22.18 or later, and a server of Temporal (\`temporal server start-dev\`, of [its CLI](https://docs.temporal.io/cli)), found by \`TEMPORAL_ADDRESS\` (127.0.0.1:7233) and \`TEMPORAL_NAMESPACE\` (default):

\`\`\`sh
npm install
npm test
\`\`\`

${toolsText(skill, access)}

\`\`\`sh
npm run worker &
${
  isWriting ? `RUN=${name}-$(date +%s)\n` : ""
}node start.ts '${JSON.stringify(sampleInput(skill)).replaceAll("'", String.raw`'\''`)}'${isWriting ? ' "$RUN" --confirm &' : ""}
\`\`\`
${
  isWriting
    ? `
The run waits before each call that may write. \`RUN\` is its id; another run takes another, since the keys of its calls begin with it. The CLI tells what waits, and has it made:

\`\`\`sh
temporal workflow query --workflow-id "$RUN" --type waiting
temporal workflow signal --workflow-id "$RUN" --name decide --input '{"call": 1, "verdict": "make"}'
\`\`\`
`
    : ""
}`;
}
