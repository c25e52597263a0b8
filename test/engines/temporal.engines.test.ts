import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { CANCEL, MOVE, TOTAL } from "../export/plans.ts";
import { temporalServer, type TemporalServer } from "./temporal-server.ts";
import { ADA, callTexts, EngineShop, engineModules, GREET, RUNS } from "./engine-shop.ts";

const server = await temporalServer();
const modules = server instanceof Error ? server : await engineModules("temporal");
const isInstalled = !(modules instanceof Error);
if (modules instanceof Error) console.warn(`Temporal is left out: ${modules.message}`);
/** What Temporal's own program says; undefined where it fails. */
const temporal: TemporalServer["told"] = async (...args) =>
  server instanceof Error ? undefined : server.told(...args);
const address = server instanceof Error ? "" : server.address;

const folders = new Map<string, string>();
let here: EngineShop;

beforeAll(async () => {
  if (!isInstalled) return;
  here = await EngineShop.open();
  for (const [skill] of RUNS)
    if (!folders.has(skill)) folders.set(skill, placed(await here.exported(skill, "temporal")));
});
afterAll(async () => {
  if (!(server instanceof Error)) await server[Symbol.asyncDispose]();
  await here?.[Symbol.asyncDispose]();
});

/** An export beside what it takes. */
function placed(folder: string): string {
  symlinkSync(String(modules), join(folder, "node_modules"));
  return folder;
}

const FLAGS = ["--disable-warning=ExperimentalWarning"];

