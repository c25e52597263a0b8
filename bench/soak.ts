// A million calls through the pool, some of which leave behind all they can: none may give a wrong result.
import { DEFAULT_LIMITS } from "../src/core/limits.ts";
import { Runner } from "../src/runner/runner.ts";
import { skillSet } from "../test/runner/skill-set.ts";

const count = Number(process.argv[2] ?? 1_000_000);

const skills = skillSet({
  add: "export default ({ a, b }) => { if (globalThis.dirt) throw new Error('dirt'); return a + b; }",
  dirty: `export default ({ n }) => {
    if (globalThis.dirt || [].dirt || ({}).dirt) throw new Error("dirt");
    globalThis.dirt = Array.from({ length: 500 }, (_, i) => ({ i }));
    Array.prototype.dirt = Object.prototype.dirt = Function.prototype.dirt = 1;
    Promise.resolve().then(() => { globalThis.later = 1; });
    return n * 3;
  }`,
  nested: `export default async ({ a, b }) => (await call_skill("add", { a, b })) + (await call_skill("dirty", { n: a }))`,
});
const runner = new Runner({ limits: DEFAULT_LIMITS });
await runner.warm();

const started = performance.now();
const startMb = process.memoryUsage().rss / 2 ** 20;
let next = 0;
let wrong = 0;
const lane = async (): Promise<void> => {
  for (let n = next++; n < count; n = next++) {
    const [name, input, expected] =
      n % 50 === 0
        ? (["dirty", { n }, n * 3] as const)
        : n % 50 === 1
          ? (["nested", { a: n, b: 2 }, n + 2 + n * 3] as const)
          : (["add", { a: n, b: 1 }, n + 1] as const);
    const { outcome } = (await runner.run(skills, name, input)).root;
    if (!outcome.ok || outcome.output !== expected) {
      wrong++;
      console.error(name, n, JSON.stringify(outcome));
    }
    if (n % 100_000 === 0)
      console.log(`${n} calls, ${wrong} wrong, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
  }
};
await Promise.all(Array.from({ length: 32 }, lane));
const seconds = (performance.now() - started) / 1000;
const grownMb = process.memoryUsage().rss / 2 ** 20 - startMb;
console.log(
  `${count} calls in ${seconds.toFixed(0)} s, ${wrong} wrong, memory grew by ${grownMb.toFixed(0)} MB`,
);
await runner.close();
process.exit(wrong === 0 ? 0 : 1);
