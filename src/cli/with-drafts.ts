import { userInfo } from "node:os";
import type { App } from "../rooms.ts";
import { type ErrorCode, type Failure, FailureError } from "../core/error.ts";
import { type LanguageModel, NO_MODEL } from "../core/language-model.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { Drafts } from "../learn/drafts/drafts.ts";
import { Promotions } from "../learn/drafts/promotions.ts";
import { serverNames } from "../config.ts";
import { lookedIn } from "./looked-in.ts";
import { type CommonOptions, configOf, endWith, EXIT, withApp } from "./session.ts";

export interface DraftsHere {
  readonly drafts: Drafts;
  readonly promotions: Promotions;
  /** The folder into which drafts are promoted. */
  readonly skills: string;
}

/** Does `work` with the drafts alone: no skill is read. What it cannot do ends the process with the reason. */
export async function withDrafts(
  options: CommonOptions & { readonly allowMissingTools?: boolean },
  work: (here: DraftsHere) => Promise<void>,
): Promise<void> {
  const config = await configOf([], options);
  const { data, drafts: settings } = config;
  const drafts = new Drafts({
    data,
    servers: options.allowMissingTools === true ? undefined : serverNames(config),
  });
  const { folder: skills, policy } = settings;
  const refusal = await refusalOf(() =>
    work({ drafts, promotions: new Promotions({ drafts, skills, policy }), skills }),
  );
  if (refusal) tell(refusal, options);
}

/** Does `work` with all rooms open. What it cannot do ends the process with the reason. */
export async function withExtraction(
  options: CommonOptions,
  work: (app: App) => Promise<void>,
): Promise<void> {
  const refusal = await withApp([], options, async (app) => {
    const failed = await refusalOf(() => work(app));
    return failed && lookedIn(failed, app.config);
  });
  if (refusal) tell(refusal, options);
}

/** The configured model, for one piece of work. Errors: `MODEL_NEEDED`. */
export function modelOf({ model }: App): Result<LanguageModel> {
  return model ? ok(model()) : fail(NO_MODEL);
}

/** Who does what is done on a command line. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user may have a number only.
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}

async function refusalOf(work: () => Promise<void>): Promise<Failure | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof FailureError) return error.failure;
    throw error;
  }
}

function tell(refusal: Failure, { json = false }: CommonOptions): never {
  return endWith(refusal, json, USAGE.has(refusal.code) ? EXIT.usage : EXIT.failed);
}

const USAGE: ReadonlySet<ErrorCode> = new Set(["INPUT_INVALID", "CONFIG_INVALID", "PATH_NOT_FOUND"]);