function worker(skill: string, shop: EngineShop): ChildProcess {
  const env = { ...process.env, TEMPORAL_ADDRESS: address, REPERTOIRE_URL: shop.url };
  const child = spawn(process.execPath, [...FLAGS, "worker.ts"], {
    cwd: folders.get(skill),
    env,
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** How a run ends, as its project tells it. */
async function run(skill: string, ...args: readonly string[]): Promise<unknown> {
  const env = { ...process.env, TEMPORAL_ADDRESS: address };
  // A run that fails has the program end with 1.
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, "start.ts", ...args], {
    cwd: folders.get(skill),
    env,
  }).catch((error: unknown) => error as { readonly stdout: string });
  const told: unknown = JSON.parse(stdout);
  const { message: _, ...ended } = told as { readonly message?: string };
  return ended;
}

/** The calls of a run that wait, once there are any. */
async function waiting(id: string): Promise<unknown> {
  for (;;) {
    const text = await temporal("workflow", "query", "-w", id, "--type", "waiting", "-o", "json");
    const { queryResult = [] } = JSON.parse(text ?? "{}") as { queryResult?: readonly unknown[] };
    // It says null for a list that is empty.
    const waits = queryResult.flat().filter((each) => each !== null);
    if (waits.length > 0) return waits;
    await pause(200);
  }
}

async function decide(id: string, decision: object): Promise<void> {
  const input = JSON.stringify(decision);
  await temporal("workflow", "signal", "-w", id, "--name", "decide", "--input", input);
}

test.skipIf(!isInstalled)("skills do the same on Temporal, with the same calls in their order", async () => {
  await using there = await EngineShop.open({ hasSkills: false });
  for (const skill of folders.keys()) worker(skill, there);
  for (const [nth, [skill, given]] of RUNS.entries()) {
    const before = [here.calls.length, there.calls.length] as const;
    const direct = await here.direct(skill, given);
    expect(await run(skill, JSON.stringify(given), `run-${nth}`)).toEqual(direct);
    const [made, wanted] = [there.calls.slice(before[1]), here.calls.slice(before[0])].map(callTexts);
    // The rounds that only read are made at once, here and there.
    const isAtOnce = skill === TOTAL.name;
    expect(isAtOnce ? made?.toSorted() : made).toEqual(isAtOnce ? wanted?.toSorted() : wanted);
  }
});

test.skipIf(!isInstalled)(
  "each write waits for a person, if so wished; a declined one is not made",
  async () => {
    await using shop = await EngineShop.open({ hasSkills: false });
    worker(CANCEL.name, shop);
    const ended = run(CANCEL.name, JSON.stringify(ADA), "declined", "--confirm");
    const [first] = (await waiting("declined")) as readonly object[];
    expect(first).toMatchObject({ call: 1, name: "shop.cancel_order", state: "unapproved" });
    for (const decision of [{ call: 1 }, { call: 7, verdict: "make" }, { call: 1, verdict: "make" }])
      await decide("declined", decision);
    while (shop.calls.filter(({ tool }) => tool === "cancel_order").length === 0) await pause(100);
    await waiting("declined");
    await decide("declined", { call: 2, verdict: "refuse" });
    expect(await ended).toEqual({ error: "RUN_UNAPPROVED" });
    expect(shop.calls.filter(({ tool }) => tool === "cancel_order")).toHaveLength(1);
  },
);

test.skipIf(!isInstalled)("the commands of its README start a run and let its call be made", async () => {
  await using shop = await EngineShop.open({ hasSkills: false });
  const folder = folders.get(MOVE.name) ?? "";
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const [tests = "", begin = "", decision = ""] = [...readme.matchAll(/^```sh\n([^]*?)^```$/gm)].map(
    ([, text]) => text,
  );
  const { TEMPORAL_BIN: program = "temporal", PATH } = process.env;
  const shell = spawn("bash", ["-e"], {
    cwd: folder,
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${PATH}`,
      TEMPORAL_ADDRESS: address,
      REPERTOIRE_URL: shop.url,
    },
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void process.kill(-Number(shell.pid), "SIGKILL"));
  let told = "";
  shell.stdout.on("data", (text) => (told += String(text)));
  const said = async (what: RegExp): Promise<string> => {
    await expect.poll(() => told, { timeout: 60_000 }).toMatch(what);
    return what.exec(told)?.[1] ?? "";
  };
  // What it takes is there, and the CLI may have another name.
  shell.stdin.write(`temporal() { "${program}" "$@"; }\n${tests.replace("npm install\n", "")}`);
  await said(/ fail 0\n/);
  shell.stdin.write(`${begin}echo "run $RUN is begun"\n`);
  await waiting(await said(/^run (.*) is begun$/m));
  shell.stdin.end(decision);
  await said(/"call":1,"name":"shop.update_order_address"/);
  await said(/^{"output":{"order":/m);
});

test.skipIf(!isInstalled)(
  "a write whose worker is killed is made once, until a person says again",
  async () => {
    await using shop = await EngineShop.open({ hasSkills: false });
    const first = worker(MOVE.name, shop);
    shop.hold(true, "update_order_address");
    const [, given] = RUNS[0] ?? [];
    const ended = run(MOVE.name, JSON.stringify(given), "killed");
    await shop.called(4);
    first.kill("SIGKILL");
    worker(MOVE.name, shop);
    expect(await waiting("killed")).toMatchObject([{ call: 1, state: "uncertain" }]);
    expect(shop.calls).toHaveLength(4);
    shop.hold(false);
    await decide("killed", { call: 1, verdict: "make" });
    expect(await ended).toMatchObject({ output: { order: { shipTo: given?.["shipTo"] } } });
    expect(shop.calls.slice(3).map(({ key, isKnown }) => [key === shop.calls[3]?.key, isKnown])).toEqual([
      [true, false],
      [true, true],
    ]);
  },
);

test.skipIf(!isInstalled)(
  "what is written for Temporal has the types that it says, and its cases hold",
  async () => {
    const direct = placed(await here.exported(MOVE.name, "temporal", "--direct"));
    for (const folder of [...folders.values(), direct]) {
      const done = async (...args: readonly string[]): Promise<string> =>
        (await promisify(execFile)(process.execPath, [...FLAGS, ...args], { cwd: folder })).stdout;
      expect(await done(join(String(modules), "typescript/bin/tsc"))).toBe("");
      const cases = await done("--test", "--test-reporter=tap", "skill.test.ts");
      expect(cases).toContain("# fail 0");
      if (folder === folders.get(GREET)) expect(cases).toContain("set REPERTOIRE_URL to http://");
    }
  },
);
