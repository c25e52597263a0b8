import type { Workflow, WorkflowTask } from "./workflow.ts";

/** A document in words, for those who read a skill instead of running it: what it does, task by task. */
export function workflowText({ skill }: Workflow): string {
  const { metadata, workflow, interface: { inputs = [], outputs = [] } = {} } = skill;
  const named = (
    fields: readonly { readonly name: string; readonly description?: string | undefined }[],
  ): string =>
    fields.map(({ name, description }) => `- \`${name}\`${description ? `: ${description}` : ""}`).join("\n");
  return [
    `# ${metadata.name}`,
    metadata.description,
    ...(inputs.length > 0 ? ["## Inputs", named(inputs)] : []),
    "## Tasks",
    workflow.tasks.map((task, index) => `${index + 1}. ${taskText(task)}`).join("\n"),
    ...(outputs.length > 0 ? ["## Outputs", named(outputs)] : []),
  ].join("\n\n");
}

function taskText(task: WorkflowTask): string {
  const after = task.dependencies ?? [];
  const said = task.description ?? task.name;
  return [
    `\`${task.task_id}\` (${workText(task)})`,
    ...(said === undefined ? [] : [`: ${said}`]),
    ...(after.length === 0 ? [] : [`, after ${after.map((id) => `\`${id}\``).join(", ")}`]),
  ].join("");
}

function workText(task: WorkflowTask): string {
  switch (task.type) {
    case "tool_call_task":
      return `calls ${task.tools?.map(({ name }) => `\`${name}\``).join(", ") ?? "a tool"}`;
    case "code_execution_task":
      return task.code === undefined && task.file === undefined ? "code that a model does" : "code";
    case "agent_task":
      return task.role === undefined ? "a model" : `a model as ${task.role}`;
    case "skill_task":
      return `runs the skill \`${task.skill}\``;
  }
}
