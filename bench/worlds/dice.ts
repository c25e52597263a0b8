import { SeededRandom } from "../../src/learn/verify/seeded-random.ts";

/** Choices that are the same in every run of the benchmark. */
export class Dice {
  readonly #random: SeededRandom;
  readonly #numbers = new Set<number>();

  constructor(seed: string) {
    this.#random = new SeededRandom(seed);
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.#random.next() * (most - least + 1));
  }

  /** A number that it has not given before: ids and amounts are not equal by chance. */
  fresh(least: number, most: number): number {
    for (;;) {
      const number = this.between(least, most);
      if (this.#numbers.has(number)) continue;
      this.#numbers.add(number);
      return number;
    }
  }

  some<Item>(items: readonly Item[], count: number): Item[] {
    const left = [...items];
    return Array.from({ length: Math.min(count, left.length) }, () => {
      const [item] = left.splice(this.between(0, left.length - 1), 1);
      return item as Item;
    });
  }

  one<Item>(items: readonly Item[]): Item {
    const [item] = this.some(items, 1);
    if (item === undefined) throw new Error("There is nothing to choose from");
    return item;
  }

  /** A day of 2026, as YYYY-MM-DD. */
  day(): string {
    return new Date(Date.UTC(2026, 0, this.fresh(1, 365))).toISOString().slice(0, 10);
  }
}

export const PEOPLE = [
  "Ada Lind",
  "Bruno Keller",
  "Chloe Martin",
  "Dario Rossi",
  "Elin Berg",
  "Farid Haddad",
  "Greta Vogel",
  "Hugo Costa",
  "Ines Duarte",
  "Jonas Weber",
  "Kaja Horvat",
  "Liam Byrne",
  "Mina Sato",
  "Nils Olsen",
  "Olga Petrova",
  "Pavel Novak",
] as const;

export function addressOf(person: string): string {
  return `${person.toLowerCase().replace(" ", ".")}@example.org`;
}

/** What ids are made of: as many signs, each one of the given. */
export function signs(dice: Dice, length: number, from = "abcdefghijkmnpqrstuvwxyz0123456789"): string {
  return Array.from({ length }, () => dice.one(from.split(""))).join("");
}
