import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { foldedTools } from "../../../src/learn/mining/corpus.ts";
import { mine, type MiningResult, type MiningOptions } from "../../../src/learn/mining/mine.ts";
import type { TimedTrace } from "../../../src/learn/mining/occurrence-traces.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { sandbox, takes, traceOf } from "../reuse/sandbox.ts";

async function minedFrom(traces: readonly TimedTrace[], options: MiningOptions = {}): Promise<MiningResult> {
  const one = (id: string) => Promise.resolve(traces.find((trace) => trace.id === id));
  return mine({ all: () => traces, one }, sandbox, options);
}

/** A run whose calls are named by letters; the first has an argument of its own, each other what the one before gave, unless told. */
function run(
  id: string,
  letters: string,
  args: (index: number) => JsonObject = (index) => ({ x: index === 0 ? `${id}-0` : `${id}/${index - 1}` }),
): RecordedTrace {
  return traceOf(
    id,
    "",
    ...Array.from(letters, (letter, index) => [letter, args(index), { y: `${id}/${index}` }] as const),
  );
}

function weather(user: string, noise: string): RecordedTrace {
  const { calls } = run(user, noise);
  const trace = traceOf(
    user,
    `What is the weather where ${user} lives?`,
    ["s.find_user", { name: user }, { id: `u-${user}-77`, city: `City ${user}` }],
    ["s.get_weather", { city: `City ${user}` }, { degrees: 20 }],
  );
  return { ...trace, calls: [...calls, ...trace.calls] };
}

test("work that recurs with other values is proposed as a skill that replays runs it has not seen", async () => {
  const traces = [weather("Mira", "p"), weather("Omar", "qr"), weather("Zoe", ""), weather("Ivan", "t")];
  const { proposals, ...counts } = await minedFrom(traces);
  expect(proposals).toMatchObject([
    {
      kind: "skill",
      pattern: "s.find_user s.get_weather",
      occurrences: 4,
      traces: 4,
      calls: 8,
      distinct: 4,
      saved: 4,
      replay: { passed: 2, of: 2 },
      samples: [
        { trace: "Mira", calls: [1, 2] },
        { trace: "Omar", calls: [2, 3] },
      ],
      heldOut: [
        { trace: "Zoe", calls: [0, 1] },
        { trace: "Ivan", calls: [1, 2] },
      ],
      synthesis: { plan: { params: [{ example: "Mira" }] } },
    },
  ]);
  expect(counts).toEqual({ traces: 4, skipped: 0, chains: 1, tried: 1, reasons: {}, isComplete: true });
});

test("only the occurrences that replay count as saved", async () => {
  const fixed = ["Mira", "Omar", "Zoe"].map((user) => weather(user, ""));
  // Here the city is not where the user lives, nor said anywhere, so the same plan does another call.
  const other = traceOf(
    "Ivan",
    "",
    ["s.find_user", { name: "Ivan" }, { id: "u-Ivan-77", city: "City Ivan" }],
    ["s.get_weather", { city: "Elsewhere" }, { degrees: 20 }],
  );
  const { proposals } = await minedFrom([...fixed, other]);
  expect(proposals).toMatchObject([{ occurrences: 4, replay: { passed: 1, of: 2 }, saved: 2 }]);
});

test("why nothing came of work that recurs is counted", async () => {
  // What one tool gives, the other takes: so it was in the first half of the runs alone.
  const runs = ["a", "b", "c", "d"].map((id, nth) =>
    traceOf(
      id,
      "",
      ["s.draw", { seed: `seed-${id}` }, { card: `K-${id}-77`, other: `Q-${id}-88` }],
      ["s.play", { card: nth < 2 ? `K-${id}-77` : `Q-${id}-88` }, { done: true }],
    ),
  );
  expect(await minedFrom(runs)).toMatchObject({ proposals: [], reasons: { "not-general": 1 }, tried: 1 });
});

test("the same arguments each time are told apart from work for a skill", async () => {
  const same = ["t1", "t2", "t3"].map((id) => run(id, "ab", (index) => ({ x: index })));
  const { proposals } = await minedFrom(same);
  expect(proposals).toMatchObject([
    { kind: "repeated", pattern: "a b", distinct: 1, isReadOnly: false, saved: 3 },
  ]);
  const looks = ["t1", "t2", "t3"].map((id) => traceOf(id, "", ["s.get_a", {}, 1], ["s.list_b", {}, 2]));
  expect((await minedFrom(looks)).proposals).toMatchObject([{ kind: "repeated", isReadOnly: false }]);
  const effects = ["s.get_a", "s.list_b"].map((tool) => ({ tool, operation: "READ", by: "server" }) as const);
  expect((await minedFrom(looks, { effects })).proposals).toMatchObject([
    { kind: "repeated", isReadOnly: true },
  ]);
});

