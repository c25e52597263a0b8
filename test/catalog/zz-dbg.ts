import { mkdtemp, rm, mkdir, writeFile } from "node:fs/promises";
import { watch } from "chokidar";
for (let round = 0; round < 15; round++) {
  const root = await mkdtemp("/tmp/dbg-");
  await mkdir(root + "/a"); await writeFile(root + "/a/SKILL.md", "0");
  const w = watch(root, { ignoreInitial: true, atomic: process.argv[2] !== "noatomic" });
  let ev: string[] = [];
  w.on("all", (e, p) => ev.push(e + " " + p.slice(root.length)));
  if (process.argv[3] !== "early") await new Promise(r => w.on("ready", r));
  else await new Promise(r => setTimeout(r, 5));
  const log: string[] = []; let lost = false;
  for (const d of ["1", "2", "3"]) {
    await rm(root + "/a", { recursive: true }); await mkdir(root + "/a"); await writeFile(root + "/a/SKILL.md", d);
    await new Promise(r => setTimeout(r, 300)); log.push("replace:" + ev.join(",")); if (!ev.length) lost = true; ev = [];
    await writeFile(root + "/a/SKILL.md", d + "!");
    await new Promise(r => setTimeout(r, 300)); log.push("change:" + ev.join(",")); if (!ev.length) lost = true; ev = [];
  }
  if (lost) console.log(round, "LOST", log.join(" | "));
  await w.close(); await rm(root, { recursive: true });
}
