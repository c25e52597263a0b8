import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { extracted, isVerified, paramsOf, provideFolder, questionsOf, writtenIn } from "../extracted.ts";

provideFolder();

const LETTER =
  "Dear guest,\n\nthank you for your booking.\nYour booking code is HX-20931.\nWe look forward to seeing you.\n";

async function draftOf(task: string, text: string, content: string): Promise<Draft> {
  return extracted(`phrase-${task.length}-${text.length}`, task, [
    [
      ["desk.read_file", { path: "/desk/in" }, text],
      ["desk.write_file", { path: "/desk/out", content }, "Written"],
    ],
  ]);
}

async function written(draft: Draft, text: string): Promise<Json | undefined> {
  const done = await writtenIn(draft, { "/desk/in": text });
  return typeof done === "string" ? `stops: ${done}` : done[0]?.["content"];
}

describe("what a sentence says behind words of the task", () => {
  test.each([
    [
      "Write the booking code of /desk/in to /desk/out.",
      LETTER,
      "HX-20931\n",
      "Dear Ann,\n\nthanks!\nYour booking code is AB-1.\nUntil May!\n",
      "AB-1\n",
    ],
    [
      "How much is the rent, by /desk/in? Write it to /desk/out.",
      "Hello Bo,\nthe rent is 640 EUR.\nBest,\nAnn\n",
      "640 EUR\n",
      "Hello,\nin short: the rent is 655 EUR.\nBye\n",
      "655 EUR\n",
    ],
  ])("is found by these: %s", async (task, text, content, other, made) => {
    const draft = await draftOf(task, text, content);
    expect([paramsOf(draft), questionsOf(draft), isVerified(draft)]).toEqual([
      ["readPath", "writePath"],
      [],
      true,
    ]);
    expect(await written(draft, other)).toBe(made);
  });

  test.each([
    ["has the words twice", "Your booking code is AB-1. Your booking code is CD-2.\n"],
    ["has something else of that form", "The old one was AB-11. Your booking code is CD-22.\n"],
    ["has other words", "Your code for the booking is AB-1.\n"],
    ["has no value there", "Your booking code is not known yet.\n"],
  ])("a text that %s stops the skill", async (_, text) => {
    const draft = await draftOf("Write the booking code of /desk/in to /desk/out!", LETTER, "HX-20931\n");
    expect(await written(draft, text)).toMatch(/^stops: /);
  });
});
