import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { UsableTransportConfig } from "./upstream-config.ts";

const MAX_CHARACTERS = 500;
const NO_MCP: ReadonlySet<string> = new Set([
  SdkErrorCode.ClientHttpUnexpectedContent,
  SdkErrorCode.EraNegotiationFailed,
]);

/** What went wrong between us and a server, in words that help to mend it. Shows no credentials. */
export function faultText(error: unknown, way: UsableTransportConfig): string {
  if (way.kind === "http") {
    const at = `${way.url.origin}${way.url.pathname}`;
    const status = statusOf(error);
    if (status !== undefined) return `${at} answered ${status}${advice(status)}`;
    const cause = networkCause(error);
    if (cause !== undefined) return `${at} cannot be reached: ${cause}`;
    if (SdkError.isInstance(error) && NO_MCP.has(error.code)) {
      const [, why = error.message] = /unusable reply \((.*)\)$/s.exec(error.message) ?? [];
      return `${at} does not speak MCP: ${short(why)}`;
    }
  }
  if (ProtocolError.isInstance(error))
    return `it answered with the error ${error.code}: ${short(error.message)}`;
  return short(error instanceof Error ? error.message : String(error));
}

/** Whether a failed call means that the connection is of no use any more. */
export function isLost(error: unknown): boolean {
  if (SdkError.isInstance(error)) {
    const { code } = error;
    if (code === SdkErrorCode.ConnectionClosed || code === SdkErrorCode.NotConnected) return true;
  }
  const status = statusOf(error);
  // A session that the server has forgotten is 404.
  if (status !== undefined) return status === 404 || status === 401;
  return networkCause(error) !== undefined || (error instanceof Error && error.message === "it has ended");
}

/** Whether the server itself has said that it did not do what it was asked, or could not. */
export function isRefusal(error: unknown): boolean {
  if (ProtocolError.isInstance(error)) return error.code !== REQUEST_TIMED_OUT;
  const status = statusOf(error);
  return status !== undefined && status >= 400 && status < 500 && status !== 408;
}

/** What servers of the MCP SDKs say when something behind them did not answer in time. */
const REQUEST_TIMED_OUT = -32_001;

function statusOf(error: unknown): number | undefined {
  if (error instanceof UnauthorizedError) return 401;
  if (SdkHttpError.isInstance(error)) return error.data.status;
  const { cause } = error instanceof Error ? error : {};
  if (cause !== undefined && cause !== error) return statusOf(cause);
  if (typeof error === "object" && error !== null && "data" in error) {
    const { data } = error;
    if (typeof data === "object" && data !== null && "status" in data && typeof data.status === "number")
      return data.status;
  }
  return undefined;
}

function advice(status: number): string {
  if (status === 401 || status === 403) return `: look at the credentials in its "headers"`;
  if (status === 404 || status === 405) return `: look at the path of its "url"`;
  return status >= 500 ? ": the server itself failed" : "";
}

function networkCause(error: unknown): string | undefined {
  let found: string | undefined;
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) {
    const { code } = each as NodeJS.ErrnoException;
    if (typeof code === "string" && /^(E[A-Z]{3,}|UND_ERR_\w+|CERT_\w+)$/.test(code)) return code;
    if (each instanceof TypeError && each.message === "fetch failed")
      found = each.cause instanceof Error ? short(each.cause.message) : "the network failed";
  }
  return found;
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line;
}
