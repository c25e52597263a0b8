import type { JsonObject } from "../../src/core/json/json.ts";
import { type Dice, PEOPLE } from "./dice.ts";
import { type Job, Refusal } from "./job.ts";
import { found, only } from "./papers.ts";
import { PAGES_JOBS } from "./everyday-pages-jobs.ts";
import { RECORDS_JOBS } from "./everyday-records-jobs.ts";
import type { EverydayState } from "./everyday-state.ts";
import type { Repository } from "./repositories.ts";

const PARTS = [
  "cart",
  "login",
  "search",
  "export",
  "avatar",
  "mailer",
  "parser",
  "cache",
  "footer",
  "upload",
];
const DEEDS = ["Speed up the", "Rewrite the", "Test the", "Fix a leak in the", "Translate the"];

function job<Told extends JsonObject>(made: Job<EverydayState, Told>): Job<EverydayState> {
  return made;
}

/** A repository with some commits after the first, each of one part. */
function addRepository(state: EverydayState, dice: Dice, count: number): Repository {
  const name = `${dice.one(["atlas", "comet", "delta", "ember"])}-${dice.fresh(10, 99)}`;
  const parts = dice.some(PARTS, count);
  const first = {
    author: dice.one(PEOPLE),
    message: "Begin\n",
    files: { "README.md": `# ${name}\n`, ...Object.fromEntries(PARTS.map((part) => [`src/${part}.js`, ""])) },
  };
  const others = parts.map((part) => ({
    author: dice.one(PEOPLE),
    message: `${dice.one(DEEDS)} ${part}\n`,
    files: { [`src/${part}.js`]: `export const ${part} = ${dice.fresh(100, 999)};\n` },
  }));
  const repository = { name, commits: [first, ...others], branches: {}, changed: {} };
  state.repositories.push(repository);
  return repository;
}

const LOGGED = /^Commit: (\w+)\nAuthor: (.*)\nDate: (.*)\nMessage: (.*)$/gm;

function hashOf(log: string, message: string): string {
  const [hash] = found(log, LOGGED).find(([, , , said]) => said === message) ?? [];
  if (hash === undefined) throw new Refusal("There is no such commit");
  return hash;
}

function messageIn(repository: Repository, dice: Dice): string {
  return dice.one(repository.commits.slice(1)).message.trim();
}

function onlyBegun(state: EverydayState): void {
  for (const repository of state.repositories) repository.commits.length = 1;
}

