import type { JsonObject } from "../../src/core/json/json.ts";
import { type Dice } from "./dice.ts";
import { type Job, refused } from "./job.ts";
import { address, addOrder, type Customer, type Order, ordersOf, type ShopState } from "./shop-state.ts";

const NOT_NEEDED = "no longer needed";

function job<Told extends JsonObject>(made: Job<ShopState, Told>): Job<ShopState> {
  return made;
}

/** A customer with orders of these statuses besides those that cannot be changed any more. */
function customerWith(
  state: ShopState,
  dice: Dice,
  ...statuses: Order["status"][]
): { readonly customer: Customer; readonly orders: Order[] } {
  const customer = dice.one(state.customers);
  return { customer, orders: statuses.map((status) => addOrder(state, dice, customer.id, status)) };
}

function orderWith(state: ShopState, dice: Dice, status: Order["status"]): Order {
  return addOrder(state, dice, dice.one(state.customers).id, status);
}

function setStatus(state: ShopState, orderId: unknown, status: Order["status"]): void {
  const found = state.orders.find(({ id }) => id === orderId);
  if (found) found.status = status;
}

function forget(state: ShopState, email: string): void {
  state.customers = state.customers.filter((each) => each.email !== email);
}

const single = [
  job({
    name: "send-order-elsewhere",
    difficulty: "single",
    given: (state, dice) => {
      const { customer } = customerWith(state, dice);
      state.orders = state.orders.filter(({ customerId }) => customerId !== customer.id);
      addOrder(state, dice, customer.id, "paid");
      return { email: customer.email, address: { ...address(dice) } };
    },
    task: ({ email, address: to }) =>
      `${email} has one order. Send it to ${to.street}, ${to.postcode} ${to.city}, ${to.country}.`,
    agent: async ({ email, address: to }, call) => {
      const { customer } = await call("find_customer", { email });
      const { orders } = await call("list_orders", { customerId: customer.id });
      await call("update_order_address", { id: orders[0].id, address: to });
    },
    hinder: (state, { email }) => forget(state, email),
  }),
  job({
    name: "cancel-order",
    difficulty: "single",
    given: (state, dice) => ({ orderId: orderWith(state, dice, "paid").id, reason: NOT_NEEDED }),
    task: ({ orderId, reason }) => `Cancel the order ${orderId}: ${reason}.`,
    agent: async ({ orderId, reason }, call) => {
      const { order } = await call("get_order", { id: orderId });
      if (order.status === "paid") await call("cancel_order", { id: orderId, reason });
    },
    hinder: (state, { orderId }) => setStatus(state, orderId, "shipped"),
  }),
  job({
    name: "refund-order",
    difficulty: "single",
    given: (state, dice) => ({ orderId: orderWith(state, dice, "delivered").id }),
    task: ({ orderId }) => `The order ${orderId} came back: pay the whole of it back.`,
    agent: async ({ orderId }, call) => {
      const { order } = await call("get_order", { id: orderId });
      if (order.status === "delivered") await call("refund_order", { orderId, amount: order.total });
    },
    hinder: (state, { orderId }) => setStatus(state, orderId, "shipped"),
  }),
  job({
    name: "give-credit",
    difficulty: "single",
    given: (state, dice) => ({ email: dice.one(state.customers).email, amount: dice.fresh(5, 99) }),
    task: ({ email, amount }) => `Give ${email} a credit of ${amount} euros.`,
    agent: async ({ email, amount }, call) => {
      const { customer } = await call("find_customer", { email });
      await call("give_credit", { customerId: customer.id, amount });
    },
    hinder: (state, { email }) => forget(state, email),
  }),
  job({
    name: "send-order-home",
    difficulty: "single",
    given: (state, dice) => {
      const { customer, orders } = customerWith(state, dice, "paid");
      const [order] = orders;
      if (order) order.shipTo = address(dice);
      return { email: customer.email, orderId: order?.id ?? "" };
    },
    task: ({ email, orderId }) => `${email} wants the order ${orderId} to come to the address on file.`,
    agent: async ({ email, orderId }, call) => {
      const { customer } = await call("find_customer", { email });
      await call("update_order_address", { id: orderId, address: customer.address });
    },
    hinder: (state, { email }) => forget(state, email),
  }),
  job({
    name: "restock",
    difficulty: "single",
    given: (state, dice) => ({ productId: dice.one(state.products).id, came: dice.fresh(100, 900) }),
    task: ({ productId, came }) => `${came} more of ${productId} have come: add them to the stock.`,
    agent: async ({ productId, came }, call) => {
      const { product } = await call("get_product", { id: productId });
      await call("set_stock", { productId, stock: product.stock + came });
    },
    hinder: (state, { productId }) => {
      state.products = state.products.filter(({ id }) => id !== productId);
    },
  }),
  job({
    name: "note-on-order",
    difficulty: "single",
    given: (state, dice) => ({
      orderId: orderWith(state, dice, "paid").id,
      text: dice.one(["Ring twice", "Leave it next door", "Call before you come", "Pack it as a gift"]),
    }),
    task: ({ orderId, text }) => `Add a note to the order ${orderId}: "${text}".`,
    agent: async ({ orderId, text }, call) => {
      await call("get_order", { id: orderId });
      await call("add_note", { orderId, text });
    },
    hinder: (state, { orderId }) => {
      state.orders = state.orders.filter(({ id }) => id !== orderId);
    },
  }),
  job({
    name: "order-again",
    difficulty: "single",
    given: (state, dice) => ({ orderId: orderWith(state, dice, "delivered").id }),
    task: ({ orderId }) => `The customer of the order ${orderId} wants the same once more.`,
    agent: async ({ orderId }, call) => {
      const { order } = await call("get_order", { id: orderId });
      await call("place_order", {
        customerId: order.customerId,
        items: order.items.map(({ productId, quantity }: Order["items"][number]) => ({
          productId,
          quantity,
        })),
      });
    },
    hinder: (state, { orderId }) => {
      const sold = state.orders.find(({ id }) => id === orderId)?.items[0]?.productId;
      for (const each of state.products) if (each.id === sold) each.stock = 0;
    },
  }),
];

