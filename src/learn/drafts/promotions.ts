import { commandLine } from "../../core/text/command-line.ts";
import { failure } from "../../core/error.ts";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { fail, ok, type Result } from "../../core/result.ts";
import type { AnyDraft, PromotionPolicy } from "./draft.ts";
import { type Change, type Drafts, filesDigest } from "./drafts.ts";
import {
  exists,
  type Files,
  isDraftName,
  isFolder,
  putFolder,
  readFolder,
  recoverFolders,
  removeFolder,
} from "./atomic-folder.ts";
import { promotionFault } from "./gate.ts";
import type { DraftAction } from "./draft-operations.ts";

export interface PromotionsOptions {
  readonly drafts: Drafts;
  /** The folder of skills. */
  readonly skills: string;
  readonly policy?: PromotionPolicy;
  /** Whether a draft may change the world; by default every one may. */
  readonly writes?: (draft: AnyDraft) => Promise<boolean>;
  /** The folder of the skill that has a name, or one that looks like it. */
  readonly ownerOf?: (name: string) => Promise<string | undefined>;
}

/** A promoted skill. */
export interface PromotedSkill {
  readonly name: string;
  /** The id of its draft. */
  readonly draft: string;
  readonly version: number;
  /** Whether its files are no longer those that were promoted. */
  readonly isEdited: boolean;
}

/**
 * Moves drafts into the skills folder and out of it again. Every version is kept in the data folder, so that each can be
 * brought back. A skill that was not promoted from the same draft is never touched.
 */
export class Promotions {
  readonly #drafts: Drafts;
  readonly #skills: string;
  readonly #policy: PromotionPolicy;
  readonly #writes: (draft: AnyDraft) => Promise<boolean>;
  readonly #ownerOf: (name: string) => Promise<string | undefined>;

  /** @internal */
  constructor({
    drafts,
    skills,
    policy = { review: "always" },
    writes = () => Promise.resolve(true),
    ownerOf = () => Promise.resolve(undefined),
  }: PromotionsOptions) {
    this.#ownerOf = ownerOf;
    this.#drafts = drafts;
    this.#skills = skills;
    this.#policy = policy;
    this.#writes = writes;
  }

  /** Ends what a process that died has left. To be called before the skills are first read. @internal */
  async recover(): Promise<void> {
    await this.#locked(async () => ok(undefined));
  }

