import { addressOf, type Dice, PEOPLE } from "./dice.ts";

interface Issue {
  id: string;
  title: string;
  isOpen: boolean;
  assignee: string;
  priority: string;
}

/** What a few tools for those who build software have, which all answer as for people. */
export interface DeskState {
  issues: Issue[];
  changes: { id: string; mark: string; isStaged: boolean }[];
  branches: { id: string; isCurrent: boolean }[];
  commits: { id: string; title: string; author: string; tag: string }[];
  pods: { id: string; namespace: string; status: string; restarts: number; starts: number }[];
  pages: { id: string; text: string }[];
  bookmarks: { id: string; title: string }[];
  services: { id: string; host: string; port: number; owner: string }[];
  contacts: { id: string; team: string; phone: string; mails: string[] }[];
  orders: { id: string; month: string; customer: string; price: string; refunded: string }[];
  packages: { id: string; latest: string; installed: string }[];
  expenses: { id: string; trip: string; cost: string }[];
  notes: { id: string; text: string }[];
}

const WORDS = [
  "pump",
  "valve",
  "gate",
  "lamp",
  "crane",
  "winch",
  "buoy",
  "mast",
  "rudder",
  "anchor",
] as const;
const VERBS = ["Fix", "Replace", "Paint", "Measure", "Move"] as const;

export function deskState(dice: Dice): DeskState {
  const words = (count: number): string[] => dice.some(WORDS, count);
  const people = dice.some(PEOPLE, 6);
  const hex = (): string => (0x1000000 + dice.fresh(0, 0xeffffff)).toString(16).padStart(7, "0");
  return {
    issues: words(dice.between(3, 5)).map((word) => ({
      id: `HAR-${dice.fresh(10, 999)}`,
      title: `${dice.one(VERBS)} the ${word}`,
      isOpen: true,
      assignee: dice.one(people),
      priority: dice.one(["high", "low"]),
    })),
    changes: words(dice.between(2, 5)).map((word) => ({
      id: dice.one([`src/${word}.ts`, `docs/${word}-${dice.fresh(1, 99)}.md`, `${word}.json`]),
      mark: dice.one([" M", "??"]),
      isStaged: false,
    })),
    branches: ["main", ...words(dice.between(2, 4)).map((word) => `${word}-${dice.fresh(1, 99)}`)].map(
      (id) => ({
        id,
        isCurrent: id === "main",
      }),
    ),
    commits: words(dice.between(3, 5)).map((word) => ({
      id: hex(),
      title: `${dice.one(VERBS)} the ${word}`,
      author: dice.one(people),
      tag: "",
    })),
    pods: words(dice.between(4, 6)).map((word, nth) => ({
      id: `${word}-${hex().slice(0, 5)}`,
      namespace: dice.one(["harbour", "lagoon"]),
      status: nth % 2 === 0 ? "CrashLoopBackOff" : "Running",
      restarts: dice.fresh(1, 90),
      starts: 0,
    })),
    pages: words(3).map((word) => ({
      id: `https://${word}.example.org/links`,
      text: [
        `# All about the ${word}`,
        "",
        ...words(dice.between(2, 4)).map(
          (each) => `- [The ${each} book](https://books.example.org/${each}/${dice.fresh(100, 999)})`,
        ),
      ].join("\n"),
    })),
    bookmarks: [],
    services: words(4).map((id) => ({
      id,
      host: `${id}.internal`,
      port: dice.fresh(8001, 9999),
      owner: addressOf(dice.one(people)),
    })),
    contacts: people.map((id, nth) => ({
      id,
      team: nth % 2 === 0 ? "dock" : "yard",
      phone: `+49 30 ${dice.fresh(10_000, 99_999)}`,
      mails: [],
    })),
    orders: people.map((customer) => ({
      id: `A-${dice.fresh(1000, 9999)}`,
      month: dice.one(["march", "april"]),
      customer,
      price: (dice.fresh(200, 9000) / 20).toFixed(2),
      refunded: "",
    })),
    packages: words(4).map((id) => ({
      id,
      latest: dice.one([
        `${dice.between(2023, 2026)}.${dice.one(["10", "04", "1"])}`,
        `1.${dice.fresh(0, 9)}.0`,
      ]),
      installed: "",
    })),
    expenses: words(dice.between(3, 5)).map((word) => ({
      id: `Rent of a ${word}`,
      trip: dice.one(["north", "south"]),
      cost: (dice.fresh(200, 9000) / 20).toFixed(2),
    })),
    notes: [],
  };
}
