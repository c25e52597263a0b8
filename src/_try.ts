import { Runner } from "./runner/runner.ts";
import { DEFAULT_LIMITS } from "./core/skill.ts";
import { skillSet } from "../test/runner/skill-set.ts";
const skills = skillSet({
 add: "export default (i)=>({result:i.a+i.b})",
 twice: "export default async function run(i){ const a = await call_skill(\"add\",{a:i.x,b:i.x}); return a }",
 par: "export default async function run(i){ return (await Promise.all([1,2,3].map(x=>call_skill(\"twice\",{x})))).map(r=>r.result) }",
 boom: "export default async function run(i){\n const r: number = 1;\n throw new TypeError('bad '+r) }",
 callsboom: "export default async function run(i){\n return await call_skill(\"boom\",{}) }",
 catches: "export default async function run(i){\n try { await call_skill(\"callsboom\",{}) } catch(e) { return {code:e.code,message:e.message,skill:e.skill,callPath:e.callPath,is:e instanceof Error, stack:e.stack} } }",
 a: "export default async()=>call_skill(\"b\",{})", b: "export default async()=>call_skill(\"a\",{})",
 dyn: "export default async()=>{const n='dyn'; return await call_skill(n,{})}",
 loop: "export default ()=>{for(;;){}}", swallow: "export default ()=>{ for(;;){ new Promise(()=>{ while(true){} }).catch(()=>{}); } }",
 native: "export default ()=>[].indexOf.call({length:2**53-1},1)",
 never: "export default ()=>new Promise(()=>{})", mem:"export default ()=>{const a=[];for(;;)a.push(new Uint8Array(1e6).fill(1))}", big:"export default ()=>'x'.repeat(2e8)", big2:"export default ()=>'x'.repeat(2e6)",
 many: "export default async()=>{let n=0; for(let i=0;i<300;i++){ try{ await call_skill(\"add\",{a:1,b:2}); n++ }catch(e){ return {n,m:e.message} } } }",
 c1:"export default async()=>call_skill(\"c2\")",c2:"export default async()=>call_skill(\"c3\")",c3:"export default async()=>call_skill(\"c4\")",c4:"export default async()=>call_skill(\"c5\")",c5:"export default async()=>call_skill(\"c6\")",c6:"export default async()=>call_skill(\"c7\")",c7:"export default async()=>({v:1})",
 log: "export default async()=>{console.log('x',{a:1});console.error('e');return 1}", tool:"export default async()=>call_tool('fs.write',{})",
});
const runner = new Runner({ limits: {...DEFAULT_LIMITS, wallMs: 800, cpuMs: 300} });
for (const [n,i] of [["add",{a:1,b:2}],["twice",{x:4}],["par",{}],["boom",{}],["callsboom",{}],["catches",{}],["a",{}],["dyn",{}],["loop",{}],["swallow",{}],["native",{}],["never",{}],["mem",{}],["big",{}],["big2",{}],["many",{}],["c1",{}],["c2",{}],["log",{}],["tool",{}],["nope",{}]] as const) {
  const t=performance.now(); const r = await runner.run(skills,n,i); console.log(n, (performance.now()-t).toFixed(0)+"ms", JSON.stringify(r.root.outcome), r.root.calls.length, JSON.stringify(r.root.console));
}
const t=performance.now();
const rs = await Promise.all(Array.from({length:2000},(_,k)=>runner.run(skills,"twice",{x:k})));
console.log(rs.filter((r,k)=>!(r.root.outcome.ok&&(r.root.outcome.output as any).result===2*k)).slice(0,2).map(r=>JSON.stringify(r)));console.log("2000 twice", performance.now()-t, rs.every((r,k)=>r.root.outcome.ok&&(r.root.outcome.output as any).result===2*k));
for(let k=0;k<2000;k++) await runner.run(skills,"add",{a:1,b:k});
let t2=performance.now(); for(let k=0;k<5000;k++) await runner.run(skills,"add",{a:1,b:k}); console.log("seq add us", (performance.now()-t2)/5);
t2=performance.now(); for(let k=0;k<2000;k++) await runner.run(skills,"par",{}); console.log("seq par us", (performance.now()-t2)/2);
const ac = new AbortController(); setTimeout(()=>ac.abort(),50); const t3=performance.now(); console.log(JSON.stringify((await runner.run(skills,"native",{},{signal:ac.signal})).root.outcome), performance.now()-t3);
await runner.close();
