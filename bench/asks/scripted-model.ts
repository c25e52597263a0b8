import { isJsonObject, type Json } from "../../src/core/json/json.ts";
import type { LanguageModel } from "../../src/core/language-model.ts";
import { parseJson } from "../../src/core/json/parse-json.ts";
import { ok } from "../../src/core/result.ts";

/**
 * A model that knows nothing but what it is sent: it takes the shown skill whose words the wish has most of, fills what the
 * skill needs with what stands in the wish or in the last answer, asks for what does not, and makes nothing up.
 */
export const SCRIPTED_MODEL: LanguageModel = {
  name: "scripted",
  answer: async ({ instructions, data }) => {
    const task = /^The task: (".*")$/m.exec(instructions)?.[1];
    const read = parseJson(task ?? '""');
    const wish = read.ok && typeof read.value === "string" ? read.value : "";
    const value = turnFor(wish, data);
    return Promise.resolve(ok({ value, model: "scripted", inputTokens: 0, outputTokens: 0 }));
  },
};

interface ShownSkill {
  readonly name: string;
  readonly words: readonly string[];
  readonly fields: readonly Field[];
}

interface Field {
  readonly name: string;
  readonly type: string;
}

function turnFor(wish: string, data: string): Json {
  const parts = wish.split(/,? then /);
  const given = [...data.matchAll(/^Called \S+ with .*\. It gave: (.*)$/gm)].map(([, text = ""]) => text);
  const failed = given.some((text) => !text.includes('"ok":true'));
  if (failed || data.includes(" was not made: ")) return { missing: { text: "The skill did not take it." } };
  const part = parts[given.length];
  if (part === undefined) return { done: { text: given.at(-1) ?? "" } };
  const skill = bestOf(shownSkills(data), part);
  if (!skill) return { missing: { text: `A skill that does: ${wish}` } };
  const input = inputOf(skill, part, given.at(-1));
  return typeof input === "string"
    ? { ask: { question: `What is the ${input}?` } }
    : { run: { skill: skill.name, input: JSON.stringify(input) } };
}

function shownSkills(data: string): readonly ShownSkill[] {
  const described = data.matchAll(
    /^ {2}\/\*\* (.*) \*\/\n {2}"([^"]+)": \{ input: (?:Skills\.(\w+)|\{ (.*?) \})/gm,
  );
  return [...described].map(([, text = "", name = "", type = "", written = ""]) => {
    const body = new RegExp(`interface ${type || "-"} \\{\\n([^]*?)\\n  \\}`).exec(data)?.[1] ?? "";
    const fields = [...body.matchAll(/^ {4}(\w+): (.*?)[;{]?$/gm), ...written.matchAll(/(\w+): ([^;]+)/g)];
    return {
      name,
      words: wordsOf(`${name} ${text}`),
      fields: fields.map(([, field = "", kind = ""]) => ({ name: field, type: kind })),
    };
  });
}

/** The one that has the most words of the wish, those of few skills counting more; none where it has hardly any. */
function bestOf(skills: readonly ShownSkill[], wish: string): ShownSkill | undefined {
  const wanted = wordsOf(wish);
  const weight = (word: string): number =>
    Math.log(1 + skills.length / Math.max(1, skills.filter(({ words }) => words.includes(word)).length));
  const scored = skills
    .map((skill) => {
      const shared = wanted.filter((word) => skill.words.includes(word));
      const name = shared.filter((word) => wordsOf(skill.name).includes(word)).length;
      return {
        skill,
        shared: shared.length + name,
        score: shared.reduce((sum, word) => sum + weight(word), name),
      };
    })
    .toSorted((a, b) => b.score - a.score);
  const [best] = scored;
  return best && best.shared >= 2 ? best.skill : undefined;
}

const LITTLE = new Set(
  "a an and are as at by for from how in is it its me of on one or that the there this to what which with whose".split(
    " ",
  ),
);

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[a-z]{2,}/g) ?? [];
  return [
    ...new Set(words.filter((word) => !LITTLE.has(word)).map((word) => word.replace(/(?:ing|es|s|e)$/, ""))),
  ];
}

/** The input, or the name of a field that nothing tells. */
function inputOf({ fields }: ShownSkill, wish: string, last: string | undefined): Json | string {
  const read = last === undefined || !/\bthat\b/.test(wish) ? undefined : parseJson(last);
  const before = read?.ok && isJsonObject(read.value) ? [...scalarsIn(read.value["output"] ?? null)] : [];
  const texts = [...wish.matchAll(/"([^"]*)"/g)].map(([, text = ""]) => text);
  const codes = wish.match(/\S+@\S+\w|\b\d{4}-\d\d-\d\d\b|\b[A-Z]+-\d+\b/g) ?? [];
  const bare = wish.replaceAll(/"[^"]*"|\S+@\S+|\b\d{4}-\d\d-\d\d\b|\b[A-Z]+-\d+\b|\b\d+[a-z]/g, "");
  const numbers = [
    ...before.filter((each) => typeof each === "number").slice(0, 1),
    ...(bare.match(/\d+(?:\.\d+)?/g) ?? []).map(Number),
  ];
  const words = [...texts, ...codes, ...before.filter((each) => typeof each === "string")];
  const input: Record<string, Json> = {};
  for (const { name, type } of fields) {
    const found = type === "number" ? numbers.shift() : type === "string" ? words.shift() : undefined;
    if (found === undefined) return name;
    input[name] = found;
  }
  return input;
}

function* scalarsIn(value: Json): Generator<Json> {
  if (typeof value !== "object" || value === null) yield value;
  else for (const inner of Object.values(value)) yield* scalarsIn(inner);
}
