import { expect, test } from "vitest";
import { extracted, provideFolder, writtenIn } from "../extracted.ts";

provideFolder();

const path = "/mail/317.txt";
const mail = (subject: string): string =>
  `From: Greta Lund <greta@example.org>\nSubject: ${subject}\n\nCan you come?\n`;

test("the subject of a reply is no reply already", async () => {
  const draft = await extracted("reply", `Reply "Thank you, we will." to the sender of ${path}.`, [
    [
      ["post.read_file", { path }, mail("Quote for a group")],
      [
        "post.send_mail",
        { to: "greta@example.org", subject: "Re: Quote for a group", body: "Thank you, we will." },
        "Sent",
      ],
    ],
  ]);
  const subjectIn = async (subject: string) => {
    const written = await writtenIn(draft, { [path]: mail(subject) });
    return typeof written === "string" ? "stops" : written[0]?.["subject"];
  };
  expect(await subjectIn("Review of the plan")).toBe("Re: Review of the plan");
  for (const subject of ["Re: Lost key", "RE: Lost key", "AW: Lost key", "Fwd: Lost key", "fw : Lost key"])
    expect(await subjectIn(subject)).toBe("stops");
});