test("what is only sometimes called with these arguments is not always the same", async () => {
  const read = (id: string, user: string): RecordedTrace =>
    traceOf(id, "", ["s.get_a", { user }, { user }], ["s.get_b", { user }, { user }]);
  const one = (id: string, user: string): RecordedTrace => traceOf(id, "", ["s.get_a", { user }, { user }]);
  const mei = ["t1", "t2", "t3"].map((id) => read(id, "mei"));
  expect((await minedFrom(mei)).proposals).toMatchObject([{ kind: "repeated", occurrences: 3 }]);
  const others = Array.from({ length: 12 }, (_, nth) => one(`o${nth}`, `user-${nth}`));
  expect(await minedFrom([...mei, ...others])).toMatchObject({
    proposals: [],
    reasons: { "not-general": 1 },
  });
});

test("what needs a server that is not configured is not proposed, unless there is none at all", async () => {
  const traces = ["Mira", "Omar", "Zoe", "Ivan"].map((user) => weather(user, ""));
  const mined = async (...servers: readonly string[]) => minedFrom(traces, { servers: new Set(servers) });
  expect(await mined("other")).toMatchObject({ proposals: [], reasons: { "missing-tool": 1 } });
  expect((await mined("other", "s")).proposals).toHaveLength(1);
  expect((await mined()).proposals).toHaveLength(1);
});

test("what repeats is proposed as a loop or not at all, never as so many calls as there were", async () => {
  const runs = (second: string): readonly RecordedTrace[] =>
    ["Mira", "Omar", "Zoe", "Ivan"].map((user) =>
      traceOf(
        user,
        "",
        ["s.put", { item: `${user}-1` }, { done: true }],
        ["s.put", { [second]: `${user}-2` }, { done: true }],
      ),
    );
  expect(await minedFrom(runs("other"))).toMatchObject({ proposals: [], reasons: { "not-general": 1 } });
  expect((await minedFrom(runs("item"))).proposals).toMatchObject([
    { pattern: "s.put+", synthesis: { plan: { steps: [{ kind: "loop" }] } } },
  ]);
});

test("what a skill does already is proposed as a reuse", async () => {
  const skills = skillSet(
    {
      both: `export default async ({ one, two }) => [await call_tool("a", { x: one }), await call_tool("b", { x: two })]`,
    },
    { both: takes({ one: { type: "string" }, two: { type: "string" } }) },
  );
  const traces = ["t1", "t2", "t3"].map((id) => run(id, "ab"));
  const { proposals } = await minedFrom(traces, { library: { skills } });
  expect(proposals).toMatchObject([{ kind: "reuse", skill: "both", saved: 3 }]);
});

