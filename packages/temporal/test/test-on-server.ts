import { test } from "vitest";
import { type TemporalServer, temporalServer } from "./temporal-server.ts";
import { Workplace } from "./workplace.ts";

interface OnServer {
  readonly server: TemporalServer;
  /** One worker works there. */
  readonly place: Workplace;
}

/** Tests of a file that share a server, which is started with the options, and a workplace. */
export function testOnServer(options: readonly string[] = []) {
  return test.extend<OnServer>({
    server: [
      // oxlint-disable-next-line no-empty-pattern
      async ({}, use) => {
        const server = await temporalServer(options);
        await use(server);
        await server.close();
      },
      { scope: "file" },
    ],
    place: [
      async ({ server }, use) => {
        const place = await Workplace.open(server.address);
        await place.worker();
        await use(place);
        await place.close();
      },
      { scope: "file" },
    ],
  });
}
