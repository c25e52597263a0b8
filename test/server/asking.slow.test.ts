import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { NEW_DRAFT } from "../learn/drafts/cancel-draft.ts";
import { ERAS, type Era, textOf, Workplace } from "./connected-client.ts";
import { legacySession, modernCall, type RpcAnswer, servedApp } from "./served-app.ts";

let workplace: Workplace;
let served: Awaited<ReturnType<typeof servedApp>>;
let url: string;
beforeAll(async () => {
  // Nothing reaches it here: that there is one is enough.
  const mcpServers = { shop: { command: process.execPath } };
  workplace = await Workplace.create({}, { data: "own", mcpServers });
  served = await servedApp(workplace);
  ({ url } = served);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await workplace[Symbol.asyncDispose]();
});

/** A draft that anybody may approve. */
async function freshDraft(): Promise<{ readonly name: string; readonly digest: string }> {
  const { extraction } = served.app;
  const made = await extraction.drafts.create(NEW_DRAFT);
  if (!made.ok) throw new Error(made.error.message);
  const verified = await extraction.verify(made.value.name, { by: "ada" });
  if (!verified.ok) throw new Error(verified.error.message);
  return verified.value;
}

async function stateOf(name: string): Promise<string> {
  const draft = await served.app.extraction.drafts.read(name);
  return draft.ok ? draft.value.state : draft.error.code;
}

async function promoted(): Promise<string> {
  const { name, digest } = await freshDraft();
  const { extraction } = served.app;
  const deed = { by: "ada", digest };
  await extraction.review(name, { ...deed, verdict: "approve" });
  const done = await extraction.promotions.promote(name, deed);
  if (!done.ok) throw new Error(done.error.message);
  return name;
}

type Action = "approve" | "reject" | "revoke";

function yes(verdict: Action): object {
  return { verdict: { action: "accept", content: { verdict } } };
}

function resultOf({ body }: RpcAnswer): Record<string, unknown> {
  return (body["result"] ?? {}) as Record<string, unknown>;
}

/** The state of the question that an answer puts. */
function questionIn(answer: RpcAnswer): string {
  const { resultType, requestState, inputRequests } = resultOf(answer);
  expect(resultType).toBe("input_required");
  expect(inputRequests).toHaveProperty("verdict.method", "elicitation/create");
  expect(requestState).toBeTypeOf("string");
  return String(requestState);
}

