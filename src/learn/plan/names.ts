import { isIdentifier } from "./plan.ts";

/** The words of a name in whatever style, in lower case, of plain letters and digits alone. */
export function nameWords(name: string): readonly string[] {
  return name
    .slice(0, 200)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** What a name says to be so: `active` for `is_active`. */
export function stateWords(name: string): string {
  return nameWords(name)
    .filter((word) => !/^(?:is|has|was|are)$/.test(word))
    .join(" ");
}

export function camelCase(name: string): string {
  const [first = "", ...rest] = nameWords(name.slice(name.lastIndexOf(".") + 1));
  const text = [first, ...rest.map((word) => word[0]?.toUpperCase() + word.slice(1))].join("").slice(0, 40);
  return /^[a-z]/.test(text) ? text : text === "" ? "value" : `the${text}`;
}

export function snakeCase(name: string): string {
  const text = nameWords(name).join("_").slice(0, 40);
  return /^[a-z]/.test(text) ? text : text === "" ? "value" : `the_${text}`;
}

/** The word for one of several. */
export function singular(name: string): string {
  if (/ies$/i.test(name) && name.length > 4) return `${name.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/i.test(name)) return name;
  if (/(?:ches|shes|xes|sses)$/i.test(name)) return name.slice(0, -2);
  return /s$/i.test(name) && name.length > 2 ? name.slice(0, -1) : name;
}

export function plural(name: string): string {
  if (/s$/i.test(name)) return singular(name) === name ? `${name}es` : name;
  return /[^aeiou]y$/i.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/** Gives names that no other has. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();

  /** The first of the names that is free, else the first with a number. */
  take(...wanted: readonly string[]): string {
    const usable = wanted.map((name) => (isIdentifier(name) ? name : `${name}_value`)).filter(isIdentifier);
    const free = usable.find((name) => !this.#taken.has(name)) ?? this.#numbered(usable[0] ?? "value");
    this.#taken.add(free);
    return free;
  }

  #numbered(name: string): string {
    for (let number = this.#next.get(name) ?? 2; ; number++) {
      this.#next.set(name, number + 1);
      const numbered = /_/.test(name) ? `${name}_${number}` : `${name}${number}`;
      if (!this.#taken.has(numbered)) return numbered;
    }
  }
}
