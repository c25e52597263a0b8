import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { postgresStore } from "../../src/trace/store/postgres/postgres-store.ts";
import type { StoreOptions, TraceStore } from "../../src/trace/trace-store.ts";
import { documentedQueries } from "./documented-queries.ts";
import { postgresServer, type PostgresServer } from "./postgres-server.ts";
import { type Ground, storeContract, value } from "./store-contract.ts";
import { call, part, run } from "./traces.ts";

const server = postgresServer();
afterAll(() => server?.remove());

describe.skipIf(server === undefined)("PostgreSQL, where it is installed", () => {
  storeContract("PostgreSQL", async () => postgresGround(running().database()));

  documentedQueries("postgres", async () => postgresGround(running().database()));

  describe("a store in PostgreSQL", () => {
    test("a server that goes away is a failure that passes; the store works again when it is back", async () => {
      const store = opened(running().database());
      await value(store.record([run("a", ["x"])]));
      running().stop();
      expect(await store.record([run("b", ["x"])])).toMatchObject({
        ok: false,
        error: { code: "STORE_UNAVAILABLE", details: { passes: true } },
      });
      expect(await store.runs()).toMatchObject({ ok: false, error: { code: "STORE_UNAVAILABLE" } });
      running().start();
      expect(await value(store.record([run("b", ["x"])]))).toEqual(new Map([["b", 1]]));
      expect((await value(store.runs())).runs).toHaveLength(2);
      await store.close();
    });

    test("writers do not wait for each other's summaries", async () => {
      const connection = running().database();
      const store = opened(connection);
      await value(store.record([run("a", ["x", "y"])]));
      await value(store.usage());
      const other = new pg.Client({ connectionString: connection });
      await other.connect();
      await other.query("begin");
      for (const table of ["usage", "durations", "patterns"])
        await other.query(`select * from ${table} for update`);
      expect(await value(store.record([run("b", ["x", "y"])]))).toEqual(new Map([["b", 2]]));
      await other.query("rollback");
      await other.end();
      expect(await value(store.usage())).toMatchObject([{ calls: 2 }, { calls: 2 }]);
      await store.close();
    });

    test("many stores make a new database and write to it at once", async () => {
      const connection = running().database();
      const stores = Array.from({ length: 4 }, () => opened(connection));
      await Promise.all(
        stores.flatMap((store, which) =>
          Array.from({ length: 20 }, async (_, index) =>
            value(
              store.record([
                part(
                  `r${which}-${index}`,
                  ["a", "b", "c"].map((tool, order) =>
                    call(`r${which}-${index}`, order, tool, { inputs: "z".repeat(5000) }),
                  ),
                  { sessionId: `s${index % 2}` },
                ),
              ]),
            ),
          ),
        ),
      );
      const [first] = stores;
      expect(first && (await value(first.usage())).map(({ calls }) => calls)).toEqual([80, 80, 80]);
      expect(first && (await value(first.chains({ length: 2, limit: 2 })))).toMatchObject([
        { count: 80 },
        { count: 80 },
      ]);
      await Promise.all(stores.map(async (store) => store.close()));
    });
  });
});

function running(): PostgresServer {
  if (server === undefined) throw new Error("PostgreSQL is not installed here");
  return server;
}

function postgresGround(connection: string): Ground {
  const client = async <Value>(use: (client: pg.Client) => Promise<Value>): Promise<Value> => {
    const connected = new pg.Client({ connectionString: connection, types: AS_SHOWN });
    await connected.connect();
    try {
      return await use(connected);
    } finally {
      await connected.end();
    }
  };
  const rows = async (sql: string): Promise<readonly object[]> =>
    client(async (connected) => (await connected.query<object>(sql)).rows);
  return {
    open: (options) => opened(connection, options),
    summaries: async () => {
      const store = opened(connection);
      await value(store.usage());
      await store.close();
      return [
        await rows("select * from usage order by kind, name, digest, day"),
        await rows("select * from durations order by kind, name, digest, day, bucket"),
        await rows("select * from patterns order by kind, pattern"),
      ];
    },
    backToFirstVersion: async () => {
      await rows("drop table usage, durations, patterns, summary_changes");
      await rows("alter table runs drop column lost");
      await rows("alter table runs drop column client");
      for (const column of ["caller", "result_size", "fault", "retry_of"])
        await rows(`alter table execution_events drop column ${column}`);
      const asText = (column: string): string =>
        `alter column ${column} type text collate "C" using
          regexp_replace(${column}::text, '^\\{"\\[payload\\]":"([0-9a-f]{64})"\\}$', '@\\1')`;
      const columns = ["inputs", "outputs", "meta", "imports"];
      await rows(`alter table execution_events ${columns.map(asText).join(", ")}`);
      await rows(`alter table files ${asText("content")}`);
      await rows("update schema_version set version = 1");
    },
    sql: rows,
    payloads: async () =>
      (await rows("select refs::int, bytes::int, length(content) as stored from payloads")) as Awaited<
        ReturnType<Ground["payloads"]>
      >,
    stored: async () => {
      const tables = ["runs", "execution_events", "files", "search_texts", "usage", "patterns"];
      return JSON.stringify(await Promise.all(tables.map(async (table) => rows(`select * from ${table}`))));
    },
    remove: async () => {},
  };
}

/** JSON as its text, counts as numbers. */
const AS_SHOWN = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    SHOWN_AS.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};
const SHOWN_AS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.JSON, String],
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.NUMERIC, Number],
]);

function opened(connection: string, options: StoreOptions = {}): TraceStore {
  const store = postgresStore(connection, options);
  if (!store.ok) throw new Error(store.error.message);
  return store.value;
}
