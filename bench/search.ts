// How well and how fast skills are found by words, among public ones that nobody here wrote: `../shared/data` has to be there.
// `node --expose-gc bench/search.ts`
import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { loadFolders } from "../src/catalog/folders/load-folders.ts";
import { type Searchable, WordIndex } from "../src/catalog/word-index.ts";
import { median } from "./measurement.ts";
import { DEVELOPED_ON, HELD_OUT, HELD_OUT_LAST, type SkillWish } from "./skill-wishes.ts";

const COLLECTIONS = join(import.meta.dirname, "../../shared/data/skillsets");
const PACKAGES = join(import.meta.dirname, "../node_modules");
const MOST = 20;

if (!existsSync(COLLECTIONS)) throw new Error(`There are no collections of skills in ${COLLECTIONS}`);
const collected = await publicSkills();
const amongPackages = new Map([...(await packages()), ...collected]);
for (const [words, skills] of [
  ["public skills", collected],
  ["with npm packages", amongPackages],
] as const) {
  const index = new WordIndex();
  for (const [set, wishes] of Object.entries({ DEVELOPED_ON, HELD_OUT, HELD_OUT_LAST }))
    console.log(`${skills.size} ${words}, ${set}: ${await ranking(index, skills, wishes)}`);
}
for (const count of [2500, 10_000]) console.log(await cost(manyOf(amongPackages, count)));

/** How often a skill was first and among the first, and the mean of one by its rank. */
async function ranking(
  index: WordIndex,
  skills: ReadonlyMap<string, Searchable>,
  wishes: readonly SkillWish[],
): Promise<string> {
  const ranks: number[] = [];
  for (const { skill, wish } of wishes)
    ranks.push((await index.search(skills, wish, MOST)).indexOf(skill) + 1);
  const share = (most: number): string =>
    (ranks.filter((rank) => rank > 0 && rank <= most).length / ranks.length).toFixed(3);
  const reciprocal = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length;
  return `first ${share(1)}, mean reciprocal rank ${reciprocal.toFixed(3)}, among ${MOST} ${share(MOST)}`;
}

async function cost(skills: ReadonlyMap<string, Searchable>): Promise<string> {
  const before = heapMb();
  const start = performance.now();
  const index = new WordIndex();
  await index.search(skills, "the index is built", MOST);
  const built = performance.now() - start;
  const memory = heapMb() - before;
  const times: number[] = [];
  for (const { wish } of [...DEVELOPED_ON, ...HELD_OUT, ...HELD_OUT_LAST]) {
    const asked = performance.now();
    await index.search(skills, wish, MOST);
    times.push(performance.now() - asked);
  }
  const late = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
  return `${skills.size} skills: built in ${built.toFixed(0)} ms, ${memory.toFixed(1)} MB, a query ${median(times).toFixed(2)} ms (p50), ${late.toFixed(2)} ms (p95)`;
}

/** In megabytes; without `--expose-gc` with what could be collected. */
function heapMb(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

async function publicSkills(): Promise<ReadonlyMap<string, Searchable>> {
  const skills = new Map<string, Searchable>();
  for (const part of ["valid", "malformed"])
    for (const folder of (await loadFolders([join(COLLECTIONS, part)])).folders)
      if (!skills.has(folder.name) && folder.description !== "") skills.set(folder.name, folder);
  return skills;
}

/** Packages that are installed, as if they were skills: what they are for, and how they are used. */
async function packages(): Promise<ReadonlyMap<string, Searchable>> {
  const found = new Map<string, Searchable>();
  for (const entry of await readdir(PACKAGES, { recursive: true, withFileTypes: true })) {
    if (entry.name !== "package.json") continue;
    const told: unknown = JSON.parse(await readFile(join(entry.parentPath, entry.name), "utf8"));
    const { name, description } = told as { name?: unknown; description?: unknown };
    const readme = join(entry.parentPath, "README.md");
    if (typeof name !== "string" || typeof description !== "string" || !existsSync(readme)) continue;
    found.set(name, { name, description, instructions: await readFile(readme, "utf8") });
  }
  return found;
}

/** These and changed copies of them: of their longer words a third are others. */
function manyOf(skills: ReadonlyMap<string, Searchable>, count: number): ReadonlyMap<string, Searchable> {
  const many = new Map<string, Searchable>();
  for (let copy = 0; many.size < count; copy++)
    for (const [key, { name, description, instructions = "" }] of skills) {
      if (many.size >= count) break;
      const changed = (text: string): string =>
        text.replace(/[a-z]{5,}/g, (word) =>
          copy > 0 && (word.charCodeAt(0) + word.charCodeAt(2) + word.length) % 3 === 0
            ? `${word}x${copy}`
            : word,
        );
      many.set(`${key}-${copy}`, {
        name: `${name}-${copy}`,
        description: changed(description),
        instructions: changed(instructions),
      });
    }
  return many;
}
