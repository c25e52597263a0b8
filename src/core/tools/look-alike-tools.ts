import { codePoint } from "../text/code-point.ts";
import { serverOf } from "./tool-name.ts";
import { nameKeys } from "./name-keys.ts";

/**
 * Upstream tools, as `server.tool`, that people and models may take for others: whose names differ and look like one,
 * within a server or between servers, and those of servers whose names do. Names of different servers that differ by
 * case alone are common. Each comes with a few of those that it looks like.
 */
export function lookAlikeTools(names: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const tools = [...new Set(names)].map((name) => {
    const server = serverOf(name);
    const own = name.slice(server.length + 1);
    return { name, server, own, lower: own.toLowerCase() };
  });
  type Named = (typeof tools)[number];
  const alike = new Map<string, readonly string[]>();
  const note = (groups: Iterable<readonly Named[]>, isOther: (a: Named, b: Named) => boolean): void => {
    for (const group of groups)
      for (const tool of group) {
        const others = group.values().filter((each) => isOther(tool, each));
        const found = others.take(MAX_SHOWN).map(({ name }) => name);
        const all = [...new Set([...(alike.get(tool.name) ?? []), ...found])].toSorted();
        if (all.length > 0) alike.set(tool.name, all.slice(0, MAX_SHOWN));
      }
  };
  note(
    groupsBy(tools, ({ own }) => own),
    (a, b) => (a.server === b.server ? a.own !== b.own : a.lower !== b.lower),
  );
  note(
    groupsBy(tools, ({ name }) => name),
    (a, b) => a.server !== b.server,
  );
  return alike;
}

/** With what in a name cannot be seen to be what it is. */
export function lookAlikeText(tool: string, others: readonly string[]): string {
  const shown = others.map((other) => `${JSON.stringify(other)}${unusual(other)}`).join(", ");
  return `The upstream tool ${JSON.stringify(tool)}${unusual(tool)} looks like ${shown}`;
}

function unusual(name: string): string {
  const found = new Set(name.match(/[^\x20-\x7e]/gu) ?? []);
  const codes = [...found].map((each) => `U+${codePoint(each).toString(16).toUpperCase().padStart(4, "0")}`);
  return codes.length === 0 ? "" : ` (with ${codes.slice(0, MAX_SHOWN).join(", ")})`;
}

const MAX_SHOWN = 5;

function groupsBy<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): readonly (readonly Item[])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items)
    for (const key of nameKeys(textOf(item))) {
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
  return [...groups.values()].filter(({ length }) => length > 1);
}
