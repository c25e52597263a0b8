import type { Json, JsonObject } from "../../../src/core/json/json.ts";

/** Writes the files of a session as Claude Code 2.x does: one of its own, and one for each sub-agent. */
export class ClaudeSession {
  readonly id: string;
  readonly #files = new Map<string, JsonObject[]>();
  #count = 0;

  constructor(id = "5d3c1f60-7f1e-4b0a-9d53-2f4f6f3c9a11") {
    this.id = id;
  }

  /** The files as text, by name: `main`, and each agent's id. */
  get files(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#files].map(([name, lines]) => [
        name,
        lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
      ]),
    );
  }

  /** How often each tool is called in all files, as their text says it. */
  get calls(): readonly string[] {
    return [...this.files.values()].flatMap((text) =>
      [...text.matchAll(/"type":"tool_use","id":"([^"]+)"/g)].map(([, id = ""]) => id),
    );
  }

  user(said: string, file = "main"): string {
    return this.#line(file, { type: "user", message: { role: "user", content: said } });
  }

  says(said: string, file = "main"): string {
    return this.#line(file, this.#answer([{ type: "text", text: said }]));
  }

  /** Calls that are made together; gives their ids. */
  call(calls: readonly { readonly tool: string; readonly input: JsonObject }[], file = "main") {
    const message = `msg_${this.#next()}`;
    return calls.map(({ tool, input }) => {
      const id = `toolu_${this.#next()}`;
      this.#line(file, this.#answer([{ type: "tool_use", id, name: tool, input }], message));
      return id;
    });
  }

  answer(id: string, result: string, structured: Json = { stdout: result, stderr: "" }, file = "main") {
    const content = [{ tool_use_id: id, type: "tool_result", content: result }];
    return this.#line(file, {
      type: "user",
      message: { role: "user", content },
      toolUseResult: structured,
    });
  }

  /** A sub-agent that a call started, which runs a command and answers; its file stands apart. */
  agent(agent: string, prompt: string, command: string): void {
    this.user(prompt, agent);
    const [id = ""] = this.call([{ tool: "Bash", input: { command } }], agent);
    this.answer(id, `ran ${command}`, { stdout: `ran ${command}`, stderr: "" }, agent);
    this.says(`${agent} is done`, agent);
  }

  answerOfAgent(id: string, agent: string, prompt: string, file = "main"): void {
    const content = [{ type: "text", text: `${agent} is done` }];
    const facts = { agentId: agent, totalDurationMs: 900, totalTokens: 120, totalToolUseCount: 1 };
    this.answer(id, `${agent} is done`, { status: "completed", prompt, content, ...facts }, file);
  }

  /** The line after which the next one stands. */
  goBackTo(uuid: string, file = "main"): void {
    this.#parents.set(file, uuid);
  }

  readonly #parents = new Map<string, string>();

  #answer(content: JsonObject[], id = `msg_${this.#next()}`): JsonObject {
    const usage = { input_tokens: 3, cache_read_input_tokens: 10, output_tokens: 5 };
    const message = { model: "claude-sonnet-4-5", id, type: "message", role: "assistant", content, usage };
    return { type: "assistant", message };
  }

  #line(file: string, record: JsonObject): string {
    const uuid = `00000000-0000-4000-8000-${String(this.#next()).padStart(12, "0")}`;
    const lines = this.#files.get(file) ?? [];
    this.#files.set(file, lines);
    lines.push({
      parentUuid: this.#parents.get(file) ?? null,
      isSidechain: file !== "main",
      userType: "external",
      cwd: "/home/dev/shop",
      sessionId: this.id,
      version: "2.1.9",
      gitBranch: "main",
      ...(file === "main" ? {} : { agentId: file }),
      ...record,
      uuid,
      timestamp: new Date(Date.UTC(2026, 0, 5, 10, 0, this.#count)).toISOString(),
    });
    this.#parents.set(file, uuid);
    return uuid;
  }

  #next(): number {
    return ++this.#count;
  }
}

/** A session that starts three agents: two together, of which one starts the third, all told the same but for one. */
export function sessionWithAgents(): ClaudeSession {
  const session = new ClaudeSession();
  session.user("Look at both halves of the shop.");
  const same = "Look at your half.";
  const [first = "", second = ""] = session.call([
    { tool: "Task", input: { description: "a half", prompt: same, subagent_type: "general-purpose" } },
    { tool: "Agent", input: { description: "b half", prompt: same, subagent_type: "general-purpose" } },
  ]);
  session.agent("a1f03c2", same, "ls a");
  session.user(same, "b77e9d4");
  const [third = ""] = session.call([{ tool: "Agent", input: { prompt: "Deeper." } }], "b77e9d4");
  session.agent("c5512aa", "Deeper.", "ls b/c");
  session.answerOfAgent(third, "c5512aa", "Deeper.", "b77e9d4");
  session.says("b77e9d4 is done", "b77e9d4");
  session.answerOfAgent(second, "b77e9d4", same);
  session.answerOfAgent(first, "a1f03c2", same);
  const [last = ""] = session.call([{ tool: "mcp__shop__get_order", input: { id: "W1" } }]);
  session.answer(last, "{}", {});
  session.says("Both halves are fine.");
  return session;
}
