import { describe, expect, test } from "vitest";
import { heldDuring } from "../held.ts";
import { beside, fixture, isAlive, Neighbours, refusal, until } from "./upstream-fixtures.ts";

describe("a server that goes wrong in a call", () => {
  test("dies: the call fails at once, others too, and it is started again", async () => {
    await beside(fixture("good-server"), async (others) => {
      await others.tools();
      const { pid } = others.healthOf("bad");
      const [died, beside] = await Promise.all([
        refusal(others, "bad.exit"),
        refusal(others, "bad.slow", { ms: 20_000 }),
      ]);
      expect(died).toBe(
        'TOOL_FAILED: The tool "bad.exit" failed: the server went away: it exited with code 3; its last words: I cannot go on',
      );
      expect(beside).toMatch(/^TOOL_FAILED: The tool "bad.slow" failed: the server went away/);
      await until(() => others.healthOf("bad").state === "ready");
      expect(others.healthOf("bad")).toMatchObject({
        restarts: 1,
        lastError: expect.stringContaining("code 3"),
      });
      expect(others.healthOf("bad").pid).not.toBe(pid);
      expect(await others.call("bad.add", { a: 1, b: 1 })).toEqual({ ok: true, value: { sum: 2 } });
    });
  });

  test("is killed from outside: the next call finds it started again", async () => {
    await beside(fixture("good-server"), async (others) => {
      await others.tools();
      const { pid = 0 } = others.healthOf("bad");
      process.kill(pid, "SIGKILL");
      await until(() => others.healthOf("bad").state !== "ready");
      expect(await others.call("bad.add", { a: 1, b: 1 })).toEqual({ ok: true, value: { sum: 2 } });
      expect(others.healthOf("bad")).toMatchObject({
        restarts: 1,
        lastError: expect.stringContaining("SIGKILL"),
      });
    });
  });

  test("hangs: the call ends in time, and it is started again", async () => {
    await beside({ ...fixture("good-server"), timeoutMs: 800 }, async (others) => {
      await others.tools();
      const { pid = 0 } = others.healthOf("bad");
      expect(await refusal(others, "bad.block")).toMatch(
        /^TOOL_FAILED: The tool "bad.block" failed: it did not answer within \d+ ms$/,
      );
      await until(() => others.healthOf("bad").state === "ready" && others.healthOf("bad").pid !== pid);
      expect(others.healthOf("bad").lastError).toBe("it let a call time out, and a ping too");
      expect(isAlive(pid)).toBe(false);
      expect(await others.call("bad.add", { a: 1, b: 1 }, { timeoutMs: 5_000 })).toMatchObject({ ok: true });
    });
  });

  test("is only slow: the call ends in time, and it goes on", async () => {
    await beside(fixture("good-server"), async (others) => {
      await others.tools();
      const result = await others.call("bad.slow", { ms: 20_000 }, { timeoutMs: 200 });
      expect(result).toMatchObject({ error: { message: expect.stringContaining("did not answer within") } });
      expect(await others.call("bad.cancelled", {})).toEqual({ ok: true, value: { cancelled: 1 } });
      expect(others.healthOf("bad")).toMatchObject({ state: "ready", restarts: 0 });
    });
  });

  test("gives more than the limit: that call alone fails", async () => {
    await beside(
      fixture("good-server"),
      async (others) => {
        const [big, huge, small] = await Promise.all([
          refusal(others, "bad.big", { bytes: 1_100_000 }),
          refusal(others, "bad.big", { bytes: 20_000_000 }),
          refusal(others, "bad.slow", { ms: 300 }),
        ]);
        expect(big).toBe('OUTPUT_TOO_LARGE: The answer of "bad.big" has 1100010 bytes, the limit is 1048576');
        expect(huge).toMatch(
          /^OUTPUT_TOO_LARGE: The answer of "bad.big" is too large: .*the answer has 200\d+ bytes$/,
        );
        expect(small).toBe("");
        expect(await refusal(others, "bad.deep", { levels: 5_000 })).toBe(
          'OUTPUT_TOO_LARGE: The answer of "bad.deep", as JSON in a text, is nested deeper than 512 levels',
        );
        expect(others.healthOf("bad")).toMatchObject({ state: "ready", restarts: 0 });
      },
      { mostResultBytes: 2 ** 20 },
    );
  });

  test.each([
    ["notifications", "notify", /it sent more than 5000 messages/],
    ["garbage", "garbage", /it sent more than 5000 messages/],
    ["one line", "endless_line", /it sent a line of \d+ bytes/],
  ])("sends %s without end: it is ended, and can be used again", async (_, tool, why) => {
    await beside(
      fixture("good-server"),
      async (others) => {
        await others.tools();
        const { pid = 0 } = others.healthOf("bad");
        expect(await refusal(others, `bad.${tool}`)).toMatch(why);
        await until(() => !isAlive(pid));
        expect(await others.call("bad.add", { a: 1, b: 1 })).toEqual({ ok: true, value: { sum: 2 } });
      },
      { mostResultBytes: 2 ** 20 },
    );
  });

  test("writes to stderr without end: it goes on, and little of it is passed on", async () => {
    await beside(fixture("good-server"), async (others) => {
      await others.call("bad.endless_stderr", {});
      expect(await others.call("bad.slow", { ms: 700 })).toMatchObject({ ok: true });
      expect(others.healthOf("bad").stderr.length).toBeLessThanOrEqual(41);
      expect(others.stderr.length).toBeLessThan(250);
    });
  });
});

