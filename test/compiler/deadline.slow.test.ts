import { EventEmitter } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test, vi } from "vitest";
import { SkillCompiler } from "../../src/compiler/compile-skills.ts";
import { skillFolder } from "../checks/read-folder.ts";

const SOUND = "export default (input: { name: string }): string => input.name";
const ENDLESS = `type Orders<T, K = T> = [T] extends [never] ? [] : K extends K ? [K, ...Orders<Exclude<T, K>>] : never;
export default (input: Orders<1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9>): null => null`;

test("types that the compiler comes to no end with are reported, and the other skills compile meanwhile", async () => {
  const compiler = new SkillCompiler({ deadlines: { skillMs: 3_000 } });
  let ticks = 0;
  const ticking = setInterval(() => (ticks += 1), 20);
  const folders = [
    skillFolder("before", SOUND),
    skillFolder("endless", ENDLESS),
    skillFolder("after", `${SOUND};`),
  ];
  const { skills, diagnostics } = await compiler.compile(folders);
  clearInterval(ticking);
  expect(skills.map(({ name }) => name)).toEqual(["before", "after"]);
  expect(diagnostics).toMatchObject([
    {
      code: "type-inexpressible",
      severity: "error",
      path: "/skills/endless/skill.ts",
      line: 1,
      column: 1,
      message: "The compiler did not come to an end with this code within 3 seconds",
    },
  ]);
  expect(ticks).toBeGreaterThan(20);

  const start = performance.now();
  const again = await compiler.compile(folders);
  expect(again.diagnostics).toEqual(diagnostics);
  expect(performance.now() - start).toBeLessThan(2_500);
  await compiler.close();
});

test("a batch that is not read in time is tried skill by skill", async () => {
  const compiler = new SkillCompiler({ deadlines: { batchMs: 1, batchPerSkillMs: 0 } });
  const { skills, diagnostics } = await compiler.compile([
    skillFolder("a", SOUND),
    skillFolder("b", `${SOUND};`),
  ]);
  expect(skills.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(diagnostics).toEqual([]);
  await compiler.close();
});

test.skipIf(typeof Worker.prototype.cpuUsage !== "function")(
  "a compiler that could not work in its time, or tell of it, is given that time again",
  async () => {
    const skillMs = 2_000;
    const compiler = new SkillCompiler({ deadlines: { skillMs, batchMs: skillMs, batchPerSkillMs: 0 } });
    await compiler.compile([skillFolder("first", SOUND)]);
    // Whoever listens is held up, as on a machine with too much to do, when the compiler has begun.
    const heard = vi.spyOn(Worker.prototype, "emit").mockImplementation(function (
      this: Worker,
      event,
      about,
    ) {
      const isTold = EventEmitter.prototype.emit.call(this, event, about);
      if (event === "message" && (about as unknown as { kind: string }).kind === "at") {
        heard.mockRestore();
        setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, skillMs + 500));
      }
      return isTold;
    });
    const compiled = compiler.compile([skillFolder("second", `${SOUND};`)]);
    expect(await compiled).toMatchObject({ skills: [{ name: "second" }], diagnostics: [] });
    await compiler.close();
  },
);

test("what is asked for at once is compiled one after the other, and a closed compiler says that it is closed", async () => {
  const compiler = new SkillCompiler();
  const both = await Promise.all([
    compiler.compile([skillFolder("a", SOUND)]),
    compiler.compile([skillFolder("a", SOUND)]),
  ]);
  expect(both[1]).toEqual(both[0]);
  await compiler.close();
  await expect(compiler.compile([skillFolder("b", `${SOUND};`)])).rejects.toThrow("The compiler is closed");
});
