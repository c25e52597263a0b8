import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasPostgres, TemporalOnPostgres } from "./temporal-on-postgres.ts";
import { ended } from "./temporal-server.ts";
import { Workplace } from "./workplace.ts";

const TEXTS = Array.from({ length: 8 }, (_, index) => `text ${index}`);

describe.runIf(hasPostgres)("a server whose state is in PostgreSQL", () => {
  test(
    "is killed and started again: its runs end, and every write is applied once; so they do when a worker dies",
    { timeout: 300_000 },
    async () => {
      const server = await TemporalOnPostgres.open();
      onTestFinished(async () => server.close());
      const place = await Workplace.open(server.address, { answerMs: 300 });
      onTestFinished(async () => place.close());
      const [first] = [await place.worker(), await place.worker()];
      const put = async (id: string): Promise<number> => {
        for (;;) {
          try {
            return ((await place.client.workflow.result(id)) as { put: number }).put;
          } catch (error) {
            // Whoever waits for a result asks again while the server is away.
            if (!(error instanceof Error) || !/unavailable|connect|deadline/i.test(String(error.cause)))
              throw error;
            await wait(300);
          }
        }
      };
      await place.start("put-all", { texts: TEXTS }, "server-killed");
      await place.applied(3);
      await server.kill();
      const killedAt = Date.now();
      await wait(1500);
      server.start();
      expect(await put("server-killed")).toBe(TEXTS.length);
      console.log(`The server was killed; the run ended ${Date.now() - killedAt} ms after that`);
      expect(place.of("applied").map(({ text }) => text)).toEqual(TEXTS);

      const ids = [0, 1, 2, 3].map((each) => `worker-killed-${each}`);
      await Promise.all(ids.map(async (id) => place.start("put-all", { texts: TEXTS }, id)));
      await place.applied(TEXTS.length + 8);
      await ended(first, "SIGKILL");
      const diedAt = Date.now();
      expect(await Promise.all(ids.map(put))).toEqual(ids.map(() => TEXTS.length));
      console.log(`One of two workers was killed; all runs ended ${Date.now() - diedAt} ms after that`);
      expect(place.of("applied")).toHaveLength(TEXTS.length * 5);
    },
  );
});