const GIT_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "checkout-commit",
    difficulty: "text",
    given: (state, dice) => {
      const repository = addRepository(state, dice, dice.between(4, 6));
      return { repo: `${state.root}/${repository.name}`, message: messageIn(repository, dice) };
    },
    task: ({ repo, message }) => `Check out the commit "${message}" in ${repo}.`,
    agent: async ({ repo, message }, call) => {
      const log = String(await call("git.git_log", { repo_path: repo }));
      await call("git.git_checkout", { repo_path: repo, branch_name: hashOf(log, message) });
    },
    hinder: onlyBegun,
  }),
  job({
    name: "commit-modified",
    difficulty: "text",
    given: (state, dice) => {
      const repository = addRepository(state, dice, 3);
      for (const part of dice.some(PARTS, dice.between(2, 4)))
        repository.changed[`src/${part}.js`] = `// ${dice.fresh(100, 999)}\n`;
      for (const part of dice.some(PARTS, dice.between(1, 2)))
        repository.changed[`notes/${part}.txt`] = "later\n";
      const message = `Touch up for release ${dice.fresh(10, 99)}`;
      return { repo: `${state.root}/${repository.name}`, message };
    },
    task: ({ repo, message }) =>
      `Commit the modified files of ${repo}, and not the untracked ones, as "${message}".`,
    agent: async ({ repo, message }, call) => {
      const status = String(await call("git.git_status", { repo_path: repo }));
      const files = found(status, /^\tmodified: +(.+)$/gm).map(([file = ""]) => file);
      if (files.length === 0) throw new Refusal("Nothing is modified");
      await call("git.git_add", { repo_path: repo, files });
      await call("git.git_commit", { repo_path: repo, message });
    },
    hinder: (state) => {
      for (const { changed } of state.repositories)
        for (const path of Object.keys(changed)) if (path.startsWith("src/")) delete changed[path];
    },
  }),
  job({
    name: "restore-file",
    difficulty: "text",
    given: (state, dice) => {
      const repository = addRepository(state, dice, dice.between(4, 6));
      const commit = dice.one(repository.commits.slice(1));
      const [file = ""] = Object.keys(commit.files);
      repository.changed[file] = `export default ${dice.fresh(1000, 9999)};\n`;
      return { repo: `${state.root}/${repository.name}`, file, message: commit.message.trim() };
    },
    task: ({ repo, file, message }) =>
      `Write ${file} in ${repo} as it was in the commit "${message}"; do not commit it.`,
    agent: async ({ repo, file, message }, call) => {
      const hash = hashOf(String(await call("git.git_log", { repo_path: repo })), message);
      const content = String(await call("git.git_show", { repo_path: repo, revision: `${hash}:${file}` }));
      await call("write_file", { path: `${repo}/${file}`, content });
    },
    hinder: onlyBegun,
  }),
  job({
    name: "switch-to-ticket",
    difficulty: "text",
    given: (state, dice) => {
      const repository = addRepository(state, dice, 4);
      const tickets = Array.from({ length: dice.between(3, 5) }, () => dice.fresh(1000, 9999));
      for (const ticket of tickets)
        repository.branches[
          `${dice.one(["feature", "bugfix"])}/${dice.one(["WEB", "APP"])}-${ticket}-${dice.one(PARTS)}`
        ] = dice.between(1, 5);
      return { repo: `${state.root}/${repository.name}`, ticket: dice.one(tickets) };
    },
    task: ({ repo, ticket }) => `Switch ${repo} to the branch of ticket ${ticket}.`,
    agent: async ({ repo, ticket }, call) => {
      const branches = String(await call("git.git_branch", { repo_path: repo, branch_type: "local" }));
      const branch = only(branches, new RegExp(`^[ *] (\\S+-${ticket}-\\S+)$`, "m"));
      await call("git.git_checkout", { repo_path: repo, branch_name: branch });
    },
    hinder: (state) => {
      for (const { branches } of state.repositories)
        for (const name of Object.keys(branches)) delete branches[name];
    },
  }),
  job({
    name: "write-release-notes",
    difficulty: "text",
    given: (state, dice) => {
      const { name } = addRepository(state, dice, 6);
      return { repo: `${state.root}/${name}`, count: dice.between(2, 5), file: `${state.root}/NOTES.md` };
    },
    task: ({ repo, count, file }) =>
      `Write the messages of the last ${count} commits of ${repo} to ${file}, as a list.`,
    agent: async ({ repo, count, file }, call) => {
      const log = String(await call("git.git_log", { repo_path: repo, max_count: count }));
      const lines = found(log, LOGGED).map(([, , , message = ""]) => `- ${message}`);
      await call("write_file", { path: file, content: lines.join("\n") });
    },
    hinder: (state) => void state.repositories.splice(0),
  }),
  job({
    name: "remember-head",
    difficulty: "text",
    given: (state, dice) => {
      const { name } = addRepository(state, dice, 3);
      state.entities.push({ name, entityType: "repository", observations: ["Written in JavaScript"] });
      return { repo: `${state.root}/${name}`, project: name };
    },
    task: ({ repo, project }) =>
      `Remember of ${project} the hash and the author of the last commit in ${repo}.`,
    agent: async ({ repo, project }, call) => {
      const log = String(await call("git.git_log", { repo_path: repo, max_count: 1 }));
      const [[hash = "", author = ""] = []] = found(log, LOGGED);
      const contents = [`Last commit: ${hash}`, `Last author: ${author}`];
      await call("memory.add_observations", { observations: [{ entityName: project, contents }] });
    },
    hinder: (state) => void state.repositories.splice(0),
  }),
  job({
    name: "bump-version",
    difficulty: "text",
    given: (state, dice) => {
      const repository = addRepository(state, dice, 2);
      const version = `${dice.between(1, 4)}.${dice.between(0, 30)}.${dice.fresh(10, 99)}`;
      const manifest = { name: repository.name, version, private: true, scripts: { start: "node ." } };
      repository.commits.push({
        author: dice.one(PEOPLE),
        message: "Describe the package\n",
        files: { "package.json": `${JSON.stringify(manifest, undefined, 2)}\n` },
      });
      return { repo: `${state.root}/${repository.name}`, version: `${dice.between(5, 9)}.0.0` };
    },
    task: ({ repo, version }) => `Set the version in package.json of ${repo} to ${version} and commit that.`,
    agent: async ({ repo, version }, call) => {
      const path = `${repo}/package.json`;
      const { content } = await call("read_text_file", { path });
      const line = only(String(content), /("version": ".+")/);
      await call("edit_file", { path, edits: [{ oldText: line, newText: `"version": "${version}"` }] });
      await call("git.git_add", { repo_path: repo, files: ["package.json"] });
      await call("git.git_commit", { repo_path: repo, message: `Release ${version}` });
    },
    hinder: (state) => {
      for (const { commits } of state.repositories) commits.length = 2;
    },
  }),
  job({
    name: "list-changed-files",
    difficulty: "text",
    given: (state, dice) => {
      const repository = addRepository(state, dice, 4);
      const message = `Rename the ${dice.one(PARTS)} service`;
      const files = dice.some(PARTS, dice.between(2, 4));
      repository.commits.push({
        author: dice.one(PEOPLE),
        message: `${message}\n`,
        files: Object.fromEntries(files.map((part) => [`src/${part}.js`, `// ${dice.fresh(1000, 9999)}\n`])),
      });
      return { repo: `${state.root}/${repository.name}`, message, file: `${state.root}/changed.txt` };
    },
    task: ({ repo, message, file }) =>
      `Write the paths of the files that the commit "${message}" of ${repo} changed to ${file}, one a line.`,
    agent: async ({ repo, message, file }, call) => {
      const hash = hashOf(String(await call("git.git_log", { repo_path: repo })), message);
      const shown = String(await call("git.git_show", { repo_path: repo, revision: hash }));
      const paths = found(shown, /^\+\+\+ b\/(.+)$/gm).map(([path = ""]) => path);
      await call("write_file", { path: file, content: `${paths.join("\n")}\n` });
    },
    hinder: onlyBegun,
  }),
];

