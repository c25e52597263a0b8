import type { App } from "../rooms.ts";
import { FailureError } from "../core/error.ts";
import { type CommonOptions, endWith, EXIT, withApp } from "./session.ts";

/** Does `work` with the app open; what it cannot do ends the command with the reason. */
export async function withDurableRuns(
  options: CommonOptions,
  work: (app: App) => Promise<void>,
): Promise<void> {
  await withApp([], options, async (app) => {
    try {
      await work(app);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      endWith(error.failure, options.json === true, EXIT.failed);
    }
  });
}
