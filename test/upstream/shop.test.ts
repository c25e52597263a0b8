import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { Neighbours, until } from "./upstream-fixtures.ts";

const SHOP = {
  shop: {
    command: process.execPath,
    args: [
      "--disable-warning=ExperimentalWarning",
      fileURLToPath(new URL("../../examples/shop-server.ts", import.meta.url)),
    ],
  },
};

test("the shop of the examples reads, writes and refuses, and begins anew when it is started again", async () => {
  await using others = new Neighbours(SHOP);
  const call = async (name: string, args: Json = {}): Promise<unknown> => {
    const result = await others.call(`shop.${name}`, args);
    return result.ok ? result.value : result.error.message;
  };
  const { tools } = await others.tools();
  expect(
    tools.map(({ name, annotations }) => `${name} ${annotations.readOnlyHint ? "reads" : "writes"}`),
  ).toEqual([
    "list_products reads",
    "find_customer reads",
    "list_orders reads",
    "get_order reads",
    "update_order_address writes",
    "cancel_order writes",
  ]);
  expect(tools.every(({ outputSchema }) => outputSchema?.["type"] === "object")).toBe(true);
  expect(others.healthOf("shop").findings).toEqual([]);

  expect(await call("list_products", { category: "tea", inStock: true })).toMatchObject({
    products: [{ id: "P-100" }, { id: "P-101" }],
  });
  expect(await call("find_customer", { text: "ada" })).toMatchObject({
    customers: [{ id: "C-1" }, { id: "C-4" }],
  });
  expect(await call("list_orders", { customerId: "C-1" })).toMatchObject({
    orders: [{ id: "O-1005" }, { id: "O-1002", total: 53 }, { id: "O-1001" }],
  });
  expect(await call("list_orders", { customerId: "C-9" })).toBe("There is no customer C-9");

  const shipTo = { street: "Oak Road 1", city: "Lund", postcode: "22101", country: "SE" };
  expect(await call("update_order_address", { id: "O-1002", shipTo })).toMatchObject({ order: { shipTo } });
  expect(await call("get_order", { id: "O-1002" })).toMatchObject({ order: { status: "paid", shipTo } });
  expect(await call("cancel_order", { id: "O-1002", reason: "too late" })).toMatchObject({
    order: { status: "cancelled" },
  });
  expect(await call("cancel_order", { id: "O-1003" })).toBe(
    "The order O-1003 is shipped, so it cannot be cancelled",
  );
  expect(await call("get_order", { id: 7 })).toContain("Input validation error");

  process.kill(others.healthOf("shop").pid ?? 0, "SIGKILL");
  await until(() => others.healthOf("shop").state !== "ready");
  expect(await call("get_order", { id: "O-1002" })).toMatchObject({ order: { status: "paid" } });
});
