import { Connection, isGrpcServiceError } from "@temporalio/client";
import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common";
import { loadClientConnectConfig } from "@temporalio/envconfig";
import type { NativeConnection } from "@temporalio/worker";
import type { Failure, TemporalSettings } from "repertoire";

type ConnectOptions = ReturnType<typeof loadClientConnectConfig>["connectionOptions"];

/** Keys, certificates and the like are where Temporal's own programs look for them: `TEMPORAL_API_KEY`, `TEMPORAL_TLS_…`. */
export function connectOptions({ address }: Pick<TemporalSettings, "address">): ConnectOptions {
  const { connectionOptions } = loadClientConnectConfig();
  return { ...connectionOptions, address };
}

/** Rejects where nobody answers within five seconds. */
export async function connected(settings: TemporalSettings): Promise<Connection> {
  return Connection.connect({ ...connectOptions(settings), connectTimeout: "5s" });
}

export const SKILL = defineSearchAttributeKey("RepertoireSkill", SearchAttributeType.KEYWORD);
export const DIGEST = defineSearchAttributeKey("RepertoireDigest", SearchAttributeType.KEYWORD);
export const SESSION = defineSearchAttributeKey("RepertoireSession", SearchAttributeType.KEYWORD);

/** By these runs are found; a namespace where they cannot be made does without. */
export async function registerAttributes(
  { operatorService }: NativeConnection,
  namespace: string,
  onNotice: (line: string) => void,
): Promise<void> {
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const missing = [SKILL, DIGEST, SESSION].filter(({ name }) => !(name in (customAttributes ?? {})));
    if (missing.length === 0) return;
    const searchAttributes = Object.fromEntries(missing.map(({ name }) => [name, KEYWORD]));
    await operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    // Several workers begin at the same time.
    if (error instanceof Error && /already exists/i.test(error.message)) return;
    onNotice(
      `Runs are not found by skill and session: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** `INDEXED_VALUE_TYPE_KEYWORD` */
const KEYWORD = 2;

export function unreachable({ address, namespace }: TemporalSettings, error: unknown): Failure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = isGrpcServiceError(cause)
    ? cause.details
    : cause instanceof Error
      ? cause.message
      : String(cause);
  const way = /connect|deadline/i.test(why)
    ? `. "temporal server start-dev" starts a server here; --temporal of "repertoire worker", and the setting temporal.address, name another`
    : "";
  return {
    code: "STORE_UNAVAILABLE",
    message: `Temporal at ${address}, namespace "${namespace}", does not answer: ${why}${way}`,
  };
}
