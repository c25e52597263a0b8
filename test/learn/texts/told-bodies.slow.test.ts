import { expect, test } from "vitest";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import type { Json } from "../../../src/core/json/json.ts";
import { examples, extracted, isVerified, paramsOf, provideFolder, writtenIn } from "../extracted.ts";

provideFolder();

const URL_ = "https://example.org/one";

async function saved(name: string, page: string, content: string): Promise<Draft> {
  return extracted(name, `Fetch ${URL_} and save it to /pages/one.md.`, [
    [
      ["web.fetch", { url: URL_ }, page],
      ["desk.write_file", { path: "/pages/one.md", content }, "Written"],
    ],
  ]);
}

/** What is written of another page. */
async function written(draft: Draft, page: string): Promise<Json | undefined> {
  const url = "https://example.org/two";
  const done = await writtenIn(draft, { [url]: page }, { url });
  return typeof done === "string" ? done : done[0];
}

const PAGE = `Contents of ${URL_}:\n# One\n\nText of one, in 2 lines.\nAnd more.\n`;
const BODY = "# One\n\nText of one, in 2 lines.\nAnd more.\n";

test("a text is an earlier one below the line in which the server tells what it is", async () => {
  const draft = await saved("body", PAGE, BODY);
  expect(isVerified(draft)).toBe(true);
  expect(paramsOf(draft)).toEqual(["url", "path"]);
  const other = "Contents of https://example.org/two:\nTwo lines,\n\nof two.\n";
  expect(await written(draft, other)).toEqual({ path: "/pages/one.md", content: "Two lines,\n\nof two.\n" });
});

test.each([
  ["is not there", "Two lines,\n\nof two.\n"],
  ["says more", "Contents of https://example.org/two (cut off):\nTwo lines,\n\nof two.\n"],
  ["is of another page", `Contents of ${URL_}:\nTwo lines,\n\nof two.\n`],
])("a page whose first line %s stops", async (_, page) => {
  const draft = await saved("stops", PAGE, BODY);
  expect(await written(draft, page)).toBe("A part of a text stands there at none or several places");
});

test.each([
  ["is cut", "Text.\n\n<error>Content truncated. Ask for more from 5000 on.</error>"],
  ["could not be read", "<error>The page has no text</error>\n"],
  ["is empty", "\n"],
])("a page that %s stops", async (_, body) => {
  const draft = await saved("errors", PAGE, BODY);
  expect(await written(draft, `Contents of https://example.org/two:\n${body}`)).toMatch(/another kind/);
});

test.each([
  ["a short end", "Contents:\nok then\n", "ok then\n"],
  [
    "below what only this page says",
    "Revision 48213:\nText of one, in 2 lines.\n",
    "Text of one, in 2 lines.\n",
  ],
])("%s is no body", async (name, page, content) => {
  const draft = await saved(name.replaceAll(" ", "-"), page, content);
  expect(examples(draft)["content"]).toBe(content);
});
