import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

const desk = (issues: readonly string[], tasks: string): WorldTools => ({
  "page.fetch": () => `Issues of the boat:\n\n${issues.map((each) => `* ${each}`).join("\n")}`,
  "desk.read_file": () => ({ content: tasks }),
  "desk.write_file": () => "ok",
});
const TASKS = "# Tasks\n\n- [x] Order 12 ropes\n- [ ] Call Bo\n";

test("a text of which only the whole is used is not read, though what is open would look into it", async () => {
  const seen = ["#121 Mast creaks (open)", "#448 Sail tears (closed)", "#925 Lamp flickers (open)"];
  const task =
    'Add a task at the end of /desk/tasks.md for each issue that is still open, as "- [ ] Title (#12)".';
  const { plan } = learned([
    recordedIn(desk(seen, TASKS), task, (call) => {
      call("page.fetch", { url: "https://boat.example/issues" });
      call("desk.read_file", { path: "/desk/tasks.md" });
      const content = `${TASKS}- [ ] Mast creaks (#121)\n- [ ] Lamp flickers (#925)\n`;
      call("desk.write_file", { path: "/desk/tasks.md", content });
    }),
  ]);
  const input: JsonObject = Object.fromEntries(
    plan.params.map(({ name, example = null }) => [name, example]),
  );
  const other = desk(
    ["#7 Rudder sticks (closed)", "#19 Paint peels (open)", "#23 Hull leaks (open)"],
    "Weekly\n\n- [X] Swim\n",
  );
  const calls = await callsIn(runner, plan, other, input);
  expect(calls.at(-1)).toBe(
    `desk.write_file ${JSON.stringify({ path: "/desk/tasks.md", content: "Weekly\n\n- [X] Swim\n- [ ] Paint peels (#19)\n- [ ] Hull leaks (#23)\n" })}`,
  );
});
