import { SkillCompiler } from "./compile-skills.ts";
import { readFolder, FIXTURES } from "../../test/compose/read-folder.ts";
import { readdirSync } from "node:fs";
const c = new SkillCompiler();
const r = await c.compile(readdirSync(FIXTURES).map((n) => readFolder(FIXTURES + "/" + n)));
for (const d of [...r.diagnostics, ...r.findings]) console.log(d);
const show=(v:any)=>JSON.stringify(v,null,1).replace(/\n\s*/g," ");
for (const s of r.skills) console.log("##", s.name, s.operation, s.contract.source, s.composes, JSON.stringify(s.limits), JSON.stringify(s.calls), "\n  IN ", show(s.contract.input), "\n OUT ", show(s.contract.output));
await c.close();
