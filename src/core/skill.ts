import type { Limits } from "./limits.ts";
import type { Json, JsonObject } from "./json/json.ts";
import type { Position } from "./error.ts";
import type { CodeFlows } from "./flow.ts";
import type { SkillCondition } from "./conditions/skill-condition.ts";
import type { JsonSchema } from "./json/json-schema.ts";

/** What a skill does to the world, weakest first: pure, looks at it, changes it. */
export const OPERATIONS = ["TRANSFORM", "READ", "WRITE"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Runs of a skill go on after the process has died; or a person also approves each call that writes. */
export type Durability = "resumes" | "confirms";

export type SkillKind = "code" | "workflow" | "instructions";

/** Whether a skill can be run: the code of a workflow is made of its document. */
export function hasCode({ kind }: { readonly kind: SkillKind }): boolean {
  return kind !== "instructions";
}

/** One source file of a skill; the path is absolute, the text as it is on disk. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A module that was made of a workflow document, and is compiled in place of it. */
export interface GeneratedCode {
  /** As the module is called, beside the document; there is no such file. */
  readonly name: string;
  readonly text: string;
  /** For each of its lines the place in the document that it comes from, where there is one. */
  readonly places: readonly (Position | undefined)[];
}

/** A skill's folder as it was read, before its code has been looked at. */
export interface SkillFolder {
  readonly name: string;
  readonly kind: SkillKind;
  readonly description: string;
  /** The folder, absolute; of a workflow in a single file that file. */
  readonly path: string;
  /** SKILL.md, absolute; of a workflow without one its document. */
  readonly file: string;
  /** The frontmatter, verbatim as JSON; of a workflow with what its document says of the same. */
  readonly frontmatter: JsonObject;
  /** What follows the frontmatter. */
  readonly instructions: string;
  /** The entry first, then every file of the folder that it imports, directly or not. Empty without code. */
  readonly sources: readonly SourceFile[];
  /** Of a workflow: its document, which is the first source. */
  readonly workflow?: JsonObject;
  /** Of a workflow: tools that it must have, also where no task of its own calls them. */
  readonly requires?: readonly string[];
  /** Of a workflow: what is compiled in place of its document. */
  readonly generated?: GeneratedCode;
  /** Where in SKILL.md, or in the document, each frontmatter field stands, and the parts of lists: `composes[0]`, `inputs[1].type`. */
  readonly fieldPositions: ReadonlyMap<string, Position>;
  /** sha256 (hex) over SKILL.md and all sources. */
  readonly digest: string;
}

/** Where the first of these fields stands that is there; else the beginning of SKILL.md. */
export function fieldPosition(
  { fieldPositions, file }: Pick<SkillFolder, "fieldPositions" | "file">,
  ...fields: readonly string[]
): Position {
  const there = fields.find((field) => fieldPositions.has(field));
  return (there === undefined ? undefined : fieldPositions.get(there)) ?? { path: file, line: 1, column: 1 };
}

/** Where a contract came from, strongest first. */
export type ContractSource = "literal" | "types" | "frontmatter" | "untyped";

/** What a skill takes and gives, as JSON Schema 2020-12. */
export interface Contract {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  readonly source: { readonly input: ContractSource; readonly output: ContractSource };
}

/** One JavaScript module of a skill: types stripped, ready for the sandbox. */
export interface Script {
  /** The author's file that it was made from, absolute. */
  readonly path: string;
  readonly code: string;
  /** A source map (JSON text), only where positions in `code` differ from those in the author's file. */
  readonly map?: string;
}

/** 1 calls no skill, 2 calls skills, 3 loops over calls, calls itself, or chooses names at run time. */
export const LEVELS = [1, 2, 3] as const;
export type Level = (typeof LEVELS)[number];

/** A call of `call_skill` whose callee the source text tells. */
export interface StaticCall extends Position {
  readonly callee: string;
}

/** A call whose callee's name only running the code tells. */
export interface DynamicCall extends Position {
  readonly world: "call_skill" | "call_tool";
  /** Patterns with `*`, of which all its names fit one, where the source text tells as much. */
  readonly patterns?: readonly string[] | undefined;
  /** How the name is written. */
  readonly written?: string | undefined;
}

/** How a skill's code reaches out. */
export interface StaticCalls {
  readonly skills: readonly StaticCall[];
  /** Names of upstream tools it calls by literal name. */
  readonly tools: readonly string[];
  /** All other calls. */
  readonly open?: readonly DynamicCall[];
  /** Whether some callee's name is known only at run time. */
  readonly dynamic: boolean;
  /** Whether it calls skills in a loop, or from a function that calls itself. */
  readonly repeated: boolean;
}

/** What its author says of a skill for those who look for one. */
export interface SkillMatching {
  readonly category?: string;
  readonly tags: readonly string[];
  /** Words that a request for it may have, besides those of its description. */
  readonly keywords: readonly string[];
  /** Requests that it fulfils, in words. */
  readonly examples: readonly string[];
  /** What whoever looks for it must want: preconditions of choosing it, never of calling it. */
  readonly intents?: readonly IntentMatch[];
}

/** What a request must mean for a skill to fit it. */
export interface IntentMatch {
  readonly description: string;
  /** How near the request must be in meaning, from 0 to 1. */
  readonly threshold: number;
}

/** A skill that clients can use: everything known about it, read only. */
export interface Skill extends SkillFolder {
  readonly contract: Contract;
  /** The entry first. Empty without code. @internal */
  readonly scripts: readonly Script[];
  readonly calls: StaticCalls;
  /** The strongest of what it declares and of what the skills that it calls do. */
  readonly operation: Operation;
  /** As the code shows it; as it is declared where there is no code. */
  readonly level: Level;
  /** What the frontmatter says of these. */
  readonly declared: { readonly operation?: Operation; readonly level?: Level };
  /** Skills that it declares to call (`composes`). */
  readonly composes: readonly string[];
  /** For a READ skill: for how many milliseconds its output may be given again for the same input. */
  readonly ttlMs?: number;
  /** What its code does with values; absent where there is no code, or none that was compiled. @internal */
  readonly flows?: CodeFlows;
  /** Tighter limits that the skill asks for itself. */
  readonly limits: Partial<Limits>;
  /** Absent where the frontmatter says nothing of it. */
  readonly matching?: SkillMatching;
  /** What must be true of the input before any of its code runs. */
  readonly preconditions?: readonly SkillCondition[];
  /** What must be true of the output. */
  readonly postconditions?: readonly SkillCondition[];
  /** Whether its runs survive the process, and whether a person then approves each call that writes. */
  readonly durable?: Durability;
}

/** A case of a skill's `tests.yaml`: what it gives for an input, or how it fails. */
export interface SkillCase {
  readonly name: string;
  readonly input: Json;
  readonly expected:
    | { readonly kind: "output"; readonly output: Json }
    /** A failure with this code, where one is given, whose message contains this text. */
    | { readonly kind: "error"; readonly code?: string; readonly message?: string };
  /** What upstream tools answer in it, in the order in which they are called; with these no tool is really called. */
  readonly tools?: readonly ToolFixture[];
}

/** The answer of an upstream tool in a case. */
export interface ToolFixture {
  /** As `call_tool` names it. */
  readonly tool: string;
  /** What it must be called with; anything by default. */
  readonly input?: Json;
  readonly answer:
    | { readonly kind: "output"; readonly output: Json }
    | { readonly kind: "error"; readonly message: string };
}