  /**
   * Makes a draft a skill, or the next version of its skill, in the folder of the setting `drafts.folder`. Refused until
   * the evidence holds (`DRAFT_UNVERIFIED`) and a person has approved what the policy does not promote by itself
   * (`DRAFT_UNREVIEWED`), and where the name is another skill's (`ALREADY_EXISTS`) or the draft is no longer that of the
   * digest (`DRAFT_CHANGED`).
   */
  async promote(name: string, action: DraftAction): Promise<Result<PromotedSkill>> {
    await this.recover();
    const changed = await this.#drafts.change(
      name,
      action.digest,
      async (draft, files): Promise<Result<Change>> => {
        const fault = promotionFault(draft, this.#policy, await this.#writes(draft));
        if (fault) return fail(fault);
        const published = await this.#published(name);
        const target = published.ok
          ? await this.#replaceable(name, published.value, draft.provenance.id)
          : published;
        if (!target.ok) return target;
        const content = skillFiles(files);
        const digest = filesDigest(content);
        const isThere = published.ok && published.value?.digest === digest;
        const version = isThere ? published.value.version : await this.#versionOf(name, digest);
        if (!isThere) {
          const marked = this.#marked(content, draft, version, action);
          if (!(await exists(join(this.#versions(name), `${version}`))))
            await putFolder(this.#versions(name), `${version}`, marked, this.#drafts.system);
          await putFolder(this.#skills, name, marked, this.#drafts.system);
        }
        return ok({
          provenance: { state: "promoted" },
          entry: { kind: "promoted", version, by: action.by, why: action.why },
        });
      },
    );
    return changed.ok ? this.current(name) : changed;
  }

  /**
   * Takes a promoted skill, or only this version of it, out of the skills folder. Its versions are kept. Errors:
   * `DRAFT_NOT_FOUND`, and `DRAFT_CHANGED` where another version than the one asked about is in use.
   */
  async revoke(
    name: string,
    action: DraftAction,
    asked?: Pick<PromotedSkill, "draft" | "version">,
  ): Promise<Result<PromotedSkill>> {
    const revoked = await this.#locked(async () => {
      const current = await this.current(name);
      if (!current.ok) return current;
      const { isEdited, draft, version } = current.value;
      if (asked && (asked.draft !== draft || asked.version !== version))
        return fail(
          failure(
            "DRAFT_CHANGED",
            `The skill "${name}" is no longer the one that was to be revoked (version ${asked.version}): version ${version} is in use now. Nothing was done; ask again`,
          ),
        );
      const files = await readFolder(join(this.#skills, name));
      if (!files.ok) return files;
      // What somebody has written into the skill is kept too.
      if (isEdited) {
        const next = Math.max(...(await this.#numbers(name)), version) + 1;
        await putFolder(this.#versions(name), `${next}`, files.value, this.#drafts.system);
      }
      await removeFolder(this.#skills, name, this.#drafts.system);
      return current;
    });
    if (!revoked.ok) return revoked;
    const { version } = revoked.value;
    await this.#noted(name, () => ({
      provenance: { state: "rejected" },
      entry: { kind: "revoked", version, by: action.by, why: action.why },
    }));
    return revoked;
  }

  /** Brings an earlier version of a promoted skill back. Errors: `DRAFT_NOT_FOUND`, `DRAFT_INVALID`, `DRAFT_STATE`. */
  async rollBack(name: string, version: number, action: DraftAction): Promise<Result<PromotedSkill>> {
    const result = await this.#locked(async () => {
      const kept = await this.#versionFiles(name, version);
      if (!kept.ok) return kept;
      const published = await this.#published(name);
      const target = published.ok
        ? await this.#replaceable(name, published.value, kept.value.draft)
        : published;
      if (!target.ok) return target;
      await putFolder(this.#skills, name, kept.value.files, this.#drafts.system);
      return kept;
    });
    if (!result.ok) return result;
    // A draft that is no longer what is in the skills folder has to be reviewed again.
    await this.#noted(name, (_, files) => ({
      provenance: { state: filesDigest(skillFiles(files)) === result.value.digest ? "promoted" : "draft" },
      entry: { kind: "rolled-back", version, by: action.by, why: action.why },
    }));
    return this.current(name);
  }

  /** The versions of a skill that are kept, the earliest first. */
  async versions(name: string): Promise<readonly number[]> {
    return isDraftName(name) ? this.#numbers(name) : [];
  }

  async #locked<Value>(work: () => Promise<Result<Value>>): Promise<Result<Value>> {
    return this.#drafts.withLock(async () => {
      await recoverFolders(this.#skills, this.#drafts.system);
      const versions = join(this.#drafts.data, "versions");
      for (const name of (await isFolder(versions)) ? await readdir(versions) : [])
        await recoverFolders(join(versions, name), this.#drafts.system);
      return work();
    });
  }

  // The draft may have been deleted since.
  async #noted(name: string, changeOf: (draft: AnyDraft, files: Files) => Change): Promise<void> {
    await this.#drafts.change(name, undefined, (draft, files) => ok(changeOf(draft, files)));
  }

  /** The promoted skill of this name. Errors: `DRAFT_NOT_FOUND`, and `ALREADY_EXISTS` for a skill that no draft has become. */
  async current(name: string): Promise<Result<PromotedSkill>> {
    const published = await this.#published(name);
    if (!published.ok) return published;
    if (!published.value)
      return fail(
        failure(
          "DRAFT_NOT_FOUND",
          `There is no promoted skill "${name}"; "${commandLine("drafts")}" shows what was promoted`,
        ),
      );
    const { draft, version, isEdited } = published.value;
    return ok({ name, draft, version, isEdited });
  }

  /** The promoted skill of this name; undefined: the name is free. */
  async #published(name: string): Promise<Result<Published | undefined>> {
    if (!isDraftName(name))
      return fail(failure("DRAFT_NOT_FOUND", "There is no promoted skill of this name"));
    const folder = join(this.#skills, name);
    if (!(await exists(folder))) return ok(undefined);
    const files = (await isFolder(folder)) ? await readFolder(folder) : undefined;
    const mark = files?.ok ? markIn(files.value) : undefined;
    if (!files?.ok || !mark)
      return fail(failure("ALREADY_EXISTS", `There is a skill "${name}" already that no draft has become`));
    return ok({ ...mark, isEdited: filesDigest(files.value) !== mark.digest });
  }

  async #replaceable(
    name: string,
    published: Published | undefined,
    draft: string,
  ): Promise<Result<undefined>> {
    const owner = published ? undefined : await this.#ownerOf(name);
    if (owner !== undefined && (await exists(owner)))
      return fail(
        failure("ALREADY_EXISTS", `The skill in ${owner} has the name "${name}", or one that looks like it`),
      );
    if (published && published.draft !== draft)
      return fail(
        failure("ALREADY_EXISTS", `There is a skill "${name}" already that another draft has become`),
      );
    if (published?.isEdited === true)
      return fail(
        failure("DRAFT_STATE", `The skill "${name}" was edited since it was promoted: revoke it first`),
      );
    return ok(undefined);
  }

  /** The version that has these files; the next one where none has. */
  async #versionOf(name: string, digest: string): Promise<number> {
    const numbers = await this.#numbers(name);
    const last = numbers.at(-1) ?? 0;
    const kept = last === 0 ? undefined : await this.#versionFiles(name, last);
    return kept?.ok && kept.value.digest === digest ? last : last + 1;
  }

