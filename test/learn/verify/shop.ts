import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";

/** A run in which an item of an order is exchanged for another one of the same product. */
export function exchangeTrace(): RecordedTrace {
  return {
    id: "exchange",
    task: "You are Olivia Ito, zip 80218. Exchange the Hiking Boots of #W5442520 for the size 9, paid by credit card.",
    calls: [
      call(
        "shop.find_user",
        { first_name: "Olivia", last_name: "Ito", zip: "80218" },
        { user_id: "olivia_ito_3591" },
      ),
      call(
        "shop.get_user",
        { user_id: "olivia_ito_3591" },
        {
          name: { first_name: "Olivia", last_name: "Ito" },
          email: "olivia.ito@example.com",
          orders: ["#W7766102", "#W5442520"],
          payment_methods: {
            paypal_3798357: { source: "paypal", id: "paypal_3798357" },
            credit_card_9753331: { source: "credit_card", last_four: "9753", id: "credit_card_9753331" },
          },
        },
      ),
      call("shop.get_order", { order_id: "#W5442520" }, order()),
      call(
        "shop.get_product",
        { product_id: "7363354090" },
        {
          name: "Hiking Boots",
          variants: {
            "2648909398": { item_id: "2648909398", size: "8", available: true, price: 240.87 },
            "8118291112": { item_id: "8118291112", size: "12", available: false, price: 260.56 },
            "4582956489": { item_id: "4582956489", size: "9", available: true, price: 241.96 },
          },
        },
      ),
      call(
        "shop.exchange",
        {
          order_id: "#W5442520",
          old: "2648909398",
          new: "4582956489",
          payment: "credit_card_9753331",
          note: "Exchange for olivia_ito_3591 of order #W5442520",
        },
        { ...order(), status: "exchange requested", difference: 1.09 },
      ),
    ],
  };
}

function order(): JsonObject {
  return {
    order_id: "#W5442520",
    user_id: "olivia_ito_3591",
    status: "delivered",
    placed: "2024-05-14",
    items: [
      { name: "Gaming Mouse", product_id: "5713490933", item_id: "3330317167", price: 137.32 },
      { name: "Patio Umbrella", product_id: "9743693396", item_id: "3111466194", price: 285.66 },
      { name: "Hiking Boots", product_id: "7363354090", item_id: "2648909398", price: 240.87 },
    ],
  };
}

function call(tool: string, args: JsonObject, result: Json): RecordedTrace["calls"][number] {
  return { tool, args, result };
}

export const EXCHANGE_INPUT = {
  firstName: "Olivia",
  lastName: "Ito",
  zip: "80218",
  orderId: "#W5442520",
  item: "Hiking Boots",
  size: "9",
  source: "credit_card",
};

const EXCHANGE_START = `export default async function run(input) {
  const { user_id } = await call_tool("shop.find_user", { first_name: input.firstName, last_name: input.lastName, zip: input.zip });
  const user = await call_tool("shop.get_user", { user_id });
  const order = await call_tool("shop.get_order", { order_id: input.orderId });
`;
const EXCHANGE_END = `
  const product = await call_tool("shop.get_product", { product_id: item.product_id });
  const wanted = Object.values(product.variants).find((each) => each.size === input.size);
  const payment = Object.values(user.payment_methods).find((each) => each.source === input.source);
  return call_tool("shop.exchange", {
    note: \`Exchange for \${user_id} of order \${input.orderId}\`,
    order_id: order.order_id, old: item.item_id, new: wanted.item_id, payment: payment.id,
  });
}`;

/** Skills that replay the run: only the first has understood it. */
export const EXCHANGES: Readonly<Record<string, string>> = {
  derived: `${EXCHANGE_START}  const item = order.items.find((each) => each.name === input.item);${EXCHANGE_END}`,
  "by-place": `${EXCHANGE_START}  const item = order.items[2];${EXCHANGE_END}`,
  "by-price": `${EXCHANGE_START}  const item = order.items.find((each) => each.price === 240.87);${EXCHANGE_END}`,
  "by-heart": `export default async function run() {
    let last;
    for (const [tool, args] of ${JSON.stringify(exchangeTrace().calls.map(({ tool, args }) => [tool, args]))})
      last = await call_tool(tool, args);
    return last;
  }`,
};

/** Which upstream tools the skills list. */
export const SHOP_TOOLS = { frontmatter: { "allowed-tools": "shop.*" } } as const;
