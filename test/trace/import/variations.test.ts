import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { type Call, callsOf, imported } from "./imported.ts";

// The same kinds of transcript with any words, ids, values and order of answers, written as each source does it.

interface ScriptCall {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Undefined: nobody answered. */
  readonly result: Json | undefined;
  readonly isFailed: boolean;
}

interface Script {
  readonly task: string;
  /** What the model asked for at a time, answered in the order of `answers`. */
  readonly turns: readonly { readonly calls: readonly ScriptCall[]; readonly answers: readonly number[] }[];
}

const word = fc.stringMatching(/^[a-zäöé]{2,9}$/);
const value: fc.Arbitrary<Json> = fc.oneof(
  word,
  fc.integer({ min: -5000, max: 5000 }),
  fc.boolean(),
  fc.array(word, { maxLength: 3 }),
  fc.constantFrom(null, 0.5, 'a "quoted" text', "it's", "line\nbreak", "C:\\path", "€ 12"),
);
const record = fc.dictionary(fc.stringMatching(/^[a-z]{3,7}_id|[a-z]{3,9}$/), value, {
  minKeys: 1,
  maxKeys: 3,
});
const call = fc
  .record({
    tool: fc.stringMatching(/^[a-z]{3,7}_[a-z]{3,8}$/),
    args: record,
    outcome: fc.oneof(
      { weight: 5, arbitrary: record.map((result): Json => ({ row: result })) },
      {
        weight: 2,
        arbitrary: fc.array(word, { minLength: 3, maxLength: 5 }).map((words): Json => words.join(" ")),
      },
      { weight: 1, arbitrary: fc.array(record, { maxLength: 3 }).map((rows): Json => ({ rows })) },
    ),
    isFailed: fc.boolean(),
    id: fc.uuid(),
  })
  .map(({ id, tool, args, outcome, isFailed }): ScriptCall => {
    const result = isFailed ? `Error: ${tool} said no` : outcome;
    return { id, tool, args, result, isFailed };
  });
const script: fc.Arbitrary<Script> = fc
  .record({
    task: fc.array(word, { minLength: 3, maxLength: 6 }).map((words) => words.join(" ")),
    turns: fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
    seed: fc.integer({ min: 0, max: 5 }),
    isLastOpen: fc.boolean(),
  })
  .map(({ task, turns, seed, isLastOpen }) => ({
    task,
    turns: turns.map((calls, turn) => {
      const isOpen = isLastOpen && turn === turns.length - 1;
      const order = calls.map((_, index) => index);
      const answers = seed % 2 === 0 ? order.toReversed() : order;
      return {
        calls: calls.map((each, index) =>
          isOpen && index === 0 ? { ...each, result: undefined, isFailed: false } : each,
        ),
        answers: isOpen ? answers.filter((index) => index !== 0) : answers,
      };
    }),
  }));

const textOf = (result: Json | undefined): string =>
  typeof result === "string" ? result : JSON.stringify(result ?? null);

/** What a model is told, turn by turn, in the words of one source. */
interface Words {
  readonly user: (said: string) => JsonObject;
  readonly asked: (calls: readonly ScriptCall[]) => readonly JsonObject[];
  readonly answered: (call: ScriptCall) => JsonObject;
}

function conversation({ task, turns }: Script, { user, asked, answered }: Words): JsonObject[] {
  return [
    user(task),
    ...turns.flatMap(({ calls, answers }) => [
      ...asked(calls),
      ...answers.flatMap((index) => (calls[index] ? [answered(calls[index])] : [])),
    ]),
  ];
}

const CHAT: Words = {
  user: (content) => ({ role: "user", content }),
  asked: (calls) => [
    {
      role: "assistant",
      content: null,
      tool_calls: calls.map(({ id, tool, args }) => ({
        id,
        type: "function",
        function: { name: tool, arguments: JSON.stringify(args) },
      })),
    },
  ],
  answered: ({ id, result }) => ({ role: "tool", tool_call_id: id, content: textOf(result) }),
};

const mcp = (result: Json | undefined, isError: boolean): string =>
  JSON.stringify({
    meta: null,
    content: [{ type: "text", text: textOf(result), annotations: null }],
    isError,
  });

const RESPONSES: Words = {
  user: (content) => ({ role: "user", content }),
  asked: (calls) =>
    calls.map(({ id, tool, args }) => ({
      type: "function_call",
      call_id: id,
      name: tool,
      arguments: JSON.stringify(args),
    })),
  answered: ({ id, result, isFailed }) => ({
    type: "function_call_output",
    call_id: id,
    output: JSON.stringify({ type: "text", text: mcp(result, isFailed), annotations: null, meta: null }),
  }),
};

const LANGCHAIN: Words = {
  user: (content) => ({ type: "human", data: { content, type: "human" } }),
  asked: (calls) => [
    {
      type: "ai",
      data: {
        content: "",
        type: "ai",
        tool_calls: calls.map(({ id, tool, args }) => ({ id, name: tool, args, type: "tool_call" })),
      },
    },
  ],
  answered: ({ id, tool, result, isFailed }) => ({
    type: "tool",
    data: {
      content: textOf(result),
      type: "tool",
      name: tool,
      tool_call_id: id,
      status: isFailed ? "error" : "success",
    },
  }),
};

