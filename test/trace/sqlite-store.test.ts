import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore, type SqliteStoreOptions } from "../../src/trace/store/sqlite/sqlite-store.ts";
import type { TraceStore } from "../../src/trace/trace-store.ts";
import { documentedQueries } from "./documented-queries.ts";
import { type Ground, storeContract } from "./store-contract.ts";

storeContract("SQLite", async () => sqliteGround());
documentedQueries("sqlite", async () => sqliteGround());

function sqliteGround(): Ground {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-store-"));
  const path = join(folder, "data", "traces.db");
  const inFile = <Value>(use: (database: DatabaseSync) => Value): Value => {
    const database = new DatabaseSync(path, { timeout: 5000 });
    try {
      return use(database);
    } finally {
      database.close();
    }
  };
  return {
    open: (options) => opened(path, options),
    summaries: async () =>
      inFile((database) => [
        database.prepare("select * from usage order by kind, name, digest, day").all(),
        database.prepare("select * from durations order by kind, name, digest, day, bucket").all(),
        database.prepare("select * from patterns order by kind, pattern").all(),
      ]),
    backToFirstVersion: async () =>
      inFile((database) =>
        database.exec(
          `drop table usage; drop table durations; drop table patterns; alter table runs drop column lost; alter table runs drop column client;
           ${["caller", "result_size", "fault", "retry_of"].map((column) => `alter table execution_events drop column ${column};`).join("\n")}
           ${["inputs", "outputs", "meta"].map((column) => `update execution_events set ${column} = '@' || substr(${column}, 15, 64) where ${column} like '{"[payload]":%';`).join("\n")}
           update files set content = '@' || substr(content, 15, 64) where content like '{"[payload]":%';
           pragma user_version = 1`,
        ),
      ),
    sql: async (text) => inFile((database) => database.prepare(text).all()),
    payloads: async () =>
      inFile(
        (database) =>
          database
            .prepare("select refs, bytes, length(content) as stored from payloads")
            .all() as unknown as Awaited<ReturnType<Ground["payloads"]>>,
      ),
    stored: async () => {
      inFile((database) => database.exec("pragma wal_checkpoint(truncate)"));
      return readFileSync(path, "latin1");
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function opened(path: string, options: SqliteStoreOptions = {}): TraceStore {
  const store = sqliteStore(path, options);
  if (!store.ok) throw new Error(store.error.message);
  return store.value;
}
