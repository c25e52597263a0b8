import { expect, test } from "vitest";
import { formattedDate, parseDate } from "../../../src/learn/synthesis/dates.ts";

const DAY = Date.UTC(2024, 1, 29);

test.each([
  ["2024-02-29", "YYYY-MM-DD"],
  ["2024-02-29T10:30:00", "YYYY-MM-DDThh:mm:ss"],
  ["2024-02-29 10:30:00", "YYYY-MM-DD hh:mm:ss"],
  ["2024-02-29T10:30:00Z", "YYYY-MM-DDThh:mm:ssZ"],
  ["2024/02/29", "YYYY/MM/DD"],
  ["02/29/2024", "MM/DD/YYYY"],
  ["29.02.2024", "DD.MM.YYYY"],
  ["20240229", "YYYYMMDD"],
])("%s is a date in the form %s", (text, format) => {
  expect(parseDate(text)).toEqual({ day: DAY, format });
});

test.each([
  "2023-02-29",
  "31.04.2024",
  "1899-01-01",
  "2201-01-01",
  "2024-2-9",
  "on 2024-02-29",
  "12345678",
  "",
])("%j is none", (text) => {
  expect(parseDate(text)).toBeUndefined();
});

test.each([
  ["2024-02-28", 1, "DD.MM.YYYY", "29.02.2024"],
  ["2024-12-31", 1, "YYYY-MM-DD", "2025-01-01"],
  ["2024-03-01", -1, "YYYYMMDD", "20240229"],
  ["2024-02-29T10:30:05Z", 0, "YYYY-MM-DD hh:mm:ss", "2024-02-29 10:30:05"],
  ["2024-02-29 10:30", 7, "MM/DD/YYYY hh:mm", "03/07/2024 10:30"],
])("%s, %i days later, as %s is %s", (text, days, format, expected) => {
  expect(formattedDate(text, days, format)).toBe(expected);
});

test("what does not begin with the year is not moved", () => {
  expect(formattedDate("29.02.2024", 0, "YYYY-MM-DD")).toBeUndefined();
});
