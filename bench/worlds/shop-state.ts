import { addressOf, type Dice, PEOPLE } from "./dice.ts";

export interface Address {
  street: string;
  city: string;
  postcode: string;
  country: string;
}

export interface Customer {
  id: string;
  name: string;
  email: string;
  credit: number;
  address: Address;
}

export interface Product {
  id: string;
  name: string;
  category: string;
  price: number;
  stock: number;
}

export const STATUSES = ["pending", "paid", "shipped", "delivered", "cancelled"] as const;

export interface Order {
  id: string;
  customerId: string;
  status: (typeof STATUSES)[number];
  placedAt: string;
  items: { productId: string; name: string; quantity: number; unitPrice: number }[];
  total: number;
  shipTo: Address;
}

export interface ShopState {
  customers: Customer[];
  products: Product[];
  orders: Order[];
  notes: { id: string; orderId: string; text: string }[];
  refunds: { id: string; orderId: string; amount: number }[];
}

const GOODS = {
  tea: ["Assam", "Sencha", "Earl Grey", "Rooibos", "Oolong"],
  coffee: ["House blend", "Decaf", "Espresso", "Filter roast"],
  dishes: ["Teapot", "Mug", "Saucer", "Milk jug", "Sugar bowl"],
} as const;
const STREETS = ["Elm Street", "Seestrasse", "Rue du Lac", "Dlouha", "Storgata", "Via Roma", "Calle Mayor"];
const CITIES = [
  ["Lund", "SE"],
  ["Zurich", "CH"],
  ["Annecy", "FR"],
  ["Brno", "CZ"],
  ["Bergen", "NO"],
  ["Parma", "IT"],
  ["Toledo", "ES"],
] as const;

export function shopState(dice: Dice): ShopState {
  const products = Object.entries(GOODS).flatMap(([category, names]) =>
    names.map((name) => ({
      id: `P-${dice.fresh(100, 999)}`,
      name,
      category,
      price: dice.fresh(300, 5000) / 100,
      stock: dice.fresh(10, 99),
    })),
  );
  const customers = dice.some(PEOPLE, 5).map((name) => ({
    id: `C-${dice.fresh(1000, 9999)}`,
    name,
    email: addressOf(name),
    credit: 0,
    address: address(dice),
  }));
  const state: ShopState = { customers, products, orders: [], notes: [], refunds: [] };
  for (const { id } of customers)
    for (let count = dice.between(2, 4); count > 0; count--)
      addOrder(state, dice, id, dice.one(["shipped", "delivered", "cancelled"]));
  return state;
}

export function address(dice: Dice): Address {
  const [city, country] = dice.one(CITIES);
  return {
    street: `${dice.one(STREETS)} ${dice.between(1, 99)}`,
    city,
    postcode: String(dice.fresh(10_000, 99_999)),
    country,
  };
}

/** Orders are kept in no order that tells anything. */
export function addOrder(
  state: ShopState,
  dice: Dice,
  customerId: string,
  status: Order["status"],
  goods: readonly Product[] = dice.some(
    state.products.filter(({ stock }) => stock > 0),
    dice.between(1, 3),
  ),
): Order {
  const items = goods.map(({ id, name, price }) => ({
    productId: id,
    name,
    quantity: dice.between(1, 4),
    unitPrice: price,
  }));
  const customer = state.customers.find(({ id }) => id === customerId);
  const order: Order = {
    id: `O-${dice.fresh(10_000, 99_999)}`,
    customerId,
    status,
    placedAt: `${dice.day()}T${dice.between(10, 19)}:${dice.between(10, 59)}:00Z`,
    items,
    total: totalOf(items),
    shipTo: customer?.address ?? address(dice),
  };
  state.orders.splice(dice.between(0, state.orders.length), 0, order);
  return order;
}

export function totalOf(items: Order["items"]): number {
  return (
    items.reduce((sum, { quantity, unitPrice }) => sum + Math.round(unitPrice * 100) * quantity, 0) / 100
  );
}

export function ordersOf(state: ShopState, customerId: string): Order[] {
  return state.orders.filter((order) => order.customerId === customerId);
}