const loops = [
  job({
    name: "cancel-listed",
    difficulty: "loop",
    given: (state, dice) => ({
      orderIds: Array.from({ length: dice.between(2, 5) }, () => orderWith(state, dice, "paid").id),
      reason: NOT_NEEDED,
    }),
    task: ({ orderIds, reason }) => `Cancel the orders ${orderIds.join(", ")}: ${reason}.`,
    agent: async ({ orderIds, reason }, call) => {
      for (const id of orderIds) await call("cancel_order", { id, reason });
    },
    hinder: (state, { orderIds }) => {
      state.orders = state.orders.filter(({ id }) => id !== orderIds.at(-1));
    },
  }),
  job({
    name: "refund-listed",
    difficulty: "loop",
    given: (state, dice) => ({
      orderIds: Array.from({ length: dice.between(2, 5) }, () => orderWith(state, dice, "delivered").id),
    }),
    task: ({ orderIds }) => `The orders ${orderIds.join(", ")} came back: pay each of them back.`,
    agent: async ({ orderIds }, call) => {
      for (const id of orderIds) {
        const { order } = await call("get_order", { id });
        await call("refund_order", { orderId: id, amount: order.total });
      }
    },
    hinder: (state, { orderIds }) => {
      state.orders = state.orders.filter(({ id }) => id !== orderIds.at(-1));
    },
  }),
  job({
    name: "note-on-all-orders",
    difficulty: "loop",
    given: (state, dice) => ({ email: dice.one(state.customers).email, text: "Never ring the bell" }),
    task: ({ email, text }) => `Add the note "${text}" to all orders of ${email}.`,
    agent: async ({ email, text }, call) => {
      const { customer } = await call("find_customer", { email });
      const { orders } = await call("list_orders", { customerId: customer.id });
      for (const { id } of orders) await call("add_note", { orderId: id, text });
    },
    hinder: (state, { email }) => {
      const customer = state.customers.find((each) => each.email === email);
      state.orders = state.orders.filter(({ customerId }) => customerId !== customer?.id);
    },
  }),
  job({
    name: "cancel-all-pending",
    difficulty: "loop",
    given: (state, dice) => {
      const pending = Array.from({ length: dice.between(2, 4) }, () => "pending" as const);
      return { email: customerWith(state, dice, ...pending, "paid").customer.email, reason: NOT_NEEDED };
    },
    task: ({ email, reason }) => `Cancel all pending orders of ${email}: ${reason}.`,
    agent: async ({ email, reason }, call) => {
      const { customer } = await call("find_customer", { email });
      const { orders } = await call("list_orders", { customerId: customer.id, status: "pending" });
      for (const { id } of orders) await call("cancel_order", { id, reason });
    },
    hinder: (state) => {
      for (const each of state.orders) if (each.status === "pending") each.status = "shipped";
    },
  }),
  job({
    name: "set-prices",
    difficulty: "loop",
    given: (state, dice) => ({
      prices: dice
        .some(state.products, dice.between(2, 4))
        .map(({ id }) => ({ productId: id, price: dice.fresh(10, 90) })),
    }),
    task: ({ prices }) =>
      `Set prices: ${prices.map(({ productId, price }) => `${productId} costs ${price} euros`).join(", ")}.`,
    agent: async ({ prices }, call) => {
      for (const { productId, price } of prices) await call("set_price", { productId, price });
    },
    hinder: (state, { prices }) => {
      state.products = state.products.filter(({ id }) => id !== prices.at(-1)?.productId);
    },
  }),
  job({
    name: "send-all-paid-elsewhere",
    difficulty: "loop",
    given: (state, dice) => {
      const paid = Array.from({ length: dice.between(2, 4) }, () => "paid" as const);
      return { email: customerWith(state, dice, ...paid).customer.email, address: { ...address(dice) } };
    },
    task: ({ email, address: to }) =>
      `${email} has moved: send the paid orders to ${to.street}, ${to.postcode} ${to.city}, ${to.country}.`,
    agent: async ({ email, address: to }, call) => {
      const { customer } = await call("find_customer", { email });
      const { orders } = await call("list_orders", { customerId: customer.id, status: "paid" });
      for (const { id } of orders) await call("update_order_address", { id, address: to });
    },
    hinder: (state, { email }) => forget(state, email),
  }),
  job({
    name: "fill-up-category",
    difficulty: "loop",
    given: (_, dice) => ({ category: dice.one(["tea", "coffee", "dishes"]), stock: dice.fresh(100, 900) }),
    task: ({ category, stock }) => `The stock of everything in ${category} is ${stock} now.`,
    agent: async ({ category, stock }, call) => {
      const { products } = await call("list_products", { category });
      for (const { id } of products) await call("set_stock", { productId: id, stock });
    },
    hinder: (state, { category }) => {
      state.products = state.products.filter((each) => each.category !== category);
    },
  }),
];

