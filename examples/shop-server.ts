// The server of a small shop, over stdio: customers, products and orders, always the same at its start and kept in
// memory alone. Give it to Repertoire, or to any other MCP client, under "mcpServers":
//   "shop": { "command": "node", "args": ["examples/shop-server.ts"] }
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const address = z.object({
  street: z.string().min(1),
  city: z.string().min(1),
  postcode: z.string().min(1),
  country: z.string().length(2).describe("ISO 3166 code, such as DE"),
});
const customer = z.object({ id: z.string(), name: z.string(), email: z.string(), address });
const product = z.object({
  id: z.string(),
  name: z.string(),
  category: z.enum(["tea", "coffee", "dishes"]),
  price: z.number().describe("In euros"),
  stock: z.int(),
});
const status = z.enum(["pending", "paid", "shipped", "delivered", "cancelled"]);
const order = z.object({
  id: z.string(),
  customerId: z.string(),
  status,
  placedAt: z.string(),
  items: z.array(z.object({ productId: z.string(), quantity: z.int(), unitPrice: z.number() })),
  total: z.number(),
  shipTo: address,
});

type Address = z.infer<typeof address>;
type Customer = z.infer<typeof customer>;
type Product = z.infer<typeof product>;
type Order = z.infer<typeof order>;

const products: readonly Product[] = [
  { id: "P-100", name: "Assam", category: "tea", price: 6.5, stock: 120 },
  { id: "P-101", name: "Sencha", category: "tea", price: 9.2, stock: 40 },
  { id: "P-102", name: "Earl Grey", category: "tea", price: 7.1, stock: 0 },
  { id: "P-200", name: "House blend", category: "coffee", price: 8.4, stock: 75 },
  { id: "P-201", name: "Decaf", category: "coffee", price: 8.9, stock: 12 },
  { id: "P-300", name: "Teapot", category: "dishes", price: 34, stock: 5 },
  { id: "P-301", name: "Cup", category: "dishes", price: 4.75, stock: 200 },
];

const customers: readonly Customer[] = [
  ["C-1", "Ada Lind", "ada@example.org", "Elm Street 3", "Lund", "22100", "SE"],
  ["C-2", "Bruno Keller", "bruno@example.org", "Seestrasse 12", "Zurich", "8002", "CH"],
  ["C-3", "Chloe Martin", "chloe@example.org", "Rue du Lac 8", "Annecy", "74000", "FR"],
  ["C-4", "Ada Novak", "novak@example.org", "Dlouha 21", "Brno", "60200", "CZ"],
].map(([id = "", name = "", email = "", street = "", city = "", postcode = "", country = ""]) => ({
  id,
  name,
  email,
  address: { street, city, postcode, country },
}));

type Line = readonly [productId: string, quantity: number];
const placed: readonly (readonly [string, string, Order["status"], string, readonly Line[]])[] = [
  ["O-1001", "C-1", "delivered", "2026-01-05T09:30:00Z", [["P-100", 2]]],
  [
    "O-1002",
    "C-1",
    "paid",
    "2026-02-11T14:05:00Z",
    [
      ["P-300", 1],
      ["P-301", 4],
    ],
  ],
  ["O-1003", "C-2", "shipped", "2026-02-12T08:00:00Z", [["P-200", 3]]],
  [
    "O-1004",
    "C-3",
    "pending",
    "2026-02-13T19:45:00Z",
    [
      ["P-101", 1],
      ["P-201", 2],
    ],
  ],
  ["O-1005", "C-1", "pending", "2026-02-14T07:20:00Z", [["P-301", 6]]],
  ["O-1006", "C-4", "cancelled", "2026-02-14T11:11:00Z", [["P-102", 1]]],
];
const orders = new Map(
  placed.map(([id, customerId, state, placedAt, lines]) => {
    const items = lines.map(([productId, quantity]) => ({
      productId,
      quantity,
      unitPrice: products.find((each) => each.id === productId)?.price ?? 0,
    }));
    const shipTo = customers.find((each) => each.id === customerId)?.address ?? {
      street: "",
      city: "",
      postcode: "",
      country: "",
    };
    return [id, { id, customerId, status: state, placedAt, items, total: totalOf(items), shipTo }] as const;
  }),
) as Map<string, Order>;