  async #versionFiles(name: string, version: number): Promise<Result<Mark & { readonly files: Files }>> {
    const isKept = (await this.versions(name)).includes(version);
    const files = isKept ? await readFolder(join(this.#versions(name), `${version}`)) : undefined;
    const mark = files?.ok ? markIn(files.value) : undefined;
    if (!files?.ok || !mark)
      return fail(failure("DRAFT_NOT_FOUND", `There is no version ${version} of "${name}"`));
    if (filesDigest(files.value) !== mark.digest)
      return fail(failure("DRAFT_INVALID", `The version ${version} of "${name}" is not what was promoted`));
    return ok({ ...mark, files: files.value });
  }

  async #numbers(name: string): Promise<readonly number[]> {
    const folder = this.#versions(name);
    if (!(await isFolder(folder))) return [];
    const numbers = (await readdir(folder)).filter((each) => /^[1-9]\d*$/.test(each)).map(Number);
    return numbers.toSorted((a, b) => a - b);
  }

  #versions(name: string): string {
    return join(this.#drafts.data, "versions", name);
  }

  /** The skill's files with its provenance: the plan, the evidence, the traces by digest, and who wanted it. */
  #marked(content: Files, draft: AnyDraft, version: number, action: DraftAction): Files {
    const { state, evidence, provenance } = draft;
    const mark = {
      version,
      draft: provenance.id,
      digest: filesDigest(content),
      promoted: {
        by: action.by,
        at: this.#drafts.now().toISOString(),
        ...(action.why === undefined ? {} : { why: action.why }),
      },
      review: state === "draft" ? "automatic" : "person",
      reviews: provenance.history.filter(
        ({ kind }) => kind === "approved" || kind === "rejected" || kind === "feedback",
      ),
      traces: provenance.traces.map(({ digest, trace: { id } }) => ({ digest, id })),
      ...(provenance.parents === undefined ? {} : { parents: provenance.parents }),
      ...(provenance.comparison === undefined ? {} : { comparison: provenance.comparison }),
      ...(provenance.sources === undefined ? {} : { sources: provenance.sources }),
      ...(provenance.estimates === undefined ? {} : { estimates: provenance.estimates }),
      ...(provenance.extractor === undefined ? {} : { extractor: provenance.extractor }),
      evidence,
      ...(draft.kind === "written" ? { written: draft.written } : { plan: draft.plan }),
    };
    return new Map([
      ...content,
      ["provenance.json", new TextEncoder().encode(`${JSON.stringify(mark, null, 2)}\n`)],
    ]);
  }
}

interface Mark {
  readonly draft: string;
  readonly version: number;
  /** Of the files without the mark. */
  readonly digest: string;
}

interface Published extends Mark {
  readonly isEdited: boolean;
}

const markShape: z.ZodType<Mark> = z.object({
  draft: z.string().min(1),
  version: z.int().positive(),
  digest: z.string(),
});

function markIn(files: Files): Mark | undefined {
  const content = files.get("provenance.json");
  if (!content) return undefined;
  try {
    return markShape.safeParse(JSON.parse(new TextDecoder().decode(content))).data;
  } catch {
    return undefined;
  }
}

/** What of a draft's files belongs into a skill's folder. */
function skillFiles(files: Files): Files {
  return new Map([...files].filter(([path]) => path !== "plan.json" && path !== "provenance.json"));
}
