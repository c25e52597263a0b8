import { expect, test } from "vitest";
import { ok } from "../../../src/core/result.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import { differenceText } from "../../../src/learn/review/difference-text.ts";
import type { Rung } from "../../../src/learn/verify/evidence.ts";
import { evidenceFor } from "../../../src/learn/verify/verification.ts";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { learned, traceOf } from "../learned.ts";
import { runner } from "../../shared-threads.ts";

/** What is found where each call of the code fails, the code being that of the trace's plan unless told. */
async function faultsIn(trace: RecordedTrace, code?: string): Promise<Rung> {
  const { plan } = learned([trace]);
  const text = code ?? skillCode(plan);
  const { rungs } = await evidenceFor(
    { plan, code: text, digest: "this", traces: [{ digest: "own", trace }] },
    { runner, derive: () => Promise.resolve(ok({ name: "d", skills: skillSet({ d: text }), faults: [] })) },
    { seeds: [] },
  );
  const found = rungs.find(({ name }) => name === "faults");
  if (!found) throw new Error("no call was made to fail");
  expect(rungs.find(({ name }) => name === "own")).toMatchObject({ passed: 1, of: 1 });
  return found;
}

function said({ counterexample }: Rung): string {
  return counterexample ? differenceText(counterexample.difference) : "";
}

const MOVE = traceOf("Move order O-1001 to Lund", [
  ["shop.get_order", { id: "O-1001" }, { id: "O-1001", status: "open", note: null }],
  ["shop.set_address", { id: "O-1001", city: "Lund" }, { done: true }],
  ["shop.send_mail", { id: "O-1001" }, { sent: true }],
]);

const CALLS = {
  look: `await call_tool("shop.get_order", { id: "O-1001" })`,
  move: `await call_tool("shop.set_address", { id: "O-1001", city: "Lund" })`,
  mail: `await call_tool("shop.send_mail", { id: "O-1001" })`,
};
const { look, move, mail } = CALLS;

test("a learned skill stops wherever a call fails", async () => {
  expect(await faultsIn(MOVE)).toMatchObject({ passed: 3, of: 3 });
});

const REFUSED: readonly (readonly [what: string, body: string, passed: number, counterexample: string])[] = [
  [
    "a write's failure",
    `${look}; try { ${move} } catch {} return ${mail}`,
    2,
    "where call 1, shop.set_address, fails in a way of its own, it goes on to shop.send_mail",
  ],
  [
    "a read's failure",
    `${look.replace("await ", "await ").concat(".catch(() => null)")}; ${move}; return ${mail}`,
    2,
    "where call 0, shop.get_order, fails in a way of its own, it goes on to shop.set_address",
  ],
  [
    "every failure but those of one name",
    `${look}; try { ${move} } catch (error) { if (/locked/.test(error.message)) throw error } return ${mail}`,
    2,
    "where call 1, shop.set_address, fails in a way of its own, it goes on to shop.send_mail",
  ],
  [
    "a failure by writing something else",
    `${look}; try { ${move}; return ${mail} } catch { return call_tool("shop.cancel", { id: "O-1001" }) }`,
    1,
    "where call 1, shop.set_address, fails in a way of its own, it goes on to shop.cancel",
  ],
  [
    "the failure of writes that it does not wait for",
    `${look}; return (await Promise.allSettled([${move.slice(6)}, ${mail.slice(6)}])).at(-1).value`,
    2,
    "where call 1, shop.set_address, fails in a way of its own, it goes on to shop.send_mail",
  ],
];

test.each(REFUSED)("code that swallows %s is refused", async (_, body, passed, counterexample) => {
  const rung = await faultsIn(MOVE, `export default async () => { ${body} }`);
  expect(rung).toMatchObject({ passed, of: 3 });
  expect(said(rung)).toContain(counterexample);
});

const TAKEN: readonly (readonly [what: string, body: string])[] = [
  [
    "looks elsewhere and stops",
    `try { ${look} } catch { ${look}; throw new Error("no order") } ${move}; return ${mail}`,
  ],
  [
    "says how far it came",
    `${look}; try { ${move} } catch (error) { return { moved: false } } return ${mail}`,
  ],
  [
    "tells that the last call failed",
    `${look}; ${move}; try { return ${mail} } catch { return { sent: false } }`,
  ],
];

test.each(TAKEN)("code that %s is taken", async (_, body) => {
  expect(await faultsIn(MOVE, `export default async () => { ${body} }`)).toMatchObject({ passed: 3, of: 3 });
});