function totalOf(items: Order["items"]): number {
  const cents = items.reduce(
    (sum, { quantity, unitPrice }) => sum + Math.round(unitPrice * 100) * quantity,
    0,
  );
  return cents / 100;
}

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const WRITES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

function shop(): McpServer {
  const mcp = new McpServer({ name: "shop", version: "1.0.0" });
  mcp.registerTool(
    "list_products",
    {
      title: "List products",
      description: "Products of the shop, of one category or of all, with price and stock.",
      inputSchema: z.object({ category: product.shape.category.optional(), inStock: z.boolean().optional() }),
      outputSchema: z.object({ products: z.array(product) }),
      annotations: READS,
    },
    ({ category, inStock = false }) =>
      answer({
        products: products.filter(
          (each) => (category === undefined || each.category === category) && (!inStock || each.stock > 0),
        ),
      }),
  );
  mcp.registerTool(
    "find_customer",
    {
      title: "Find a customer",
      description: "Customers whose name or e-mail address holds the text.",
      inputSchema: z.object({ text: z.string().min(1) }),
      outputSchema: z.object({ customers: z.array(customer) }),
      annotations: READS,
    },
    ({ text }) => {
      const wanted = text.toLowerCase();
      return answer({
        customers: customers.filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(wanted)),
      });
    },
  );
  mcp.registerTool(
    "list_orders",
    {
      title: "List orders",
      description: "Orders of a customer, the newest first; of one status or of all.",
      inputSchema: z.object({ customerId: z.string(), status: status.optional() }),
      outputSchema: z.object({ orders: z.array(order) }),
      annotations: READS,
    },
    ({ customerId, status: wanted }) => {
      if (!customers.some(({ id }) => id === customerId))
        return refusal(`There is no customer ${customerId}`);
      const found = [...orders.values()].filter(
        (each) => each.customerId === customerId && (wanted === undefined || each.status === wanted),
      );
      return answer({ orders: found.toSorted((a, b) => (a.placedAt < b.placedAt ? 1 : -1)) });
    },
  );
  mcp.registerTool(
    "get_order",
    {
      title: "Get an order",
      description: "One order by its number.",
      inputSchema: z.object({ id: z.string().describe("Such as O-1001") }),
      outputSchema: z.object({ order }),
      annotations: READS,
    },
    ({ id }) => {
      const found = orders.get(id);
      return found ? answer({ order: found }) : refusal(`There is no order ${id}`);
    },
  );
  mcp.registerTool(
    "update_order_address",
    {
      title: "Change where an order goes",
      description: "Gives an order that has not been shipped another address.",
      inputSchema: z.object({ id: z.string(), shipTo: address }),
      outputSchema: z.object({ order }),
      annotations: WRITES,
    },
    ({ id, shipTo }) =>
      changed(id, "its address cannot be changed", (found) => ({ ...found, shipTo: plain(shipTo) })),
  );
  mcp.registerTool(
    "cancel_order",
    {
      title: "Cancel an order",
      description: "Cancels an order that has not been shipped.",
      inputSchema: z.object({ id: z.string(), reason: z.string().optional() }),
      outputSchema: z.object({ order }),
      annotations: WRITES,
    },
    ({ id }) => changed(id, "it cannot be cancelled", (found) => ({ ...found, status: "cancelled" })),
  );
  return mcp;
}

function changed(id: string, refused: string, change: (order: Order) => Order): CallToolResult {
  const found = orders.get(id);
  if (!found) return refusal(`There is no order ${id}`);
  if (found.status !== "pending" && found.status !== "paid")
    return refusal(`The order ${id} is ${found.status}, so ${refused}`);
  const made = change(found);
  orders.set(id, made);
  return answer({ order: made });
}

function plain({ street, city, postcode, country }: Address): Address {
  return { street, city, postcode, country };
}

function answer(structuredContent: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

function refusal(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

serveStdio(shop);
