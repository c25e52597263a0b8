import { commandLine } from "../../core/text/command-line.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { serverOf } from "../../core/tools/tool-name.ts";
import { ZOD_MESSAGES } from "../../core/json/zod-messages.ts";
import { failure, type Failure } from "../../core/error.ts";
import { createHash, randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { OwnTrace, SourceTrace, RecordedTrace } from "../recording/recorded-trace.ts";
import { PLAN, type Plan } from "../plan/plan.ts";
import { skillsOf, toolsOf } from "../plan/steps.ts";
import { canonicalJson } from "../plan/values.ts";
import type { Comparison } from "./best-run.ts";
import {
  type AnyDraft,
  type Draft,
  type HistoryEntry,
  type Parent,
  parsedProvenance,
  type Provenance,
  type WrittenDraft,
  type WrittenFor,
} from "./draft.ts";
import { parsedPlan } from "./parsed-plan.ts";
import { draftFiles } from "./draft-files.ts";
import {
  exists,
  FILE_SYSTEM,
  type Files,
  type FileSystem,
  isDraftName,
  isFolder,
  putFolder,
  readFolder,
  removeFolder,
  recoverFolders,
  sizeFault,
} from "./atomic-folder.ts";
import { withLock } from "./with-lock.ts";

export interface DraftsOptions {
  /** The folder in which the folder `drafts` is. */
  readonly data: string;
  /** Whether a new draft must not have this name, for example since a skill has it. */
  readonly isTaken?: (name: string) => boolean | Promise<boolean>;
  /** The names of the upstream servers that are configured; without them no tool counts as missing. */
  readonly servers?: ReadonlySet<string> | undefined;
  readonly system?: FileSystem;
  readonly now?: () => Date;
}

/** What a draft is made of. */
export interface NewDraft {
  readonly plan: Plan;
  /** The traces that it was learned from, as they were stored: without credentials. Parameters stood in the first. */
  readonly traces: readonly SourceTrace[];
  readonly choices?: Json;
  readonly dropped?: Json;
  readonly comparison?: Comparison | undefined;
  readonly contrasts?: readonly string[];
  readonly isUndecided?: boolean;
  /** Besides the runs, and the skills that the plan calls. */
  readonly parents?: readonly Parent[];
  readonly sources?: Provenance["sources"];
  readonly estimates?: Provenance["estimates"];
  readonly extractor?: string | undefined;
  readonly by: string;
  readonly why?: string | undefined;
}

/** A draft that a model has written. */
export interface NewWrittenDraft {
  /** In kebab-case. */
  readonly name: string;
  /** `SKILL.md`, `skill.ts` and `tests.yaml`, for the name that it gets. */
  readonly filesOf: (name: string) => ReadonlyMap<string, string>;
  readonly written: WrittenFor;
  readonly by: string;
  readonly why?: string | undefined;
}

/** What is changed of a draft; its state does not hold for other files unless it is set anew. */
export interface Change {
  /** Its new name, which the files have, too. */
  readonly name?: string | undefined;
  readonly files?: ReadonlyMap<string, string> | undefined;
  readonly provenance?: Partial<Omit<Provenance, "version" | "id" | "history" | "stateOf">>;
  readonly entry: Omit<HistoryEntry, "at" | "digest">;
}

export interface DraftList {
  readonly drafts: readonly AnyDraft[];
  /** Folders that are no drafts that can be read. */
  readonly broken: readonly { readonly name: string; readonly error: Failure }[];
}

/** The drafts: folders that people may read, edit and delete. Several processes may work on them at once. */
export class Drafts {
  /** @internal */
  readonly data: string;
  /** Where the folders are. @internal */
  readonly root: string;
  /** @internal */
  readonly system: FileSystem;
  /** @internal */
  readonly now: () => Date;
  readonly #isTaken: (name: string) => boolean | Promise<boolean>;
  readonly #servers: ReadonlySet<string> | undefined;

  /** @internal */
  constructor({
    data,
    isTaken = () => false,
    servers,
    system = FILE_SYSTEM,
    now = () => new Date(),
  }: DraftsOptions) {
    this.#servers = servers;
    this.data = data;
    this.root = join(data, "drafts");
    this.system = system;
    this.now = now;
    this.#isTaken = isTaken;
  }

  /** Makes a draft under the plan's name, or with a number after it where that is taken. @internal */
  async create(made: NewDraft): Promise<Result<Draft>> {
    return this.withLock(async () => {
      const plan = PLAN.safeParse(made.plan, ZOD_MESSAGES);
      if (!isDraftName(made.plan.name))
        return fail(
          failure("DRAFT_INVALID", "A draft's name is of lower-case words with hyphens between them"),
        );
      if (!plan.success)
        return fail(
          failure("DRAFT_INVALID", `The plan is not valid: ${plan.error.issues[0]?.message ?? ""}`),
        );
      if (made.traces.length === 0) return fail(failure("INPUT_INVALID", "A draft is learned from a trace"));
      const name = await this.#freeName(made.plan.name);
      const files = encoded(draftFiles({ ...made.plan, name }));
      const traces = made.traces.map((each) => ({ ...each, digest: traceDigest(each.trace) }));
      const digest = draftDigest(files, traces);
      const { by, why, choices = [], dropped = [], comparison, contrasts = [], isUndecided = false } = made;
      const { sources, estimates, extractor } = made;
      const provenance: Provenance = {
        version: 1,
        id: randomUUID(),
        traces,
        choices,
        dropped,
        parents: parentsOf(made),
        ...(contrasts.length === 0 ? {} : { contrasts }),
        ...(isUndecided ? { isUndecided } : {}),
        ...(comparison === undefined ? {} : { comparison }),
        ...(sources === undefined ? {} : { sources }),
        ...(estimates === undefined ? {} : { estimates }),
        ...(extractor === undefined ? {} : { extractor }),
        state: "draft",
        stateOf: digest,
        printed: digest,
        history: [this.#entry({ kind: "created", by, why }, digest)],
      };
      return asLearned(await this.#put(name, files, provenance));
    });
  }

  /** Makes a draft of what a model has written, under its name, or with a number after it where that is taken. @internal */
  async write({ name: wanted, filesOf, written, by, why }: NewWrittenDraft): Promise<Result<WrittenDraft>> {
    return this.withLock(async () => {
      if (!isDraftName(wanted))
        return fail(
          failure("DRAFT_INVALID", "A draft's name is of lower-case words with hyphens between them"),
        );
      const name = await this.#freeName(wanted);
      const files = encoded(filesOf(name));
      const digest = draftDigest(files, []);
      const provenance: Provenance = {
        version: 1,
        id: randomUUID(),
        traces: [],
        written,
        ...(written.run === undefined ? {} : { parents: [{ kind: "run", id: written.run, how: "learned" }] }),
        choices: [],
        dropped: [],
        state: "draft",
        stateOf: digest,
        printed: digest,
        history: [this.#entry({ kind: "created", by, why }, digest)],
      };
      return asWritten(await this.#put(name, files, provenance));
    });
  }

  /** All drafts, by name. Errors: `DRAFT_BUSY`, `DRAFTS_UNAVAILABLE`. */
  async list(): Promise<Result<DraftList>> {
    return this.withLock(async () => {
      const drafts: AnyDraft[] = [];
      const broken: DraftList["broken"][number][] = [];
      for (const name of await this.#names()) {
        const read = await this.#read(name);
        if (read.ok) drafts.push(read.value);
        else broken.push({ name, error: read.error });
      }
      return ok({ drafts: drafts.toSorted((a, b) => (a.name < b.name ? -1 : 1)), broken });
    });
  }

  /**
   * A draft that was learned from runs, as it is on disk now. Errors: `DRAFT_NOT_FOUND`, `DRAFT_INVALID`, `DRAFT_BUSY`,
   * `DRAFTS_UNAVAILABLE`, `DRAFT_STATE` for one that was written for a wish.
   */
  async read(name: string): Promise<Result<Draft>> {
    return asLearned(await this.readAny(name));
  }

  /** A draft as it is on disk now, wherever it is from. Errors: as those of `read`, but for `DRAFT_STATE`. */
  async readAny(name: string): Promise<Result<AnyDraft>> {
    return this.withLock(() => this.#read(name));
  }

  /** Changes a draft as a whole or not at all. With a digest, only the draft that has it. @internal */
  async change(
    name: string,
    digest: string | undefined,
    changeOf: (draft: AnyDraft, files: Files) => Result<Change> | Promise<Result<Change>>,
  ): Promise<Result<AnyDraft>> {
    return this.withLock(async () => {
      const draft = await this.#read(name);
      if (!draft.ok) return draft;
      if (digest !== undefined && digest !== draft.value.digest)
        return fail(failure("DRAFT_CHANGED", `The draft "${name}" has changed: look at it again`));
      const before = await readFolder(draft.value.folder);
      if (!before.ok) return before;
      const change = await changeOf(draft.value, before.value);
      if (!change.ok) return change;
      return this.#changed(draft.value, before.value, change.value);
    });
  }

  /** Does work on the drafts while no one else does. @internal */
  async withLock<Value>(work: () => Promise<Result<Value>>): Promise<Result<Value>> {
    return withLock(join(this.data, "drafts.lock"), async () => {
      await recoverFolders(this.root, this.system);
      return work();
    });
  }

  async #changed(
    draft: AnyDraft,
    before: Files,
    { name = draft.name, files, provenance: changed, entry }: Change,
  ): Promise<Result<AnyDraft>> {
    const fault = name === draft.name ? undefined : await this.#renameFault(draft.name, name);
    if (fault) return fail(fault);
    const after: Files = files ? new Map([...before, ...encoded(files)]) : before;
    const traces = changed?.traces ?? draft.provenance.traces;
    const digest = draftDigest(after, traces);
    const isSame = digest === draft.digest;
    const provenance: Provenance = {
      ...draft.provenance,
      ...changed,
      state: changed?.state ?? (isSame ? draft.state : "draft"),
      stateOf: digest,
      printed: files ? digest : draft.provenance.printed,
      history: shortened([...draft.provenance.history, this.#entry(entry, digest)]),
    };
    const put = await this.#put(name, after, provenance);
    // A process that dies before has left both: nothing is lost.
    if (put.ok && name !== draft.name) await removeFolder(this.root, draft.name, this.system);
    return put;
  }

  /** Why a draft cannot have another name, if it cannot. @internal */
  async renameFault(from: string, to: string): Promise<Failure | undefined> {
    const found = await this.withLock(async () => ok(await this.#renameFault(from, to)));
    return found.ok ? found.value : found.error;
  }

  async #renameFault(from: string, to: string): Promise<Failure | undefined> {
    if (await exists(join(this.data, "versions", from)))
      return failure("DRAFT_STATE", `"${from}" has been a skill already: it keeps its name`);
    if (isDraftName(to) && (await this.#isFree(to))) return undefined;
    return failure("ALREADY_EXISTS", `The name "${to}" is taken, or none that a draft can have`);
  }

  async #put(name: string, files: Files, provenance: Provenance): Promise<Result<AnyDraft>> {
    const content = withProvenance(files, provenance);
    const fault = sizeFault(content);
    if (fault !== undefined)
      return fail(failure("INPUT_TOO_LARGE", `The draft "${name}" is too large: ${fault}`));
    await putFolder(this.root, name, content, this.system);
    return this.#read(name);
  }

  #entry({ by, why, ...entry }: Change["entry"], digest: string): HistoryEntry {
    return {
      ...entry,
      by: by.slice(0, MAX_NAME),
      at: this.now().toISOString(),
      ...(why === undefined ? {} : { why: why.slice(0, MAX_SAID) }),
      digest,
    };
  }

  async #names(): Promise<readonly string[]> {
    return (await isFolder(this.root)) ? (await readdir(this.root)).filter(isDraftName) : [];
  }

  async #read(name: string): Promise<Result<AnyDraft>> {
    if (!isDraftName(name)) return fail(failure("DRAFT_NOT_FOUND", "There is no draft of this name"));
    const folder = join(this.root, name);
    if (!(await exists(folder))) {
      const hint =
        didYouMean(name, await this.#names()) || ` "${commandLine("drafts ls")}" lists those that there are`;
      return fail(failure("DRAFT_NOT_FOUND", `There is no draft "${name}".${hint}`));
    }
    const files = await readFolder(folder);
    if (!files.ok)
      return fail(failure("DRAFT_INVALID", `The draft "${name}" cannot be read: ${files.error.message}`));
    const read = draftOf(name, folder, files.value, this.#servers);
    return "fault" in read
      ? fail(failure("DRAFT_INVALID", `The draft "${name}" is not valid: ${read.fault}`))
      : ok(read);
  }

  async #freeName(wanted: string): Promise<string> {
    if (await this.#isFree(wanted)) return wanted;
    for (let number = 2; ; number++) {
      const name = `${wanted.slice(0, 56).replace(/-+$/, "")}-${number}`;
      if (await this.#isFree(name)) return name;
    }
  }

  async #isFree(name: string): Promise<boolean> {
    return (
      !(await exists(join(this.root, name))) &&
      !(await exists(join(this.data, "versions", name))) &&
      !(await this.#isTaken(name))
    );
  }
}

function parentsOf({ plan, traces, comparison, parents = [] }: NewDraft): readonly Parent[] {
  const learned = new Set(traces.map(({ trace }) => trace.id));
  const others = comparison?.branches.map(({ id }) => id).filter((id) => !learned.has(id)) ?? [];
  return [
    ...[...learned].map((id): Parent => ({ kind: "run", id, how: "learned" })),
    ...others.map((id): Parent => ({ kind: "run", id, how: "compared" })),
    ...skillsOf(plan.steps).map((id): Parent => ({ kind: "skill", id, how: "composed" })),
    ...parents,
  ];
}

const PROVENANCE = "provenance.json";
const MAX_HISTORY = 1000;
const MAX_NAME = 200;
const MAX_SAID = 2000;

function draftOf(
  name: string,
  folder: string,
  files: Files,
  servers: ReadonlySet<string> | undefined,
): AnyDraft | { readonly fault: string } {
  const text = (path: string): string | undefined => {
    const content = files.get(path);
    return content && new TextDecoder().decode(content);
  };
  const [planText, provenanceText, code] = [text("plan.json"), text(PROVENANCE), text("skill.ts")];
  const skillText = text("SKILL.md");
  if (skillText === undefined) return { fault: "SKILL.md is missing" };
  if (provenanceText === undefined) return { fault: `${PROVENANCE} is missing` };
  const provenance = parsedProvenance(provenanceText);
  if ("fault" in provenance) return { fault: `${PROVENANCE}: ${provenance.fault}` };
  const { written, traces } = provenance;
  if (code === undefined && written?.language === undefined) return { fault: "skill.ts is missing" };
  if ((traces.length === 0) !== (written !== undefined))
    return { fault: `${PROVENANCE}: a draft is either learned from runs or written for a wish` };
  const digest = draftDigest(files, traces);
  const { evidence, state, stateOf, printed } = provenance;
  const isProven = evidence?.digest === digest;
  const common = {
    name,
    folder,
    code: code ?? "",
    state: stateOf === digest ? state : "draft",
    digest,
    evidence: isProven ? evidence : undefined,
    isStale: evidence !== undefined && !isProven,
    isEdited: printed !== digest,
    provenance,
  };
  const missingOf = (tools: readonly string[]): readonly string[] =>
    tools.filter((tool) => servers?.has(serverOf(tool)) === false);
  if (written) {
    const assets = new Map(
      [...files.keys()].filter((path) => path.startsWith("assets/")).map((path) => [path, text(path) ?? ""]),
    );
    const own = { written, text: skillText, cases: text("tests.yaml") ?? "", assets };
    return { kind: "written", ...common, ...own, missingTools: missingOf(written.tools) };
  }
  if (planText === undefined) return { fault: "plan.json is missing" };
  const plan = parsedPlan(planText, traces);
  if ("fault" in plan) return { fault: `plan.json: ${plan.fault}` };
  if (plan.name !== name) return { fault: `plan.json is the plan of "${plan.name}"` };
  const other = traces.find((each) => traceDigest(each.trace) !== each.digest);
  if (other)
    return { fault: `${PROVENANCE}: the trace "${other.trace.id}" is not the one that was recorded` };
  return { kind: "learned", ...common, plan, missingTools: missingOf(toolsOf(plan.steps)) };
}

/** The draft that was learned from runs. */
export function asLearned(read: Result<AnyDraft>): Result<Draft> {
  if (!read.ok) return read;
  if (read.value.kind === "learned") return ok(read.value);
  const { name } = read.value;
  const message = `The draft "${name}" was written for a wish: it has no plan that this could be done with. Edit its files and verify it, or wish again`;
  return fail(failure("DRAFT_STATE", message));
}

function asWritten(read: Result<AnyDraft>): Result<WrittenDraft> {
  if (!read.ok) return read;
  if (read.value.kind === "written") return ok(read.value);
  const message = `The draft "${read.value.name}" was learned from runs: its plan is revised, not its code`;
  return fail(failure("DRAFT_STATE", message));
}

/** Of a trace's content, whatever the order of keys. */
export function traceDigest(trace: RecordedTrace): string {
  return createHash("sha256")
    .update(canonicalJson(trace as unknown as Json))
    .digest("hex");
}

/** Of all files but those that tell of the others. */
export function filesDigest(files: Files): string {
  const hash = createHash("sha256");
  for (const [path, content] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    if (path !== PROVENANCE) hash.update(`${JSON.stringify(path)} ${content.byteLength}\n`).update(content);
  return hash.digest("hex");
}

function draftDigest(files: Files, traces: readonly OwnTrace[]): string {
  const verified = traces.map(({ digest, calls = null, input = null, output = null }) => [
    digest,
    calls,
    input,
    output,
  ]);
  return createHash("sha256")
    .update(`${filesDigest(files)} ${canonicalJson(verified)}`)
    .digest("hex");
}

function withProvenance(files: Files, provenance: Provenance): Files {
  return new Map([...files, ...encoded(new Map([[PROVENANCE, `${JSON.stringify(provenance, null, 2)}\n`]]))]);
}

function encoded(files: ReadonlyMap<string, string>): Files {
  return new Map([...files].map(([path, text]) => [path, new TextEncoder().encode(text)]));
}

function shortened(history: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return history.length <= MAX_HISTORY
    ? history
    : [...history.slice(0, 1), ...history.slice(1 - MAX_HISTORY)];
}
