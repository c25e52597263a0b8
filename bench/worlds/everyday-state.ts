import { type Dice, PEOPLE } from "./dice.ts";
import type { Repository } from "./repositories.ts";

/** What the reference servers serve. */
export interface EverydayState {
  /** The folder of the files, absolute. */
  readonly root: string;
  /** The address of the pages. */
  readonly site: string;
  /** By their paths in the folder. */
  readonly files: Record<string, string>;
  readonly repositories: Repository[];
  readonly entities: Entity[];
  readonly relations: Relation[];
  /** Statements that make the tables and their rows. */
  readonly tables: string[];
  /** By their paths. */
  readonly pages: Record<string, Page>;
}

export interface Entity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

export interface Page {
  readonly type: string;
  readonly body: string;
}

export function everydayState(root: string, site: string, dice: Dice): EverydayState {
  return {
    root,
    site,
    files: { "README.md": `Ask ${dice.one(PEOPLE)}.\n` },
    repositories: [],
    entities: [{ name: "House", entityType: "place", observations: ["Has two floors"] }],
    relations: [],
    tables: [],
    pages: {},
  };
}

/** Adds a file; its absolute path. */
export function addFile(state: EverydayState, path: string, text: string): string {
  state.files[path] = text;
  return `${state.root}/${path}`;
}

/** The path in the folder of a file that was told by its absolute path. */
export function ownPath(state: EverydayState, path: string): string {
  return path.slice(state.root.length + 1);
}
