import { Command } from "commander";
import { workflowSchema } from "../../workflow/workflow.ts";
import { examples, printJson } from "../session.ts";

export function schemaCommand(): Command {
  return new Command("schema")
    .description("print the JSON Schema of workflow documents")
    .addHelpText("after", examples("\nExample:\n  $ repertoire schema > workflow.schema.json"))
    .action(() => printJson(workflowSchema()));
}
