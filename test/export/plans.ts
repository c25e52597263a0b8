import type { Json, JsonObject } from "../../src/core/json/json.ts";
import type { ExportedSkill, ToolAccess } from "../../src/export/engine-adapter.ts";
import type { CallStep, Expression, Param, Plan } from "../../src/learn/plan/plan.ts";

const param = (name: string): Expression => ({ kind: "param", name });
const ref = (name: string): Expression => ({ kind: "ref", name });
const constant = (value: Json): Expression => ({ kind: "constant", value });
const field = (of: Expression, ...path: readonly string[]): Expression => ({ kind: "field", of, path });
const object = (fields: Readonly<Record<string, Expression>>): Expression => ({
  kind: "object",
  fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
});
const call = (name: string, tool: string, args: Readonly<Record<string, Expression>>): CallStep => ({
  kind: "call",
  name,
  tool: `shop.${tool}`,
  args: object(args),
});
const text = (name: string, rest: Partial<Param> = {}): Param => ({
  name,
  schema: { type: "string" },
  origins: [],
  ...rest,
});
const READS = ["find_customer", "list_orders", "get_order"].map(
  (tool) => ({ tool: `shop.${tool}`, operation: "READ", by: "server" }) as const,
);
const TEXT = { type: "string" };

const address = {
  type: "object",
  properties: { street: TEXT, city: TEXT, postcode: TEXT, country: TEXT },
  required: ["street", "city", "postcode", "country"],
};

const customerWith = (email: Expression): Expression => ({
  kind: "find",
  in: field(ref("customer"), "customers"),
  where: [{ path: ["email"], equals: email }],
});

const pending: Expression = {
  kind: "find",
  in: field(ref("orders"), "orders"),
  where: [{ path: ["status"], equals: param("status") }],
};

/** As it is learned of a session with the example's shop. */
export const MOVE: Plan = {
  version: 1,
  name: "move-pending-order",
  description: "Sends an order of a customer elsewhere. Use it when an order is to go to another address.",
  params: [
    text("email", { example: "ada@example.org" }),
    text("status", { example: "pending" }),
    {
      name: "shipTo",
      schema: address,
      example: { street: "Storgata 7", city: "Oslo", postcode: "0155", country: "NO" },
      origins: [],
    },
  ],
  steps: [
    call("customer", "find_customer", { text: param("email") }),
    call("orders", "list_orders", { customerId: field(customerWith(param("email")), "id") }),
    call("order", "get_order", { id: field(pending, "id") }),
    call("moved", "update_order_address", {
      id: field(ref("order"), "order", "id"),
      shipTo: param("shipTo"),
    }),
  ],
  output: { value: ref("moved"), schema: { type: "object", properties: { order: {} }, required: ["order"] } },
  effects: READS,
};

const only: Expression = { kind: "only", in: field(ref("customer"), "customers") };

/** A guard, and a loop that reads and writes in each round, with a date and a parameter that may be left out. */
export const CANCEL: Plan = {
  version: 1,
  name: "cancel-open-orders",
  description: "Cancels all orders of a customer that are not delivered. Use it when a customer leaves.",
  params: [text("email", { example: "ada@example.org" }), text("reason", { optional: true })],
  steps: [
    call("customer", "find_customer", { text: param("email") }),
    { kind: "guard", value: field(only, "address", "country"), equals: constant("SE") },
    call("orders", "list_orders", { customerId: field(only, "id") }),
    {
      kind: "loop",
      name: "cancelled",
      over: {
        kind: "filter",
        in: field(ref("orders"), "orders"),
        where: [{ path: ["status"], operator: "!=", equals: constant("delivered") }],
      },
      item: "open",
      steps: [
        call("seen", "get_order", { id: field(ref("open"), "id") }),
        call("gone", "cancel_order", { id: field(ref("seen"), "order", "id"), reason: param("reason") }),
      ],
      gives: object({
        id: field(ref("gone"), "order", "id"),
        status: field(ref("gone"), "order", "status"),
        refundBy: {
          kind: "date",
          of: field(ref("seen"), "order", "placedAt"),
          days: 14,
          format: "DD.MM.YYYY",
        },
        reason: param("reason"),
      }),
      order: "sequential",
    },
  ],
  output: {
    value: object({
      customer: field(only, "name"),
      cancelled: ref("cancelled"),
      count: { kind: "aggregate", operator: "count", of: ref("cancelled") },
    }),
    schema: {
      type: "object",
      properties: {
        customer: TEXT,
        cancelled: {
          type: "array",
          items: {
            type: "object",
            properties: { id: TEXT, status: TEXT, refundBy: TEXT, reason: TEXT },
            required: ["id", "status", "refundBy"],
          },
        },
        count: { type: "integer" },
      },
      required: ["customer", "cancelled", "count"],
    },
  },
  effects: READS,
};

/** A loop whose rounds only read, at once. */
export const TOTAL: Plan = {
  version: 1,
  name: "order-total",
  description: "Adds up what a customer has ordered. Use it to see what a customer is worth.",
  params: [text("email", { example: "ada@example.org" })],
  steps: [
    call("customer", "find_customer", { text: param("email") }),
    call("orders", "list_orders", { customerId: field(only, "id") }),
    {
      kind: "loop",
      name: "totals",
      over: field(ref("orders"), "orders"),
      item: "each",
      steps: [call("one", "get_order", { id: field(ref("each"), "id") })],
      gives: field(ref("one"), "order", "total"),
      order: "parallel",
    },
  ],
  output: {
    value: object({ total: { kind: "aggregate", operator: "sum", of: ref("totals") } }),
    schema: { type: "object", properties: { total: { type: "number" } }, required: ["total"] },
  },
  effects: READS,
};

const asked = field(ref("order"), "order");

/** One call after the other, which take over what is given and told: nothing is computed. */
export const SEND: Plan = {
  version: 1,
  name: "send-order-elsewhere",
  description: "Sends an order elsewhere. Use it when the number of the order is known.",
  params: [
    text("id", { example: "O-1001" }),
    {
      name: "shipTo",
      schema: address,
      example: { street: "Storgata 7", city: "Oslo", postcode: "0155", country: "NO" },
      origins: [],
    },
  ],
  steps: [
    call("order", "get_order", { id: param("id") }),
    call("orders", "list_orders", { customerId: field(asked, "customerId"), status: field(asked, "status") }),
    call("moved", "update_order_address", { id: field(asked, "id"), shipTo: param("shipTo") }),
  ],
  output: {
    value: object({
      orders: field(ref("orders"), "orders"),
      order: field(ref("moved"), "order"),
      to: param("shipTo"),
    }),
    schema: {
      type: "object",
      properties: { orders: { type: "array" }, order: { type: "object" }, to: address },
      required: ["orders", "order", "to"],
    },
  },
  effects: READS,
};

export const PLANS: readonly Plan[] = [MOVE, CANCEL, TOTAL];

export const SERVED: ToolAccess = { kind: "served", published: (tool) => tool.replace(".", "__") };
export const DIRECT: ToolAccess = { kind: "direct" };

export function skillOf(plan: Plan, rest: Partial<ExportedSkill> = {}): ExportedSkill {
  const { name, description, params, output } = plan;
  const input: JsonObject = {
    type: "object",
    properties: Object.fromEntries(params.map((param) => [param.name, param.schema])),
    required: params.flatMap((param) => (param.optional === true ? [] : [param.name])),
  };
  const cases = [
    { name: "needs email", input: {}, expected: { kind: "error", code: "INPUT_INVALID" } },
  ] as const;
  return { name, description, input, output: output.schema, cases, work: { kind: "plan", plan }, ...rest };
}
