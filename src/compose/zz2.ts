import { SkillCompiler } from "./compile-skills.ts";
import { skillFolder } from "../../test/compose/read-folder.ts";
const cases: Record<string,string> = {
 infinite: `type Deep<T> = { value: T; next?: Deep<T[]> }; export default function run(i: Deep<string>): null { return null }`,
 infinite2: `interface Deep<T> { value: T; a: Deep<T[]>; b: Deep<[T]> } export default function run(i: Deep<string>): null { return null }`,
 product: "type D = 0|1|2|3|4|5|6|7|8|9; export default function run(i: `${D}${D}${D}${D}${D}${D}`): null { return null }",
 product4: "type D = 0|1|2|3|4|5|6|7|8|9; export default function run(i: `${D}${D}${D}${D}`): null { return null }",
 recur: `type R<N extends number, A extends unknown[] = []> = A["length"] extends N ? A : R<N, [...A, 0]>; export default function run(i: R<5000>): null { return null }`,
 expo: `type T<N extends unknown[]> = N extends [unknown, ...infer R] ? { a: T<R>; b: T<R> } : string; export default function run(i: T<[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]>): null { return null }`,
 count: `type Inc<A extends unknown[], N> = A["length"] extends 990 ? N : Inc<[...A, 0], N>; type Two<A extends unknown[]> = A["length"] extends 900 ? 1 : [Inc<[], A>, Two<[...A, 0]>][1]; export default function run(i: Two<[]>): null { return null }`,
 keys: "type D = 'a'|'b'|'c'|'d'|'e'|'f'|'g'|'h'|'i'|'j'; type K = `${D}${D}${D}${D}`; type M = {[P in K]: {[Q in K]: `${P}-${Q}`}[K] }[K]; export default function run(i: M): null { return null }",
 circ: `type A = B; type B = A; export default function run(i: A): null { return null }`,
 nest: `export default function run(i: ${"{a:".repeat(5000)} string ${"}".repeat(5000)}): null { return null }`,
 paren: `export const x = ${"(".repeat(20000)}1${")".repeat(20000)}; export default function run(): null { return null }`,
 binary: `export const x = ${"1+".repeat(20000)}1; export default function run(): null { return call_skill("x") }`,
 union: `export default function run(i: ${Array.from({length:3000},(_, i)=>`{k: ${i}}`).join("|")}): null { return null }`,
 perm: `type P<T, K = T> = [T] extends [never] ? [] : K extends K ? [K, ...P<Exclude<T, K>>] : never; export default function run(i: P<1|2|3|4|5|6|7|8|9>): null { return null }`,
 sub: `type P<T, K = T> = [T] extends [never] ? "" : K extends string ? \`\${K}\${P<Exclude<T, K>>}\` : never; export default function run(i: P<"1"|"2"|"3"|"4"|"5"|"6"|"7"|"8"|"9">): null { return null }`,
};
const c = new SkillCompiler({deadlines:{skillMs:3000}});
for (const [n,code] of Object.entries(cases)) { const t=performance.now(); const r = await c.compile([skillFolder(n, code)]); console.log(n, Math.round(performance.now()-t), r.diagnostics.map(d=>[d.code,d.severity,d.line,d.column,d.message.slice(0,150)].join("|")).join("\n   "), JSON.stringify(r.skills[0]?.contract.input)?.slice(0,100)); }
await c.close();