describe("a forged answer of a person", () => {
  let draft: { readonly name: string; readonly digest: string };
  let approve: { readonly name: string; readonly action: "approve"; readonly digest: string };
  beforeEach(async () => {
    draft = await freshDraft();
    approve = { name: draft.name, action: "approve", digest: draft.digest };
  });
  afterEach(() => vi.useRealTimers());

  async function answered(input: object, more: Parameters<typeof modernCall>[3]): Promise<RpcAnswer> {
    return modernCall(url, "review_draft", input, more);
  }

  test.each<Action>(["approve", "reject", "revoke"])(
    "to a question to %s that nobody put has the question put",
    async (action) => {
      const name = action === "revoke" ? await promoted() : draft.name;
      const before = await stateOf(name);
      const input = { name, action, digest: draft.digest };
      questionIn(await answered(input, { inputResponses: yes(action) }));
      expect(await stateOf(name)).toBe(before);
    },
  );

  test.each([
    ["of another making", () => "v1.eyJwIjp7fX0.c2lnbmVk"],
    ["that is no text of ours", () => "x".repeat(100_000)],
    [
      "whose signature is changed",
      (state: string) => `${state.slice(0, -2)}${state.endsWith("AA") ? "BB" : "AA"}`,
    ],
    ["whose last character is another for the same bytes", otherLastCharacter],
    ["whose content is changed", withLaterTime],
  ] as const)("with a state %s is none", async (_, forge) => {
    const state = forge(questionIn(await answered(approve, {})));
    questionIn(await answered(approve, { inputResponses: yes("approve"), requestState: state }));
    expect(await stateOf(draft.name)).toBe("draft");
  });

  test("to a question about another draft is none", async () => {
    const other = await freshDraft();
    const state = questionIn(
      await answered({ name: other.name, action: "approve", digest: other.digest }, {}),
    );
    questionIn(await answered(approve, { inputResponses: yes("approve"), requestState: state }));
    expect(await stateOf(draft.name)).toBe("draft");
  });

  test("to a question about another deed is none", async () => {
    const state = questionIn(await answered({ name: draft.name, action: "reject" }, {}));
    questionIn(await answered(approve, { inputResponses: yes("approve"), requestState: state }));
    expect(await stateOf(draft.name)).toBe("draft");
  });

  test("to a question in another session is none", async () => {
    const trace = (digit: string) => ({
      meta: { traceparent: `00-${digit.repeat(32)}-${"b".repeat(16)}-01` },
    });
    const state = questionIn(await answered(approve, trace("1")));
    for (const other of [trace("2"), {}])
      questionIn(await answered(approve, { ...other, inputResponses: yes("approve"), requestState: state }));
    const legacy = await legacySession(url, {});
    await legacy("tools/call", {
      name: "review_draft",
      arguments: approve,
      inputResponses: yes("approve"),
      requestState: state,
    });
    expect(await stateOf(draft.name)).toBe("draft");
  });

  test("to a question about a draft that has changed since is none", async () => {
    const state = questionIn(await answered({ name: draft.name, action: "reject" }, {}));
    const edits = [{ kind: "describe", target: { kind: "skill" }, text: "Does something else." }] as const;
    const revised = await served.app.extraction.revise(draft.name, edits, { by: "ada" });
    expect(revised.ok).toBe(true);
    questionIn(
      await answered(
        { name: draft.name, action: "reject" },
        { inputResponses: yes("reject"), requestState: state },
      ),
    );
    expect(await stateOf(draft.name)).toBe("draft");
  });

  test("that comes an hour late is none", async () => {
    const state = questionIn(await answered(approve, {}));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_602_000 });
    questionIn(await answered(approve, { inputResponses: yes("approve"), requestState: state }));
    expect(await stateOf(draft.name)).toBe("draft");
  });

  test("that was given before is none: what was revoked does not come back", async () => {
    const state = questionIn(await answered(approve, {}));
    const answer = { inputResponses: yes("approve"), requestState: state };
    expect(resultOf(await answered(approve, answer))).toMatchObject({
      structuredContent: { promoted: { skill: draft.name } },
    });
    const revoked = await served.app.extraction.promotions.revoke(draft.name, { by: "ada" });
    expect(revoked.ok).toBe(true);
    questionIn(await answered(approve, answer));
    expect((await served.app.extraction.promotions.current(draft.name)).ok).toBe(false);
  });

  test("by a client that declares no forms is none", async () => {
    const state = questionIn(await answered(approve, {}));
    for (const capabilities of [{}, { elicitation: { url: {} } }, { elicitation: true }]) {
      const meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
      const said = await answered(approve, { meta, inputResponses: yes("approve"), requestState: state });
      expect(JSON.stringify(said.body)).not.toContain("promoted");
    }
    expect(await stateOf(draft.name)).toBe("draft");
  });

  test.each([
    ["declared no elicitation", {}],
    ["declared elicitation, and was asked nothing", { elicitation: {} }],
  ])("in a session that %s is none, whatever a request says of itself", async (_, capabilities) => {
    const call = await legacySession(url, capabilities);
    const said = call("tools/call", {
      name: "review_draft",
      arguments: approve,
      inputResponses: yes("approve"),
      _meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } },
    });
    // Who can be asked is asked, and waited for: nobody answers here.
    const soon = await Promise.race([said, new Promise((resolve) => setTimeout(resolve, 1000, "asked"))]);
    if ("elicitation" in capabilities) expect(soon).toBe("asked");
    else expect(JSON.stringify(soon)).toContain("DRAFT_UNREVIEWED");
    expect(await stateOf(draft.name)).toBe("draft");
  });
});

