import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CompiledFolders, CompileSkills } from "../../src/catalog/assemble.ts";
import { Catalog, type CatalogOptions, type CatalogSnapshot } from "../../src/catalog/catalog.ts";
import type { Diagnostic } from "../../src/core/diagnostic.ts";
import type { Skill, SkillFolder } from "../../src/core/skill.ts";
import { folderWith, skillFile, write } from "./folders.ts";

/** Reports code with the word BROKEN, calls of skills that are not there (`// calls x`), and code that is UNFIT for others. */
function compile(folders: readonly SkillFolder[]): Promise<CompiledFolders> {
  const names = new Set(folders.map(({ name }) => name));
  const diagnostics = folders.flatMap(({ sources }) =>
    sources.flatMap(({ path, text }): Diagnostic[] => {
      const at = { severity: "error", path, line: 1, column: 1, fix: "Mend it" } as const;
      const callee = /\/\/ calls (\S+)/.exec(text)?.[1];
      return [
        ...(text.includes("BROKEN")
          ? [{ ...at, code: "code-syntax", message: "It is broken" } as const]
          : []),
        ...(callee !== undefined && !names.has(callee)
          ? [{ ...at, code: "call-unknown", message: `There is no ${callee}` } as const]
          : []),
      ];
    }),
  );
  const broken = new Set(diagnostics.map(({ path }) => path));
  const skills = folders
    .filter(({ sources }) => !sources.some(({ path }) => broken.has(path)))
    .map((folder): Skill =>
      Object.assign({}, folder, {
        contract: { input: {}, output: {}, source: { input: "untyped", output: "untyped" } } as const,
        scripts: [],
        calls: { skills: [], tools: [], dynamic: false, repeated: false },
        operation: "TRANSFORM" as const,
        level: 1 as const,
        declared: {},
        composes: [],
        limits: {},
      }),
    );
  const findings = skills.flatMap(({ sources }) =>
    sources.filter(({ text }) => text.includes("UNFIT")).map(({ path }) => unfit(path)),
  );
  return Promise.resolve({ skills, diagnostics, findings });
}

function unfit(path: string): Diagnostic {
  return {
    code: "call-type",
    severity: "error",
    path,
    line: 1,
    column: 1,
    message: "It does not fit",
    fix: "Mend it",
  };
}

async function open(options: Pick<CatalogOptions, "roots"> & Partial<CatalogOptions>): Promise<Catalog> {
  const catalog = await Catalog.open({
    compile,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  onTestFinished(() => catalog.close());
  return catalog;
}

const names = ({ skills }: CatalogSnapshot): readonly string[] => [...skills.keys()];
const codes = (root: string, { diagnostics }: CatalogSnapshot): readonly string[] =>
  diagnostics.map(({ severity, code, path, line }) => `${severity} ${code} ${relative(root, path)}:${line}`);

describe("a catalog", () => {
  test("holds every skill that is whole, by root and path", async () => {
    const root = await folderWith({
      "one/b/SKILL.md": skillFile("b"),
      "one/a/SKILL.md": skillFile("a"),
      "two/c/SKILL.md": skillFile("c"),
      "two/bad/SKILL.md": "# Nothing\n",
      "two/worse/SKILL.md": skillFile("worse"),
      "two/worse/skill.ts": "BROKEN",
    });
    const { snapshot } = await open({ roots: [join(root, "two"), join(root, "one")] });
    expect(snapshot.version).toBe(1);
    expect(names(snapshot)).toEqual(["c", "a", "b"]);
    expect(codes(root, snapshot)).toEqual([
      "error frontmatter-missing two/bad/SKILL.md:1",
      "error code-syntax two/worse/skill.ts:1",
    ]);
  });

  test("gives a name to the folder of that name, and tells the others whose it is", async () => {
    const root = await folderWith({
      "one/a/SKILL.md": skillFile("x", "A stranger."),
      "two/x/SKILL.md": skillFile("x", "The owner."),
      "two/z/SKILL.md": skillFile("x", "Another stranger."),
    });
    const { snapshot } = await open({ roots: [join(root, "one"), join(root, "two")] });
    expect(snapshot.skills.get("x")?.description).toBe("The owner.");
    const duplicates = snapshot.diagnostics.filter(({ code }) => code === "name-duplicate");
    expect(
      duplicates.map(({ severity, path, line }) => `${severity} ${relative(root, path)}:${line}`),
    ).toEqual(["error one/a/SKILL.md:2", "info two/x/SKILL.md:2", "error two/z/SKILL.md:2"]);
    for (const { message } of duplicates.filter(({ severity }) => severity === "error"))
      expect(message).toContain(join(root, "two/x"));
  });

  test("gives a name that several folders bear to the first root", async () => {
    const root = await folderWith({
      "one/x/SKILL.md": skillFile("x", "First."),
      "two/x/SKILL.md": skillFile("x", "Second."),
    });
    const { snapshot } = await open({ roots: [join(root, "two"), join(root, "one")] });
    expect(snapshot.skills.get("x")?.description).toBe("Second.");
    expect(codes(root, snapshot)).toEqual([
      "error name-duplicate one/x/SKILL.md:2",
      "info name-duplicate two/x/SKILL.md:2",
    ]);
  });

  test("keeps to the reference validator's rules when strict", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("a"), "b/SKILL.md": skillFile("B") });
    expect(names((await open({ roots: [root], strict: true })).snapshot)).toEqual(["a"]);
    expect(names((await open({ roots: [root] })).snapshot)).toEqual(["a", "B"]);
  });

  test("opens without its roots", async () => {
    const root = await folderWith();
    const { snapshot } = await open({ roots: [join(root, "gone")] });
    expect(codes(root, snapshot)).toEqual(["error folder-missing gone:1"]);
  });
});

