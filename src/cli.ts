#!/usr/bin/env node
import * as z from "zod";
import { guardOutput } from "./cli/output/guarded-output.ts";
import { run } from "./cli/program.ts";
import { EXIT } from "./cli/session.ts";
import { zodMessage } from "./core/json/zod-messages.ts";
import { showSourcePositions } from "./core/package/source-positions.ts";

showSourcePositions();

guardOutput();
// What the protocol's library says of messages that do not fit is printed, too.
z.config({ customError: zodMessage });

// Started by bin/repertoire.js on an older Node: when that one is killed, this one has nobody left to serve.
if (process.channel) {
  process.channel.unref();
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}

// What nobody expects is printed by us, so that it passes the guard, too.
process.exitCode = await run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  return EXIT.failed;
});