const SDK: Words = {
  user: (content) => ({ role: "user", content: [{ type: "text", text: content }] }),
  asked: (calls) => [
    {
      role: "assistant",
      content: calls.map(({ id, tool, args }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: tool,
        input: args,
      })),
    },
  ],
  answered: ({ id, tool, result, isFailed }) => ({
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: id,
        toolName: tool,
        output: {
          type: isFailed ? "error-text" : typeof result === "string" ? "text" : "json",
          value: result ?? null,
        },
      },
    ],
  }),
};

const SWE: Words = {
  user: (content) => ({ role: "user", content, agent: "main", message_type: "observation" }),
  asked: (calls) => CHAT.asked(calls).map((message) => Object.assign({}, message, { agent: "main" })),
  answered: ({ id, result }) => ({
    role: "tool",
    content: `OBSERVATION:\n${textOf(result)}`,
    agent: "main",
    tool_call_ids: [id],
  }),
};

type Attributes = Readonly<Record<string, string | number>>;

function span(
  nth: number,
  trace: string,
  parent: string,
  name: string,
  attributes: Attributes,
  isFailed = false,
): JsonObject {
  return {
    traceId: trace,
    spanId: `span-${nth}`,
    parentSpanId: parent,
    name,
    startTimeUnixNano: `${1767607200 + nth}000000000`,
    endTimeUnixNano: `${1767607200 + nth}500000000`,
    status: isFailed ? { code: 2, message: "failed" } : {},
    attributes: Object.entries(attributes).map(([key, each]) => ({
      key,
      value: typeof each === "number" ? { intValue: String(each) } : { stringValue: each },
    })),
  };
}

/** Messages as OpenInference's attributes. */
function inference(prefix: string, messages: readonly JsonObject[]): Attributes {
  const flat: Record<string, string> = {};
  messages.forEach((message, at) => {
    const put = (name: string, each: unknown): void => {
      if (typeof each === "string") flat[`${prefix}.${at}.message.${name}`] = each;
    };
    for (const name of ["role", "content", "tool_call_id"]) put(name, message[name]);
    const calls = (message["tool_calls"] ?? []) as readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
    calls.forEach((made, index) => {
      put(`tool_calls.${index}.tool_call.id`, made.id);
      put(`tool_calls.${index}.tool_call.function.name`, made.function.name);
      put(`tool_calls.${index}.tool_call.function.arguments`, made.function.arguments);
    });
  });
  return flat;
}

/** A model's span for each turn, and one for its last words. */
function modelSpans(
  told: Script,
  attributesOf: (given: JsonObject[], answer: JsonObject) => Attributes,
  oneTrace: boolean,
): JsonObject[] {
  return [...told.turns, undefined].map((turn, nth) => {
    const before = conversation({ ...told, turns: told.turns.slice(0, nth) }, CHAT);
    const [answer = {}] = turn ? CHAT.asked(turn.calls) : [{ role: "assistant", content: "Done." }];
    const trace = oneTrace ? "t" : `t-${nth}`;
    return span(nth * 10, trace, oneTrace ? "root" : "", "chat", attributesOf(before, answer));
  });
}

const openInference = (given: JsonObject[], answer: JsonObject): Attributes => ({
  "openinference.span.kind": "LLM",
  ...inference("llm.input_messages", given),
  ...inference("llm.output_messages", [answer]),
});

/** As the conventions of OpenTelemetry have messages: parts of several types. */
function partsOf(message: JsonObject): JsonObject {
  const calls = (message["tool_calls"] ?? []) as readonly {
    id: string;
    function: { name: string; arguments: string };
  }[];
  const parts: Json[] =
    message["role"] === "tool"
      ? [
          {
            type: "tool_call_response",
            id: message["tool_call_id"] ?? null,
            response: message["content"] ?? null,
          },
        ]
      : [
          ...(typeof message["content"] === "string" ? [{ type: "text", content: message["content"] }] : []),
          ...calls.map((made) => ({
            type: "tool_call",
            id: made.id,
            name: made.function.name,
            arguments: JSON.parse(made.function.arguments) as Json,
          })),
        ];
  return { role: message["role"] ?? null, parts };
}

const semantic = (given: JsonObject[], answer: JsonObject): Attributes => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.input.messages": JSON.stringify(given.map(partsOf)),
  "gen_ai.output.messages": JSON.stringify([partsOf(answer)]),
});

/** A span for each call, which ran in the order of the answers. */
function toolSpans(
  { turns }: Script,
  attributesOf: (call: ScriptCall) => Attributes,
  inOrder: boolean,
): JsonObject[] {
  return turns.flatMap(({ calls, answers }, turn) =>
    (inOrder ? calls.map((_, index) => index) : answers).flatMap((index, nth) => {
      const made = calls[index];
      return made
        ? [span(turn * 10 + nth + 1, "t", "root", made.tool, attributesOf(made), made.isFailed)]
        : [];
    }),
  );
}

