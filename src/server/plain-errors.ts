import { type JSONRPCMessage, ProtocolErrorCode, type Transport } from "@modelcontextprotocol/server";

/**
 * Has a transport say of parameters that are not as they should be where and why, in a line, as the invalid parameters
 * that they are: the SDK sends what its validator prints, mostly as a fault of the server.
 */
export function withPlainErrors<Kind extends Transport>(transport: Kind): Kind {
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => send(plain(message), options);
  return transport;
}

function plain(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message)) return message;
  const { code, message: text } = message.error;
  const issues = CODES.has(code) ? issuesIn(text) : undefined;
  if (!issues) return message;
  return { ...message, error: { code: ProtocolErrorCode.InvalidParams, message: invalidParams(issues) } };
}

const CODES: ReadonlySet<number> = new Set([
  ProtocolErrorCode.InternalError,
  ProtocolErrorCode.InvalidParams,
]);

interface Issue {
  readonly path: readonly unknown[];
  readonly message: string;
}

function invalidParams(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const [first, ...rest] = path.map(String);
    const place = first === "params" && rest.length > 0 ? rest : path;
    return `${place.join(".") || "the request"}: ${message.replace("Invalid input: ", "")}`;
  });
  return `Invalid params: ${lines.join("; ")}`;
}

const MAX_ISSUES = 5;

/** What the validator found, where an error's text is what it prints. */
function issuesIn(text: string): readonly Issue[] | undefined {
  const printed = /^(?:Invalid [\w/]+ request: )?(\[\n[^]*\n\])$/.exec(text)?.[1];
  if (printed === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(printed);
    return Array.isArray(read) && read.length > 0 && read.every(isIssue) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isIssue(value: unknown): value is Issue {
  return (
    typeof value === "object" &&
    value !== null &&
    "path" in value &&
    Array.isArray(value.path) &&
    "message" in value &&
    typeof value.message === "string"
  );
}
