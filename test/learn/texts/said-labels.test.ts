import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { extracted, isVerified, paramsOf, provideFolder, writtenIn } from "../extracted.ts";

provideFolder();

async function noted(name: string, task: string, page: string, content: string): Promise<Draft> {
  return extracted(name, task, [
    [
      ["web.fetch", { url: "https://example.org/hall" }, page],
      ["desk.write_file", { path: "/notes/x.txt", content }, "Written"],
    ],
  ]);
}

async function written(draft: Draft, page: string, given: JsonObject): Promise<Json> {
  const done = await writtenIn(draft, { "https://example.org/hall": page }, given);
  return typeof done === "string" ? done : (done[0] ?? null);
}

const HOURS = "* Monday: closed\n* Tuesday: 9:15 to 17:30\n* Wednesday: 11:00 to 15:30\n";

test("a label that is one of several things is what the caller says", async () => {
  const task = "When is the hall of https://example.org/hall open on Tuesday? Note it in /notes/x.txt.";
  const draft = await noted("hours", task, HOURS, "9:15 to 17:30\n");
  expect(isVerified(draft)).toBe(true);
  expect(paramsOf(draft)).toEqual(["url", "path", "name"]);
  expect(await written(draft, HOURS, { name: "Wednesday" })).toEqual({
    path: "/notes/x.txt",
    content: "11:00 to 15:30\n",
  });
  expect(await written(draft, HOURS, { name: "Sunday" })).toContain('name "Sunday"');
});

test("so it is below a heading", async () => {
  const page = `Groups call us before they come.\n\n## Opening hours\n\n${HOURS}\n## Getting here\n\nTake bus 42.\n`;
  const task = "When is the hall of https://example.org/hall open on Tuesday? Note it in /notes/x.txt.";
  const draft = await noted("hours-below", task, page, "9:15 to 17:30\n");
  expect(isVerified(draft)).toBe(true);
  expect(paramsOf(draft)).toEqual(["url", "path", "line_name"]);
  expect(await written(draft, page, { line_name: "Monday" })).toEqual({
    path: "/notes/x.txt",
    content: "closed\n",
  });
  expect(await written(draft, page, { line_name: "Sunday" })).toContain('name "Sunday"');
});

test("the labels of one thing are what every text has", async () => {
  const page = "Name: Lamps and more\nPhone: 555-1234\nMail: a@example.org\n";
  const task = "Note the phone of the shop on https://example.org/hall in /notes/x.txt.";
  const draft = await noted("phone", task, page, "555-1234\n");
  expect(paramsOf(draft)).toEqual(["url", "path"]);
});
