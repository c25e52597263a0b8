// The import of transcripts: beside JSON.parse alone, line by line, over the same bytes.
import { fileURLToPath } from "node:url";
import { importTraces } from "../src/trace/import/import-traces.ts";
import { keeps, type Measurement, measured } from "./measurement.ts";

const MB = 1_000_000;
const SIZE = 100 * MB;
const CHUNK = 1 << 16;
const GOAL = 30;

export async function importMeasurements(): Promise<readonly Measurement[]> {
  const report: Measurement[] = [];
  for (const [name, lines] of [
    ["Claude Code sessions", sessionLines],
    ["OpenAI conversations", conversationLines],
  ] as const) {
    const bytes = generated(lines);
    const floor = parsedPerSecond(bytes);
    const own = await importedPerSecond(bytes);
    report.push(
      keeps(
        measured(`import of 100 MB of ${name}`, own, "MB/s", "JSON.parse line by line", floor),
        `>= ${GOAL} MB/s`,
        ({ value }) => value >= GOAL,
      ),
    );
  }
  return report;
}

function generated(lines: (index: number) => string): Buffer {
  const bytes = Buffer.alloc(SIZE + MB);
  let size = 0;
  for (let index = 0; size < SIZE; index++) size += bytes.write(lines(index), size);
  return bytes.subarray(0, size);
}

function parsedPerSecond(bytes: Buffer): number {
  const before = process.cpuUsage();
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    JSON.parse(bytes.toString("utf8", start, end));
    start = end + 1;
  }
  return perSecond(bytes.length, before);
}

async function importedPerSecond(bytes: Buffer): Promise<number> {
  const before = process.cpuUsage();
  let calls = 0;
  for await (const item of importTraces(chunks(bytes))) {
    if (item.kind === "skipped") throw new Error(item.message);
    calls += item.trace.events.length;
  }
  if (calls === 0) throw new Error("nothing was imported");
  return perSecond(bytes.length, before);
}

function* chunks(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += CHUNK) yield bytes.subarray(start, start + CHUNK);
}

// Of the processor's time, so that what else runs on the machine does not count. The threads of the garbage collector do.
function perSecond(size: number, before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return size / (user + system);
}

const TEXT = "The total of the orders of the first week of January, by day and by shop. ";

/** 40 calls a session: each a line that makes it and one that answers it. */
function sessionLines(index: number): string {
  const session = Math.floor(index / 80);
  const line = index % 80;
  const isAnswer = line % 2 === 1;
  const content = isAnswer
    ? [{ tool_use_id: `toolu_${session}_${line - 1}`, type: "tool_result", content: answer(index) }]
    : [
        { type: "text", text: TEXT },
        {
          type: "tool_use",
          id: `toolu_${session}_${line}`,
          name: "Bash",
          input: { command: `cat orders/${index}.csv` },
        },
      ];
  return `${JSON.stringify({
    parentUuid: line === 0 ? null : `${session}-${line - 1}`,
    isSidechain: false,
    userType: "external",
    cwd: "/home/dev/shop",
    sessionId: `session-${session}`,
    version: "2.1.9",
    gitBranch: "main",
    type: isAnswer ? "user" : "assistant",
    message: isAnswer
      ? { role: "user", content }
      : {
          id: `msg_${index}`,
          type: "message",
          role: "assistant",
          content,
          usage: { input_tokens: 5, output_tokens: 50 },
        },
    uuid: `${session}-${line}`,
    timestamp: new Date(1_767_607_200_000 + index * 1000).toISOString(),
    ...(isAnswer
      ? { toolUseResult: { stdout: answer(index), stderr: "", interrupted: false, isImage: false } }
      : {}),
  })}\n`;
}

/** 5 calls a conversation, a conversation a line. */
function conversationLines(index: number): string {
  const calls = Array.from({ length: 5 }, (_, call) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: `call_${call}`,
          type: "function",
          function: { name: "get_orders", arguments: `{"day":${call},"shop":"s${index}"}` },
        },
      ],
    },
    { role: "tool", tool_call_id: `call_${call}`, content: answer(index + call) },
  ]);
  return `${JSON.stringify({ messages: [{ role: "user", content: TEXT }, ...calls.flat(), { role: "assistant", content: TEXT }] })}\n`;
}

function answer(index: number): string {
  return JSON.stringify({
    orders: Array.from({ length: 8 }, (_, order) => ({
      id: `#W${index * 8 + order}`,
      total: order * 1.5,
      note: TEXT,
    })),
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { name, value, unit, versus, ratio } of await importMeasurements())
    console.log(`${name}: ${value} ${unit}, ${ratio}x ${versus}`);
}
