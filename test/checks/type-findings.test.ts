import { beforeAll, describe, expect, test } from "vitest";
import type { Diagnostic } from "../../src/core/diagnostic.ts";
import { skillFolder } from "./read-folder.ts";
import { compiler } from "../shared-threads.ts";

const CALLEE = skillFolder(
  "book",
  `interface Input {
  city: string;
  nights: number;
  board?: "full" | "half";
  guests?: string[];
  quiet?: boolean;
  address?: { street: string; zip: string };
}
export default (input: Input): { price: number; confirmed: boolean } => ({ price: input.nights, confirmed: true });`,
);
const HEAD = `export default async function run(input: { city: string | null; days: string; rest: unknown }): Promise<unknown> { const when = new Date(0); void when;`;

/** What is wrong, and what to write instead. */
const FIXES: readonly (readonly [body: string, fix: string])[] = [
  [`return call_skill("book", { city: "Oslo" });`, "Add `nights: number`"],
  [`return call_skill("book", {});`, "Add `city: string`, `nights: number`"],
  [`return call_skill("book");`, "Give it what is missing: `{ city: string, nights: number }`"],
  [`return call_skill("book", { city: "Oslo", nights: input.days });`, "Convert it: `Number(input.days)`"],
  [`return call_skill("book", { city: "Oslo", nights: "2" });`, 'Convert it: `Number("2")`'],
  [`return call_skill("book", { city: "Oslo", nights: "two" });`, "Give a number"],
  [`return call_skill("book", { city: 5, nights: 1 });`, "Convert it: `String(5)`"],
  [`return call_skill("book", { city: when, nights: 1 });`, "Convert it: `when.toISOString()`"],
  [
    `return call_skill("book", { city: input.city, nights: 1 });`,
    "Give a value for when it is missing: `input.city ?? …`",
  ],
  [`return call_skill("book", { city: "Oslo", nights: 1, board: "none" });`, 'Give one of "full", "half"'],
  [
    `return call_skill("book", { city: "Oslo", nights: 1, quiet: "yes" });`,
    'Give true or false, such as `Boolean("yes")`',
  ],
  [`return call_skill("book", { city: "Oslo", nights: 1, guests: "Ann" });`, 'Give a list: `["Ann"]`'],
  [`return call_skill("book", { city: ["Oslo"], nights: 1 });`, 'Give one of the list: `["Oslo"][0]`'],
  [`return call_skill("book", { city: "Oslo", nights: 1, cots: 2 });`, "Remove `cots`"],
  [
    `return call_skill("book", { city: "Oslo", night: 1 });`,
    "Write `nights` instead of `night`, or remove it",
  ],
  [
    `const given = { city: "Oslo", nights: "2" }; return call_skill("book", given);`,
    "Convert it: `Number(given.nights)`",
  ],
  [
    `return call_skill("book", { city: "Oslo", nights: 1, address: { street: "Kirkegata" } });`,
    "Add `zip: string`",
  ],
  [
    `const booked = call_skill("book", { city: "Oslo", nights: 1 }); return booked.price;`,
    "Await it: `(await booked)`",
  ],
  [
    `const booked = await call_skill("book", { city: "Oslo", nights: 1 }); return booked.prise;`,
    "Write `price`",
  ],
  [
    `const booked = await call_skill("book", { city: "Oslo", nights: 1 }); return booked.rooms;`,
    "It has `price`, `confirmed`",
  ],
  [
    `const price: string = (await call_skill("book", { city: "Oslo", nights: 1 })).price; return price;`,
    "Convert it: `String(…)`",
  ],
  [
    `return input.city.length;`,
    "Give a value for when it is missing: `input.city ?? …`, or test `input.city` first",
  ],
  [`return input.rest.length;`, 'Find out first what it is, such as `typeof input.rest === "string"`'],
  [`return input.days * 2;`, "Convert it: `Number(input.days)`"],
];

describe("a finding about types says what to write instead", () => {
  let found: readonly Diagnostic[];
  beforeAll(async () => {
    const folders = FIXES.map(([body], index) => skillFolder(`probe-${index}`, `${HEAD}\n${body}\n}\n`));
    ({ findings: found } = await compiler.compile([CALLEE, ...folders]));
  });

  test.each(FIXES.map(([body, fix], index) => [body, fix, index] as const))("%s", (_, fix, index) => {
    const own = found.filter(({ path }) => path.startsWith(`/skills/probe-${index}/`));
    expect(own).toMatchObject([{ code: "call-type", severity: "error", line: 2, fix }]);
  });
});
