import type { JsonObject } from "../../src/core/json/json.ts";
import { type Dice, PEOPLE } from "./dice.ts";
import { type Call, type Job, refused } from "./job.ts";

/** Files below a folder, by their paths in it. */
export interface FolderState {
  /** Absolute. */
  readonly root: string;
  files: Record<string, string>;
}

const FOLDERS = ["invoices", "march", "north", "clients", "archive", "summer", "drafts", "visits"] as const;
const NAMES = ["alder", "beech", "cedar", "elm", "fir", "hazel", "larch", "oak", "pine", "willow"] as const;

export function folderState(root: string, dice: Dice): FolderState {
  return { root, files: { "README.md": `Kept by ${dice.one(PEOPLE)}.\n` } };
}

function job<Told extends JsonObject>(made: Job<FolderState, Told>): Job<FolderState> {
  return made;
}

/** A folder with so many files, each with a content of its own; its absolute path. */
function addFolder(
  state: FolderState,
  dice: Dice,
  count: number,
  contentOf: (name: string) => string = () => `number: ${dice.fresh(1000, 9999)}\n`,
): string {
  const folder = `${dice.one(FOLDERS)}-${dice.fresh(10, 99)}`;
  for (const name of dice.some(NAMES, count)) state.files[`${folder}/${name}.txt`] = contentOf(name);
  return `${state.root}/${folder}`;
}

function remove(state: FolderState, path: unknown): void {
  const own = String(path).slice(state.root.length + 1);
  state.files = Object.fromEntries(
    Object.entries(state.files).filter(([each]) => each !== own && !each.startsWith(`${own}/`)),
  );
}

async function textOf(call: Call, path: string): Promise<string> {
  return String((await call("read_text_file", { path })).content);
}

async function filesIn(call: Call, path: string): Promise<readonly string[]> {
  const { content } = await call("list_directory", { path });
  return String(content)
    .split("\n")
    .flatMap((line) => (line.startsWith("[FILE] ") ? [line.slice(7)] : []));
}

