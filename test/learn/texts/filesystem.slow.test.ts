import { afterAll, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { type Call, folderServer, ran, recorded } from "./text-sessions.ts";

const real = new RealDrafts();
afterAll(() => real.close());

/** Adds up what the files of a folder say, and writes it down. */
async function summed(call: Call, folder: string, report: string): Promise<void> {
  const listing = await call("list_directory", { path: folder });
  let sum = 0;
  for (const [, name = ""] of listing.matchAll(/^\[FILE\] (.*)$/gm)) {
    const text = await call("read_text_file", { path: `${folder}/${name}` });
    sum += Number(/total: (\d+)/.exec(text)?.[1]);
  }
  await call("write_file", { path: report, content: `total: ${sum}\n` });
}

test("what the files of a folder say is read in another folder with other files", async () => {
  const first = await folderServer({ "reports/a.txt": "total: 120\n", "reports/b.txt": "total: 80\n" });
  const task = `Sum the totals of the files in ${first.root}/reports and write them to ${first.root}/sum.txt`;
  const trace = await recorded(first, "files", task, (call) =>
    summed(call, `${first.root}/reports`, `${first.root}/sum.txt`),
  );
  const draft = await real.of([trace]);
  expect(draft.plan.params.map(({ example }) => example)).toEqual([
    `${first.root}/reports`,
    `${first.root}/sum.txt`,
  ]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
  const [folder = "", report = ""] = draft.plan.params.map(({ name }) => name);

  const other = await folderServer({
    "year/north.txt": "region: north\ntotal: 7\n",
    "year/east-2.txt": "total: 10.5\nseen by Ada\n",
    "year/south west.txt": "total: 1\n",
  });
  const input = { [folder]: `${other.root}/year`, [report]: `${other.root}/all.txt` };
  expect(await ran(draft.code, input, other)).toMatchObject({ ok: true });
  expect((await other.files())["all.txt"]).toBe("total: 18.5\n");

  const unlike = await folderServer({ "year/a.txt": "total: unknown\n", "year/b.txt": "total: 1\n" });
  const stopped = await ran(
    draft.code,
    { [folder]: `${unlike.root}/year`, [report]: `${unlike.root}/all.txt` },
    unlike,
  );
  expect(stopped).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining("no number: unknown") },
  });
  expect(Object.keys(await unlike.files())).toEqual(["year/a.txt", "year/b.txt"]);
  await Promise.all([first.close(), other.close(), unlike.close()]);
});
