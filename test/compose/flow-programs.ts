import * as fc from "fast-check";

/** A small program of three skills, of which each may call those before it; the last one is run. */
export interface FlowProgram {
  readonly root: string;
  /** Code by name. */
  readonly skills: ReadonlyMap<string, string>;
}

/** Ways in which a value `$` of any kind becomes another; each is an expression or several statements that end in one. */
const WAYS: readonly string[] = [
  "$",
  "({ ...Object($) })",
  "({ inner: $, other: 1 })",
  "[$, 'rest']",
  "`<${JSON.stringify($)}>`",
  "'a' + JSON.stringify($)",
  "JSON.parse(JSON.stringify({ held: $ }))",
  "[1, 2].map(() => $)",
  "['x'].reduce((sum, one) => ({ sum, one, last: $ }), {})",
  "(await Promise.all([$, 2, Promise.resolve(3)]))",
  "(await Promise.all([1].map(async () => $)))",
  "await Promise.resolve($).then((one) => ({ one }))",
  "helper($)",
  "await laterHelper($)",
  "new Box($).open()",
  "new Box($)",
  "((one, ...others) => others)('first', $, 'third')",
  "(({ inner: one = 'none', ...others }) => [one, others])(Object($))",
  "(([one, ...others]) => ({ one, others }))([].concat($))",
  "Object.entries(Object($))",
  "Object.fromEntries([['key', $]])",
  "Object.assign({}, { a: 1 }, { given: $ })",
  "[...new Map([['k', $]])]",
  "[...new Set([$])]",
  "new Map([['k', $]]).get('k')",
  "String(JSON.stringify($)).split('').map((one) => one).join('')",
  "String(JSON.stringify($)).replace(/^./, (one) => one + 'x')",
  "[...String(JSON.stringify($))].join('')",
  "(Math.abs(1) > 0 ? $ : 'other')",
  "($ ?? 'nothing')",
  "($ && { yes: $ })",
  "(false || $)",
  "[[[$]]].flat(2)",
  "[{ v: $ }].find((one) => true)",
  "[{ v: $, w: 1 }].filter(Boolean).map(({ v }) => v)",
  "structuredCopy($)",
  "[$].concat(['more']).slice(0, 1)",
  "({ get lazy() { return $; } })",
  "({ toJSON: () => $ })",
  "[...numbered($)]",
  "(() => { const kept = []; kept.push($); return kept; })()",
  "(() => { const o = {}; o['k' + 1] = $; return o; })()",
  "(() => { const o = { list: [] }; const same = o.list; same.push({ one: $ }); return o; })()",
  "(() => { let text = ''; for (const one of String(JSON.stringify($))) text += one; return text; })()",
  "(() => { const out = []; for (const [k, v] of Object.entries({ a: $ })) out.push(v, k); return out; })()",
  "(() => { try { throw new Error(JSON.stringify($)); } catch (error) { return error.message; } })()",
  "(() => { try { throw { carried: $ }; } catch ({ carried }) { return carried; } })()",
  "await Promise.reject(new Error(JSON.stringify($))).catch((error) => String(error))",
  "(() => { const stack = [$]; const f = () => stack.pop(); return f(); })()",
  "((f) => f($))((one) => ({ one }))",
  "helper.bind(null, $)()",
  "helper.call(undefined, $)",
  "helper.apply(null, [$])",
  "(() => { let seen; [1].forEach(() => { seen = $; }); return seen; })()",
  "(() => { shared.last = $; return shared; })()",
  "(() => { remembered = $; return recall(); })()",
  "await new Promise((resolve) => resolve($))",
  "(await Promise.allSettled([Promise.resolve($)])).map((one) => one)",
  "(await Promise.allSettled([Promise.reject(new Error(JSON.stringify($)))])).map(({ reason }) => String(reason))",
  "(() => { const c = new Chain(); return c.add($).add('x').all; })()",
  "Array.from({ length: 2 }, () => $)",
  "(() => { switch (1) { case 1: return [$]; default: return null; } })()",
  "({ [String(JSON.stringify($)).slice(0, 40)]: 'as a key' })",
  "Object.keys({ [String(JSON.stringify($)).slice(0, 40)]: 1 })",
  "(() => { const out = []; for (const k in { [String(JSON.stringify($))]: 1 }) out.push(k); return out; })()",
  "Reflect.get({ held: $ }, 'held')",
  "new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: () => $ }).a",
  "'constant'",
  "({ fixed: 1 })",
  "[1, 2].map((one) => one * 2)",
];

