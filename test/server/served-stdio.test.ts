import { once } from "node:events";
import { PassThrough } from "node:stream";
import { specTypeSchemas } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { failure } from "../../src/core/error.ts";
import { failureAnswer, outputAnswer } from "../../src/server/tools/tool-answer.ts";
import { ServedStdio } from "../../src/server/transport/served-stdio.ts";

test.each([
  ['{"jsonrpc":"1.0","id":7,"method":"ping"}', [7]],
  ['{"id":"a","method":"ping"}', ["a"]],
  ['{"jsonrpc":"2.0","id":8,"method":"tools/call","params":[]}', [8]],
  ['{"jsonrpc":"2.0","id":9,"method":5}', [9]],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', [null]],
  ['{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}', [null]],
  ['[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]', [1, "b"]],
  ["[]", [null]],
  ["1", [null]],
  ["null", [null]],
  ['"text"', [null]],
  // What has no method may be an answer to such an answer, which would have no end.
  ["{}", []],
  ['{"jsonrpc":"2.0","id":1}', []],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"What?"}}', []],
])("a line that is JSON and no message is answered to whoever waits for an answer: %s", async (line, ids) => {
  const answers = await answersTo(line);
  expect(answers.map(({ id }) => id)).toEqual(ids);
  for (const answer of answers) expect(answer).toMatchObject({ jsonrpc: "2.0", error: { code: -32_600 } });
});

test("a batch is told to be one", async () => {
  const [answer] = await answersTo('[{"jsonrpc":"2.0","id":1,"method":"ping"}]');
  expect(answer?.error.message).toBe("It is a batch: send each message in a line of its own");
});

test.each([
  outputAnswer({ a: 1 }, undefined),
  outputAnswer(1, "result"),
  failureAnswer(failure("SKILL_THREW", "It went wrong", { skill: "a" })),
])("an answer has its members in the order in which the SDK writes them", (answer) => {
  const checked = specTypeSchemas.CallToolResult["~standard"].validate(answer);
  expect(JSON.stringify(checked)).toBe(JSON.stringify({ value: answer }));
});

interface FaultAnswer {
  readonly id: unknown;
  readonly error: { readonly message: string };
}

async function answersTo(line: string): Promise<readonly FaultAnswer[]> {
  const stdin = new PassThrough();
  let written = "";
  const transport = new ServedStdio({
    stdin,
    write: (text, done) => {
      written += text;
      done();
    },
    complain: () => {},
    directCall: () => undefined,
  });
  await transport.start();
  stdin.end(`${line}\n`);
  await once(stdin, "end");
  await transport.ended;
  await transport.close();
  return written
    .split("\n")
    .filter((each) => each !== "")
    .map((each) => JSON.parse(each) as FaultAnswer);
}