describe("a server whose answers take long to look at", () => {
  const UNCHECKED = "cannot be checked within";
  test.each([
    ["nested_plus", "TOOL_FAILED", "a must match pattern"],
    [
      "ahead",
      "TOOL_FAILED",
      `${UNCHECKED} 400 ms, as patterns of its schema are costly: #/properties/a/pattern`,
    ],
    ["names", "TOOL_FAILED", "#/patternProperties/^(?!b)(a+)+$"],
    ["recursive", "TOOL_FAILED", "could not be checked against the tool's outputSchema (#) within 500 ms"],
    ["unique", "TOOL_FAILED", "could not be checked against the tool's outputSchema (#) within 500 ms"],
    ["many_keys", "OUTPUT_TOO_LARGE", "has properties of more than 5000 different names"],
    ["many_keys_in_text", "OUTPUT_TOO_LARGE", "has properties of more than 5000 different names"],
    ["many_values", "OUTPUT_TOO_LARGE", "holds more than 100000 values"],
  ])("%s: the answer is refused, and the main thread goes on", async (tool, code, text) => {
    await using others = new Neighbours({ bad: fixture("raw-server", "heavy") });
    await others.tools();
    const { ms, value: refused } = await heldDuring(async () => refusal(others, `bad.${tool}`));
    expect(refused).toContain(code);
    expect(refused).toContain(text);
    expect(ms).toBeLessThan(1_500);
  });

  test("what fits is given, however long", async () => {
    await using others = new Neighbours({ bad: fixture("raw-server", "heavy") });
    expect(await others.call("bad.well", {})).toMatchObject({ ok: true });
  });
});

