// A shop over stdio, whose answers are data; its state is the JSON file that is its only argument.
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
import { data, READS, refusal, StateFile, WRITES } from "./answers.ts";
import { type Order, type ShopState, STATUSES, totalOf } from "./shop-state.ts";

const file = new StateFile<ShopState>(process.argv[2] ?? "shop.json");
const status = z.enum(STATUSES);
const address = z.object({
  street: z.string(),
  city: z.string(),
  postcode: z.string(),
  country: z.string().length(2),
});
const customer = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  credit: z.number(),
  address,
});
const product = z.object({
  id: z.string(),
  name: z.string(),
  category: z.string(),
  price: z.number(),
  stock: z.int(),
});
const order = z.object({
  id: z.string(),
  customerId: z.string(),
  status,
  placedAt: z.string(),
  items: z.array(
    z.object({ productId: z.string(), name: z.string(), quantity: z.int(), unitPrice: z.number() }),
  ),
  total: z.number(),
  shipTo: address,
});
const summary = z.object({ id: z.string(), status, placedAt: z.string(), total: z.number() });

function shop(): McpServer {
  const mcp = new McpServer({ name: "shop", version: "1.0.0" });

  mcp.registerTool(
    "find_customer",
    {
      description: "The customer who has an e-mail address.",
      inputSchema: z.object({ email: z.string() }),
      outputSchema: z.object({ customer }),
      annotations: READS,
    },
    ({ email }) => {
      const found = file.read().customers.find((each) => each.email === email);
      return found ? data({ customer: found }) : refusal(`There is no customer ${email}`);
    },
  );
  mcp.registerTool(
    "list_orders",
    {
      description: "The orders of a customer, of one status or of all.",
      inputSchema: z.object({ customerId: z.string(), status: status.optional() }),
      outputSchema: z.object({ orders: z.array(summary) }),
      annotations: READS,
    },
    ({ customerId, status: wanted }) => {
      const { customers, orders } = file.read();
      if (!customers.some(({ id }) => id === customerId))
        return refusal(`There is no customer ${customerId}`);
      const found = orders.filter(
        (each) => each.customerId === customerId && (wanted === undefined || each.status === wanted),
      );
      return data({
        orders: found.map(({ id, status: state, placedAt, total }) => ({
          id,
          status: state,
          placedAt,
          total,
        })),
      });
    },
  );
  mcp.registerTool(
    "get_order",
    {
      description: "One order by its number.",
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ order }),
      annotations: READS,
    },
    ({ id }) => {
      const found = file.read().orders.find((each) => each.id === id);
      return found ? data({ order: found }) : refusal(`There is no order ${id}`);
    },
  );
  mcp.registerTool(
    "list_products",
    {
      description: "The products of a category.",
      inputSchema: z.object({ category: z.string() }),
      outputSchema: z.object({ products: z.array(product) }),
      annotations: READS,
    },
    ({ category }) => data({ products: file.read().products.filter((each) => each.category === category) }),
  );
  mcp.registerTool(
    "get_product",
    {
      description: "One product by its number.",
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ product }),
      annotations: READS,
    },
    ({ id }) => {
      const found = file.read().products.find((each) => each.id === id);
      return found ? data({ product: found }) : refusal(`There is no product ${id}`);
    },
  );
  mcp.registerTool(
    "cancel_order",
    {
      description: "Cancels an order that has not been shipped.",
      inputSchema: z.object({ id: z.string(), reason: z.string() }),
      outputSchema: z.object({ order }),
      annotations: WRITES,
    },
    ({ id }) => changedOrder(id, "it cannot be cancelled", (found) => (found.status = "cancelled")),
  );
  mcp.registerTool(
    "update_order_address",
    {
      description: "Sends an order that has not been shipped to another address.",
      inputSchema: z.object({ id: z.string(), address }),
      outputSchema: z.object({ order }),
      annotations: WRITES,
    },
    ({ id, address: shipTo }) =>
      changedOrder(id, "its address cannot be changed", (found) => (found.shipTo = shipTo)),
  );
  mcp.registerTool(
    "place_order",
    {
      description: "Orders products for a customer, who pays later.",
      inputSchema: z.object({
        customerId: z.string(),
        items: z.array(z.object({ productId: z.string(), quantity: z.int().positive() })).min(1),
      }),
      outputSchema: z.object({ order }),
      annotations: WRITES,
    },
    ({ customerId, items }) =>
      file.change((state) => {
        const buyer = state.customers.find(({ id }) => id === customerId);
        if (!buyer) return refusal(`There is no customer ${customerId}`);
        const lines: Order["items"] = [];
        for (const { productId, quantity } of items) {
          const found = state.products.find(({ id }) => id === productId);
          if (!found) return refusal(`There is no product ${productId}`);
          if (found.stock < quantity) return refusal(`The product ${productId} is sold out`);
          found.stock -= quantity;
          lines.push({ productId, name: found.name, quantity, unitPrice: found.price });
        }
        const made: Order = {
          id: `N-${state.orders.length + 1}`,
          customerId,
          status: "pending",
          placedAt: "2027-01-01T12:00:00Z",
          items: lines,
          total: totalOf(lines),
          shipTo: buyer.address,
        };
        state.orders.push(made);
        return data({ order: made });
      }),
  );
  mcp.registerTool(
    "refund_order",
    {
      description: "Pays back an amount for an order that was delivered.",
      inputSchema: z.object({ orderId: z.string(), amount: z.number().positive() }),
      outputSchema: z.object({
        refund: z.object({ id: z.string(), orderId: z.string(), amount: z.number() }),
      }),
      annotations: WRITES,
    },
    ({ orderId, amount }) =>
      file.change((state) => {
        const found = state.orders.find(({ id }) => id === orderId);
        if (!found) return refusal(`There is no order ${orderId}`);
        if (found.status !== "delivered")
          return refusal(`The order ${orderId} is ${found.status}, so nothing is paid back`);
        const refund = { id: `R-${state.refunds.length + 1}`, orderId, amount };
        state.refunds.push(refund);
        return data({ refund });
      }),
  );
  mcp.registerTool(
    "add_note",
    {
      description: "Adds a note to an order.",
      inputSchema: z.object({ orderId: z.string(), text: z.string() }),
      outputSchema: z.object({ note: z.object({ id: z.string(), orderId: z.string(), text: z.string() }) }),
      annotations: WRITES,
    },
    ({ orderId, text }) =>
      file.change((state) => {
        if (!state.orders.some(({ id }) => id === orderId)) return refusal(`There is no order ${orderId}`);
        const note = { id: `note-${state.notes.length + 1}`, orderId, text };
        state.notes.push(note);
        return data({ note });
      }),
  );
  mcp.registerTool(
    "give_credit",
    {
      description: "Adds to the credit of a customer.",
      inputSchema: z.object({ customerId: z.string(), amount: z.number().positive() }),
      outputSchema: z.object({ customer }),
      annotations: WRITES,
    },
    ({ customerId, amount }) =>
      file.change((state) => {
        const found = state.customers.find(({ id }) => id === customerId);
        if (!found) return refusal(`There is no customer ${customerId}`);
        found.credit += amount;
        return data({ customer: found });
      }),
  );
  mcp.registerTool(
    "set_stock",
    {
      description: "Sets how many of a product there are.",
      inputSchema: z.object({ productId: z.string(), stock: z.int().min(0) }),
      outputSchema: z.object({ product }),
      annotations: WRITES,
    },
    ({ productId, stock }) => changedProduct(productId, { stock }),
  );
  mcp.registerTool(
    "set_price",
    {
      description: "Sets the price of a product.",
      inputSchema: z.object({ productId: z.string(), price: z.number().positive() }),
      outputSchema: z.object({ product }),
      annotations: WRITES,
    },
    ({ productId, price }) => changedProduct(productId, { price }),
  );
  return mcp;
}

function changedOrder(id: string, otherwise: string, change: (found: Order) => void): CallToolResult {
  return file.change((state) => {
    const found = state.orders.find((each) => each.id === id);
    if (!found) return refusal(`There is no order ${id}`);
    if (found.status !== "pending" && found.status !== "paid")
      return refusal(`The order ${id} is ${found.status}, so ${otherwise}`);
    change(found);
    return data({ order: found });
  });
}

function changedProduct(productId: string, change: { stock?: number; price?: number }): CallToolResult {
  return file.change((state) => {
    const found = state.products.find(({ id }) => id === productId);
    if (!found) return refusal(`There is no product ${productId}`);
    return data({ product: Object.assign(found, change) });
  });
}

serveStdio(shop);
