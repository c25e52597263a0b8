import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import type { RecordedCall, RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";

/** A run of an agent in a made-up world, and the same run in the world turned over. */
export interface WorldRun {
  readonly signature: string;
  readonly trace: RecordedTrace;
  readonly twin: RecordedTrace;
}

/** Runs in a shop and a travel agency: what agents look up, and what they then do. */
export function worldRuns(count: number, seed: number): readonly WorldRun[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, (_, index) => {
    const dice = new Dice(random);
    const trace = index % 2 === 0 ? shopRun(dice, index) : travelRun(dice, index);
    const signature = trace.calls.map(({ tool }) => tool).join(">");
    return { signature, trace, twin: twinOf(trace, dice) };
  });
}

class Dice {
  readonly #random: () => number;
  constructor(random: () => number) {
    this.#random = random;
  }
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
  one<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
  some<Item>(items: readonly Item[], count: number): Item[] {
    return this.shuffled(items).slice(0, count);
  }
  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => [this.#random(), item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item);
  }
  digits(count: number): string {
    return Array.from({ length: count }, (_, index) =>
      String(index === 0 ? 1 + this.below(9) : this.below(10)),
    ).join("");
  }
  letters(count: number): string {
    return Array.from({ length: count }, () => "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"[this.below(34)]).join("");
  }
  price(): number {
    return Math.round(2000 + this.below(48000)) / 100;
  }
}

function randomOf(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const FIRST = ["Mira", "Jon", "Ada", "Leo", "Nora", "Ivan", "Zoe", "Omar"] as const;
const LAST = ["Silva", "Brandt", "Kovac", "Lopez", "Tanaka", "Moore"] as const;
const GOODS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "Desk Lamp": {
    color: ["black", "white", "brass"],
    brightness: ["low", "medium", "high"],
    "power source": ["usb", "battery"],
  },
  "Rain Jacket": { size: ["S", "M", "L", "XL"], color: ["navy", "olive", "red"] },
  Tent: {
    capacity: ["2-person", "4-person", "6-person"],
    color: ["green", "orange"],
    waterproof: ["yes", "no"],
  },
  "E-Reader": { storage: ["8GB", "32GB"], screen: ["6-inch", "7-inch", "8-inch"] },
  "Coffee Grinder": { type: ["burr", "blade"], color: ["black", "silver", "cream"] },
};

// --- a shop

function shopRun(dice: Dice, index: number): RecordedTrace {
  const first = dice.one(FIRST);
  const last = dice.one(LAST);
  const userId = `${first}_${last}_${dice.digits(4)}`.toLowerCase();
  const zip = dice.digits(5);
  const products = Object.entries(GOODS).map(([name, options]) => productOf(dice, name, options));
  const methods = paymentMethods(dice);
  const orders = Array.from({ length: 2 + dice.below(3) }, () =>
    orderOf(dice, userId, products, Object.keys(methods)),
  );
  const user = {
    name: { first_name: first, last_name: last },
    address: { address1: `${dice.digits(3)} Oak Street`, city: "Denver", country: "USA", state: "CO", zip },
    email: `${first}.${last}${dice.digits(4)}@example.com`.toLowerCase(),
    payment_methods: methods,
    orders: orders.map(({ order_id }) => order_id),
  };
  const calls: RecordedCall[] = [];
  const call = (tool: string, args: JsonObject, result: Json): void =>
    void calls.push({ tool, args, result });
  call("find_user_id_by_name_zip", { first_name: first, last_name: last, zip }, userId);
  const looksAtUser = dice.below(3) > 0;
  if (looksAtUser) call("get_user_details", { user_id: userId }, user);
  const looksAtAll = looksAtUser && dice.below(2) === 0;
  const order = dice.one(orders);
  for (const each of looksAtAll ? orders : [order])
    call("get_order_details", { order_id: each.order_id }, each);
  const chosen = dice.some(order.items, 1 + dice.below(Math.min(2, order.items.length)));
  const method = dice.one(Object.values(methods));
  const payment =
    looksAtUser && dice.below(2) === 0 ? method.id : (order.payment_history[0]?.payment_method_id ?? "");
  const told = chosen.map(
    ({ name, options }) => `${name.toLowerCase()} (${Object.values(options).join(", ")})`,
  );
  const names = `Your name is ${first} ${last}, zip code ${zip}.`;
  const says = looksAtAll ? "" : ` Your order is ${order.order_id}.`;
  const kind = dice.below(4);
  const address = user.address;
  if (kind === 0) {
    call(
      "cancel_pending_order",
      { order_id: order.order_id, reason: "no longer needed" },
      { ...order, status: "cancelled" },
    );
    return traceOf(index, "shop", `${names}${says} Cancel the order with the ${told.join(" and ")}.`, calls);
  }
  if (kind === 1) {
    call(
      "return_delivered_order_items",
      {
        order_id: order.order_id,
        item_ids: chosen.map(({ item_id }) => item_id),
        payment_method_id: payment,
      },
      { ...order, status: "return requested" },
    );
    return traceOf(index, "shop", `${names}${says} Return the ${told.join(" and ")}.`, calls);
  }
  if (kind === 2) {
    call("modify_pending_order_address", { order_id: order.order_id, ...address }, { ...order, address });
    return traceOf(
      index,
      "shop",
      `${names}${says} Send the order with the ${told.join(" and ")} to my default address.`,
      calls,
    );
  }
  const wanted = chosen.map((item) => {
    const product = products.find(({ product_id }) => product_id === item.product_id);
    const variants = Object.values(product?.variants ?? {}).filter(({ item_id }) => item_id !== item.item_id);
    return { product, variant: dice.one(variants) };
  });
  for (const { product } of wanted)
    call("get_product_details", { product_id: product?.product_id ?? "" }, product ?? null);
  const into = wanted.map(({ variant }) => Object.values(variant.options).join(", "));
  call(
    "exchange_delivered_order_items",
    {
      order_id: order.order_id,
      item_ids: chosen.map(({ item_id }) => item_id),
      new_item_ids: wanted.map(({ variant }) => variant.item_id),
      payment_method_id: payment,
    },
    { ...order, status: "exchange requested" },
  );
  return traceOf(
    index,
    "shop",
    `${names}${says} Exchange the ${told.join(" and ")} for ${into.join(" and ")}.`,
    calls,
  );
}