function otherLastCharacter(state: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(state.slice(-1));
  return state.slice(0, -1) + alphabet[last ^ 1];
}

function withLaterTime(state: string): string {
  const [version, body = "", signature] = state.split(".");
  const envelope = JSON.parse(Buffer.from(body, "base64url").toString()) as { exp: number };
  const later = JSON.stringify({ ...envelope, exp: envelope.exp + 86_400 });
  return [version, Buffer.from(later).toString("base64url"), signature].join(".");
}

interface Asked {
  readonly client: Client;
  readonly questions: { readonly message: string; readonly choices: unknown }[];
  /** What happens while the person thinks. */
  meanwhile?: (() => Promise<unknown>) | undefined;
  answer: {
    readonly action: "accept" | "decline" | "cancel";
    readonly content?: Record<string, string>;
  };
}

async function connected(era: Era, to: string): Promise<Asked> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
      capabilities: { elicitation: {} },
    },
  );
  const asked: Asked = { client, questions: [], answer: { action: "decline" } };
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const { properties } = ("requestedSchema" in params ? params.requestedSchema : {}) as {
      properties: { verdict: { enum: unknown } };
    };
    asked.questions.push({ message: params.message, choices: properties.verdict.enum });
    const answer = { ...asked.answer };
    await asked.meanwhile?.();
    return answer;
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(to)));
  return asked;
}

