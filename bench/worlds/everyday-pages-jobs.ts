import type { JsonObject } from "../../src/core/json/json.ts";
import type { Dice } from "./dice.ts";
import { type Job, Refusal } from "./job.ts";
import { found, only } from "./papers.ts";
import type { EverydayState } from "./everyday-state.ts";

const WARES = ["Kettle", "Lamp", "Stool", "Clock", "Mirror", "Teapot"];
const TOOLS = ["gantry", "pulley", "winch", "capstan", "derrick"];

function job<Told extends JsonObject>(made: Job<EverydayState, Told>): Job<EverydayState> {
  return made;
}

/** Shows a page with the usual things around what it is about; its address. */
function addPage(state: EverydayState, path: string, title: string, main: string): string {
  state.pages[path] = {
    type: "text/html; charset=utf-8",
    body: `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>nav a { margin: 0 1em }</style></head>
<body><header><nav><a href="/">Home</a> <a href="/about">About us</a> <a href="/contact">Contact</a></nav></header>
<main><article><h1>${title}</h1>
${main}
</article></main>
<footer><p>All rights reserved. <a href="/privacy">Privacy</a></p></footer></body></html>`,
  };
  return `${state.site}${path}`;
}

function addFile(state: EverydayState, path: string, type: string, body: string): string {
  state.pages[path] = { type, body };
  return `${state.site}${path}`;
}

const version = (dice: Dice): string => `${dice.between(0, 6)}.${dice.fresh(1, 99)}.${dice.between(0, 9)}`;

function takeAway(state: EverydayState, url: string): void {
  delete state.pages[url.slice(state.site.length)];
}

const PROSE =
  "<p>We have made these by hand for many years, in a small place by the sea, and each of them is looked at before it leaves the house. Should one break all the same, send it back to us, and we will see to it.</p>";