const FILES_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "change-port",
    difficulty: "text",
    given: (state, dice) => {
      const folder = `deploy-${dice.fresh(10, 99)}`;
      const services = dice.some(PARTS, dice.between(2, 4));
      for (const service of services)
        state.files[`${folder}/${service}/${dice.one(["service", "app"])}.ini`] =
          `[server]\nname = ${service}\nhost = 0.0.0.0\nport = ${dice.fresh(3000, 9000)}\nworkers = ${dice.between(1, 8)}\n`;
      return {
        folder: `${state.root}/${folder}`,
        service: dice.one(services),
        port: dice.fresh(10000, 20000),
      };
    },
    task: ({ folder, service, port }) =>
      `Find the .ini file of ${service} below ${folder} and change its port to ${port}.`,
    agent: async ({ folder, service, port }, call) => {
      const { content: paths } = await call("search_files", { path: folder, pattern: "**/*.ini" });
      const path = only(String(paths), new RegExp(`^(.*/${service}/.*)$`, "m"));
      const { content } = await call("read_text_file", { path });
      const old = only(String(content), /^(port = \d+)$/m);
      await call("edit_file", { path, edits: [{ oldText: old, newText: `port = ${port}` }] });
    },
    hinder: (state, { folder, service }) => {
      for (const path of Object.keys(state.files))
        if (`${state.root}/${path}`.startsWith(`${folder}/${service}/`)) delete state.files[path];
    },
  }),
  job({
    name: "gather-logs",
    difficulty: "text",
    given: (state, dice) => {
      const folder = `runs-${dice.fresh(10, 99)}`;
      const into = `logs-${dice.fresh(100, 999)}`;
      state.files[`${into}/.keep`] = "";
      const parts = dice.some(PARTS, dice.between(3, 5));
      for (const [nth, part] of parts.entries()) {
        const below = nth === 0 ? "" : `${dice.one(["north", "south"])}/`;
        state.files[`${folder}/${below}${part}.${nth < 2 ? "log" : dice.one(["log", "txt"])}`] =
          `${dice.fresh(100, 999)}\n`;
      }
      return { folder: `${state.root}/${folder}`, into: `${state.root}/${into}` };
    },
    task: ({ folder, into }) => `Move all .log files below ${folder}, in its folders too, to ${into}.`,
    agent: async ({ folder, into }, call) => {
      const { content } = await call("directory_tree", { path: folder });
      interface Node {
        readonly name: string;
        readonly children?: readonly Node[];
      }
      const pathsIn = (nodes: readonly Node[], above: string): readonly string[] =>
        nodes.flatMap(({ name, children }) =>
          children ? pathsIn(children, `${above}/${name}`) : [`${above}/${name}`],
        );
      for (const source of pathsIn(JSON.parse(String(content)) as readonly Node[], folder))
        if (source.endsWith(".log"))
          await call("move_file", { source, destination: `${into}/${source.split("/").at(-1)}` });
    },
    hinder: (state, { folder }) => {
      for (const path of Object.keys(state.files))
        if (`${state.root}/${path}`.startsWith(`${folder}/`)) delete state.files[path];
    },
  }),
  job({
    name: "sum-hours",
    difficulty: "text",
    given: (state, dice) => {
      const folder = `sheets-${dice.fresh(10, 99)}`;
      for (const person of dice.some(PEOPLE, dice.between(2, 4)))
        state.files[`${folder}/${person.split(" ")[0]?.toLowerCase()}.md`] =
          `# ${person}\n\n- Week: ${dice.between(1, 52)}\n- Hours: ${dice.fresh(10, 60)}\n- Signed: yes\n`;
      return { folder: `${state.root}/${folder}`, report: `${state.root}/hours-${dice.fresh(100, 999)}.md` };
    },
    task: ({ folder, report }) =>
      `Write a line for each sheet in ${folder} to ${report}, with who it is of and the hours, and the sum below.`,
    agent: async ({ folder, report }, call) => {
      const { content: listed } = await call("list_directory", { path: folder });
      const paths = found(String(listed), /^\[FILE\] (.+)$/gm).map(([name = ""]) => `${folder}/${name}`);
      const { content } = await call("read_multiple_files", { paths });
      const sheets = found(String(content), /^# (.+)\n\n- Week: \d+\n- Hours: (\d+)$/gm);
      const lines = sheets.map(([person = "", hours = ""]) => `${person}: ${hours}`);
      const sum = sheets.reduce((total, [, hours]) => total + Number(hours), 0);
      await call("write_file", { path: report, content: `${lines.join("\n")}\nSum: ${sum}\n` });
    },
    hinder: (state, { folder }) => {
      for (const path of Object.keys(state.files))
        if (`${state.root}/${path}`.startsWith(`${folder}/`)) delete state.files[path];
    },
  }),
];

/** Work with the reference servers as agents do it: written before anything was done for it, and measured once. */
export const EVERYDAY_JOBS: readonly Job<EverydayState>[] = [
  ...GIT_JOBS,
  ...FILES_JOBS,
  ...RECORDS_JOBS,
  ...PAGES_JOBS,
];