const choices = [
  job({
    name: "cancel-the-pending-order",
    difficulty: "choice",
    given: (state, dice) => ({
      email: customerWith(state, dice, "pending", "paid").customer.email,
      reason: NOT_NEEDED,
    }),
    task: ({ email, reason }) => `Cancel the order of ${email} that is pending: ${reason}.`,
    agent: async ({ email, reason }, call) => {
      const { customer } = await call("find_customer", { email });
      const { orders } = await call("list_orders", { customerId: customer.id });
      const pending = orders.filter(({ status }: Order) => status === "pending");
      if (pending.length === 1) await call("cancel_order", { id: pending[0].id, reason });
    },
    hinder: (state, { email }, dice) => {
      const customer = state.customers.find((each) => each.email === email);
      addOrder(state, dice, customer?.id ?? "", "pending");
    },
  }),
  job({
    name: "cancel-order-with-item",
    difficulty: "choice",
    given: (state, dice) => {
      const customer = dice.one(state.customers);
      const [wanted, ...others] = dice.some(state.products, 6);
      if (!wanted) throw new Error("the shop has no products");
      state.orders = state.orders.filter(({ customerId }) => customerId !== customer.id);
      for (const part of [others.slice(0, 2), [wanted, ...others.slice(2, 3)], others.slice(3)])
        addOrder(state, dice, customer.id, "paid", part);
      return { email: customer.email, item: wanted.name, reason: NOT_NEEDED };
    },
    task: ({ email, item, reason }) => `Cancel the order of ${email} with the ${item}: ${reason}.`,
    agent: async ({ email, item, reason }, call) => {
      const { customer } = await call("find_customer", { email });
      const { orders } = await call("list_orders", { customerId: customer.id });
      const opened: Order[] = [];
      for (const { id } of orders) opened.push((await call("get_order", { id })).order);
      const [found, other] = opened.filter(({ items }) => items.some(({ name }) => name === item));
      if (found && !other) await call("cancel_order", { id: found.id, reason });
    },
    hinder: (state, { email, item }, dice) => {
      const customer = state.customers.find((each) => each.email === email);
      const wanted = state.products.filter(({ name }) => name === item);
      addOrder(state, dice, customer?.id ?? "", "paid", wanted);
    },
  }),
  job({
    name: "order-the-cheapest",
    difficulty: "choice",
    given: (state, dice) => ({
      email: dice.one(state.customers).email,
      category: dice.one(["tea", "coffee", "dishes"]),
      quantity: dice.fresh(2, 9),
    }),
    task: ({ email, category, quantity }) => `Order ${quantity} of the cheapest of ${category} for ${email}.`,
    agent: async ({ email, category, quantity }, call) => {
      const { customer } = await call("find_customer", { email });
      const { products } = await call("list_products", { category });
      const [cheapest] = products.toSorted((a: { price: number }, b: { price: number }) => a.price - b.price);
      if (cheapest)
        await call("place_order", { customerId: customer.id, items: [{ productId: cheapest.id, quantity }] });
    },
    hinder: (state, { email }) => forget(state, email),
  }),
  job({
    name: "refund-the-latest-order",
    difficulty: "choice",
    given: (state, dice) => {
      const customer = dice.one(state.customers);
      state.orders = state.orders.filter(({ customerId }) => customerId !== customer.id);
      for (let count = dice.between(2, 4); count > 0; count--)
        addOrder(state, dice, customer.id, "delivered");
      return { email: customer.email };
    },
    task: ({ email }) => `${email} has sent the latest order back: pay it back.`,
    agent: async ({ email }, call) => {
      const { customer } = await call("find_customer", { email });
      const { orders } = await call("list_orders", { customerId: customer.id });
      const latest = orders.toSorted((a: Order, b: Order) => (a.placedAt < b.placedAt ? 1 : -1))[0];
      await call("refund_order", { orderId: latest.id, amount: latest.total });
    },
    hinder: (state, { email }) => forget(state, email),
  }),
  job({
    name: "reprice-sold-out",
    difficulty: "choice",
    given: (state, dice) => {
      const category = dice.one(["tea", "coffee", "dishes"]);
      const all = state.products.filter((each) => each.category === category);
      for (const each of dice.some(all, 2)) each.stock = 0;
      return { category, price: dice.fresh(10, 90) };
    },
    task: ({ category, price }) => `Whatever is sold out in ${category} shall cost ${price} euros.`,
    agent: async ({ category, price }, call) => {
      const { products } = await call("list_products", { category });
      for (const { id, stock } of products)
        if (stock === 0) await call("set_price", { productId: id, price });
    },
    hinder: (state) => {
      for (const each of state.products) each.stock += 1;
    },
  }),
  job({
    name: "cancel-above",
    difficulty: "choice",
    given: (state, dice) => {
      const { customer, orders } = customerWith(state, dice);
      state.orders = state.orders.filter(({ customerId }) => customerId !== customer.id);
      for (let count = 0; count < 5; count++) orders.push(addOrder(state, dice, customer.id, "paid"));
      orders.forEach((each, nth) => (each.total = nth < 3 ? dice.fresh(210, 900) : dice.fresh(10, 190)));
      return { email: customer.email, limit: 200, reason: NOT_NEEDED };
    },
    task: ({ email, limit, reason }) => `Cancel every order of ${email} above ${limit} euros: ${reason}.`,
    agent: async ({ email, limit, reason }, call) => {
      const { customer } = await call("find_customer", { email });
      const { orders } = await call("list_orders", { customerId: customer.id });
      for (const { id, total } of orders) if (total > limit) await call("cancel_order", { id, reason });
    },
    hinder: (state, { email }) => forget(state, email),
  }),
  job({
    name: "find-order-with-item",
    difficulty: "choice",
    given: (state, dice) => {
      const customer = dice.one(state.customers);
      const [wanted, ...others] = dice.some(state.products, 7);
      if (!wanted) throw new Error("the shop has no products");
      state.orders = state.orders.filter(({ customerId }) => customerId !== customer.id);
      for (const part of [others.slice(0, 2), [wanted], others.slice(2, 4), others.slice(4)])
        addOrder(state, dice, customer.id, "paid", part);
      return { email: customer.email, item: wanted.name, text: "Wrap the gift" };
    },
    task: ({ email, item, text }) => `Find the order of ${email} with the ${item} and note "${text}" on it.`,
    agent: async ({ email, item, text }, call) => {
      const { customer } = await call("find_customer", { email });
      const { orders } = await call("list_orders", { customerId: customer.id });
      for (const { id } of orders) {
        const { order } = await call("get_order", { id });
        if (!order.items.some(({ name }: { name: string }) => name === item)) continue;
        await call("add_note", { orderId: id, text });
        return;
      }
    },
    hinder: (state, { item }) => {
      for (const each of state.orders) each.items = each.items.filter(({ name }) => name !== item);
    },
  }),
];