const told = (name: string, { result }: ScriptCall): Attributes =>
  result === undefined ? {} : { [name]: JSON.stringify(result) };

const shapes: readonly (readonly [string, (script: Script) => unknown])[] = [
  ["Chat Completions", (told) => ({ messages: conversation(told, CHAT) })],
  ["tau-bench", (told) => [{ task_id: 1, reward: 1, info: {}, traj: conversation(told, CHAT), trial: 0 }]],
  ["Responses with dumps of MCP results", (told) => conversation(told, RESPONSES)],
  ["LangChain", (told) => conversation(told, LANGCHAIN)],
  ["the AI SDK", (told) => conversation(told, SDK)],
  ["SWE-agent", (told) => ({ history: conversation(told, SWE), trajectory: [], info: {} })],
  ["OpenInference, models only", (told) => ({ spans: modelSpans(told, openInference, true) })],
  [
    "OpenInference, models only, a trace for each",
    (told) => ({ spans: modelSpans(told, openInference, false) }),
  ],
  ["OpenInference, newest first", (told) => ({ spans: modelSpans(told, openInference, false).toReversed() })],
  ["OpenTelemetry, models only", (told) => ({ spans: modelSpans(told, semantic, true) })],
  [
    "OpenInference of LangGraph",
    (script) => ({
      spans: [
        ...modelSpans(script, openInference, true),
        ...toolSpans(
          script,
          (each) => {
            const [only, ...others] = Object.values(each.args);
            const message = { content: textOf(each.result), type: "tool", tool_call_id: each.id };
            return {
              "openinference.span.kind": "TOOL",
              "tool.name": each.tool,
              "input.value":
                others.length === 0 && typeof only === "string" ? only : JSON.stringify(each.args),
              ...(each.result === undefined
                ? {}
                : { "output.value": JSON.stringify({ type: "tool", data: message }) }),
            };
          },
          true,
        ),
      ],
    }),
  ],
  [
    "spans of the AI SDK",
    (script) => ({
      spans: toolSpans(
        script,
        (each) => ({
          "ai.operationId": "ai.toolCall",
          "ai.toolCall.name": each.tool,
          "ai.toolCall.id": each.id,
          "ai.toolCall.args": JSON.stringify(each.args),
          ...told("ai.toolCall.result", each),
        }),
        true,
      ),
    }),
  ],
  [
    "spans of Langfuse",
    (script) => ({
      spans: toolSpans(
        script,
        (each) => ({
          "langfuse.observation.type": "tool",
          "langfuse.observation.input": JSON.stringify({ args: [], kwargs: each.args }),
          ...told("langfuse.observation.output", each),
        }),
        true,
      ),
    }),
  ],
  [
    "the Agents SDK",
    ({ turns }) => ({
      data: turns.flatMap(({ calls }, turn) =>
        calls.map(({ tool, args, result, isFailed }, nth) => ({
          object: "trace.span",
          id: `span_${turn}_${nth}`,
          trace_id: "trace_1",
          parent_id: null,
          started_at: new Date(1767607200000 + turn * 10_000 + nth * 1000).toISOString(),
          ended_at: new Date(1767607200500 + turn * 10_000 + nth * 1000).toISOString(),
          span_data: {
            type: "function",
            name: tool,
            input: JSON.stringify(args),
            output: result === undefined ? null : textOf(result),
          },
          error: isFailed ? { message: "Error running tool (non-fatal)", data: { tool_name: tool } } : null,
        })),
      ),
    }),
  ],
];

test("the same conversation that was had again, with the same ids, is another one", async () => {
  const made = (result: Json): ScriptCall => ({
    id: "call_0",
    tool: "get_row",
    args: { n: 1 },
    result,
    isFailed: false,
  });
  const had = (nth: number): JsonObject[] =>
    modelSpans(
      { task: "Look.", turns: [{ calls: [made({ nth })], answers: [0] }] },
      openInference,
      false,
    ).map((each) => Object.assign(each, { traceId: `run-${nth}-${JSON.stringify(each["traceId"])}` }));
  const { traces } = await imported(JSON.stringify({ spans: [...had(1), ...had(2)] }));
  expect(traces.map((trace) => callsOf(trace).map(({ result }) => result))).toEqual([
    [{ nth: 1 }],
    [{ nth: 2 }],
  ]);
});

test.each(shapes)("whatever is done, it is read as it was done from %s", async (_, write) => {
  expect.hasAssertions();
  await fc.assert(
    fc.asyncProperty(script, async (each) => {
      const { traces } = await imported(JSON.stringify(write(each)));
      const expected = each.turns.flatMap(({ calls }) =>
        calls.map(({ tool, args, result, isFailed }): Call => ({ tool, args, result, failed: isFailed })),
      );
      expect(traces.flatMap(callsOf)).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});
