import type { Position } from "./error.ts";

export type Severity = "error" | "warning" | "info";

/** A finding about a skill's files: what, where, and how to mend it. Lines and columns count from 1. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly fix: string;
  /** Other places that belong to it, such as the calls of a cycle, in their order. */
  readonly related?: readonly RelatedPlace[];
  /** Skills that it makes unusable, where these are more than the one whose folder holds the place. */
  readonly affects?: readonly string[];
}

export interface RelatedPlace extends Position {
  readonly message: string;
}

/** Every code that a finding can carry, with what it means. */
export const DIAGNOSTICS = {
  // The folder
  "folder-missing": "A configured skills folder does not exist",
  "folder-too-large": "Folders are left out, for the limit of folders or of levels",
  "file-unreadable": "A file cannot be read",
  "file-too-large": "A file or its frontmatter is larger than the limit",
  "file-encoding": "A file is not UTF-8 text",
  "name-duplicate": "Several skills have the same name, or names that look like one",
  "name-passed": "A skill has a name that was given to another, which is gone or has lost it",
  // SKILL.md
  "file-missing": "A folder has the code of a skill, and no SKILL.md",
  "file-misnamed": "A skill's file has not exactly the name SKILL.md",
  "frontmatter-missing": "SKILL.md does not begin with ---",
  "frontmatter-unclosed": "The frontmatter has no closing ---",
  "frontmatter-not-mapping": "The frontmatter is not a mapping",
  "frontmatter-bom": "SKILL.md begins with a byte order mark",
  "frontmatter-unexpected": "A field that the format does not define",
  "yaml-invalid": "The frontmatter is not valid YAML",
  "yaml-comment": "A part of a text is a comment in YAML, and is left out",
  "yaml-repaired": "The frontmatter was not valid YAML and has been repaired",
  "name-missing": "The skill has no name",
  "name-invalid": "The name breaks a rule of the format",
  "name-mismatch": "The name differs from the folder's",
  "description-missing": "The skill has no description",
  "description-invalid": "The description breaks a rule of the format",
  "field-invalid": "A frontmatter field has a value that it cannot have",
  // Workflow documents
  "workflow-syntax": "A workflow document is not valid JSON or YAML, or a name stands twice in it",
  "workflow-version": "A workflow document has a version of the format that is not known",
  "workflow-unexpected": "A field that the format of workflow documents does not define",
  "workflow-invalid": "A part of a workflow document is not what it can be",
  "workflow-duplicate": "Two tasks, arguments, inputs or outputs have one name",
  "workflow-reference": "A workflow names a task, an input, an output or a group that it does not have",
  "workflow-cycle": "Tasks wait for each other",
  "workflow-order": "What is to run at once cannot",
  "workflow-code":
    "The code of a task is missing, does not parse, or is in a language that nothing here runs",
  "workflow-type": "A workflow has a type that there is not",
  "workflow-output": "No task gives an output of the skill, or several do",
  "workflow-capability": "A workflow needs what none of its tasks has",
  "workflow-unchecked": "A workflow declares what is not checked or not done here",
  "workflow-disagrees": "SKILL.md and the workflow document beside it say different things",
  "workflow-foreign": "A file has the name of a workflow document and is another format's",
  "workflow-unreached": "Nobody uses what a task gives",
  // Code and contract
  "entry-ambiguous": "Several files could be the skill's entry",
  "code-too-large": "The code has more files or bytes than the limit",
  "code-syntax": "The code does not parse",
  "code-import": "The code imports what a skill cannot import",
  "code-no-default": "The code has no default export that can be called",
  "code-signature": "The default export cannot be called with one input",
  "type-inexpressible": "A type cannot be expressed as JSON Schema",
  "type-untyped": "A part of the contract is not typed",
  "tag-invalid": "A JSDoc tag has a value that it cannot have",
  "schema-not-literal": "An exported schema is not a literal",
  "schema-invalid": "An exported schema is not valid JSON Schema",
  "contract-disagrees": "Two sources of the contract disagree",
  "condition-invalid": "A pre- or postcondition is not an expression that can be evaluated",
  "condition-unknown": "A pre- or postcondition reads a field that the contract does not have",
  // Composition
  "call-cycle": "Skills call each other in a cycle",
  "call-unknown":
    "The code calls a skill or an upstream tool that is not there, has no code, or may not be called",
  "tool-changed": "An upstream tool that the code calls is not what it was when it was pinned",
  "setting-unknown": "A setting names a skill that is not there",
  "tool-look-alike": "The name of an upstream tool looks like that of another",
  "call-dynamic": "The code calls a skill or an upstream tool whose name only running it tells",
  "call-too-deep": "Skills call each other in a chain that is longer than the limit of nested calls",
  "tool-unserved": "The code calls an upstream tool that no configured server has",
  "call-left-out": "The code calls a skill that is not among those read, of which a limit has left some out",
  "call-type": "TypeScript finds fault with a body, the contracts of all skills given",
  "call-argument": "A value written in the code does not fit the callee's contract",
  "locale-ignored": "A locale is given to a method that has no locale data in the sandbox",
  "code-unchecked": "Bundled or generated code runs without being type-checked",
  "code-unfollowed":
    "What the code does with answers was not followed to the end, so they count as going everywhere",
  "call-unchecked": "A body could not be checked within the compiler's limits",
  "composes-unknown": "`composes` lists a skill that is not in the catalog",
  "composes-unused": "`composes` lists a skill that the code does not call",
  "composes-undeclared": "The code calls a skill that `composes` does not list",
  "flow-mismatch": "What one composed skill gives or is given does not fit where it goes",
  "flow-missing": "An input of a composed skill is supplied by nobody",
  "level-declared": "The declared level is not the one that the code shows",
  "level-order": "A skill calls one of a higher level",
  "operation-declared": "The declared operation is weaker than what the skill reaches",
  "cases-invalid": "The file of a skill's cases cannot be read",
  // The catalog over time
  "kept-last-good": "The skill is broken now; its last good version stays in use",
} as const;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;