const COMMON = `
const shared: any = { last: null };
let remembered: any = null;
function recall(): any { return [remembered]; }
function helper(value: any): any { return { helped: value }; }
async function laterHelper(value: any, extra = [value]): Promise<any> { await null; return extra; }
function structuredCopy(value: any): any {
  if (Array.isArray(value)) return value.map(structuredCopy);
  if (value === null || typeof value !== "object") return value;
  const copy: any = {};
  for (const key of Object.keys(value)) copy[key] = structuredCopy(value[key]);
  return copy;
}
function* numbered(value: any): any { yield 1; yield value; }
class Box { #held: any; constructor(held: any) { this.#held = held; } open(): any { return this.#held; } toJSON(): any { return { held: this.#held }; } }
class List { items: any[] = []; get all(): any { return [...this.items]; } }
class Chain extends List { add(one: any): this { this.items.push(one); return this; } }
`;

interface Statement {
  readonly what: number;
  readonly way: number;
  readonly of: number;
  readonly also: number;
}

const statement: fc.Arbitrary<Statement> = fc.record({
  what: fc.nat(99),
  way: fc.nat(WAYS.length - 1),
  of: fc.nat(20),
  also: fc.nat(20),
});
const body = fc.array(statement, { minLength: 2, maxLength: 7 });

/** So many programs, the same ones for the same seed. */
export function flowPrograms(count: number, seed: number): readonly FlowProgram[] {
  return fc.sample(fc.tuple(body, body, body), { numRuns: count, seed }).map((bodies, number) => {
    const names = bodies.map((_, index) => `p${number}-${"abc"[index] ?? ""}`);
    const skills = new Map(
      bodies.map((statements, index) => [
        names[index] ?? "",
        skillCode(statements, names.slice(0, index), index === 2),
      ]),
    );
    return { root: names[2] ?? "", skills };
  });
}

function skillCode(statements: readonly Statement[], callees: readonly string[], isRoot: boolean): string {
  const variables = ["input", "input.x"];
  const lines = statements.map(({ what, way, of, also }, index) => {
    const value = variables[of % variables.length] ?? "input";
    const other = variables[also % variables.length] ?? "input";
    const name = `v${index}`;
    variables.push(name);
    const number = ["one", "two"][also % 2] ?? "one";
    if (what < 20) return `const ${name}: any = await call_tool("src.${number}", { about: ${value} });`;
    if (what < 35 && callees.length > 0)
      return `const ${name}: any = await call_skill("${callees[also % callees.length] ?? ""}", { x: ${value} });`;
    if (what < 40) return `const { text: ${name} }: any = await call_tool("src.${number}", {});`;
    if (what < 52)
      return `await call_tool("out.${number}", { a: ${value}, b: "constant", c: { d: ${other} } }); const ${name}: any = "done";`;
    if (what < 56)
      return `await call_tool("out.${number}", Object(${value}) === ${value} && !Array.isArray(${value}) ? ${value} : { a: 1 }); const ${name}: any = ${other};`;
    if (what < 60)
      return `let ${name}: any = 0; try { ${name} = await call_tool("src.fails", { about: ${value} }); } catch (error: any) { ${name} = error.message; }`;
    if (what < 64)
      return `let ${name}: any = ${other}; for (const one of [].concat(${value} as any)) { ${name} = { before: ${name}, one }; }`;
    if (what < 68)
      return `let ${name}: any = "no"; if (JSON.stringify(${value})?.length > 3) { ${name} = ${other}; } else { ${name} = [${other}, 1]; }`;
    return `const ${name}: any = ${(WAYS[way] ?? "$").replaceAll("$", () => value)};`;
  });
  const last = variables.at(-1) ?? "input";
  const some = variables[Math.floor(variables.length / 2)] ?? "input";
  const end = isRoot ? `await call_tool("out.one", { last: ${last}, ways: [${some}] });` : "";
  return `${COMMON}
export default async function run(input: { x?: unknown }): Promise<unknown> {
  ${lines.join("\n  ")}
  ${end}
  return { last: ${last}, some: ${some} };
}`;
}