/** Work with pages that the fetch server reads. */
export const PAGES_JOBS: readonly Job<EverydayState>[] = [
  job({
    name: "note-price",
    difficulty: "text",
    given: (state, dice) => {
      const ware = dice.one(WARES);
      const article = `${ware.slice(0, 2).toUpperCase()}-${dice.fresh(1000, 9999)}`;
      const url = addPage(
        state,
        `/shop/${ware.toLowerCase()}-${dice.fresh(10, 99)}`,
        `${ware} "${dice.one(["Fjord", "Alma", "Otto"])}"`,
        `<p class="lead">A ${ware.toLowerCase()} for every day.</p>\n<p><strong>Price:</strong> € ${dice.fresh(20, 400)}.${dice.between(10, 99)} <small>incl. VAT</small></p>\n<p>Article number: ${article}</p>\n${PROSE}\n<table><tr><th>Weight</th><td>${dice.between(1, 9)}.${dice.between(1, 9)} kg</td></tr><tr><th>Height</th><td>${dice.fresh(10, 60)} cm</td></tr></table>`,
      );
      return { url, file: `${state.root}/price-${dice.fresh(10, 99)}.txt` };
    },
    task: ({ url, file }) => `Write the article number and the price of what ${url} sells to ${file}.`,
    agent: async ({ url, file }, call) => {
      const page = String(await call("fetch.fetch", { url }));
      const price = only(page, /\*\*Price:\*\* € ([\d.]+)/);
      const article = only(page, /Article number: (\S+)/);
      await call("write_file", { path: file, content: `${article}: ${price} EUR\n` });
    },
    hinder: (state, { url }) => takeAway(state, url),
  }),
  job({
    name: "follow-newest",
    difficulty: "text",
    given: (state, dice) => {
      const tool = dice.one(TOOLS);
      const releases = Array.from({ length: dice.between(2, 4) }, () => version(dice));
      for (const release of releases)
        addPage(
          state,
          `/${tool}/releases/${release}`,
          `${tool} ${release}`,
          `${PROSE}<ul><li>Size: ${dice.fresh(100, 900)} KB</li><li>SHA-1: ${Array.from({ length: 40 }, () => dice.one("0123456789abcdef".split(""))).join("")}</li><li>Signed by: release@example.org</li></ul>`,
        );
      const items = releases.map(
        (release) => `<li><a href="/${tool}/releases/${release}">${tool} ${release}</a> (${dice.day()})</li>`,
      );
      const url = addPage(
        state,
        `/${tool}/releases`,
        `Releases of ${tool}`,
        `${PROSE}<ul>${items.join("\n")}</ul>`,
      );
      return { url, site: state.site, file: `${state.root}/${tool}.sha1` };
    },
    task: ({ url, site, file }) =>
      `Write the SHA-1 of the first release that ${url} lists to ${file}; what it links to is at ${site}.`,
    agent: async ({ url, site, file }, call) => {
      const path = only(String(await call("fetch.fetch", { url })), /^[*-] \[.+?\]\((.+?)\)/m);
      const page = String(await call("fetch.fetch", { url: path.startsWith("/") ? `${site}${path}` : path }));
      await call("write_file", { path: file, content: `${only(page, /SHA-1: (\w+)/)}\n` });
    },
    hinder: (state, { url }) => takeAway(state, url),
  }),
  job({
    name: "update-plan-price",
    difficulty: "text",
    given: (state, dice) => {
      const plans = dice.some(["Solo", "Studio", "Agency", "Campus"], 3);
      state.tables.push("CREATE TABLE plans (name TEXT PRIMARY KEY, monthly INTEGER)");
      for (const plan of plans) state.tables.push(`INSERT INTO plans VALUES ('${plan}', 1)`);
      const rows = plans.map(
        (plan) =>
          `<tr><td>${plan}</td><td>${dice.between(1, 50)}</td><td>$${dice.fresh(10, 400)}</td><td>$${dice.fresh(1000, 4000)}</td></tr>`,
      );
      const url = addPage(
        state,
        "/pricing",
        "Pricing",
        `${PROSE}<table><thead><tr><th>Plan</th><th>Seats</th><th>Per month</th><th>Per year</th></tr></thead><tbody>${rows.join("\n")}</tbody></table>`,
      );
      return { url, plan: dice.one(plans) };
    },
    task: ({ url, plan }) => `Set the monthly price of the plan ${plan} in the database to what ${url} says.`,
    agent: async ({ url, plan }, call) => {
      const page = String(await call("fetch.fetch", { url }));
      const price = only(page, new RegExp(`^\\| ${plan} \\| \\d+ \\| \\$(\\d+) \\|`, "m"));
      await call("sqlite.write_query", {
        query: `UPDATE plans SET monthly = ${price} WHERE name = '${plan}'`,
      });
    },
    hinder: (state, { url }) => takeAway(state, url),
  }),
  job({
    name: "remember-status",
    difficulty: "text",
    given: (state, dice) => {
      const names = dice.some(["Login", "Uploads", "Billing", "Webhooks"], 3);
      const component = dice.one(names);
      const levels = ["operational", "degraded_performance", "partial_outage", "major_outage"];
      const components = names.map((name) => ({
        id: `c${dice.fresh(10000, 99999)}`,
        name,
        status: dice.one(levels),
        updated_at: `${dice.day()}T0${dice.between(1, 9)}:00:00Z`,
      }));
      const page = { name: "Kestrel", time_zone: "Etc/UTC", updated_at: `${dice.day()}T10:00:00Z` };
      const url = addFile(
        state,
        "/api/v2/summary.json",
        "application/json; charset=utf-8",
        JSON.stringify({ page, components, incidents: [] }),
      );
      const service = `Kestrel ${component}`;
      state.entities.push({ name: service, entityType: "service", observations: [] });
      return { url, component, service };
    },
    task: ({ url, component, service }) =>
      `Remember of ${service} the status that ${url} gives for ${component}, and since when.`,
    agent: async ({ url, component, service }, call) => {
      const text = String(await call("fetch.fetch", { url }));
      const { components } = JSON.parse(only(text, /^(\{.*\})$/m)) as {
        readonly components: readonly { readonly name: string; status: string; updated_at: string }[];
      };
      const own = components.find(({ name }) => name === component);
      if (!own) throw new Refusal("There is no such component");
      const contents = [`Status: ${own.status}`, `Since: ${own.updated_at}`];
      await call("memory.add_observations", { observations: [{ entityName: service, contents }] });
    },
    hinder: (state, { url }) => takeAway(state, url),
  }),
  job({
    name: "pin-latest",
    difficulty: "text",
    given: (state, dice) => {
      const tool = dice.one(TOOLS);
      const folder = `app-${dice.fresh(10, 99)}`;
      state.files[`${folder}/requirements.txt`] =
        `flask==3.0.3\n${tool}==${version(dice)}\nrich==13.7.1\npillow==10.4.0\n`;
      const entries = Array.from(
        { length: 3 },
        (_, nth) =>
          `## [${version(dice)}] - ${dice.day()}\n\n### ${dice.one(["Added", "Fixed"])}\n\n- ${nth === 0 ? "A flag for quiet runs." : "Crash with an empty file."}\n`,
      );
      const url = addFile(
        state,
        `/${tool}/main/CHANGELOG.md`,
        "text/plain; charset=utf-8",
        `# Changelog\n\nAll notable changes to ${tool} are kept here.\n\n${entries.join("\n")}`,
      );
      return { url, tool, file: `${state.root}/${folder}/requirements.txt` };
    },
    task: ({ url, tool, file }) => `Pin ${tool} in ${file} to the newest version in ${url}.`,
    agent: async ({ url, tool, file }, call) => {
      const newest = only(String(await call("fetch.fetch", { url })), /^## \[(.+)\] - /m);
      const { content } = await call("read_text_file", { path: file });
      const old = only(String(content), new RegExp(`^(${tool}==.+)$`, "m"));
      await call("edit_file", { path: file, edits: [{ oldText: old, newText: `${tool}==${newest}` }] });
    },
    hinder: (state, { url }) => takeAway(state, url),
  }),
  job({
    name: "list-downloads",
    difficulty: "text",
    given: (state, dice) => {
      const tool = dice.one(TOOLS);
      const names = Array.from({ length: dice.between(2, 4) }, () => `${tool}-${version(dice)}.tar.gz`);
      const rows = [...names, "SHA256SUMS"].map(
        (name) =>
          `<a href="${name}">${name}</a>${" ".repeat(51 - name.length)}1${dice.between(0, 9)}-Mar-2026 0${dice.between(1, 9)}:${dice.between(10, 59)}${String(dice.fresh(10000, 90000)).padStart(20)}`,
      );
      const url = addFile(
        state,
        `/dist/${tool}/`,
        "text/html",
        `<html>\n<head><title>Index of /dist/${tool}/</title></head>\n<body>\n<h1>Index of /dist/${tool}/</h1><hr><pre><a href="../">../</a>\n${rows.join("\n")}\n</pre><hr></body>\n</html>\n`,
      );
      return { url, file: `${state.root}/downloads-${dice.fresh(10, 99)}.txt` };
    },
    task: ({ url, file }) => `Write the addresses of all .tar.gz files in ${url} to ${file}, one a line.`,
    agent: async ({ url, file }, call) => {
      const page = String(await call("fetch.fetch", { url, raw: true }));
      const names = found(page, /<a href="(\S+\.tar\.gz)">/g).map(([name = ""]) => `${url}${name}`);
      if (names.length === 0) throw new Refusal("There are none");
      await call("write_file", { path: file, content: `${names.join("\n")}\n` });
    },
    hinder: (state, { url }) => takeAway(state, url),
  }),
];