describe("a reload", () => {
  test("changes nothing and tells nobody when nothing has changed", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("a"), "bad/SKILL.md": "" });
    let compiled = 0;
    const catalog = await open({ roots: [root], compile: (folders) => ((compiled += 1), compile(folders)) });
    const before = catalog.snapshot;
    catalog.onChange(() => expect.unreachable());
    await writeFile(join(root, "a/SKILL.md"), skillFile("a"));
    await writeFile(join(root, "a/notes.md"), "no part of the catalog");
    expect(await catalog.reload()).toBe(before);
    expect(compiled).toBe(1);
  });

  test("makes another snapshot and leaves the one before as it was", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("a"), "b/SKILL.md": skillFile("b") });
    const catalog = await open({ roots: [root] });
    const before = catalog.snapshot;
    const told: (readonly [CatalogSnapshot, CatalogSnapshot])[] = [];
    const stop = catalog.onChange((now, then) => told.push([now, then]));
    await rm(join(root, "a"), { recursive: true });
    await write(root, { "c/SKILL.md": skillFile("c") });
    const now = await catalog.reload();
    expect([names(before), names(now), now.version]).toEqual([["a", "b"], ["b", "c"], 2]);
    expect(told).toEqual([[now, before]]);
    stop();
    await rm(join(root, "b"), { recursive: true });
    await catalog.reload();
    expect(told).toHaveLength(1);
  });

  test("serves all who ask while another is at work", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("a") });
    let compiled = 0;
    const catalog = await open({ roots: [root], compile: (folders) => ((compiled += 1), compile(folders)) });
    const first = catalog.reload();
    await write(root, { "b/SKILL.md": skillFile("b") });
    const snapshots = await Promise.all([first, ...Array.from({ length: 20 }, () => catalog.reload())]);
    expect(names(snapshots.at(-1) ?? catalog.snapshot)).toEqual(["a", "b"]);
    expect(compiled).toBeLessThanOrEqual(3);
  });

  test("survives a listener and a compiler that throw", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("a") });
    const errors: unknown[] = [];
    let fails = false;
    const broken: CompileSkills = (folders) =>
      fails ? Promise.reject(new Error("compiler")) : compile(folders);
    const catalog = await open({ roots: [root], compile: broken, onError: (error) => errors.push(error) });
    let heard = 0;
    catalog.onChange(() => {
      throw new Error("listener");
    });
    catalog.onChange(() => (heard += 1));
    const before = catalog.snapshot;
    fails = true;
    await write(root, { "b/SKILL.md": skillFile("b") });
    expect(await catalog.reload()).toBe(before);
    fails = false;
    expect(names(await catalog.reload())).toEqual(["a", "b"]);
    expect(errors).toEqual([new Error("compiler"), new Error("listener")]);
    expect(heard).toBe(1);
  });

  test("does nothing after the catalog is closed", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("a") });
    const catalog = await open({ roots: [root] });
    await catalog.close();
    await rm(join(root, "a"), { recursive: true });
    expect(names(await catalog.reload())).toEqual(["a"]);
  });
});