describe("chains", () => {
  async function patterns(
    letters: readonly string[],
    options: MiningOptions = {},
  ): Promise<readonly string[]> {
    const { proposals } = await minedFrom(
      letters.map((each, index) => run(`t${index}`, each)),
      options,
    );
    return proposals.map(({ pattern, occurrences }) => `${occurrences} ${pattern}`);
  }

  test("too few, or all in one trace, are none", async () => {
    expect(await patterns(["ab", "ab"])).toEqual([]);
    expect(await patterns(["ab", "ab"], { least: 2 })).toEqual(["2 a b"]);
    expect(await patterns(["abxabyabz"])).toEqual([]);
    expect(await patterns(["abxab", "ab"])).toEqual(["3 a b"]);
  });

  test("repetitions are folded", async () => {
    const listed = (id: string, items: readonly string[], letters: string): RecordedTrace =>
      traceOf(
        id,
        "",
        ["list", { of: id }, items.map((item) => ({ id: item }))],
        ...items.flatMap((item) =>
          Array.from(letters, (letter) => [letter, { id: item }, { of: item }] as const),
        ),
      );
    const traces = ["k", "l", "m", "n"].map(
      (id, nth) => [id, ["1", "2", "3"].slice(nth % 3).map((item) => `${id}-${item}`)] as const,
    );
    const proposals = { kind: "skill", occurrences: 4, replay: { passed: 2, of: 2 } };
    const single = await minedFrom(traces.map(([id, items]) => listed(id, items, "b")));
    expect(single.proposals).toMatchObject([{ ...proposals, pattern: "list b+", saved: 9 }]);
    const pairs = await minedFrom(traces.map(([id, items]) => listed(id, items, "bc")));
    expect(pairs.proposals).toMatchObject([{ ...proposals, pattern: "list (b c)+", saved: 18 }]);
  });

  test("a repetition alone is work, too", async () => {
    const runs = ["waa", "xaa", "yaa", "zaa"].map((letters) =>
      run(letters, letters, (nth) => ({ x: `${letters}-${nth}` })),
    );
    const { proposals } = await minedFrom(runs);
    expect(proposals.map(({ occurrences, pattern }) => `${occurrences} ${pattern}`)).toEqual(["4 a+"]);
  });

  test("each kind of work is told once: chains that share half of the longer one are the same kind", async () => {
    expect(await patterns(["abc", "abc", "abc"])).toEqual(["3 a b c"]);
    expect(await patterns(["abc", "abc", "abc", "xab"])).toEqual(["3 a b c"]);
    expect(await patterns(["abc", ...Array.from({ length: 9 }, () => "xab"), "abc", "abc"])).toEqual([
      "9 x a b",
    ]);
    expect(await patterns(["abcde", "abcde", "abcde", "xab"])).toEqual(["3 a b c d e", "4 a b"]);
  });

  test("what takes longer, and is in more traces, comes first", async () => {
    const timed = (ids: readonly string[], letters: string, seconds: number): readonly TimedTrace[] =>
      ids.map((id) => ({
        ...run(id, letters),
        times: Array.from(letters, (_, nth) => ({
          startMs: nth * seconds * 1000,
          endMs: nth * seconds * 1000,
        })),
      }));
    const ranked = async (...traces: readonly TimedTrace[]) =>
      (await minedFrom(traces)).proposals.map(({ pattern, savedMs }) => [pattern, savedMs]);
    const three = ["1", "2", "3"];
    expect(
      await ranked(
        ...timed(
          three.map((id) => `q${id}`),
          "ab",
          1,
        ),
        ...timed(
          three.map((id) => `s${id}`),
          "cd",
          30,
        ),
      ),
    ).toEqual([
      ["c d", 45_000],
      ["a b", 1500],
    ]);
    // After a minute somebody did something else.
    expect(await ranked(...timed(three, "ab", 10_000))).toEqual([["a b", 90_000]]);
  });

  test("a failed call ends a chain, one that was tried again does not stand in it", async () => {
    const withError = (rest: { readonly retriedBy?: number }): readonly RecordedTrace[] =>
      ["t1", "t2", "t3"].map((id) =>
        traceOf(
          id,
          "",
          ["a", { x: `${id}-0` }, null],
          ["b", { x: `${id}-1` }, null, { error: "no", ...rest }],
          ["c", { x: `${id}-0` }, null],
        ),
      );
    expect((await minedFrom(withError({}))).proposals).toEqual([]);
    expect((await minedFrom(withError({ retriedBy: 2 }))).proposals).toMatchObject([
      { pattern: "a c", samples: [{ calls: [0, 2] }] },
    ]);
  });

  test("a read that failed for a while and was not made again does not stand in a chain", async () => {
    const failing = (tool: string): readonly RecordedTrace[] =>
      ["t1", "t2", "t3"].map((id) =>
        traceOf(
          id,
          "",
          ["a", { x: `${id}-0` }, null],
          [tool, { x: `${id}-1` }, null, { error: "503 Service Unavailable" }],
          ["c", { x: `${id}-0` }, null],
        ),
      );
    expect((await minedFrom(failing("get_b"))).proposals).toMatchObject([
      { pattern: "a c", samples: [{ calls: [0, 2] }] },
    ]);
    expect((await minedFrom(failing("send_b"))).proposals).toEqual([]);
  });

  test("whole runs count however long they are", async () => {
    const tools = Array.from({ length: 40 }, (_, index) => String.fromCodePoint(200 + index));
    const runs = ["t1", "t2", "t3"].map((id) =>
      traceOf(id, "", ...tools.map((tool) => [tool, { x: `${id}-x` }, null] as const)),
    );
    const { proposals } = await minedFrom(runs, { limits: { chain: 5 } });
    expect(proposals).toMatchObject([{ pattern: tools.join(" "), occurrences: 3 }]);
  });

  test("work that asks its caller for everything is not proposed", async () => {
    const tools = Array.from({ length: 14 }, (_, index) => String.fromCodePoint(200 + index));
    const runs = ["t1", "t2", "t3"].map((id) =>
      traceOf(id, "", ...tools.map((tool, nth) => [tool, { x: `${id}-${nth}` }, null] as const)),
    );
    const { proposals, reasons } = await minedFrom(runs);
    expect(proposals).toEqual([]);
    expect(reasons).toMatchObject({ "too-many-decisions": expect.any(Number) });
  });
});

