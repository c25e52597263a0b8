// Libraries of generated skills, as many as one wants: instructions, functions, and skills that call others.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const THINGS = ["invoice", "order", "parcel", "visit", "ticket", "lease", "meter", "route", "batch", "claim"];
const DEEDS = ["total", "round", "compare", "rank", "label", "split", "merge", "check", "plan", "price"];
const WAYS = ["by-day", "by-weight", "by-region", "with-tax", "with-discount", "for-guests", "per-unit"];

/** The name of the skill at a place: no two are the same. */
export function skillName(index: number): string {
  const thing = THINGS[index % 10] ?? "";
  const deed = DEEDS[Math.floor(index / 10) % 10] ?? "";
  const way = WAYS[Math.floor(index / 100) % 7] ?? "";
  return `${thing}-${deed}-${way}-${index}`;
}

/** Writes a library: of ten skills three are instructions, two call others, the rest are functions. */
export async function writeLibrary(folder: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => from + index);
    await Promise.all(some.map(async (index) => writeSkill(folder, index)));
  }
}

const AT_ONCE = 100;

async function writeSkill(folder: string, index: number): Promise<void> {
  const name = skillName(index);
  const words = name.replaceAll("-", " ");
  const path = join(folder, name);
  await mkdir(path, { recursive: true });
  const kind = index % 10;
  const steps = Array.from(
    { length: 3 + (index % 9) },
    (_, step) => `${step + 1}. Look at ${words}, part ${step}.`,
  );
  await writeFile(
    join(path, "SKILL.md"),
    `---\nname: ${name}\ndescription: Does the ${words} as the office number ${index} wants it. Use it when somebody asks for ${words}.\n---\n\n# ${words}\n\n${steps.join("\n")}\n`,
  );
  if (kind < 3) return;
  await writeFile(join(path, "skill.ts"), kind >= 8 && index > 20 ? callerCode(index) : functionCode(index));
}

/** A skill's code, different for each. */
export function functionCode(index: number, note = ""): string {
  const extra = index % 4 === 0 ? "; /** A word to put before it. */ prefix?: string" : "";
  return `export interface Input { amount: number; rate: number; lines: { id: string; weight: number }[]${extra} }
export interface Output { result: number; ids: string[] }
export default ({ amount, rate, lines }: Input): Output => {
  const weight = lines.reduce((sum, line) => sum + line.weight, ${index});
  return { result: Math.round(amount * rate + weight), ids: lines.map(({ id }) => id) };
};
// ${index}${note}
`;
}

function callerCode(index: number): string {
  const callees = [index - 2, index - 3, index - 12].filter((each) => each % 10 >= 3).map(skillName);
  const calls = callees.map(
    (callee, at) =>
      `  const part${at} = await call_skill(${JSON.stringify(callee)}, { amount: input.amount + ${at}, rate: 2, lines: input.lines });`,
  );
  const sum = callees.map((_, at) => `part${at}.result`).join(" + ");
  return `export interface Input { amount: number; lines: { id: string; weight: number }[] }
export interface Output { result: number; ids: string[] }
export default async (input: Input): Promise<Output> => {
${calls.join("\n")}
  return { result: ${sum}, ids: [] };
};
// ${index}
`;
}
