import type { ExportedSkill } from "../engine-adapter.ts";

/** How a document is run, and what it does otherwise than a program. */
export function openWorkflowReadme({ name, work }: ExportedSkill, file: string): string {
  const steps =
    work.kind === "plan"
      ? `- Each step is a task, in the order of the skill's steps. What tasks give is kept in the context, which later expressions use.
- Calls that only read are made again where they fail, twice. Calls that may write are not; each has a key (\`Idempotency-Key\`), which is the same wherever a runtime makes the call of a run again.
- The runtime holds input and output against their schemas. What else ends a run has an error of type \`repertoire://errors/…\`, which ends with the code that Repertoire has for it, or is one of the runtime's: a wrong expression is \`SKILL_THREW\`, and a failed call has Repertoire's problem, with the code, as its details.`
      : `- It is one task, which calls the skill where it is served. What fails has Repertoire's problem, with the code, as its details.`;
  return `# ${name} as an Open Workflow document

\`${file}\` has the skill as a workflow of the Open Workflow Specification (called Serverless Workflow before), DSL 1.0, with expressions in jq.

${steps}

## From nothing

The tools are called over plain HTTP, at the address \`Server\` in the first task: start \`repertoire serve --http 3333\`, or write another address there.${work.kind === "plan" ? ' In its configuration, a server whose tools are called has `"publish": true`.' : ""}

Any runtime of the DSL takes the document. It was tried with the reference runtime, the Java SDK 7.13.4.Final on Java 17, whose packages are \`io.serverlessworkflow:serverlessworkflow-api\`, \`-impl-jackson\` and \`-impl-http\`, with \`com.fasterxml.jackson.core:jackson-annotations:2.21\`, and \`jersey-client\`, \`jersey-hk2\` and \`jersey-media-json-jackson\` 4.0.2 of \`org.glassfish.jersey\`:

\`\`\`java
try (var app = WorkflowApplication.builder().build()) {
  var workflow = app.workflowDefinition(WorkflowReader.readWorkflow(Path.of("${file}")));
  System.out.println(workflow.instance(input).start().get().asJavaObject());
}
\`\`\`
`;
}
