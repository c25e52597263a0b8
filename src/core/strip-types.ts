import { stripTypeScriptTypes } from "node:module";

/** TypeScript as JavaScript, every position as it was; nothing where it does not parse or its types cannot be erased. */
export function stripTypes(text: string): string | undefined {
  try {
    return stripTypesOrThrow(text);
  } catch {
    return undefined;
  }
}

/** The same; throws Node's error where it does not parse or its types cannot be erased. */
export function stripTypesOrThrow(text: string): string {
  return withoutWarning(() => stripTypeScriptTypes(text, { mode: "strip" }));
}

/** Node warns at the first call that the function is experimental; every other warning passes. */
function withoutWarning<Given>(call: () => Given): Given {
  // oxlint-disable-next-line unbound-method -- `this` is given with each call
  const emit = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!String(warning).startsWith("stripTypeScriptTypes")) emit.call(process, warning, ...rest);
  };
  try {
    return call();
  } finally {
    process.emitWarning = emit;
  }
}
