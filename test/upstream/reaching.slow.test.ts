import { join } from "node:path";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { Neighbours, until } from "./upstream-fixtures.ts";

const NOWHERE = { command: join(tmpdir(), "there-is-no-such-command") };

test("only the server that is asked for is reached, and never one that is disabled", async () => {
  await using others = new Neighbours({ one: NOWHERE, two: NOWHERE, off: { ...NOWHERE, disabled: true } });
  expect([...(await others.tools("one")).failures.keys()]).toEqual(["one"]);
  expect(others.healthOf("two").state).toBe("idle");
  expect([...(await others.tools("off")).failures.keys()]).toEqual([]);
  expect([...(await others.tools()).failures.keys()]).toEqual(["one", "two"]);
  expect(others.healthOf("off").state).toBe("disabled");
});

test("a server that cannot be started is left alone for longer each time, up to a limit", async () => {
  const most = 400;
  await using others = new Neighbours({ bad: NOWHERE }, { backOffMs: { first: 50, most } });
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 7; attempt++) {
    await others.tools("bad");
    const { since, retryAt, state } = others.healthOf("bad");
    expect(state).toBe("backing-off");
    pauses.push(Date.parse(retryAt ?? "") - Date.parse(since));
    await until(() => others.healthOf("bad").state === "failed");
  }
  // Each is between half of it and all of it, so that servers do not come back all at once.
  for (const [attempt, pause] of pauses.entries()) {
    const longest = Math.min(most, 50 * 2 ** attempt);
    expect(pause).toBeGreaterThanOrEqual(longest / 2 - 5);
    expect(pause).toBeLessThanOrEqual(longest + 5);
  }
});

test("closing twice is closing once", async () => {
  await using others = new Neighbours({ bad: NOWHERE });
  await others.tools("bad");
  await others.close();
  await others.close();
  const refused = await others.call("bad.any", {});
  expect(refused).toMatchObject({ ok: false, error: { code: "RUNNER_CLOSED" } });
});
