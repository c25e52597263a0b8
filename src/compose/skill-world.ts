/** `call_skill` where no contract is known. */
export const CALL_ANY_SKILL = "declare function call_skill(name: string, input?: unknown): Promise<any>;";

/** What a skill's code finds in its world besides the language and `call_skill`. */
export const WORLD = `/** Calls an upstream tool. */
declare function call_tool(name: string, args?: unknown): Promise<any>;
declare const console: {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  debug(...values: unknown[]): void;
};
/** @asType integer */
declare type Integer = number;`;