function productOf(dice: Dice, name: string, options: Readonly<Record<string, readonly string[]>>) {
  const seen = new Set<string>();
  const variants: Record<
    string,
    { item_id: string; options: Record<string, string>; available: boolean; price: number }
  > = {};
  for (let tries = 0; tries < 8; tries++) {
    const chosen = Object.fromEntries(
      Object.entries(options).map(([key, values]) => [key, dice.one(values)]),
    );
    const text = JSON.stringify(chosen);
    if (seen.has(text)) continue;
    seen.add(text);
    const item_id = dice.digits(10);
    variants[item_id] = { item_id, options: chosen, available: dice.below(4) > 0, price: dice.price() };
  }
  return { name, product_id: dice.digits(10), variants };
}

function paymentMethods(
  dice: Dice,
): Record<string, { source: string; id: string; brand?: string; last_four?: string }> {
  const methods = dice.some(["credit_card", "paypal", "gift_card"], 1 + dice.below(3)).map((source) => {
    const id = `${source}_${dice.digits(7)}`;
    return source === "credit_card"
      ? { source, brand: "visa", last_four: dice.digits(4), id }
      : { source, id };
  });
  return Object.fromEntries(methods.map((method) => [method.id, method]));
}

function orderOf(
  dice: Dice,
  userId: string,
  products: readonly ReturnType<typeof productOf>[],
  methods: readonly string[],
) {
  const items = dice.some(products, 1 + dice.below(4)).map(({ name, product_id, variants }) => {
    const { item_id, options, price } = dice.one(Object.values(variants));
    return { name, product_id, item_id, price, options };
  });
  const amount = Math.round(items.reduce((sum, { price }) => sum + price, 0) * 100) / 100;
  return {
    order_id: `#W${dice.digits(7)}`,
    user_id: userId,
    address: {
      address1: `${dice.digits(3)} Elm Street`,
      city: "Austin",
      country: "USA",
      state: "TX",
      zip: dice.digits(5),
    },
    items,
    fulfillments: [] as Json[],
    status: dice.one(["pending", "delivered", "processed"]),
    payment_history: [{ transaction_type: "payment", amount, payment_method_id: dice.one(methods) }],
  };
}

// --- a travel agency

const AIRPORTS = ["SEA", "JFK", "LAX", "ORD", "DEN", "MIA", "BOS", "ATL"] as const;

