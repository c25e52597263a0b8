import { sandboxMeasurements } from "./sandbox.ts";
import { table } from "./measurement.ts";
console.log(table(await sandboxMeasurements()));
