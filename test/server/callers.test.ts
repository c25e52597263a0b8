import { expect, onTestFinished, test, vi } from "vitest";
import { Runner } from "../../src/runner/runner.ts";
import { Workplace } from "./connected-client.ts";
import { legacySession, modernCall, servedApp } from "./served-app.ts";

test("a run is its session's, and without a session its socket's, whatever the request says of itself", async () => {
  await using workplace = await Workplace.create({ double: `export default ({ n }) => n * 2;` });
  await using served = await servedApp(workplace);
  const { url } = served;
  const run = vi.spyOn(Runner.prototype, "run");
  onTestFinished(() => run.mockRestore());
  const callers = (): readonly (string | undefined)[] => {
    const seen = run.mock.calls.map(([, , , options]) => options?.caller);
    run.mockClear();
    return seen;
  };

  const [one, other] = await Promise.all([legacySession(url), legacySession(url)]);
  for (const session of [one, one, other])
    await session("tools/call", { name: "double", arguments: { n: 1 } });
  const [first, again, second] = callers();
  expect(first).toBeTruthy();
  expect([again === first, second === first]).toEqual([true, false]);

  const meta = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
  await Promise.all([1, 2].map(async (n) => modernCall(url, "double", { n }, { meta })));
  const sockets = callers();
  expect(sockets).toEqual([
    expect.stringMatching(/^127\.0\.0\.1 \d+$/),
    expect.stringMatching(/^127\.0\.0\.1 \d+$/),
  ]);
  expect(new Set(sockets).size).toBe(2);
});