function travelRun(dice: Dice, index: number): RecordedTrace {
  const first = dice.one(FIRST);
  const last = dice.one(LAST);
  const userId = `${first}_${last}_${dice.digits(4)}`.toLowerCase();
  const methods = paymentMethods(dice);
  const passengers = Array.from({ length: 1 + dice.below(3) }, () => ({
    first_name: dice.one(FIRST),
    last_name: dice.one(LAST),
    dob: `19${dice.digits(2)}-0${1 + dice.below(9)}-1${dice.below(10)}`,
  }));
  const reservations = Array.from({ length: 1 + dice.below(4) }, () =>
    reservationOf(dice, userId, passengers, Object.keys(methods)),
  );
  const user = {
    name: { first_name: first, last_name: last },
    email: `${first}.${last}${dice.digits(4)}@example.com`.toLowerCase(),
    dob: `19${dice.digits(2)}-1${dice.below(3)}-0${1 + dice.below(9)}`,
    payment_methods: methods,
    saved_passengers: passengers,
    membership: dice.one(["regular", "silver", "gold"]),
    reservations: reservations.map(({ reservation_id }) => reservation_id),
  };
  const calls: RecordedCall[] = [];
  const call = (tool: string, args: JsonObject, result: Json): void =>
    void calls.push({ tool, args, result });
  const looksAtUser = dice.below(3) > 0;
  if (looksAtUser) call("get_user_details", { user_id: userId }, user);
  const who = `You are ${first} ${last} and your user id is ${userId}.`;
  const reservation = dice.one(reservations);
  const method = dice.one(Object.values(methods));
  const kind = dice.below(5);
  if (kind === 4 && looksAtUser) {
    const [from, to] = dice.some(AIRPORTS, 2) as [string, string];
    const date = `2024-05-${10 + dice.below(19)}`;
    const flights = flightsBetween(dice, from, to, date);
    call("search_direct_flight", { origin: from, destination: to, date }, flights);
    const flight = dice.one(flights);
    const cabin = dice.one(["economy", "business"] as const);
    const traveller = dice.below(2) === 0 ? { ...user.name, dob: user.dob } : dice.one(passengers);
    const amount = flight.prices[cabin];
    call(
      "book_reservation",
      {
        user_id: userId,
        origin: from,
        destination: to,
        flight_type: "one_way",
        cabin,
        flights: [{ flight_number: flight.flight_number, date }],
        passengers: [traveller],
        payment_methods: [{ payment_id: method.id, amount }],
        total_baggages: 1,
        nonfree_baggages: 0,
        insurance: "no",
      },
      { ...reservation, origin: from, destination: to },
    );
    const time = flight.scheduled_departure_time_est.slice(0, 5);
    return traceOf(
      index,
      "travel",
      `${who} Book a ${cabin} flight from ${from} to ${to} on ${date} leaving at ${time}, for ${traveller.first_name}, paid by ${method.source.replace("_", " ")}.`,
      calls,
    );
  }
  const looksAtAll = looksAtUser && dice.below(2) === 0;
  for (const each of looksAtAll ? reservations : [reservation])
    call("get_reservation_details", { reservation_id: each.reservation_id }, each);
  const { reservation_id: id } = reservation;
  const which = looksAtAll ? `from ${reservation.origin} to ${reservation.destination}` : id;
  const payment =
    looksAtUser && dice.below(2) === 0 ? method.id : (reservation.payment_history[0]?.payment_id ?? "");
  switch (kind) {
    case 0:
      call("cancel_reservation", { reservation_id: id }, { ...reservation, status: "cancelled" });
      return traceOf(index, "travel", `${who} Cancel your reservation ${which}.`, calls);
    case 1:
      call(
        "update_reservation_baggages",
        {
          reservation_id: id,
          total_baggages: reservation.total_baggages + 2,
          nonfree_baggages: 1,
          payment_id: payment,
        },
        reservation,
      );
      return traceOf(index, "travel", `${who} Add two bags to your reservation ${which}.`, calls);
    case 2: {
      const flights = reservation.flights.map(({ flight_number, date }) => ({ flight_number, date }));
      call(
        "update_reservation_flights",
        { reservation_id: id, cabin: "business", flights, payment_id: payment },
        { ...reservation, cabin: "business" },
      );
      return traceOf(index, "travel", `${who} Upgrade your reservation ${which} to business.`, calls);
    }
    default: {
      const [leg] = reservation.flights;
      const date = `2024-05-${10 + dice.below(19)}`;
      const flights = flightsBetween(dice, leg?.origin ?? "", leg?.destination ?? "", date);
      call(
        "search_direct_flight",
        { origin: leg?.origin ?? "", destination: leg?.destination ?? "", date },
        flights,
      );
      const flight = dice.one(flights);
      const kept = reservation.flights
        .slice(1)
        .map(({ flight_number, date: day }) => ({ flight_number, date: day }));
      call(
        "update_reservation_flights",
        {
          reservation_id: id,
          cabin: reservation.cabin,
          flights: [{ flight_number: flight.flight_number, date }, ...kept],
          payment_id: payment,
        },
        reservation,
      );
      return traceOf(
        index,
        "travel",
        `${who} Move the first leg of your reservation ${which} to ${date}, at ${flight.scheduled_departure_time_est.slice(0, 5)}.`,
        calls,
      );
    }
  }
}