describe("a server that lies about its tools", () => {
  test("is used as far as it can be, and each lie is told", async () => {
    await beside(fixture("raw-server", "lies"), async (others) => {
      const { tools } = await others.tools("bad");
      expect(tools.map(({ name }) => name)).toEqual([
        "promises",
        "promises_text",
        "bad_input",
        "no_input",
        "list_input",
        "bad_output",
        "far_output",
        "slow_pattern",
        "draft7",
        "same",
        "odd_answer",
        "odd_message",
      ]);
      const named = new Map(tools.map((tool) => [tool.name, tool]));
      for (const name of ["bad_input", "no_input", "list_input"])
        expect(named.get(name)?.inputSchema).toEqual({ type: "object" });
      expect(named.get("bad_output")).not.toHaveProperty("outputSchema");
      expect(named.get("same")).toMatchObject({ title: "first" });
      expect(others.healthOf("bad").findings.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
        expect.stringMatching(
          /^input-schema: The inputSchema of "bad_input" is not used: it is not valid JSON Schema/,
        ),
        'input-schema: The inputSchema of "no_input" is not used: there is none',
        'input-schema: The inputSchema of "list_input" is not used: its "type" is not "object"',
        expect.stringMatching(
          /^output-schema: The outputSchema of "bad_output" is not used, so its results are not checked/,
        ),
        'tool-duplicate: The tool "same" is listed twice; the first counts',
        "tool-name: Tool 11 cannot be called, as its name is 7",
        "tool-name: Tool 12 cannot be called, as its name is null",
        'tool-name: Tool 13 cannot be called, as its name is "with space"',
        'tool-name: Tool 14 cannot be called, as its name is ""',
        "tool-name: Tool 15 is no object",
        "tool-name: Tool 16 is no object",
        'tool-too-large: The tool "huge" is left out: its definition is too large or too deep',
      ]);
    });
  });

  test("is held to its output schemas, where they can be used", async () => {
    await beside({ ...fixture("raw-server", "lies"), timeoutMs: 3_000 }, async (others) => {
      expect(await refusal(others, "bad.promises")).toBe(
        'TOOL_FAILED: The answer of "bad.promises" does not fit the tool\'s outputSchema: total must be number',
      );
      expect(await others.call("bad.promises_text", { text: '{"total": 7}' })).toEqual({
        ok: true,
        value: { total: 7 },
      });
      expect(await refusal(others, "bad.promises_text", { text: "7" })).toMatch(
        /it has no structured content/,
      );
      expect(await refusal(others, "bad.odd_answer")).toMatch(
        /^TOOL_FAILED: The tool "bad.odd_answer" failed: Invalid result/,
      );
      expect(await refusal(others, "bad.odd_message")).toBe(
        'TOOL_FAILED: The tool "bad.odd_message" failed: it answered with the error -32092: the answer is no valid message',
      );
      expect(await others.call("bad.far_output", {})).toMatchObject({ ok: true });
      expect(await refusal(others, "bad.slow_pattern")).toContain("a must match pattern");
      const kinds = others.healthOf("bad").findings.map(({ kind, tool }) => `${kind} ${tool}`);
      expect(kinds.slice(0, 4)).toEqual([
        "output-mismatch slow_pattern",
        "output-schema far_output",
        "output-mismatch promises_text",
        "output-mismatch promises",
      ]);
    });
  });

  test.each([
    ["lists tools without end", "endless-pages", 64],
    ["lists the same page again and again", "same-page", 1],
  ])("%s: what came first counts", async (_, how, count) => {
    await beside(fixture("raw-server", how), async (others) => {
      expect((await others.tools("bad")).tools).toHaveLength(count);
      expect(others.healthOf("bad").findings[0]).toMatchObject({ kind: "list-cut" });
    });
  });

  test.each([
    [
      "cannot list its tools",
      "list-error",
      /its tools cannot be listed: it answered with the error -32603: the list is lost$/,
    ],
    ["lists nonsense", "list-nonsense", /its tools cannot be listed: .*Invalid/],
  ])("%s: it cannot be used", async (_, how, why) => {
    await beside(fixture("raw-server", how), async (others) => {
      expect(await refusal(others, "bad.any")).toMatch(why);
    });
  });

  test("has no tools", async () => {
    await beside(fixture("raw-server", "no-tools"), async (others) => {
      expect(await refusal(others, "bad.any")).toBe('TOOL_NOT_FOUND: The server "bad" has no tool "any".');
    });
  });
});
