// Records run after run and tells each that is acknowledged; ended from outside, at any moment, or after so many runs.
import { writeSync } from "node:fs";
import { sqliteStore } from "../../src/trace/store/sqlite/sqlite-store.ts";
import { call, file, part } from "./traces.ts";

const [path = "", name = "", most = "1000000", lanes = "4"] = process.argv.slice(2);
const opened = sqliteStore(path);
if (!opened.ok) throw new Error(opened.error.message);
const store = opened.value;
let next = 0;
async function lane(): Promise<void> {
  while (next < Number(most)) {
    const id = `${name}-${next++}`;
    const events = Array.from({ length: 10 }, (_, order) =>
      call(id, order, `tool-${order % 4}`, { inputs: `${id} ${"x".repeat(order * 700)}` }),
    );
    const result = await store.record([
      part(id, events, {
        task: `task of ${name}`,
        sessionId: name,
        files: [file(id, `${id}-9`, `${id}.md`, "y")],
      }),
    ]);
    if (!result.ok) throw new Error(result.error.message);
    writeSync(1, `${id}\n`);
  }
}
await Promise.all(Array.from({ length: Number(lanes) }, lane));
await store.close();