function reservationOf(
  dice: Dice,
  userId: string,
  passengers: readonly { first_name: string; last_name: string; dob: string }[],
  methods: readonly string[],
) {
  const [from, over, to] = dice.some(AIRPORTS, 3) as [string, string, string];
  const legs =
    dice.below(2) === 0
      ? [[from, to]]
      : [
          [from, over],
          [over, to],
        ];
  return {
    reservation_id: dice.letters(6),
    user_id: userId,
    origin: from,
    destination: to,
    flight_type: "one_way",
    cabin: dice.one(["basic_economy", "economy", "business"]),
    flights: legs.map(([origin = "", destination = ""]) => ({
      origin,
      destination,
      flight_number: `HAT${dice.digits(3)}`,
      date: `2024-05-${10 + dice.below(19)}`,
      price: dice.below(400) + 50,
    })),
    passengers: dice.some(passengers, 1 + dice.below(passengers.length)),
    payment_history: [{ payment_id: dice.one(methods), amount: dice.below(900) + 100 }],
    created_at: "2024-05-02T03:10:19",
    total_baggages: dice.below(3),
    nonfree_baggages: 0,
    insurance: dice.one(["yes", "no"]),
  };
}

function flightsBetween(dice: Dice, origin: string, destination: string, date: string) {
  return Array.from({ length: 1 + dice.below(4) }, (_, index) => ({
    flight_number: `HAT${dice.digits(3)}`,
    origin,
    destination,
    scheduled_departure_time_est: `${10 + index * 3}:${10 + dice.below(49)}:00`,
    scheduled_arrival_time_est: `${12 + index * 3}:${10 + dice.below(49)}:00`,
    status: "available",
    available_seats: { basic_economy: dice.below(20), economy: dice.below(20), business: dice.below(20) },
    prices: {
      basic_economy: 50 + dice.below(50),
      economy: 100 + dice.below(100),
      business: 200 + dice.below(300),
    },
    date,
  }));
}

function traceOf(index: number, world: string, task: string, calls: readonly RecordedCall[]): RecordedTrace {
  return { id: `${world}-${index}`, task, calls };
}

// --- the world turned over

/** The same run with other ids, names and mails, other prices, and the elements of id-keyed collections in another order. */
function twinOf(trace: RecordedTrace, dice: Dice): RecordedTrace {
  const renamed = new Map<string, string>();
  const rename = (text: string): string =>
    text.replaceAll(
      /#W\d{7}|\b(?:credit_card|paypal|gift_card)_\d{7}\b|\b[a-z]+_[a-z]+_\d{4}\b|\b\d{10}\b|\b\d{5}\b|\b(?=[A-Z]*\d)[A-Z0-9]{6}\b|\bHAT\d{3}\b|[a-z]+\.[a-z]+\d{4}@example\.com/g,
      (id) => {
        const known = renamed.get(id);
        if (known !== undefined) return known;
        const fresh = id.replaceAll(/\d/g, (digit, at: number) =>
          at === 0 ? String(1 + dice.below(9)) : String((Number(digit) + 1 + dice.below(8)) % 10),
        );
        const unique = [...renamed.values()].includes(fresh) ? rename(fresh) : fresh;
        renamed.set(id, unique);
        return unique;
      },
    );
  const changed = (value: Json, isResult: boolean, key = ""): Json => {
    if (typeof value === "string") return rename(value);
    if (typeof value === "number")
      return isResult && /price|amount|economy|business/.test(key)
        ? Math.round(value * 137) / 100 + 1
        : value;
    if (Array.isArray(value)) {
      const list = (value as readonly Json[]).map((each) => changed(each, isResult, key));
      return isResult && SHUFFLED.has(key) ? dice.shuffled(list) : list;
    }
    if (!isJsonObject(value)) return value;
    const fields = Object.entries(value).map(
      ([name, each]) => [rename(name), changed(each, isResult, name)] as const,
    );
    return Object.fromEntries(isResult && SHUFFLED.has(key) ? dice.shuffled(fields) : fields);
  };
  return {
    id: `${trace.id}#twin`,
    ...(trace.task === undefined ? {} : { task: rename(trace.task) }),
    calls: trace.calls.map(({ tool, args, result }) => ({
      tool,
      args: changed(args, false) as JsonObject,
      result: changed(result, true),
    })),
  };
}

const SHUFFLED: ReadonlySet<string> = new Set([
  "orders",
  "items",
  "variants",
  "payment_methods",
  "reservations",
  "saved_passengers",
]);
