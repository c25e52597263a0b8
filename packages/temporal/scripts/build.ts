// Makes dist of src: the code without its types, and what runs in Temporal's sandbox as one file.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger } from "@temporalio/worker";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const WORKFLOW = "workflow.ts";

rmSync(`${root}dist`, { recursive: true, force: true });
mkdirSync(`${root}dist`);
for (const file of readdirSync(`${root}src`)) {
  if (file === WORKFLOW) continue;
  const { outputText } = ts.transpileModule(readFileSync(`${root}src/${file}`, "utf8"), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  writeFileSync(`${root}dist/${file.replace(/\.ts$/, ".js")}`, outputText);
}
const { code } = await bundleWorkflowCode({
  workflowsPath: `${root}src/${WORKFLOW}`,
  logger: new DefaultLogger("WARN"),
});
writeFileSync(`${root}dist/workflow-bundle.js`, code);
