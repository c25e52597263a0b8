import { expect, test } from "vitest";
import { learned, paramNames, traceOf } from "../learned.ts";

type Calls = Parameters<typeof traceOf>[1];

/** What is said in a task is what its caller gives. */
function namesOf(calls: Calls): readonly string[] {
  const task = calls.map(([, args]) => JSON.stringify(args)).join(" ");
  return paramNames(learned([traceOf(task, calls)]));
}

test.each<[told: string, calls: Calls, names: readonly string[]]>([
  [
    "by the field that was found with its value, where the argument tells nothing",
    [["find_customer", { text: "ada@example.org" }, [{ email: "ada@example.org", name: "Ada Lind" }]]],
    ["email"],
  ],
  [
    "as an e-mail address, where it is one",
    [["find_customer", { q: "ada@example.org" }, { customer: 17 }]],
    ["email"],
  ],
  [
    "by the argument, where that tells more",
    [["find_customer", { email: "ada@example.org" }, [{ login: "ada@example.org" }]]],
    ["email"],
  ],
  [
    "by the argument, where several fields have its value",
    [["find", { q: "Lund" }, [{ name: "Lund", city: "Lund" }]]],
    ["q"],
  ],
  [
    "with what the tool speaks of, where it is an id",
    [["cancel_order", { id: "W-1002" }, { done: true }]],
    ["order_id"],
  ],
  [
    "with what is done with each, where tools differ",
    [
      ["cancel_order", { order_id: "W-1002" }, { done: true }],
      ["return_order", { order_id: "W-3004" }, { done: true }],
    ],
    ["cancel_order_id", "return_order_id"],
  ],
  [
    "with what each is done to, where only that differs",
    [
      ["add_alarm", { label: "wake Ada" }, null],
      ["add_reminder", { label: "call Olivia" }, null],
    ],
    ["alarmLabel", "reminderLabel"],
  ],
  [
    "by their order, where nothing else differs",
    [
      ["move_event", { event: "E-1001", room: "Blue room" }, null],
      ["tell_guests", {}, null],
      ["move_event", { event: "E-1002", room: "Red room" }, null],
    ],
    ["event", "room", "secondEvent", "secondRoom"],
  ],
])("a parameter is named %s", (_, calls, names) => {
  expect(namesOf(calls)).toEqual(names);
});

test("a parameter is named with what it stands in, where that is what differs", () => {
  const hall = "H-7731";
  const day = (date: string) => ({ day: date, hall });
  const trace = traceOf("Book the hall from 2026-02-03 until 2026-02-09", [
    ["get_hall", {}, { hall }],
    ["book", { from: day("2026-02-03"), until: day("2026-02-09") }, { booking: "B-77" }],
  ]);
  expect(paramNames(learned([trace]))).toEqual(["fromDay", "untilDay"]);
});
