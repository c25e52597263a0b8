import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";

/** What a program needs to find itself and to say its texts; credentials that are in the environment are not passed on. */
export function safeEnvironment(): Readonly<Record<string, string>> {
  const more = ["LANG", "LC_ALL", "TZ", "TMPDIR"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...getDefaultEnvironment(), ...Object.fromEntries(more) };
}