const ONE = String.raw`[abc]\+?`;
const PART = String.raw`(?:${ONE}|\(${ONE}(?: ${ONE})+\)\+)`;
const PATTERN = new RegExp(`^${PART}(?: ${PART})*$`);

test("the tools of each sample, folded, are the pattern's", async () => {
  const letters = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(fc.array(letters, { minLength: 3, maxLength: 6 }), async (sequences) => {
      const traces = sequences.map((each, index) => run(`t${index}`, each.join("")));
      const { proposals } = await minedFrom(traces, { least: 2, limits: { tried: 6 } });
      fc.pre(proposals.length > 0);
      for (const { pattern, samples, occurrences, calls, saved } of proposals) {
        expect(saved).toBeLessThanOrEqual(calls - occurrences);
        for (const sample of samples) {
          const trace = traces.find(({ id }) => id === sample.trace);
          const tools = sample.calls.map((call) => trace?.calls[call]?.tool.codePointAt(0) ?? -1);
          const folded = foldedTools(tools).map(({ tool }) => String.fromCodePoint(tool));
          expect(folded.join(" ")).toBe(pattern.replaceAll(/[+()]/g, ""));
          expect(pattern).toMatch(PATTERN);
        }
      }
    }),
    { numRuns: 10 },
  );
});

test("the same traces give the same proposals", async () => {
  const traces = ["abcab", "abc", "cab", "bca", "abab"].map((letters, index) => run(`t${index}`, letters));
  expect(await minedFrom(traces)).toEqual(await minedFrom(traces));
});

describe("limits", () => {
  const traces = ["t1", "t2", "t3", "t4"].map((id) => run(id, "ab"));

  test("so many traces are read, and no more", async () => {
    let read = 0;
    function* all(): Generator<RecordedTrace> {
      for (;;) yield run(`t${read++}`, "ab");
    }
    const source = { all, one: (id: string) => Promise.resolve(run(id, "ab")) };
    const result = await mine(source, sandbox, { limits: { traces: 100 } });
    expect(result).toMatchObject({ traces: 100, isComplete: false, proposals: [{ occurrences: 100 }] });
    expect(read).toBe(101);
  });

  test("traces that are too long, too large, too deep or read before are skipped", async () => {
    let deep: RecordedTrace["calls"][number]["result"] = null;
    for (let depth = 0; depth < 50_000; depth++) deep = [deep];
    const bad = [
      run("long", "ab".repeat(600)),
      traceOf("large", "", ["a", { x: "x".repeat(2_000_000) }, null]),
      traceOf("deep", "", ["a", {}, deep]),
      run("t1", "ab"),
    ];
    const result = await minedFrom([...traces, ...bad]);
    expect(result).toMatchObject({
      traces: 4,
      skipped: 4,
      isComplete: true,
      proposals: [{ occurrences: 4 }],
    });
  });

  test("after its time nothing is tried", async () => {
    expect(await minedFrom(traces, { limits: { wallMs: 0 } })).toMatchObject({
      proposals: [],
      isComplete: false,
    });
  });

  test("more calls than a run may make are no work for a skill", async () => {
    const same = ["t1", "t2", "t3"].map((id) => run(id, "a".repeat(900)));
    expect(await minedFrom(same)).toMatchObject({ chains: 0, proposals: [] });
  });

  test("a trace that is gone is done without", async () => {
    const source = {
      all: () => traces,
      one: (id: string) => Promise.resolve(traces.find((trace) => trace.id === id && id !== "t2")),
    };
    expect(await mine(source, sandbox)).toMatchObject({ proposals: [{ occurrences: 4, replay: { of: 2 } }] });
  });
});
