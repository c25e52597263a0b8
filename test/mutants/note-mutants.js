import { appendFileSync } from "node:fs";

// Loaded before all else in the threads and processes that tests start while mutants are counted.
const met = process.env["REPERTOIRE_MET_MUTANTS"];
if (met !== undefined) {
  const counts = new Proxy(
    {},
    {
      set(target, id, count) {
        if (!Object.hasOwn(target, id)) appendFileSync(met, `${String(id)}\n`);
        target[id] = count;
        return true;
      },
    },
  );
  globalThis.__stryker__ = { mutantCoverage: { static: counts, perTest: {} } };
}
