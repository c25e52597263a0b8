import { expect, test } from "vitest";
import { examples, extracted, provideFolder, ran } from "./extracted.ts";

provideFolder();

test("what is sought and not there is told with its field, its value and among how many, and how to mend it", async () => {
  const orders = [
    { id: "o-70011", title: "Rain jacket" },
    { id: "o-70012", title: "Kettle" },
    { id: "o-70013", title: "Tent" },
  ];
  const draft = await extracted(
    "cancel-by-title",
    "Cancel my order of the Kettle",
    [
      [
        ["shop.list_orders", {}, { orders }],
        ["shop.cancel_order", { id: "o-70012" }, { status: "cancelled" }],
      ],
    ],
    ["shop.list_*"],
  );
  const given = examples(draft);
  expect(Object.values(given)).toEqual(["Kettle"]);
  const [name = ""] = Object.keys(given);
  const { called, error } = await ran(draft, { [name]: "Lamp" }, [{ orders }]);
  expect(called).toEqual(["shop.list_orders"]);
  expect(error).toBe('None of the 3 in orders has title "Lamp"; mend the arguments and call again');
});
