import { describe, expect, test } from "vitest";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

const desk = (content: string): WorldTools => ({
  "desk.read_file": () => content,
  "desk.do": () => "ok",
});

interface Told {
  readonly task: string;
  readonly label: string;
  readonly value: string;
  readonly argument: string;
}

const page = (label: string, value: string): string => `Number: 4711\n${label}: ${value}\nSpace: B2\n`;

async function doneWith(told: Told, value: string): Promise<string> {
  const { task, label, argument } = told;
  const trace = recordedIn(desk(page(label, told.value)), task, (call) => {
    call("desk.read_file", {});
    call("desk.do", { [argument]: told.value });
  });
  const { plan } = learned([trace]);
  expect(plan.params).toEqual([]);
  const [, call = ""] = await callsIn(runner, plan, desk(page(label, value)), {});
  return call.startsWith("stops") ? "stops" : call;
}

const acted = (argument: string, value: string): string => `desk.do ${JSON.stringify({ [argument]: value })}`;

const ATTENDEE: Told = { task: "Invite the attendees", label: "Attendees", value: "Ines", argument: "who" };
const TAG: Told = { task: "Set the tags", label: "Tags", value: "travel", argument: "tag" };
const OWNER: Told = { task: "Write to the owner", label: "Owner", value: "ines", argument: "to" };
const PLACE: Told = { task: "Set the team", label: "Team", value: "Night Shift", argument: "team" };

describe("what was one name or word, and is used whole", () => {
  test.each<readonly [string, Told]>([
    ["Bo", ATTENDEE],
    ["Bo Falk", ATTENDEE],
    ["Ortega y Gasset", ATTENDEE],
    ["street food", TAG],
    ["street/food", TAG],
    ["bo", OWNER],
    ["Early Shift", PLACE],
  ])("is another one: %s", async (value, told) => {
    expect(await doneWith(told, value)).toBe(acted(told.argument, value));
  });

  test.each<readonly [string, Told]>([
    ["Ines, Bo", ATTENDEE],
    ["Ines and Bo", ATTENDEE],
    ["Ines / Bo", ATTENDEE],
    ["Ines; Bo", ATTENDEE],
    ["travel, food", TAG],
    ["travel;food", TAG],
    ["sun & sea", TAG],
    ["ines, bo", OWNER],
    ["bo und cy", OWNER],
    ["Night Shift, Early Shift", PLACE],
  ])("is no list: %s", async (value, told) => {
    expect(await doneWith(told, value)).toBe("stops");
  });
});

describe("what may have commas in it stays as it is", () => {
  test.each<readonly [string, Told]>([
    ["Sun, moon and stars", { task: "Set the title", label: "Title", value: "Sea", argument: "title" }],
    ["Oslo, Norway", { task: "Set the city", label: "City", value: "Bergen", argument: "city" }],
    [
      "Wet, cold and dark",
      { task: "Set the state", label: "State", value: "Dry and warm", argument: "state" },
    ],
    ["Ines, Bo", { ...ATTENDEE, task: "Write down the attendees", argument: "note" }],
  ])("%s", async (value, told) => {
    expect(await doneWith(told, value)).toBe(acted(told.argument, value));
  });
});
