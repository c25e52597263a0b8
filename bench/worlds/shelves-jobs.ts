import type { JsonObject } from "../../src/core/json/json.ts";
import { addressOf, PEOPLE } from "./dice.ts";
import type { FolderState } from "./folder-jobs.ts";
import { type Call, type Job, Refusal } from "./job.ts";
import { found, only } from "./papers.ts";

function job<Told extends JsonObject>(made: Job<FolderState, Told>): Job<FolderState> {
  return made;
}

async function textOf(call: Call, path: string): Promise<string> {
  return String((await call("read_text_file", { path })).content);
}

/** Work in a folder, under the reference filesystem server, on files as programs and people write them; measured once. */
export const SHELVES_JOBS: readonly Job<FolderState>[] = [
  job({
    name: "write-release",
    difficulty: "text",
    given: (state, dice) => {
      const folder = `crate-${dice.fresh(10, 99)}`;
      const name = dice.one(["kiln", "loom", "bell", "sled"]);
      state.files[`${folder}/Cargo.toml`] =
        `[package]\nname = "${name}"\nversion = "${dice.between(0, 4)}.${dice.fresh(1, 99)}.${dice.between(0, 9)}"\nedition = "2021"\n\n[dependencies]\nserde = { version = "1.0", features = ["derive"] }\nlog = "0.4"\n`;
      return { folder: `${state.root}/${folder}` };
    },
    task: ({ folder }) => `Write the version of the crate in ${folder} to ${folder}/VERSION.`,
    agent: async ({ folder }, call) => {
      const version = only(await textOf(call, `${folder}/Cargo.toml`), /^version = "(.+)"$/m);
      await call("write_file", { path: `${folder}/VERSION`, content: version });
    },
    hinder: (state, { folder }) => {
      const own = folder.slice(state.root.length + 1);
      state.files[`${own}/Cargo.toml`] = `[workspace]\nmembers = ["a", "b"]\n`;
    },
  }),
  job({
    name: "file-by-owner",
    difficulty: "text",
    given: (state, dice) => {
      const person = dice.one(PEOPLE);
      const mail = `mail-${dice.fresh(100, 999)}.eml`;
      state.files[mail] =
        `Return-Path: <${addressOf(person)}>\nFrom: ${person} <${addressOf(person)}>\nTo: desk@example.org\nSubject: Order ${dice.fresh(1000, 9999)}\nMessage-ID: <${dice.fresh(10000, 99999)}@mail.example.org>\nContent-Type: text/plain; charset=utf-8\n\nHello,\n\nplease see to it.\n\n${person}\n`;
      state.files["seen.log"] = "begun\n";
      return { mail: `${state.root}/${mail}`, note: `${state.root}/note-${dice.fresh(10, 99)}.txt` };
    },
    task: ({ mail, note }) => `Write the message id and the subject of ${mail} to ${note}.`,
    agent: async ({ mail, note }, call) => {
      const text = await textOf(call, mail);
      const id = only(text, /^Message-ID: <(.+)>$/m);
      const subject = only(text, /^Subject: (.+)$/m);
      await call("write_file", { path: note, content: `${id}: ${subject}` });
    },
    hinder: (state, { mail }) => {
      state.files[mail.slice(state.root.length + 1)] = "";
    },
  }),
  job({
    name: "copy-listed",
    difficulty: "text",
    given: (state, dice) => {
      const folder = `songs-${dice.fresh(10, 99)}`;
      const songs = dice.some(["rain", "harbour", "larks", "snow", "mill", "ferry"], dice.between(2, 4));
      for (const song of songs) state.files[`${folder}/${song}.txt`] = `The ${song}\n`;
      const entries = songs.map((song) => `#EXTINF:${dice.between(100, 400)},The ${song}\n${song}.txt`);
      state.files[`${folder}/list.m3u`] = `#EXTM3U\n${entries.join("\n")}\n`;
      const to = `set-${dice.fresh(10, 99)}`;
      state.files[`${to}/README.md`] = "A set.\n";
      return { folder: `${state.root}/${folder}`, to: `${state.root}/${to}` };
    },
    task: ({ folder, to }) => `Move the files that ${folder}/list.m3u lists to ${to}.`,
    agent: async ({ folder, to }, call) => {
      const names = found(await textOf(call, `${folder}/list.m3u`), /^([^#\n].*)$/gm);
      if (names.length === 0) throw new Refusal("Nothing is listed");
      for (const [name = ""] of names)
        await call("move_file", { source: `${folder}/${name}`, destination: `${to}/${name}` });
    },
    hinder: (state, { folder }) => {
      state.files[`${folder.slice(state.root.length + 1)}/list.m3u`] = "#EXTM3U\n";
    },
  }),
];
