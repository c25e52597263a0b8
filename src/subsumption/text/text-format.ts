import { fullFormats } from "ajv-formats/dist/formats.js";
import type { Json } from "../../core/json/json.ts";
import { validatorOf, type Validator } from "../../core/json/json-schema.ts";

/** What is known of a format that is asserted; other formats are annotations. */
export interface Format {
  readonly name: string;
  readonly accepts: (value: Json) => boolean;
  /** Texts that have it; none where it is about numbers. */
  readonly examples: readonly string[];
  /** A pattern that all of its texts have, and others too. */
  readonly pattern?: string;
  /** What stands before and after any number of zeros in a text that has it. */
  readonly around?: readonly [before: string, after: string];
  readonly isNumeric: boolean;
}

export function formatOf(name: string): Format | undefined {
  const known = formats.get(name);
  if (known || !ASSERTED.has(name)) return known;
  const definition = Object.entries(fullFormats).find(([each]) => each === name)?.[1];
  let validate: Validator | undefined;
  const format: Format = {
    name,
    accepts: (value) => (validate ??= validatorOf({ format: name }))(value).ok,
    isNumeric: typeof definition === "object" && "type" in definition && definition.type === "number",
    ...(KNOWLEDGE.get(name) ?? { examples: [] }),
  };
  formats.set(name, format);
  return format;
}

/** Whether texts of the one format have the other too. */
export function isFormatWithin(one: string, other: string): boolean {
  return one === other || (WIDER.get(one)?.includes(other) ?? false);
}

const formats = new Map<string, Format>();

const ASSERTED: ReadonlySet<string> = new Set(
  Object.entries(fullFormats).flatMap(([name, definition]) => (definition === true ? [] : [name])),
);

const WIDER: ReadonlyMap<string, readonly string[]> = new Map([
  ["date-time", ["iso-date-time"]],
  ["time", ["iso-time"]],
  ["int32", ["int64", "float", "double"]],
  ["int64", ["float", "double"]],
  ["float", ["double"]],
  ["double", ["float"]],
]);

const DATE = String.raw`\d{4}-\d{2}-\d{2}`;
const TIME = String.raw`\d{2}:\d{2}:\d{2}(?:\.\d+)?`;
const ZONE = String.raw`(?:[zZ]|[+-]\d{2}(?::?\d{2})?)`;
const HEX = "[0-9a-fA-F]";

type Knowledge = Pick<Format, "examples" | "pattern" | "around">;

const KNOWLEDGE: ReadonlyMap<string, Knowledge> = new Map([
  ["date", { examples: ["2026-01-31", "1999-12-01", "2000-02-29"], pattern: `^${DATE}$` }],
  [
    "time",
    {
      examples: ["12:00:00Z", "23:59:59.5+01:00", "00:00:00Z"],
      pattern: `^${TIME}${ZONE}$`,
      around: ["12:00:00.", "Z"],
    },
  ],
  [
    "iso-time",
    {
      examples: ["12:00:00", "23:59:59.5+01:00", "12:00:00Z"],
      pattern: `^${TIME}${ZONE}?$`,
      around: ["12:00:00.", ""],
    },
  ],
  [
    "date-time",
    {
      examples: ["2026-01-31T12:00:00Z", "1999-12-01T23:59:59.5+01:00", "2000-02-29t00:00:00z"],
      pattern: String.raw`^${DATE}[tT\s]${TIME}${ZONE}$`,
      around: ["2026-01-31T12:00:00.", "Z"],
    },
  ],
  [
    "iso-date-time",
    {
      examples: ["2026-01-31T12:00:00", "2026-01-31T12:00:00Z", "1999-12-01 23:59:59.5+01:00"],
      pattern: String.raw`^${DATE}[tT\s]${TIME}${ZONE}?$`,
      around: ["2026-01-31T12:00:00.", ""],
    },
  ],
  [
    "duration",
    {
      examples: ["P1D", "PT2H", "P1Y2M3DT4H5M6S"],
      pattern: "^P[0-9YMDTHSW]+$",
      around: ["P", "D"],
    },
  ],
  [
    "email",
    {
      examples: ["a@example.com", "first.last@mail.example.org"],
      pattern: "^[a-zA-Z0-9!#$%&'*+/=?^_`\\{|\\}~.-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z0-9-]+$",
      around: ["a", "@example.com"],
    },
  ],
  ["hostname", { examples: ["example.com", "a", "mail.example.org."], pattern: "^[a-zA-Z0-9.-]+$" }],
  ["ipv4", { examples: ["127.0.0.1", "192.168.1.10"], pattern: String.raw`^\d{1,3}(?:\.\d{1,3}){3}$` }],
  ["ipv6", { examples: ["::1", "2001:db8::ff00:42:8329"], pattern: "^[0-9a-fA-F:.]+$" }],
  [
    "uri",
    {
      examples: ["https://example.com/a", "urn:a:b"],
      pattern: String.raw`^[a-zA-Z][a-zA-Z0-9+.-]*:\S+$`,
      around: ["https://example.com/", ""],
    },
  ],
  ["uri-reference", { examples: ["a", "https://example.com/a", "/a?b#c"], around: ["a", ""] }],
  ["uri-template", { examples: ["a", "https://example.com/{a}"], around: ["a", ""] }],
  [
    "url",
    {
      examples: ["https://example.com/a", "http://example.org"],
      pattern: "://",
      around: ["https://example.com/", ""],
    },
  ],
  [
    "uuid",
    {
      examples: ["123e4567-e89b-12d3-a456-426614174000", "urn:uuid:123e4567-e89b-12d3-a456-426614174001"],
      pattern: `^(?:[uU][rR][nN]:[uU][uU][iI][dD]:)?${HEX}{8}-(?:${HEX}{4}-){3}${HEX}{12}$`,
    },
  ],
  ["regex", { examples: ["a", "^[a-z]+$"], around: ["a", ""] }],
  ["json-pointer", { examples: ["", "/a", "/a/0"], around: ["/", ""] }],
  ["json-pointer-uri-fragment", { examples: ["#", "#/a"], pattern: "^#", around: ["#/", ""] }],
  ["relative-json-pointer", { examples: ["0", "1/a", "0#"], pattern: String.raw`^\d`, around: ["1", ""] }],
  ["byte", { examples: ["", "YQ==", "YWJj"] }],
] satisfies [string, Knowledge][]);