export const FOLDER_JOBS: readonly Job<FolderState>[] = [
  job({
    name: "sum-totals",
    difficulty: "text",
    given: (state, dice) => {
      const folder = addFolder(
        state,
        dice,
        dice.between(2, 4),
        () => `from: ${dice.one(PEOPLE)}\ntotal: ${dice.fresh(20, 900)}\n`,
      );
      return { folder, report: `${state.root}/report-${dice.fresh(100, 999)}.txt` };
    },
    task: ({ folder, report }) =>
      `Add up the totals of the files in ${folder} and write them to ${report}, as "Total: …".`,
    agent: async ({ folder, report }, call) => {
      let sum = 0;
      for (const name of await filesIn(call, folder)) {
        const [, total = ""] = /^total: (\d+)$/m.exec(await textOf(call, `${folder}/${name}`)) ?? [];
        sum += Number(total);
      }
      await call("write_file", { path: report, content: `Total: ${sum}` });
    },
    hinder: (state, { folder }) => remove(state, folder),
  }),
  job({
    name: "move-files",
    difficulty: "text",
    given: (state, dice) => {
      const folder = addFolder(state, dice, dice.between(2, 4));
      const target = `done-${dice.fresh(100, 999)}`;
      state.files[`${target}/kept.txt`] = "kept\n";
      return { folder, target: `${state.root}/${target}` };
    },
    task: ({ folder, target }) => `Move all files of ${folder} to ${target}.`,
    agent: async ({ folder, target }, call) => {
      for (const name of await filesIn(call, folder))
        await call("move_file", { source: `${folder}/${name}`, destination: `${target}/${name}` });
    },
    hinder: (state, { folder }) => remove(state, folder),
  }),
  job({
    name: "move-kind",
    difficulty: "choice",
    given: (state, dice) => {
      const folder = addFolder(state, dice, dice.between(0, 2));
      const ending = dice.one([".log", ".csv", ".tmp"]);
      const own = folder.slice(state.root.length + 1);
      for (const name of dice.some(["boot", "mail", "sync", "web"], dice.between(2, 3)))
        state.files[`${own}/${name}${ending}`] = `started ${dice.fresh(1000, 9999)}\n`;
      const target = `done-${dice.fresh(100, 999)}`;
      state.files[`${target}/kept.txt`] = "kept\n";
      return { folder, ending, target: `${state.root}/${target}` };
    },
    task: ({ folder, ending, target }) => `Move all *${ending} of ${folder} to ${target}.`,
    agent: async ({ folder, ending, target }, call) => {
      for (const name of await filesIn(call, folder))
        if (name.endsWith(ending))
          await call("move_file", { source: `${folder}/${name}`, destination: `${target}/${name}` });
    },
    hinder: (state, { folder }) => remove(state, folder),
  }),
  job({
    name: "write-owner",
    difficulty: "text",
    given: (state, dice) => {
      const folder = addFolder(
        state,
        dice,
        1,
        () => `name: north\nowner: ${dice.one(PEOPLE)}\nsize: ${dice.fresh(10, 99)}\n`,
      );
      const name = Object.keys(state.files).find((path) => path.includes("/")) ?? "";
      return { file: `${state.root}/${name}`, target: `${folder}/OWNER` };
    },
    task: ({ file, target }) => `Write who owns ${file}, by its line "owner", to ${target}.`,
    agent: async ({ file, target }, call) => {
      const [, owner = ""] = /^owner: (.*)$/m.exec(await textOf(call, file)) ?? [];
      await call("write_file", { path: target, content: owner });
    },
    hinder: (state, { file }) => remove(state, file),
  }),
  job({
    name: "join-files",
    difficulty: "text",
    given: (state, dice) => ({
      folder: addFolder(state, dice, dice.between(2, 4)),
      target: `${state.root}/all-${dice.fresh(100, 999)}.txt`,
    }),
    task: ({ folder, target }) => `Write the files of ${folder}, one after the other, to ${target}.`,
    agent: async ({ folder, target }, call) => {
      let all = "";
      for (const name of await filesIn(call, folder)) all += await textOf(call, `${folder}/${name}`);
      await call("write_file", { path: target, content: all });
    },
    hinder: (state, { folder }) => remove(state, folder),
  }),
  job({
    name: "write-index",
    difficulty: "text",
    given: (state, dice) => {
      const folder = addFolder(state, dice, dice.between(2, 4));
      return { folder, target: `${state.root}/index-${dice.fresh(100, 999)}.md` };
    },
    task: ({ folder, target }) => `Write the names of the files in ${folder} to ${target}, as a list.`,
    agent: async ({ folder, target }, call) => {
      const names = await filesIn(call, folder);
      await call("write_file", { path: target, content: names.map((name) => `- ${name}`).join("\n") });
    },
    hinder: (state, { folder }) => remove(state, folder),
  }),
  job({
    name: "copy-own-or-common",
    difficulty: "fails",
    given: (state, dice) => {
      const folder = addFolder(state, dice, 2);
      const [own, common] = Object.keys(state.files).flatMap((path) =>
        path.includes("/") ? [`${state.root}/${path}`] : [],
      );
      return { own: own ?? "", common: common ?? "", target: `${folder}/copy.txt` };
    },
    task: ({ own, common, target }) => `Copy ${own} to ${target}, or ${common} if it is not there.`,
    agent: async ({ own, common, target }, call) => {
      let content = "";
      if (await refused(textOf(call, own).then((read) => (content = read))))
        content = await textOf(call, common);
      await call("write_file", { path: target, content });
    },
    hinder: (state, { own }) => remove(state, own),
  }),
  job({
    name: "move-listed",
    difficulty: "fails",
    given: (state, dice) => {
      const folder = addFolder(state, dice, dice.between(2, 4));
      const names = Object.keys(state.files).flatMap((path) => path.split("/").slice(1));
      const target = `done-${dice.fresh(100, 999)}`;
      state.files[`${target}/kept.txt`] = "kept\n";
      return { folder, names, target: `${state.root}/${target}` };
    },
    task: ({ folder, names, target }) =>
      `Move ${names.join(", ")} of ${folder} to ${target}, as far as they are there.`,
    agent: async ({ folder, names, target }, call) => {
      for (const name of names)
        await refused(call("move_file", { source: `${folder}/${name}`, destination: `${target}/${name}` }));
    },
    hinder: (state, { folder, names }) => remove(state, `${folder}/${names[1]}`),
  }),
];