const failing = [
  job({
    name: "cancel-or-note",
    difficulty: "fails",
    given: (state, dice) => ({
      orderId: orderWith(state, dice, "paid").id,
      reason: NOT_NEEDED,
      text: "To be sent back",
    }),
    task: ({ orderId, reason, text }) =>
      `Cancel the order ${orderId}: ${reason}. If that cannot be done, add the note "${text}".`,
    agent: async ({ orderId, reason, text }, call) => {
      if (await refused(call("cancel_order", { id: orderId, reason })))
        await call("add_note", { orderId, text });
    },
    hinder: (state, { orderId }) => setStatus(state, orderId, "shipped"),
  }),
  job({
    name: "cancel-or-note-each",
    difficulty: "fails",
    given: (state, dice) => ({
      orderIds: Array.from({ length: dice.between(2, 4) }, () => orderWith(state, dice, "paid").id),
      reason: NOT_NEEDED,
      text: "To be sent back",
    }),
    task: ({ orderIds, reason, text }) =>
      `Cancel the orders ${orderIds.join(", ")}: ${reason}. Where it cannot be done, add the note "${text}".`,
    agent: async ({ orderIds, reason, text }, call) => {
      for (const id of orderIds)
        if (await refused(call("cancel_order", { id, reason })))
          await call("add_note", { orderId: id, text });
    },
    hinder: (state, { orderIds }) => setStatus(state, orderIds[1], "shipped"),
  }),
  job({
    name: "order-if-there",
    difficulty: "fails",
    given: (state, dice) => ({
      email: dice.one(state.customers).email,
      productId: dice.one(state.products).id,
      quantity: dice.between(2, 9),
      amount: 5,
    }),
    task: ({ email, productId, quantity, amount }) =>
      `Order ${quantity} of ${productId} for ${email}. If it is sold out, give a credit of ${amount} euros.`,
    agent: async ({ email, productId, quantity, amount }, call) => {
      const { customer } = await call("find_customer", { email });
      const items = [{ productId, quantity }];
      if (await refused(call("place_order", { customerId: customer.id, items })))
        await call("give_credit", { customerId: customer.id, amount });
    },
    hinder: (state, { productId }) => {
      for (const each of state.products) if (each.id === productId) each.stock = 0;
    },
  }),
  job({
    name: "credit-by-either-address",
    difficulty: "fails",
    given: (state, dice) => {
      const { name, email } = dice.one(state.customers);
      return {
        email,
        otherEmail: `${name.split(" ")[0]?.toLowerCase()}@example.com`,
        amount: dice.fresh(11, 99),
      };
    },
    task: ({ email, otherEmail, amount }) =>
      `Give a credit of ${amount} euros to ${email}, who may be known as ${otherEmail}.`,
    agent: async ({ email, otherEmail, amount }, call) => {
      let found: { customer: Customer } | undefined;
      if (await refused(call("find_customer", { email }).then((answer) => (found = answer))))
        found = await call("find_customer", { email: otherEmail });
      if (found) await call("give_credit", { customerId: found.customer.id, amount });
    },
    hinder: (state, { email, otherEmail }) => {
      for (const each of state.customers) if (each.email === email) each.email = otherEmail;
    },
  }),
  job({
    name: "send-elsewhere-or-credit",
    difficulty: "fails",
    given: (state, dice) => {
      const { customer, orders } = customerWith(state, dice, "paid");
      return {
        email: customer.email,
        orderId: orders[0]?.id ?? "",
        address: { ...address(dice) },
        amount: 7,
      };
    },
    task: ({ email, orderId, address: to, amount }) =>
      `Send the order ${orderId} of ${email} to ${to.street}, ${to.postcode} ${to.city}, ${to.country}; if it is too late, give a credit of ${amount} euros.`,
    agent: async ({ email, orderId, address: to, amount }, call) => {
      const { customer } = await call("find_customer", { email });
      if (await refused(call("update_order_address", { id: orderId, address: to })))
        await call("give_credit", { customerId: customer.id, amount });
    },
    hinder: (state, { orderId }) => setStatus(state, orderId, "shipped"),
  }),
  job({
    name: "refund-what-can-be",
    difficulty: "fails",
    given: (state, dice) => {
      const { customer } = customerWith(state, dice);
      state.orders = state.orders.filter(({ customerId }) => customerId !== customer.id);
      for (let count = dice.between(2, 4); count > 0; count--)
        addOrder(state, dice, customer.id, "delivered");
      return { email: customer.email };
    },
    task: ({ email }) => `Pay back all orders of ${email}, but those for which it is not possible.`,
    agent: async ({ email }, call) => {
      const { customer } = await call("find_customer", { email });
      const { orders } = await call("list_orders", { customerId: customer.id });
      for (const { id, total } of orders) await refused(call("refund_order", { orderId: id, amount: total }));
    },
    hinder: (state, { email }) => {
      const customer = state.customers.find((each) => each.email === email);
      setStatus(state, ordersOf(state, customer?.id ?? "")[0]?.id, "shipped");
    },
  }),
];

export const SHOP_JOBS: readonly Job<ShopState>[] = [...single, ...loops, ...choices, ...failing];
