import type {
  AgentTask,
  CodeTask,
  SkillTask,
  ToolTask,
  Workflow,
  WorkflowInput,
  WorkflowOutput,
  WorkflowTask,
} from "../../src/workflow/workflow.ts";

type Written<Task extends WorkflowTask> = Omit<Task, "type">;

export function toolTask(task: Written<ToolTask>): ToolTask {
  return { type: "tool_call_task", ...task };
}

export function codeTask(task: Written<CodeTask>): CodeTask {
  return { type: "code_execution_task", ...task };
}

export function agentTask(task: Written<AgentTask>): AgentTask {
  return { type: "agent_task", ...task };
}

export function skillTask(task: Written<SkillTask>): SkillTask {
  return { type: "skill_task", ...task };
}

interface Parts {
  readonly name?: string;
  readonly inputs?: readonly WorkflowInput[];
  readonly outputs?: readonly WorkflowOutput[];
  readonly workflow?: Omit<Workflow["skill"]["workflow"], "tasks">;
  readonly rest?: Omit<Workflow["skill"], "metadata" | "interface" | "workflow">;
}

export function workflowOf(
  tasks: readonly WorkflowTask[],
  { name = "stock-check", inputs = [], outputs = [], workflow, rest }: Parts = {},
): Workflow {
  return {
    skill_schema_version: "1.0",
    skill: {
      metadata: { name, description: "Looks at what is in stock." },
      interface: { inputs, outputs },
      workflow: { ...workflow, tasks },
      ...rest,
    },
  };
}
