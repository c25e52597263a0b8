import { StringDecoder } from "node:string_decoder";
import { styleText } from "node:util";
import { withEscapes } from "../../core/text/display-text.ts";

type Output = NodeJS.WriteStream & { fd: 1 | 2 };

/**
 * From here on all that this process prints, whoever prints it, steers no terminal: names, errors, texts of skills,
 * traces, upstream servers and clients are shown with escapes. JSON, also that of the protocol, stays the same value.
 */
export function guardOutput(): void {
  for (const stream of [process.stdout, process.stderr]) guard(stream);
}

/** Writes what moves the cursor; does nothing where nobody looks. */
export function writeControlSequence(stream: Output, sequence: string): void {
  if (stream.isTTY) (unguarded.get(stream) ?? stream.write.bind(stream))(sequence);
}

const unguarded = new WeakMap<Output, (text: string) => boolean>();

function guard(stream: Output): void {
  // Whoever reads has read enough; the work is done all the same.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const write = stream.write.bind(stream);
  unguarded.set(stream, write);
  const decoder = new StringDecoder("utf8");
  const colours = styleText("red", "x", { stream }) !== "x";
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const text = typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk));
    const encoding = rest.find((each) => typeof each === "string") as BufferEncoding | undefined;
    const done = rest.find((each) => typeof each === "function") as (() => void) | undefined;
    const isText = encoding === undefined || /^utf-?8$/i.test(encoding);
    return write(withEscapes(isText ? text : Buffer.from(text, encoding).toString(), { colours }), done);
  };
}