describe.each(ERAS)("a person behind an honest client of the %s era", (era) => {
  let asked: Asked;
  beforeAll(async () => {
    asked = await connected(era, url);
  });
  afterAll(async () => asked.client.close());
  beforeEach(() => {
    asked.questions.length = 0;
    asked.meanwhile = undefined;
  });

  async function review(input: object): Promise<Awaited<ReturnType<Client["callTool"]>>> {
    return asked.client.callTool({ name: "review_draft", arguments: { ...input } });
  }

  test("is told what each answer does, and decides: approve, then revoke", async () => {
    const { name, digest } = await freshDraft();
    asked.answer = { action: "accept", content: { verdict: "approve" } };
    expect((await review({ name, action: "approve", digest })).structuredContent).toMatchObject({
      promoted: { skill: name },
    });
    // A word of consent to something else is none.
    expect((await review({ name, action: "revoke" })).isError).toBe(true);
    asked.answer = { action: "accept", content: { verdict: "revoke" } };
    expect((await review({ name, action: "revoke" })).structuredContent).toMatchObject({
      revoked: { skill: name },
    });
    expect(asked.questions.map(({ choices }) => choices)).toEqual([
      ["approve", "reject"],
      ["revoke", "keep"],
      ["revoke", "keep"],
    ]);
    expect(asked.questions[0]?.message).toContain('"approve": the draft becomes a skill');
    expect(asked.questions[1]?.message).toContain('"revoke": the skill, and its tool, are taken out of use');
  });

  test("revokes no version that was promoted since the question", async () => {
    const name = await promoted();
    const { extraction } = served.app;
    asked.answer = { action: "accept", content: { verdict: "revoke" } };
    asked.meanwhile = async () => {
      asked.meanwhile = undefined;
      const by = "grace";
      const what = { kind: "describe", target: { kind: "skill" }, text: "Another." } as const;
      expect(await extraction.revise(name, [what], { by })).toMatchObject({ ok: true });
      const verified = await extraction.verify(name, { by });
      if (!verified.ok) throw new Error(verified.error.message);
      const { digest } = verified.value;
      await extraction.review(name, { by, digest, verdict: "approve" });
      expect(await extraction.promotions.promote(name, { by, digest })).toMatchObject({ ok: true });
      asked.answer = { action: "decline" };
    };
    expect(textOf(await review({ name, action: "revoke" }))).toContain("DRAFT_UNREVIEWED");
    // The answer to the first question is none to the second.
    expect(asked.questions).toHaveLength(2);
    expect(await extraction.promotions.current(name)).toMatchObject({ value: { version: 2 } });
  });

  test("rejects a draft, asked whether it be rejected", async () => {
    const { name } = await freshDraft();
    asked.answer = { action: "accept", content: { verdict: "reject" } };
    await review({ name, action: "reject" });
    expect(await stateOf(name)).toBe("rejected");
    expect(asked.questions).toMatchObject([{ choices: ["reject", "keep"] }]);
    expect(asked.questions[0]?.message).toContain('"reject": the draft is set aside');
  });

  test.each<[string, Asked["answer"], string]>([
    ["declines", { action: "decline" }, "draft"],
    [
      "rejects in the form",
      { action: "accept", content: { verdict: "reject", comment: "too broad" } },
      "rejected",
    ],
  ])("who %s is not asked again until the draft changes, whoever asks", async (_, answer, state) => {
    const { name, digest } = await freshDraft();
    const input = { name, action: "approve", digest };
    asked.answer = answer;
    expect(textOf(await review(input))).toContain("DRAFT_UNREVIEWED");
    expect(await stateOf(name)).toBe(state);
    asked.answer = { action: "accept", content: { verdict: "approve" } };
    const again = textOf(await review(input));
    expect(again).toContain("declined");
    expect(again).not.toContain("bin/repertoire.js promote");
    if ("content" in answer) expect(again).toContain("too broad");
    const other = await connected(era, url);
    const said = await other.client.callTool({ name: "review_draft", arguments: input });
    expect(textOf(said)).toContain("declined");
    expect(other.questions).toEqual([]);
    await other.client.close();
    expect(asked.questions).toHaveLength(1);

    const edits = [{ kind: "describe", target: { kind: "skill" }, text: "Cancels it." }];
    await asked.client.callTool({ name: "revise_draft", arguments: { name, edits } });
    const changed = await served.app.extraction.drafts.read(name);
    const newer = { ...input, digest: changed.ok ? changed.value.digest : "" };
    expect((await review(newer)).structuredContent).toMatchObject({ promoted: { skill: name } });
  });

  test("who closes the question has said nothing, and may be asked again", async () => {
    const { name, digest } = await freshDraft();
    const input = { name, action: "approve", digest };
    asked.answer = { action: "cancel" };
    expect(textOf(await review(input))).toContain("without an answer");
    asked.answer = { action: "accept", content: { verdict: "approve" } };
    expect((await review(input)).structuredContent).toMatchObject({ promoted: { skill: name } });
  });

  test("who keeps a skill is not asked again to revoke it", async () => {
    const name = await promoted();
    asked.answer = { action: "accept", content: { verdict: "keep" } };
    await review({ name, action: "revoke" });
    expect(textOf(await review({ name, action: "revoke" }))).toContain("declined");
    expect(asked.questions).toHaveLength(1);
    expect(await stateOf(name)).toBe("promoted");
  });
});

test("what a person has declined is declined after a new start", async () => {
  const { name, digest } = await freshDraft();
  const input = { name, action: "approve", digest };
  const state = questionIn(await modernCall(url, "review_draft", input));
  const decline = { verdict: { action: "decline" } };
  await modernCall(url, "review_draft", input, { inputResponses: decline, requestState: state });
  await using again = await servedApp(workplace);
  const said = await modernCall(again.url, "review_draft", input, { inputResponses: yes("approve") });
  expect(JSON.stringify(said.body)).toContain("declined");
  // A question of the process that was before is none of this one.
  const fresh = await freshDraft();
  const asking = { name: fresh.name, action: "approve", digest: fresh.digest };
  const old = questionIn(await modernCall(url, "review_draft", asking));
  questionIn(
    await modernCall(again.url, "review_draft", asking, {
      inputResponses: yes("approve"),
      requestState: old,
    }),
  );
  expect(await stateOf(fresh.name)).toBe("draft");
});