describe("a skill that breaks", () => {
  const whole = {
    "a/SKILL.md": skillFile("a", "Good."),
    "a/skill.ts": "export default 1;",
    "b/SKILL.md": skillFile("b"),
    "b/skill.ts": "// calls a",
  };

  test.each([
    ["its SKILL.md", "a/SKILL.md", "# Nothing"],
    ["its code", "a/skill.ts", "BROKEN"],
    ["an import", "a/skill.ts", 'import "./gone.ts";'],
  ])("by %s stays as it was, and so do those that call it", async (_, file, text) => {
    const root = await folderWith(whole);
    const catalog = await open({ roots: [root] });
    const good = catalog.snapshot.skills.get("a");
    await write(root, { [file]: text });
    const { skills, diagnostics } = await catalog.reload();
    expect(skills.get("a")).toBe(good);
    expect(skills.has("b")).toBe(true);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toHaveLength(1);
    expect(diagnostics.filter(({ code }) => code === "kept-last-good")).toEqual([
      expect.objectContaining({ severity: "warning", path: join(root, "a/SKILL.md"), line: 1, column: 1 }),
    ]);

    await write(root, { "b/SKILL.md": skillFile("b", "Changed.") });
    const after = await catalog.reload();
    expect(after.skills.get("a")).toBe(good);
    expect(after.skills.get("b")?.description).toBe("Changed.");

    await write(root, whole);
    expect(codes(root, await catalog.reload())).toEqual([]);
  });

  test("that did not fit before stays as it was when it last did", async () => {
    const root = await folderWith(whole);
    const catalog = await open({ roots: [root] });
    const good = catalog.snapshot.skills.get("a");
    await write(root, { "a/skill.ts": "// UNFIT" });
    expect([...(await catalog.reload()).faulty.keys()]).toEqual(["a"]);
    await write(root, { "a/skill.ts": "BROKEN" });
    const { skills, faulty } = await catalog.reload();
    expect([skills.get("a"), [...faulty.keys()]]).toEqual([good, []]);
  });

  test("and never fitted is no skill", async () => {
    const root = await folderWith({ ...whole, "a/skill.ts": "// UNFIT" });
    const catalog = await open({ roots: [root] });
    await write(root, { "a/skill.ts": "BROKEN" });
    expect((await catalog.reload()).skills.has("a")).toBe(false);
  });

  test("stays withheld where its last version does not fit the others any more", async () => {
    const root = await folderWith({ ...whole, "a/skill.ts": "// fits" });
    let fits = true;
    const catalog = await open({
      roots: [root],
      compile: async (folders) => {
        const made = await compile(folders);
        const others = made.skills.filter(
          ({ name, sources }) => !fits && name === "a" && sources.some(({ text }) => text === "// fits"),
        );
        return { ...made, findings: others.map(({ file }) => unfit(file)) };
      },
    });
    fits = false;
    await write(root, { "a/skill.ts": "BROKEN" });
    expect([...(await catalog.reload()).faulty.keys()]).toEqual(["a"]);
  });

  test("goes when its folder goes", async () => {
    const root = await folderWith(whole);
    const catalog = await open({ roots: [root] });
    await write(root, { "a/SKILL.md": "# Nothing" });
    await catalog.reload();
    await rm(join(root, "a"), { recursive: true });
    const snapshot = await catalog.reload();
    expect(snapshot.skills.has("a")).toBe(false);
    expect(codes(root, snapshot)).toEqual([
      "warning kept-last-good b/SKILL.md:1",
      "error call-unknown b/skill.ts:1",
    ]);
  });
});

/** The first snapshot from now on of which something holds. */
function changed(catalog: Catalog, holds: (now: CatalogSnapshot) => boolean): Promise<CatalogSnapshot> {
  return new Promise((resolve) => {
    if (holds(catalog.snapshot)) resolve(catalog.snapshot);
    catalog.onChange((now) => holds(now) && resolve(now));
  });
}

/** Fails, as a bug would, when there is a skill with the name `poison`. */
function fragile(folders: readonly SkillFolder[]): Promise<CompiledFolders> {
  return folders.some(({ name }) => name === "poison")
    ? Promise.reject(new Error("compiler"))
    : compile(folders);
}

