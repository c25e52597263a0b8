import { createHash, randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { CREDENTIALS } from "../../src/trace/redact/credentials.ts";
import { TEXT_RULES } from "../../src/trace/redact/secret-texts.ts";
import { redactedTrace } from "../../src/trace/redact/redacted-trace.ts";
import { Allowance, type Redactor, redactor, TooCostly } from "../../src/trace/redact/redaction.ts";
import type { RedactionOptions } from "../../src/trace/trace-store.ts";
import { SECOND_LOOK_ALIKES, secondCredentials } from "./second-corpus.ts";
import { credentials, lookAlikes, type Shape } from "./secret-corpus.ts";

// Put together here, so that no scanner takes this file for a leak.
const letters = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3".repeat(4);
const hex = "0123456789abcdef".repeat(8);
const of = (length: number): string => letters.slice(0, length);

/** Each kind with what is a secret of it, inside text as it comes. */
const SECRETS: readonly (readonly [kind: string, secret: string, text: (secret: string) => string])[] = [
  ["aws-key-id", `AKIA${"IOSFODNN7EXAMPLE".replace(/[01789]/g, "A")}`, (s) => `id ${s}.`],
  ["aws-secret", of(40), (s) => `AWS_SECRET_ACCESS_KEY=${s}`],
  ["github", `ghp_${of(36)}`, (s) => `git clone with ${s}`],
  ["github", `github_pat_${of(22)}_${of(59)}`, (s) => s],
  ["gitlab", `glpat-${of(20)}`, (s) => `"${s}"`],
  ["openai", `sk-proj-${of(80)}`, (s) => `key: ${s}`],
  ["openai", `sk-${of(48)}`, (s) => s],
  ["anthropic", `sk-ant-api03-${of(90)}`, (s) => `use ${s} now`],
  ["google", `AIza${of(35)}`, (s) => `?key=${s}&x=1`],
  ["google", `ya29.${of(60)}`, (s) => s],
  ["stripe", `sk_live_${of(24)}`, (s) => `stripe ${s}`],
  ["slack", `xoxb-123456789012-${of(24)}`, (s) => s],
  ["slack", `T00000000/B00000000/${of(24)}`, (s) => `https://hooks.slack.com/services/${s}`],
  ["twilio", `SK${hex.slice(0, 32)}`, (s) => `twilio ${s}`],
  ["sendgrid", `SG.${of(22)}.${of(43)}`, (s) => s],
  ["mailgun", `key-${hex.slice(0, 32)}`, (s) => s],
  ["npm", `npm_${of(36)}`, (s) => `//packages.example.org/:_auth=${s}`],
  ["pypi", `pypi-AgEIcHlwaS5vcmc${of(60)}`, (s) => s],
  ["hugging-face", `hf_${of(34)}`, (s) => s],
  ["digitalocean", `dop_v1_${hex.slice(0, 64)}`, (s) => s],
  ["docker", `dckr_pat_${of(27)}`, (s) => s],
  ["shopify", `shpat_${hex.slice(0, 32)}`, (s) => s],
  ["telegram", `123456789:AA${of(33)}`, (s) => `bot ${s}`],
  ["discord", of(68), (s) => `https://discord.com/api/webhooks/123456789012345678/${s}`],
  ["databricks", `dapi${hex.slice(0, 32)}`, (s) => s],
  ["vault", `hvs.${of(90)}`, (s) => s],
  ["square", `sq0atp-${of(22)}`, (s) => s],
  ["notion", `ntn_${of(46)}`, (s) => s],
  ["linear", `lin_api_${of(40)}`, (s) => s],
  ["groq", `gsk_${of(52)}`, (s) => s],
  ["replicate", `r8_${of(37)}`, (s) => s],
  ["perplexity", `pplx-${of(48)}`, (s) => s],
  ["atlassian", `ATATT3${of(60)}`, (s) => s],
  ["age-key", `AGE-SECRET-KEY-1${"Q2".repeat(29)}`, (s) => s],
  [
    "azure",
    `${of(86)}==`,
    (s) => `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${s};EndpointSuffix=y`,
  ],
  ["signature", of(44), (s) => `https://x.blob.core.windows.net/c?sv=2020&sig=${s}`],
  ["jwt", `eyJ${of(20)}.eyJ${of(40)}.${of(43)}`, (s) => `jwt ${s}`],
  [
    "private-key",
    `-----BEGIN RSA PRIVATE KEY-----\n${of(64)}\n-----END RSA PRIVATE KEY-----`,
    (s) => `a\n${s}\nb`,
  ],
  ["private-key", `-----BEGIN OPENSSH PRIVATE KEY-----\n${of(64)}`, (s) => s],
  ["url-password", "s3cr3t", (s) => `postgres://admin:${s}@db.example.com:5432/x`],
  ["authorization", "dXNlcjpwYXNz", (s) => `curl -H "Authorization: Basic ${s}" https://x`],
  ["authorization", of(30), (s) => `Bearer ${s}`],
  ["cookie", `sid=${of(20)}; theme=dark`, (s) => `GET /\r\nCookie: ${s}\r\nHost: x`],
  ["session", of(26), (s) => `PHPSESSID=${s}; path=/`],
  ["password", "hunter2!", (s) => `mysql --user=root --password=${s} -e x`],
  ["password", "tr0ub4dor & 3", (s) => `{"db": {"password": "${s}"}}`],
  ["password", "tr0ub4dor", (s) => JSON.stringify(JSON.stringify({ password: s }))],
  ["password", "P@ss", (s) => `Server=x;User Id=y;Password=${s};Encrypt=true`],
  ["secret", of(24), (s) => `CLIENT_SECRET=${s}`],
  ["secret", "abcdefgh", (s) => `const apiKey = "${s}";`],
];

const ALONE = [
  createHash("sha256").update("x").digest("hex"),
  createHash("sha1").update("x").digest("hex"),
  "d41d8cd98f00b204e9800998ecf8427e",
  "123e4567-e89b-42d3-a456-426614174000",
  `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk${of(120)}`,
  "https://example.com:8080/path?token_type=bearer&page=2#frag",
  "mailto:someone@example.com and http://user@example.com/x",
  "The password is required. Forgot your password? Reset the password: see below",
  "const password = getPassword(user); if (password === other) login(password);",
  "process.env.API_KEY and os.environ['TOKEN'], ${SECRET_TOKEN}, password=$PASSWORD, password: <your password>",
  "Authorization: Bearer <token>",
  "a token of 12 signs; tokens: 1234; max_tokens=4096; token count: 17",
  "the bearer of this letter; a cookie recipe: flour, sugar",
  "task-123 disk-usage risk-averse-and-more-than-twenty-signs-long sk-learn",
  "key-value pairs, monkey-patching, api key rotation",
  "git commit 1a62c7f93929ac97e69a824c9f7bcfe0507f79dc",
  "SKU 12345, AKIA, ghp_, npm_config_registry, hf_hub, xoxo",
  "npm i @scope/package-name@1.2.3 --registry=https://packages.example.org/",
  "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI someone@host",
  "2026-11-20T12:00:00.000Z 192.168.0.1:8080 00:1B:44:11:3A:B7",
  "eyJub3RhIjoiand0In0",
];

describe("redaction", () => {
  const redact = of_();

  test("knows more than 20 kinds", () => {
    expect(new Set(CREDENTIALS.map(({ kind }) => kind)).size).toBeGreaterThan(20);
  });

  test.each(SECRETS)("takes out what is %s", (kind, secret, text) => {
    const redacted = redact.text(text(secret));
    expect(redacted).not.toContain(secret);
    expect(redacted).toBe(text(secret).replace(secret, `[redacted:${kind}]`));
    const json: Json = { [`key ${text(secret)}`]: ["x", { deep: text(secret) }] };
    expect(redact.jsonText(JSON.stringify(json))).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(redact.jsonText(JSON.stringify(json))).toBe(JSON.stringify(redact.value(json)));
  });

  test.each<[string, readonly Shape[], readonly Json[]]>([
    ["tuned", credentials("tuned"), lookAlikes("tuned")],
    ["held out", credentials("heldOut"), lookAlikes("heldOut")],
    ["second", secondCredentials(), SECOND_LOOK_ALIKES],
  ])("finds credentials, and spares what looks like them: %s", (_, shapes, innocent) => {
    const missed = shapes.filter(({ value, secret }) =>
      redact.jsonText(JSON.stringify(value)).includes(JSON.stringify(secret).slice(1, -1)),
    );
    const taken = innocent.filter(
      (value) => redact.jsonText(JSON.stringify(value)) !== JSON.stringify(value),
    );
    const found = shapes.length - missed.length;
    const recall = found / shapes.length;
    const precision = found / (found + taken.length);
    if (recall < 0.97) expect(missed.map(({ name }) => name)).toEqual([]);
    if (precision < 0.97) expect(taken).toEqual([]);
    expect(Math.min(recall, precision)).toBeGreaterThanOrEqual(0.97);
  });

  test("the corpus has 200 of each, and every kind that is known by its form tells its source", () => {
    expect(credentials("tuned").length + credentials("heldOut").length).toBeGreaterThanOrEqual(200);
    expect(lookAlikes("tuned").length + lookAlikes("heldOut").length).toBeGreaterThanOrEqual(200);
    expect(secondCredentials().length).toBeGreaterThanOrEqual(200);
    expect(SECOND_LOOK_ALIKES.length).toBeGreaterThanOrEqual(200);
    expect(CREDENTIALS.filter(({ source }) => !source.startsWith("https://"))).toEqual([]);
  });

  test.each(ALONE.map((text) => [text]))("leaves alone: %s", (text) => {
    expect(redact.text(text)).toBe(text);
    expect(redact.value({ text: [text] })).toEqual({ text: [text] });
  });

  test("leaves random hashes, ids and base64 alone", () => {
    for (let round = 0; round < 300; round++)
      for (const text of [
        randomUUID(),
        randomBytes(32).toString("hex"),
        `x ${randomBytes(600).toString("base64")}`,
      ])
        expect(redact.text(text)).toBe(text);
  });

  test("what is under a key that names a secret is one, in any writing of the key", () => {
    const secret = {
      password: "a b",
      DB_PASSWORD: 12345,
      "client-secret": "x",
      clientSecret: "x",
      accessToken: "x",
      "x-api-key": "x",
      apiKey: ["x", "y"],
      Authorization: "x",
      "Set-Cookie": "x",
      sessionId: of(26),
      private_key: "x",
    };
    const redacted = redact.value(secret) as Record<string, Json>;
    expect(Object.keys(redacted)).toEqual(Object.keys(secret));
    expect(JSON.stringify(Object.values(redacted))).not.toMatch(/"x"|12345|a b|Ab1Cd2/);
    expect(JSON.parse(redact.jsonText(JSON.stringify(secret)))).toEqual(redacted);
    const harmless = {
      nextPageToken: "abc",
      page_token: "abc",
      max_tokens: 5,
      tokenCount: "5",
      passwordRequired: true,
      password: "",
      secret: null,
      token: "${TOKEN}",
      keyboard: "x",
      tokens: ["a"],
    };
    expect(redact.value(harmless)).toEqual(harmless);
  });

  test("a scheme of authorization that nobody knows stays, before a credential and before what stands for one", () => {
    const once = redact.text(`Authorization: A0scheme sk_live_${of(24)}`);
    expect(once).toBe("Authorization: A0scheme [redacted:stripe]");
    expect(redact.text(once)).toBe(once);
  });

  test("a second time changes nothing, whatever the text", () => {
    const pieces = [
      ...SECRETS.map(([, secret, text]) => text(secret)),
      ...CREDENTIALS.map(({ kind }) => `[redacted:${kind}]`),
      "password=",
      "token: ",
      '"secret": "',
      "Authorization: ",
      "Bearer ",
      "https://u:",
      "@",
      "=",
      '"',
      "\\",
      " ",
      "\n",
    ];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 8 }), (parts) => {
        const once = redact.text(parts.join(""));
        expect(redact.text(once)).toBe(once);
      }),
      { numRuns: 1500 },
    );
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const once = redact.value(json as Json);
        expect(redact.value(once)).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });

  test("text made to be slow takes time in proportion to its length, up to an allowance", () => {
    const marks = [...CREDENTIALS, ...TEXT_RULES].flatMap((rule) => rule.marks);
    const endless = (): Allowance => new Allowance(Number.POSITIVE_INFINITY);
    const timeOf = (text: string): number => {
      const before = process.threadCpuUsage().user;
      redact.text(text, endless());
      return process.threadCpuUsage().user - before;
    };
    const slow: string[] = [];
    for (const mark of new Set(marks)) {
      const piece = `${mark}=a1`;
      const text = piece.repeat(Math.ceil(700 / piece.length));
      // Eight times as much takes about eight times as long, not 64 times: of the processor, however busy it is.
      const few = Math.max(3000, timeOf(text));
      const most = few * 32;
      if (timeOf(text.repeat(8)) > most && timeOf(text.repeat(8)) > most) slow.push(piece);
    }
    expect(slow).toEqual([]);
    const costly = "token ".repeat(200_000);
    expect(() => redact.text(costly)).toThrow(TooCostly);
    expect(redact.text(`-----BEGIN PRIVATE KEY-----`.repeat(40_000))).toMatch(/^\[redacted:private-key\]/);
  });

  test("text is read in proportion to the allowance, and text that was not made to be costly has enough of it", () => {
    const timeOf = (given: string): number => {
      const before = process.threadCpuUsage().user;
      try {
        redact.text(given);
      } catch (error) {
        expect(error).toBeInstanceOf(TooCostly);
      }
      return process.threadCpuUsage().user - before;
    };
    const megabyte = (piece: string): string => piece.repeat(Math.ceil(1_000_000 / piece.length));
    const short = timeOf(megabyte("password is "));
    // Each took four to eight times as long, for what is read behind the mark.
    const jwt = `${"-eyJ".repeat(127)}.${"-eyJ".repeat(2100)} `;
    const slow = ["cookie:", "authorization:", jwt].filter((piece) => {
      const text = megabyte(piece);
      return timeOf(text) > 2 * short && timeOf(text) > 2 * timeOf(megabyte("password is "));
    });
    expect(slow).toEqual([]);
    const labels = Array.from({ length: 20_000 }, (_, at) => [
      `login.password.label${at}`,
      "Enter your password",
    ]);
    expect(redact.text(JSON.stringify(Object.fromEntries(labels)))).toContain("label19999");
    expect(redact.text(megabyte("DB_PASSWORD=hunter2xZ\n"))).not.toContain("hunter2");
  });

  test("many long names in other scripts are cut, not judged for seconds", () => {
    const names = Array.from({ length: 20_000 }, (_, at) => [`passwordé${at}${"А".repeat(100)}`, 1]);
    expect(() => redact.value(Object.fromEntries(names) as Json)).toThrow(TooCostly);
  });

  test("one allowance is for a whole trace that is read: what is behind it is cut, with its size", async () => {
    const costly = { x: "token ".repeat(9_000) };
    const events = Array.from({ length: 40 }, (_, at) => ({
      id: `${at}`,
      runId: "r",
      eventType: "tool_call" as const,
      executionOrder: at,
      status: "completed" as const,
      timestamp: 0,
      inputs: costly,
    }));
    const { events: read } = await redactedTrace(
      { runId: "r", source: "run", startedAt: 0, events, files: [] },
      redact,
    );
    expect(read[0]?.inputs).toEqual(costly);
    expect(read.at(-1)?.inputs).toMatchObject({ "[cut]": { bytes: JSON.stringify(costly).length } });
  });

  test("what each value of a trace needs as a rule is its own, whatever a costly one has spent", async () => {
    const event = (at: number, inputs: Json) => ({
      id: `${at}`,
      runId: "r",
      eventType: "tool_call" as const,
      executionOrder: at,
      status: "completed" as const,
      timestamp: 0,
      inputs,
    });
    const ordinary = (at: number): Json => ({
      query: `users of ${at}`,
      password: `hunter2-${at}`,
      rows: Array.from({ length: 20 }, (_, row) => ({ id: row, token: "USDC", author: "Ann" })),
    });
    const { events } = await redactedTrace(
      {
        runId: "r",
        source: "run",
        startedAt: 0,
        events: [
          event(0, { x: "token ".repeat(400_000) }),
          ...[1, 2, 3].map((at) => event(at, ordinary(at))),
        ],
        files: [],
      },
      redact,
    );
    expect(events.map(({ inputs }) => JSON.stringify(inputs).slice(0, 8))).toEqual([
      '{"[cut]"',
      '{"query"',
      '{"query"',
      '{"query"',
    ]);
    for (const [at, { inputs }] of events.entries())
      if (at > 0) expect(inputs).toEqual({ ...(ordinary(at) as object), password: "[redacted:password]" });
  });

  test("rules of one's own take linear time, whatever they are", () => {
    const own = of_({
      rules: [
        { name: "one", pattern: "abc(a+)+x" },
        { name: "two", pattern: String.raw`abc(?:\w|\d)*\w+\s*\d+x` },
        { name: "three", pattern: "abd[^x]{0,256}[^y]{0,256}z" },
      ],
    });
    for (const text of [`abc${"a".repeat(100_000)}!`, "abc".repeat(50_000), "abd".repeat(30_000)])
      expect(own.text(text)).toBe(text);
  });

  test("a kind can be switched off, and one's own rules added", () => {
    const own = of_({
      off: ["github"],
      rules: [{ name: "acme", pattern: String.raw`\bacme_[A-Za-z0-9]{10,}` }],
    });
    expect(own.text(`ghp_${of(36)}`)).toBe(`ghp_${of(36)}`);
    expect(own.text("an acme_0123456789 key")).toBe("an [redacted:acme] key");
    expect(own.jsonText('["acme_0123456789"]')).toBe('["[redacted:acme]"]');
    expect(of_({ off: ["password"] }).value({ password: "x" })).toEqual({ password: "x" });
  });

  test.each([
    ["(", "no regular expression"],
    [".*", "begin with"],
    ["ab+", "begin with"],
    ["abc|def", "alternatives"],
    [String.raw`abc(a)\1`, "RE2"],
    ["abc(?=x)", "RE2"],
    ["abc[a-z]{5000}", "RE2"],
    ["redacted[:a-z]*", "stands for a secret"],
    [`abc${"d".repeat(600)}`, "longer"],
  ])("the rule %s is refused", (pattern, why) => {
    const made = redactor({ rules: [{ name: "own", pattern }] });
    expect(made).toMatchObject({
      ok: false,
      error: { code: "CONFIG_INVALID", message: expect.stringContaining(why) as string },
    });
  });
});

function of_(options: RedactionOptions = {}): Redactor {
  const made = redactor(options);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}
