/** `call_skill` and `call_tool` where no contract is known. */
export const UNTYPED_CALLS = `declare function call_skill(name: string, input?: unknown): Promise<any>;
declare function call_tool(name: string, args?: unknown): Promise<any>;`;

/** What a skill's code finds in its world besides the language, `call_skill` and `call_tool`. */
export const SANDBOX_GLOBALS = `declare const console: {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  debug(...values: unknown[]): void;
};
/** @asType integer */
declare type Integer = number;`;
