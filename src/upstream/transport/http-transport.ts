import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { JsonMeter } from "../../core/json/json-meter.ts";
import { MessageRateGuard, TOO_MANY_MESSAGES } from "./message-rate-guard.ts";
import type { TransportConfig } from "../upstream-config.ts";

export interface HttpTransportOptions {
  readonly address: Extract<TransportConfig, { kind: "http" }>;
  readonly mostMessageBytes: number;
  /** How long an answer may take to begin. */
  readonly patienceMs: number;
  /** Told once, why no more messages will come. */
  readonly onEnd: (reason: string) => void;
}

/** A Streamable HTTP server whose answers have a largest size, and whose flood of messages ends the connection. */
export function httpTransport(options: HttpTransportOptions): StreamableHTTPClientTransport {
  const { address, onEnd } = options;
  const flood = new MessageRateGuard();
  let fault = "its answer broke off";
  const onFault = (told: string): void => {
    fault = told;
  };
  const transport = new StreamableHTTPClientTransport(address.url, {
    requestInit: { headers: address.headers },
    fetch: (url, init) => boundedFetch(url, init, options, onFault),
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
  });
  const onMessage: NonNullable<Transport["onmessage"]> = (message) => {
    if (!("method" in message) || !flood.add(0)) return;
    onEnd(TOO_MANY_MESSAGES);
    void transport.close();
  };
  transport.onmessage = onMessage;
  // The SDK would wait for the timeout of a request whose answer broke off.
  const send = transport.send.bind(transport);
  transport.send = async (message, how) => {
    if (Array.isArray(message) || !("method" in message) || !("id" in message) || how?.onRequestStreamEnd)
      return send(message, how);
    const { id } = message;
    const onRequestStreamEnd = (): void =>
      transport.onmessage?.({ jsonrpc: "2.0", id, error: { code: BROKEN_OFF, message: fault } });
    return send(message, { ...how, onRequestStreamEnd });
  };
  return transport;
}

const NEWLINE = 10;

/** A code of our own for an answer that did not arrive whole. */
export const BROKEN_OFF = -32_091;

async function boundedFetch(
  url: string | URL,
  init: RequestInit | undefined,
  { mostMessageBytes, patienceMs }: HttpTransportOptions,
  onFault: (fault: string) => void,
): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error(`it did not begin to answer within ${patienceMs} ms`)),
    patienceMs,
  );
  try {
    const signal = init?.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
    const response = await fetch(url, { ...init, signal });
    return bounded(response, mostMessageBytes, onFault);
  } finally {
    clearTimeout(timer);
  }
}

function bounded(response: Response, mostBytes: number, onFault: (fault: string) => void): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const flood = new MessageRateGuard();
  let meter = new JsonMeter(mostBytes);
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      let excess: string | undefined;
      // Each line of a stream is a message, or a part of one.
      for (let start = 0; excess === undefined && start < chunk.length;) {
        const newline = isStream ? chunk.indexOf(NEWLINE, start) : -1;
        excess = meter.read(chunk.subarray(start, newline === -1 ? chunk.length : newline));
        if (newline === -1) break;
        meter = new JsonMeter(mostBytes);
        start = newline + 1;
      }
      // A stream may live for ever; so much within seconds it may not bring.
      const isFlood = isStream && flood.add(chunk.length);
      if (!isFlood && excess === undefined) {
        controller.enqueue(chunk);
        return;
      }
      const fault = isFlood ? TOO_MANY_MESSAGES : `its answer ${excess}`;
      onFault(fault);
      controller.error(new Error(fault));
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counting), { status, statusText, headers });
}