const UPGRADE = traceOf("Upgrade ZFA04Y, else cancel it", [
  ["air.upgrade", { id: "ZFA04Y" }, null, "no seats left on HAT030"],
  ["air.cancel", { id: "ZFA04Y" }, { done: true }],
]);

test("a call that had failed succeeds, too: what followed the failure must not follow then", async () => {
  expect(await faultsIn(UPGRADE)).toMatchObject({ passed: 3, of: 3 });
  const rung = await faultsIn(
    UPGRADE,
    `export default async () => {
      try { await call_tool("air.upgrade", { id: "ZFA04Y" }) }
      catch (error) { if (!/no seats/.test(error.message)) throw error }
      return call_tool("air.cancel", { id: "ZFA04Y" });
    }`,
  );
  expect(rung).toMatchObject({ passed: 2, of: 3 });
  expect(said(rung)).toContain(
    "where call 0, air.upgrade, succeeds instead of failing, it goes on to air.cancel",
  );
});

test("of a loop's rounds the first and the last fail, and the others are counted", async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `O-${1000 + index}`);
  const trace = traceOf("Cancel all orders of C-77", [
    ["shop.list_orders", { customer: "C-77" }, { orders: ids.map((id) => ({ id })) }],
    ...ids.map((id) => ["shop.cancel_order", { id }, { done: true }] as const),
    ["shop.close_account", { customer: "C-77" }, { closed: true }],
  ]);
  expect(await faultsIn(trace)).toMatchObject({ passed: 7, of: 7, untried: 58 });
  const swallowing = skillCode(learned([trace]).plan).replace(
    /await call_tool\("shop.cancel_order",[^;]*\)/,
    (call) => `${call}.catch(() => null)`,
  );
  expect(swallowing).toContain("catch");
  const rung = await faultsIn(trace, swallowing);
  expect(rung.untried).toBeGreaterThan(0);
  expect(rung.of).toBeGreaterThan(40);
  expect(rung.passed).toBe(5);
});

const PAY = traceOf("Pay what is open on the bills of C-77 that are not disputed", [
  ["bank.get_customer", { id: "C-77" }, { id: "C-77", account: "DE-4401", state: "active" }],
  [
    "bank.list_bills",
    { customer: "C-77" },
    {
      bills: [
        { id: "B-9001", open: 120, state: "due" },
        { id: "B-9002", open: 75, state: "disputed" },
        { id: "B-9003", open: 310, state: "late" },
      ],
    },
  ],
  ["bank.pay", { bill: "B-9001", amount: 120, from: "DE-4401" }, { done: true }],
  ["bank.pay", { bill: "B-9003", amount: 310, from: "DE-4401" }, { done: true }],
]);

/** Code that pays the bills; `each` and `from` say what it pays, and `fits` which. */
function payingCode(each: string, from: string, fits: string): string {
  return `export default async () => {
    const customer = await call_tool("bank.get_customer", { id: "C-77" });
    if (customer.state !== "active") throw new Error("not active");
    const { bills } = await call_tool("bank.list_bills", { customer: "C-77" });
    for (const bill of bills.filter((one) => ${fits}))
      await call_tool("bank.pay", { bill: bill.id, amount: ${each}, from: ${from} });
  };
  const known = (value) => { if (value == null) throw new Error("missing"); return value; }`;
}

test("where an answer lacks what is read in it, sound code stops, or does only what was done", async () => {
  const rung = await faultsIn(
    PAY,
    payingCode("known(bill.open)", "known(customer.account)", `["due", "late"].includes(one.state)`).replace(
      "bill: bill.id",
      "bill: known(bill.id)",
    ),
  );
  expect(rung.passed).toBe(rung.of);
  expect(rung.of).toBeGreaterThan(10);
});

test.each([
  ["an argument out", "bill.open", "known(customer.account)", `["due", "late"].includes(one.state)`, "open"],
  [
    "a text empty",
    "known(bill.open)",
    "`${customer.account}`",
    `["due", "late"].includes(one.state)`,
    "account",
  ],
  ["a condition out", "known(bill.open)", "known(customer.account)", `one.state !== "disputed"`, "state"],
])("code that then leaves %s is refused", async (_, amount, from, fits, field) => {
  const code = payingCode(amount, from, fits).replace("bill: bill.id", "bill: known(bill.id)");
  const rung = await faultsIn(PAY, code);
  expect(rung.passed).toBeLessThan(rung.of);
  expect(said(rung)).toMatch(new RegExp(`bank\\.\\w+, answers without "${field}", it goes on to bank\\.pay`));
});
