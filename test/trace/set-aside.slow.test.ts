import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/trace/store/open-store.ts";
import { value } from "./store-contract.ts";
import { run } from "./traces.ts";

const BROKEN: readonly (readonly [name: string, make: (path: string) => Promise<void> | void])[] = [
  ["random bytes", (path) => writeFileSync(path, randomBytes(50_000))],
  ["a text", (path) => writeFileSync(path, "This is no database. ".repeat(1000))],
  ["a folder", (path) => void mkdirSync(join(path, "x"), { recursive: true })],
  [
    "another database",
    (path) => inFile(path, "create table customers (id integer); pragma user_version = 1"),
  ],
  ["another database without a version", (path) => inFile(path, "create table customers (id integer)")],
  [
    "a store that was cut off",
    async (path) => {
      const store = openStore(path);
      for (let index = 0; index < 40; index++) await value(store.record([run(`old-${index}`, ["a", "b"])]));
      await store.close();
      inFile(path, "pragma wal_checkpoint(truncate)");
      truncateSync(path, 20_000);
    },
  ],
];

test.each(BROKEN)("a store that is %s is set aside, and recording goes on in a new one", async (_, make) => {
  const { folder, path } = place();
  await make(path);
  const notices: string[] = [];
  const store = openStore(path, { onNotice: (notice) => notices.push(notice) });
  // What breaks while it is read is found by the first who comes upon it.
  await store.record([run("first", ["a"])]);
  await store.runs();
  expect(await store.record([run("second", ["a"])])).toMatchObject({ ok: true });
  expect((await value(store.runs())).runs.map(({ runId }) => runId)).toContain("second");
  await store.close();
  const aside = readdirSync(folder).filter((name) => /^traces\.db\.unreadable-\d{8}T\d{6}Z$/.test(name));
  expect(aside).toHaveLength(1);
  expect(notices).toEqual([expect.stringContaining(`is set aside as ${aside[0]}, and a new one is begun`)]);
});

test("a store that is locked, newer or kept from us stays where it is", async () => {
  const { folder, path } = place();
  const first = openStore(path);
  await value(first.record([run("kept", ["a"])]));
  await first.close();
  const lock = new DatabaseSync(path);
  lock.exec("begin exclusive");
  const refused = await fails(path);
  expect(refused).toMatch(/locked/);
  lock.exec("rollback; pragma user_version = 99");
  lock.close();
  expect(await fails(path)).toMatch(/newer/);
  inFile(path, "pragma user_version = 1");
  if (process.getuid?.() !== 0) {
    chmodSync(path, 0o000);
    expect(await fails(path)).toMatch(/permission is denied/);
    chmodSync(path, 0o600);
  }
  expect(readdirSync(folder).filter((name) => name.includes("unreadable"))).toEqual([]);
});

test("a folder that bears no database's name is not moved", async () => {
  const { folder } = place();
  const path = join(folder, "home");
  mkdirSync(path);
  expect(await fails(path)).toContain(`${path}: it is a folder`);
  expect(existsSync(path)).toBe(true);
});

test("of several that find the same broken store one sets it aside, and none moves the new one", async () => {
  const { folder, path } = place();
  writeFileSync(path, randomBytes(30_000));
  const bytes = readFileSync(path);
  const stores = Array.from({ length: 4 }, () => openStore(path, { onNotice: () => {} }));
  for (let index = 0; index < 3; index++)
    await Promise.all(stores.map(async (store, nth) => store.record([run(`r${nth}`, ["a"])])));
  const runs = (await value(openedBy(stores).runs())).runs.map(({ runId }) => runId);
  expect(runs.toSorted()).toEqual(["r0", "r1", "r2", "r3"]);
  await Promise.all(stores.map(async (store) => store.close()));
  const aside = readdirSync(folder).filter((name) => name.includes("unreadable"));
  expect(aside).toHaveLength(1);
  expect(readFileSync(join(folder, aside[0] ?? ""))).toEqual(bytes);
});

function openedBy<Store>([first]: readonly Store[]): Store {
  if (first === undefined) throw new Error("There is no store");
  return first;
}

async function fails(path: string): Promise<string> {
  const store = openStore(path, { onNotice: () => {} });
  const result = await store.record([run("refused", ["a"])]);
  await store.close();
  return result.ok ? "" : result.error.message;
}

function place(): { readonly folder: string; readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-aside-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, "traces.db") };
}

function inFile(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}
