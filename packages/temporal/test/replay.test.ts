import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporal } from "@temporalio/proto";
import { DefaultLogger, Runtime, Worker } from "@temporalio/worker";
import { beforeAll, describe, expect, test } from "vitest";
import { hasServer } from "./temporal-server.ts";
import { testOnServer } from "./test-on-server.ts";

const HISTORIES = join(import.meta.dirname, "histories");
const codePath = join(import.meta.dirname, "../dist/workflow-bundle.js");
const testThere = testOnServer(["--dynamic-config-value", "limit.historyCount.suggestContinueAsNew=40"]);

beforeAll(() => Runtime.install({ logger: new DefaultLogger("ERROR") }));

const { History } = temporal.api.history.v1;
type Recorded = temporal.api.history.v1.IHistory;

const replayed = async (name: string, history: Recorded): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle: { codePath } }, history, name);

describe("histories that were recorded before: runs that are at work survive another version of this package", () => {
  test.each(readdirSync(HISTORIES))("%s", async (file) => {
    const history = History.decode(readFileSync(join(HISTORIES, file)));
    await expect(replayed(file, history)).resolves.toBeUndefined();
    const scheduled = history.events.find((event) => event.activityTaskScheduledEventAttributes);
    const type = scheduled?.activityTaskScheduledEventAttributes?.activityType;
    if (!type) throw new Error("It has no activity");
    type.name = "another";
    await expect(replayed(file, history)).rejects.toThrow(/determinis|nondeterminis/i);
  });
});

/** Without the machine on which it was recorded. */
function nameless(history: Recorded): Recorded {
  for (const event of history.events ?? [])
    for (const attributes of Object.values(event) as readonly unknown[])
      if (typeof attributes === "object" && attributes !== null && "identity" in attributes)
        attributes.identity = "";
  return history;
}

describe.runIf(hasServer)("histories of now", () => {
  testThere("replay; with RECORD=1 they are kept", async ({ place }) => {
    const texts = Array.from({ length: 12 }, (_, index) => `text ${index}`);
    await place.start("put-all", { texts: texts.slice(0, 3) }, "one-after-another");
    await place.start("put-together", { texts: texts.slice(0, 6), width: 3 }, "side-by-side");
    await place.start("put-all", { texts }, "gone-on");
    await place.start("wait-and-put", { ms: 50 }, "waited");
    await place.start("pay-once", { text: "rent" }, "decided", { confirms: true });
    await place.command("runs", "resume", "decided");
    await place.command("runs", "approve", "decided", "--call", "0.0");
    const ids = ["one-after-another", "side-by-side", "gone-on", "waited", "decided"];
    await Promise.all(ids.map(async (id) => place.client.workflow.result(id)));
    for (const id of ids) {
      const history = await place.client.workflow.getHandle(id).fetchHistory();
      await expect(replayed(id, history)).resolves.toBeUndefined();
      if (process.env["RECORD"] === undefined) continue;
      mkdirSync(HISTORIES, { recursive: true });
      writeFileSync(join(HISTORIES, `${id}.binpb`), History.encode(nameless(history)).finish());
    }
  });
});
