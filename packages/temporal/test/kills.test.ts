import { describe, expect, onTestFinished } from "vitest";
import { ended, hasServer, type TemporalServer } from "./temporal-server.ts";
import { testOnServer } from "./test-on-server.ts";
import { Workplace } from "./workplace.ts";

const test = testOnServer();
const TEXTS = Array.from({ length: 8 }, (_, index) => `text ${index}`);

describe.runIf(hasServer)("workers that are killed", () => {
  const placeWith = async (server: TemporalServer, answerMs: number): Promise<Workplace> => {
    const place = await Workplace.open(server.address, { answerMs });
    onTestFinished(async () => place.close());
    return place;
  };

  test("what was applied and not answered is made again under its key, by the next worker", async ({
    server,
  }) => {
    const place = await placeWith(server, 300);
    const first = await place.worker();
    await place.start("put-all", { texts: TEXTS }, "killed");
    await place.applied(3);
    await ended(first, "SIGKILL");
    const second = await place.worker();
    const result = (await place.client.workflow.result("killed")) as { put: number };
    expect(result.put).toBe(TEXTS.length);
    expect(place.of("applied").map(({ text }) => text)).toEqual(TEXTS);
    expect(place.of("recognised")).toEqual([
      expect.objectContaining({ text: "text 2", key: "killed/0.5", pid: second.pid }),
    ]);
  });

  test("of two workers that share runs one is killed: the other ends them, and every write is applied once", async ({
    server,
  }) => {
    const place = await placeWith(server, 150);
    const [first, second] = [await place.worker(), await place.worker()];
    const ids = [0, 1, 2, 3].map((each) => `shared-${each}`);
    await Promise.all(ids.map(async (id) => place.start("put-all", { texts: TEXTS }, id)));
    await place.applied(10);
    await ended(first, "SIGKILL");
    await Promise.all(ids.map(async (id) => place.client.workflow.result(id)));
    expect(place.of("applied")).toHaveLength(ids.length * TEXTS.length);
    expect(new Set(place.of("applied").map(({ key }) => key)).size).toBe(ids.length * TEXTS.length);
    // Both have worked while both were there.
    const before = place.of("applied").slice(0, 10);
    expect(new Set(before.map(({ pid }) => pid))).toEqual(new Set([first.pid, second.pid]));
  });

  test("a write that nothing recognises is made once: the run waits, and a person says what becomes of it", async ({
    server,
  }) => {
    const place = await placeWith(server, 1500);
    const first = await place.worker();
    await place.start("pay-once", { text: "rent" }, "uncertain");
    await place.applied(1);
    await ended(first, "SIGKILL");
    await place.worker();
    const { stdout } = await place.command("runs", "resume", "uncertain", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      root: { outcome: { error: { code: "WRITE_UNCERTAIN", details: { waiting: [{ callPath: "0.0" }] } } } },
    });
    expect(place.of("applied")).toHaveLength(1);
    const decided = await place.command(
      ...["runs", "approve", "uncertain", "--call", "0.0", "--skip", '{"done": true, "text": "by hand"}'],
    );
    expect(decided).toMatchObject({ code: 0, stdout: expect.stringContaining("by hand") });
    expect(place.of("applied")).toHaveLength(1);
  });
});