describe("a catalog that watches", { timeout: 15_000 }, () => {
  test("follows skills that come, change, break, are mended and go", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("a", "One.") });
    const catalog = await open({ roots: [root], watch: true });

    await write(root, { "b/SKILL.md": skillFile("b"), "b/skill.ts": "export default 1;" });
    await changed(catalog, ({ skills }) => skills.get("b")?.kind === "code");

    await write(root, { "a/SKILL.md": skillFile("a", "Two.") });
    await changed(catalog, ({ skills }) => skills.get("a")?.description === "Two.");

    await write(root, { "b/skill.ts": "BROKEN" });
    await changed(
      catalog,
      ({ skills, diagnostics }) =>
        skills.has("b") && diagnostics.some(({ code }) => code === "kept-last-good"),
    );

    await write(root, { "b/skill.ts": "export default 2;" });
    await changed(
      catalog,
      ({ skills, diagnostics }) =>
        skills.get("b")?.sources[0]?.text === "export default 2;" && diagnostics.length === 0,
    );

    await rm(join(root, "b"), { recursive: true });
    const last = await changed(catalog, ({ skills }) => !skills.has("b"));
    expect([names(last), last.diagnostics]).toEqual([["a"], []]);
  });

  test("follows workflow documents, in folders and in files of their own", async () => {
    const document = (name: string, description: string): string =>
      JSON.stringify({
        skill_schema_version: "1.0",
        skill: {
          metadata: { name, description },
          workflow: { tasks: [{ task_id: "t", type: "tool_call_task", tools: [{ name: "a.b" }] }] },
        },
      });
    const root = await folderWith();
    const catalog = await open({ roots: [root], watch: true });
    await write(root, { "a/workflow.json": document("a", "One."), "b.skill.json": document("b", "One.") });
    await changed(catalog, ({ skills }) => skills.has("a") && skills.has("b"));
    await write(root, { "b.skill.json": document("b", "Two.") });
    await changed(catalog, ({ skills }) => skills.get("b")?.description === "Two.");
    await write(root, { "a/workflow.json": "{" });
    await changed(catalog, ({ diagnostics }) => diagnostics.some(({ code }) => code === "kept-last-good"));
    await rm(join(root, "b.skill.json"));
    const last = await changed(catalog, ({ skills }) => !skills.has("b"));
    expect(names(last)).toEqual(["a"]);
  });

  test("follows a folder that is replaced by another of the same name", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("a", "0") });
    const catalog = await open({ roots: [root], watch: true });
    for (const description of ["1", "2", "3"]) {
      await rm(join(root, "a"), { recursive: true });
      await write(root, { "a/SKILL.md": skillFile("a", description) });
      await changed(catalog, ({ skills }) => skills.get("a")?.description === description);
      await write(root, { "a/SKILL.md": skillFile("a", `${description}!`) });
      await changed(catalog, ({ skills }) => skills.get("a")?.description === `${description}!`);
    }
    expect(catalog.snapshot.diagnostics).toEqual([]);
  });

  test("follows editors that write another file and rename it", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("a", "One.") });
    const catalog = await open({ roots: [root], watch: true });
    for (const description of ["Two.", "Three."]) {
      await write(root, { "a/SKILL.md.tmp": skillFile("a", description) });
      await rename(join(root, "a/SKILL.md.tmp"), join(root, "a/SKILL.md"));
      const now = await changed(catalog, ({ skills }) => skills.get("a")?.description === description);
      expect(now.diagnostics).toEqual([]);
    }
  });

  test("follows what a link leads to, and files that come and go in a skill's folder", async () => {
    const elsewhere = await folderWith({ "words.md": skillFile("a", "One.") });
    const root = await folderWith({ "b/SKILL.md": skillFile("b"), "b/parts/x.md": "" });
    await mkdir(join(root, "a"));
    await symlink(join(elsewhere, "words.md"), join(root, "a/SKILL.md"));
    const catalog = await open({ roots: [root], watch: true });
    await changed(catalog, ({ skills }) => skills.has("a"));
    await write(elsewhere, { "words.md": skillFile("a", "Two.") });
    await changed(catalog, ({ skills }) => skills.get("a")?.description === "Two.");

    await write(root, { "b/skill.ts": "export default 1;" });
    await changed(catalog, ({ skills }) => skills.get("b")?.kind === "code");
    await rm(join(root, "b/skill.ts"));
    await changed(catalog, ({ skills }) => skills.get("b")?.kind === "instructions");
    await write(root, { "b/parts/SKILL.md": skillFile("parts") });
    await changed(catalog, ({ skills }) => skills.has("parts"));
    await rm(join(root, "b/parts/SKILL.md"));
    const last = await changed(catalog, ({ skills }) => !skills.has("parts"));
    expect([names(last), last.diagnostics]).toEqual([["a", "b"], []]);
  });

  test("follows a root that appears, goes and appears again", async () => {
    const parent = await folderWith();
    const root = join(parent, "deep/skills");
    const catalog = await open({ roots: [root], watch: true });
    expect(names(catalog.snapshot)).toEqual([]);
    for (const name of ["a", "b"]) {
      await mkdir(root, { recursive: true });
      await write(root, { [`${name}/SKILL.md`]: skillFile(name) });
      await changed(catalog, ({ skills }) => skills.has(name));
      await write(root, { [`${name}/SKILL.md`]: skillFile(name, "Changed.") });
      await changed(catalog, ({ skills }) => skills.get(name)?.description === "Changed.");
      await rm(join(parent, "deep"), { recursive: true });
      await changed(catalog, ({ skills }) => skills.size === 0);
    }
  });

  test("goes on after a compiler that throws", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("a") });
    let fail: (() => void) | undefined;
    const failed = new Promise<void>((resolve) => (fail = resolve));
    const catalog = await open({ roots: [root], watch: true, compile: fragile, onError: () => fail?.() });
    await write(root, { "b/SKILL.md": skillFile("poison") });
    await failed;
    expect(names(catalog.snapshot)).toEqual(["a"]);
    await write(root, { "b/SKILL.md": skillFile("b") });
    await changed(catalog, ({ skills }) => skills.has("b"));
  });
});
